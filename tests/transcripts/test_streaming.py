"""Big inputs are read in little memory."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import time
import tracemalloc
from collections.abc import Iterator

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import Format, Skipped, Turn, read_stream

from .helpers import VALID

MEGABYTE = 1_000_000
SIZE = 30 * MEGABYTE
BOUND = 8 * MEGABYTE

TEXT = "The garden was wet, and we waited for the café to open. " * 30


class Made(io.RawIOBase):
    """A stream that is made while it is read, so that the test itself holds nothing."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._left:
            self._left = next(self._pieces, "").encode()
        given, self._left = self._left[:size], self._left[size:]
        return given


def plain(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"{('Anna', 'Ben')[number % 2]}: {TEXT}\n"


def jsonl(count: int) -> Iterator[str]:
    for number in range(count):
        yield json.dumps({"role": "user", "content": TEXT, "id": number}) + "\n"


def array(count: int) -> Iterator[str]:
    yield "["
    for number in range(count):
        yield ("," if number else "") + json.dumps({"role": "user", "content": TEXT})
    yield "]"


def table(count: int) -> Iterator[str]:
    yield "speaker,text\n"
    for _ in range(count):
        yield f'Anna,"{TEXT}"\n'


def captions(count: int) -> Iterator[str]:
    yield "WEBVTT\n\n"
    for number in range(count):
        at = f"{number // 360:02}:{number // 6 % 60:02}:{number % 6 * 10:02}"
        yield f"{at}.000 --> {at}.900\n<v Anna>{TEXT}</v>\n\n"


def whatsapp(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"{number // 9000 % 28 + 1:02}/01/2025, 11:25 - Anna: {TEXT}\n"


def chatgpt(count: int) -> Iterator[str]:
    yield "["
    for number in range(count // 50):
        nodes: dict[str, object] = {}
        for place in range(50):
            before, after = (str(place - 1) if place else None), ([str(place + 1)] if place < 49 else [])
            message = {"id": f"{number}-{place}", "author": {"role": "user"}, "content": {"parts": [TEXT]}}
            nodes[str(place)] = {"parent": before, "children": after, "message": message}
        chat = {"title": f"c{number}", "current_node": "49", "mapping": nodes}
        yield ("," if number else "") + json.dumps(chat)
    yield "]"


def claude(count: int) -> Iterator[str]:
    yield "["
    for number in range(count // 50):
        messages = [{"sender": "human", "text": TEXT} for _ in range(50)]
        yield ("," if number else "") + json.dumps({"name": f"c{number}", "chat_messages": messages})
    yield "]"


def slack(count: int) -> Iterator[str]:
    yield "["
    for number in range(count):
        message = {
            "type": "message",
            "user": f"U{number}",
            "ts": f"174111{number % 10000:04}.{number:06}",
            "text": TEXT,
        }
        yield ("," if number else "") + json.dumps(message)
    yield "]"


def discord(count: int) -> Iterator[str]:
    yield '{"guild": {"name": "Dogs"}, "channel": {"name": "general"}, "messages": ['
    for number in range(count):
        message = {"id": str(number), "type": "Default", "content": TEXT, "author": {"name": "anna"}}
        yield ("," if number else "") + json.dumps(message)
    yield f'], "messageCount": {count}}}'


def telegram(count: int) -> Iterator[str]:
    yield '{"about": "x", "personal_information": {}, "chats": {"about": "x", "list": [{"name": "Ben", "messages": ['
    for number in range(count):
        message = {
            "id": number,
            "type": "message",
            "date": "2025-03-04T18:32:00",
            "from": "Anna",
            "text": TEXT,
        }
        yield ("," if number else "") + json.dumps(message)
    yield "]}]}}"


def whisper(count: int) -> Iterator[str]:
    yield '{"segments": ['
    for number in range(count):
        segment = {"start": 10 * number, "end": 10 * number + 1, "text": TEXT}
        yield ("," if number else "") + json.dumps(segment)
    yield '], "language": "en"}'


def subrip(count: int) -> Iterator[str]:
    for number in range(count):
        at = f"{number // 360:02}:{number // 6 % 60:02}:{number % 6 * 10:02}"
        yield f"{number}\n{at},000 --> {at},900\nAnna: {TEXT}\n\n"


def otter(count: int) -> Iterator[str]:
    for number in range(count):
        yield (
            f"Anna  {number // 60:02}:{number % 60:02}\n{TEXT}\n\n"
            if number < 5999
            else f"Anna  9:00:00\n{TEXT}\n\n"
        )


def locomo(count: int) -> Iterator[str]:
    yield "["
    for number in range(count // 50):
        session = [{"speaker": "Anna", "dia_id": f"D1:{place}", "text": TEXT} for place in range(50)]
        sample = {"sample_id": f"conv-{number}", "conversation": {"session_1": session}}
        yield ("," if number else "") + json.dumps(sample)
    yield "]"


MAKERS = {
    "plain": (Format.PLAIN, plain),
    "jsonl": (Format.JSONL, jsonl),
    "array": (Format.JSONL, array),
    "table": (Format.CSV, table),
    "captions": (Format.WEBVTT, captions),
    "whatsapp": (Format.WHATSAPP, whatsapp),
    "chatgpt": (Format.CHATGPT, chatgpt),
    "claude": (Format.CLAUDE, claude),
    "slack": (Format.SLACK, slack),
    "discord": (Format.DISCORD, discord),
    "telegram": (Format.TELEGRAM, telegram),
    "whisper": (Format.WHISPER, whisper),
    "subrip": (Format.SRT, subrip),
    "otter": (Format.OTTER, otter),
    "locomo": (Format.LOCOMO, locomo),
}


def test_every_format_is_measured() -> None:
    assert {format for format, _ in MAKERS.values()} == set(Format)


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(MAKERS))
def test_thirty_megabytes_are_read_in_less_than_eight(kind: str) -> None:
    _, maker = MAKERS[kind]
    count = SIZE // len(TEXT) // 50 * 50
    tracemalloc.start()
    try:
        events = read_stream(Made(maker(count)), "big")  # type: ignore[arg-type]
        turns = sum(isinstance(event, Turn) for event in events)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert turns == count
    assert peak < BOUND


@pytest.mark.slow
@pytest.mark.parametrize(
    "start",
    [
        "Anna: a\nBen: b\nAnna: ",
        '[{"text": "a"}, {"text": "',
        '{"text": "a"}\n{"text": "',
        "speaker,text\nAnna,a\nBen,",
    ],
)
def test_a_line_of_thirty_megabytes_does_not_fill_the_memory(start: str) -> None:
    endless = itertools.chain([start], itertools.repeat("word " * 10_000, SIZE // 50_000), ['"}\n'])
    turns = skipped = 0
    tracemalloc.start()
    try:
        with contextlib.suppress(TranscriptError):
            for event in read_stream(Made(endless), "big"):  # type: ignore[arg-type]
                turns += isinstance(event, Turn)
                skipped += isinstance(event, Skipped)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (turns > 0, skipped) == (True, 1)
    assert peak < 2 * BOUND


@pytest.mark.slow
@pytest.mark.parametrize("format", list(Format))
def test_a_long_run_of_one_piece_takes_no_longer_than_other_text(format: Format) -> None:
    """A pattern that goes back at every place would take hours for a text of a few hundred thousand characters."""
    is_json = VALID[format].startswith(("[", "{"))
    began = time.process_time()
    for piece in (" ", "<", "\u200e<", "[", "a: ", "\\\\" if is_json else "\n"):
        content = VALID[format].replace("adopted", "adopted" + piece * 200_000 + "b", 1)
        for forced in (format, None):
            with contextlib.suppress(TranscriptError):
                list(read_stream(io.BytesIO(content.encode()), "x", format=forced))
    assert time.process_time() - began < 60
