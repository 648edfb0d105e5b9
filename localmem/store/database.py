"""A connection with transactions, snapshots and our errors; the tables' methods stand on it."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from localmem.errors import StoreError
from localmem.store.engine_errors import READ_ONLY_HINT, damaged, translated
from localmem.store.file import Opened, make_file, open_file
from localmem.store.rows import Row

_CHUNK = 4096  # rows fetched at once

Kinds = tuple[Any, ...]
"""What each column of a row is: a class, or several as in ``str | None``."""


class Database:
    """One open memory file, for the thread that opened it: a transaction of one thread would take in the writes of another."""

    path: Path
    read_only: bool
    encrypted: bool
    closed: bool

    def __init__(self, path: Path, opened: Opened) -> None:
        """Use `open`."""
        self.path = path
        self.read_only = opened.read_only
        self.encrypted = opened.encrypted
        self._opened = opened.connection
        self._thread = threading.get_ident()
        self._depth = 0
        self.closed = False

    @classmethod
    def open(cls, path: Path, *, create: bool = True, passphrase: Callable[[], str] | None = None) -> Self:
        """Open the memory at `path`; make the file and its folder if they are missing and `create` is true.

        A file or folder that cannot be written is opened for reading (`read_only` is true then).

        Args:
            path: of the file.
            create: False: a memory that is not there is an error.
            passphrase: called only if the file looks like an encrypted memory.

        Raises:
            PassphraseError: the memory is encrypted, and there is no passphrase, or it is another one.
            NotAMemoryError: the file is something else; it is left as it is.
            NewerSchemaError: a newer localmem wrote it; it is left as it is.
            StoreError: missing (and not `create`), a folder, not accessible, damaged, locked, disk full.
        """
        return cls(path, open_file(path, create=create, passphrase=passphrase))

    @staticmethod
    def make(path: Path, passphrase: str | None = None) -> None:
        """Make an empty memory, which only that passphrase opens if there is one; whole, or not at all.

        Raises:
            StoreError: there is something at `path` already, SQLCipher is not installed, the disk is full, ...
            UsageError: a passphrase that cannot be one.
        """
        make_file(path, passphrase)

    def close(self) -> None:
        """Close the file; again does nothing."""
        with translated(self.path):
            self._opened.close()
        self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes of the block, or none: an exception undoes them.

        Waits for other writers. Used inside another transaction it joins that one: what it wrote is undone
        when it fails, and when the outer one fails.

        Raises:
            StoreError: the file is read-only, locked for too long, the disk is full, ...
            RuntimeError: inside a `snapshot`.
        """
        if self._depth == 0 and self._in_transaction():
            raise RuntimeError("a snapshot only reads: begin the transaction outside of it")
        begin, commit, undo = "BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"]
        if self._depth:
            begin, commit, undo = "SAVEPOINT inner", "RELEASE inner", ["ROLLBACK TO inner", "RELEASE inner"]
        self._run(begin)
        self._depth += 1
        try:
            yield
            self._run(commit)
        except BaseException:
            if self._in_transaction():  # SQLite itself rolls back when the disk is full
                for statement in undo:
                    self._run(statement)
            raise
        finally:
            self._depth -= 1

    def refuse_read_only(self) -> None:
        """Say early that nothing can be written.

        Raises:
            StoreError: nothing can.
        """
        if self.read_only:
            raise StoreError(f"{self.path}: it is read-only.", hint=READ_ONLY_HINT)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads of the block see one state, whatever others write meanwhile."""
        if self._in_transaction():
            yield
            return
        self._run("BEGIN")
        try:
            yield
        finally:
            if self._in_transaction():
                self._run("COMMIT")

    def _bytes(self) -> int:
        real = self.path.resolve()
        files = [real.with_name(real.name + suffix) for suffix in ("", "-wal", "-shm")]
        return sum(file.stat().st_size for file in files if file.exists())

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection.

        Raises:
            StoreError: this is another thread than the one that opened the file.
        """
        if threading.get_ident() != self._thread:
            raise StoreError(
                f"{self.path} was opened by another thread.",
                hint="Open the memory in each thread that uses it, or use it in one.",
            )
        return self._opened

    def _in_transaction(self) -> bool:
        with translated(self.path):
            return self._connection.in_transaction

    def _run(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        self._refuse_lost()
        with translated(self.path):
            return self._connection.execute(sql, values)

    def _run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        self._refuse_lost()
        with translated(self.path):
            self._connection.executemany(sql, rows)

    def _refuse_lost(self) -> None:
        """Someone caught the error that undid the transaction: going on would write half of it."""
        if self._depth and not self._in_transaction():
            raise StoreError(
                f"{self.path}: an earlier error undid the whole transaction.",
                hint="Mend what that error names and run the command again.",
            )

    def _rows(self, kinds: Kinds, sql: str, values: Sequence[object] = ()) -> list[Row]:
        return [row for chunk in self._chunks(kinds, sql, values) for row in chunk]

    def _row(self, kinds: Kinds, sql: str, values: Sequence[object] = ()) -> Row | None:
        rows = self._rows(kinds, sql, values)
        return rows[0] if rows else None

    def _value(self, sql: str, values: Sequence[object] = ()) -> int:
        [(value,)] = self._rows((int,), sql, values)
        return int(value)

    def _chunks(self, kinds: Kinds, sql: str, values: Sequence[object] = ()) -> Iterator[list[Row]]:
        """Rows, some at a time. SQLite does not check on reading that a column is what the schema says.

        Raises:
            StoreError: a row has other kinds of values, ...
        """
        with translated(self.path):
            cursor = self._connection.execute(sql, values)
        while True:
            with translated(self.path):
                rows = cursor.fetchmany(_CHUNK)
            if not rows:
                return
            for found in {tuple(map(type, row)) for row in rows}:
                if not all(map(issubclass, found, kinds)):
                    raise damaged(self.path)
            yield rows


def listed(ids: Iterable[int]) -> str:
    """`ids` as one value for ``IN (SELECT value FROM json_each(?))``, which knows no limit of placeholders."""
    return json.dumps([int(id) for id in ids])


def in_order(found: dict[int, Row], ids: Sequence[int], what: str) -> list[Row]:
    """The rows of `ids`, in that order.

    Raises:
        StoreError: one of them was not found.
    """
    try:
        return [found[int(id)] for id in ids]
    except KeyError as error:
        raise StoreError(
            f"There is no {what} {error.args[0]} in this memory.",
            hint="It was replaced meanwhile; run the command again.",
        ) from None
