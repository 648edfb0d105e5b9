"""Turns of the tasks that are forgotten: their texts go, the shape of the graph stays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.store import Store, TaskTurn
from localmem.tasks import Op, Operation, TaskGraph, Tasks
from localmem.tasks.forget import blanked, forget, is_mark
from localmem.tasks.log import arguments, folded
from localmem.tasks.rules import Moment
from localmem.tasks.update import after
from tests.tasks.support import KITCHEN, START, TURNS, Choice, accepted

HERE = Path("memory.db")


@pytest.fixture
def tasks(tmp_path: Path) -> Tasks:
    return Tasks(Store.open(tmp_path / "memory.db"))


def texts(turns: Sequence[TaskTurn]) -> str:
    return json.dumps([(turn.said, turn.reply, turn.operations) for turn in turns])


def test_words_and_reasons_go_and_slots_and_values_stay(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip", "Oslo", why="aunt Vera")], said="My aunt", reply="Fine")
    forget(tasks._store, [1])
    assert tasks.paths() == ["trip = Oslo"]
    (past,) = tasks.history("trip")
    assert (past.why, tasks.show("trip")[0].user_response, tasks.show("trip")[0].ai_response) == ("", "", "")
    assert "aunt" not in texts(tasks._store.task_turns())


def test_a_value_that_goes_leaves_its_task_without_one_and_a_step_in_its_history(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip")])
    tasks.apply(None, [Operation(Op.SET, 1, value="Oslo")])
    forget(tasks._store, [2], values=True)
    assert tasks.paths() == ["trip"]
    assert [past.value for past in tasks.history("trip")] == ["", "forgotten 1", ""]


def test_a_task_whose_parts_stay_is_not_deleted(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip")])
    tasks.apply(None, [Operation(Op.ADD, -1, "hotel", parent=1)])
    forget(tasks._store, [1], values=True)
    assert tasks.paths() == ["forgotten 1", "forgotten 1 > hotel"]


def test_a_later_roll_back_to_a_forgotten_value_names_its_mark(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip")])
    tasks.apply(None, [Operation(Op.SET, 1, value="Oslo")])
    tasks.apply(None, [Operation(Op.SET, 1, value="Bergen")])
    tasks.apply(None, [Operation(Op.ROLL_BACK, 1, value="OSLO ")])
    forget(tasks._store, [2], values=True)
    assert "oslo" not in texts(tasks._store.task_turns()).lower()
    assert [past.value for past in tasks.history("trip")] == [
        "", "forgotten 1", "Bergen", "forgotten 1", "",
    ]  # fmt: skip


def test_a_value_that_another_turn_says_too_stays_there(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip", "Oslo")])
    tasks.apply(None, [Operation(Op.ADD, -1, "letter", "Oslo")])
    forget(tasks._store, [1], values=True)
    assert tasks.paths() == ["letter = Oslo"]


def test_forgetting_again_makes_other_marks(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip", "Oslo")])
    tasks.apply(None, [Operation(Op.ADD, -1, "letter", "Vera", parent=1)])
    forget(tasks._store, [1], values=True)
    forget(tasks._store, [2], values=True)
    slots = [node.slot for node in tasks.graph]
    assert (slots, all(map(is_mark, slots))) == (["forgotten 1", "forgotten 3"], True)


def test_undone_turns_lose_their_texts_too(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip", "Oslo")], said="Oslo!")
    tasks.undo()
    forget(tasks._store, [1], values=True)
    assert "Oslo" not in texts(tasks._store.task_turns())
    assert [node.label for node in tasks.as_of(1)] == ["forgotten 1 = forgotten 2"]


def test_only_the_reply_of_a_turn_can_go(tasks: Tasks) -> None:
    tasks.apply(None, [Operation(Op.ADD, -1, "trip")], said="A trip.", reply="To Oslo?")
    forget(tasks._store, [], [1], values=True)
    (turn,) = tasks._store.task_turns()
    assert (turn.said, turn.reply) == ("A trip.", "")


def recorded(turns: list[list[Choice]]) -> list[TaskTurn]:
    """What the store would hold after a kitchen and these turns."""
    graph, rows = TaskGraph(), []
    for choices in [list[Choice | Operation](KITCHEN), *turns]:
        number = graph.turn + 1
        moment = Moment(number, START + timedelta(minutes=number), f"said {number}")
        outcome = after(graph, accepted(graph, choices, moment), moment)
        graph = outcome.graph
        operations = tuple((str(one.op), arguments(one)) for one in outcome.operations)
        rows.append(TaskTurn(number, moment.at, moment.said, "", None, operations))
    return rows


def shape(graph: TaskGraph) -> list[object]:
    """All but the texts."""
    return [
        (
            node.id,
            node.status,
            node.parents,
            node.dependencies,
            [(p.turn, p.op, p.status) for p in node.history],
        )
        for node in graph
    ]


@settings(max_examples=150, deadline=None)
@given(TURNS, st.sets(st.integers(1, 13)))
def test_every_past_state_keeps_its_shape(turns: list[list[Choice]], gone: set[int]) -> None:
    before = recorded(turns)
    left = blanked(before, gone, values=True, path=HERE)
    for end in range(len(before) + 1):
        assert shape(folded(left[:end], HERE)) == shape(folded(before[:end], HERE))
    for turn in left:
        if turn.turn in gone:
            assert turn.said == ""
            rows = [fields for op, fields in turn.operations if op != Op.ROLL_BACK]
            assert all(is_mark(row[name]) for row in rows for name in ("slot", "value") if row.get(name))


@settings(max_examples=50, deadline=None)
@given(TURNS)
def test_forgetting_all_leaves_no_text_of_any_turn(turns: list[list[Choice]]) -> None:
    before = recorded(turns)
    left = texts(blanked(before, {turn.turn for turn in before}, values=True, path=HERE))
    assert not [word for word in ("oats", "rye", "kelp", "bake", "flour", "milk") if word in left.lower()]
