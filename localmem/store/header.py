"""What a memory's file and the logs beside it say of themselves, read before SQLite touches them.

SQLite folds in whatever log stands beside a file, also one of another database, and believes a file whose end is
missing. The layouts are at https://www.sqlite.org/fileformat2.html sections 1.3, 3 and 4.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

from localmem.errors import NotAMemoryError, StoreError
from localmem.store.engine_errors import DAMAGED_HINT
from localmem.store.schema import APPLICATION_ID

_MAGIC = b"SQLite format 3\0"
_FIELDS = struct.Struct(">16sHBBBBBBII12xI8xII4xI20xII")
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_JOURNAL_FIELDS = struct.Struct(">8s3I2I")
_WAL_MODE = 2


@dataclass(frozen=True, slots=True)
class Header:
    """The first 100 bytes of a memory."""

    page_size: int
    mode: int
    """1: a rollback journal, as a memory that is being made has it; 2: a write-ahead log."""
    pages: int
    """Length of the file in pages; 0 when the header does not know it."""
    user_version: int


def read_header(path: Path) -> Header | None:
    """The header of the memory at `path`; None if the file is empty.

    Raises:
        NotAMemoryError: the file is something else.
        StoreError: no file, a damaged header, or a file whose end is missing.
    """
    busy = _has_log(path)
    with path.open("rb") as file:
        start = file.read(_FIELDS.size)
        size = os.fstat(file.fileno()).st_size
    if not start:
        return None
    fields = _FIELDS.unpack(start.ljust(_FIELDS.size, b"\0"))
    magic, page_size, write, read, reserved, *fractions, changes, pages = fields[:10]
    layout, encoding, version, application, valid_for, _ = fields[10:]
    if magic != _MAGIC or application != APPLICATION_ID:
        raise NotAMemoryError(
            f"{path} is not a localmem memory.", hint="Name another file; this one was left as it is."
        )
    page_size = 65536 if page_size == 1 else page_size
    sound = page_size >= 512 and page_size & (page_size - 1) == 0 and write == read and write in (1, 2)
    if not sound or (reserved, fractions, layout, encoding) != (0, [64, 32, 32], 4, 1) or not version:
        raise StoreError(f"{path}: it is damaged.", hint=DAMAGED_HINT)
    pages = pages if changes == valid_for else 0
    # While there is a log, the file itself may be behind its header.
    if size < pages * page_size and not busy and not _has_log(path):
        raise StoreError(
            f"{path}: it is damaged: {pages * page_size - size:,} bytes are missing at its end.",
            hint=DAMAGED_HINT,
        )
    return Header(page_size, write, pages, version)


def beside(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps beside the file that `path` leads to."""
    real = path.resolve()
    return real.with_name(real.name + suffix)


def not_empty(path: Path) -> bool:
    """Whether there is a file with something in it."""
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def stray(path: Path, suffix: str) -> StoreError:
    """The error that says that the log is not of this memory."""
    log = beside(path, suffix)
    return StoreError(
        f"{path} cannot be opened: {log.name} beside it belongs to another database; nothing was changed.",
        hint=f"Move {log} somewhere else and run the command again.",
    )


def refuse_foreign_journal(path: Path, header: Header | None) -> None:
    """SQLite would play a rollback journal back into the file before anyone could look.

    Only a memory that is being made has one, or one that is just switched to a write-ahead log.

    Raises:
        StoreError: the journal is of another database.
    """
    journal = beside(path, "-journal")
    if header is None or header.mode != _WAL_MODE or not not_empty(journal):
        return
    with journal.open("rb") as file:
        start = file.read(_JOURNAL_FIELDS.size)
        if len(start) < _JOURNAL_FIELDS.size or start[:8] != _JOURNAL_MAGIC:
            return  # SQLite does not play it back either
        _, _, _, pages, sector, page_size = _JOURNAL_FIELDS.unpack(start)
        file.seek(sector)
        record = file.read(4 + _FIELDS.size)
    # A journal holds page 1 as it was, first of all when only the header changes.
    first = record[:4] == (1).to_bytes(4, "big")
    ours = first and record[4 + 68 : 4 + 72] == APPLICATION_ID.to_bytes(4, "big")
    if page_size != header.page_size or pages != (header.pages or pages) or not ours:
        raise stray(path, "-journal")


def _has_log(path: Path) -> bool:
    return not_empty(beside(path, "-wal")) or not_empty(beside(path, "-journal"))
