"""Values to what people and programs read."""

from __future__ import annotations

import json
import logging
import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.cli.output import (
    answer_row,
    log_to_stderr,
    one_line,
    print_json,
    printable,
    report_row,
    shortened,
    time_text,
    workspace_row,
)
from localmem.values import Answer, Citation, FileReport, Skipped, Usage
from tests.recall.support import NOON, turn, workspace

MARKS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b]0;title\x07", "]0;title"),
        ("\x9b31m", "31m"),
        ("a\rb\bc\x7f", "abc"),
        (MARKS + "x", "x"),
        ("one\n\ttwo", "one\n\ttwo"),
        ("[red]:smile: 日本 🧥 \u200d", "[red]:smile: 日本 🧥 \u200d"),
    ],
)
def test_what_moves_the_cursor_or_turns_text_around_is_left_out(text: str, expected: str) -> None:
    assert printable(text) == expected


@given(st.text())
def test_printable_text_has_no_control_but_line_feed_and_tab(text: str) -> None:
    controls = {one for one in printable(text) if unicodedata.category(one) == "Cc"}
    assert controls <= {"\n", "\t"}


@given(st.text())
def test_printing_twice_changes_nothing(text: str) -> None:
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("", ""), ("12345", "12345"), ("1234 5678", "1234… (9 characters)")]
)
def test_a_long_text_is_shown_by_its_beginning(text: str, expected: str) -> None:
    assert shortened(text, 5) == expected


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("at", "expected"),
    [(None, ""), (NOON, "2025-03-04 12:00"), (datetime(5, 1, 2, tzinfo=UTC), "0005-01-02 00:00")],
)
def test_a_time_is_shown_to_the_minute(at: datetime | None, expected: str) -> None:
    assert time_text(at) == expected


@given(st.recursive(st.none() | st.text(st.characters()) | st.integers(), st.lists))
def test_json_is_json(value: object) -> None:
    import contextlib
    import io

    with contextlib.redirect_stdout(out := io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace")):
        print_json(value, line=True)
    out.seek(0)
    (line,) = out.buffer.read().splitlines()  # type: ignore[attr-defined]
    assert json.loads(line) == value


def test_json_keeps_letters_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": "é日"}, line=True)
    assert capsys.readouterr().out == '{"a": "é日"}\n'


def test_a_workspace_is_json() -> None:
    row = json.loads(
        json.dumps(workspace_row(workspace(turn("Hello.", at=NOON), turn("Hi.", "Bob"), query="Who?")))
    )
    assert row.keys() == {
        "query", "candidates", "coverage", "demands", "threads", "units", "left_out", "seconds",
    }  # fmt: skip
    assert row["threads"] == [
        {"id": 1, "head": "head", "started": None, "turns": 2, "transcript": "talk", "file": "talk.txt"}
    ]
    assert row["units"][0] == {
        "id": 0, "speaker": "Ann", "at": "2025-03-04T12:00:00", "text": "Hello.", "source": "line 1", "session": "",
        "thread": 1, "role": "anchor", "priority": 0.1, "gain": 0.1, "scores": {},
    }  # fmt: skip
    assert row["units"][1]["at"] is None


def test_an_answer_is_json() -> None:
    shown = workspace(turn("Hello.", at=NOON))
    citation = Citation(1, shown.units[0].stored, shown.transcripts[1])
    answer = Answer("Who?", "Ann.", (citation,), True, True, shown, Usage(10, 4, 2, 1, 1), 0.12345)
    assert json.loads(json.dumps(answer_row(answer))) == {
        "question": "Who?",
        "answer": "Ann.",
        "found": True,
        "supported": True,
        "citations": [
            {
                "number": 1, "speaker": "Ann", "at": "2025-03-04T12:00:00", "text": "Hello.", "source": "line 1",
                "transcript": "talk", "file": "talk.txt",
            }
        ],
        "usage": {
            "calls": 1, "prompt_tokens": 10, "evaluated_tokens": 4, "generated_tokens": 2, "dropped_units": 1,
        },
        "seconds": 0.123,
    }  # fmt: skip


def test_whether_a_refusal_is_supported_is_no_question() -> None:
    answer = Answer("Who?", "I don't know.", (), False, True, workspace(turn("Hello.")), Usage())
    assert answer_row(answer)["supported"] is None


def test_a_file_report_is_json() -> None:
    report = FileReport(
        "a.txt", "plain", "a", 3, 2, (Skipped("line 1", "empty"),), 7, 2, 0.5, ("note",), "broke", "mend it"
    )
    assert json.loads(json.dumps(report_row(report))) == {
        "path": "a.txt", "format": "plain", "transcript": "a", "added": 3, "known": 2, "skipped": 7,
        "skipped_first": [{"where": "line 1", "reason": "empty"}], "threads": 2, "seconds": 0.5,
        "warnings": ["note"], "details": [], "error": "broke", "hint": "mend it",
    }  # fmt: skip


def test_what_the_parts_log_is_shown_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(True)
    logging.getLogger("localmem.llm").info("read 12 tokens")
    assert capsys.readouterr().err == "localmem.llm: read 12 tokens\n"


def test_what_the_parts_log_is_not_shown_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(False)
    logging.getLogger("localmem.llm").warning("read 12 tokens")
    assert capsys.readouterr().err == ""
