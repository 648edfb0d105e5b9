"""JSON messages: one a line (JSONL), or in one array.

    {"speaker": "Anna", "text": "Hello", "timestamp": "2025-03-04T18:32:00Z"}
    [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}, ...]

Field names are those of `messages.FIELDS`. A line or element that is no message is skipped with its reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, elements, loads
from localmem.transcripts.messages import FIELDS, Messages, kind_of
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.transcripts.text import MARKS
from localmem.values import Skipped

_SNIFFED_LINES = 20
_FIRST_OBJECT = re.compile(r"\[\s*\{")
_TEXT_KEY = re.compile(r'"(?:' + "|".join(FIELDS["text"]) + r')"\s*:', re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
_TOO_LONG = f"longer than {MAX_LINE:,} characters"


def sniff(sample: Sample) -> str:
    """Whether a quarter of the first lines, or the first element of an array, are messages."""
    start = sample.text.lstrip(MARKS + " \t\n")
    if start.startswith("["):
        match = _FIRST_OBJECT.match(start)
        return "an array of JSON messages" if match and _is_message(start, match.end() - 1, sample) else ""
    lines = [line for line in sample.lines()[:200] if line.strip()][:_SNIFFED_LINES]
    good = sum(line.lstrip(MARKS + " \t").startswith("{") and _is_message(line, 0, sample) for line in lines)
    return "JSON messages, one a line" if good and good * 4 >= len(lines) else ""


def parse(source: Source) -> Iterator[Event]:
    """Events of JSON lines, or of the elements of one array."""
    messages = Messages(source)
    if source.sample.text.lstrip(MARKS + " \t\n").startswith("["):
        for number, value in enumerate(elements(source, MAX_LINE), start=1):
            yield from _events(messages, value, f"message {number}")
        return
    for number, line in source.lines():
        where = f"line {number}"
        if line is None:
            yield Skipped(where, _TOO_LONG)
        elif line and not line.isspace():
            yield from _events(messages, loads(line.lstrip(MARKS)), where)


def _events(messages: Messages, value: object, where: str) -> Iterator[Event]:
    if isinstance(value, dict):
        yield from messages.events(value, where)
    else:
        yield Skipped(where, value.reason if isinstance(value, Broken) else "not a JSON object")


def _is_message(text: str, start: int, sample: Sample) -> bool:
    """Whether an object that has a text field starts there; one that the sample cuts off may."""
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except RecursionError:
        return False
    except ValueError:
        return not sample.complete and "\n" not in sample.text.strip() and bool(_TEXT_KEY.search(text, start))
    return isinstance(value, dict) and any(kind_of(key) == "text" for key in value)
