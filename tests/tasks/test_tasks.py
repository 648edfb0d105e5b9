"""The tasks of a memory file."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from localmem.errors import StoreError, TaskError
from localmem.store import Store, TaskTurn
from localmem.tasks import Format, Op, Operation, Tasks
from tests.tasks.support import KITCHEN, START


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        yield store


def add(slot: str, parent: int | None = None) -> Operation:
    return Operation(Op.ADD, slot=slot, parent=parent)


def test_a_memory_without_tasks_has_no_paths(store: Store) -> None:
    tasks = Tasks(store)
    assert tasks.paths() == []
    assert (tasks.next_turn, len(tasks.graph)) == (1, 0)


def test_what_is_applied_is_there_for_the_next_process(path: Path) -> None:
    with Store.open(path) as store:
        changes = Tasks(store).apply(3, KITCHEN, said="We bake.", reply="Good.")
    assert [change.after.id for change in changes] == [1, 2, 3, 2, 4]
    with Store.open(path) as store:
        tasks = Tasks(store)
        (milk,) = tasks.show("milk")
        assert (milk.user_response, milk.ai_response, milk.history[0].turn) == ("We bake.", "Good.", 3)
        assert tasks.next_turn == 4
        assert len(tasks.paths()) == 5


def test_a_turn_that_is_refused_changes_nothing(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(1, [add("tidy up")])
    with pytest.raises(TaskError):
        tasks.apply(2, [add("sweep"), add("mop", parent=99)])
    assert tasks.paths() == Tasks(store).paths() == ["tidy up"]
    assert tasks.next_turn == 2


def test_a_turn_that_says_nothing_counts_but_is_not_undone(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(None, [add("tidy up")])
    assert tasks.apply(None, [Operation(Op.QUERY)], said="What is there to do?") == []
    assert tasks.apply(None, []) == []
    assert tasks.next_turn == 4
    assert tasks.undo() == 1
    assert tasks.paths() == []


def test_a_turn_cannot_be_told_twice(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(5, [])
    with pytest.raises(TaskError, match="Turn 5 cannot follow turn 5"):
        tasks.apply(5, [add("tidy up")])


def test_undo_takes_whole_turns_away_one_after_the_other(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(1, [add("tidy up")])
    tasks.apply(2, [add("sweep", parent=1), Operation(Op.SET, 1, value="today")])
    tasks.apply(3, [Operation(Op.DELETE, 1)])
    seen = [(tasks.undo(), tasks.paths()) for _ in range(2)]
    assert seen == [(3, ["tidy up = today", "tidy up = today > sweep"]), (2, ["tidy up"])]
    tasks.apply(None, [Operation(Op.SET, 1, value="tomorrow")])
    assert [tasks.undo(), tasks.undo()] == [6, 1]
    with pytest.raises(TaskError, match="nothing to undo"):
        tasks.undo()


def test_every_past_state_can_be_shown_also_what_was_undone(store: Store) -> None:
    from localmem.tasks import render

    tasks = Tasks(store)
    tasks.apply(2, [add("tidy up")])
    tasks.apply(4, [Operation(Op.SET, 1, value="today")])
    tasks.undo()  # is turn 5
    tasks.apply(7, [Operation(Op.DONE, 1)])
    seen = [render.paths(tasks.as_of(turn), all=True) for turn in range(9)]
    a, b, c = ["tidy up"], ["tidy up = today"], ["tidy up (done)"]
    assert seen == [[], [], a, a, b, a, a, c, c]


def test_a_number_that_was_undone_is_never_given_to_another_task(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(1, [add("tidy up")])
    tasks.undo()
    (change,) = tasks.apply(None, [add("sweep")])
    assert change.after.id == 2
    assert Tasks(store).graph.next_id == 3


def test_a_reply_may_come_later(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(1, [add("tidy up")], said="I must tidy up.")
    tasks.reply(1, "Noted.")
    assert tasks.show("tidy up")[0].ai_response == "Noted."
    with pytest.raises(StoreError, match="no turn 9"):
        tasks.reply(9, "Noted.")


def test_another_chat_on_the_memory_is_seen(path: Path) -> None:
    with Store.open(path) as first, Store.open(path) as second:
        one, other = Tasks(first), Tasks(second)
        one.apply(None, [add("tidy up")])
        assert other.paths() == ["tidy up"]
        other.apply(None, [add("sweep", parent=1)])
        with pytest.raises(TaskError):
            one.apply(2, [add("mop")])
        one.apply(None, [add("mop", parent=1)])
        other.undo()
        assert one.paths() == other.paths() == ["tidy up", "tidy up > sweep"]


def test_a_transaction_that_fails_takes_the_turn_with_it(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(1, [add("tidy up")])
    with pytest.raises(KeyboardInterrupt), store.transaction():
        tasks.apply(2, [add("sweep")])
        assert tasks.paths() == ["tidy up", "sweep"]
        raise KeyboardInterrupt
    assert tasks.paths() == ["tidy up"]
    tasks.apply(2, [add("mop")])
    assert tasks.paths() == ["tidy up", "mop"]


def test_a_graph_that_was_given_out_does_not_change(store: Store) -> None:
    tasks = Tasks(store)
    before = tasks.graph
    tasks.apply(1, KITCHEN)
    assert len(before) == 0


def test_any_text_survives(path: Path) -> None:
    odd = "\ud800 \0 \u202e 𝄞 \x1b[31m"
    with Store.open(path) as store:
        tasks = Tasks(store)
        tasks.apply(1, [Operation(Op.ADD, slot=odd, value=odd, why=odd)], said=odd, reply=odd)
        assert len(tasks.show(odd)) == 1
        before = tasks.graph
    with Store.open(path) as store:
        tasks = Tasks(store)
        assert tasks.graph == before
        for format in Format:
            tasks.export(format).encode()


def test_a_history_has_every_change_in_order(store: Store) -> None:
    tasks = Tasks(store)
    tasks.apply(1, KITCHEN)
    tasks.apply(2, [Operation(Op.REPLACE, 2, slot="oats")])
    tasks.apply(3, [add("flour", parent=1)])
    tasks.apply(4, [Operation(Op.SET, 2, value="blend")])
    assert [(past.turn, past.op, past.slot) for past in tasks.history("oats")] == [
        (1, Op.ADD, "flour"),
        (1, Op.LINK, "flour"),
        (2, Op.REPLACE, "oats"),
        (4, Op.SET, "oats"),
    ]


@pytest.mark.parametrize(
    "operation",
    [
        ("explode", {}),
        ("set", {"target": 9, "value": "x"}),
        ("set", {"goal": 1}),
        ("set", []),
        ("set", {"target": 1, "value": 3}),
    ],
)
def test_operations_that_make_no_sense_are_an_error_not_a_traceback(store: Store, operation: tuple) -> None:  # type: ignore[type-arg]
    Tasks(store).apply(1, [add("tidy up")])
    store.add_task_turn(TaskTurn(2, START, "", "", None, (operation,)))
    with pytest.raises(StoreError, match="tasks cannot be read"):
        Tasks(store).paths()


def test_the_rules_are_those_by_which_older_files_were_written(store: Store) -> None:
    """Changing this expectation means that the tasks of people's memories change."""
    for turn, operations in enumerate(
        [
            [("add", {"target": 1, "slot": "camp"}), ("add", {"target": 2, "slot": "tent", "parent": 1})],
            [("add", {"target": 3, "slot": "hike"}), ("link", {"target": 2, "parent": 3})],
            [("add", {"target": 4, "slot": "stove", "value": "gas", "parent": 1, "dependencies": [2]})],
            [("set", {"target": 4, "value": "wood"}), ("roll_back", {"target": 4})],
            [("replace", {"target": 2, "slot": "tarp", "why": "lighter"}), ("delete", {"target": 1})],
            [("restore", {"target": 4}), ("done", {"target": 3})],
        ],
        1,
    ):
        store.add_task_turn(TaskTurn(turn, START, "", "", None, tuple(operations)))
    store.add_task_turn(TaskTurn(7, START, "", "", None, (("delete", {"target": 2, "parent": 3}),)))
    store.add_task_turn(TaskTurn(8, START, "", "", 7))
    assert Tasks(store).paths(all=True) == [
        "camp",
        "camp > tarp",
        "camp > stove = gas",
        "hike (done)",
        "hike > tarp",
    ]


