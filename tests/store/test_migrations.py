"""Older files brought up to date."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from localmem.errors import StoreError
from localmem.store import Store
from localmem.store import file as store_file
from localmem.store.schema import MIGRATIONS
from tests.store.support import begin, texts


def schema(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    finally:
        connection.close()


NEXT = (
    *MIGRATIONS,
    ("ALTER TABLE transcript ADD COLUMN colour TEXT", "CREATE INDEX by_name ON transcript (name)"),
)


def test_a_migrated_file_has_the_schema_of_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for count in range(1, len(NEXT) + 1):
        monkeypatch.setattr(store_file, "MIGRATIONS", NEXT[:count])
        Store.open(tmp_path / "step by step.db").close()
    Store.open(tmp_path / "fresh.db").close()
    assert schema(tmp_path / "step by step.db") == schema(tmp_path / "fresh.db")
    assert any("colour" in (sql or "") for _, sql in schema(tmp_path / "fresh.db"))


def test_a_migration_keeps_what_is_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path) as store:
        transcript = begin(store, "a", "b")
    monkeypatch.setattr(store_file, "MIGRATIONS", NEXT)
    with Store.open(path) as store:
        assert texts(store, transcript) == ["a", "b"]
        assert store.check() == []


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(path).close()
    before = schema(path)
    broken = (*MIGRATIONS, ("ALTER TABLE transcript ADD COLUMN colour TEXT", "CREATE NONSENSE"))
    with monkeypatch.context() as patch:
        patch.setattr(store_file, "MIGRATIONS", broken)
        with pytest.raises(StoreError):
            Store.open(path)
    assert schema(path) == before
    Store.open(path).close()


def test_an_older_file_that_is_read_only_says_why_it_cannot_be_used(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(path).close()
    monkeypatch.setattr(store_file, "MIGRATIONS", NEXT)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match="older localmem and is read-only"):
        Store.open(path)
