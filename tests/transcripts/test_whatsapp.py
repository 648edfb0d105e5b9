"""WhatsApp, as phones of many languages write it."""

from __future__ import annotations

import io
from datetime import datetime

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import Conversation, DateOrder, Format, Turn, detect, read_stream

from .helpers import details, events, notes, said, skipped, turns
from .test_archive import zipped


def chat(*lines: str) -> str:
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "begin",
    [
        "20/01/19, 11:25 - ",
        "20/01/2019, 11:25 - ",
        "20/01/2019 11:25 - ",
        "20.01.19, 11:25 - ",
        "20.1.2019 klo 11.25 - ",
        "20-01-2019 11:25 - ",
        "2019-01-20 11:25 - ",
        "2019/01/20, 11:25 - ",
        "2019. 01. 20. 11:25 - ",
        "1/20/19, 11:25 AM - ",
        "1/20/19, 11:25\u202fAM - ",
        "20/1/19, 11:25\u00a0a.\u00a0m. - ",
        "20/1/2019, 11:25 a. m. - ",
        "20/01/2019 à 11:25 - ",
        "2019/1/20 上午11:25 - ",
        "2019年1月20日 上午11:25 - ",
        "2019년 1월 20일 오전 11:25 - ",
        "\u200f20\u200f/1\u200f/2019, 11:25 ص - ",
        "[20/01/2019, 11:25:00] ",
        "[20.01.19, 11:25:00] ",
        "[1/20/19, 11:25:00\u202fAM] ",
        "\u200e[2019-01-20, 11:25:00] ",
        "[2019/1/20 上午11:25:00] ",
    ],
)
def test_the_time_is_read_in_the_writing_of_many_phones(begin: str) -> None:
    content = chat(f"{begin}Anna: I adopted a dog.", f"{begin}Ben: What is its name?")
    assert detect(content.encode(), "x")[0] is Format.WHATSAPP
    assert said(content) == [("Anna", "I adopted a dog."), ("Ben", "What is its name?")]
    assert [turn.at for turn in turns(content)] == [datetime(2019, 1, 20, 11, 25)] * 2


@pytest.mark.parametrize(
    ("written", "hour"),
    [("12:05 AM", 0), ("12:05 PM", 12), ("1:05 pm", 13), ("下午1:05", 13), ("1:05 p. m.", 13)],
)
def test_halves_of_the_day_become_hours(written: str, hour: int) -> None:
    assert turns(f"20/1/19, {written} - Anna: Hi\n")[0].at == datetime(2019, 1, 20, hour, 5)


def test_a_korean_line_with_commas_is_read() -> None:
    content = "2019년 1월 20일 오후 11:25, 안나 : 안녕\n2019년 1월 20일 오후 11:26, 벤 : 응\n"
    assert said(content, Format.WHATSAPP) == [("안나", "안녕"), ("벤", "응")]


def test_lines_without_a_time_belong_to_the_message_before() -> None:
    content = chat(
        "20/01/19, 11:25 - Anna: One", "Ben: two", "", "https://x.y/z", "20/01/19, 11:26 - Ben: ok"
    )
    assert said(content) == [("Anna", "One\nBen: two\n\nhttps://x.y/z"), ("Ben", "ok")]


def test_the_first_date_over_twelve_decides_for_the_messages_before_it_too() -> None:
    content = chat("01/02/19, 11:25 - Anna: a", "02/02/19, 11:25 - Ben: b", "13/02/19, 11:25 - Anna: c")
    assert [turn.at and turn.at.day for turn in turns(content)] == [1, 2, 13]
    american = chat("02/01/19, 11:25 - Anna: a", "02/02/19, 11:25 - Ben: b", "02/13/19, 11:25 - Anna: c")
    assert turns(american)[0].at == datetime(2019, 2, 1, 11, 25)


def test_a_date_that_decides_may_stand_far_behind_the_sample() -> None:
    many = [f"01/02/19, 11:25 - Anna: {'word ' * 20}" for _ in range(5000)]
    found = turns(chat(*many, "13/02/19, 11:25 - Ben: late"))
    assert len(found) == 5001
    assert found[0].at == datetime(2019, 2, 1, 11, 25)


