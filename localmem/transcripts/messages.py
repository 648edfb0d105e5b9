"""Records with named fields to turns: what JSONL and CSV share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from localmem.transcripts.events import Event
from localmem.transcripts.source import Source
from localmem.transcripts.text import MAX_TEXT, TOO_LONG, clean, clean_line
from localmem.values import Skipped, Turn

UNKNOWN = "Unknown"
"""Speaker of a turn when the file names none."""

FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "speaker": (
            *("speaker", "author", "name", "sender", "from", "user", "username", "role"),
            *("sprecher", "sprecherin", "absender", "autor", "von", "benutzer"),
            *("hablante", "nombre", "remitente", "autora", "usuario", "de"),
        ),
        "text": (
            *("text", "content", "message", "body", "msg"),
            *("nachricht", "inhalt", "mensaje", "texto", "contenido"),
        ),
        "time": (
            *("timestamp", "time", "datetime", "date", "ts", "created_at", "at"),
            *("zeitstempel", "datum", "zeit", "uhrzeit", "fecha", "hora", "fecha y hora"),
        ),
        "id": ("id", "message_id"),
        "conversation": ("conversation", "conversation_id"),
        "session": ("session", "session_id", "thread", "thread_id", "chat", "chat_id"),
    }
)
"""Names of every field in English, German and Spanish, in order of preference, compared without case."""

_DEPTH = 8
_NAMED = 5
"""Names of a field that a message lists; the others are rarer, or German or Spanish."""
_CLOCK = re.compile(r"\s*\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?\s?m\.?)?\s*", re.IGNORECASE)
_PARTS = ("text", "content", "parts", "value")
_MEDIA = ("image", "audio", "video", "file")


def kind_of(name: str) -> str:
    """The kind of field that a name stands for, or an empty string."""
    folded = name.strip().lower()
    return next((kind for kind, names in FIELDS.items() if folded in names), "")


class Messages:
    """Makes turns of the records of one source.

    A `conversation` field starts a new conversation whenever it changes; a `thread`, `chat` or `session`
    field becomes the turn's session.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.default = ""
        """Name of the conversation of records that name none; empty: the file's."""
        self._conversation: str | None = None
        self._keys: dict[tuple[str, ...], dict[str, list[str]]] = {}

    def events(self, record: Mapping[str, object], where: str) -> Iterator[Event]:
        """The turn of a record, after a conversation when it changes; or why it was skipped."""
        keys = self._kinds(record)
        if "text" not in keys:
            yield Skipped(where, f"no text field ({named('text')})")
            return
        text = next((found for key in keys["text"] if (found := flatten(record[key]))), "")
        if not text:
            yield Skipped(where, "empty text")
            return
        if len(text) > MAX_TEXT:
            yield Skipped(where, TOO_LONG)
            return
        conversation = _first(record, keys, "conversation") or self.default
        if conversation != self._conversation:
            self._conversation = conversation
            yield self._source.conversation(conversation)
        value = _time(record, keys)
        at = None if value in (None, "") else self._source.time(value, where)
        yield Turn(
            speaker=_first(record, keys, "speaker") or UNKNOWN,
            text=text,
            at=at,
            source=_first(record, keys, "id") or where,
            session=_first(record, keys, "session"),
        )

    def _kinds(self, record: Mapping[str, object]) -> dict[str, list[str]]:
        """Keys of the record by kind of field, the preferred first."""
        shape = tuple(record)
        if shape not in self._keys:
            if len(self._keys) > 256:
                self._keys.clear()
            kinds: dict[str, list[str]] = {}
            for key in shape:
                if kind := kind_of(key):
                    kinds.setdefault(kind, []).append(key)
            for kind, keys in kinds.items():
                keys.sort(key=lambda key, names=FIELDS[kind]: names.index(key.strip().lower()))  # type: ignore[misc]
            self._keys[shape] = kinds
        return self._keys[shape]


def named(kind: str) -> str:
    """The usual names of a kind of field, for messages to people."""
    return ", ".join(FIELDS[kind][:_NAMED])


def _time(record: Mapping[str, object], keys: Mapping[str, list[str]]) -> object:
    """Value of the preferred time field that is filled; a clock time with the date of another field."""
    values = [record[key] for key in keys.get("time", ()) if record[key] not in (None, "")]
    first = next(iter(values), None)
    for clock in values:
        if isinstance(clock, str) and _CLOCK.fullmatch(clock):
            date = next((one for one in values if isinstance(one, str) and not _CLOCK.fullmatch(one)), None)
            if date is not None and (clock is first or ":" not in date):
                return date if ":" in date else f"{date} {clock.strip()}"
    return first


def _first(record: Mapping[str, object], keys: Mapping[str, list[str]], kind: str) -> str:
    return next((label for key in keys.get(kind, ()) if (label := label_of(record[key]))), "")


def label_of(value: object) -> str:
    """A name or id: text, a number, or an object that has a name."""
    if isinstance(value, dict):
        for key in ("name", "display_name", "nickname", "username", "role", "id"):
            if isinstance(value.get(key), str | int):
                return label_of(value[key])
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return clean_line(_plain(value))[:200]


def flatten(value: object, depth: int = _DEPTH) -> str:
    """Text of a content field: text, a list of parts, or an object with text or parts; media as "[image]"."""
    if isinstance(value, str):
        return clean(value)
    if depth == 0 or value is None or isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        return _plain(value)
    if isinstance(value, list):
        return "\n".join(text for part in value if (text := flatten(part, depth - 1)))
    if isinstance(value, dict):
        kind = str(value.get("type") or value.get("content_type") or "")
        for key in _PARTS:
            if text := flatten(value.get(key), depth - 1):
                return text
        return next((f"[{media}]" for media in _MEDIA if media in kind), "")
    return ""


def attached(files: object, *keys: str) -> list[str]:
    """What stands in a text for each of its files: "[attached: plan.pdf]".

    Args:
        files: a list of objects; anything else has none.
        keys: of a file's name, the preferred first.
    """
    found = []
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict):
            name = next((label for key in keys if (label := label_of(file.get(key)))), "")
            found.append(f"[attached: {name}]" if name else "[attached: a file]")
    return found


def _plain(value: str | int | float) -> str:
    try:
        return str(value)
    except ValueError:  # more digits than Python writes
        return ""
