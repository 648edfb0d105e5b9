"""A question to what the index can look for: words, people, entities, times."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Words that every conversation is full of: they cost the word index long lists and tell nothing.
_STOP_WORDS = {
    "en": """a about all also am an and any are as at be been being but by can could did do does doing for from get
        got had has have having he her hers him his how i if in into is it its just me might my no not of off on
        or our ours she should so some than that the their theirs them then there these they this those to too us
        very was we were what when where which who whom whose why will with would you your yours s t d ll m re ve""",
    "de": """der die das den dem des ein eine einen einem einer und oder aber ist sind war waren hat haben hatte
        wird wurde ich du er sie es wir ihr mich dich sich uns mein dein sein was wer wen wem wann wo wie warum
        welche welcher welches mit von zu zum zur im in an am auf für bei nicht auch noch schon denn dass""",
    "es": """el la los las un una unos unas y o pero es son era eran fue ha han había yo tú él ella nosotros ellos
        me te se nos mi tu su qué que quién cuándo cuando dónde donde cómo como por para con de del al en no""",
}
STOP_WORDS = frozenset(word for words in _STOP_WORDS.values() for word in words.split())

READ_CHARACTERS = 20_000
"""So much of a turn is looked at for names and times: a pasted log of a megabyte would take half a second."""

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<![.!?:\n]\s)(?<!^)(?<![^\W_])([A-ZÀ-ÖØ-Þ][^\W\d_]+(?:[ -][A-ZÀ-ÖØ-Þ][^\W\d_]+)*)")

_MONTHS = """january januar enero, february februar febrero, March märz marzo, april abril, May mai mayo, june juni junio,
    july juli julio, august agosto, september septiembre, october oktober octubre, november noviembre,
    december dezember diciembre"""
# "may" and "march" are other words; only as names do they mean a month.
MONTHS = {name: number for number, names in enumerate(_MONTHS.split(","), start=1) for name in names.split()}


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for."""

    text: str
    vector: NDArray[np.float32]
    """Unit vector, shape (d,)."""
    words: tuple[str, ...]
    """Content words, lower case, without the names of people who speak in the memory."""
    speakers: frozenset[str]
    """People who speak in the memory and whom the question names."""
    entities: frozenset[str]
    """Names in the question, lower case, the speakers' too."""
    months: frozenset[int] = frozenset()
    """Months that the question names, 1 to 12."""


def words(text: str) -> list[str]:
    """Words of a text, lower case, in order."""
    return [word.lower() for word in _WORD.findall(text)]


def entities(text: str) -> frozenset[str]:
    """Names in the beginning of a text, lower case: capitalised words that do not merely begin a sentence, and numbers."""
    text = text[:READ_CHARACTERS]
    found = {match.lower() for match in _NAME.findall(text)}
    found.update(number for number in re.findall(r"\d[\d.,:/]*\d|\d{2,}", text))
    return frozenset(found - STOP_WORDS)


def named_months(text: str) -> frozenset[int]:
    """Months that a text names, 1 to 12, in English, German or Spanish."""
    found = _WORD.findall(text)
    return frozenset(MONTHS[form] for word in found for form in (word, word.lower()) if form in MONTHS)


def named_speakers(text: str, speakers: Collection[str]) -> frozenset[str]:
    """Those of `speakers` whose name, or first name, the text has as a word."""
    present = set(words(text))
    found = set()
    for speaker in speakers:
        parts = words(speaker)
        if parts and (parts[0] in present or all(part in present for part in parts)):
            found.add(speaker)
    return frozenset(found)


def parse(text: str, vector: NDArray[np.float32], speakers: Sequence[str]) -> Query:
    """Read a question.

    Args:
        text: the question.
        vector: its unit vector.
        speakers: everybody who speaks in the memory.
    """
    named = named_speakers(text, speakers)
    # The word index holds what people said, not who said it; a speaker's name would only find who was addressed.
    names = {part for speaker in named for part in words(speaker)}
    content = [word for word in words(text) if word not in STOP_WORDS and word not in names]
    unique = tuple(dict.fromkeys(content))
    asked = entities(text) | {speaker.lower() for speaker in named}
    return Query(text, vector, unique, named, asked, named_months(text))
