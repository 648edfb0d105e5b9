"""Parts of one Discord channel in files of their own, as DiscordChatExporter writes them with a partition limit.

    general [7].json    general [7] [part 2].json    general [7] [part 3].json

Whoever reads a part reads those behind it as well, so that a channel is one conversation however it was cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_PART = re.compile(r"(?P<stem>.+) \[part (?P<number>[0-9]{1,6})\]", re.DOTALL)
_CHANNEL = re.compile(r'"channel"\s*:\s*\{[^{}]{0,2000}?"id"\s*:\s*"?(?P<id>[0-9]{1,30})')
_HEAD = 64 * 1024
"""Bytes at the beginning of a file in which its channel stands."""


def behind(path: Path) -> list[Path]:
    """The parts that follow a file without a gap, in order; none unless all are of the same channel."""
    channel = ""
    found: list[Path] = []
    after = path
    while _is_file(after := _following(after)):
        channel = channel or _channel(path)
        if not channel or _channel(after) != channel:
            break
        found.append(after)
    return found


def heads(paths: Iterable[Path]) -> list[Path]:
    """The files without those that are read with another one of them, as the parts `behind` it."""
    given = list(paths)
    there = set(given)
    channel = cache(_channel)

    def is_behind(path: Path) -> bool:
        before = _before(path)
        return before in there and bool(channel(path)) and channel(before) == channel(path)

    return [path for path in given if not is_behind(path)]


def is_later(path: Path) -> bool:
    """Whether a file is a part of a channel, and not the first."""
    return number(path) > 1 and bool(_channel(path))


def number(path: Path) -> int:
    """Which part the name of a file says that it is, from 1."""
    found = _PART.fullmatch(path.stem)
    return int(found["number"]) if found else 1


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long with its number
        return False


def _following(path: Path) -> Path:
    found = _PART.fullmatch(path.stem)
    stem = found["stem"] if found else path.stem
    return path.parent / f"{stem} [part {number(path) + 1}]{path.suffix}"


def _before(path: Path) -> Path | None:
    found = _PART.fullmatch(path.stem)
    if found is None or number(path) < 2:
        return None
    place = number(path) - 1
    return path.parent / f"{found['stem']}{f' [part {place}]' if place > 1 else ''}{path.suffix}"


def _channel(path: Path) -> str:
    """The id of the channel that a file is of; empty: it is none."""
    try:
        with path.open("rb", buffering=0) as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
    found = _CHANNEL.search(head)
    return found["id"] if found and '"guild"' in head else ""
