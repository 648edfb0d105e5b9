"""What each operation does to the graph, besides what its name says.

- An operation that asks for what is so already changes nothing: an active node that stands there with this slot
  and value is not added twice. One that is done or deleted and has no parts is made active instead, so that its
  history goes on; one with parts is left alone, since they belong to what was, not to what is begun anew.
- What hangs on a deleted node can only be changed once that is restored.
- `delete` takes along the children that no other live parent holds. With `parent` it takes the node away from there
  only, unless that was its last live parent; with `dependencies` it takes away these.
- `restore` brings back what went along, as it was then: what had been done is done again, what had been deleted
  before stays deleted. A node below deleted ones brings back the parents that were deleted last, without their other
  children. Of a node that is done it makes an active one.
- `replace` below one of several parents leaves the node as it is elsewhere and adds another one there.
- `done` says nothing about the children.

These rules are part of the file format, since the graph is folded from the operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from localmem.errors import TaskError
from localmem.tasks.graph import TaskGraph
from localmem.tasks.values import Change, Node, Op, Operation, Revision, Status, fold, tidy


@dataclass(frozen=True, slots=True)
class Moment:
    """The user turn that operations belong to."""

    turn: int
    at: datetime
    said: str = ""
    reply: str = ""


class Update:
    """Runs the operations of one turn, without negative ids, on `graph` itself."""

    def __init__(self, graph: TaskGraph, moment: Moment) -> None:
        self.graph = graph
        self.changes: list[Change] = []
        self._moment = moment
        self._said = tidy(moment.said)
        self._rules: dict[Op, Callable[[Operation], None]] = {
            Op.ADD: self._add,
            Op.SET: self._set,
            Op.REPLACE: self._replace,
            Op.DELETE: self._delete,
            Op.RESTORE: self._restore,
            Op.ROLL_BACK: self._roll_back,
            Op.LINK: self._link,
            Op.DONE: self._done,
            Op.QUERY: self._query,
        }

    def run(self, operation: Operation) -> bool:
        """Whether the operation changed anything."""
        before = len(self.changes)
        self._rules[operation.op](operation)
        return len(self.changes) > before

    def _node(self, operation: Operation) -> Node:
        if operation.target is None:
            raise TaskError(f"{operation.op} needs a task.", hint="Say which one.")
        return self.graph[operation.target]

    def _live_node(self, operation: Operation) -> Node:
        return self.graph.live(self._node(operation).id)

    def _revise(self, operation: Operation, node: Node, **fields: Any) -> None:
        """Put the node with these fields in its place, unless nothing differs."""
        if all(getattr(node, name) == value for name, value in fields.items()):
            return
        self._keep(operation, node, dataclasses.replace(node, **fields))

    def _keep(self, operation: Operation, before: Node | None, node: Node) -> None:
        moment = self._moment
        revision = Revision(
            turn=moment.turn,
            at=moment.at,
            op=operation.op,
            by=node.id if operation.target is None else operation.target,
            slot=node.slot,
            value=node.value,
            status=node.status,
            parents=node.parents,
            dependencies=node.dependencies,
            why=tidy(operation.why) or self._said,
        )
        node = dataclasses.replace(
            node,
            history=(*node.history, revision),
            user_response=moment.said,
            ai_response=moment.reply,
        )
        self.graph.put(node)
        self.changes.append(Change(operation.op, before, node))

    def _add(self, operation: Operation) -> None:
        slot = tidy(operation.slot)
        id = self.graph.next_id if operation.target is None else operation.target
        if not slot:
            raise TaskError("A new task needs a name.", hint="Give it a slot.")
        parents = () if operation.parent is None else (self.graph.live(operation.parent).id,)
        needed = tuple(dict.fromkeys(self.graph.live(needed).id for needed in operation.dependencies))
        node = Node(id, slot, tidy(operation.value or ""), Status.ACTIVE, parents, needed, ())
        self._keep(operation, None, node)

    def _set(self, operation: Operation) -> None:
        node = self._live_node(operation)
        if operation.value is None:
            raise TaskError(f"There is no value to set {node.slot!r} to.", hint="Give it a value.")
        self._revise(operation, node, value=tidy(operation.value))

    def _replace(self, operation: Operation) -> None:
        node = self._live_node(operation)
        value = node.value if operation.value is None else tidy(operation.value)
        self._revise(operation, node, slot=tidy(operation.slot) or node.slot, value=value)

    def _delete(self, operation: Operation) -> None:
        node = self._node(operation)
        if operation.parent is not None:
            refuse_stranger(self.graph, node, operation.parent)
        if not node.live:
            return
        if operation.dependencies:
            kept = tuple(id for id in node.dependencies if id not in operation.dependencies)
            self._revise(operation, node, dependencies=kept)
            if operation.parent is None:
                return
            node = self.graph[node.id]
        if operation.parent is not None:
            others = tuple(id for id in node.parents if id != operation.parent)
            if any(self.graph[id].live for id in others):
                self._revise(operation, node, parents=others)
                return
        going = [node]
        while going:
            node = self.graph[going.pop().id]
            if node.live:
                self._revise(operation, node, status=Status.INACTIVE)
                going += [
                    child for child in self.graph.children(node.id) if not self.graph.live_parents(child)
                ]

    def _restore(self, operation: Operation) -> None:
        node = self._node(operation)
        if operation.parent in node.parents:
            self._raise(operation, self.graph[operation.parent])
        elif operation.parent is not None:
            self._revise(operation, node, parents=(*node.parents, self.graph.live(operation.parent).id))
        node = self.graph[node.id]
        if node.status is Status.DONE:
            self._revise(operation, node, status=Status.ACTIVE)
        together = None if node.live else node.deleted.turn
        self._raise(operation, node)
        coming = self._gone_with(node.id, node.id, together)
        while coming:
            child = coming.pop()
            self._raise(operation, child)
            coming += self._gone_with(child.id, node.id, together)

    def _raise(self, operation: Operation, node: Node) -> None:
        """Make a deleted node what it was before, and what is above it as far as it needs that."""
        rising = [self.graph[node.id]]
        while rising:
            node = rising[-1]
            parents = [self.graph[id] for id in node.parents]
            if not node.live and parents and not any(parent.live for parent in parents):
                last = max(parent.deleted.turn for parent in parents)
                rising += [parent for parent in parents if parent.deleted.turn == last]
                continue
            rising.pop()
            if not self.graph[node.id].live:
                before = next(
                    past.status for past in reversed(node.history) if past.status is not Status.INACTIVE
                )
                self._revise(operation, node, status=before)

    def _gone_with(self, id: int, by: int, turn: int | None) -> list[Node]:
        """Children that were deleted along with the node `by`, in that turn if it is known."""
        gone = [child for child in self.graph.children(id) if not child.live]
        return [c for c in gone if (last := c.deleted).by == by and turn in (None, last.turn)]

    def _roll_back(self, operation: Operation) -> None:
        node = self._live_node(operation)
        if operation.value is None:
            versions = node.versions[:-1]
        else:
            named = fold(operation.value)
            versions = [(past.slot, past.value) for past in node.history]
            versions = [version for version in versions if named in map(fold, version)]
        if not versions:
            wanted = "had no other value" if operation.value is None else f"never was {operation.value!r}"
            raise TaskError(
                f"{node.slot!r} {wanted}.", hint="See what it was with: localmem tasks history SLOT"
            )
        slot, value = versions[-1]
        self._revise(operation, node, slot=slot, value=value)

    def _link(self, operation: Operation) -> None:
        node = self._live_node(operation)
        new = [] if operation.parent is None else [self.graph.live(operation.parent).id]
        needed = [self.graph.live(id).id for id in operation.dependencies]
        if not new and not needed:
            raise TaskError(
                f"There is nothing to link {node.slot!r} to.", hint="Name a parent or dependencies."
            )
        self._revise(
            operation,
            node,
            parents=tuple(dict.fromkeys([*node.parents, *new])),
            dependencies=tuple(dict.fromkeys([*node.dependencies, *needed])),
        )

    def _done(self, operation: Operation) -> None:
        self._revise(operation, self._live_node(operation), status=Status.DONE)

    def _query(self, operation: Operation) -> None:
        if operation.target is not None:
            self._node(operation)


def refuse_stranger(graph: TaskGraph, node: Node, parent: int) -> None:
    """Say that `node` is no part of `parent`, if it is not."""
    if parent not in node.parents:
        raise TaskError(
            f"{node.slot!r} is no part of {graph[parent].slot!r}.",
            hint="Name the task that it belongs to, or none.",
        )
