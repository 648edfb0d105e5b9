"""What histories hold: versions of a node with the turns in which they stood, and what ended them."""

from __future__ import annotations

from dataclasses import dataclass

from localmem.tasks.context import GROUP, NOTE
from localmem.tasks.graph import TaskGraph
from localmem.tasks.values import Node, Op, Revision, Status, fold


@dataclass(frozen=True, slots=True)
class Span:
    """A node with one slot, value and place, from one turn to another."""

    node: Node
    slot: str
    value: str
    parents: tuple[int, ...]
    first: int
    """The turn that made it so."""
    last: int | None
    """The turn that ended it; None: it stands."""
    why: str
    """What the user said when it began."""

    @property
    def text(self) -> str:
        """What changed in it: the value, or the slot where there is no value."""
        return self.value or self.slot


def spans(node: Node) -> list[Span]:
    """Everything that a node was while it was not deleted, oldest first."""
    found: list[Span] = []
    now: Revision | None = None

    def end(turn: int | None) -> None:
        if now is not None and turn != now.turn:
            found.append(Span(node, now.slot, now.value, now.parents, now.turn, turn, now.why))

    for revision in node.history:
        state = (revision.slot, revision.value, revision.parents)
        if revision.status is Status.INACTIVE:
            end(revision.turn)
            now = None
        elif now is None:
            now = revision
        elif state != (now.slot, now.value, now.parents):
            end(revision.turn)
            now = revision
    end(None)
    return found


def values(node: Node) -> list[Span]:
    """The same where only slot and value count, not where the node belonged."""
    merged: list[Span] = []
    for span in spans(node):
        before = merged[-1] if merged else None
        if before and (before.slot, before.value, before.last) == (span.slot, span.value, span.first):
            merged[-1] = Span(node, span.slot, span.value, span.parents, before.first, span.last, before.why)
        else:
            merged.append(span)
    return merged


def family(graph: TaskGraph, node: Node) -> list[Span]:
    """What stood in a node's place, one after the other: the node itself, and deleted ones that it took over from.

    Those have the same slot and parent, or went in the turn in which it came, when it alone came and they alone went.
    """
    line = values(node)
    if not line:
        return line
    beside = [
        other
        for id in node.parents or [s for r in node.history for s in r.parents][:1]
        for other in graph.children(id)
        if other.id != node.id and other.slot not in (NOTE, GROUP)
    ]
    for other in beside:
        if other.live:
            continue
        gone = values(other)
        if not gone:
            continue
        same = fold(other.slot) == fold(node.slot)
        turn = line[0].first
        swapped = gone[-1].last == turn and _alone(graph, node, other, turn)
        if (same and gone[-1].last is not None and gone[-1].last <= turn) or swapped:
            line = sorted([*gone, *line], key=lambda span: span.first)
    return line


def _alone(graph: TaskGraph, new: Node, old: Node, turn: int) -> bool:
    """Whether in a turn nothing but `old` went and nothing but `new` came."""
    came = [n.id for n in graph if n.history and n.history[0].turn == turn and n.slot not in (NOTE, GROUP)]
    gone = [n.id for n in graph if not n.live and n.deleted.turn == turn]
    return came == [new.id] and gone == [old.id]


def ended(span: Span) -> Op | None:
    """What ended a span: a deletion, another value, another place; None: it stands."""
    if span.last is None:
        return None
    by = [revision for revision in span.node.history if revision.turn == span.last]
    return by[-1].op if by else None


def said_in(node: Node, turn: int) -> str:
    """What the user said in a turn that changed the node."""
    return next((revision.why for revision in node.history if revision.turn == turn), "")


def label(span: Span, other: Span) -> str:
    """What tells a span from another one: the value where the slot is the same."""
    return span.value if span.value and span.slot == other.slot else span.slot
