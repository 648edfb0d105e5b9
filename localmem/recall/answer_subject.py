"""Whether a turn can be about whom a question is about.

People mix up who did what, and so does a small model: asked what Ann baked, it takes the cake that Bob speaks of. What
somebody says of himself in the first person, without a "you" and without the name, is not about the other.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from localmem.recall.query import named_speakers, words
from localmem.values import Turn

_FIRST = re.compile(r"\bI\b|\b(?i:my|mine|me|myself|ich|mein\w*|mir|mich|yo|mis?)\b")
"""One person: "we" may be both."""
_SECOND = re.compile(
    r"\b(?:you|your|yours|yourself|ur|u|ya|du|dein\w*|dir|dich|ihr|euch|euer\w*|sie|ihnen|tú|tu|tus|te|ti|usted|vosotr[oa]s)\b",
    re.IGNORECASE,
)
_THIRD = re.compile(r"\b(?:he|she|his|her|hers|him|they|their|them|er|sein\w*|él|ella|suyo)\b", re.IGNORECASE)
_ADDRESSED = 3
"""A name among so many first words only calls somebody: "Hey Ann, guess what"."""


def subject(question: str, speakers: Collection[str]) -> str | None:
    """The one person of a memory whom a question names; None if it names nobody, or several."""
    named = named_speakers(question, speakers)
    return next(iter(named)) if len(named) == 1 else None


def about_somebody_else(turn: Turn, before: Turn | None, person: str) -> bool:
    """Whether a turn is what somebody other than `person` says of himself.

    Args:
        turn: the turn.
        before: the turn before it, which may name whom "she" means.
        person: a speaker.
    """
    if turn.speaker == person or not _FIRST.search(turn.text) or _SECOND.search(turn.text):
        return False
    first = words(person)[:1]
    if first and first[0] in words(turn.text)[_ADDRESSED:]:
        return False
    spoken_of = before is not None and bool(first) and first[0] in words(before.text)
    return not (spoken_of and _THIRD.search(turn.text))
