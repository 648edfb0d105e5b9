"""Slack's export: a day of a channel, the zip, the folder."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from localmem.transcripts import Conversation, Event, Format, Skipped, Turn, expand, read

from .helpers import details, events, said, skipped, turns
from .test_archive import zipped


def message(text: str, ts: str = "1741113120.000100", user: str = "U1", **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": user, "ts": ts, "text": text} | more


def day(*messages: Any) -> str:
    return json.dumps(list(messages))


USERS = json.dumps(
    [
        {"id": "U1", "name": "anna", "profile": {"real_name": "Anna Berg", "display_name": "anna"}},
        {"id": "U2", "name": "ben", "real_name": "Ben Ode", "profile": {}},
        {"id": "U3", "name": "cleo"},
    ]
)
EXPORT = {
    "users.json": USERS,
    "channels.json": json.dumps([{"id": "C1", "name": "general"}, {"id": "C2", "name": "dogs"}]),
    "dms.json": json.dumps([{"id": "D1", "members": ["U1", "U3"]}]),
    "integration_logs.json": "[]",
    "general/2025-03-05.json": day(message("second day", "1741199520.000100", "U2")),
    "general/2025-03-04.json": day(message("Hello <@U2>, see <#C2|dogs> &amp; <https://x.y|this>")),
    "C2/2025-03-04.json": day(message("woof", user="U3")),
    "D1/2025-03-04.json": day(message("just us")),
}


def shape(found: list[Event]) -> list[Any]:
    shown = [event for event in found if isinstance(event, Conversation | Turn)]
    return [event.name if isinstance(event, Conversation) else (event.speaker, event.text) for event in shown]


READ = [
    "dogs",
    ("cleo", "woof"),
    "Anna Berg, cleo",
    ("Anna Berg", "just us"),
    "general",
    ("Anna Berg", "Hello @Ben Ode, see #dogs & this (https://x.y)"),
    ("Ben Ode", "second day"),
]


def test_the_zip_gives_channels_with_names_in_order_of_days() -> None:
    found = events(zipped(EXPORT), name="export.zip")
    assert shape(found) == READ
    assert "read as slack: channels.json and users.json are in it" in details(zipped(EXPORT))


def test_the_export_may_stand_in_a_folder_of_the_zip() -> None:
    assert shape(events(zipped({f"Acme export/{name}": text for name, text in EXPORT.items()}))) == READ


def test_the_unpacked_folder_is_one_export(tmp_path: Path) -> None:
    folder = tmp_path / "all" / "acme"
    for name, text in EXPORT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "all" / "talk.txt").write_text("Anna: hi\n", encoding="utf-8")
    assert expand([str(tmp_path)]) == [folder, tmp_path / "all" / "talk.txt"]
    assert expand([str(folder)]) == [folder]
    assert shape(list(read(folder))) == READ


def test_a_day_by_itself_has_the_names_that_it_holds() -> None:
    content = day(message("Hi <@U2|ben>", user_profile={"real_name": "Anna Berg"}), message("Ho", user="U9"))
    found = events(content, name="acme/general/2025-03-04.json")
    assert shape(found) == ["general", ("Anna Berg", "Hi @ben"), ("U9", "Ho")]


def test_ts_is_kept_as_it_is_written_and_is_exact() -> None:
    turn = turns(day(message("Hi", "1741113120.123456")))[0]
    assert (turn.source, turn.at) == ("1741113120.123456", datetime(2025, 3, 4, 18, 32, 0, 123456, UTC))


def test_blocks_that_say_more_than_the_text_are_the_text() -> None:
    blocks = [
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [
                        {"type": "text", "text": "Ask "},
                        {"type": "user", "user_id": "U2"},
                        {"type": "text", "text": " for <tea> "},
                        {"type": "emoji", "name": "tea"},
                        {"type": "link", "url": "https://x.y", "text": "here"},
                    ],
                },
                {
                    "type": "rich_text_list",
                    "elements": [
                        {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]},
                        {"type": "rich_text_section", "elements": [{"type": "text", "text": "two"}]},
                    ],
                },
            ],
        },
        {"type": "section", "text": {"type": "mrkdwn", "text": "<https://a.b|A> &amp; B"}},
    ]
    content = day(message("Ask", blocks=blocks), message("longer than its blocks", blocks=blocks[1:] and []))
    assert [text for _, text in said(content)] == [
        "Ask @U2 for <tea> :tea:here (https://x.y)\none\ntwo\nA (https://a.b) & B",
        "longer than its blocks",
    ]


def test_files_links_and_bots_are_named() -> None:
    content = day(
        message("look", files=[{"name": "plan.pdf"}, {"title": "Photo"}]),
        {"type": "message", "subtype": "bot_message", "username": "Build", "ts": "1741113121.000000", "text": "",
         "attachments": [{"title": "Failed", "text": "in <https://x.y|main>"}, {"fallback": "see log"}]},
    )  # fmt: skip
    assert said(content) == [
        ("U1", "look\n[attached: plan.pdf]\n[attached: Photo]"),
        ("Build", "[link: Failed in main (https://x.y)]\n[link: see log]"),
    ]


def test_joins_and_topics_are_skipped() -> None:
    content = day(message("<@U1> joined", subtype="channel_join"), message("Hi"), 5)
    assert [text for _, text in said(content)] == ["Hi"]
    assert [reason for _, reason in skipped(content)] == [
        "a line of Slack's own (channel_join)",
        "not a JSON object",
    ]


def test_a_reply_days_later_quotes_what_it_replies_to_and_one_at_once_does_not() -> None:
    root = message("Shall we adopt the dog?", "1741113120.000100", thread_ts="1741113120.000100")
    soon = message("yes", "1741113121.000100", thread_ts="1741113120.000100")
    noise = [message("x", f"17411132{number:02}.000100") for number in range(12)]
    late = message("Rex it is", "1741199520.000100", "U2", thread_ts="1741113120.000100")
    made = {
        **EXPORT,
        "general/2025-03-04.json": day(root, soon, *noise),
        "general/2025-03-05.json": day(late),
    }
    found = [event.text for event in events(zipped(made)) if isinstance(event, Turn)]
    assert "yes" in found
    assert found[-1] == "[reply to Anna Berg: Shall we adopt the dog?] Rex it is"


def test_a_day_that_is_broken_does_not_cost_the_others() -> None:
    made = {**EXPORT, "general/2025-03-04.json": day(message("first"), message("lost"))[:-9]}
    found = events(zipped(made), name="x.zip")
    assert [event.text for event in found if isinstance(event, Turn)][-2:] == ["first", "second day"]
    assert any(isinstance(one, Skipped) and one.where == "general/2025-03-04.json" for one in found)


def test_names_that_cannot_be_read_leave_the_ids() -> None:
    found = events(zipped({**EXPORT, "users.json": '[{"id": "U1", "na'}), name="x.zip", format=Format.SLACK)
    assert ("U1", "just us") in shape(found)
