"""Words that tell what a sentence is there for, in English, German and Spanish.

The tables widen or narrow what the model may write about a turn; they never change the task graph by themselves.
A wording that is in none of them is left to the model. Another language is another entry in `LANGUAGES`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from localmem.tasks.english import ENGLISH
from localmem.tasks.german import GERMAN
from localmem.tasks.language import Cue, Language
from localmem.tasks.spanish import SPANISH

__all__ = [
    "LANGUAGES",
    "REVISES",
    "Cue",
    "Language",
    "cues",
    "find",
    "folded",
    "has",
    "language_of",
    "pattern",
]

LANGUAGES = {language.code: language for language in (ENGLISH, GERMAN, SPANISH)}

REVISES = frozenset(
    {Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.ABSENT, Cue.SWAP, Cue.ONLY, Cue.SPLIT, Cue.MERGE}
)
"""Cues of a turn that does something to what stands, beyond giving it another value."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MARKUP = re.compile(r"<[^<>\s]+>|\[/?[A-Z]{3,}(?:_[A-Z0-9]+)*\]")
"""What looks like a control token or a tag: "<|im_end|>", "</s>", "[INST]". Its letters are words of no language."""


@lru_cache(maxsize=256)
def pattern(language: str, cue: Cue) -> re.Pattern[str]:
    """The expression of a cue, for folded text."""
    return re.compile(folded(LANGUAGES[language].cues[cue]))


def folded(text: str) -> str:
    """Text as the tables have it: case-folded, plain apostrophes, single spaces."""
    plain = " ".join(text.casefold().replace("’", "'").replace("‘", "'").replace("´", "'").split())
    return _UNMARKED.sub(lambda match: _MARKED[match.group()], plain)


_MARKED = {
    word.replace("'", ""): word
    for word in "can't don't won't isn't aren't doesn't didn't wasn't weren't couldn't shouldn't wouldn't hasn't haven't i've i'm that's what's who's let's there's".split()
}
_UNMARKED = re.compile(r"\b(" + "|".join(_MARKED) + r")\b")


def language_of(text: str, last: str = "en") -> str:
    """Code of the language that has most of its function words in the text; `last` where none leads."""
    text = _MARKUP.sub(" ", text)
    found = _WORD.findall(text.casefold().replace("’", "'"))
    scores = {code: sum(word in language.common for word in found) for code, language in LANGUAGES.items()}
    scores["es"] += 2 * len(re.findall("[¿¡ñ]", text.casefold()))
    scores["de"] += len(re.findall("[äöüß]", text.lower()))
    best = max(scores.values())
    leading = [code for code, score in scores.items() if score == best]
    return last if last in leading or best == 0 else leading[0]


def has(cue: Cue, text: str, language: str) -> bool:
    """Whether a text of that language has the cue."""
    return find(cue, text, language) is not None


def find(cue: Cue, text: str, language: str) -> re.Match[str] | None:
    """Where the cue stands first in the folded text."""
    return pattern(language, cue).search(folded(text))


def cues(text: str, language: str) -> frozenset[Cue]:
    """All cues of a text."""
    return frozenset(cue for cue in LANGUAGES[language].cues if has(cue, text, language))
