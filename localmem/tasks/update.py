"""From the operations of one turn to the changed graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

from localmem.errors import TaskError
from localmem.tasks.graph import TaskGraph
from localmem.tasks.rules import Moment, Update, refuse_stranger
from localmem.tasks.values import Change, Node, Op, Operation, Status, fold


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the operations of a turn came to."""

    graph: TaskGraph
    changes: tuple[Change, ...]
    operations: tuple[Operation, ...]
    """Those that changed something, without negative ids: they do the same to any equal graph."""


def after(graph: TaskGraph, operations: Iterable[Operation], moment: Moment) -> Outcome:
    """The graph after a turn; the given one stays as it is.

    Raises:
        TaskError: one of the operations cannot be, or the turn is not later than the last one.
    """
    if moment.turn <= graph.turn:
        raise TaskError(
            f"Turn {moment.turn} cannot follow turn {graph.turn}.",
            hint="Another chat may have written meanwhile; use the next number.",
        )
    update = Update(graph.copy(), moment)
    done: list[Operation] = []
    names: dict[int, int] = {}
    for operation in operations:
        plain = _plain(update.graph, _named(operation, names), names)
        done += [one for one in plain if update.run(one)]
    update.graph.turn = moment.turn
    return Outcome(update.graph, tuple(update.changes), tuple(done))


def replay(graph: TaskGraph, operations: Iterable[Operation], moment: Moment) -> None:
    """Run the operations of an outcome once more, on the graph itself.

    Raises:
        TaskError: the graph is not equal to the one that they were made for.
    """
    update = Update(graph, moment)
    for operation in operations:
        update.run(operation)
    graph.turn = moment.turn


def _named(operation: Operation, names: dict[int, int]) -> Operation:
    """With the ids that this turn's additions got in place of negative ones."""

    def real(id: int) -> int:
        if id >= 0:
            return id
        if id not in names:
            raise TaskError(f"No task {id} was added in this turn.", hint="Add it before it is used.")
        return names[id]

    return dataclasses.replace(
        operation,
        target=operation.target
        if operation.target is None or operation.op is Op.ADD
        else real(operation.target),
        parent=None if operation.parent is None else real(operation.parent),
        dependencies=tuple(map(real, operation.dependencies)),
    )


def _plain(graph: TaskGraph, operation: Operation, names: dict[int, int]) -> list[Operation]:
    """The operation in those that need no knowledge of their own turn, nor of what stands there already."""
    if operation.op is Op.ADD:
        if operation.parent is not None:
            graph.live(operation.parent)
        twin = _twin(graph, operation)
        if operation.target is not None:
            if operation.target >= 0 or operation.target in names:
                raise TaskError(f"A new task cannot be number {operation.target}.", hint="Leave it out.")
            names[operation.target] = twin.id if twin else graph.next_id
        if twin is None:
            return [dataclasses.replace(operation, target=graph.next_id)]
        back = Operation(Op.RESTORE, twin.id, why=operation.why)
        link = Operation(Op.LINK, twin.id, dependencies=operation.dependencies, why=operation.why)
        return [
            *([] if twin.status is Status.ACTIVE else [back]),
            *([link] if operation.dependencies else []),
        ]
    if operation.op is Op.REPLACE and operation.parent is not None and operation.target is not None:
        node, below = graph[operation.target], operation.parent
        if len(graph.live_parents(node)) > 1:
            new = dataclasses.replace(
                operation,
                op=Op.ADD,
                target=None,
                slot=operation.slot or node.slot,
                value=node.value if operation.value is None else operation.value,
            )
            if _twin(graph, new) == node:
                return []
            refuse_stranger(graph, node, below)
            away = Operation(Op.DELETE, node.id, parent=below, why=operation.why)
            return [away, *_plain(graph, new, names)]
        refuse_stranger(graph, node, below)
    return [operation]


def _twin(graph: TaskGraph, operation: Operation) -> Node | None:
    """The node that an addition asks for, if it stands there already; see the rules."""
    beside = graph.roots() if operation.parent is None else graph.children(operation.parent)
    wanted = (fold(operation.slot), fold(operation.value or ""))
    equal = [node for node in beside if (fold(node.slot), fold(node.value)) == wanted]
    fit = [node for node in equal if node.status is Status.ACTIVE or not graph.children(node.id)]
    return min(fit, key=lambda node: node.status is not Status.ACTIVE, default=None)
