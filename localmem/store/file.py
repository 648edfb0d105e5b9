"""Opens the file of a memory: checks that it is ours, creates it, brings its schema up to date."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from localmem.errors import NewerSchemaError, NotAMemoryError, PassphraseError, StoreError
from localmem.store import cipher
from localmem.store.engine_errors import READ_ONLY_HINT, translated
from localmem.store.header import beside, not_empty, read_header, refuse_foreign_journal, stray
from localmem.store.schema import APPLICATION_ID, MIGRATIONS

BUSY_SECONDS = 60.0
"""How long a writer waits for another one."""
_MODE = 0o600


@dataclass(frozen=True, slots=True)
class Opened:
    """The file of a memory, open."""

    connection: sqlite3.Connection
    """In autocommit mode; of an encrypted memory, SQLCipher's, which has the same interface."""
    read_only: bool
    encrypted: bool


def open_file(path: Path, *, create: bool, passphrase: Callable[[], str] | None = None) -> Opened:
    """Open the memory at `path`.

    Args:
        path: of the file.
        create: whether it may be made.
        passphrase: called only if the file looks like an encrypted memory.

    Raises:
        PassphraseError: the memory is encrypted, and there is no passphrase, or it is another one.
        NotAMemoryError: the file is something else; it is left as it is.
        NewerSchemaError: a newer localmem wrote it; it is left as it is.
        StoreError: missing (and not `create`), a folder, not accessible, damaged, locked, disk full.
    """
    with translated(path):
        known = _check(path, create=create)
        key = None if known is not None else _passphrase(path, passphrase)
        # SQLite puts the -wal and -shm files beside the file that a link leads to.
        writable = os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)
        if writable and known and not_empty(beside(path, "-wal")):
            # One that only reads never folds the log in, not even when it closes.
            with closing(_connect(path, "mode=ro")) as looking:
                _refuse_foreign(looking, path, known)
                _refuse_other_memory(looking, path)
        connection = _connect(path, "mode=rw", key) if writable else _connect_to_read(path, key)
        try:
            if key is not None:
                _refuse_other_kind(connection, path)
            _refuse_foreign(connection, path, known or 0)
            _bring_up_to_date(connection, path, writable=writable)
        except BaseException:
            connection.close()
            raise
    return Opened(connection, not writable, key is not None)


def make_file(path: Path, passphrase: str | None) -> None:
    """Make an empty memory, encrypted if there is a passphrase: whole, or not at all.

    Raises:
        StoreError: there is something at `path` already, SQLCipher is not installed, the disk is full, ...
        UsageError: a passphrase that cannot be one.
    """
    if passphrase is not None:
        cipher.check(passphrase)
        cipher.library(path)
    there = StoreError(f"{path} is there already.", hint="Choose another name.")
    with translated(path):
        if os.path.lexists(path):
            raise there
        # Elsewhere first: an empty file in its place would be taken for a new memory in plain text, and what a
        # full disk left of it would be in the way of the next try.
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".new-memory.", dir=path.parent) as folder:
            new = Path(folder) / path.name
            _make(new)
            with closing(_connect(new, "mode=rw", passphrase)) as connection:
                migrate(connection)
                _use_wal(connection)
            try:
                os.link(new, path)
            except FileExistsError:
                raise there from None
            except OSError:  # a disk without hard links
                new.replace(path)


def _passphrase(path: Path, ask: Callable[[], str] | None) -> str:
    cipher.library(path)
    if ask is None:
        raise PassphraseError(
            f"{path} is encrypted.", hint="Set LOCALMEM_PASSPHRASE, or open it with a passphrase."
        )
    return cipher.check(ask())


def _check(path: Path, *, create: bool) -> int | None:
    """Sees to it that `path` is a memory or an empty file, without letting SQLite touch a file of others.

    Returns:
        The schema's version; 0: an empty file, or one whose last change may be taken back; None: it may be an
        encrypted memory.
    """
    if create and not path.exists():
        _make(path)
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise StoreError(
                f"{path} is a link that leads to nothing.", hint="Remove the link, or name another memory."
            ) from None
        raise _missing(path) from None
    if not stat.S_ISREG(kind):  # opening a pipe would wait for its other end
        what = "a folder" if stat.S_ISDIR(kind) else "no file but a pipe, a socket or a device"
        raise StoreError(
            f"{path} is {what}.", hint="A memory is a file; name one, e.g. one that ends in .db."
        )
    if cipher.looks_encrypted(path):
        return None
    header = read_header(path)
    if header is None:
        if not create:
            raise _missing(path)
        with suppress(PermissionError):  # it is someone else's, who said who may read it
            path.chmod(_MODE)
        return 0
    _refuse_newer(path, header.user_version)
    refuse_foreign_journal(path, header)
    # A memory that is being made, by a process that was killed maybe: SQLite takes back what it did not finish.
    return 0 if not_empty(beside(path, "-journal")) else header.user_version


def _missing(path: Path) -> StoreError:
    return StoreError(f"There is no memory at {path}.", hint="Make one with: localmem ingest FILE")


