"""Discord, as DiscordChatExporter writes JSON; one file, or the parts of one.

    {"guild": {"name": "Dogs"}, "channel": {"id": "7", "name": "general"}, "messages": [
        {"id": "1", "type": "Default", "timestamp": "2025-03-04T18:32:00.5+00:00", "content": "I adopted a dog.",
         "author": {"id": "5", "name": "anna", "nickname": "Anna"}, "attachments": [], "embeds": []}],
     "messageCount": 1}

Joins, pins and calls are lines of Discord's own and are skipped. The names of attachments and stickers and the titles
of links are part of the text. An answer to what was said more than a few messages before quotes it. Parts of one
channel in one archive are one conversation, and so are those that lie beside each other (`parts`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, walk
from localmem.transcripts.messages import UNKNOWN, attached, flatten, label_of
from localmem.transcripts.replies import Replies
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean
from localmem.values import Skipped, Turn

_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_SIGN = re.compile(r'"(?:exportedAt|messageCount|timestampEdited|isPinned)"\s*:|"guild"\s*:\s*\{')
_INTO = {(), ("messages",)}
_SAID = frozenset(("Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage", ""))
"""Types of messages that somebody wrote; also by their numbers in Discord's own interface."""
_SAID_NUMBERS = frozenset(("0", "19", "20", "21", "23"))


def sniff(sample: Sample) -> str:
    """Whether it is a JSON object with the messages of a channel."""
    if sample.text.lstrip(MARKS + " \t\n")[:1] != "{":
        return ""
    if _MESSAGES.search(sample.text) and _SIGN.search(sample.text) and '"author"' in sample.text:
        return "JSON with the messages of a channel, as DiscordChatExporter writes it"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of the messages."""
    replies = Replies()
    guild = channel = id = ""
    started = False
    number = 0
    for place, value in walk(source, MAX_LINE, _INTO):
        if place == ("guild",) and isinstance(value, dict):
            guild = label_of(value.get("name"))
        elif place == ("channel",) and isinstance(value, dict):
            channel, id = label_of(value.get("name")), label_of(value.get("id"))
        elif place == ("messages", ""):
            if not started:
                started = True
                name = " · ".join(part for part in (guild, channel) if part)
                wanted = name or source.conversation().name
                yield source.conversation(source.names.name(wanted, id))
            number += 1
            yield _event(source, value, f"message {number}", replies)
        elif isinstance(value, Broken):
            yield Skipped(f"behind message {number}", value.reason)


def _event(source: Source, message: object, where: str, replies: Replies) -> Event:
    if not isinstance(message, dict):
        return Skipped(where, message.reason if isinstance(message, Broken) else "not a JSON object")
    kind = label_of(message.get("type"))
    if kind not in _SAID and kind not in _SAID_NUMBERS:
        return Skipped(where, f"a line of Discord's own ({kind})")
    text = _text(message)
    if not text:
        return Skipped(where, "empty text")
    if len(text) > MAX_TEXT:
        return Skipped(where, TOO_LONG)
    id = label_of(message.get("id"))
    speaker = _speaker(message.get("author"))
    reference = message.get("reference")
    mark = replies.mark(label_of(reference.get("messageId"))) if isinstance(reference, dict) else ""
    replies.add(id, speaker, text)
    time = message.get("timestamp")
    at = None if time in (None, "") else source.time(time, where)
    return Turn(speaker, mark + text, at, id or where)


def _speaker(author: object) -> str:
    if not isinstance(author, dict):
        return UNKNOWN
    return (
        label_of(author.get("nickname"))
        or label_of(author.get("name"))
        or label_of(author.get("id"))
        or UNKNOWN
    )


def _text(message: Mapping[str, Any]) -> str:
    said = [flatten(message.get("content"))]
    forwarded = message.get("forwardedMessage")
    if isinstance(forwarded, dict) and (inside := flatten(forwarded.get("content"))):
        said.append(f"[forwarded] {inside}")
    said += attached(message.get("attachments"), "fileName")
    stickers = message.get("stickers")
    for sticker in stickers if isinstance(stickers, list) else ():
        said.append(f"[sticker: {label_of(sticker)}]")
    embeds = message.get("embeds")
    for embed in embeds if isinstance(embeds, list) else ():
        if isinstance(embed, dict):
            parts = [flatten(embed.get("title")), "" if said[0] else flatten(embed.get("description"))]
            if told := ": ".join(part for part in parts if part):
                said.append(f"[link: {told}]")
    return clean("\n".join(part for part in said if part))
