"""The file that an export is written into: whole or not at all, and only for its owner to read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from localmem.errors import LocalmemError


class FileError(LocalmemError):
    """A file of an export that cannot be written or read."""


@contextmanager
def written(path: Path, *, replace: bool) -> Iterator[IO[str]]:
    """A text file that takes its place when the block ends well.

    Args:
        path: where it goes; of a link, to where that leads.
        replace: whether a file that is there may go.

    Raises:
        FileError: there is one already, or it cannot be written; what was there stays.
    """
    with _told(path, "written"):
        target = path.expanduser().resolve()
        if os.path.lexists(target) and not (replace and target.is_file()):
            raise FileError(f"{path} is there already.", hint="Name another file, or use --force.")
        number, name = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".part", dir=target.parent
        )  # mode 0600
        part = Path(name)
        try:
            with os.fdopen(number, "w", encoding="utf-8", newline="\n") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if replace:
                part.replace(target)
            else:
                _put(part, target, path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def read(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file.

    Raises:
        FileError: it cannot be read.
    """
    with _told(path, "read"):
        file = path.expanduser().open("rb")
    with file:
        yield file


def _put(part: Path, target: Path, named: Path) -> None:
    """Never over a file that somebody has made meanwhile."""
    with suppress(PermissionError, NotImplementedError):
        try:
            os.link(part, target)
            return
        except FileExistsError:
            raise FileError(f"{named} is there already.", hint="Name another file, or use --force.") from None
        except OSError:  # a disk without hard links
            pass
    part.replace(target)


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = (
            "Free some space, or name another place." if what == "written" else "Check its name and its mode."
        )
        raise FileError(f"{path} cannot be {what}: {error.strerror or error}.", hint=hint) from None
    except RuntimeError as error:
        if "home" not in str(error).lower():
            raise
        raise FileError(f"There is no home folder for {path}.", hint="Write the whole path.") from None
