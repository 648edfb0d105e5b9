"""ChatGPT's export."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import Conversation, Format, Turn, detect

from .helpers import chatgpt_message as message
from .helpers import chatgpt_node as node
from .helpers import details, events, said, skipped, turns
from .test_archive import zipped


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    """A conversation without branches."""
    ids = [f"n{number}" for number in range(len(messages))]
    mapping = {
        id: node(id, ids[place - 1] if place else None, messages[place], *ids[place + 1 : place + 2])
        for place, id in enumerate(ids)
    }
    return {"title": "Trip", "conversation_id": "c1", "current_node": ids[-1], "mapping": mapping} | more


def export(*conversations: Any) -> str:
    return json.dumps(list(conversations))


def branched(**more: Any) -> dict[str, Any]:
    """A question that was edited: its first children are the branch that was left."""
    mapping = {
        "root": node("root", None, None, "q1", "q2"),
        "q1": node("q1", "root", message("q1", "user", "old question"), "a1"),
        "a1": node("a1", "q1", message("a1", "assistant", "old answer", create_time=1741113000.0)),
        "q2": node("q2", "root", message("q2", "user", "new question"), "a2"),
        "a2": node("a2", "q2", message("a2", "assistant", "new answer", create_time=1741113999.0)),
    }
    return {"title": "Edited", "id": "c2", "current_node": "a2", "mapping": mapping} | more


def test_the_way_from_the_current_node_is_read_and_not_the_first_children() -> None:
    content = export(branched())
    assert [text for _, text in said(content)] == ["new question", "new answer"]
    assert "2 messages of branches that were left are not read" in details(content)


@pytest.mark.parametrize("current", [None, "gone", 5])
def test_without_a_current_node_the_way_to_the_latest_message_is_read(current: Any) -> None:
    assert [text for _, text in said(export(branched(current_node=current)))] == [
        "new question",
        "new answer",
    ]


def test_times_that_are_no_numbers_do_not_matter() -> None:
    for time in (10**400, float("inf"), float("nan"), "soon", True, -1):
        mapping = {"a": node("a", None, message("a", "user", "one", create_time=time))}
        assert said(json.dumps({"mapping": mapping}), Format.CHATGPT) == [("user", "one")]


def test_a_circle_of_parents_ends() -> None:
    mapping = {
        "a": node("a", "b", message("a", "user", "one"), "b"),
        "b": node("b", "a", message("b", "user", "two"), "a"),
    }
    content = export({"title": "x", "mapping": mapping, "current_node": "b"})
    assert [text for _, text in said(content, Format.CHATGPT)] == ["one", "two"]


def test_a_turn_has_the_time_in_utc_and_the_id_of_its_message() -> None:
    assert turns(export(chat(message("m1", "user", "Hi"))))[0] == Turn(
        "user", "Hi", datetime(2025, 3, 4, 18, 32, 0, 500000, UTC), "m1"
    )


def test_messages_times_and_titles_may_be_null() -> None:
    content = export(
        chat(None, message("m1", "user", "Hi", create_time=None), title=None),
        chat(message("m2", "user", "Ho"), title="", conversation_id=None),
    )
    found = [event for event in events(content) if isinstance(event, Conversation | Turn)]
    assert found[0] == Conversation("c1", "chatgpt")
    assert isinstance(found[1], Turn) and found[1].at is None
    assert found[2] == Conversation("chat", "chatgpt")


def test_two_conversations_of_one_title_are_two() -> None:
    content = export(
        chat(message("m1", "user", "Hi"), title="New chat", conversation_id="0123456789"),
        chat(message("m2", "user", "Ho"), title="New chat", conversation_id="abcdefghij"),
    )
    names = [event.name for event in events(content) if isinstance(event, Conversation)]
    assert names == ["New chat", "New chat (abcdefgh)"]


def test_parts_that_are_objects_are_named() -> None:
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": "sediment://1"},
        {"content_type": "image_asset_pointer", "metadata": {"dalle": {"prompt": "a dog on the moon"}}},
        {"content_type": "audio_transcription", "text": "heard words"},
        {"content_type": "audio_asset_pointer", "asset_pointer": "x"},
        "what is this?",
        None,
    ]
    shown = message("m1", "user", *parts, metadata={"attachments": [{"name": "plan.pdf"}, {"id": 5}]})
    shown["content"]["content_type"] = "multimodal_text"  # type: ignore[index]
    assert said(export(chat(shown))) == [
        (
            "user",
            "[image]\n[image: a dog on the moon]\nheard words\nwhat is this?\n[attached: plan.pdf]\n[attached: a file]",
        )
    ]


def test_hidden_tool_and_thinking_messages_are_left_out_and_counted() -> None:
    content = export(
        chat(
            message("m0", "system", ""),
            message("m1", "user", "profile", metadata={"is_visually_hidden_from_conversation": True}),
            message("m2", "user", "Hi"),
            message(
                "m3", "assistant", "", content={"content_type": "thoughts", "thoughts": [{"content": "hm"}]}
            ),
            message("m4", "assistant", "search('x')", recipient="web"),
            message("m5", "tool", "results"),
            message("m6", "assistant", content={"content_type": "code", "text": "print(1)"}),
            message("m7", "assistant", "Hello!", recipient="all"),
        )
    )
    assert said(content) == [("user", "Hi"), ("assistant", "Hello!")]
    assert "6 hidden, tool and thinking messages were left out" in details(content)


def test_a_conversation_that_is_broken_does_not_cost_the_others() -> None:
    good = json.dumps(chat(message("m1", "user", "Hi")))
    content = (
        f'[{good}, {{"title": "x", "mapping": null}}, {{"title": nope}}, 5, {good.replace("Trip", "Two")}]'
    )
    assert [text for _, text in said(content)] == ["Hi", "Hi"]
    assert [where for where, _ in skipped(content)] == ["conversation 2", "conversation 3", "conversation 4"]


def test_a_file_that_is_cut_off_keeps_what_came_before() -> None:
    content = export(chat(message("m1", "user", "Hi")), chat(message("m2", "user", "lost")))[:-60]
    found = []
    with pytest.raises(TranscriptError, match="ends inside a value") as caught:
        for event in events_of(content):
            found.append(event)  # noqa: PERF402
    assert [event.text for event in found if isinstance(event, Turn)] == ["Hi"]
    assert caught.value.hint


def events_of(content: str) -> Any:
    import io

    from localmem.transcripts import read_stream

    return read_stream(io.BytesIO(content.encode()), "conversations.json")


def test_the_zip_gives_the_conversations_of_all_parts_and_nothing_else() -> None:
    made = zipped(
        {
            "conversations-001.json": export(chat(message("m2", "user", "two"), conversation_id="c2")),
            "conversations-000.json": export(chat(message("m1", "user", "one"), conversation_id="c1")),
            "message_feedback.json": '[{"id": "f", "content": "{}", "text": "rated"}]',
            "user.json": '{"email": "a@b.c"}',
            "chat.html": "<html></html>",
            "dalle/image.webp": b"RIFF",
        }
    )
    found = events(made, name="export.zip")
    assert [event.text for event in found if isinstance(event, Turn)] == ["one", "two"]
    assert [event.name for event in found if isinstance(event, Conversation)] == ["Trip", "Trip (c2)"]


def test_a_list_of_titles_is_no_export() -> None:
    with pytest.raises(TranscriptError, match="no known format fits"):
        detect(b'[{"title": "Trip", "mapping": {}}]', "x.json")
