"""Which nodes the words of a turn touch: by name, with typing errors and other endings allowed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from localmem.tasks.cues import LANGUAGES, folded
from localmem.tasks.graph import TaskGraph
from localmem.tasks.tables import words
from localmem.tasks.values import Node

_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*\d*")
_LIKE = 0.82
"""Similarity from which a word counts as another one mistyped."""
_LONG_ENOUGH = 4
_COMMON = frozenset(word for language in LANGUAGES.values() for word in language.common) | words(
    """
    need needs get got use used make made take go want add put set new thing things some any one ones two list
    there here now then back again still also too only all both them they he she his her pm am uhr
    """
)


_TIMES = frozenset(["time", "hour", "clock", "uhrzeit", "zeit", "hora", "o'clock", "when", "wann"])
_DATES = frozenset(
    ["date", "day", "weekday", "datum", "tag", "wochentag", "fecha", "día", "when", "wann", "cuándo"]
)
_PLACES = frozenset(["place", "location", "venue", "where", "ort", "wo", "lugar", "dónde", "sitio"])
_SAME = {
    word: group
    for group in (_TIMES, _DATES, _PLACES)
    for word in group
    if word not in ("when", "wann", "cuándo", "where", "wo", "dónde")
}
_SYNONYMS = _TIMES | _DATES | _PLACES


@dataclass(frozen=True, slots=True)
class Mention:
    """How far the words of a turn touch a node."""

    node: Node
    slot: float
    """Share of the slot's content words that stand in the turn, 0 to 1."""
    value: float
    """The same of the value."""
    words: frozenset[str]
    """Those words, as the node has them."""
    own: bool
    """One of them belongs to no other live node."""

    @property
    def score(self) -> float:
        """How surely the node is meant, 0 to 1."""
        return max(self.slot, self.value, 0.5 * (self.slot + self.value))

    @property
    def by_number(self) -> bool:
        """Whether nothing but a number names the node."""
        return _only_numbers(self.words)


PARTICULAR = re.compile(r"\d|(?<=\S\s)[A-ZÄÖÜÁÉÍÓÚÑ][^\W\d_]")
"""A number or a name in a text: a word with a capital letter that does not begin it."""


def content(text: str) -> list[str]:
    """Words of a text that mean something by themselves, folded, in order."""
    return [word for word in map(str.casefold, _WORD.findall(folded(text))) if word not in _COMMON]


@lru_cache(maxsize=65536)
def alike(one: str, other: str) -> bool:
    """Whether two folded words are the same one in another form, or mistyped."""
    if one == other:
        return True
    if one[-1:].isdigit() or other[-1:].isdigit():
        return False  # "room1" and "room10"
    if one[:1].isdigit() or other[:1].isdigit() or min(len(one), len(other)) < _LONG_ENOUGH - 1:
        return False
    short, long = sorted((one, other), key=len)
    if long.startswith(short) and (
        len(long) - len(short) <= 2 or (len(short) >= _LONG_ENOUGH and len(long) - len(short) <= 3)
    ):
        return True
    if len(short) >= _LONG_ENOUGH and long.startswith(short):  # "Mais" and "Maiskolben"
        return True
    if stem(one) == stem(other):
        return True
    return (
        len(short) >= _LONG_ENOUGH
        and one[0] == other[0]
        and difflib.SequenceMatcher(None, one, other).ratio() >= _LIKE
    )


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without the commonest endings of the three languages."""
    for ending, instead in (
        ("ies", "y"),
        ("oes", "o"),
        ("ves", "f"),
        ("'s", ""),
        ("ing", ""),
        ("es", ""),
        ("en", ""),
        ("er", ""),
        ("ed", ""),
        ("s", ""),
        ("n", ""),
        ("e", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word


def within(wanted: Iterable[str], words: Iterable[str]) -> list[str]:
    """Those of the wanted words that stand among `words`, in any form."""
    there = list(words)
    return [word for word in wanted if any(alike(word, other) for other in there)]


def _only_numbers(words: Iterable[str]) -> bool:
    return all(word[:1].isdigit() for word in words)


def mentions(graph: TaskGraph, text: str, *, deleted: bool = False) -> list[Mention]:
    """Nodes whose slot or value the text touches, the surest first.

    Args:
        graph: whose nodes.
        text: what was said.
        deleted: deleted nodes too.
    """
    said = content(text)
    every = set(_WORD.findall(folded(text)))
    if not said and not every & _SYNONYMS:
        return []
    nodes = [node for node in graph if deleted or node.live]
    found = []
    counts: dict[str, int] = {}
    for node in nodes:
        slot, value = content(node.slot), content(node.value)
        in_slot, in_value = within(slot, said), within(value, said)
        if len(slot) == 1 and not in_slot and any(word in _SAME.get(slot[0], ()) for word in every):
            in_slot = slot
        if in_value and not in_slot and _only_numbers(in_value) and not _only_numbers(value):
            in_value = []  # "2" alone does not name "2 bags"
        if not in_slot and not in_value:
            continue
        touched = frozenset([*in_slot, *in_value])
        for word in touched:
            counts[word] = counts.get(word, 0) + 1
        found.append((node, len(in_slot) / max(1, len(slot)), len(in_value) / max(1, len(value)), touched))
    made = [
        Mention(node, slot, value, touched, any(counts[word] == 1 for word in touched))
        for node, slot, value, touched in found
    ]
    return sorted(made, key=lambda mention: (-mention.score, not mention.own, mention.node.id))
