"""Which beginnings of lines name a speaker, decided by the evidence of many lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

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
"""Words before a colon that open no turn, unless a time stands with them."""

_DENSE = 0.6
"""Share of lines that are openings of recurring names, from which a name that stands once is believed."""
_SPREAD = 0.9
"""Share of openings behind a blank line, from which that is taken as the file's habit."""
_NEW_NAMES = 1000
"""How many names behind the sample are kept in mind."""


class Style(StrEnum):
    """How an opening is written; of two that are equally frequent in a file, the first is its style."""

    STAMP = "stamp"
    """With a time or a position in a recording."""
    BRACKET = "bracket"
    """[Name]: text"""
    BOLD = "bold"
    """**Name:** text"""
    BARE = "bare"
    """Name: text"""


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a line that may open a turn."""

    name: str
    text: str
    stamp: str
    """Time or position in a recording that stands with the name, as it is written."""
    style: Style
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
    style = Style.BARE if unmarked else Style.BRACKET if bracketed is not None else Style.BOLD
    return Opening(found, text.strip(), stamp, Style.STAMP if stamp else style, spaced)


class Speakers:
    """The names of one file.

    An opening with a stamp always counts. Of the styles, the file's own is the one in which most recurring names
    stand; in another, only a name that is known from the file's own counts, so that bold headings in an answer are no
    speakers. In the file's own style a name counts if it recurs, or if the file is dense (60 % of
    its lines are openings of names that recur), or if openings stand behind blank lines in this file and this one does; where
    stamps are the style, only if it was seen with one. A few words, such as "Note" or "Agenda", never do.
    """

    def __init__(self, lines: Iterable[str], *, expected: bool = True) -> None:
        """Count the names.

        Args:
            lines: the sample's; blank ones matter.
            expected: whether the text must have speakers; then, as long as fewer than two names recur, names
                that stand once are believed too. Captions may have none.
        """
        names: dict[Style, Counter[str]] = {style: Counter() for style in Style}
        behind_blank: Counter[Style] = Counter()
        self.lines = 0
        """Lines of the sample that are not blank."""
        blank = True
        for line in lines:
            if not line or line.isspace():
                blank = True
                continue
            self.lines += 1
            opening = opening_of(line)
            if opening is not None and (opening.style is Style.STAMP or _may_be(opening)):
                names[opening.style][opening.name] += 1
                behind_blank[opening.style] += blank
            blank = False
        self._style = max(Style, key=lambda style: (_recurring(names[style]).total(), names[style].total()))
        own = names[self._style]
        self.stamped = names[Style.STAMP].total()
        """Openings in the sample that have a stamp."""
        self.recurring = frozenset(_recurring(own))
        self._known = self.recurring | frozenset(names[Style.STAMP])
        # Two people at least: a chat in which all but one speak once shows no other name that recurs.
        few = expected and len(self._known) < 2
        self._dense = few or _recurring(own).total() >= _DENSE * self.lines
        self._spread = own.total() > 2 and behind_blank[self._style] >= _SPREAD * own.total()
        self._new: Counter[str] = Counter()
        self.turns = self.stamped
        """Openings in the sample that count."""
        if self._style is not Style.STAMP:
            self.turns += sum(
                count
                for name, count in own.items()
                if name in self._known or (self._dense and _capitalised(name))
            )

    def opens(self, opening: Opening, behind_blank: bool) -> bool:
        """Whether the opening is one."""
        if opening.style is Style.STAMP or opening.name in self._known:
            return True
        if opening.style is not self._style or not _may_be(opening) or not _capitalised(opening.name):
            return False
        if self._dense or (self._spread and behind_blank):
            return True
        # Someone who joins later: the second time, it is a name.
        if len(self._new) < _NEW_NAMES or opening.name in self._new:
            self._new[opening.name] += 1
        return self._new[opening.name] > 1


def _recurring(names: Counter[str]) -> Counter[str]:
    """The names that stand at least twice, and not a hundred times less than the most frequent."""
    least = max(2, names.most_common(1)[0][1] // 100) if names else 2
    return Counter({name: count for name, count in names.items() if count >= least})


def _may_be(opening: Opening) -> bool:
    return opening.spaced and _plausible(opening.name)


def _plausible(name: str) -> bool:
    return name.lower().strip(". ") not in NOT_NAMES and len(name.split()) <= 5


def _capitalised(name: str) -> bool:
    """Whether it is one word, or every word starts as names do; scripts without case always do."""
    words = name.split()
    return len(words) == 1 or all(not word[0].islower() or word in _PARTICLES for word in words)
