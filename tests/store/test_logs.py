"""Logs and journals beside a file: whose they are, and which are folded in."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from localmem.errors import NewerSchemaError, NotAMemoryError, StoreError
from localmem.store import Store
from localmem.store.schema import MIGRATIONS
from tests.store.opening import refused
from tests.store.support import begin, texts


def test_the_log_of_someone_else_is_not_folded_in(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    try:
        refused(path, NotAMemoryError)
    finally:
        connection.close()


def test_the_log_of_a_newer_localmem_is_not_folded_in(path: Path, tmp_path: Path) -> None:
    """As its killed process left them: the file, and a log beside it."""
    Store.open(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO meta VALUES ('colour', 'red')")
    left = tmp_path / "left" / "memory.db"
    left.parent.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
    connection.close()
    refused(left, NewerSchemaError)


def logs(folder: Path, kind: str) -> Path:
    """A log as the killed process of someone else leaves it beside its database."""
    theirs = folder / "theirs" / "other.db"
    theirs.parent.mkdir()
    connection = sqlite3.connect(theirs, isolation_level=None)
    connection.execute("PRAGMA page_size = 1024" if kind == "pages of another size" else "SELECT 1")
    if kind == "journal":
        connection.execute("CREATE TABLE theirs (x)")
        connection.execute("PRAGMA cache_size = 1")  # writes and syncs the journal early
        connection.execute("BEGIN")
        connection.execute("PRAGMA user_version = 7")
        rows = ((b"x" * 3000,) for _ in range(50))
        connection.executemany("INSERT INTO theirs VALUES (?)", rows)
    else:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE theirs (x)")
    suffix = "-journal" if kind == "journal" else "-wal"
    copy = folder / f"left{suffix}"
    shutil.copy(f"{theirs}{suffix}", copy)
    connection.close()
    assert copy.stat().st_size > 1000
    return copy


@pytest.mark.parametrize("kind", ["log", "pages of another size", "journal"])
def test_a_log_of_another_database_beside_a_memory_is_never_folded_in(
    tmp_path: Path, path: Path, kind: str
) -> None:
    with Store.open(path) as store:
        begin(store, "a", "b")
    stray = logs(tmp_path, kind)
    log = stray.rename(f"{path}{stray.name.removeprefix('left')}")
    before = path.read_bytes(), log.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreError, match="belongs to another database; nothing was changed") as caught:
            Store.open(path)
        assert f"Move {log}" in caught.value.hint
        assert (path.read_bytes(), log.read_bytes()) == before
    log.rename(tmp_path / "elsewhere")
    with Store.open(path) as store:
        assert texts(store, 1) == ["a", "b"]
        assert store.check() == []


def test_the_log_of_another_memory_is_never_folded_in(tmp_path: Path, path: Path) -> None:
    with Store.open(path) as store:
        begin(store, "a", "b")
    log = Path(f"{path}-wal")
    with Store.open(tmp_path / "other.db") as other:
        begin(other, "c", "d")
        shutil.copy(f"{other.path}-wal", log)
    before = path.read_bytes(), log.read_bytes()
    with pytest.raises(StoreError, match="belongs to another database; nothing was changed"):
        Store.open(path)
    assert (path.read_bytes(), log.read_bytes()) == before


def test_an_empty_file_beside_the_log_of_another_database_becomes_a_new_memory(
    tmp_path: Path, path: Path
) -> None:
    logs(tmp_path, "log").rename(f"{path}-wal")
    with Store.open(path) as store:
        begin(store, "a")
        assert store.check() == []


def test_the_log_of_a_killed_process_is_folded_in(path: Path, tmp_path: Path) -> None:
    left = tmp_path / "left.db"
    with Store.open(path) as store:
        begin(store, "a", "b")
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
    with Store.open(left) as store:
        assert texts(store, 1) == ["a", "b"]


def test_what_a_killed_process_had_not_finished_making_is_taken_back(path: Path) -> None:
    """Its header says that it is a memory, and its journal that it is none yet."""
    whole = path.with_name("whole.db")
    connection = sqlite3.connect(whole, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")  # pages go to the file before the end of the transaction
    connection.execute("BEGIN")
    for statement in (*MIGRATIONS[0], "PRAGMA user_version = 1"):
        connection.execute(statement)
    connection.executemany("INSERT INTO meta VALUES (?, ?)", ((f"{n}", "x" * 900) for n in range(50)))
    shutil.copy(f"{whole}-journal", f"{path}-journal")
    connection.execute("COMMIT")
    connection.close()
    shutil.copy(whole, path)
    with Store.open(path) as store:
        assert store.check() == []
        assert store.meta("1") is None
