"""SubRip captions (.srt).

    1
    00:01:23,400 --> 00:01:26,000
    Anna: Hello, everyone.

Numbers may be missing or wrong, the decimal sign may be a point, and a blank line may stand inside a text: `webvtt.py`
reads both, for all else is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from localmem.transcripts import webvtt
from localmem.transcripts.events import Event
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.text import MARKS

_TIMING = re.compile(r"\s*\d{1,4}:\d{1,2}:\d{2}(?P<sign>[.,])\d{1,3}\s*-->")


def sniff(sample: Sample) -> str:
    """Whether it begins with a cue that has a comma in its time, or a file's name that ends in .srt and a point."""
    lines = sample.text.lstrip(MARKS + " \t\n").split("\n", 3)[:3]
    if lines[0].startswith("WEBVTT"):
        return ""
    for line in lines:
        if found := _TIMING.match(line):
            if found["sign"] == ",":
                return "cue times with a comma, as in SubRip"
            return "cue times in a file of SubRip" if sample.name.lower().endswith(".srt") else ""
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of the cues, merged to turns."""
    return webvtt.parse(source)
