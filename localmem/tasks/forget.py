"""Turns of the tasks that are to be forgotten.

The graph is folded from the operations of all turns, so a turn cannot be cut out: what came later stands on it.
What can go is what it says. There are two degrees:

- The words of the turn and of its reply, and the reasons of its operations, become empty. Slots and values stay,
  since they are the tasks themselves.
- With `values`, each slot and value that the turn brought in becomes a mark, "forgotten 1", "forgotten 2", ... Equal
  texts get equal marks and different ones different marks, so that the fold finds the same nodes and the same steps
  of their histories as before. A later roll-back to a forgotten value names its mark instead. At the end comes
  a turn that deletes the tasks whose name is a mark, and empties values that are one.

A slot or value that an operation of another turn says too stays there.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from localmem.store import Store, TaskTurn
from localmem.tasks.graph import TaskGraph
from localmem.tasks.log import folded, operation
from localmem.tasks.rules import Moment
from localmem.tasks.tasks import Tasks
from localmem.tasks.update import replay
from localmem.tasks.values import Node, Op, Operation, fold, tidy

_MARK = re.compile(r"forgotten (\d+)")
_TEXTS = {
    Op.ADD: ("slot", "value"),
    Op.REPLACE: ("slot", "value"),
    Op.SET: ("value",),
    Op.ROLL_BACK: ("value",),
}
"""Texts of an operation that its rule reads; others are only said."""


def forget(
    store: Store, said: Collection[int], replies: Collection[int] = (), *, values: bool = False
) -> None:
    """Blank turns of the tasks, in one transaction.

    Args:
        store: the memory.
        said: numbers of the turns whose words are to go, with those of their replies.
        replies: numbers of the turns of which only the reply is to go.
        values: the slots and values that the turns in `said` brought in too.

    Raises:
        StoreError: the memory cannot be read or written; nothing is changed then.
    """
    with store.transaction():
        before = store.task_turns()
        after = blanked(before, said, replies, values=values, path=store.path)
        store.rewrite_task_turns(new for old, new in zip(before, after, strict=True) if old != new)
        if values:
            tasks = Tasks(store)
            if cleanup := list(_cleanup(tasks.graph)):
                tasks.apply(None, cleanup)


def brought(turns: Sequence[TaskTurn], numbers: Collection[int], path: Path) -> list[Node]:
    """The nodes that those turns changed and that say something still, as they are now.

    Raises:
        StoreError: the turns cannot be read.
    """
    graph = folded(turns, path)
    return [
        node
        for node in graph
        if node.live
        and not is_mark(node.slot)
        and any(
            past.turn in numbers and {past.slot, past.value} & {node.slot, node.value}
            for past in node.history
        )
    ]


def is_mark(text: str) -> bool:
    """Whether a slot or value is what stands for a forgotten one."""
    return _MARK.fullmatch(text) is not None


def blanked(
    turns: Sequence[TaskTurn],
    said: Collection[int],
    replies: Collection[int] = (),
    *,
    values: bool = False,
    path: Path = Path(),
) -> list[TaskTurn]:
    """The same turns without the texts that are to be forgotten; see `forget`."""
    marks = _Marks(turns)
    new: list[TaskTurn] = []
    for place, turn in enumerate(turns):
        if turn.turn in said:
            rows = tuple((op, _blank(op, given, marks, values)) for op, given in turn.operations)
            turn = dataclasses.replace(turn, said="", reply="", operations=rows)
        elif turn.turn in replies:
            turn = dataclasses.replace(turn, reply="")
        if values and any(_names_version(op, given) for op, given in turn.operations):
            turn = _pointed(turns[:place], turns[place], new, turn, path)
        new.append(turn)
    return new


class _Marks:
    """What stands for each text."""

    def __init__(self, turns: Iterable[TaskTurn]) -> None:
        used = [
            int(found[1])
            for turn in turns
            for _, given in turn.operations
            for text in given.values()
            if isinstance(text, str) and (found := _MARK.fullmatch(fold(text))) and len(found[1]) < 10
        ]
        self._next = max(used, default=0) + 1
        self._of: dict[str, str] = {}

    def of(self, text: str) -> str:
        """The mark of a text; of one that is a mark, itself."""
        text = tidy(text)
        if is_mark(text):
            return text
        if text not in self._of:
            self._of[text] = f"forgotten {self._next}"
            self._next += 1
        return self._of[text]


def _blank(op: str, given: Any, marks: _Marks, values: bool) -> dict[str, Any]:
    read = _TEXTS.get(Op(op), ())
    left = {
        name: text for name, text in given.items() if name in read or name not in ("slot", "value", "why")
    }
    for name in read if values and op != Op.ROLL_BACK else ():
        if isinstance(left.get(name), str) and tidy(left[name]):
            left[name] = marks.of(left[name])
    return left


def _names_version(op: str, given: Any) -> bool:
    return op == Op.ROLL_BACK and given.get("value") is not None


def _pointed(
    turns: Sequence[TaskTurn], turn: TaskTurn, new_turns: Sequence[TaskTurn], new: TaskTurn, path: Path
) -> TaskTurn:
    """A turn whose roll-backs go to the versions that they went to, by what these say now.

    Args:
        turns: those before it, as they were.
        turn: as it was.
        new_turns: those before it, blanked.
        new: the turn, blanked.
        path: of the memory.
    """
    # No turn is undone before those that came after it are. So what stood when it was told is what stands
    # whenever it is folded.
    old_graph, new_graph = folded(turns, path), folded(new_turns, path)
    rows: list[tuple[str, Any]] = []
    for (op, given), (_, new_given) in zip(turn.operations, new.operations, strict=True):
        if _names_version(op, given):
            wanted = fold(given["value"])
            past = old_graph[given["target"]].history
            goal = max(i for i, one in enumerate(past) if wanted in (fold(one.slot), fold(one.value)))
            by = "value" if fold(past[goal].value) == wanted else "slot"
            new_given = {**new_given, "value": getattr(new_graph[given["target"]].history[goal], by)}
        rows.append((op, new_given))
        for graph, one in ((old_graph, given), (new_graph, new_given)):
            replay(graph, [operation(op, one)], Moment(turn.turn, turn.at))
    return dataclasses.replace(new, operations=tuple(rows))


def _cleanup(graph: TaskGraph) -> Iterable[Operation]:
    """Operations that put away what only a mark is left of, parts before the whole."""
    going: set[int] = set()
    waiting = [node for node in graph if node.live and is_mark(node.slot)]
    while ready := [
        node
        for node in waiting
        if all(not child.live or child.id in going for child in graph.children(node.id))
    ]:
        going.update(node.id for node in ready)
        waiting = [node for node in waiting if node.id not in going]
        yield from (Operation(Op.DELETE, node.id) for node in ready)
    for node in graph:
        if node.live and node.id not in going and is_mark(node.value):
            yield Operation(Op.SET, node.id, value="")
