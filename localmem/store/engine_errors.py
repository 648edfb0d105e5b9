"""SQLite's errors and the operating system's in our words: the one place that translates them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from localmem.errors import NotAMemoryError, StoreError
from localmem.store.cipher import errors

READ_ONLY_HINT = "Make the file and its folder writable for you, or use a copy."
DAMAGED_HINT = "Restore the file from a copy, or delete it and ingest the transcripts again."

_PRIMARY = 0xFF  # an extended result code has its primary code in the low byte

_Meaning = tuple[type[StoreError], str, str]

_FULL: _Meaning = (
    StoreError,
    "there is no room left on the disk; nothing was changed",
    "Free some space and run the command again.",
)
_BUSY: _Meaning = (
    StoreError,
    "another process has been writing to it for too long",
    "Wait until the other localmem is done, then run the command again.",
)

_MEANINGS: dict[int, _Meaning] = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,  # even reading needs room for the -shm file
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "the disk could not be read or written; nothing was changed",
        "Check the disk, its free space and your quota.",
    ),
    sqlite3.SQLITE_READONLY: (StoreError, "it is read-only", READ_ONLY_HINT),
    sqlite3.SQLITE_PERM: (StoreError, "permission denied", READ_ONLY_HINT),
    sqlite3.SQLITE_CANTOPEN: (
        StoreError,
        "it cannot be opened",
        "Check that the file and its folder exist and that you may read and write them.",
    ),
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PROTOCOL: (
        StoreError,
        "its lock cannot be taken",
        "Keep memories on a local disk: network folders often lack locks.",
    ),
    sqlite3.SQLITE_CORRUPT: (StoreError, "it is damaged", DAMAGED_HINT),
    sqlite3.SQLITE_NOTADB: (
        NotAMemoryError,
        "it is not a localmem memory",
        "Name another file; this one was left as it is.",
    ),
    sqlite3.SQLITE_NOMEM: (
        StoreError,
        "there is not enough working memory",
        "Close other programs and run the command again.",
    ),
    sqlite3.SQLITE_TOOBIG: (
        StoreError,
        "a text is too long to be stored",
        "Split the text into smaller turns.",
    ),
}
"""By extended or primary result code, https://www.sqlite.org/rescode.html"""


def damaged(path: Path, what: str = "") -> StoreError:
    """The error that says that the file holds what nobody has written."""
    return StoreError(f"{path}: it is damaged{what and ': '}{what}.", hint=DAMAGED_HINT)


def explain(error: Exception, path: Path) -> StoreError:
    """The error of ours that stands for `error`."""
    code = getattr(error, "sqlite_errorcode", 0)
    if str(error).startswith("Could not decode"):  # Python's own: it has no code, and quotes the text
        return damaged(path, "a text is no UTF-8")
    unforeseen = (
        StoreError,
        "SQLite says: " + " ".join(str(error).split()),
        "If it happens again, restore the file from a copy.",
    )
    kind, what, hint = _MEANINGS.get(code) or _MEANINGS.get(code & _PRIMARY) or unforeseen
    return kind(f"{path}: {what}.", hint=hint)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raises errors of SQLite and of the operating system inside the block as `StoreError`."""
    try:
        yield
    except errors() as error:
        raise explain(error, path) from error
    except UnicodeDecodeError as error:  # SQLite quotes what it cannot read, and Python cannot read the quote
        raise damaged(path) from error
    except OSError as error:
        raise StoreError(
            f"{path}: {error.strerror or error}.",
            hint="Check that the folder exists and that you may read and write it.",
        ) from error


def sqlite_version() -> str:
    """Version of the SQLite that Python has.

    Raises:
        StoreError: it was built without what a memory needs.
    """
    with translated(Path(":memory:")):
        connection = sqlite3.connect(":memory:")
        try:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61')")
            connection.execute("SELECT value FROM json_each('[1]')").fetchone()
        except sqlite3.Error as error:
            raise StoreError(
                f"SQLite {sqlite3.sqlite_version} lacks what a memory needs: {error}.",
                hint="Use a Python whose SQLite has FTS5 and JSON; that of python.org and of every distribution has.",
            ) from None
        finally:
            connection.close()
    return sqlite3.sqlite_version
