"""Discord, as DiscordChatExporter writes it."""

from __future__ import annotations

import io
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from localmem.errors import TranscriptError
from localmem.recall.bulk import plan
from localmem.transcripts import Conversation, Note, Turn, read, read_stream

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


def loose(folder: Path, **more: str) -> list[Path]:
    """Parts of a channel in files of their own, and what else lies there."""
    files = {f"general [7]{'' if place == 1 else f' [part {place}]'}.json": export(message(text, str(place))) for place, text in enumerate("abcdefghijk", start=1)}  # fmt: skip
    for name, content in {**files, **more}.items():
        (folder / name).write_text(content, encoding="utf-8")
    return [folder / name for name in files]


def test_loose_parts_of_a_channel_are_one_conversation_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    paths = loose(tmp_path)
    found = list(read(paths[0]))
    assert {event.name for event in found if isinstance(event, Conversation)} == {"Dogs · general"}
    assert "".join(event.text for event in found if isinstance(event, Turn)) == "abcdefghijk"
    for given in ([str(tmp_path)], [str(path) for path in sorted(paths)], [str(tmp_path / "*.json")]):
        assert plan(given) == [paths[0]]


def test_of_parts_with_a_gap_those_behind_it_are_read_by_themselves(tmp_path: Path) -> None:
    paths = loose(tmp_path)
    paths[3].unlink()
    assert set(plan([str(tmp_path)])) == {paths[0], paths[4]}
    found = list(read(paths[4]))
    assert "".join(event.text for event in found if isinstance(event, Turn)) == "efghijk"


def test_a_later_part_alone_is_read_and_told_of(tmp_path: Path) -> None:
    path = loose(tmp_path)[-1]
    found = list(read(path))
    assert [event.text for event in found if isinstance(event, Turn)] == ["k"]
    assert "this is part 11 of a channel, alone" in " ".join(
        event.text for event in found if isinstance(event, Note)
    )


def test_a_part_that_cannot_be_read_does_not_cost_those_behind_it(tmp_path: Path) -> None:
    paths = loose(tmp_path)
    content = paths[1].read_text(encoding="utf-8")
    paths[1].write_text(content[: content.index('], "messageCount"')], encoding="utf-8")
    paths[2].write_text(export(), encoding="utf-8")
    found = []
    with pytest.raises(TranscriptError, match=r"part 2\].*ends"):
        for event in read(paths[0]):
            found.append(event)  # noqa: PERF402
    assert "".join(event.text for event in found if isinstance(event, Turn)) == "abdefghijk"


@pytest.mark.parametrize(
    "other", [export(message("b"), channel={"id": "8", "name": "general"}), "Anna: hi\nBen: ho\n", "[]", ""]
)
def test_only_parts_of_the_same_channel_are_joined(tmp_path: Path, other: str) -> None:
    (tmp_path / "a.json").write_text(export(message("a")), encoding="utf-8")
    (tmp_path / "a [part 2].json").write_text(other, encoding="utf-8")
    assert set(plan([str(tmp_path)])) == set(tmp_path.iterdir())
    assert [event.text for event in read(tmp_path / "a.json") if isinstance(event, Turn)] == ["a"]


def test_a_name_that_is_as_long_as_a_name_may_be_is_read(tmp_path: Path) -> None:
    path = tmp_path / f"{'a' * 250}.json"
    path.write_text(export(message("a")), encoding="utf-8")
    assert [event.text for event in read(path) if isinstance(event, Turn)] == ["a"]


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
