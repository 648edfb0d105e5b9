"""A memory is one private file, which opens as it was closed."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from localmem.errors import StoreError
from localmem.store import Store
from localmem.store.schema import APPLICATION_ID
from tests.store.opening import files
from tests.store.support import begin, texts


def test_what_was_written_is_there_after_closing(path: Path) -> None:
    with Store.open(path) as store:
        transcript = begin(store, "a", "b")
    with Store.open(path, create=False) as store:
        assert texts(store, transcript) == ["a", "b"]


def test_a_closed_memory_is_one_file_with_our_name_in_its_header(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, "a")
    [(name, content)] = files(path.parent).items()
    assert name == path.name
    assert content[68:72] == APPLICATION_ID.to_bytes(4, "big") == b"lmem"


def test_the_file_says_that_it_is_ours_as_soon_as_it_has_bytes(store: Store, path: Path) -> None:
    assert path.read_bytes()[68:72] == b"lmem"
    assert store.read_only is False


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_only_the_owner_may_read_it_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    before = os.umask(mask)
    try:
        with Store.open(folder / "memory.db") as store:
            begin(store, "a")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}


def test_missing_folders_are_made_private(tmp_path: Path) -> None:
    path = tmp_path / "some" / "folder" / "memory.db"
    Store.open(path).close()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name", ["with space.db", "a?b=c#d%20e.db", "ümläut 記憶.db", "quote'\".db", "b\udcff.db"]
)
def test_any_file_name_works(tmp_path: Path, name: str) -> None:
    with Store.open(tmp_path / name) as store:
        begin(store, "a")
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_link_leads_to_the_memory(tmp_path: Path) -> None:
    real, link = tmp_path / "real" / "memory.db", tmp_path / "link.db"
    Store.open(real).close()
    link.symlink_to(real)
    with Store.open(link) as store:
        begin(store, "a")
    with Store.open(real) as store:
        assert texts(store, 1) == ["a"]


def test_an_empty_file_that_becomes_a_memory_is_private_from_then_on(path: Path) -> None:
    path.touch(mode=0o644)
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_sound_file_has_no_faults_and_a_changed_one_has(store: Store) -> None:
    begin(store, "alpha", "beta")
    assert store.check() == []
    store._run("UPDATE turn SET text = 'gamma' WHERE id = 1")
    assert [fault.split()[3] for fault in store.check()] == ["turn_words", "window_words"]


def test_a_closed_store_says_so(path: Path) -> None:
    store = Store.open(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.stats()


def test_many_may_open_a_new_memory_at_once(path: Path) -> None:
    def use(number: int) -> int:
        with Store.open(path) as store:
            return store.add_transcript(f"talk {number}", "plain", "")

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(use, range(8))) == list(range(1, 9))
