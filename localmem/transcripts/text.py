"""Cleaning what ends up in a turn."""

from __future__ import annotations

import re
import unicodedata

MAX_TEXT = 1_000_000
"""Characters of one turn; a longer one is skipped, for it is no message but a broken file."""

TOO_LONG = f"longer than {MAX_TEXT:,} characters"

MARKS = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
"""Invisible direction marks and byte order marks that exporters put before a line."""

_BREAKS = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with every line break as a newline, without control characters, half pairs or outer space.

    A tab stays; a lone surrogate, which a JSON escape can make, becomes U+FFFD, so that the result can
    always be written as UTF-8.
    """
    text = text.strip()
    if text.isprintable():  # a fast test that is true for nearly all one-line messages
        return text
    text = _BREAKS.sub("\n", text)
    text = _CONTROLS.sub("", text)
    text = _SURROGATES.sub("\ufffd", text)
    return text.lstrip(MARKS).strip()


def one_line(text: str) -> str:
    """`clean`, with every run of space as one space."""
    text = clean(text)
    return text if text.isprintable() and "  " not in text else " ".join(text.split())


def clean_line(text: str) -> str:
    """`one_line` for names and labels: in Unicode's composed form, so that equal names are equal."""
    return unicodedata.normalize("NFC", one_line(text))
