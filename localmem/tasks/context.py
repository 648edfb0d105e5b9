"""What the stages after the reading share: the graph, the words, and what they point to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from localmem.tasks.cues import Cue
from localmem.tasks.graph import TaskGraph
from localmem.tasks.mentions import Mention, alike, content, mentions, within
from localmem.tasks.reading import Reading
from localmem.tasks.values import Node, fold

NOTE = "note"
"""Slot of what holds for a node: who cannot, and when."""
GROUP = "part"
"""Slot of a group that stands apart from the others."""
SURE = 0.5
"""Score from which a mention is taken for one."""


_TIME = re.compile(
    r"\d{1,2}[:.]\d\d(?:\s?(?:a\.?m\b\.?|p\.?m\b\.?|uhr\b|h\b))?|\b\d{1,2}\s?(?:a\.?m|p\.?m|uhr|h)\b|\bnoon\b|\b(?:half|quarter) (?:past|to) \w+|\b\w+ o['’]clock\b|\bhalb (?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b|\blas \w+ y media\b|\bmidnight\b|\bmittag\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(mon|tues|wednes|thurs|fri|satur|sun)day|\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)\b|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|"
    r"\b(lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b|\b(januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|junio|julio|agosto|octubre|noviembre|diciembre)\b|(?:\d|\b(?:de|en|primero)) mayo\b|\btomorrow\b|\btoday\b|\bmorgen\b|\bmañana\b|\b\d{1,2}(st|nd|rd|th)\b|\b\d{1,2}\.\d{1,2}\.|\b\d{4}-\d\d-\d\d\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|dozen|half|zwei|drei|vier|fünf|dos|tres|cuatro|cinco)\b",
    re.IGNORECASE,
)


_AROUND = re.compile(
    r"\b(on|at|the|of|in|by|from|to|until|till|before|after|next|this|every|each|first|last|early|late|around|about|half|past|quarter|o'clock|week|end|am|um|den|der|ab|bis|vor|nach|nächste\w*|el|la|las|los|a|de|del|próximo|por)\b|[^\w\s]",
    re.IGNORECASE,
)


def kind_of(text: str) -> str:
    """Whether a value is a "time", a "date", a "number" or a "text"; one that says more than when is a text."""
    time, date = _TIME.search(text), _DATE.search(text)
    if time or date:
        rest = _AROUND.sub(" ", _DATE.sub(" ", _TIME.sub(" ", text)))
        if not [word for word in rest.split() if not word.isdigit()]:
            return "time" if time else "date"
        return "text"
    return "number" if _NUMBER.search(text) else "text"


def whens(text: str) -> list[tuple[str, str]]:
    """Times and dates in a text, in order: the kind of each, "time" or "date", and its words."""
    found = [("time", match) for match in _TIME.finditer(text)]
    found += [("date", match) for match in _DATE.finditer(_TIME.sub(lambda m: " " * len(m.group()), text))]
    return [(kind, match.group().strip()) for kind, match in sorted(found, key=lambda one: one[1].start())]


def _bare(text: str) -> str:
    """Folded words without the marks between them."""
    return " ".join(re.findall(r"\w+", fold(text)))


class Part(StrEnum):
    """Parts that can be left out, to measure what they are good for."""

    TRIM = "trim"
    """Reading by code: the model alone reads the whole turn, with every kind of line at hand."""
    GRAPH = "graph"
    """Wholes, parts and histories: a flat list of slots."""
    GUARDS = "guards"
    """Nothing that the model writes is held against the words."""
    EXAMPLES = "examples"
    """Examples that are worded like the turn: the model reads the fixed ones alone."""


@dataclass(frozen=True)
class Context:
    """One turn and the graph before it."""

    graph: TaskGraph
    reading: Reading
    focus: tuple[int, ...]
    """Nodes that were changed or asked about last, the latest first."""
    ablate: frozenset[Part] = frozenset()

    @cached_property
    def told(self) -> str:
        """What may change something."""
        return self.reading.told

    @cached_property
    def cues(self) -> frozenset[Cue]:
        """Of what was told."""
        return self.reading.cues

    @cached_property
    def mentions(self) -> list[Mention]:
        """Nodes that what was told touches, deleted ones too, the surest first."""
        return mentions(self.graph, self.told, deleted=True)

    @cached_property
    def touched(self) -> dict[int, Mention]:
        """The same, by id."""
        return {mention.node.id: mention for mention in self.mentions}

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of values that what was told may hold: "time", "date", "number", and always "text"."""
        found = {"text"}
        if _TIME.search(self.told):
            found.add("time")
        if _DATE.search(self.told):
            found.add("date")
        if _NUMBER.search(_DATE.sub(" ", _TIME.sub(" ", self.told))):
            found.add("number")
        return frozenset(found)

    @cached_property
    def told_slots(self) -> frozenset[str]:
        """Folded slots that stand in what was told as they are."""
        told = f" {_bare(self.told)} "
        return frozenset(fold(node.slot) for node in self.graph if f" {_bare(node.slot)} " in told)

    @cached_property
    def tagged(self) -> Node | None:
        """The live node that the tag names by its slot."""
        if not self.reading.tag:
            return None
        return self.named(self.reading.tag)

    def named(self, slot: str) -> Node | None:
        """The one live node with a slot like this, the latest of several."""
        wanted = content(slot) or [fold(slot)]
        partly = [
            node
            for node in self.graph
            if node.live
            and node.parents
            and node.slot != NOTE
            and wanted
            and len(within(wanted, content(node.slot))) == len(wanted)
            and not any("'s" in word for word in content(node.slot) if not within([word], wanted))
        ]
        for node in reversed([node for node in self.graph if node.live and node.slot != NOTE]):
            words = content(node.slot) or [fold(node.slot)]
            if len(words) == len(wanted) and all(map(alike, words, wanted)):
                return node
        return partly[0] if len(partly) == 1 else None

    @cached_property
    def root(self) -> Node | None:
        """The task that the turn is about: named, or spoken of last, or the latest."""
        for mention in self.mentions:
            if mention.node.live and not mention.node.parents and mention.score >= SURE and mention.slot:
                return mention.node
        for mention in self.mentions:
            if (
                mention.node.live
                and mention.own
                and not mention.by_number
                and (above := self.root_of(mention.node))
            ):
                return above
        for id in self.focus:
            if id in self.graph and (above := self.root_of(self.graph[id])):
                return above
        roots = [root for root in self.graph.roots() if root.live]
        return roots[-1] if roots else None

    def root_of(self, node: Node) -> Node | None:
        """The live root above a node, or itself."""
        while node.live:
            parents = self.graph.live_parents(node)
            if not parents:
                return node if not node.parents else None
            node = parents[0]
        return None

    def below(self, ids: Iterable[int]) -> set[int]:
        """Nodes with all their live parts."""
        found: set[int] = set()
        waiting = list(ids)
        while waiting:
            id = waiting.pop()
            if id not in found and id in self.graph:
                found.add(id)
                waiting += [child.id for child in self.graph.children(id) if child.live]
        return found

    def siblings(self, node: Node) -> list[Node]:
        """Live nodes with a parent in common, without itself."""
        found = {child.id: child for id in node.parents for child in self.graph.children(id) if child.live}
        found.pop(node.id, None)
        return list(found.values())
