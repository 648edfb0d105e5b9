"""Whether what a note claims stands in the turns that it cites: its names, numbers and dates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime

_WORD = re.compile(r"\d[\d.,:]*\d|\w+(?:['’-]\w+)*")
ALIKE = 5
SHORT = 4
_EMPTY = frozenset(
    "that this with from have they will would there their about your what when then been".split()
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:;(\"“]\s*)$")
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def refusal(note: str, turns: Sequence[tuple[str, str, datetime | None]], known: str, marks: str) -> str:
    """Why a note cannot stand, as a sentence; empty if it can.

    Args:
        note: one line.
        turns: speaker, text and time of each that it cites.
        known: words that need no turn, such as those of who asked.
        marks: how the turns are cited.
    """
    if wrong := unsupported(note, turns, known):
        return f"{wrong[0]} stands in none of the turns {marks}."
    if not adds(note, " ".join(text for _, text, _ in turns), known):
        return f"{marks} has nothing of it but the goal's own words."
    return ""


def unsupported(note: str, turns: Iterable[tuple[str, str, datetime | None]], known: str = "") -> list[str]:
    """Names, numbers and dates of a note that stand in none of the turns, in their order.

    A capitalised word in the middle of a sentence is a name. A turn's day counts as said in it.

    Args:
        note: one line.
        turns: speaker, text and time of each.
        known: words that need no turn, such as those of who asked.
    """
    said = " ".join([known, *(f"{speaker} {text} {_day(at)}" for speaker, text, at in turns)])
    words = {_plain(word) for word in _WORD.findall(said)}
    words |= {part for word in words for part in re.split(r"['’-]", word)}
    found = []
    for match in _WORD.finditer(note):
        word = match.group()
        starts = _SENTENCE_START.search(note[: match.start()]) is not None
        claims = any(c.isdigit() for c in word) or (word[:1].isupper() and not starts and word != "I")
        parts = {_plain(word), *(part for part in re.split(r"['’-]", _plain(word)) if len(part) > 2)}
        if claims and not parts & words:
            found.append(word)
    return found


def adds(note: str, said: str, known: str) -> bool:
    """Whether a note has a word of the turns that is not known anyway: else it only says the goal again.

    Words are alike that begin with the same `ALIKE` letters; shorter ones than `SHORT` say nothing.
    """

    def stems(text: str) -> set[str]:
        words = (_plain(word) for word in _WORD.findall(text))
        return {word[:ALIKE] for word in words if len(word) >= SHORT or word[:1].isdigit()} - _EMPTY

    return bool((stems(note) & stems(said)) - stems(known))


def _plain(word: str) -> str:
    """For comparison: no case, no accents, no marks inside numbers, no plural or genitive s of a name."""
    letters = unicodedata.normalize("NFKD", word.casefold())
    text = "".join(c for c in letters if not unicodedata.combining(c))
    if any(c.isdigit() for c in text):
        digits = re.sub(r"(?<=\d)[.,](?=\d{3}\b)", "", text)
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", digits)
    return re.sub(r"['’]s?$", "", text)


def _day(at: datetime | None) -> str:
    if at is None:
        return ""
    return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]} {at.year} {at:%Y-%m-%d} {at:%H:%M}"
