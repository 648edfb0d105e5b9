"""Text of Otter: a name and a place in the recording above what was said.

    Weekly sync
    Tue, Mar 4, 2025 6:30PM • 32:10

    Anna Berg  0:21
    I adopted a dog.

    Transcribed by https://otter.ai

The name may be missing; then it is the one before, or "Unknown". The place stands in the turn's source; a date above the first
name makes it a time. What stands before the first name is no turn, and neither is the footer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from localmem.transcripts.events import Event
from localmem.transcripts.messages import UNKNOWN
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean, clean_line
from localmem.values import Skipped, Turn

_HEADER = re.compile(
    r"(?:(?P<name>[^\s:][^:\t]{0,79}?)(?:\s{2,}|\t\s*)|\s{0,4})(?P<at>(?:\d{1,2}:)?\d{1,2}:\d{2})\s*"
)
_FOOTER = re.compile(r"\s*Transcribed by https?://otter\.ai/?\s*", re.IGNORECASE)
_DATED = re.compile(r"[^•\n]{0,80}\b\d{4}\b[^•\n]{0,40}(?:•.*)?")
_LONGEST = 200
"""Characters of a header."""
_LEAST = 2
"""Headers from which a text is one of Otter, or one and the footer."""


def sniff(sample: Sample) -> str:
    """Whether lines with a name, spaces and a place stand above text, behind blank lines."""
    lines = [line.strip(MARKS) for line in sample.lines()]
    found = named = 0
    for place, line in enumerate(lines[:-1]):
        header = _header(line)
        if header and lines[place + 1].strip() and (place == 0 or not lines[place - 1].strip() or named):
            found += 1
            named += header["name"] is not None
    footer = any(_FOOTER.fullmatch(line) for line in lines)
    if named and (found >= _LEAST or footer):
        return f"{found} lines with a name and a place in a recording, as Otter writes them"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of the paragraphs. Raises TranscriptError when no line is a header."""
    parser = _Parser(source)
    for number, line in source.lines():
        yield from parser.line(number, line)
    yield from parser.flush()
    if not parser.opened:
        raise source.error(
            "no line has a name and a place in a recording", hint="Otter writes: Anna Berg  0:21"
        )


def _header(line: str) -> re.Match[str] | None:
    return _HEADER.fullmatch(line) if len(line) <= _LONGEST else None


class _Parser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._began: datetime | None = None
        self._speaker = ""
        self._known = UNKNOWN
        self._at: datetime | None = None
        self._where = ""
        self._lines: list[str] = []
        self._size = 0
        self.opened = False

    def line(self, number: int, line: str | None) -> Iterator[Event]:
        """Events that the line completes."""
        if line is None:
            yield Skipped(f"line {number}", TOO_LONG)
            return
        if line and line[0] in MARKS:
            line = line.lstrip(MARKS)
        header = _header(line)
        if header:
            yield from self.flush()
            self._open(number, header)
        elif _FOOTER.fullmatch(line):
            yield from self.flush()
        elif self._where:
            if self._size <= MAX_TEXT:
                self._lines.append(line)
                self._size += len(line) + 1
        elif not self.opened and self._began is None and _DATED.fullmatch(line):
            found = self._source.date(line)
            self._began = found[0] if found and 1970 <= found[0].year <= 2200 else None

    def _open(self, number: int, header: re.Match[str]) -> None:
        self.opened = True
        self._known = clean_line(header["name"] or "") or self._known
        self._speaker = self._known
        self._where = f"{header['at']}, line {number}"
        seconds = 0
        for part in header["at"].split(":"):
            seconds = seconds * 60 + int(part)
        clock = self._began is not None and (self._began.hour, self._began.minute) != (0, 0)
        self._at = self._began + timedelta(seconds=seconds) if clock and self._began else self._began

    def flush(self) -> Iterator[Event]:
        """The turn that is open, if any."""
        if self._where:
            text = clean("\n".join(self._lines)) if self._size <= MAX_TEXT else ""
            if self._size > MAX_TEXT:
                yield Skipped(self._where, TOO_LONG)
            elif text:
                yield Turn(self._speaker, text, self._at, self._where)
            else:
                yield Skipped(self._where, "empty text")
        self._where = ""
        self._lines = []
        self._size = 0
