"""Where a memory lies, and how its file is opened, made or looked at."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from localmem import arguments
from localmem.errors import StoreError, UsageError
from localmem.settings import Settings
from localmem.settings import settings as environment_settings
from localmem.store import Store
from localmem.upkeep import passphrase as passphrases

if TYPE_CHECKING:
    from localmem.upkeep.doctor import Finding

SUFFIX = ".db"
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def locate(memory: str | Path | None, settings: Settings) -> Path:
    """Path of a memory given by name or path; None: the one of the settings.

    Raises:
        UsageError: a name that cannot be one, or a path written as text that does not end in .db.
    """
    given = arguments.memory(settings.memory if memory is None else memory)
    try:
        path = Path(given).expanduser()
    except RuntimeError:
        raise UsageError(f"There is no home folder for {given}.", hint="Write the whole path.") from None
    if isinstance(memory, Path) or path.suffix == SUFFIX:
        return path
    if path.name != given:
        raise UsageError(
            f"{given} cannot be a memory: its path must end in {SUFFIX}.",
            hint=f"Write {given.rstrip('/')}{SUFFIX}, or a name without a slash.",
        )
    odd = any(c in '<>:"|?*\\' or "\ud800" <= c <= "\udfff" for c in given)
    # Control characters, and marks that turn the direction of a text around: nobody could type the name again.
    hidden = _HIDDEN.search(given) or given != given.strip()
    if not given or given.startswith((".", "-")) or odd or hidden:
        raise UsageError(
            f"{given!r} is no name for a memory.",
            hint=f"Use letters and digits, or a path that ends in {SUFFIX}.",
        )
    return settings.memories_dir / f"{given}{SUFFIX}"


def named(settings: Settings) -> list[Path]:
    """Files of the memories that have a name, by name; none is opened."""
    return sorted(settings.memories_dir.expanduser().glob(f"*{SUFFIX}"), key=lambda file: file.stem)


def open_store(memory: str | Path | None, settings: Settings, *, create: bool) -> Store | Path:
    """A memory that is there, opened; the path of one that is not, if it may be made.

    Raises:
        UsageError, StoreError: as `Memory.open`.
    """
    path = locate(memory, settings)
    if os.path.lexists(path):
        return Store.open(path, create=create, passphrase=lambda: passphrases.find(path, settings))
    if create:
        return path
    option = f" --memory {shlex.quote(str(memory))}" if memory is not None else ""
    names = [file.stem for file in named(settings)]
    there = f"There are: {', '.join(names[:20])}. Make another" if names else "Make one"
    raise StoreError(f"There is no memory at {path}.", hint=f"{there} with: localmem ingest FILE{option}")


def make_store(memory: str | Path, settings: Settings, *, passphrase: str | None) -> Path:
    """Make an empty memory; its path.

    Raises:
        UsageError, StoreError: as `Memory.new`.
    """
    path = locate(memory, settings)
    Store.make(path, passphrase)
    return path


def examine(
    memory: str | Path | None = None, *, settings: Settings | None = None, digests: bool = True
) -> Iterator[Finding]:
    """Look at engines, models, a memory and where they lie, one after the other; see `localmem.upkeep.doctor`.

    Args:
        memory: as for `Memory.open`; one that is not there is a fault if it is named.
        settings: None: those of the environment.
        digests: whether the models' files are read, which takes seconds a gigabyte.

    Raises:
        UsageError: a name or path that cannot be one.
    """
    from localmem.upkeep import doctor

    chosen = settings or environment_settings()
    path = locate(memory, chosen)

    def open_store() -> Store:
        return Store.open(path, create=False, passphrase=lambda: passphrases.find(path, chosen))

    return doctor.examine(path, chosen, needed=memory is not None, digests=digests, open_store=open_store)
