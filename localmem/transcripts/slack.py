"""Slack, a workspace's export: the zip or its folder; or a file of it, which is one day of a channel.

    users.json  channels.json  general/2025-03-04.json  general/2025-03-05.json  D0123/2025-03-04.json ...

    [{"type": "message", "user": "U1", "ts": "1741113120.000100", "text": "I adopted a dog, <@U2>."}]

Every channel, group and direct chat is a conversation; folders that are ids get the names of channels.json,
groups.json, mpims.json or, for direct chats, of their members. Mentions become names where users.json or the message itself tells
them. Where the blocks of a message say more than its text, they are its text. A reply stands where it was posted, maybe
days later, and then quotes what it replies to. Joins, topics and pins are skipped. A message's source is its `ts`, kept
as it is written, for a number would lose its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from typing import Any

from localmem.errors import TranscriptError
from localmem.transcripts.archive import Archive
from localmem.transcripts.events import Conversation, Event
from localmem.transcripts.json_walk import Broken, elements
from localmem.transcripts.messages import UNKNOWN, attached, flatten, label_of
from localmem.transcripts.replies import Replies
from localmem.transcripts.slack_text import Directory, blocks_text, plain_text
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean
from localmem.values import Skipped, Turn

_STAMP = re.compile(r'"ts"\s*:\s*"\d{9,10}\.\d{6}"')
_SIGN = re.compile(r'"(?:user|username|bot_id|subtype|thread_ts|user_profile|client_msg_id)"\s*:')
_TS = re.compile(r"(\d{9,10})(?:\.(\d{1,6}))?")
_DAY = re.compile(r"(?P<folder>[^/]+)/(?P<day>\d{4}-\d{2}-\d{2})\.json")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LISTS = ("channels.json", "groups.json", "mpims.json", "dms.json")
_SAID = frozenset(
    ("", "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment", "slackbot_response")
)
"""Subtypes of messages that somebody wrote."""


def sniff(sample: Sample) -> str:
    """Whether it is a JSON list of messages with the times of Slack."""
    if sample.text.lstrip(MARKS + " \t\n")[:1] != "[":
        return ""
    if _STAMP.search(sample.text) and _SIGN.search(sample.text):
        return "a JSON list of messages with ts, as Slack exports a day of a channel"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of one day of a channel, without the names that the other files of the export hold."""
    name = source.name
    if _DATE.fullmatch(name):  # the channel is the folder
        name = PurePath(source.label).parent.name or name
    yield source.conversation(source.names.name(source.conversation(name).name, name))
    yield from _day(source, _Channel(), Directory())


def export(archive: Archive, root: str) -> Iterator[Event]:
    """Events of all channels of an export, one after the other, day by day."""
    directory = Directory()
    days: dict[str, list[str]] = {}
    for name in archive.names():
        inside = name.removeprefix(root) if name.startswith(root) else ""
        if found := _DAY.fullmatch(inside):
            days.setdefault(found["folder"], []).append(name)
    yield from _read_names(archive, root, directory)
    for folder, names in days.items():
        channel = _Channel()
        source = None
        for name in sorted(names):
            try:
                source = archive.source(name)
                if channel.name is None:
                    channel.name = source.names.name(directory.channels.get(folder, folder), folder)
                    yield Conversation(channel.name, "slack")
                for event in _day(source, channel, directory):
                    yield event
                    yield from source.told()
            except TranscriptError as error:
                yield Skipped(name, str(error).removeprefix(f"{archive.label}/{name}: "))


def _read_names(archive: Archive, root: str, directory: Directory) -> Iterator[Event]:
    """Fill the directory; what cannot be read leaves ids."""
    there = set(archive.names())
    for file in ("users.json", *_LISTS):
        if root + file not in there:
            continue
        try:
            for value in elements(archive.source(root + file), 8 * MAX_LINE):
                if isinstance(value, dict):
                    _name(file, value, directory)
        except TranscriptError as error:
            yield Skipped(file, str(error).removeprefix(f"{archive.label}/{root}{file}: "))


def _name(file: str, value: Mapping[str, Any], directory: Directory) -> None:
    id = label_of(value.get("id"))
    if file == "users.json":
        directory.users[id] = (
            _person(value.get("profile")) or label_of(value.get("real_name")) or label_of(value) or id
        )
    elif file == "dms.json":
        members = value.get("members")
        names = (
            [directory.users.get(label_of(one), label_of(one)) for one in members]
            if isinstance(members, list)
            else []
        )
        directory.channels[id] = ", ".join(filter(None, names)) or id
    else:
        name = label_of(value.get("name"))
        directory.channels[id] = name or id
        directory.channels.setdefault(name, name)


def _person(profile: object) -> str:
    if not isinstance(profile, dict):
        return ""
    return next(
        (name for key in ("real_name", "display_name", "name") if (name := label_of(profile.get(key)))), ""
    )


@dataclass(slots=True)
class _Channel:
    """What is kept from one day to the next."""

    name: str | None = None
    replies: Replies = field(default_factory=Replies)


def _day(source: Source, channel: _Channel, directory: Directory) -> Iterator[Event]:
    label = PurePath(source.label)
    for number, value in enumerate(elements(source, MAX_LINE), start=1):
        yield _event(value, f"{label.parent.name}/{label.name}, message {number}", channel, directory)


def _event(message: object, where: str, channel: _Channel, directory: Directory) -> Event:
    if not isinstance(message, dict):
        return Skipped(where, message.reason if isinstance(message, Broken) else "not a JSON object")
    kind = label_of(message.get("subtype"))
    if kind not in _SAID or message.get("type", "message") != "message":
        return Skipped(where, f"a line of Slack's own ({kind or label_of(message.get('type'))})")
    text = _text(message, directory)
    if not text:
        return Skipped(where, "empty text")
    if len(text) > MAX_TEXT:
        return Skipped(where, TOO_LONG)
    speaker = _speaker(message, directory)
    ts, thread = label_of(message.get("ts")), label_of(message.get("thread_ts"))
    mark = channel.replies.mark(thread) if thread and thread != ts else ""
    channel.replies.add(ts, speaker, text)
    return Turn(speaker, mark + text, _time(ts), ts or where)


def _time(ts: str) -> datetime | None:
    """The moment of a `ts`, exact to its microsecond, which a float would not be."""
    found = _TS.fullmatch(ts)
    if found is None:
        return None
    micro = int((found[2] or "0").ljust(6, "0"))
    return datetime.fromtimestamp(0, UTC) + timedelta(seconds=int(found[1]), microseconds=micro)


def _speaker(message: Mapping[str, Any], directory: Directory) -> str:
    user = label_of(message.get("user"))
    bot = message.get("bot_profile")
    return (
        directory.users.get(user)
        or _person(message.get("user_profile"))
        or label_of(message.get("username"))
        or (label_of(bot) if isinstance(bot, dict) else "")
        or user
        or label_of(message.get("bot_id"))
        or UNKNOWN
    )


def _text(message: Mapping[str, Any], directory: Directory) -> str:
    text = plain_text(flatten(message.get("text")), directory)
    fuller = blocks_text(message.get("blocks"), directory)
    said = [fuller if len(fuller) > len(text) else text]
    attachments = message.get("attachments")
    for one in attachments if isinstance(attachments, list) else ():
        if isinstance(one, dict):
            parts = (flatten(one.get(key)) for key in ("pretext", "title", "text"))
            told = " ".join(part for part in parts if part) or flatten(one.get("fallback"))
            said.append(f"[link: {plain_text(told, directory)}]" if told else "")
    said += attached(message.get("files"), "name", "title")
    return clean("\n".join(part for part in said if part))
