"""The turns of the tasks in the file."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from localmem.errors import StoreError
from localmem.store import Store, TaskTurn
from localmem.store import file as store_file
from localmem.store.schema import MIGRATIONS
from tests.store.support import begin, texts

AT = datetime(2025, 3, 4, 9, 30, 1, 5, timezone(timedelta(hours=2)))


def turn(number: int, *operations: tuple[str, dict[str, object]], undoes: int | None = None) -> TaskTurn:
    return TaskTurn(number, AT, f"said {number}", "", undoes, operations)


def test_turns_come_back_as_they_were_given(store: Store) -> None:
    given = [
        turn(2, ("add", {"slot": "ünï", "dependencies": [1, 2]}), ("done", {})),
        turn(5, undoes=2),
        turn(6),
    ]
    for one in given:
        store.add_task_turn(one)
    assert store.task_turns() == given
    assert store.task_turns(5) == given[:2]
    assert store.task_turns(1) == []


@pytest.mark.parametrize("number", [0, 3, 4])
def test_turns_only_go_forward(store: Store, number: int) -> None:
    store.add_task_turn(turn(4))
    with pytest.raises(StoreError, match=f"Turn {number} of the tasks cannot follow turn 4"):
        store.add_task_turn(turn(number))
    assert [one.turn for one in store.task_turns()] == [4]


def test_a_turn_is_undone_once_and_only_if_it_is_there(store: Store) -> None:
    store.add_task_turn(turn(1))
    store.add_task_turn(turn(2, undoes=1))
    for wrong in (1, 3, 9):
        with pytest.raises(StoreError):
            store.add_task_turn(turn(3, undoes=wrong))
    assert len(store.task_turns()) == 2
    assert store.check() == []


def test_a_reply_is_filled_in(store: Store) -> None:
    store.add_task_turn(turn(1))
    store.set_task_reply(1, "fine")
    assert store.task_turns()[0].reply == "fine"
    with pytest.raises(StoreError, match="no turn 2"):
        store.set_task_reply(2, "fine")


def test_every_change_has_another_stamp(store: Store) -> None:
    stamps = [store.stamp("tasks")]
    store.add_task_turn(turn(1))
    stamps.append(store.stamp("tasks"))
    store.set_task_reply(1, "fine")
    stamps.append(store.stamp("tasks"))
    assert len(set(stamps)) == 3


def test_tasks_leave_the_stamps_of_the_vectors_alone(store: Store) -> None:
    before = store.stamp("turns"), store.stamp("threads")
    store.add_task_turn(turn(1))
    assert (store.stamp("turns"), store.stamp("threads")) == before


def test_a_memory_from_before_the_tasks_gets_their_tables(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(store_file, "MIGRATIONS", MIGRATIONS[:1])
        with Store.open(path) as old:
            transcript = begin(old, "a", "b")
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()
    with Store.open(path) as store:
        assert texts(store, transcript) == ["a", "b"]
        assert store.task_turns() == []
        store.add_task_turn(turn(1))
        assert store.check() == []
