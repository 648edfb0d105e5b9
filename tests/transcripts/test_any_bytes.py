"""Whatever the bytes are, a parser gives events that can be stored, or a TranscriptError."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.errors import TranscriptError
from localmem.transcripts import Conversation, Format, Turn, detect, read_stream

from .helpers import VALID

_SHRAPNEL = [
    *(
        "\n",
        "\r",
        "\n\n",
        "\0",
        "\ufeff",
        "\u200e",
        '"',
        "'",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        ";",
        "\t",
        "|",
        "\\",
    ),
    *(
        "\\ud83d",
        "\\u0000",
        "\x1b",
        "-->",
        "<v ",
        "</v>",
        "<",
        ">",
        "&amp;",
        "&#0;",
        "&#55357;",
        "NOTE",
        "# ",
        "---",
    ),
    *("00:00:01.000 --> 00:00:02.000", "99:99:99.999 --> 00:00:00.000", "9999-12-31T23:59:59-23:59"),
    *(
        "0001-01-01 00:00",
        "1e999",
        "NaN",
        "9" * 5000,
        "[" * 3000,
        '{"a":' * 3000,
        "null",
        "Anna: ",
        "[00:01] Ben: ",
    ),
    *(
        "20/01/19, 11:25 - Anna: ",
        "[31/12/2022, 25:61:99 PM] ~\u202fBen: ",
        "99/99/9999 99:99 - : ",
        "\u200e<attached: ",
    ),
    *(
        '"mapping"',
        '"parent": "b"',
        '"ts": "9999999999.999999"',
        "<@U1|",
        "<!",
        '"segments": [',
        "Anna  99:99:99",
        "NaN",
    ),
    *(
        "[2025-13-45 99:99] Ben: ",
        "**Ben:** ",
        "session_1",
        '"text": 5',
        '"content": [[[]]]',
        "é",
        "😀",
        "\ud83d",
    ),
]


def check(data: bytes, format: Format | None) -> None:
    """Read all, and check what holds for every event."""
    started = False
    with contextlib.suppress(TranscriptError):
        for event in read_stream(io.BytesIO(data), "any.bin", format=format):
            if isinstance(event, Conversation):
                started = True
                assert event.name
            if isinstance(event, Turn):
                assert started
                assert event.text == event.text.strip() != ""
                assert event.speaker and "\n" not in event.speaker
                assert event.source
                written = "".join((event.speaker, event.text, event.source, event.session))
                written.encode("utf-8")
                assert not set(written) & set(map(chr, [*range(9), 11, 12, *range(14, 32), 127]))
                if event.at is not None:
                    event.at.isoformat()


@pytest.mark.parametrize("format", [None, *Format])
@given(data=st.binary(max_size=300))
def test_random_bytes_give_events_or_a_transcript_error(format: Format | None, data: bytes) -> None:
    check(data, format)


@pytest.mark.parametrize("format", list(Format))
@given(data=st.data())
@settings(max_examples=200)
def test_a_damaged_file_gives_events_or_a_transcript_error(format: Format, data: st.DataObject) -> None:
    text = VALID[format]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 20)))
        text = text[:start] + data.draw(st.sampled_from(["", *_SHRAPNEL]) | st.text(max_size=5)) + text[end:]
    encoding = data.draw(st.sampled_from(["utf-8", "utf-16", "utf-16-le", "cp1252", "utf-32"]))
    written = text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")
    check(written, format)
    check(written, None)


_ODD = st.sampled_from(
    [None, True, 0, -1, 5, 1e308, 10**400, "", "x", "\ud800", "\0", "4/3/2025", [], {}, [[]], [None], {"": None}, {"text": 5}]
) | st.floats()  # fmt: skip


@pytest.mark.parametrize(
    "format", [one for one in Format if VALID[one].startswith(("[", "{")) and one != "jsonl"]
)
@given(data=st.data())
@settings(max_examples=300)
def test_values_of_other_kinds_give_events_or_a_transcript_error(format: Format, data: st.DataObject) -> None:
    holder = [json.loads(VALID[format])]
    for _ in range(data.draw(st.integers(1, 5))):
        place: Any = holder
        key: Any = 0
        for _ in range(data.draw(st.integers(0, 9))):
            inner = place[key]
            if not isinstance(inner, dict | list) or not inner:
                break
            place, key = (
                inner,
                data.draw(st.sampled_from(list(inner if isinstance(inner, dict) else range(len(inner))))),
            )
        place[key] = copy.deepcopy(data.draw(_ODD))
    written = json.dumps(holder[0], ensure_ascii=False).encode("utf-8", "surrogatepass")
    check(written, format)
    check(written, None)


@given(data=st.binary(max_size=200), name=st.text(max_size=20))
def test_detection_gives_a_format_or_a_transcript_error(data: bytes, name: str) -> None:
    with contextlib.suppress(TranscriptError):
        format, reason = detect(data, name)
        assert format in Format
        assert reason
