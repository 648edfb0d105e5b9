"""LoCoMo JSON: conversations of many sessions, each with its date.

    [{"sample_id": "conv-1", "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Anna", "dia_id": "D1:1", "text": "Hey!", "blip_caption": "a photo of a dog"}]}}]

Every conversation of the file is one of its own; of two that have one name the second gets another. All turns
of a session have the session's time. The caption of a picture is part of the turn's text, since people ask
about what they were shown. Other keys (questions, summaries, image addresses) are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, elements
from localmem.transcripts.messages import UNKNOWN, flatten, label_of
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.text import MAX_TEXT, TOO_LONG
from localmem.values import Skipped, Turn

MAX_CONVERSATION = 64_000_000
"""Characters of one conversation; it is read whole, the file is not."""

_SESSION = re.compile(r"session_(\d{1,9})")
_SIGNS = re.compile(r'"session_\d+(?:_date_time)?"\s*:|"dia_id"\s*:|"evidence"\s*:\s*\[\s*"D\d+:\d+')
_PHOTO = re.compile(r"^an? (?:close[- ]?up )?(?:photo|photograph|picture|image) of ", re.IGNORECASE)


def sniff(sample: Sample) -> str:
    """Whether the sample is JSON with numbered sessions, or with questions about them."""
    if sample.text.lstrip()[:1] in ("[", "{") and (sign := _SIGNS.search(sample.text)):
        return f"JSON with {sign.group().split(':')[0].strip()}"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of every conversation, one after the other."""
    names = _Names(source)
    for number, value in enumerate(elements(source, MAX_CONVERSATION), start=1):
        where = f"conversation {number}"
        if isinstance(value, Broken):
            yield Skipped(where, value.reason)
        elif not isinstance(value, dict):
            yield Skipped(where, "not a JSON object")
        else:
            yield from _conversation(source, value, where, names)
    names.finish()


class _Names:
    """A name of its own for each conversation."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._times: dict[str, int] = {}
        self._renamed = 0
        self._first = ""

    def next(self, given: str) -> str:
        """The name of the next conversation, which the file calls `given`."""
        wanted = given or self._source.conversation().name
        name = wanted
        while name in self._times:
            self._times[wanted] += 1
            name = f"{wanted} ({self._times[wanted]})"
        self._times[name] = 1
        if given and name != given:
            self._renamed += 1
            self._first = self._first or f"{given!r} is {name!r} now"
        return name

    def finish(self) -> None:
        """Add the note about those that have another name now."""
        if self._renamed:
            several = "conversation has" if self._renamed == 1 else "conversations have"
            self._source.notes.append(
                f"{self._renamed:,} {several} the sample_id of another one: {self._first}"
                f"{'' if self._renamed == 1 else ', and so on'}"
            )


def _conversation(source: Source, sample: Mapping[str, object], where: str, names: _Names) -> Iterator[Event]:
    inner = sample.get("conversation", sample)
    numbers = sorted(_numbers(inner)) if isinstance(inner, dict) else []
    if not isinstance(inner, dict) or not numbers:
        yield Skipped(where, "no session_1, session_2, ... in it")
        return
    yield source.conversation(names.next(label_of(sample.get("sample_id"))))
    for _, session in numbers:
        date = inner.get(f"{session}_date_time")
        at = None if date in (None, "") else source.time(date, f"{session}_date_time")
        turns = inner[session]
        if not isinstance(turns, list):
            yield Skipped(session, "not a list of turns")
            continue
        for place, turn in enumerate(turns, start=1):
            where = f"{session}, turn {place}"
            if not isinstance(turn, dict):
                yield Skipped(where, "not a JSON object")
                continue
            where = label_of(turn.get("dia_id")) or where
            text = _text(turn)
            if not text:
                yield Skipped(where, "empty text")
            elif len(text) > MAX_TEXT:
                yield Skipped(where, TOO_LONG)
            else:
                yield Turn(label_of(turn.get("speaker")) or UNKNOWN, text, at, where, session)


def _numbers(conversation: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    for key in conversation:
        if match := _SESSION.fullmatch(key):
            yield int(match[1]), key


def _text(turn: Mapping[str, object]) -> str:
    text = flatten(turn.get("text"))
    caption = _PHOTO.sub("", flatten(turn.get("blip_caption")))
    if caption:
        return f"{text} [shares a photo: {caption}]".strip()
    if turn.get("img_url"):
        return f"{text} [shares a photo]".strip()
    return text
