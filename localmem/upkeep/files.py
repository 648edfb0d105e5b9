"""The file that an export is written into: whole or not at all, and only for its owner to read."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from localmem.errors import LocalmemError
from localmem.recall.pipeline import cache_path
from localmem.store import cipher

_DATABASE = b"SQLite format 3\0"


class FileError(LocalmemError):
    """A file of an export that cannot be written or read."""


def real_path(path: Path) -> Path:
    """Where a path leads; of links that lead to each other, one of them, where `Path.resolve` may be an error."""
    return Path(os.path.realpath(path))


def of_memory(path: Path) -> list[Path]:
    """The file of a memory, what SQLite keeps beside it, and the caches of its indexes; of a link, where it leads."""
    real = real_path(path)
    beside = [real.with_name(real.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]
    return beside + [cache_path(real, what) for what in ("turns", "threads")]


@contextmanager
def written(path: Path, *, replace: bool, kept: Sequence[Path] = ()) -> Iterator[IO[str]]:
    """A text file that takes its place when the block ends well.

    Args:
        path: where it goes; of a link, to where that leads.
        replace: whether a file that is there may go; a database never may.
        kept: files that it must not be, whether they are there or not.

    Raises:
        FileError: there is one already, or it cannot be written; what was there stays.
    """
    with _told(path, "written"):
        target = real_path(path.expanduser())
        if target in map(real_path, kept):
            raise FileError(f"{path} is a file of the memory itself.", hint="Name another file.")
        if os.path.lexists(target):
            _refuse(path, target, replace)
        # Not with the name, which may be as long as a name can be already; mode 0600.
        number, name = tempfile.mkstemp(prefix=".export.", suffix=".part", dir=target.parent)
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


def _refuse(path: Path, target: Path, replace: bool) -> None:
    """Raise why what is there must not be replaced; nothing, if it may be."""
    if not target.is_file():
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFLNK: "a link that leads to itself"}
        what = kinds.get(stat.S_IFMT(target.lstat().st_mode), "no file but a pipe, a socket or a device")
        raise FileError(f"{path} is {what}.", hint="Name a file; - is standard output.")
    if not replace:
        raise FileError(f"{path} is there already.", hint="Name another file, or use --force.")
    with target.open("rb") as there:
        database = there.read(len(_DATABASE)) == _DATABASE
    if database or cipher.looks_encrypted(target):
        raise FileError(f"{path} is a database, another memory maybe.", hint="Name another file.")


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
