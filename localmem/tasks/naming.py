"""How nodes are spoken of: one, several, a whole task. Only words that the nodes hold, and only present ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from localmem.tasks.context import GROUP, NOTE, kind_of
from localmem.tasks.cues import folded
from localmem.tasks.graph import TaskGraph
from localmem.tasks.phrases import Phrases, sentence
from localmem.tasks.values import Node, Status, fold

LONG_LIST = 6
"""More items than that are told one a line."""
_FIGURES = 3
"""A number with fewer digits counts things: "9 kids"; a longer one is a sum or a code."""
_LIKE_MONTH = re.compile(
    r"(?!(?:march|april|may|june|july|august|december|märz|mai|juni|juli|dezember|mayo|junio|julio|mar|dec|jun|jul)\b)(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[^\W\d]+(?<!uary)(?<!ber)( [^\W\d]+)*",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^(person|people|guest|participant|attendee|member|item|thing|step|task|teilnehmer(in)?|gast|gäste|personen|punkt|aufgabe|schritt|invitad[oa]s?|paso|"
    r"persona|participantes?|cosa|punto|tarea|time|date|day|datum|uhrzeit|zeit|tag|fecha|hora|día)s?$"
)
"""Slots that add nothing to their values: "Thursday" says by itself that it is a date."""
SPECIFIC = re.compile(
    r"\b(dat(e|um)|time|day|place|location|start|end|destination|origin|budget|price|name|e-?mail|phone|address|owner|hotel|flight|deadline|room|"
    r"uhrzeit|zeit|tag|ort|ziel|preis|adresse|telefon|raum|fecha|hora|día|lugar|destino|origen|precio|nombre|dirección|teléfono|sala)\b"
)


@dataclass(frozen=True, slots=True)
class Namer:
    """Nodes of one graph in one language."""

    graph: TaskGraph
    phrases: Phrases

    def item(
        self, node: Node, *, slot: str = "", value: str | None = None, deep: bool = True, noted: bool = False
    ) -> str:
        """A node in a list: "potatoes 3 kg", "celery (wash and chop)", "bed one (carrots and chard)".

        Args:
            node: which one.
            slot: a former slot.
            value: a former value.
            deep: with its parts.
            noted: with its notes.
        """
        slot = slot or node.slot
        value = node.value if value is None else value
        shared = value[:1].isupper() and value[:1].isalpha() and self._shares_slot(node)
        before = value == node.value and value[:1].isdigit() and self.precedes(node)
        text = value if shared else f"{value} {slot}" if before else beside(slot, value)
        if not deep:
            return text
        inner = [self.item(child) for child in self.parts(node)]
        if noted:
            inner += [note.value for note in self.notes(node)]
        if node.status is Status.DONE:
            inner = [self.phrases.finished_mark, *inner]
        return f"{text} ({join(inner, self.phrases)})" if inner else text

    def label(self, node: Node, *, slot: str = "", value: str | None = None) -> str:
        """A node without its parts, as the subject of a sentence."""
        return self.item(node, slot=slot, value=value, deep=False)

    def precedes(self, node: Node) -> bool:
        """Whether the user said the value in front of the slot: "chop tomatoes", "3 kg potatoes", not "cake: lemon"."""
        said = next((r.why for r in node.history if (r.slot, r.value) == (node.slot, node.value)), "")
        value, slot = folded(said).find(folded(node.value)), folded(said).find(folded(node.slot))
        return 0 <= value < slot

    def says_is(self, node: Node) -> bool:
        """Whether "SLOT is VALUE" says a node well."""
        if not node.value or node.slot == GROUP or self.parts(node) or node.status is not Status.ACTIVE:
            return False
        if fold(node.slot) in fold(node.value) or (
            bare(node.slot) and kind(node.value) != "date" and kind(node.value) != "time"
        ):
            return False
        return not self.precedes(node) or SPECIFIC.search(folded(node.slot)) is not None

    def needed(self, node: Node) -> str:
        """The word that a sentence about a node must have."""
        return (
            node.value
            if node.value and not (self.precedes(node) and not node.value[:1].isdigit())
            else node.slot
        )

    def _shares_slot(self, node: Node) -> bool:
        """Whether others beside it have, or had, the same slot."""
        return any(
            other.id != node.id and fold(other.slot) == fold(node.slot)
            for id in node.parents
            for other in self.graph.children(id)
        )

    def parts(self, node: Node) -> list[Node]:
        """Live parts of a node, without notes."""
        return [child for child in self.graph.children(node.id) if child.live and child.slot != NOTE]

    def notes(self, node: Node) -> list[Node]:
        """Live notes of a node."""
        return [child for child in self.graph.children(node.id) if child.live and child.slot == NOTE]

    def items(self, nodes: Iterable[Node], *, deep: bool = True, noted: bool = False) -> list[str]:
        """Nodes as items of a list; what has one slot and several values is one: "kite (red and white)"."""
        nodes = [*nodes]
        made: list[str] = []
        seen: set[int] = set()
        for node in nodes:
            if node.id in seen:
                continue
            same = [
                other
                for other in nodes
                if fold(other.slot) == fold(node.slot) and other.value and other.status is node.status
            ]
            held = [len(self.parts(o)) + noted * len(self.notes(o)) for o in same]
            plain = len(same) > 1 and node.value and not (deep and any(held))
            if plain and node.slot != GROUP:
                seen.update(other.id for other in same)
                values = join([other.value for other in same], self.phrases)
                mark = f", {self.phrases.finished_mark}" if node.status is Status.DONE else ""
                if bare(node.slot):
                    end = f" ({self.phrases.finished_mark})" if mark else ""
                    made += [other.value + end for other in same]
                else:
                    made.append(f"{node.slot} ({values}{mark})")
            else:
                seen.add(node.id)
                made.append(self.item(node, deep=deep, noted=noted))
        return made

    def listing(self, nodes: Iterable[Node], *, deep: bool = True, noted: bool = False) -> str:
        """Nodes as one list."""
        return join(self.items(nodes, deep=deep, noted=noted), self.phrases)

    def overview(self, node: Node, *, only: Sequence[Node] | None = None) -> list[str]:
        """What a task holds, as one sentence, or as lines behind "- " if there is much."""
        parts = self.parts(node) if only is None else [*only]
        name = beside(node.slot, node.value)
        notes = [note.value for note in self.notes(node)] if only is None and not parts else []
        if not parts and not notes:
            return [self.phrases.say("nothing", name=name)]
        items = [*self.items(parts), *notes]
        if len(items) > LONG_LIST or sum(map(len, items)) > 240:
            return [sentence(f"{name}:"), *(f"- {item}" for item in items)]
        return [self.phrases.say("stands", name=name, items=join(items, self.phrases))]

    def words(self, node: Node, *, slot: str = "") -> dict[str, str]:
        """What a sentence about the slot of a node needs: its name and, for English, the forms of its verb."""
        slot = slot or node.slot
        many = plural(slot)
        bare = slot[:1].isupper() or slot[:1].isdigit() or re.match(r"(the|my|our|a|an)\b", slot.casefold())
        return {
            "name": slot,
            "the": slot if bare else f"the {slot}",
            "is_are": "are" if many else "is",
            "was_were": "were" if many else "was",
            "it_was": "they were" if many else "it was",
            "it_is": "they are" if many else "it is",
        }

    def wholes(self, node: Node) -> str:
        """Names of the live tasks that a node is a part of."""
        return join([parent.slot for parent in self.graph.live_parents(node)], self.phrases)


def beside(slot: str, value: str) -> str:
    """A slot with its value: "time 3 PM", "potatoes 3 kg", "tiles (white)"; the value alone where the slot adds nothing."""
    if not value:
        return slot
    if slot == GROUP or bare(slot) or fold(slot) in fold(value):
        return value
    if value.isdigit() and len(value) < _FIGURES and plural(slot):
        return f"{value} {slot}"
    if value[:1].isdigit() or SPECIFIC.search(folded(slot)) or kind(value) in ("date", "time"):
        return f"{slot} {value}"
    return f"{slot} ({value})"


def bare(slot: str) -> bool:
    """Whether a slot adds nothing to its value."""
    return _BARE.match(folded(slot)) is not None


def kind(text: str) -> str:
    """The kind of a value; a name that begins like a month is none: "Marta"."""
    found = kind_of(text)
    return "text" if found == "date" and _LIKE_MONTH.fullmatch(text.strip()) else found


def join(items: Sequence[str], phrases: Phrases) -> str:
    """Items in one list; semicolons where an item has commas itself."""
    items = list(dict.fromkeys(items))
    mark = f" {phrases.conjunction} "
    if len(items) > 1 and any(
        ", " in re.sub(r"\([^()]*\)", "", item) or mark in re.sub(r"\([^()]*\)", "", item) for item in items
    ):
        return "; ".join(items)
    return mark.join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def plural(slot: str) -> bool:
    """Whether an English name looks like several: "flowers", not "address"."""
    last = slot.casefold().split()[-1] if slot.split() else ""
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "'s", "news")) and len(last) > 3