def test_the_order_that_lets_the_dates_rise_is_taken_and_noted() -> None:
    content = chat("09/01/19, 11:25 - Anna: a", "08/02/19, 11:25 - Ben: b", "07/03/19, 11:25 - Anna: c")
    assert turns(content)[0].at == datetime(2019, 1, 9, 11, 25)
    assert "the dates rise in this order only" in notes(content)[0]


def test_dates_that_nothing_decides_are_left_out_and_the_note_names_the_option() -> None:
    content = chat("04/03/19, 11:25 - Anna: a", "04/03/19, 11:26 - Ben: b")
    assert [turn.at for turn in turns(content)] == [None, None]
    assert "2 times left out: day/month or month/day" in notes(content)[0]
    assert "--date-order dmy or mdy" in notes(content)[0]


@pytest.mark.parametrize(
    ("order", "at"),
    [
        (DateOrder.DMY, datetime(2019, 3, 4, 11, 25)),
        (DateOrder.MDY, datetime(2019, 4, 3, 11, 25)),
        (DateOrder.YMD, datetime(2004, 3, 19, 11, 25)),
    ],
)
def test_the_order_can_be_said(order: DateOrder, at: datetime) -> None:
    content = b"04/03/19, 11:25 - Anna: a\n04/03/19, 11:26 - Ben: b\n"
    first = next(e for e in read_stream(io.BytesIO(content), "x", date_order=order) if isinstance(e, Turn))
    assert first.at == at


def test_the_zone_is_none_since_the_phone_does_not_say_it() -> None:
    found = turns("20/01/19, 11:25 - Anna: Hi\n")
    assert found[0].at is not None and found[0].at.tzinfo is None


def test_lines_without_a_name_are_of_whatsapp_and_skipped() -> None:
    content = chat(
        "20/01/19, 11:20 - Messages and calls are end-to-end encrypted. Tap to learn more.",
        "20/01/19, 11:24 - Anna created group “Trip”",
        '20/01/19, 11:24 - Anna changed the subject from "Trip" to "Trip: Rome"',
        "20/01/19, 11:25 - Ben left",
        "20/01/19, 11:25 - Anna: Hi",
    )
    assert said(content) == [("Anna", "Hi")]
    assert {reason for _, reason in skipped(content)} == {"a line of WhatsApp's own, not a message"}


def test_system_text_under_the_name_of_the_group_is_skipped() -> None:
    content = chat(
        "[20/01/2019, 11:20:01] Trip: \u200eMessages and calls are end-to-end encrypted.",
        "\u200e[20/01/2019, 11:20:02] Trip: \u200eAnna created this group",
        "[20/01/2019, 11:20:03] Ben: \u200eYou're now an admin",
        "[20/01/2019, 11:20:04] Anna: Hi",
    )
    assert said(content) == [("Anna", "Hi")]


def test_attachments_and_what_was_left_out_are_part_of_the_text() -> None:
    ios = chat(
        "[20/01/2019, 11:20:01] Anna: Look\u200e<attached: 0001-PHOTO-2019-01-20.jpg>",
        "\u200e[20/01/2019, 11:20:02] Ben: \u200eimage omitted",
        "[20/01/2019, 11:20:03] Ben: \u200eBild weggelassen",
        "[20/01/2019, 11:20:04] Ben: plan.pdf • \u200e2 pages \u200edocument omitted",
        "[20/01/2019, 11:20:05] Ben: \u200ePOLL:\nWhere?\n\u200eOPTION: Rome (2 votes)",
        "[20/01/2019, 11:20:06] Ben: \u200eLocation: https://maps.example/?q=1,2",
    )
    assert [text for _, text in said(ios)] == [
        "Look[attached: 0001-PHOTO-2019-01-20.jpg]",
        "[image omitted]",
        "[Bild weggelassen]",
        "[plan.pdf • 2 pages document omitted]",
        "POLL:\nWhere?\nOPTION: Rome (2 votes)",
        "Location: https://maps.example/?q=1,2",
    ]
    android = chat(
        "20/01/19, 11:25 - Anna: <Media omitted>",
        "20/01/19, 11:25 - Anna: IMG-20190120-WA0001.jpg (file attached)",
        "the dog on the sofa",
        "20/01/19, 11:26 - Ben: \u200ePTT-20190120-WA0002.opus (archivo adjunto)",
        "20/01/19, 11:27 - Ben: see notes.txt (the new one)",
    )
    assert [text for _, text in said(android)] == [
        "[Media omitted]",
        "[attached: IMG-20190120-WA0001.jpg]\nthe dog on the sofa",
        "[attached: PTT-20190120-WA0002.opus]",
        "see notes.txt (the new one)",
    ]


