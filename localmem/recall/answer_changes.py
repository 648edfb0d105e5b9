"""What was so and is no longer: of two turns that tell the same thing of different days, the later one counts.

A small model takes the first turn that fits. So code looks for a later one of the same person that speaks of the same thing
with a word of change in it, and has the model answer from that one; the value before is named as former.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from localmem.recall.query import STOP_WORDS, words
from localmem.values import StoredTurn

_PRESENT = re.compile(
    r"^\W*(?:(?:on|at|in|from|for|since|until|with) )?(?:what|which|who|whose|where|when|how)\b"
    r".*\b(?:is|are|am|does|do|has|have|will|can|costs?)\b|^\W*\w+['’]s\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:did|was|were|had|been|used to|before|former\w*|previous\w*|first|at first|original\w*|earlier|ago|last|once)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|instead|no longer|any ?more|again|new|moved?|changed?|switched|given up|gave up|rather|later|earlier|cancell?ed"
    r"|postponed|jetzt|stattdessen|nicht mehr|neue[nrsm]?|umgezogen|geändert|ahora|ya no|en vez de|nuev[oa]|cambi\w+)\b",
    re.IGNORECASE,
)
STEM = 5
"""Letters by which words are compared."""


def asks_for_present(question: str) -> bool:
    """Whether a question is about what holds now, in English."""
    return _PRESENT.search(question) is not None and _PAST.search(question) is None


def stems(text: str, without: Collection[str] = ()) -> set[str]:
    """Beginnings of the content words of a text."""
    return {word[:STEM] for word in words(text) if word not in STOP_WORDS and word not in without}


def changes(question: str, earlier: StoredTurn, later: StoredTurn, speakers: Collection[str]) -> bool:
    """Whether a turn tells anew what an earlier one of the same person told.

    Args:
        question: what both are about.
        earlier: the turn that an answer is from.
        later: the other one.
        speakers: words of the names of people who speak, lower case.
    """
    if earlier.turn.speaker != later.turn.speaker or not _after(earlier, later):
        return False
    if not _CHANGE.search(later.turn.text):
        return False
    said = stems(later.turn.text, speakers)
    return bool(said & stems(question, speakers)) and bool(said & stems(earlier.turn.text, speakers))


def _after(earlier: StoredTurn, later: StoredTurn) -> bool:
    if earlier.transcript == later.transcript:
        return earlier.position < later.position
    before, after = earlier.turn.at, later.turn.at
    return before is not None and after is not None and before.timestamp() < after.timestamp()
