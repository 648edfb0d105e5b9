"""Operations to columns of the store and back, and the turns of the store to a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from localmem.errors import StoreError, TaskError
from localmem.store import TaskTurn
from localmem.tasks.graph import TaskGraph
from localmem.tasks.rules import Moment
from localmem.tasks.update import replay
from localmem.tasks.values import Op, Operation

_PLAIN = asdict(Operation(Op.QUERY))


def arguments(operation: Operation) -> dict[str, Any]:
    """Fields of an operation but the kind, without those that say nothing."""
    row = asdict(operation)
    return {name: value for name, value in row.items() if name != "op" and value != _PLAIN[name]}


def operation(op: str, arguments: Mapping[str, Any]) -> Operation:
    """The inverse of `arguments`.

    Raises:
        ValueError, TypeError: there is no such operation.
    """
    needed = tuple(arguments.get("dependencies", ()))
    return Operation(Op(op), **{**arguments, "dependencies": needed})


def folded(turns: Sequence[TaskTurn], path: Path) -> TaskGraph:
    """The graph that the turns lead to. Ids that undone turns gave away stay given away.

    Args:
        turns: from the first one on, in order.
        path: of the memory that they are from.

    Raises:
        StoreError: no turns of ours lead to that.
    """
    graph = TaskGraph()
    gone = {turn.undoes for turn in turns}
    try:
        for turn in turns:
            operations = [operation(op, given) for op, given in turn.operations]
            if turn.turn in gone:
                used = [new.target for new in operations if new.op is Op.ADD and new.target is not None]
                graph.next_id = max([graph.next_id, *(id + 1 for id in used)])
            else:
                replay(graph, operations, Moment(turn.turn, turn.at, turn.said, turn.reply))
    except (AttributeError, TaskError, TypeError, ValueError) as error:
        raise StoreError(
            f"{path}: the tasks cannot be read: {error}", hint="Restore the file from a copy."
        ) from error
    return graph
