"""LoCoMo JSON: conversations of many sessions, each with its date.

    [{"sample_id": "conv-1", "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Anna", "dia_id": "D1:1", "text": "Hey!", "blip_caption": "a photo of a dog"}]}}]

Every conversation of the file is one of its own. All turns of a session have the session's time. The
caption of a picture is part of the turn's text, since people ask about what they were shown. Other keys
(questions, summaries, image addresses) are not read.
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
    for number, value in enumerate(elements(source, MAX_CONVERSATION), start=1):
        where = f"conversation {number}"
        if isinstance(value, Broken):
            yield Skipped(where, value.reason)
        elif not isinstance(value, dict):
            yield Skipped(where, "not a JSON object")
        else:
            yield from _conversation(source, value, where)


def _conversation(source: Source, sample: Mapping[str, object], where: str) -> Iterator[Event]:
    inner = sample.get("conversation", sample)
    numbers = sorted(_numbers(inner)) if isinstance(inner, dict) else []
    if not isinstance(inner, dict) or not numbers:
        yield Skipped(where, "no session_1, session_2, ... in it")
        return
    yield source.conversation(label_of(sample.get("sample_id")))
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
