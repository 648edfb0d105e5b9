"""Plain text: one turn after the other, each opened by its speaker.

    # Session 3, 4 March 2025
    Anna: Hello!
    [00:01:23] Ben: Hi. This goes on
    in the next line.
    [2025-03-04 18:32] Anna: The time of one turn.

What opens a turn is said in `speakers.py`; every other line belongs to the turn before it. A time with a date is
the turn's time; `[00:01:23]` or `[18:32]` is a place in a recording and stands in the turn's source, with
the line: "00:01:23, line 3". Otherwise the source is "line 3". The time may stand without brackets, with a comma, a dash or
spaces behind it: `04/03/2025, 18:32 - Anna: Hello`. Where times mark the turns, a line with a time and without
a name, such as "18:40 - Anna left", is skipped.

Two notes tell what may have been read wrong: lines that look like an unknown speaker's and were taken as part of a
turn, and a file in which no name stands twice, which may be a list.

A heading starts a new session, whose name is the heading's text, and gives its date (and time; without one,
midnight) to the turns that have none of their own. Headings are:

- a line between or behind `#`, `---`, `===`, `***`, `___` that has a date or starts with "Session";
- a line that starts with "Session" and a number, with or without a date;
- a line `Date: ...` with nothing but a date;
- a line that is nothing but a date, behind a blank line or at the start.

Dates are as in `times.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from localmem.transcripts.events import Event
from localmem.transcripts.openings import Opening, Style, opening_of
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.speakers import Speakers
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean, clean_line
from localmem.values import Skipped, Turn

_MARKED_HEADING = re.compile(r"\s*(?:#{1,6}\s|[-=*_]{3,})\s*(?P<title>[^\s#=*_-].*?)\s*[-=*_#]*\s*")
_RULE = re.compile(r"\s*[-=*_]{3,}\s*")
_SESSION = re.compile(r"session\b", re.IGNORECASE)
_NUMBERED = re.compile(r"session\s+#?\d{1,4}\b(?P<rest>.*)", re.IGNORECASE)
_DATE_LINE = re.compile(r"date\s*[:：]\s*(?P<date>.+)", re.IGNORECASE)
_POSITION = re.compile(r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s?[ap]\.?\s?m\.?)?", re.IGNORECASE)
_LONGEST_HEADING = 120
_ONCE_EACH = 6
"""Names that may all be different in a talk without times."""
_ONE_TURN = 3
"""Lines of a text that may have a single turn."""


def sniff(sample: Sample) -> str:
    """Whether the lines of the sample have recurring or marked speakers, or few lines that all have one."""
    speakers = Speakers(line.lstrip(MARKS) for line in sample.lines())
    turns = speakers.turns
    if not turns:
        return ""
    if not speakers.stamped and not speakers.timed and not speakers.recurring and turns > _ONCE_EACH:
        return ""  # many names, each once: a list of settings rather than a talk
    if not speakers.stamped and turns == 1 and speakers.lines > _ONE_TURN:
        return ""
    return f"{turns} of {speakers.lines} lines open with a speaker"


def has_openings(sample: Sample) -> bool:
    """Whether some lines would open turns if the text is a conversation after all."""
    return Speakers(line.lstrip(MARKS) for line in sample.lines()).turns > 0


def parse(source: Source) -> Iterator[Event]:
    """Events of the lines. Raises TranscriptError when no line opens a turn."""
    parser = _Parser(source)
    for number, line in source.lines():
        yield from parser.line(number, line)
    yield from parser.flush()
    if not parser.opened:
        raise source.error(
            "no line opens with a speaker",
            hint="Plain text needs lines like 'Speaker: text' or '[time] Speaker: text'.",
        )
    source.notes += parser.doubts()


class _Parser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._speakers = Speakers(line.lstrip(MARKS) for line in source.sample.lines())
        self._session = ""
        self._date: datetime | None = None
        self._speaker = ""
        self._at: datetime | None = None
        self._where = ""
        self._lines: list[str] = []
        self._size = 0
        self._behind_blank = True
        self._stray = False
        self._names: Counter[str] = Counter()
        self._dated = False
        self._resembling = 0
        self._first_resembling = ""
        self.opened = 0

    def line(self, number: int, line: str | None) -> Iterator[Event]:
        """Events that the line completes."""
        if line is None:
            yield Skipped(f"line {number}", TOO_LONG)
            return
        if line and line[0] in MARKS:
            line = line.lstrip(MARKS)
        if not line or line.isspace() or _RULE.fullmatch(line):
            if self._lines and self._lines[-1]:
                self._lines.append("")
            self._behind_blank = True
            return
        behind_blank, self._behind_blank = self._behind_blank, False
        opening = opening_of(line)
        if heading := _heading(line, behind_blank, self._source):
            yield from self.flush()
            self._session, self._date = heading
            self._stray = False
        elif opening is not None and self._speakers.opens(opening, behind_blank):
            yield from self.flush()
            self._open(number, opening)
        elif self._speakers.interrupts(line):
            yield from self.flush()
            self._stray = True
            yield Skipped(f"line {number}", "a time, but no 'Name: ' behind it")
        elif self._where:
            if opening is not None and self._speakers.resembles(opening):
                self._resembling += 1
                self._first_resembling = self._first_resembling or f"line {number} ({opening.name!r})"
            if self._size <= MAX_TEXT:
                self._lines.append(line)
                self._size += len(line) + 1
        elif not self._stray:
            self._stray = True
            yield Skipped(f"line {number}", "text before the first speaker")

    def _open(self, number: int, opening: Opening) -> None:
        self.opened += 1
        self._speaker = opening.name
        if len(self._names) < _ONCE_EACH or opening.name in self._names:
            self._names[opening.name] += 1
        self._dated = self._dated or bool(self._date or opening.style is Style.STAMP)
        self._where = f"line {number}"
        self._at = self._date
        if _POSITION.fullmatch(opening.stamp):
            self._where = f"{opening.stamp}, line {number}"
        elif opening.stamp:
            self._at = self._source.time(opening.stamp, self._where) or self._date
        self._lines = [opening.text]
        self._size = len(opening.text)

    def doubts(self) -> Iterator[str]:
        """Notes about what may have been read wrong."""
        if self._resembling:
            what = (
                "line looks like a speaker's and was"
                if self._resembling == 1
                else "lines look like a speaker's and were"
            )
            yield (
                f"{self._resembling:,} {what} read as part of the turn before, first {self._first_resembling};"
                " a speaker is known by speaking twice"
            )
        if len(self._names) == self.opened > 1 and not self._dated:
            yield f"no speaker speaks twice ({', '.join(self._names)}): is this a list rather than a conversation?"

    def flush(self) -> Iterator[Event]:
        """The turn that is open, if any."""
        if self._where:
            text = clean("\n".join(self._lines)) if self._size <= MAX_TEXT else ""
            if self._size > MAX_TEXT:
                yield Skipped(self._where, TOO_LONG)
            elif text:
                yield Turn(self._speaker, text, self._at, self._where, self._session)
            else:
                yield Skipped(self._where, "empty text")
        self._where = ""
        self._lines = []
        self._size = 0


def _heading(line: str, behind_blank: bool, source: Source) -> tuple[str, datetime | None] | None:
    """Label and date of a heading; None for any other line."""
    if len(line) > _LONGEST_HEADING:
        return None
    if line[0] in "#-=*_":
        match = _MARKED_HEADING.fullmatch(line)
        title = clean_line(match["title"]) if match else ""
        found = source.date(title) if title else None
        return (title, found[0] if found else None) if found or _SESSION.match(title) else None
    first = line[0]
    if first in "sS" and (match := _NUMBERED.fullmatch(line)):
        found = source.date(match["rest"])
        # "Session 3 was great" is somebody's sentence.
        if not (found[1] if found else match["rest"]).strip(" .,:"):
            return clean_line(line), found[0] if found else None
    elif first in "dD" and (match := _DATE_LINE.match(line)):
        found = source.date(match["date"])
        return (clean_line(match["date"]), found[0]) if found and not found[1] else None
    elif behind_blank and (found := source.date(line)) and not found[1]:
        return clean_line(line), found[0]
    return None
