"""A disk that is full, a file that may not grow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from localmem.errors import StoreError
from localmem.store import Store
from tests.store.support import begin, new_turns, texts


def test_a_full_disk_is_told_and_nothing_is_changed(store: Store) -> None:
    transcript = begin(store, "a", "b")
    pages = store._value("PRAGMA page_count")
    store._run(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="no room left") as caught:
        store.add_turns(transcript, new_turns(*(f"turn {n}" for n in range(2000))), after=None)
    assert caught.value.hint
    store._run("PRAGMA max_page_count = 1000000")
    assert texts(store, transcript) == ["a", "b"]
    assert store.check() == []
    store.add_turns(transcript, new_turns("c"), after=None)
    assert texts(store, transcript) == ["a", "b", "c"]


def test_a_transaction_undone_by_a_full_disk_cannot_go_on(store: Store) -> None:
    transcript = begin(store, "a")
    store._run(f"PRAGMA max_page_count = {store._value('PRAGMA page_count') + 2}")
    with pytest.raises(StoreError, match="undid the whole transaction"), store.transaction():
        store.set_meta("colour", "red")
        with pytest.raises(StoreError, match="no room left"):
            store.add_turns(transcript, new_turns(*(f"turn {n}" for n in range(2000))), after=None)
        store.set_meta("shape", "round")
    assert (store.meta("colour"), store.meta("shape")) == (None, None)
    assert texts(store, transcript) == ["a"]


UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
from localmem.errors import StoreError
from localmem.store import Store
from tests.store.support import new_turns
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
try:
    with Store.open(Path(sys.argv[1])) as store:
        store.add_turns(1, new_turns(*(f"turn {n}" for n in range(5000))), after=None)
except StoreError as error:
    print(error, "|", error.hint)
"""


def test_a_file_that_may_not_grow_is_told_and_keeps_what_it_has(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, "a", "b")
    run = subprocess.run(
        [sys.executable, "-c", UNDER_A_LIMIT, str(path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert run.stderr == ""
    assert "the disk could not be read or written; nothing was changed" in run.stdout
    with Store.open(path) as store:
        assert texts(store, 1) == ["a", "b"]
        assert store.check() == []
