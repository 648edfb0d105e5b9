"""Telegram Desktop's JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from localmem.transcripts import Conversation, Turn, detect

from .helpers import events, said, skipped, turns


def message(text: Any, id: int = 1, **more: Any) -> dict[str, Any]:
    made = {"id": id, "type": "message", "date": "2025-03-04T19:32:00", "date_unixtime": "1741113120"}
    return made | {"from": "Anna", "from_id": "user5", "text": text} | more


def export(*messages: Any, **more: Any) -> str:
    return json.dumps({"name": "Ben", "type": "personal_chat", "id": 7, "messages": list(messages)} | more)


def test_the_zone_follows_from_both_times() -> None:
    at = turns(export(message("Hi")))[0].at
    assert at is not None
    assert (at, at.utcoffset()) == (datetime(2025, 3, 4, 18, 32, tzinfo=UTC), timedelta(hours=1))


def test_the_hour_that_autumn_has_twice_is_told_apart() -> None:
    first = message("before", date="2024-10-27T02:30:00", date_unixtime="1729989000")
    second = message("after", date="2024-10-27T02:30:00", date_unixtime="1729992600")
    found = turns(export(first, second))
    assert [turn.at and turn.at.utcoffset() for turn in found] == [timedelta(hours=2), timedelta(hours=1)]
    assert found[1].at - found[0].at == timedelta(hours=1)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("date", "unix", "at"),
    [
        ("2025-03-04T19:32:00", None, datetime(2025, 3, 4, 19, 32)),
        ("2025-03-04T19:32:00", "soon", datetime(2025, 3, 4, 19, 32)),
        ("1999-01-01T00:00:00", "1741113120", datetime(2025, 3, 4, 18, 32, tzinfo=UTC)),
        (None, "1741113120", datetime(2025, 3, 4, 18, 32, tzinfo=UTC)),
        (None, None, None),
    ],
)
def test_one_time_alone_is_taken_as_it_is(date: Any, unix: Any, at: Any) -> None:
    assert turns(export(message("Hi", date=date, date_unixtime=unix)))[0].at == at


def test_a_text_may_be_a_list_of_parts() -> None:
    parts = ["see ", {"type": "link", "text": "x.y"}, {"type": "bold", "text": " now"}, "!", 5, {"type": "x"}]
    assert said(export(message(parts)))[0][1] == "see x.y now!5"


def test_all_chats_of_an_export_are_conversations() -> None:
    chats = [
        {"name": "Ben", "type": "personal_chat", "id": 1, "messages": [message("a")]},
        {"name": None, "type": "saved_messages", "id": 2, "messages": [message("b")]},
        {"name": "Ben", "type": "private_group", "id": 3, "messages": [message("c")]},
    ]
    content = json.dumps(
        {
            "about": "Here is the data you requested.",
            "personal_information": {"user_id": 5},
            "contacts": {"about": "x", "list": [{"first_name": "Ben", "text": "no message"}]},
            "chats": {"about": "This page lists all chats.", "list": chats},
            "left_chats": {"about": "x", "list": [{"name": "Old", "id": 4, "messages": [message("d")]}]},
        }
    )
    assert detect(content.encode(), "result.json")[0] == "telegram"
    shown = [event for event in events(content) if isinstance(event, Conversation | Turn)]
    assert [event.name if isinstance(event, Conversation) else event.text for event in shown] == [
        *("Ben", "a", "Saved Messages", "b", "Ben (3)", "c", "Old", "d")
    ]


def test_service_messages_are_skipped() -> None:
    content = export(message("", type="service", actor="Anna", action="phone_call"), message("Hi"))
    assert [text for _, text in said(content)] == ["Hi"]
    assert skipped(content) == [("message 1", "a line of Telegram's own (phone_call)")]


def test_a_sender_that_is_null_is_a_deleted_account() -> None:
    content = export(message("a", **{"from": None}), {"type": "message", "from_id": "channel9", "text": "b"})
    assert [name for name, _ in said(content)] == ["Deleted Account", "channel9"]


def test_invalid_escapes_of_old_versions_are_read() -> None:
    content = export(message("it HERE s \\d"), message("b")).replace("HERE", r"\x27 \'")
    assert [text for _, text in said(content)] == [r"it \x27 \' s \d", "b"]


def test_media_is_part_of_the_text() -> None:
    content = export(
        message("my dog", photo="photos/1.jpg"),
        message("", file="x", file_name="plan.pdf"),
        message("", file="x", media_type="voice_message"),
        message("", file="x", media_type="sticker", sticker_emoji="👍"),
        message("", poll={"question": "Where?", "answers": [{"text": "Rome"}, {"text": "Bonn"}]}),
        message("", location_information={"latitude": 1.5, "longitude": 2.5}),
        message("", contact_information={"first_name": "Ben", "phone_number": "+49"}),
        message("news", forwarded_from="Cleo"),
    )
    assert [text for _, text in said(content)] == [
        "my dog\n[photo]",
        "[attached: plan.pdf]",
        "[voice message]",
        "[sticker 👍]",
        "[poll: Where? Rome / Bonn]",
        "[location: 1.5, 2.5]",
        "[contact: Ben +49]",
        "[forwarded from Cleo]\nnews",
    ]


def test_an_answer_to_what_was_said_long_before_quotes_it() -> None:
    noise = [message("x", number) for number in range(2, 14)]
    content = export(message("Which dog? " * 20, 1), *noise, message("Rex", 20, reply_to_message_id=1))
    quoted = " ".join(["Which dog?"] * 20)[:80].rstrip()
    assert turns(content)[-1].text == f"[reply to Anna: {quoted} …] Rex"
