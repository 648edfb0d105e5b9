"""Shapes of a line that opens a turn: a name, a time, or both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from localmem.transcripts.text import MARKS, clean_line

POSITION = r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_DATE = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|(?:\d{1,2}/\d{1,2}/|\d{1,2}\.\d{1,2}\.|\d{1,2}-\d{1,2}-)(?:\d{4}|\d{2}))"
_SECONDS = r":\d{2}(?:[.,]\d{1,9})?"
_HALF = r"(?:\s?[AaPp]\.?\s?[Mm]\b\.?)?"
_ZONE = r"(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2})(?=\s))?"
_STAMP = re.compile(
    r"(?:\[(?P<square>[^\]\n]{0,20}\d[^\]\n]{0,30})\]|\((?P<round>\d[\dAaPpMm:.,/ \u00a0\u202fT+Z-]{3,30})\)"
    rf"|(?P<full>{_DATE}(?:T|,?\s{{1,2}})\d{{1,2}}:\d{{2}}(?:{_SECONDS})?{_HALF}{_ZONE}|\d{{1,2}}:\d{{2}}{_SECONDS}{_HALF})"
    rf"|(?P<short>{_DATE}|\d{{1,2}}:\d{{2}}{_HALF})"
    r")(?:,?(?=\s))\s*+(?:[-–—|]\s++)?"
)
_EMOJI = "[\u2600-\u27bf\U0001f000-\U0001faff]"
_NAME = (
    rf"(?:[@+]|~\s?)?(?:[^\W_]|{_EMOJI})[^:：\n\[\]<>{{}}=|\"/\\?!;*]{{0,59}}?(?:\([^():：\n\[\]]{{1,30}}\))?"
)
_NAMED = re.compile(
    r"\[(?P<bracketed>[^\]:\n]{1,60})\]\s{0,9}[:：](?P<text1>.*)"
    r"|(?P<bold>\*\*|__)(?P<strong>[^*:：\n]{1,60}?)(?:[:：](?P=bold)|(?P=bold)\s{0,9}[:：])(?P<text2>.*)"
    rf"|(?P<name>{_NAME})(?:\s{{0,9}}[\[(](?P<after>{POSITION})[\])])?\s{{0,9}}(?P<colon>[:：])(?P<text3>.*)",
    re.DOTALL,
)
_ANY_NAME = re.compile(r"(?P<name>[^:：\n\"“”„]{1,80})(?:：|:(?=\s|$))(?P<text>.*)", re.DOTALL)
_TIME_LIKE = re.compile(r"(?=.*\d[:/.-]\d).{4,}")


class Style(StrEnum):
    """How an opening is written; of two that are equally frequent in a file, the first is its style."""

    STAMP = "stamp"
    """With a time or a position in a recording."""
    BRACKET = "bracket"
    """[Name]: text"""
    BOLD = "bold"
    """**Name:** text"""
    BARE = "bare"
    """Name: text"""
    SHORT = "short"
    """10:02 Name: text, or 4.3.2025 Name: text, which may as well be an appointment inside a message"""


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time at the beginning of a line."""

    text: str
    shape: str
    """square, round, full (date and time, or seconds) or short (only one of them)"""
    end: int
    """Where the rest of the line begins."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a line that may open a turn."""

    name: str
    text: str
    stamp: str
    """Time or position in a recording that stands with the name, as it is written."""
    style: Style
    spaced: bool
    """Whether a space or the end of the line follows the colon."""
    shape: str = ""
    """Of the stamp, if one stands before the name."""
    loose: bool = False
    """Whether the name has a shape that is believed only where times mark the turns."""


def stamp_of(line: str) -> Stamp | None:
    """The time that a line begins with, in brackets or bare."""
    match = _STAMP.match(line)
    if match is None:
        return None
    for shape in ("square", "round", "full", "short"):
        if text := match[shape]:
            bracketed = shape in ("square", "round")
            return None if bracketed and not _TIME_LIKE.fullmatch(text) else Stamp(text, shape, match.end())
    return None


def opening_of(line: str) -> Opening | None:
    """The name and the rest of a line that has the shape of an opening.

    Shapes: `Name: text`, `[Name]: text`, `**Name:** text`, `**Name**: text`, `Name (00:12): text`, each
    with or without a time before it: `[...]`, `(...)`, or bare, followed by spaces, a comma or a dash. A name has
    at most 60 characters and does not start with a digit; behind a time it may have 80, of any kind.
    """
    stamp = stamp_of(line)
    if stamp is None:
        return _named(line)
    rest = line[stamp.end :]
    style = Style.SHORT if stamp.shape == "short" else Style.STAMP
    found = _named(rest, stamped=True)
    if found is not None:
        return Opening(found.name, found.text, stamp.text, style, found.spaced, stamp.shape)
    match = _ANY_NAME.match(rest)
    name = _clean_name(match["name"]) if match else ""
    if match is None or not name:
        return None
    return Opening(name, match["text"].strip(), stamp.text, style, True, stamp.shape, loose=True)


def _named(line: str, *, stamped: bool = False) -> Opening | None:
    match = _NAMED.match(line)
    if match is None:
        return None
    unmarked = match["name"] is not None
    found = _clean_name(match["name"] or match["bracketed"] or match["strong"])
    if not found or (unmarked and not stamped and found[0].isdigit()):
        return None  # "10: 30 people", "1: first item"
    text = match["text3"] if unmarked else match["text1"] or match["text2"] or ""
    spaced = not text or text[0].isspace() or not unmarked or match["colon"] == "："
    if stamped and not spaced and (text.startswith("//") or (text[0].isdigit() and found[-1].isdigit())):
        return None  # an address, or a clock time in a sentence
    after = match["after"] or ""
    style = Style.BARE if unmarked else Style.BRACKET if match["bracketed"] else Style.BOLD
    return Opening(found, text.strip(), after, Style.STAMP if after else style, spaced)


def _clean_name(text: str) -> str:
    return clean_line(text).strip("-–—| " + MARKS)
