"""What recognisers of speech write as JSON: Whisper, WhisperX, whisper.cpp, and the pipelines of transformers.

    {"text": "...", "segments": [{"start": 0.0, "end": 2.5, "text": " I adopted a dog.", "speaker": "SPEAKER_00"}]}
    {"transcription": [{"offsets": {"from": 0, "to": 2500}, "text": " I adopted a dog."}]}
    {"chunks": [{"timestamp": [0.0, 2.5], "text": " I adopted a dog."}]}

Segments of one speaker that follow each other are one turn, as in captions. Without speakers it is "Unknown". The
times are places in a recording; a date in the file's name makes them times of day. A recogniser that hears nothing
invents: segments that by their own numbers are no speech, or the same words over and over, are skipped with that reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, walk
from localmem.transcripts.messages import UNKNOWN, flatten, label_of
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.transcripts.speech import Merge, Said, position, recording_began
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, one_line
from localmem.values import Skipped

# The limits by which Whisper itself decides.
NO_SPEECH = 0.6
"""Probability that nobody speaks, ..."""
UNSURE = -1.0
"""... together with a mean log probability of the words below this."""
REPETITIVE = 2.4
"""Compression ratio of a text that says the same over and over."""
_CERTAINLY_NONE = 0.95

_LISTS = ("segments", "transcription", "chunks")
_INTO = {(), *((name,) for name in _LISTS)}
_SEGMENTS = re.compile(
    r'"segments"\s*:\s*\[\s*(?:\]|\{[^{}\[\]]{0,200}?"(?:start|end|seek)"\s*:)'
    r'|"transcription"\s*:\s*\[\s*\{\s*"(?:timestamps|offsets)"\s*:'
    r'|"chunks"\s*:\s*\[\s*\{[^{}\[\]]{0,2000}?"timestamp"\s*:\s*\['
)
_LONG_TEXT = re.compile(r'\{\s*"text"\s*:\s*"(?:[^"\\]|\\.)*+\\?\Z', re.DOTALL)


def sniff(sample: Sample) -> str:
    """Whether it is a JSON object with segments that have times, or begins with a text longer than the sample."""
    text = sample.text.lstrip(MARKS + " \t\n")
    if text[:1] != "{":
        return ""
    if found := _SEGMENTS.search(text):
        return f"JSON with {found.group().split(':')[0]} of recognised speech"
    return "" if sample.complete or not _LONG_TEXT.match(text) else "JSON that begins with a whole talk"


def parse(source: Source) -> Iterator[Event]:
    """Events of the segments, merged to turns."""
    merge = Merge()
    began = recording_began(source.sample.name)
    number = 0
    start = 0.0
    for place, value in walk(source, 32 * MAX_LINE, _INTO):
        if len(place) != 2 or place[0] not in _LISTS or place[1]:
            continue
        number += 1
        where = f"segment {number}"
        if not isinstance(value, dict):
            yield Skipped(where, value.reason if isinstance(value, Broken) else "not a JSON object")
            continue
        start, end = _span(value, start)
        where = f"{position(start)} ({where})"
        text = one_line(flatten(value.get("text")))
        if reason := _invented(value) or ("" if text else "empty text"):
            yield Skipped(where, reason)
        elif len(text) > MAX_TEXT:
            yield Skipped(where, TOO_LONG)
        else:
            yield from merge.add(_speaker(value), text, Said(start, end, where, began))
    yield from merge.flush()


def _span(segment: Mapping[str, Any], before: float) -> tuple[float, float]:
    """Start and end in seconds; where the first is missing, that of the segment before."""
    first, last = segment.get("start"), segment.get("end")
    if isinstance(times := segment.get("timestamp"), list) and len(times) == 2:
        first, last = times
    if isinstance(offsets := segment.get("offsets"), dict):
        first, last = (_number(offsets.get(key), -1000.0) / 1000 for key in ("from", "to"))
    start = _number(first, before)
    return start, max(start, _number(last, start))


def _number(value: object, default: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    try:
        number = float(value)
    except OverflowError:
        return default
    return number if math.isfinite(number) and 0 <= number < 1e7 else default


def _speaker(segment: Mapping[str, Any]) -> str:
    """Of the segment, else of its first word that has one."""
    if speaker := label_of(segment.get("speaker")):
        return speaker
    words = segment.get("words")
    for word in words if isinstance(words, list) else ():
        if isinstance(word, dict) and (speaker := label_of(word.get("speaker"))):
            return speaker
    return UNKNOWN


def _invented(segment: Mapping[str, Any]) -> str:
    """Why a segment is likely none of what was said."""
    silence, sure, ratio = (
        _any(segment.get(key)) for key in ("no_speech_prob", "avg_logprob", "compression_ratio")
    )
    if silence is not None and silence > NO_SPEECH:
        unsure = sure is not None and sure < UNSURE
        if unsure or silence > _CERTAINLY_NONE:
            return f"likely no speech (no_speech_prob {silence:.2f})"
    if ratio is not None and ratio > REPETITIVE:
        return f"likely invented: the same over and over (compression_ratio {ratio:.1f})"
    return ""


def _any(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
