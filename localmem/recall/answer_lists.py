"""Answers that are lists: what belongs into one, and what another reply adds to it.

What a list holds is spread over many turns, and a small model stops at the first that has something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from localmem.recall.answer_changes import stems
from localmem.recall.answer_evidence import Evidence

_COMMA = re.compile(r",(?!\d)\s*")


def without_asked(question: str, text: str) -> str:
    """A list without the parts that only say words of the question, unless it has no others."""
    items = _items(text)
    asked = stems(question)
    own = [item for item in items if not stems(item) <= asked]
    return ", ".join(own) if own and len(own) < len(items) else text


def added(question: str, text: str, more: str, turns: Iterable[Evidence]) -> list[str]:
    """What another reply adds to a list.

    Args:
        question: what is asked.
        text: the list.
        more: the reply.
        turns: that it cites; a part counts if one of them has all of its words.
    """
    known = stems(question) | stems(text)
    said = [stems(one.searchable) for one in turns]
    found = []
    for item in _items(more):
        own = stems(item)
        if own - known and any(own <= there for there in said):
            found.append(item)
            known |= own
    return found


def _items(text: str) -> list[str]:
    return [item for part in _COMMA.split(text) if (item := part.strip(" .").removeprefix("and "))]
