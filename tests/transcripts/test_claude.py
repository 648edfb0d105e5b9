"""Claude's export."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from localmem.transcripts import Conversation, Turn
from localmem.transcripts.claude import MAX_EXTRACTED

from .helpers import events, said, skipped, turns
from .test_archive import zipped


def export(*messages: Any, **more: Any) -> str:
    return json.dumps([{"uuid": "c1", "name": "Dog", "chat_messages": list(messages)} | more])


def test_a_turn_has_its_time_and_the_id_of_its_message() -> None:
    content = export({"uuid": "m1", "sender": "human", "text": "Hi", "created_at": "2025-03-04T18:32:00.5Z"})
    assert turns(content) == [Turn("human", "Hi", datetime(2025, 3, 4, 18, 32, 0, 500000, UTC), "m1")]


def test_the_text_may_stand_in_either_place() -> None:
    content = export(
        {"sender": "human", "text": "", "content": [{"type": "text", "text": "in content"}]},
        {"sender": "assistant", "text": "in text", "content": []},
        {"sender": "human", "text": "in both", "content": [{"type": "text", "text": "in both"}]},
        {"sender": "assistant", "text": "in text", "content": None},
        {"sender": "human", "text": "", "content": []},
    )
    assert [text for _, text in said(content)] == ["in content", "in text", "in both", "in text"]
    assert skipped(content) == [("conversation 1, message 5", "empty text")]


def test_thinking_and_tools_are_left_out() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "text": "hm"},
        {"type": "tool_use", "name": "web", "input": {}},
        {"type": "tool_result", "content": [{"type": "text", "text": "found"}]},
        {"type": "text", "text": "Rex."},
    ]
    content = export({"sender": "assistant", "text": "hm Rex.", "content": blocks})
    assert said(content) == [("assistant", "Rex.")]


def test_attachments_have_their_name_and_their_text_and_files_their_name() -> None:
    message = {
        "sender": "human",
        "text": "Read this",
        "attachments": [
            {"file_name": "notes.txt", "extracted_content": "the long notes"},
            {"file_name": "", "extracted_content": "x" * (MAX_EXTRACTED + 9)},
            7,
        ],
        "files": [{"file_name": "dog.png"}, {"file_name": "notes.txt"}],
    }
    assert said(export(message))[0][1] == (
        "Read this\n[attached: notes.txt]\nthe long notes\n[attached: a file]\n"
        f"{'x' * MAX_EXTRACTED} …\n[attached: dog.png]"
    )


def test_a_conversation_without_a_name_has_its_id() -> None:
    content = export({"sender": "human", "text": "Hi"}, name="")
    assert events(content)[0] == Conversation("c1", "claude")


def test_what_is_no_conversation_is_skipped() -> None:
    content = f'[{{"name": "x"}}, {export({"sender": "human", "text": "Hi"})[1:-1]}]'
    assert said(content) == [("human", "Hi")]
    assert skipped(content) == [("conversation 1", "no chat_messages in it")]


def test_the_zip_gives_the_conversations_and_nothing_else() -> None:
    made = zipped(
        {
            "users.json": '[{"uuid": "u", "full_name": "A", "text": "x"}]',
            "projects.json": '[{"name": "p", "docs": [], "content": "prompt"}]',
            "conversations.json": export({"sender": "human", "text": "Hi"}),
        }
    )
    assert said(made) == [("human", "Hi")]