def test_a_long_text_that_was_pasted_with_a_mark_is_kept() -> None:
    assert len(said(f"[20/01/2019, 11:20:01] Ben: \u200e{'word ' * 50}\n")) == 1


def test_deleted_messages_are_skipped_and_the_mark_of_edited_ones_is_cut() -> None:
    content = chat(
        "20/01/19, 11:25 - Anna: This message was deleted",
        "20/01/19, 11:25 - Ben: You deleted this message",
        "20/01/19, 11:26 - Ben: at nine <This message was edited>",
        "20/01/19, 11:27 - Ben: um zehn \u200e<Diese Nachricht wurde bearbeitet.>",
        "20/01/19, 11:28 - Ben: I wrote <b>",
    )
    assert said(content) == [("Ben", "at nine"), ("Ben", "um zehn"), ("Ben", "I wrote <b>")]
    assert [reason for _, reason in skipped(content)] == ["a deleted message"] * 2


def test_a_name_that_is_no_contact_loses_its_tilde() -> None:
    content = "[20/01/2019, 11:20:01] ~\u202fBen: Hi\n[20/01/2019, 11:20:02] ~ +49 170 123: Hi\n"
    assert [name for name, _ in said(content)] == ["Ben", "+49 170 123"]


def test_carriage_returns_inside_do_not_matter() -> None:
    content = "[20/01/2019, 11:20:01] Ben: Hi\r\nthere\r\n[20/01/2019, 11:20:02] Anna: ok\r\n"
    assert said(content) == [("Ben", "Hi\nthere"), ("Anna", "ok")]


def test_a_time_inside_a_message_opens_none() -> None:
    content = chat("20/01/19, 11:25 - Anna: the plan:", "10:30 Meeting: room 4", "20/01/19, 11:26 - Ben: ok")
    assert said(content)[0] == ("Anna", "the plan:\n10:30 Meeting: room 4")


@pytest.mark.parametrize(
    ("file", "member", "name"),
    [
        ("WhatsApp Chat - Anna & Ben.zip", "_chat.txt", "Anna & Ben"),
        ("export.zip", "WhatsApp Chat with Anna.txt", "Anna"),
        ("export.zip", "WhatsApp-Chat mit Anna.txt", "Anna"),
        ("export.zip", "_chat.txt", "export"),
    ],
)
def test_the_zip_is_read_and_names_the_chat(file: str, member: str, name: str) -> None:
    made = zipped({member: "[20/01/2019, 11:20:01] Ben: Hi\n", "0001-PHOTO.jpg": b"\xff\xd8\xff"})
    found = events(made, name=file)
    assert found[0] == Conversation(name, "whatsapp")
    assert [event.text for event in found if isinstance(event, Turn)] == ["Hi"]


def test_the_reason_of_the_format_is_told_to_those_who_ask() -> None:
    assert details("20/01/19, 11:25 - Anna: Hi\n20/01/19, 11:26 - Ben: Hi\n") == [
        "read as whatsapp: 2 of 2 lines begin with the date and time of WhatsApp on Android",
        "its times have no zone and are taken as local time",
    ]


def test_a_chat_of_another_program_with_such_times_is_not_taken() -> None:
    assert detect(b"[2025-03-04 18:32] Ann: hi\n[2025-03-04 18:33] Bob: ok\n", "x")[0] is Format.PLAIN


def test_a_text_that_is_none_is_an_error_that_shows_how_lines_begin() -> None:
    with pytest.raises(TranscriptError) as caught:
        events("Anna: Hello\n", Format.WHATSAPP)
    assert "20/01/19, 11:25 - Anna" in caught.value.hint
