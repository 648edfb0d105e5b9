"""What a language is here: its function words, and expressions for what a sentence hints at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Cue(StrEnum):
    """What a sentence hints at."""

    ASK = "ask"
    """Begins like a question, or is a request to be told something."""
    SUPPOSE = "suppose"
    """A hypothesis or a doubt."""
    CLAIM = "claim"
    """Says what was so, as far as the speaker remembers."""
    REQUEST = "request"
    """A polite form in front of what is asked for: "could you"."""
    TALK = "talk"
    """Thanks, greetings, praise."""
    CHATTER = "chatter"
    """Marks of talk that is for nobody's list, anywhere in a clause."""
    DELETE = "delete"
    ONLY = "only"
    """All but some go, or some alone stay."""
    RESTORE = "restore"
    BACK = "back"
    FIRST = "first"
    """The value at the very beginning."""
    DONE = "done"
    ALSO = "also"
    """One thing for several tasks."""
    SWAP = "swap"
    """One thing in the place of another: what is named is what goes."""
    CHANGE = "change"
    """Another value, place or time."""
    ABSENT = "absent"
    """Somebody or something is not to be had."""
    SPLIT = "split"
    MERGE = "merge"
    ALL = "all"
    """Set words: everything, both, all."""
    REST = "rest"
    """Set words: the others."""
    POINT = "point"
    """Pronouns, which point to what was spoken of last."""
    EVER = "ever"
    """A question about the past."""
    WHY = "why"
    LIST = "list"
    """A question about all that stands."""
    ADD = "add"
    """Something new, said so."""
    START = "start"
    """A task of its own begins."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language's function words, by which it is known, and its cues."""

    code: str
    common: frozenset[str]
    cues: dict[Cue, str]
    """A regular expression each, on case-folded text with plain apostrophes."""
