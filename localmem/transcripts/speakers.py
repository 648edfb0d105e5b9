"""Which beginnings of lines name a speaker, decided by the evidence of many lines."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from localmem.transcripts.openings import Opening, Style, opening_of, stamp_of

_ASIDE = re.compile(r"\s*\([^()]*\)$")
_PARTICLES = frozenset(
    [
        "af",
        "al",
        "and",
        "at",
        "av",
        "bin",
        "da",
        "das",
        "de",
        "del",
        "den",
        "der",
        "di",
        "do",
        "dos",
        "du",
        "e",
        "el",
        "ibn",
        "la",
        "le",
        "of",
        "ter",
        "the",
        "und",
        "van",
        "vom",
        "von",
        "y",
        "zu",
        "zum",
        "zur",
        "&",
        "+",
        "-",
    ]
)

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
_LEADING = 4
"""Words of a name that begins most cues of captions."""
_TIMED = (Style.STAMP, Style.SHORT)
_NEW_NAMES = 1000
"""How many names behind the sample are kept in mind."""


class Speakers:
    """The names of one file.

    Of the styles, the file's own is the one in which most recurring names stand. Where that is a time before the name, every
    line with such a time opens a turn, whatever the name looks like, and no other line does unless its name
    was seen with one. An opening with a date and a time, or a time in brackets, counts in any file; a short one,
    "10:02 Name:", only where it is the style.

    Elsewhere a name in another style than the file's counts only if it is known from the file's own, so that bold
    headings in an answer are no speakers. In the file's own style a name counts if it recurs, or if the file is
    dense (60 % of its lines are openings of names that recur), or if openings stand behind blank lines in this
    file and this one does. In captions, names that stand once count if most cues begin with one. A few words, such
    as "Note" or "Agenda", never do.
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
        stamps: Counter[str] = Counter()
        first: Style | None = None
        starts = led = short = 0
        self.lines = 0
        """Lines of the sample that are not blank."""
        blank = True
        for line in lines:
            if not line or line.isspace():
                blank = True
                continue
            self.lines += 1
            starts += blank
            opening = opening_of(line)
            short += (stamp := stamp_of(line)) is not None and stamp.shape == "short"
            if opening is not None and (opening.style in _TIMED or _may_be(opening)):
                first = first or opening.style
                names[opening.style][opening.name] += 1
                behind_blank[opening.style] += blank
                stamps[opening.shape] += 1
                led += blank and opening.style not in _TIMED and _leads(opening.name)
            blank = False
        self._style = _style(
            names, short_stands=expected and first is Style.SHORT and short * 2 >= self.lines
        )
        own = names[self._style]
        self.timed = expected and self._style in _TIMED
        """Whether times mark the turns."""
        self._shapes = {shape for shape in stamps if shape and self.timed}
        if self._style is not Style.SHORT:
            self._shapes.discard("short")
        self.stamped = names[Style.STAMP].total()
        """Openings in the sample that have a stamp."""
        self.recurring = frozenset(_recurring(own))
        self._known = (
            self.recurring | frozenset(names[Style.STAMP]) | (frozenset(own) if self.timed else set())
        )
        # Two people at least: a chat in which all but one speak once shows no other name that recurs.
        few = expected and len(self._known) < 2
        self._dense = few or _recurring(own).total() >= _DENSE * self.lines
        self._spread = own.total() > 2 and behind_blank[self._style] >= _SPREAD * own.total()
        self._led = not expected and led > 1 and led * 2 > starts
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
        if opening.shape:
            if opening.style is Style.STAMP and not opening.loose:
                return True
            return opening.shape in self._shapes
        if opening.style is Style.STAMP or opening.name in self._known:
            return True
        if opening.style is not self._style or not _may_be(opening) or not _capitalised(opening.name):
            return False
        if self._dense or (behind_blank and (self._spread or (self._led and _leads(opening.name)))):
            return True
        # Someone who joins later: the second time, it is a name.
        if len(self._new) < _NEW_NAMES or opening.name in self._new:
            self._new[opening.name] += 1
        return self._new[opening.name] > 1

    def interrupts(self, line: str) -> bool:
        """Whether a line that opens no turn begins with a time as the turns of this file do."""
        stamp = stamp_of(line) if self._shapes else None
        return stamp is not None and stamp.shape in self._shapes

    def resembles(self, opening: Opening) -> bool:
        """Whether an opening that is none looks like those of the file."""
        return opening.style is self._style and not self.timed and _may_be(opening) and _looks(opening.name)


def _style(names: Mapping[Style, Counter[str]], *, short_stands: bool) -> Style:
    """The style of a file: that of most names that recur, or else of most names; a time counts three times.

    Args:
        names: of the openings in the sample.
        short_stands: whether the first opening has a short time, and at least half of the lines; only then it may
            be the style.
    """
    evidence = {
        style: (_recurring(found).total(), found.total() * (3 if style is Style.STAMP else 1))
        for style, found in names.items()
    }
    if not short_stands:
        del evidence[Style.SHORT]
    return max(evidence, key=lambda style: evidence[style])


def _recurring(names: Counter[str]) -> Counter[str]:
    """The names that stand at least twice, and not a hundred times less than the most frequent."""
    least = max(2, names.most_common(1)[0][1] // 100) if names else 2
    return Counter({name: count for name, count in names.items() if count >= least})


def _may_be(opening: Opening) -> bool:
    return opening.spaced and _plausible(opening.name)


def _plausible(name: str) -> bool:
    """Whether it is no known word and has at most five words, besides particles and what stands in brackets."""
    words = [word for word in _ASIDE.sub("", name).split() if word not in _PARTICLES]
    return name.lower().strip(". ") not in NOT_NAMES and len(words) <= 5


def _capitalised(name: str) -> bool:
    """Whether it is one word, or every word starts as names do; scripts without case always do.

    A symbol before words is rather that of a list; names with one are believed when they recur.
    """
    words = _ASIDE.sub("", name).split()
    if _is_symbol(name[0]) and any(letter.isalnum() for letter in name):
        return False
    return len(words) == 1 or all(not word[0].islower() or word in _PARTICLES for word in words)


def _leads(name: str) -> bool:
    words = name.split()
    return len(words) <= _LEADING and all(not word[0].islower() for word in words)


def _looks(name: str) -> bool:
    """Whether people may find that it is a name: also "ChatGPT said"."""
    words = name.split()
    return (
        (len(words) <= 2 and not words[0][0].islower())
        or _capitalised(name.lstrip("~@ "))
        or _is_symbol(name[0])
    )


def _is_symbol(letter: str) -> bool:
    return unicodedata.category(letter) == "So"
