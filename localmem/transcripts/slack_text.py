"""The text of a Slack message: its markup, and its blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from localmem.transcripts.messages import flatten, label_of

_MARKUP = re.compile(r"<([^<>\n]{1,3000})>")
_BREAKS = re.compile(r"\n{2,}")
_DEPTH = 8
_LINES = frozenset(("rich_text_section", "rich_text_preformatted", "rich_text_quote", "rich_text_list"))
"""Elements that stand on lines of their own."""


@dataclass(slots=True)
class Directory:
    """Names by ids."""

    users: dict[str, str] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)


def plain_text(text: str, directory: Directory) -> str:
    """Text with names in place of <@U1>, <#C1|general>, <!here> and links, and without the three entities."""
    if "<" in text:
        text = _MARKUP.sub(lambda found: _shown(found[1], directory), text)
    if "&" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return text


def _shown(inside: str, directory: Directory) -> str:
    target, bar, label = inside.partition("|")
    sign, id = target[:1], target[1:]
    if sign == "@":
        return f"@{directory.users.get(id) or label or id}"
    if sign == "#":
        return f"#{label or directory.channels.get(id) or id}"
    if sign == "!":
        return label or f"@{id.split('^', 1)[0]}"
    if bar and label and label not in target:
        return f"{label} ({target})"
    return target.removeprefix("mailto:")


def blocks_text(blocks: object, directory: Directory) -> str:
    """The words of a message's blocks."""
    lines = [_block(block, directory, _DEPTH) for block in blocks] if isinstance(blocks, list) else []
    return _BREAKS.sub("\n", "\n".join(lines)).strip()


def _block(value: object, directory: Directory, depth: int) -> str:
    if not isinstance(value, dict) or depth == 0:
        return ""
    kind = str(value.get("type") or "")
    if kind == "user":
        id = label_of(value.get("user_id"))
        return f"@{directory.users.get(id) or id}"
    if kind == "channel":
        id = label_of(value.get("channel_id"))
        return f"#{directory.channels.get(id) or id}"
    if kind == "broadcast":
        return f"@{label_of(value.get('range'))}"
    if kind == "emoji":
        return f":{label_of(value.get('name'))}:"
    if kind == "link":
        text, url = flatten(value.get("text")), label_of(value.get("url"))
        return f"{text} ({url})" if text and text not in url else url
    if kind == "date":
        return flatten(value.get("fallback"))
    if kind == "image":
        return f"[image: {flatten(value.get('alt_text')) or flatten(value.get('title'))}]"
    inner = value.get("elements") or value.get("fields")
    if isinstance(inner, list):
        parts = [(_is_line(one), _block(one, directory, depth - 1)) for one in inner]
        return "".join(f"\n{text}\n" if line else text for line, text in parts)
    inside = value.get("text")
    if isinstance(inside, str):
        return inside if kind == "text" else plain_text(inside, directory)
    return _block(inside, directory, depth - 1)


def _is_line(value: object) -> bool:
    return isinstance(value, dict) and (
        str(value.get("type")) in _LINES or isinstance(value.get("text"), dict)
    )
