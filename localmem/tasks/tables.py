"""Tables of words, written down as running text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())
