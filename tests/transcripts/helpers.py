"""One small valid file per format, and short ways to read text."""

from __future__ import annotations

import io
import json

from localmem.transcripts import Event, Format, Note, Skipped, Turn, read_stream

SPEAKERS = {Format.CHATGPT: ["user", "assistant"], Format.CLAUDE: ["human", "assistant"]}
"""Of the first two turns, where they are not Anna and Ben."""


def chatgpt_node(id: str, parent: str | None, message: object, *children: str) -> dict[str, object]:
    return {"id": id, "parent": parent, "children": list(children), "message": message}


def chatgpt_message(id: str, role: str, *parts: object, **more: object) -> dict[str, object]:
    content = {"content_type": "text", "parts": list(parts)}
    made = {
        "id": id,
        "author": {"role": role},
        "create_time": 1741113120.5,
        "content": content,
        "metadata": {},
    }
    return made | more


VALID: dict[Format, str] = {
    Format.CHATGPT: json.dumps(
        [
            {
                "title": "Dog",
                "conversation_id": "c1",
                "current_node": "b",
                "mapping": {
                    "root": chatgpt_node("root", None, None, "a"),
                    "a": chatgpt_node("a", "root", chatgpt_message("a", "user", "I adopted a dog."), "b"),
                    "b": chatgpt_node("b", "a", chatgpt_message("b", "assistant", "What is its name?")),
                },
            }
        ]
    ),
    Format.CLAUDE: json.dumps(
        [
            {
                "uuid": "c1",
                "name": "Dog",
                "chat_messages": [
                    {
                        "uuid": "m1",
                        "sender": "human",
                        "text": "I adopted a dog.",
                        "content": [{"type": "text", "text": "I adopted a dog."}],
                        "created_at": "2025-03-04T18:32:00.123456Z",
                    },
                    {"uuid": "m2", "sender": "assistant", "text": "What is its name?", "content": []},
                ],
            }
        ]
    ),
    Format.SLACK: json.dumps(
        [
            {
                "type": "message",
                "user": "U1",
                "user_profile": {"real_name": name},
                "ts": f"174111312{number}.000100",
                "text": text,
            }
            for number, (name, text) in enumerate(
                [("Anna", "I adopted a dog."), ("Ben", "What is its name?")]
            )
        ]
    ),
    Format.DISCORD: json.dumps(
        {
            "guild": {"id": "9", "name": "Dogs"},
            "channel": {"id": "7", "name": "general"},
            "exportedAt": "2025-03-05T00:00:00+00:00",
            "messages": [
                {
                    "id": str(number),
                    "type": "Default",
                    "timestamp": f"2025-03-04T18:3{number}:00.5+01:00",
                    "content": text,
                    "author": {"id": "5", "name": name.lower(), "nickname": name},
                }
                for number, (name, text) in enumerate(
                    [("Anna", "I adopted a dog."), ("Ben", "What is its name?")]
                )
            ],
            "messageCount": 2,
        }
    ),
    Format.TELEGRAM: json.dumps(
        {
            "name": "Ben",
            "type": "personal_chat",
            "id": 7,
            "messages": [
                {
                    "id": number,
                    "type": "message",
                    "date": f"2025-03-04T19:3{number}:00",
                    "date_unixtime": str(1741113000 + 60 * number),
                    "from": name,
                    "from_id": f"user{number}",
                    "text": text,
                }
                for number, (name, text) in enumerate(
                    [("Anna", "I adopted a dog."), ("Ben", "What is its name?")]
                )
            ],
        }
    ),
    Format.SRT: (
        "1\n00:00:01,000 --> 00:00:02,000\nAnna: I adopted a dog.\n\n"
        "2\n00:00:02,500 --> 00:00:04,000\nBen: What is its name?\n\n"
        "3\n00:00:05,500 --> 00:00:07,000\nAnna: Rex.\n\n4\n00:00:08,500 --> 00:00:09,000\nBen: Ah.\n"
    ),
    Format.WHISPER: json.dumps(
        {
            "text": " I adopted a dog. What is its name?",
            "segments": [
                {"id": 0, "start": 0.0, "end": 2.5, "text": " I adopted a dog.", "speaker": "Anna"},
                {"id": 1, "start": 2.5, "end": 4.0, "text": " What is its name?", "speaker": "Ben"},
            ],
            "language": "en",
        }
    ),
    Format.OTTER: (
        "Weekly sync\nTue, Mar 4, 2025 6:30PM • 0:40\n\nAnna  0:00\nI adopted a dog.\n\n"
        "Ben  0:21\nWhat is its name?\n\nTranscribed by https://otter.ai\n"
    ),
    Format.LOCOMO: json.dumps(
        [
            {
                "sample_id": "conv-a",
                "conversation": {
                    "speaker_a": "Anna",
                    "session_1_date_time": "1:56 pm on 8 May, 2023",
                    "session_1": [
                        {"speaker": "Anna", "dia_id": "D1:1", "text": "I adopted a dog."},
                        {"speaker": "Ben", "dia_id": "D1:2", "text": "What is its name?"},
                    ],
                },
            }
        ]
    ),
    Format.PLAIN: "# 2025-03-04 18:30\nAnna: I adopted a dog.\nBen: What is its name?\nAnna: Rex.\n",
    Format.WEBVTT: (
        "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n<v Anna>I adopted a dog.</v>\n\n"
        "2\n00:00:02.500 --> 00:00:04.000\n<v Ben>What is its name?</v>\n"
    ),
    Format.JSONL: (
        '{"speaker": "Anna", "text": "I adopted a dog.", "timestamp": "2025-03-04T18:32:00Z", "id": "m1"}\n'
        '{"speaker": "Ben", "text": "What is its name?", "timestamp": 1741113180}\n'
    ),
    Format.WHATSAPP: (
        "20/01/19, 11:25 - Anna: I adopted a dog.\n"
        "20/01/19, 11:25 - Ben: What is its name?\n"
        "20/01/19, 11:27 - Anna: Rex.\n"
    ),
    Format.CSV: (
        'timestamp,speaker,text\n2025-03-04 18:32,Anna,I adopted a dog.\n2025-03-04 18:33,Ben,"What is its, um, name?"\n'
    ),
}


def events(content: str | bytes, format: Format | None = None, name: str = "chat.txt") -> list[Event]:
    data = content.encode("utf-8") if isinstance(content, str) else content
    return list(read_stream(io.BytesIO(data), name, format=format))


def turns(content: str | bytes, format: Format | None = None, name: str = "chat.txt") -> list[Turn]:
    return [event for event in events(content, format, name) if isinstance(event, Turn)]


def said(content: str | bytes, format: Format | None = None) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in turns(content, format)]


def notes(content: str | bytes, format: Format | None = None) -> list[str]:
    found = events(content, format)
    return [event.text for event in found if isinstance(event, Note) and not event.minor]


def details(content: str | bytes, format: Format | None = None) -> list[str]:
    """Notes that only those who ask are told."""
    return [event.text for event in events(content, format) if isinstance(event, Note) and event.minor]


def skipped(content: str | bytes, format: Format | None = None) -> list[tuple[str, str]]:
    return [(event.where, event.reason) for event in events(content, format) if isinstance(event, Skipped)]
