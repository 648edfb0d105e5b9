"""Speech in pieces with times of a recording, joined to turns: what captions and recognisers share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from localmem.transcripts.times import find_date
from localmem.values import Turn

MAX_GAP = 2.0
"""Seconds of silence that end a turn."""
SENTENCE_FROM = 300
"""Characters from which a turn ends with its sentence."""
MAX_MERGED = 600
"""Characters that merging does not exceed."""

_ZOOM = re.compile(r"GMT(\d{8})-(\d{6})")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)]*$")


@dataclass(frozen=True, slots=True)
class Said:
    """Where a piece stands in its recording."""

    start: float
    """Seconds from the beginning."""
    end: float
    source: str
    """As the turn shows it, if it is the first piece of one."""
    began: datetime | None
    """When the recording began, if that is known."""


def position(seconds: float) -> str:
    """A place in a recording: 00:01:23.400."""
    minutes, rest = divmod(round(seconds * 1000), 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"


class Merge:
    """Joins what one speaker says in cues that follow each other closely."""

    def __init__(self) -> None:
        self._speaker = ""
        self._text = ""
        self._first = Said(0.0, 0.0, "", None)
        self._end = 0.0
        self._at: datetime | None = None

    def add(self, speaker: str, text: str, said: Said) -> Iterator[Turn]:
        """Take a segment; yields the turn that it ends."""
        if self._text and (
            speaker != self._speaker
            or not self._first.start <= said.start <= self._end + MAX_GAP
            or len(self._text) + 1 + len(text) > MAX_MERGED
            or (len(self._text) >= SENTENCE_FROM and _SENTENCE_END.search(self._text[-8:]))
        ):
            yield from self.flush()
        if not self._text:
            self._speaker, self._first, self._text = speaker, said, text
            self._end = said.end
            self._at = _moment(said.began, said.start)
        else:
            self._text += " " + text
            self._end = max(self._end, said.end)

    def flush(self) -> Iterator[Turn]:
        """The turn that is open, if any."""
        if self._text:
            yield Turn(self._speaker, self._text, self._at, self._first.source)
        self._text = ""


def recording_began(text: str) -> datetime | None:
    """When the recording began, from a file's name or a note."""
    if zoom := _ZOOM.search(text):
        try:
            return datetime.strptime("".join(zoom.groups()), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            return None
    found = find_date(text) if re.search(r"\d{4}-\d{2}-\d{2}", text) else None
    return found[0] if found and 1970 <= found[0].year <= 2200 else None


def _moment(began: datetime | None, start: float) -> datetime | None:
    """The start of a cue on the clock; midnight stands for a date without a time, which has no such."""
    if began is None or (began.hour, began.minute, began.second) == (0, 0, 0):
        return began
    return began + timedelta(seconds=start)
