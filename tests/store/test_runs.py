"""Runs of the agent in the file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from localmem.errors import AgentError, StoreError
from localmem.store import RunRow, StepRow, Store, SubgoalRow
from localmem.values import Usage

AT = datetime(2025, 6, 1, 9, 30, tzinfo=UTC)
RUN = RunRow(0, AT, "ünï goal", {"kind": "memory"}, {"max_steps": 30}, "tiny", "running", 0.0)


def step(number: int, subgoal: int = 1) -> StepRow:
    usage = Usage(100, 20, 8, 0, 2)
    return StepRow(
        number,
        subgoal,
        "act",
        f"do {number}",
        "Done.",
        number % 2 == 1,
        number / 4,
        f"s{number}",
        "{}",
        usage,
        60,
        0.5,
    )


def test_a_run_comes_back_as_it_was_given(store: Store) -> None:
    id = store.add_run(RUN)
    store.add_subgoal(id, SubgoalRow(1, "first"))
    for number in (1, 2):
        store.add_step(id, step(number))
    store.add_subgoal(id, SubgoalRow(2, "second"), ended=SubgoalRow(1, "first", True, "It is done."))
    store.add_step(id, step(3, 2))
    assert store.run(id) == replace(RUN, id=id, progress=0.75, steps=3)
    assert store.subgoals(id) == [SubgoalRow(1, "first", True, "It is done."), SubgoalRow(2, "second")]
    assert store.steps(id) == [step(1), step(2), step(3, 2)]


def test_a_run_says_how_it_stands(store: Store) -> None:
    id = store.add_run(RUN)
    store.add_subgoal(id, SubgoalRow(1, "first"))
    store.set_run(id, "reached", {"max_steps": 50}, SubgoalRow(1, "first", False, "No."))
    assert (store.run(id).status, store.run(id).options) == ("reached", {"max_steps": 50})
    assert store.subgoals(id) == [SubgoalRow(1, "first", False, "No.")]


def test_runs_are_listed_in_their_order(store: Store) -> None:
    ids = [store.add_run(replace(RUN, goal=goal)) for goal in ("one", "two")]
    assert [(row.id, row.goal) for row in store.runs()] == list(zip(ids, ("one", "two"), strict=True))


def test_the_number_of_a_removed_run_is_not_used_again(store: Store) -> None:
    id = store.add_run(RUN)
    store.add_subgoal(id, SubgoalRow(1, "first"))
    store.add_step(id, step(1))
    store.remove_run(id)
    assert (store.runs(), store.steps(id), store.subgoals(id)) == ([], [], [])
    assert store.add_run(RUN) > id
    assert store.check() == []


def test_a_run_that_is_not_there_is_an_error(store: Store) -> None:
    for call in (store.run, store.remove_run, lambda id: store.set_run(id, "reached")):
        with pytest.raises(AgentError, match="There is no run 7"):
            call(7)


def test_a_step_is_stored_once(store: Store) -> None:
    id = store.add_run(RUN)
    store.add_subgoal(id, SubgoalRow(1, "first"))
    store.add_step(id, step(1))
    with pytest.raises(StoreError):
        store.add_step(id, step(1))
    with pytest.raises(StoreError):
        store.add_step(id, step(2, subgoal=9))


def test_what_no_file_can_hold_is_replaced(store: Store) -> None:
    id = store.add_run(replace(RUN, goal="a\0b"))
    store.add_subgoal(id, SubgoalRow(1, "\ud800"))
    assert (store.run(id).goal, store.subgoals(id)[0].text) == ("a\ufffdb", "\ufffd")
