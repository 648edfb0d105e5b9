"""Relative dates to calendar dates, against the day on which a turn was said.

A small model cannot count days; code can. Only forms with one meaning are resolved. "On Friday" may mean the last or
the next one: the tense of its sentence tells, and where it tells nothing, or both, the words stay as they are.
English, German, Spanish and French.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from localmem.recall.calendar_days import day_name, short_day, weekday_from
from localmem.recall.date_words import BARE, FRENCH, HERE, RULES

__all__ = ["Resolved", "annotate", "day_name", "resolve", "short_day"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A relative date in a text."""

    start: int
    end: int
    """The words are text[start:end]."""
    meaning: str
    """"3 March 2025", "the week of 24 February 2025", "February 2025", "2024"."""


_COMPILED = tuple((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), meaning) for pattern, meaning in RULES)
_BARE = tuple(
    (
        bare,
        re.compile(rf"\b(?:{bare.pattern})\b", re.IGNORECASE),
        re.compile(bare.past, re.IGNORECASE),
        re.compile(bare.future, re.IGNORECASE),
    )
    for bare in BARE
)
_SENTENCE_END = re.compile(r"[.!?…;\n]+")
_MONTH = r"(?:jan|ene|f[eé]b|f[eé]v|mar|mär|a[pbv]r|ma[iy]|ju[nil]|aug|ago|ao[uû]t|sep|o[kc]t|nov|d[eéi][cz])[a-zé]*"
_DATE_FOLLOWS = re.compile(
    rf",?\s+(?:(?:the|der|den|dem|le|el)\s+\d{{1,2}}\b|(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)\b"
    rf"|\d{{1,2}}\.?\s+(?:of\s+|de\s+)?{_MONTH}|{_MONTH}\s+(?:the\s+)?\d)",
    re.IGNORECASE,
)
"""Behind a weekday that is not relative: Saturday the 14th, Samstag, den 14. Juni."""
_SENTENCE = 400
"""Characters of a sentence that are looked at on each side of a weekday."""


def resolve(text: str, said: datetime | None) -> list[Resolved]:
    """Relative dates in a text that was said at `said`, in order, not overlapping; none without a time."""
    if said is None:
        return []
    day = said.date()
    found: list[Resolved] = []
    for start, end, meaning in (*_by_rule(text, day), *_by_tense(text, day)):
        if not any(start < other.end and other.start < end for other in found):
            found.append(Resolved(start, end, meaning))
    return sorted(found, key=lambda one: one.start)


def _by_rule(text: str, day: date) -> Iterator[tuple[int, int, str]]:
    for pattern, meaning in _COMPILED:
        for match in pattern.finditer(text):
            lowered = pattern.fullmatch(match.group().lower())
            if match.group().lower() == HERE and not FRENCH.search(_sentence(text, match)):
                continue
            try:
                meant = meaning(lowered, day) if lowered else None
            except (OverflowError, ValueError):  # "900 years ago" may lie before the calendar begins
                continue
            except KeyError:  # a letter that only counts as a Latin one when case is ignored: "laſt week"
                continue
            if meant is not None:
                yield match.start(), match.end(), meant


def _by_tense(text: str, day: date) -> Iterator[tuple[int, int, str]]:
    for bare, pattern, past, future in _BARE:
        for match in pattern.finditer(text):
            wanted = bare.days.get(match["weekday"].lower())
            sentence = _sentence(text, match)
            before, after = past.search(sentence) is not None, future.search(sentence) is not None
            # Said on a Friday, "on Friday" may be today.
            if wanted is None or before == after or wanted == day.weekday():
                continue
            if _DATE_FOLLOWS.match(text, match.end()):
                continue
            try:
                yield match.start(), match.end(), weekday_from(day, wanted, -1 if before else 1)
            except OverflowError:
                continue


def _sentence(text: str, match: re.Match[str]) -> str:
    """The sentence around a match."""
    left = text[max(0, match.start() - _SENTENCE) : match.start()]
    right = text[match.end() : match.end() + _SENTENCE]
    begin = _SENTENCE_END.split(left)[-1]
    return f"{begin}{match.group()}{_SENTENCE_END.split(right)[0]}"


def annotate(text: str, said: datetime | None) -> str:
    """The text with the meaning of each relative date behind it: "yesterday (Monday 3 March 2025)"."""
    parts: list[str] = []
    at = 0
    for one in resolve(text, said):
        parts += (text[at : one.end], f" ({one.meaning})")
        at = one.end
    return "".join([*parts, text[at:]])
