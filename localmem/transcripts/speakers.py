"""Which beginnings of lines name a speaker, decided by the evidence of many lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from localmem.transcripts.text import clean_line

_POSITION = r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_STAMP = (
    r"(?:\[(?P<square>[^\]\n]{0,20}\d[^\]\n]{0,30})\]|\((?P<round>\d[\d:.,/ T+Z-]{3,30})\)"
    r"|(?P<bare>\d{4}-\d{1,2}-\d{1,2}[T\s,]{1,2}\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AaPp][Mm])?"
    r"(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?|\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,3})?)(?=\s))"
    r"\s*+(?:[-–—|]\s++)?"
)
_NAME = r"[@+~]?[^\W_][^:：\n\[\]<>{}=|\"/\\?!;*]{0,59}?"
_OPENING = re.compile(
    rf"(?:{_STAMP})?+(?:"
    r"\[(?P<bracketed>[^\]:\n]{1,60})\]\s{0,9}[:：]"
    r"|(?P<bold>\*\*|__)(?P<strong>[^*:：\n]{1,60}?)(?:[:：](?P=bold)|(?P=bold)\s{0,9}[:：])"
    rf"|(?P<name>{_NAME})(?:\s{{0,9}}[\[(](?P<after>{_POSITION})[\])])?\s{{0,9}}(?P<colon>[:：])"
    r")(?P<text>.*)",
    re.DOTALL,
)
_TIME_LIKE = re.compile(r"(?=.*\d[:/.-]\d).{4,}")
_PARTICLES = frozenset(
    (
        "al",
        "and",
        "at",
        "bin",
        "da",
        "de",
        "del",
        "der",
        "di",
        "du",
        "el",
        "la",
        "le",
        "of",
        "the",
        "van",
        "von",
    )
) | frozenset("y&+-")

NOT_NAMES = frozenset(
    """action actions|action items|agenda|attendees|bcc|btw|cc|conclusion|conclusions|date|decision|decisions
    |duration|e.g|edit|edited|eg|error|example|ftp|fw|fwd|fyi|from|hint|http|https|i.e|ie|important|link|links
    |location|mailto|meeting|n.b|nb|next steps|note|notes|p.s|participants|place|pps|present|ps|re|recorded
    |reminder|result|results|source|subject|summary|time|tip|title|tl;dr|tldr|to|todo|topic|topics|update|url
    |warning""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
"""Words before a colon that open no turn, unless a time, brackets or bold type mark them as a speaker."""

_SOME = 0.7
_NEW_NAMES = 1000


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a line that may open a turn."""

    name: str
    text: str
    stamp: str
    """Time or position in a recording that stands with the name, as it is written."""
    marked: bool
    """A stamp, brackets or bold type: more than a word and a colon."""
    spaced: bool
    """Whether a space or the end of the line follows the colon."""


def opening_of(line: str) -> Opening | None:
    """The name and the rest of a line that has the shape of an opening.

    Shapes: `Name: text`, `[Name]: text`, `**Name:** text`, `**Name**: text`, `Name (00:12): text`, each
    with or without a time before it: `[...]`, `(...)`, or bare with date or seconds. A name has at most 60
    characters; without a time it does not start with a digit, so that "10:30 Meeting: ..." is no opening.
    """
    match = _OPENING.match(line)
    if match is None:
        return None
    bracketed, strong, name, text = match["bracketed"], match["strong"], match["name"], match["text"]
    stamp = match["square"] or match["round"] or match["bare"] or ""
    if match["square"] and not _TIME_LIKE.fullmatch(stamp):
        return None  # [something 1] Name: no time
    unmarked = bracketed is None and strong is None
    found = clean_line(bracketed or strong or name).strip("-–—| ")
    if not found or (unmarked and not stamp and found[0].isdigit()):
        return None  # "10: 30 people", "1: first item"
    fullwidth = match["colon"] == "：" or not unmarked
    spaced = not text or text[0].isspace() or fullwidth
    stamp = stamp or match["after"] or ""
    return Opening(found, text.strip(), stamp, bool(stamp) or not unmarked, spaced)


class Speakers:
    """The names of one file.

    A marked opening (time, brackets, bold) counts always. If at least half of the openings in the sample
    are marked, an unmarked one counts only with a name that was also seen marked. Otherwise a name counts if
    it recurs, or if the file is dense (70 % of its lines are openings of names), or if openings
    stand behind blank lines in this file and this one does. A few words, such as "Note" or "Agenda", never do.
    """

    def __init__(self, lines: Iterable[str], *, expected: bool = True) -> None:
        """Count the names.

        Args:
            lines: the sample's; blank ones matter.
            expected: whether the text must have speakers; then, as long as fewer than two names recur, names
                that stand once are believed too. Captions may have none.
        """
        marked: Counter[str] = Counter()
        unmarked: Counter[str] = Counter()
        behind_blank = total = strong = 0
        blank = True
        for line in lines:
            if not line or line.isspace():
                blank = True
                continue
            total += 1
            opening = opening_of(line)
            if opening is not None and opening.marked:
                marked[opening.name] += 1
            elif opening is not None and opening.spaced and _plausible(opening.name):
                unmarked[opening.name] += 1
                strong += _capitalised(opening.name)
                behind_blank += blank
            blank = False
        self.marked_turns = marked.total()
        self._strict = self.marked_turns > 0 and self.marked_turns >= unmarked.total()
        least = max(2, unmarked.most_common(1)[0][1] // 100) if unmarked else 2
        self.recurring = frozenset(name for name, count in unmarked.items() if count >= least)
        self._known = frozenset(marked) | (frozenset() if self._strict else self.recurring)
        # Two people at least: a chat in which all but one speak once shows no other name that recurs.
        few = expected and len(self._known) < 2 and not self._strict
        self._dense = total > 0 and (few or strong >= _SOME * total)
        self._spread = unmarked.total() > 2 and behind_blank >= 0.9 * unmarked.total()
        self._new: Counter[str] = Counter()
        self.turns = self.marked_turns + sum(
            count
            for name, count in unmarked.items()
            if name in self._known or (self._dense and not self._strict and _capitalised(name))
        )
        """Openings in the sample that count."""
        self.lines = total
        """Lines of the sample that are not blank."""

    def opens(self, opening: Opening, behind_blank: bool) -> bool:
        """Whether the opening is one."""
        if opening.marked or opening.name in self._known:
            return True
        if self._strict or not opening.spaced or not _plausible(opening.name):
            return False
        if (self._dense or (self._spread and behind_blank)) and _capitalised(opening.name):
            return True
        # Someone who joins later: the second time, it is a name.
        if len(self._new) < _NEW_NAMES or opening.name in self._new:
            self._new[opening.name] += 1
        return self._new[opening.name] > 1 and _capitalised(opening.name)


def _plausible(name: str) -> bool:
    return name.lower().strip(". ") not in NOT_NAMES and len(name.split()) <= 5


def _capitalised(name: str) -> bool:
    """Whether it is one word, or every word starts as names do; scripts without case always do."""
    words = name.split()
    return len(words) == 1 or all(not word[0].islower() or word in _PARTICLES for word in words)