WRITER = """
import sys
from pathlib import Path
from localmem.store import Store
from localmem.tasks import Op, Operation, Tasks
with Store.open(Path(sys.argv[1])) as store:
    tasks = Tasks(store)
    for number in range(int(sys.argv[3])):
        tasks.apply(None, [Operation(Op.ADD, -1, f"{sys.argv[2]} {number}"), Operation(Op.SET, -1, value="set")])
        print(number, flush=True)
"""


@pytest.mark.slow
def test_two_chats_write_and_one_is_killed(path: Path) -> None:
    def writer(name: str, turns: int) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name, str(turns)], stdout=subprocess.PIPE, text=True
        )

    chats = [writer("one", 20), writer("two", 1000)]
    for chat in chats:
        assert chat.stdout is not None
        assert chat.stdout.readline() == "0\n"
    chats[0].communicate()
    chats[1].kill()
    chats[1].communicate()
    with Store.open(path) as store:
        graph = Tasks(store).graph
        assert graph.turn == len(graph)
        assert {node.value for node in graph} == {"set"}
        assert [node.slot for node in graph if node.slot.startswith("one")] == [f"one {n}" for n in range(20)]
        assert store.check() == []


@pytest.mark.slow
def test_ten_thousand_operations_are_read_in_well_under_a_second(store: Store) -> None:
    with store.transaction():
        for turn in range(1, 1001):
            new = ("add", {"target": turn, "slot": f"task {turn}", "parent": turn // 2 or None})
            sets = [("set", {"target": turn, "value": str(n)}) for n in range(9)]
            store.add_task_turn(TaskTurn(turn, START, "", "", None, (new, *sets)))
    best = float("inf")
    tracer = sys.gettrace()
    sys.settrace(None)  # measuring coverage makes this code several times slower
    try:
        for _ in range(3):
            begun = time.process_time()
            assert len(Tasks(store).graph) == 1000
            best = min(best, time.process_time() - begun)
    finally:
        sys.settrace(tracer)
    assert best < 0.9
