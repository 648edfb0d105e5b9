"""WebVTT captions (W3C WebVTT), as meeting programs write them, with the mistakes that they make; and SubRip (.srt).

    WEBVTT

    12
    00:01:23.400 --> 00:01:26.000
    <v Anna Berg>Hello, everyone.</v>

SubRip has no header, a number before each cue and a comma in its times: "00:01:23,400"; all else is the same.

The speaker is the voice tag, or a name before a colon (`speakers.py` says when it is one), or, where names stand
only where the speaker changes, the last name; else "Unknown", as are lines of one cue that dashes part, as in subtitles
of films, and that bear no name. Cues of one speaker become one turn as long as
less than 2 seconds lie between them and the turn stays within 600 characters; from 300 on it ends with a
sentence. The source is the start of its first cue, "00:01:23.400", with the cue's id if it has one: "00:01:23.400 (cue 12)".

A cue's time is a place in a recording. A turn has a clock time only if the file says when the recording began: in its
name as Zoom writes it (GMT20250304-183000, which is UTC), or with an ISO date in its name or a
NOTE before the first cue. With a clock time, the cue's start is added; a date alone is midnight for all.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from localmem.transcripts.events import Event
from localmem.transcripts.messages import UNKNOWN
from localmem.transcripts.openings import opening_of
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.speakers import Speakers
from localmem.transcripts.speech import Merge, Said, position, recording_began
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean_line, one_line
from localmem.values import Skipped

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
_BLOCK = re.compile(r"(?:NOTE(?:\s.*)?|STYLE\s*|REGION\s*)")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,100})?(?:\s{1,9}([^>]{0,200}))?>|</v\s{0,9}>")
_TAG = re.compile(
    r"</?(?:c|i|b|u|s|ruby|rt|lang|font)(?:[.\s][^>]{0,200})?>|<\d[\d:.,]{0,20}>|\{\\an?\d{1,2}\}",
    re.IGNORECASE,
)
_CUE_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}/\d+-\d+", re.IGNORECASE)
_CHANGE = ">>"
_DASH = re.compile(r"\A[-‐–—]\s{0,3}(?=\S)")


def sniff(sample: Sample) -> str:
    """Whether it has the header, or begins with a cue that has a WebVTT or SubRip time."""
    text = sample.text.lstrip(MARKS)
    if re.match(r"WEBVTT(?:[ \t\n]|$)", text):
        return "the WEBVTT header"
    for line in text.split("\n", 8)[:8]:
        if _TIMING.fullmatch(line):
            subrip = "," in line.split("-->")[0]
            return "SubRip cue times" if subrip else "WebVTT cue times, without the header"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of the cues, merged to turns."""
    speech = _Speech(source)
    merge = Merge()
    began: datetime | None = recording_began(source.sample.name)
    for item in _cues(source):
        if isinstance(item, Skipped):
            yield item
        elif isinstance(item, str):
            began = began or recording_began(item)
        elif item.size > MAX_TEXT:
            yield Skipped(item.source(), TOO_LONG)
        else:
            segments = speech.segments(item)
            if not segments:
                yield Skipped(item.source(), "empty text")
            for speaker, text in segments:
                yield from merge.add(speaker, text, Said(item.start, item.end, item.source(), began))
    yield from merge.flush()


@dataclass(slots=True)
class _Cue:
    start: float
    end: float
    id: str
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, line: str) -> None:
        self.size += len(line) + 1
        if self.size <= MAX_TEXT:
            self.lines.append(line)

    def source(self) -> str:
        return f"{position(self.start)} (cue {self.id})" if self.id else position(self.start)


