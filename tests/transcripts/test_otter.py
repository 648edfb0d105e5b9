"""Otter's text."""

from __future__ import annotations

from datetime import datetime

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import Format, detect

from .helpers import events, said, turns

TALK = "Anna Berg  0:21\nI adopted a dog.\n\nBen  1:02:33\nWhat is\nits name?\n\nTranscribed by https://otter.ai\n"


def test_the_name_stands_above_what_was_said_and_the_footer_is_no_text() -> None:
    assert detect(TALK.encode(), "x")[0] is Format.OTTER
    assert said(TALK) == [("Anna Berg", "I adopted a dog."), ("Ben", "What is\nits name?")]
    assert [turn.source for turn in turns(TALK)] == ["0:21, line 1", "1:02:33, line 4"]


def test_a_name_that_is_missing_is_the_one_before() -> None:
    content = "  0:00\nHello.\n\nAnna  0:05\nHi.\n\n0:21\nAnd more.\n\nUnknown Speaker  0:30\nWhat?\n"
    assert said(content, Format.OTTER) == [
        *(("Unknown", "Hello."), ("Anna", "Hi."), ("Anna", "And more."), ("Unknown Speaker", "What?"))
    ]


def test_relative_times_become_times_of_day_by_the_date_above() -> None:
    content = f"Weekly sync\nTue, Mar 4, 2025 6:30PM • 32:10\nSUMMARY KEYWORDS\ndog, name\n\n{TALK}"
    assert [turn.at for turn in turns(content)] == [
        *(datetime(2025, 3, 4, 18, 30, 21), datetime(2025, 3, 4, 19, 32, 33))
    ]


def test_without_a_date_there_is_no_time() -> None:
    assert [turn.at for turn in turns(TALK)] == [None, None]


def test_text_with_blank_lines_goes_on() -> None:
    assert said("Anna  0:00\nOne.\n\nTwo.\n\nBen  0:10\nok\n")[0] == ("Anna", "One.\n\nTwo.")


@pytest.mark.parametrize(
    "content", ["Anna: hi\nBen: ho\nAnna: at 10:30\n", "[00:01] Anna: hi\n[00:02] Ben: ho\n"]
)
def test_other_talks_are_not_taken(content: str) -> None:
    assert detect(content.encode(), "x")[0] is Format.PLAIN


def test_a_program_of_a_day_is_no_talk() -> None:
    with pytest.raises(TranscriptError):
        events("Breakfast  8:00\n\nLunch  12:30\n\nDinner  19:00\n")


def test_a_text_without_headers_is_an_error() -> None:
    with pytest.raises(TranscriptError, match="no line has a name and a place"):
        events("Hello\n", Format.OTTER)
