"""Claude, "Export data": the zip, or its conversations.json.

    [{"uuid": "c1", "name": "Dog", "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "I adopted a dog.", "created_at": "2025-03-04T18:32:00.123456Z",
         "content": [{"type": "text", "text": "I adopted a dog."}], "attachments": [], "files": []}]}]

The text stands in `content`, in `text`, or in both; blocks of thinking and of tools are left out. Of an attachment its
name and the beginning of its text are part of the turn, since long pasted texts are kept as attachments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, elements
from localmem.transcripts.messages import UNKNOWN, attached, flatten, label_of
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean
from localmem.values import Skipped, Turn

MAX_CONVERSATION = 64_000_000
"""Characters of one conversation; it is read whole, the file is not."""
MAX_EXTRACTED = 20_000
"""Characters of an attachment that are part of the turn."""

_MESSAGES = re.compile(r'"chat_messages"\s*:\s*\[')


def sniff(sample: Sample) -> str:
    """Whether it is JSON with chat messages in conversations."""
    if sample.text.lstrip(MARKS + " \t\n")[:1] in ("[", "{") and _MESSAGES.search(sample.text):
        return "JSON conversations with chat_messages, as Claude exports them"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of every conversation, one after the other."""
    for number, value in enumerate(elements(source, MAX_CONVERSATION), start=1):
        where = f"conversation {number}"
        messages = value.get("chat_messages") if isinstance(value, dict) else None
        if isinstance(value, Broken):
            yield Skipped(where, value.reason)
        elif not isinstance(value, dict) or not isinstance(messages, list):
            yield Skipped(where, "no chat_messages in it")
        else:
            id = label_of(value.get("uuid"))
            title = label_of(value.get("name")) or id or source.conversation().name
            yield source.conversation(source.names.name(title, id))
            for place, message in enumerate(messages, start=1):
                yield _event(source, message, f"{where}, message {place}")


def _event(source: Source, message: object, where: str) -> Event:
    if not isinstance(message, dict):
        return Skipped(where, "not a JSON object")
    text = _text(message)
    if not text:
        return Skipped(where, "empty text")
    if len(text) > MAX_TEXT:
        return Skipped(where, TOO_LONG)
    time = message.get("created_at")
    at = None if time in (None, "") else source.time(time, where)
    return Turn(label_of(message.get("sender")) or UNKNOWN, text, at, label_of(message.get("uuid")) or where)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    shown = [block for block in blocks if not isinstance(block, dict) or block.get("type", "text") == "text"]
    said = [flatten(shown) or flatten(message.get("text"))]
    attachments = message.get("attachments")
    for one in attachments if isinstance(attachments, list) else ():
        said += attached([one], "file_name")
        if isinstance(one, dict) and (inside := flatten(one.get("extracted_content"))):
            said.append(inside if len(inside) <= MAX_EXTRACTED else f"{inside[:MAX_EXTRACTED]} …")
    files = message.get("files")
    names = {
        name
        for one in (attachments if isinstance(attachments, list) else ())
        for name in attached([one], "file_name")
    }
    said += [name for name in attached(files, "file_name") if name not in names]
    return clean("\n".join(part for part in said if part))