def _cues(source: Source) -> Iterator[_Cue | Skipped | str]:
    """Cues; the text of notes before the first one; and lines that should be a cue's time but are none.

    Only a line of the exact shape of a cue's time starts a cue, so "-->" may stand in speech. Such a line
    starts one wherever it stands, so blank lines may be missing. A line behind a blank line is the next cue's id
    if a time follows, else it still belongs to the cue before.
    """
    cue: _Cue | None = None
    pending: str | None = None  # behind a blank line: an id, or text
    place = "header"  # or block (note, style, region), cue, between
    note: list[str] = []
    for number, line in source.lines():
        if line is None:
            yield Skipped(f"line {number}", TOO_LONG)
            continue
        if line and line[0] in MARKS:
            line = line.lstrip(MARKS)
        timing = _TIMING.fullmatch(line) if "-->" in line else None
        if timing:
            id = pending or ""
            if cue is not None:
                if pending is None and place == "cue" and _glued_id(cue):
                    id = cue.lines.pop()
                yield cue
            elif note:
                yield " ".join(note)
                note = []
            cue = _Cue(_seconds(timing, 1), _seconds(timing, 5), clean_line(id)[:80])
            pending, place = None, "cue"
        elif not line or line.isspace():
            if pending is not None and cue is not None:
                cue.add(pending)
            pending, place = None, "between"
        elif place == "header":
            pending = line if line.strip().isdecimal() else None
        elif place == "block":
            note.append(line[:200])
            del note[20:]
        elif place == "between":
            if pending is None and _BLOCK.fullmatch(line):
                place = "block"
                note.append(line[:200])
            elif "-->" in line:
                yield Skipped(f"line {number}", "not the time of a cue")
                pending, place = None, "block"
            elif pending is None:
                pending = line
            elif cue is not None:
                cue.add(pending)
                cue.add(line)
                pending, place = None, "cue"
        elif cue is not None:
            cue.add(line)
    if cue is not None:
        if pending is not None:
            cue.add(pending)
        yield cue


def _glued_id(cue: _Cue) -> bool:
    """Whether the last line of a cue, right before the next one's time, is that one's id and no speech."""
    last = cue.lines[-1].strip() if cue.lines else ""
    if last.isdecimal() and len(last) < 10:
        return cue.id.isdecimal() and int(last) == int(cue.id) + 1
    return _CUE_ID.fullmatch(last) is not None


def _seconds(timing: re.Match[str], group: int) -> float:
    hours, minutes, seconds, fraction = timing.group(group, group + 1, group + 2, group + 3)
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000


class _Speech:
    """Who says what in a cue."""

    def __init__(self, source: Source) -> None:
        self._speakers = Speakers(_spoken(source.sample), expected=False)
        self._last = UNKNOWN

    def segments(self, cue: _Cue) -> list[tuple[str, str]]:
        """Speakers and texts of a cue, in order, without empty ones."""
        text = "\n".join(cue.lines)
        found = self._voices(text) if "<v" in text else self._named(text)
        return [(speaker, said) for speaker, part in found if (said := one_line(part))]

    def _voices(self, text: str) -> Iterator[tuple[str, str]]:
        speaker = UNKNOWN
        end = 0
        for voice in _VOICE.finditer(text):
            yield speaker, _untag(text[end : voice.start()])
            speaker = clean_line(html.unescape(voice[1] or "")) or UNKNOWN
            end = voice.end()
        yield speaker, _untag(text[end:])

    def _named(self, text: str) -> Iterator[tuple[str, str]]:
        said: list[str] = []
        lines = [line.strip() for line in _untag(text).split("\n")]
        dialogue = _is_dialogue(lines)
        for place, whole in enumerate(lines):
            change = whole.startswith(_CHANGE)
            line = whole.lstrip("> ") if change else whole
            if dialogue and (dash := _DASH.match(line)):
                change, line = True, line[dash.end() :]
            opening = opening_of(line)
            if opening is not None and (
                (change and opening.name.isupper()) or self._speakers.opens(opening, behind_blank=place == 0)
            ):
                speaker, line = opening.name, opening.text
            elif change:
                speaker = UNKNOWN
            else:
                said.append(line)
                continue
            yield self._last, "\n".join(said)
            self._last, said = speaker, [line]
        yield self._last, "\n".join(said)


def _is_dialogue(lines: list[str]) -> bool:
    """Whether the lines of a cue are of two speakers or more, each begun with a dash as in subtitles of films."""
    return _DASH.match(lines[0]) is not None and sum(_DASH.match(line) is not None for line in lines) > 1


def _spoken(sample: Sample) -> Iterator[str]:
    """Lines of a sample that may be speech, from the first cue on, a blank one between cues."""
    begun = False
    for line in sample.lines():
        if "-->" in line:
            begun = True
            yield ""
        elif begun and not line.strip().isdecimal() and not _CUE_ID.fullmatch(line):
            yield _DASH.sub("", _untag(line).lstrip("> " + MARKS), count=1)


def _untag(text: str) -> str:
    if "<" in text or "{" in text:
        text = _TAG.sub("", text)
    return html.unescape(text) if "&" in text else text
