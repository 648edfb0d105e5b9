"""JSON messages: one a line (JSONL), or in one array.

    {"speaker": "Anna", "text": "Hello", "timestamp": "2025-03-04T18:32:00Z"}
    [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}, ...]

An object may also hold the messages of a conversation, which is named after its title or id:

    {"title": "Trip", "messages": [{"role": "user", "content": "Hello"}, ...]}

one a line, in an array, or alone over many lines. Field names are those of `messages.FIELDS`. A line or element that is no message is skipped with its reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, elements, loads
from localmem.transcripts.messages import FIELDS, Messages, kind_of, label_of
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.transcripts.text import MARKS
from localmem.values import Skipped

MAX_CONVERSATION = 64_000_000
"""Characters of one object that holds messages; it is read whole."""

_SNIFFED_LINES = 20
_FIRST_OBJECT = re.compile(r"\[\s*\{")
_TEXT_KEY = re.compile(r'"(?:' + "|".join(FIELDS["text"]) + r')"\s*:', re.IGNORECASE)
_MESSAGES = re.compile(r'"messages"\s*:\s*\[\s*(?:\{|\])')
_DECODER = json.JSONDecoder(strict=False)


def sniff(sample: Sample) -> str:
    """Whether a quarter of the first lines, or the first element of an array, are messages."""
    start = sample.text.lstrip(MARKS + " \t\n")
    if start.startswith("["):
        match = _FIRST_OBJECT.match(start)
        return "an array of JSON messages" if match and _is_message(start, match.end() - 1, sample) else ""
    if start.startswith("{") and _is_spread(sample):
        return "a JSON object that holds messages" if _is_message(start, 0, sample) else ""
    lines = [line for line in sample.lines()[:200] if line.strip()][:_SNIFFED_LINES]
    good = sum(line.lstrip(MARKS + " \t").startswith("{") and _is_message(line, 0, sample) for line in lines)
    return "JSON messages, one a line" if good and good * 4 >= len(lines) else ""


def parse(source: Source) -> Iterator[Event]:
    """Events of JSON lines, or of the elements of one array."""
    parser = _Parser(source)
    limit = MAX_CONVERSATION if _MESSAGES.search(source.sample.text) else MAX_LINE
    if source.sample.text.lstrip(MARKS + " \t\n").startswith("[") or _is_spread(source.sample):
        for number, value in enumerate(elements(source, limit), start=1):
            yield from parser.events(value, f"message {number}")
        return
    for number, line in source.lines(limit):
        where = f"line {number}"
        if line is None:
            yield Skipped(where, f"longer than {limit:,} characters")
        elif line and not line.isspace():
            yield from parser.events(loads(line.lstrip(MARKS)), where)


class _Parser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._messages = Messages(source)
        self._names: set[str] = set()

    def events(self, value: object, where: str) -> Iterator[Event]:
        """Events of a message, or of an object that holds some."""
        if not isinstance(value, dict):
            yield Skipped(where, value.reason if isinstance(value, Broken) else "not a JSON object")
        elif _held(value) is None:
            yield from self._messages.events(value, where)
        else:
            self._messages.default = self._name(value)
            prefix = where.replace("message", "conversation")
            for number, message in enumerate(_held(value) or (), start=1):
                place = f"{prefix}, message {number}"
                if isinstance(message, dict):
                    yield from self._messages.events(message, place)
                else:
                    yield Skipped(place, "not a JSON object")

    def _name(self, value: Mapping[str, object]) -> str:
        """Title or id of a conversation, else the file's name, made different from those before."""
        id = label_of(value.get("id") or value.get("conversation_id"))
        name = (
            label_of(value.get("title"))
            or id
            or label_of(value.get("name"))
            or self._source.conversation().name
        )
        if name in self._names:
            name = f"{name} {id if id not in ('', name) else len(self._names) + 1}"
        self._names.add(name)
        return name


def _held(value: Mapping[str, object]) -> list[object] | None:
    """The messages that an object holds; None when it is one itself."""
    held = value.get("messages")
    return held if isinstance(held, list) and not any(kind_of(key) == "text" for key in value) else None


def _is_spread(sample: Sample) -> bool:
    """Whether an object that holds messages goes over several lines."""
    first = sample.text.lstrip(MARKS + " \t\n").split("\n", 1)
    return (
        len(first) == 2
        and first[0].startswith("{")
        and _MESSAGES.search(sample.text) is not None
        and (isinstance(loads(first[0]), Broken))
    )


def _is_message(text: str, start: int, sample: Sample) -> bool:
    """Whether a message, or an object that holds one, starts there; one that the sample cuts off may."""
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except RecursionError:
        return False
    except ValueError:
        if sample.complete or not _TEXT_KEY.search(text, start):
            return False
        return "\n" not in sample.text.strip() or _is_spread(sample)
    if not isinstance(value, dict):
        return False
    held = _held(value)
    return any(_has_text(message) for message in ([value] if held is None else held[:_SNIFFED_LINES]))


def _has_text(message: object) -> bool:
    return isinstance(message, dict) and any(kind_of(key) == "text" for key in message)
