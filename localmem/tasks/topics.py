"""Which nodes a question is about, and which of its words no node ever had."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from localmem.tasks.context import GROUP, NOTE
from localmem.tasks.cues import folded
from localmem.tasks.graph import TaskGraph
from localmem.tasks.mentions import content, within
from localmem.tasks.naming import kind
from localmem.tasks.past import Span, family, spans
from localmem.tasks.question import Question
from localmem.tasks.signs import SLOTS, Want
from localmem.tasks.values import Node


@dataclass(frozen=True)
class Topics:
    """A question beside the graph."""

    graph: TaskGraph
    question: Question
    focus: tuple[int, ...]
    """Nodes spoken of last, the latest first; those that this very turn changed in front."""

    @cached_property
    def hits(self) -> dict[int, frozenset[str]]:
        """By node: words of the question that it has, or ever had."""
        found: dict[int, frozenset[str]] = {}
        for node in self.graph:
            had = {text for past in node.history for text in (past.slot, past.value)}
            words = [word for text in had for word in (content(text) or [folded(text)])]
            hit = frozenset(within(self.words, words))
            if hit:
                owner = node.parents[0] if node.slot == NOTE and node.parents else node.id
                found[owner] = found.get(owner, frozenset()) | hit
        return found

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Words of the question with a meaning; what questions are made of counts where a slot is called so."""
        slots = {
            word for node in self.graph if node.slot not in (NOTE, GROUP) for word in _sole(node.slot)
        } - _KINDS
        return tuple(word for word in self.question.every if word in self.question.words or word in slots)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Words of the question that no node ever had."""
        known = {word for hit in self.hits.values() for word in hit}
        return tuple(word for word in self.words if word not in known)

    @cached_property
    def wholes(self) -> list[Node]:
        """Named nodes that have parts, or are no part themselves; live ones first."""
        found = [node for node in self._named if self.is_whole(node)]
        return sorted(found, key=lambda node: not node.live)

    @cached_property
    def items(self) -> list[Node]:
        """Named nodes that are parts, those of a named whole alone if there are such; live ones first."""
        found = [node for node in self._named if not self.is_whole(node)]
        inside = [node for node in found if any(whole.id in self.ever_above(node) for whole in self.wholes)]
        return sorted(inside or found, key=lambda node: (-len(self.hits[node.id]), not node.live, node.id))

    @cached_property
    def _named(self) -> list[Node]:
        """Nodes with a word of the question, without those whose words another one has beside others."""
        nodes = [self.graph[id] for id in self.hits if self.graph[id].slot not in _hidden(self.graph[id])]
        found = []
        for node in nodes:
            hit = self.hits[node.id]
            above = self.ever_above(node)
            better = [
                other
                for other in nodes
                if other.id not in above
                and node.id not in self.ever_above(other)
                and (hit < self.hits[other.id] or (hit == self.hits[other.id] and self._closer(other, node)))
            ]
            if not better:
                found.append(node)
        return found

    def _closer(self, one: Node, other: Node) -> bool:
        """Whether one node's name stands in the question as it is, and the other's does not: "bed one", "bed two"."""
        text = f" {self.question.text} "
        here, there = (any(f" {part} " in text for part in _names(node)) for node in (one, other))
        present = within(self.hits[other.id], [*content(other.slot), *content(other.value)])
        return here and not there and bool(present or not self.question.past)

    def is_whole(self, node: Node) -> bool:
        """Whether it has parts, or is no part itself."""
        return not node.parents or any(child.slot != NOTE for child in self.graph.children(node.id))

    def ever_above(self, node: Node) -> frozenset[int]:
        """All that a node was ever a part of, however far above."""
        found: set[int] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            for past in one.history:
                for id in past.parents:
                    if id not in found and id in self.graph:
                        found.add(id)
                        waiting.append(self.graph[id])
        return frozenset(found)

    def below(self, nodes: Iterable[Node], *, live: bool = True) -> list[Node]:
        """All parts of nodes, however deep, without notes."""
        found: dict[int, Node] = {}
        waiting = list(nodes)
        while waiting:
            for child in self.graph.children(waiting.pop(0).id):
                if child.id not in found and child.slot != NOTE and (child.live or not live):
                    found[child.id] = child
                    waiting.append(child)
        return list(found.values())

    def beside(self, node: Node) -> list[Node]:
        """Live nodes with a parent in common."""
        found = {c.id: c for id in node.parents for c in self.graph.children(id) if c.live and c.slot != NOTE}
        found.pop(node.id, None)
        return list(found.values())

    @cached_property
    def whole(self) -> Node | None:
        """The live task that the question is about: named, or that of what is named, or spoken of last."""
        for node in self.wholes:
            if node.live:
                return node
        for node in self.items:
            if node.live and (root := self.root(node)):
                return root
        for id in self.focus:
            if id in self.graph and self.graph[id].live and (root := self.root(self.graph[id])):
                return root
        roots = self.roots
        return roots[-1] if roots else None

    @cached_property
    def roots(self) -> list[Node]:
        """Live tasks."""
        return [root for root in self.graph.roots() if root.live]

    def root(self, node: Node) -> Node | None:
        """The live task that a node belongs to."""
        while node.parents:
            above = self.graph.live_parents(node)
            if not above:
                return None
            node = above[0]
        return node if node.live else None

    def of_kind(self, nodes: Iterable[Node]) -> list[Node]:
        """Those that hold a value of a kind that the question wants."""
        found = [node for node in nodes if any(is_kind(node, want) for want in self.question.wants)]
        if self.question.language != "de" or self.question.wants != {Want.PERSON}:
            return found
        # Every noun has a capital, so somebody is who is said to come, or is under a slot that says so.
        return [node for node in found if comes(node) or (node.value and not _search(_NO_PERSON, node.slot))]

    def fits(self, span: Span, words: Sequence[str] | None = None) -> bool:
        """Whether a span has a word of the question that not all spans of its node have."""
        wanted = self.words if words is None else words
        own = content(span.value) or content(span.slot)
        return bool(within(wanted, own))

    def line(self, node: Node) -> list[Span]:
        """What stood in a node's place, one after the other."""
        return family(self.graph, node)

    def changed(self, node: Node) -> bool:
        """Whether something else stood in its place before, or it is gone."""
        line = self.line(node)
        return len({(span.slot, span.value) for span in line}) > 1 or (
            bool(line) and line[-1].last is not None
        )

    def places(self, node: Node) -> list[Span]:
        """Everything that a node was, and where."""
        return spans(node)


