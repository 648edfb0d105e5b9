"""SubRip, with the mistakes of those who write it."""

from __future__ import annotations

import pytest

from localmem.transcripts import Format, detect

from .helpers import said, turns

CUES = "1\n00:00:01,000 --> 00:00:02,000\nAnna: Hi.\n\n2\n00:00:05,000 --> 00:00:06,000\nBen: Ho.\n"


@pytest.mark.parametrize(
    "content",
    [
        CUES,
        CUES.replace("1\n00", "00", 1).replace("2\n00", "00", 1),
        CUES.replace("2\n00", "7\n00", 1),
        CUES.replace("\n", "\r\n"),
        "\ufeff" + CUES,
        CUES.replace("\n\n2", "\n2"),
    ],
)
def test_numbers_may_be_missing_or_wrong(content: str) -> None:
    assert detect(content.encode(), "x")[0] is Format.SRT
    assert said(content) == [("Anna", "Hi."), ("Ben", "Ho.")]


def test_a_point_in_the_time_is_read_where_the_name_says_srt() -> None:
    content = CUES.replace(",", ".")
    assert detect(content.encode(), "x.srt")[0] is Format.SRT
    assert detect(content.encode(), "x")[0] is Format.WEBVTT
    assert len(turns(content, name="x.srt")) == 2


def test_a_blank_line_inside_a_text_belongs_to_it() -> None:
    assert said(CUES.replace("Hi.", "Hi.\n\nand more"))[0] == ("Anna", "Hi. and more")
