"""Nothing that was told is lost: what the model left out of an addition is added by code.

A small model cuts "20 kilos of clay" to "20 kilos", and writes one of two dates. What follows a value with a preposition
belongs to it; a part of an enumeration with a number or a name in it, of which no line has a word, is an entry of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from localmem.tasks.context import Context, Part, kind_of, whens
from localmem.tasks.cues import REVISES, Cue
from localmem.tasks.mentions import PARTICULAR, content, within
from localmem.tasks.purpose import Purpose
from localmem.tasks.trim import BY_CODE, NO_START, SLOTS, Line, Verb

_JOINT = re.compile(
    r"\s*(?:[,;]\s+(?:(?:and|plus|und|sowie|y|e)\s+)?|\s(?:and|plus|und|sowie|y)\s+)", re.IGNORECASE
)
_TAIL = re.compile(
    r"\s+(?:of|with|from|by|for|in|aus|von|mit|für|bei|de|del|con|para|en)\s+(?:[^\W_]+[\s'’-]*){1,4}[.!]?$",
    re.IGNORECASE,
)
_SHORT = frozenset(slot.casefold() for slots in SLOTS.values() for slot in slots)
_ADDS = (Verb.NEW, Verb.PART)
_WHEN_SLOTS = {
    "en": {"time": "time", "date": "date"},
    "de": {"time": "Uhrzeit", "date": "Datum"},
    "es": {"time": "hora", "date": "fecha"},
}
MOST_WORDS = 7
"""Of a part of an enumeration that becomes an entry as it is."""


def completed(lines: Sequence[Line], context: Context) -> list[Line]:
    """Lines of the model with what they left out of an addition.

    Args:
        lines: as the model wrote them.
        context: of the clauses that it read.
    """
    if Part.TRIM in context.ablate or not any(line.verb in _ADDS for line in lines):
        return list(lines)
    purposes = {clause.purpose for clause in context.reading.clauses}
    if context.cues & (REVISES | {Cue.CHANGE}) or not purposes <= {Purpose.ADD, Purpose.START, None}:
        return list(lines)
    pieces = [piece.strip(" .!") for piece in _JOINT.split(_told(context)) if piece and piece.strip()]
    found = [
        _whole(line, pieces, [other for other in lines if other is not line])
        if line.verb is Verb.PART
        else line
        for line in lines
    ]
    last = next(line for line in reversed(found) if line.verb in _ADDS)
    known = [word for line in found for word in content(f"{line.slot} {line.text}")]
    known += [word for line in found for word in _when_words(f"{line.slot} {line.text}")]
    known += [word for m in context.mentions if m.node.live and m.own for word in content(m.node.label)]
    for piece in pieces:
        words = content(piece)
        if (
            words
            and len(piece.split()) <= MOST_WORDS
            and not within(words, known)
            and PARTICULAR.search(piece)
        ):
            found.append(Line(Verb.PART, BY_CODE, last.ids, slot=_bare(piece)))
            known += words
    for kind, when in whens(_told(context)):
        words = _when_words(when)
        if not within(words, known) and not any(when.casefold() in line.text.casefold() for line in found):
            slot = _WHEN_SLOTS[context.reading.language][kind]
            found.append(Line(Verb.PART, BY_CODE, last.ids, slot=slot, text=when))
            known += words
    return found


def _when_words(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"\w+", text) if word[0].isdigit() or len(word) > 2]


def _told(context: Context) -> str:
    return " ".join(clause.text for clause in context.reading.clauses)


def _whole(line: Line, pieces: Sequence[str], others: Sequence[Line]) -> Line:
    """A part whose value goes on to the end of its phrase: "20 kilos" is "20 kilos of clay"."""
    value = line.text or line.slot
    if kind_of(value) in ("time", "date"):
        return line
    known = [word for other in others for word in content(f"{other.slot} {other.text}")]
    for piece in pieces:
        start = piece.casefold().rfind(value.casefold())
        if start < 0:
            continue
        tail = _TAIL.match(piece[start + len(value) :])
        if tail is None or within(
            [*content(line.slot), *known] if line.text else known, content(tail.group())
        ):
            return line
        longer = piece[start:].rstrip(" .!")
        said = within(content(line.slot), content(piece))
        if not line.text or (line.slot.casefold() in _SHORT and not said and kind_of(value) == "number"):
            return replace(line, slot=longer, text="")  # a number is no place
        return replace(line, text=longer)
    return line


def _bare(piece: str) -> str:
    """A phrase without the words that no value begins with."""
    words = piece.split()
    while len(words) > 1 and words[0].casefold().strip("'’") in NO_START:
        words.pop(0)
    return " ".join(words)
