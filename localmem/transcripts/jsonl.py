"""JSON messages: one a line (JSONL), or in one array.

    {"speaker": "Anna", "text": "Hello", "timestamp": "2025-03-04T18:32:00Z"}
    [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}, ...]

Field names are those of `messages.FIELDS`. A line or element that is no message is skipped with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, elements, loads
from localmem.transcripts.messages import Messages, kind_of
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.values import Skipped

_SNIFFED_LINES = 20
_TOO_LONG = f"longer than {MAX_LINE:,} characters"


def sniff(sample: Sample) -> str:
    """Whether half of the first lines, or the first element of an array, are messages."""
    start = sample.text.lstrip()
    if start.startswith("["):
        first = _first_element(start)
        return "an array of JSON messages" if _is_message(first) else ""
    if not start.startswith("{"):
        return ""
    lines = [line for line in sample.lines()[:200] if line.strip()][:_SNIFFED_LINES]
    good = sum(_is_message(loads(line)) for line in lines)
    return "JSON messages, one a line" if good and good * 2 >= len(lines) else ""


def parse(source: Source) -> Iterator[Event]:
    """Events of JSON lines, or of the elements of one array."""
    messages = Messages(source)
    if source.sample.text.lstrip().startswith("["):
        for number, value in enumerate(elements(source, MAX_LINE), start=1):
            yield from _events(messages, value, f"message {number}")
        return
    for number, line in source.lines():
        where = f"line {number}"
        if line is None:
            yield Skipped(where, _TOO_LONG)
        elif line and not line.isspace():
            yield from _events(messages, loads(line), where)


def _events(messages: Messages, value: object, where: str) -> Iterator[Event]:
    if isinstance(value, dict):
        yield from messages.events(value, where)
    else:
        yield Skipped(where, value.reason if isinstance(value, Broken) else "not a JSON object")


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and any(kind_of(key) == "text" for key in value)


def _first_element(text: str) -> object:
    """First object of an array that may be cut off."""
    import json

    start = text.find("{")
    if start < 0 or text[1:start].strip():
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
