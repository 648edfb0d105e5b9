"""Discord, as DiscordChatExporter writes it."""

from __future__ import annotations

import io
import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import Conversation, Turn, read_stream

from .helpers import events, said, skipped, turns
from .test_archive import zipped


def message(text: str, id: str = "1", **more: Any) -> dict[str, Any]:
    made = {"id": id, "type": "Default", "timestamp": "2025-03-04T18:32:00.5+01:00", "content": text}
    return made | {"author": {"id": "5", "name": "anna", "nickname": "Anna"}} | more


def export(*messages: Any, **more: Any) -> str:
    head = {"guild": {"name": "Dogs"}, "channel": {"id": "7", "name": "general"}, "exportedAt": "2025"}
    return json.dumps(head | more | {"messages": list(messages), "messageCount": len(messages)})


def test_a_turn_has_its_id_and_the_time_with_its_zone() -> None:
    at = datetime(2025, 3, 4, 18, 32, 0, 500000, timezone(timedelta(hours=1)))
    assert turns(export(message("Hi", "99"))) == [Turn("Anna", "Hi", at, "99")]
    assert events(export(message("Hi")))[0] == Conversation("Dogs · general", "discord")


def test_a_file_that_lacks_its_last_field_keeps_all_messages_and_says_that_it_is_cut() -> None:
    content = export(message("a"), message("b", "2"))
    for cut in (content.index(', "messageCount"'), content.index('], "messageCount"')):
        found = []
        with pytest.raises(TranscriptError, match="the file ends before its list does"):
            for event in read_stream(io.BytesIO(content[:cut].encode()), "x.json"):
                found.append(event)  # noqa: PERF402
        assert [event.text for event in found if isinstance(event, Turn)] == ["a", "b"]


def test_parts_of_a_channel_in_one_archive_are_one_conversation() -> None:
    made = zipped({"general [part 2].json": export(message("b")), "general [part 10].json": export(message("c")), "general.json": export(message("a"))})  # fmt: skip
    found = [event for event in events(made) if isinstance(event, Conversation | Turn)]
    assert {event.name for event in found if isinstance(event, Conversation)} == {"Dogs · general"}
    assert [event.text for event in found if isinstance(event, Turn)] == ["a", "b", "c"]


def test_lines_of_discord_are_skipped() -> None:
    content = export(
        message("Joined the server.", type="GuildMemberJoin"),
        message("Pinned a message.", type="ChannelPinnedMessage"),
        message("Started a call.", type="Call"),
        message("Hi", type="Reply"),
        message("Ho", type=19),
    )
    assert [text for _, text in said(content)] == ["Hi", "Ho"]
    assert skipped(content)[0] == ("message 1", "a line of Discord's own (GuildMemberJoin)")


def test_attachments_stickers_links_and_forwarded_texts_are_part_of_the_text() -> None:
    content = export(
        message("look", attachments=[{"fileName": "dog.png"}, 5]),
        message("", stickers=[{"name": "wave"}]),
        message("https://x.y", embeds=[{"title": "A dog", "description": "long"}]),
        message("", embeds=[{"title": "Build", "description": "failed"}]),
        message("", forwardedMessage={"content": "from there"}),
    )
    assert [text for _, text in said(content)] == [
        "look\n[attached: dog.png]",
        "[sticker: wave]",
        "https://x.y\n[link: A dog]",
        "[link: Build: failed]",
        "[forwarded] from there",
    ]


def test_an_answer_to_what_was_said_long_before_quotes_it() -> None:
    noise = [message("x", str(number)) for number in range(2, 14)]
    content = export(message("Which dog?", "1"), *noise, message("Rex", "20", reference={"messageId": "1"}))
    assert turns(content)[-1].text == "[reply to Anna: Which dog?] Rex"


def test_an_author_without_a_nickname_has_the_name() -> None:
    content = export(message("a", author={"id": "5", "name": "anna"}), message("b", author=None))
    assert [name for name, _ in said(content)] == ["anna", "Unknown"]
