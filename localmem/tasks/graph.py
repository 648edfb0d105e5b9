"""The task graph: a forest of directed acyclic graphs, held in networkx."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Self

import networkx as nx

from localmem.errors import TaskError
from localmem.tasks.values import Node, fold

STEP = " > "
"""Between the slots of a path."""


class TaskGraph:
    """Nodes by id, and the edges that their parents and dependencies are.

    Nodes are values: a change puts another one in the place of the old. Two graphs are equal if their nodes are.
    """

    def __init__(self) -> None:
        # From what contains or needs to what is contained or needed: one rule keeps both kinds free of cycles.
        self._edges = nx.DiGraph()
        self._nodes: dict[int, Node] = {}
        self.turn = 0
        """The last turn that was told."""
        self.next_id = 1
        """Of the next new node."""

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, id: object) -> bool:
        return id in self._nodes

    def __iter__(self) -> Iterator[Node]:
        """All nodes, deleted ones too, in the order in which they came."""
        return iter([self._nodes[id] for id in sorted(self._nodes)])

    def __getitem__(self, id: int) -> Node:
        """The node with this id.

        Raises:
            TaskError: there is none.
        """
        try:
            return self._nodes[id]
        except KeyError:
            raise TaskError(
                f"There is no task number {id}.", hint="See them with: localmem tasks list --all"
            ) from None

    def __eq__(self, other: object) -> bool:
        return self._nodes == other._nodes if isinstance(other, TaskGraph) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it can change

    def live(self, id: int) -> Node:
        """The node with this id, if it is not deleted.

        Raises:
            TaskError: it is, or there is none.
        """
        node = self[id]
        if not node.live:
            raise TaskError(
                f"{node.slot!r} was deleted in turn {node.deleted.turn}.", hint="Restore it first."
            )
        return node

    def copy(self) -> Self:
        """Another graph with the same nodes."""
        other = type(self)()
        other._edges.add_nodes_from(self._edges)  # three times as fast as networkx's own copy
        other._edges.add_edges_from(self._edges.edges)
        other._nodes = dict(self._nodes)
        other.turn, other.next_id = self.turn, self.next_id
        return other

    def roots(self) -> list[Node]:
        """Nodes without a parent, in the order in which they came."""
        return [node for node in self if not node.parents]

    def children(self, id: int) -> list[Node]:
        """Parts of a node, deleted ones too, in the order in which they came."""
        below = [self._nodes[below] for below in sorted(self._edges.successors(id))]
        return [node for node in below if id in node.parents]

    def dependents(self, id: int) -> list[Node]:
        """Nodes that depend on this one, deleted ones too, in the order in which they came."""
        above = [self._nodes[above] for above in sorted(self._edges.predecessors(id))]
        return [node for node in above if id in node.dependencies]

    def live_parents(self, node: Node) -> list[Node]:
        """Parents that are not deleted."""
        return [self._nodes[id] for id in node.parents if self._nodes[id].live]

    def find(self, name: str) -> list[Node]:
        """Nodes of that slot, or at the end of that path, with or without values ("make soup > celery = chop").

        Case, spaces and outer punctuation do not count. Present slots come before those of deleted nodes, and both
        before former slots: a replaced name finds what stands in its place.

        Raises:
            TaskError: there is none; the hint has the nearest slots.
        """
        steps = [fold(step) for step in name.split(STEP.strip())]
        for *above, slot in ([fold(name)], steps):  # a slot may have the mark in it
            below = [node for node in self if self._is_below(node, above)]
            named = [node for node in below if _is_called(node, slot)]
            found = [node for node in named if node.live] or named
            found = found or [n for n in below if any(fold(past.slot) == slot for past in n.history)]
            if found:
                return found
        slots = {fold(node.slot): node.slot for node in self}
        near = [whole for key, whole in slots.items() if slot and (slot in key or key in slot)]
        near += [slots[key] for key in difflib.get_close_matches(slot, slots)]
        raise TaskError(
            f"There is no task named {name!r}.",
            hint=f"Did you mean: {', '.join(dict.fromkeys(near[:5]))}?"
            if near
            else "See them with: localmem tasks list --all",
        )

    def _is_below(self, node: Node, above: list[str]) -> bool:
        """Whether one way up from a node has these folded steps, the nearest last."""
        reached = {node.id}
        for step in reversed(above):
            parents = {id for below in reached for id in self[below].parents}
            reached = {id for id in parents if _is_called(self[id], step)}
        return bool(reached)

    def put(self, node: Node) -> None:
        """Add a node, or put it in the place of the one with its id.

        Raises:
            TaskError: one of its edges would close a cycle, or leads to no node; the graph stays as it was.
        """
        for id in {*node.parents, *node.dependencies} - {node.id}:
            self[id]
        old = self._nodes.get(node.id)
        if old is None or (old.parents, old.dependencies) != (node.parents, node.dependencies):
            self._edges.add_node(node.id)
            self._move(node, _edges(node), _edges(old) if old else set())
        self._nodes[node.id] = node
        self.next_id = max(self.next_id, node.id + 1)

    def _move(self, node: Node, wanted: set[tuple[int, int]], held: set[tuple[int, int]]) -> None:
        """Give a node the wanted edges instead of those it has, or change nothing."""
        new = [edge for edge in sorted(wanted) if not self._edges.has_edge(*edge)]
        # A node may depend on its own part: that edge stays until neither of the two has it.
        lost = [(start, end) for start, end in held - wanted if not self._holds(node.id, start, end)]
        self._edges.remove_edges_from(lost)
        for edge in new:
            if self._closes_cycle(*edge):
                self._edges.remove_edges_from(new)
                self._edges.add_edges_from(lost)
                if node.id not in self:
                    self._edges.remove_node(node.id)
                raise self._cycle(node, *edge)
            self._edges.add_edge(*edge)

    def _holds(self, id: int, start: int, end: int) -> bool:
        """Whether the node at the other end of an edge of `id` has that edge too."""
        return id in (self[end].parents if start == id else self[start].dependencies)

    def _closes_cycle(self, start: int, end: int) -> bool:
        # Most edges lead to a leaf, and for them there is nothing to search.
        leaf = next(self._edges.successors(end), None) is None
        return start == end or (not leaf and bool(nx.has_path(self._edges, end, start)))

    def _cycle(self, node: Node, start: int, end: int) -> TaskError:
        """Why `node` cannot have that edge."""
        above, below = (node.slot if id == node.id else self[id].slot for id in (start, end))
        return TaskError(
            f"{below!r} cannot be a part of {above!r}: it contains or needs it."
            if end == node.id
            else f"{above!r} cannot depend on {below!r}: that one contains or needs it.",
            hint="No task can contain or need itself, by whatever way.",
        )


def _is_called(node: Node, folded: str) -> bool:
    return folded in (fold(node.slot), fold(node.label))


def _edges(node: Node) -> set[tuple[int, int]]:
    return {(parent, node.id) for parent in node.parents} | {(node.id, id) for id in node.dependencies}
