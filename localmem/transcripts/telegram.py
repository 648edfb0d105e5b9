"""Telegram Desktop, "Export chat history" or "Export Telegram data" as JSON: result.json.

    {"name": "Ben", "type": "personal_chat", "id": 7, "messages": [
        {"id": 1, "type": "message", "date": "2025-03-04T18:32:00", "date_unixtime": "1741109520", "from": "Anna",
         "text": ["I adopted ", {"type": "bold", "text": "a dog"}, "."]}]}

An export of everything holds `chats.list[]`, each a conversation. `date` is the local time and `date_unixtime` the moment:
from both follows the zone, also in the hour that autumn has twice; without the second, the time stays local.
Joins, pins and calls are skipped. Photos, files, stickers, polls and places stand in the text. An answer to what was said more than a few
messages before quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import OPENED, Broken, walk
from localmem.transcripts.messages import flatten, label_of
from localmem.transcripts.replies import Replies
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean
from localmem.transcripts.times import parse_time
from localmem.values import Skipped, Turn

DELETED = "Deleted Account"
"""Who wrote a message whose sender is null, as Telegram shows it."""

_SIGN = re.compile(
    r'"(?:date_unixtime|text_entities|from_id|actor_id)"\s*:|"chats"\s*:\s*\{\s*"about"|"left_chats"\s*:'
)
_MESSAGES = re.compile(r'"(?:messages|list)"\s*:\s*\[|"personal_information"\s*:')
_LISTS = (("chats", "list"), ("left_chats", "list"))
_CHATS = {(), *((*place, "") for place in _LISTS)}
_INTO = _CHATS | {("chats",), ("left_chats",), *_LISTS} | {(*chat, "messages") for chat in _CHATS}
_QUARTER = timedelta(minutes=15)
_FARTHEST = timedelta(hours=15)


def sniff(sample: Sample) -> str:
    """Whether it is a JSON object with messages of Telegram, or begins as an export of everything."""
    if sample.text.lstrip(MARKS + " \t\n")[:1] != "{":
        return ""
    if _MESSAGES.search(sample.text) and _SIGN.search(sample.text):
        return "JSON with messages as Telegram Desktop exports them"
    if '"personal_information"' in sample.text and '"about"' in sample.text:
        return "the beginning of an export of everything by Telegram Desktop"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of every chat, one after the other."""
    about: dict[str, str] = {}
    replies = Replies()
    number = 0
    for place, value in walk(source, MAX_LINE, _INTO):
        if value is OPENED:
            if place in _CHATS:
                about, replies, number = {}, Replies(), 0
            elif place[-1:] == ("messages",):
                yield source.conversation(_name(source, about))
        elif place[-2:] == ("messages", ""):
            number += 1
            yield _event(source, value, f"message {number}", replies)
        elif place[:-1] in _CHATS and place[-1:] and place[-1] in ("name", "type", "id"):
            about[place[-1]] = label_of(value)
        elif isinstance(value, Broken) and "longer than" not in value.reason:
            yield Skipped(f"behind message {number}", value.reason)


def _name(source: Source, about: Mapping[str, str]) -> str:
    id = about.get("id", "")
    name = about.get("name") or ("Saved Messages" if about.get("type") == "saved_messages" else "")
    return source.names.name(name or id or source.conversation().name, id)


def _event(source: Source, message: object, where: str, replies: Replies) -> Event:
    if not isinstance(message, dict):
        return Skipped(where, message.reason if isinstance(message, Broken) else "not a JSON object")
    if message.get("type", "message") != "message":
        action = label_of(message.get("action")) or label_of(message.get("type"))
        return Skipped(where, f"a line of Telegram's own ({action})")
    text = _text(message)
    if not text:
        return Skipped(where, "empty text")
    if len(text) > MAX_TEXT:
        return Skipped(where, TOO_LONG)
    id = label_of(message.get("id"))
    speaker = (
        label_of(message.get("from"))
        or (DELETED if "from" in message else "")
        or label_of(message.get("from_id"))
        or DELETED
    )
    mark = replies.mark(label_of(message.get("reply_to_message_id")))
    replies.add(id, speaker, text)
    return Turn(speaker, mark + text, _time(source, message, where), id or where)


def _time(source: Source, message: Mapping[str, Any], where: str) -> datetime | None:
    """The moment in the zone that both times together show."""
    moment = parse_time(message.get("date_unixtime"))
    date = message.get("date")
    if moment is None:
        return None if date in (None, "") else source.time(date, where)
    local = parse_time(date)
    if local is None or local.tzinfo is not None:
        return moment
    offset = local - moment.replace(tzinfo=None)
    if abs(offset) > _FARTHEST or offset % _QUARTER:
        return moment
    return moment.astimezone(timezone(offset) if offset else UTC)


def _text(message: Mapping[str, Any]) -> str:
    said = []
    if forwarded := label_of(message.get("forwarded_from")):
        said.append(f"[forwarded from {forwarded}]")
    text = message.get("text")
    # The parts of a text follow each other without a break.
    parts = text if isinstance(text, list) else [text]
    said.append("".join(part if isinstance(part, str) else _part(part) for part in parts))
    said += _media(message)
    return clean("\n".join(part for part in said if part))


def _part(part: object) -> str:
    inside = part.get("text") if isinstance(part, dict) else part
    return inside if isinstance(inside, str) else flatten(inside)


def _media(message: Mapping[str, Any]) -> Iterator[str]:
    kind = label_of(message.get("media_type"))
    if kind == "sticker":
        yield f"[sticker {label_of(message.get('sticker_emoji'))}]".replace(" ]", "]")
    elif "photo" in message:
        yield "[photo]"
    elif "file" in message or kind:
        name = label_of(message.get("file_name")) or label_of(message.get("title"))
        what = kind.replace("_", " ") or "attached"
        yield f"[{what}: {name}]" if name else f"[{what if kind else 'attached: a file'}]"
    poll = message.get("poll")
    if isinstance(poll, dict):
        answers = poll.get("answers")
        texts = [flatten(one) for one in answers] if isinstance(answers, list) else []
        yield f"[poll: {flatten(poll.get('question'))} {' / '.join(filter(None, texts))}]".replace(" ]", "]")
    contact = message.get("contact_information")
    if isinstance(contact, dict):
        names = (label_of(contact.get(key)) for key in ("first_name", "last_name", "phone_number"))
        yield f"[contact: {' '.join(filter(None, names))}]"
    place = message.get("location_information")
    if isinstance(place, dict):
        where = label_of(message.get("place_name")) or ", ".join(
            filter(None, (label_of(place.get("latitude")), label_of(place.get("longitude"))))
        )
        yield f"[location: {where}]"