def is_kind(node: Node, want: Want) -> bool:
    """Whether a node holds a value of that kind."""
    text = node.value or node.slot
    if SLOTS[want] and _search(SLOTS[want], node.slot):
        return True
    if want in (Want.DATE, Want.TIME):
        return kind(text) == str(want)
    if want is Want.NUMBER:
        return text[:1].isdigit() or kind(text) == "number"
    if want is Want.PERSON:
        return (
            node.slot != GROUP
            and kind(text) == "text"
            and not _search(_NO_PERSON, node.slot)
            and bool(text.split())
            and all(w[:1].isupper() for w in text.split())
        )
    return False


_COMES = r"with|invit\w*|join\w*|com(?:e|es|ing)|attend\w*|guests?|mit|(?:ein)?lad\w*|eingeladen|komm\w*|dabei|gäste?|con|viene\w*"


def comes(node: Node) -> bool:
    """Whether what the user said when a node came makes it somebody who comes: "invite Aunt Rosa", "Tom comes too"."""
    said = folded(next((past.why for past in node.history if past.slot == node.slot), ""))
    name = re.escape(folded(node.slot))
    return bool(name) and _search(rf"\b({_COMES})\b.*\b{name}\b|\b{name}\b.{{0,20}}\b({_COMES})\b", said)


_KINDS = frozenset(
    [
        "time",
        "date",
        "day",
        "hour",
        "place",
        "when",
        "datum",
        "uhrzeit",
        "zeit",
        "tag",
        "ort",
        "fecha",
        "hora",
        "día",
        "lugar",
    ]
)
"""Slots that question words ask for."""
_NO_PERSON = rf"({SLOTS[Want.PLACE]}|{SLOTS[Want.DATE]}|{SLOTS[Want.TIME]}|\b(start|origin|budget|price|hotel|flight|colour|color|theme|from|to)\b)"


def _hidden(node: Node) -> tuple[str, ...]:
    """Slots that no question names: notes belong to what they are about, and parts that are gone to the whole."""
    return (NOTE,) if node.live else (NOTE, GROUP)


def _sole(slot: str) -> list[str]:
    """The word of a slot of one word."""
    words = folded(slot).split()
    return words if len(words) == 1 else []


def _names(node: Node) -> list[str]:
    return [folded(part) for part in (node.slot, node.value) if part]


def _search(pattern: str, text: str) -> bool:
    return re.search(pattern, folded(text)) is not None