def _refuse_foreign(connection: sqlite3.Connection, path: Path, known: int) -> None:
    """Whoever reads the file through its log must find the memory that the file alone says it is.

    Args:
        connection: to the file.
        path: of the file.
        known: schema's version according to the file alone; 0: it does not say.

    Raises:
        StoreError: the log is of another database.
    """
    connection.execute("BEGIN")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    version = _version(connection)
    connection.execute("COMMIT")
    if (pages or known) and (application != APPLICATION_ID or not version or version < known):
        raise stray(path, "-wal")
    _refuse_newer(path, version)


def _refuse_other_kind(connection: sqlite3.Connection, path: Path) -> None:
    """An encrypted file says what it is only through its key.

    Raises:
        NotAMemoryError: it is a database of something else.
    """
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise NotAMemoryError(
            f"{path} is an encrypted database, but not a localmem memory.",
            hint="Name another file; this one was left as it is.",
        )


def _refuse_other_memory(connection: sqlite3.Connection, path: Path) -> None:
    """The log of another memory has a first page like ours.

    Args:
        connection: reads the file through its log.
        path: of the file.

    Raises:
        StoreError: the log is of another memory.
    """
    own = None
    # Without the log. What is just being written, or damaged, tells nothing.
    with suppress(sqlite3.DatabaseError), closing(_connect(path, "mode=ro&immutable=1")) as alone:
        own = _identity(alone)
    if own is not None and _identity(connection) != own:
        raise stray(path, "-wal")


def _identity(connection: sqlite3.Connection) -> str | None:
    """Which memory it is; None: an older localmem made it."""
    row = connection.execute("SELECT value FROM stamp WHERE what = 'memory'").fetchone()
    return None if row is None else str(row[0])


def _make(path: Path) -> None:
    """An empty file that only its owner may read; SQLite gives its mode to the -wal and -shm files.

    It stays when the disk is too full to go on: another process may have opened it, and an empty file is
    taken for a new memory.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE)
    except FileExistsError:  # another process was faster
        return
    try:
        os.fchmod(descriptor, _MODE)
    finally:
        os.close(descriptor)


def _connect(path: Path, query: str, key: str | None = None) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{query}"
    options: dict[str, Any] = {
        "timeout": BUSY_SECONDS,
        "isolation_level": None,
        "check_same_thread": False,
    }
    connection: sqlite3.Connection
    if key is None:
        connection = sqlite3.connect(uri, uri=True, **options)
    else:
        connection = cipher.connect(path, uri, key, **options)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # In WAL mode NORMAL loses at most the last transactions, whole, and only when the power goes: a
        # killed process loses none. An ingest that is run again brings them back, so waiting for the disk
        # at every commit buys nothing.
        connection.execute("PRAGMA synchronous = NORMAL")
        # What people said must not spill into temporary files elsewhere.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA journal_size_limit = {64 << 20}")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # touches the file, or fails
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_to_read(path: Path, key: str | None) -> sqlite3.Connection:
    """For a file or folder that we may not write.

    Reading in WAL mode needs the -wal and -shm files, or the right to make them. Without both, a log that
    is absent or empty means that the file itself is complete, and SQLite may read it alone.
    """
    try:
        return _connect(path, "mode=ro", key)
    except cipher.errors("OperationalError"):
        log = beside(path, "-wal")
        if not_empty(log):
            raise StoreError(
                f"{path} cannot be read: its latest changes are in {log.name}, and the folder is read-only.",
                hint="Copy both files to a folder that you can write.",
            ) from None
        return _connect(path, "mode=ro&immutable=1", key)


def _bring_up_to_date(connection: sqlite3.Connection, path: Path, *, writable: bool) -> None:
    version = _version(connection)
    _refuse_newer(path, version)
    if not writable:
        if version < len(MIGRATIONS):
            raise StoreError(
                f"{path} was written by an older localmem and is read-only, so it cannot be brought up to date.",
                hint=READ_ONLY_HINT,
            )
        return
    migrate(connection)
    # After the first migration, so that the file's own header says that it is ours before any log exists.
    _use_wal(connection)


def migrate(connection: sqlite3.Connection) -> None:
    """Run the migrations that the file has not seen, each in a transaction with its number."""
    while _version(connection) < len(MIGRATIONS):
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = _version(connection)  # another process may have been faster
            if version < len(MIGRATIONS):
                for statement in MIGRATIONS[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch a new file to WAL; SQLite does not wait by itself when two processes do this at once."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                return
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except cipher.errors("OperationalError") as error:
            if (
                getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY
                or time.monotonic() > deadline
            ):
                raise
            time.sleep(0.01)


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _refuse_newer(path: Path, version: int) -> None:
    if version > len(MIGRATIONS):
        raise NewerSchemaError(
            f"{path} was written by a newer localmem (schema {version}; this one knows {len(MIGRATIONS)}).",
            hint="Upgrade localmem: pip install --upgrade localmem",
        )
