"""ChatGPT, "Export data": the zip, or its conversations.json (also conversations-000.json, ...).

    [{"title": "Dog", "current_node": "b", "mapping": {
        "a": {"parent": null, "children": ["b"], "message": null},
        "b": {"parent": "a", "children": [], "message": {"id": "b", "author": {"role": "user"},
              "create_time": 1741113120.5, "content": {"content_type": "text", "parts": ["I adopted a dog."]}}}}}]

A conversation is a tree, for every edit and every second try begins a branch. What the person saw last is the way from
`current_node` up to the root; the first children lead into branches that were left. Hidden messages, those of tools
and to tools, and thinking are left out, and a detail says how many. Pictures and files stand in the text:
"[image]", "[attached: plan.pdf]". Speakers are "user" and "assistant"; times are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from localmem.transcripts.events import Event
from localmem.transcripts.json_walk import Broken, elements
from localmem.transcripts.messages import attached, flatten, label_of
from localmem.transcripts.source import Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT, TOO_LONG, clean
from localmem.values import Skipped, Turn

MAX_CONVERSATION = 64_000_000
"""Characters of one conversation; it is read whole, the file is not."""

_MAPPING = re.compile(r'"mapping"\s*:\s*\{')
_NODE = re.compile(r'"(?:current_node|children|parent)"\s*:')
_SHOWN = frozenset(("text", "multimodal_text", "code", "quote", ""))
"""Kinds of content that people read; thinking, browsing and the output of programs are others."""
_ROLES = frozenset(("user", "assistant"))


def sniff(sample: Sample) -> str:
    """Whether it is JSON with conversations as trees."""
    if sample.text.lstrip(MARKS + " \t\n")[:1] not in ("[", "{"):
        return ""
    if _MAPPING.search(sample.text) and _NODE.search(sample.text):
        return "JSON conversations with a mapping of messages, as ChatGPT exports them"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of every conversation, one after the other."""
    left_out = branches = 0
    for number, value in enumerate(elements(source, MAX_CONVERSATION), start=1):
        where = f"conversation {number}"
        mapping = value.get("mapping") if isinstance(value, dict) else None
        if isinstance(value, Broken):
            yield Skipped(where, value.reason)
        elif not isinstance(value, dict) or not isinstance(mapping, dict):
            yield Skipped(where, "no mapping of messages in it")
        else:
            id = label_of(value.get("conversation_id") or value.get("id"))
            title = label_of(value.get("title")) or id or source.conversation().name
            yield source.conversation(source.names.name(title, id))
            way = _way(mapping, value.get("current_node"))
            branches += sum(_is_message(node) for node in mapping.values()) - len(way)
            for place, message in enumerate(way, start=1):
                if _is_hidden(message):
                    left_out += 1
                else:
                    yield _event(source, message, f"{where}, message {place}")
    if left_out:
        source.details.append(f"{left_out:,} hidden, tool and thinking messages were left out")
    if branches:
        source.details.append(f"{branches:,} messages of branches that were left are not read")


def _is_message(node: object) -> bool:
    return isinstance(node, dict) and isinstance(node.get("message"), dict)


def _way(mapping: Mapping[str, Any], current: object) -> list[dict[str, Any]]:
    """The messages from the root to the current node; where that is missing, to the message that came last."""
    id = current if isinstance(current, str) and current in mapping else _last(mapping)
    messages = []
    seen: set[str] = set()
    while isinstance(id, str) and id not in seen and isinstance(node := mapping.get(id), dict):
        seen.add(id)
        if isinstance(message := node.get("message"), dict):
            messages.append(message)
        id = node.get("parent")
    messages.reverse()
    return messages


def _last(mapping: Mapping[str, Any]) -> str | None:
    """The message without children that has the latest time, or stands last."""
    best: tuple[float, str] | None = None
    for id, node in mapping.items():
        if not isinstance(node, dict) or node.get("children"):
            continue
        message = node.get("message")
        time = message.get("create_time") if isinstance(message, dict) else None
        moment = time if isinstance(time, int | float) and time == time else 0
        if best is None or moment >= best[0]:
            best = (moment, id)
    return best[1] if best else None


def _is_hidden(message: Mapping[str, Any]) -> bool:
    content, metadata = message.get("content"), message.get("metadata")
    kind = str(content.get("content_type") or "") if isinstance(content, dict) else ""
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True
    to = message.get("recipient")
    role = _role(message)
    # What the assistant writes for a program is no speech; a person may well send code.
    to_tool = to not in (None, "", "all") or (kind == "code" and role == "assistant")
    return hidden or to_tool or kind not in _SHOWN or role not in _ROLES


def _role(message: Mapping[str, Any]) -> str:
    author = message.get("author")
    return label_of(author.get("role")) if isinstance(author, dict) else ""


def _event(source: Source, message: Mapping[str, Any], where: str) -> Event:
    text = _text(message)
    if not text:
        return Skipped(where, "empty text")
    if len(text) > MAX_TEXT:
        return Skipped(where, TOO_LONG)
    time = message.get("create_time")
    at = None if time in (None, "", 0) else source.time(time, where)
    return Turn(_role(message), text, at, label_of(message.get("id")) or where)


def _text(message: Mapping[str, Any]) -> str:
    content, metadata = message.get("content"), message.get("metadata")
    said = []
    if isinstance(content, dict):
        parts = content.get("parts")
        said = [_part(part) for part in parts] if isinstance(parts, list) else [flatten(content.get("text"))]
    files = metadata.get("attachments") if isinstance(metadata, dict) else None
    said += attached(files, "name")
    return clean("\n".join(part for part in said if part))


def _part(part: object) -> str:
    if not isinstance(part, dict):
        return flatten(part)
    kind = str(part.get("content_type") or "")
    if text := flatten(part.get("text")):  # also what was heard in a recording
        return text
    if kind.startswith("image"):
        inner = part.get("metadata")
        made = inner.get("dalle") if isinstance(inner, dict) else None
        prompt = flatten(made.get("prompt")) if isinstance(made, dict) else ""
        return f"[image: {prompt}]" if prompt else "[image]"
    if "audio" in kind or "video" in kind:
        return ""  # its words stand beside it
    return flatten(part)
