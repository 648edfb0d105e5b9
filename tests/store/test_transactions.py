from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from localmem.errors import StoreError
from localmem.store import Store, file
from tests.store.support import begin, new_thread, new_turns, texts


def test_an_exception_undoes_the_whole_block(store: Store) -> None:
    transcript = begin(store, "a")
    with pytest.raises(KeyboardInterrupt), store.transaction():
        store.add_turns(transcript, new_turns("b"), after=None)
        store.replace_threads(transcript, 0, [new_thread(0, 1)])
        store.set_meta("colour", "red")
        raise KeyboardInterrupt
    assert texts(store, transcript) == ["a"]
    assert (store.all_threads(), store.meta("colour")) == ([], None)


def test_an_outer_block_undoes_finished_inner_ones(store: Store) -> None:
    transcript = begin(store, "a")
    with pytest.raises(ZeroDivisionError), store.transaction():
        with store.transaction(), store.transaction():
            store.add_turns(transcript, new_turns("b"), after=None)
        raise ZeroDivisionError
    assert texts(store, transcript) == ["a"]


def test_an_inner_block_that_failed_leaves_nothing_when_the_outer_one_goes_on(store: Store) -> None:
    transcript = begin(store, "a")
    with store.transaction():
        store.add_turns(transcript, new_turns("b"), after=None)
        with pytest.raises(ZeroDivisionError), store.transaction():
            store.add_turns(transcript, new_turns("c"), after=None)
            raise ZeroDivisionError
        store.add_turns(transcript, new_turns("d"), after=None)
    assert texts(store, transcript) == ["a", "b", "d"]
    assert store.check() == []


def test_others_see_a_transaction_when_it_is_done(store: Store, path: Path) -> None:
    transcript = begin(store, "a")
    with Store.open(path) as other:
        with store.transaction():
            store.add_turns(transcript, new_turns("b"), after=None)
            assert texts(other, transcript) == ["a"]
        assert texts(other, transcript) == ["a", "b"]


def test_a_snapshot_sees_one_state_while_others_write(store: Store, path: Path) -> None:
    transcript = begin(store, "a")
    with Store.open(path) as other:
        with store.snapshot(), store.snapshot():
            assert texts(store, transcript) == ["a"]
            other.add_turns(transcript, new_turns("b"), after=None)
            assert texts(store, transcript) == ["a"]
        assert texts(store, transcript) == ["a", "b"]


def test_a_snapshot_cannot_write(store: Store) -> None:
    transcript = begin(store, "a")
    with store.snapshot(), pytest.raises(RuntimeError, match="only reads"):
        store.add_turns(transcript, new_turns("b"), after=None)
    assert texts(store, transcript) == ["a"]


def test_a_transaction_may_read_through_snapshots(store: Store) -> None:
    transcript = begin(store, "a")
    with store.transaction():
        store.add_turns(transcript, new_turns("b"), after=None)
        with store.snapshot():
            assert texts(store, transcript) == ["a", "b"]
    assert texts(store, transcript) == ["a", "b"]


def test_a_writer_that_waited_too_long_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "BUSY_SECONDS", 0.0)
    with Store.open(path) as one, Store.open(path) as two, one.transaction():
        one.set_meta("colour", "red")
        assert two.meta("colour") is None
        with pytest.raises(StoreError, match="another process") as caught:
            two.set_meta("colour", "blue")
    assert "Wait" in caught.value.hint


def test_another_thread_is_told_to_open_the_memory_itself(store: Store, path: Path) -> None:
    begin(store, "a")

    def use() -> list[str]:
        for action in (store.transcripts, store.stats, lambda: store.set_meta("colour", "red")):
            with pytest.raises(StoreError, match="opened by another thread") as caught:
                action()
            assert "Open the memory in each thread" in caught.value.hint
        with Store.open(path) as own:
            return texts(own, 1)

    with ThreadPoolExecutor(1) as pool, store.transaction():
        store.set_meta("shape", "round")
        assert pool.submit(use).result() == ["a"]
    assert (store.meta("colour"), store.meta("shape")) == (None, "round")
