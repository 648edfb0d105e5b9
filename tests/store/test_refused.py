"""What is no memory, or a damaged one, is refused and left as it is."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from localmem.errors import NewerSchemaError, NotAMemoryError, StoreError
from localmem.store import Store
from localmem.store.schema import MIGRATIONS
from tests.store.opening import refused
from tests.store.support import begin, texts


def test_a_missing_memory_is_named_and_no_folder_is_made(tmp_path: Path) -> None:
    error = refused(tmp_path / "none" / "memory.db", StoreError, create=False)
    assert "There is no memory" in str(error)
    assert not (tmp_path / "none").exists()


def test_an_empty_file_becomes_a_memory_only_when_asked(path: Path) -> None:
    path.touch()
    refused(path, StoreError, create=False)
    with Store.open(path) as store:
        assert store.stats().turns == 0


def test_a_folder_is_not_a_memory(tmp_path: Path) -> None:
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(tmp_path / "folder.db")


@pytest.mark.parametrize("create", [False, True])
def test_a_link_that_leads_to_nothing_is_told(tmp_path: Path, create: bool) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "nothing.db")
    with pytest.raises(StoreError, match="a link that leads to nothing"):
        Store.open(tmp_path / "link.db", create=create)
    assert [file.name for file in tmp_path.iterdir()] == ["link.db"]


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file" / "memory.db", StoreError)


@pytest.mark.parametrize("content", [b"hello", b"x" * 5000, b"SQLite format 3\0", b"\0" * 200])
def test_a_file_that_is_not_sqlite_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path, NotAMemoryError)


@pytest.mark.parametrize("application_id", [0, 1234])
def test_a_database_of_someone_else_is_left_alone(path: Path, application_id: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {application_id}")
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()
    refused(path, NotAMemoryError)


def test_a_newer_schema_is_left_alone(path: Path) -> None:
    Store.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    assert "Upgrade" in refused(path, NewerSchemaError).hint


def test_a_file_whose_end_is_missing_is_refused_before_anything_is_written(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, *(f"turn {n}" for n in range(500)))
    size = path.stat().st_size
    for left in (size - 1, size - 4096, 4096, 200):
        os.truncate(path, left)
        error = refused(path, StoreError)
        assert f"it is damaged: {size - left:,} bytes are missing" in str(error)


@pytest.mark.parametrize("place", [16, 18, 19, 20, 21, 44, 56])
def test_a_damaged_header_is_told_as_damage(path: Path, place: int) -> None:
    Store.open(path).close()
    content = bytearray(path.read_bytes())
    content[place] ^= 0x55
    path.write_bytes(content)
    assert "it is damaged" in str(refused(path, StoreError))


def test_a_pipe_or_a_device_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    for path in (tmp_path / "pipe.db", Path(os.devnull)):
        with pytest.raises(StoreError, match="a pipe, a socket or a device") as caught:
            Store.open(path)
        assert caught.value.hint


def test_a_damaged_file_is_told(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, *(f"turn {n}" for n in range(500)))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    with pytest.raises(StoreError, match="damaged") as caught, Store.open(path) as store:
        store.turns([1])
    assert caught.value.hint


def test_a_truncated_file_is_told(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, *(f"turn {n}" for n in range(500)))
    os.truncate(path, 8192)
    with pytest.raises(StoreError, match="damaged"), Store.open(path) as store:
        texts(store, 1)
