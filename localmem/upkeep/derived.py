"""What was made of turns: texts that a model has written, as far as their words tell that they came from them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from localmem.store import Store

QUOTED = 5
"""Words in a row that make a quotation."""
TELLING = 4
"""Letters of a word that can tell by itself where it came from; one with a digit always can."""
SEEN = 1000
"""Turns in which a word tells nothing any more, whoever said it."""
_AT_ONCE = 4096

Key = TypeVar("Key", bound=Hashable)


def derived(
    store: Store, ids: Sequence[int], others: Iterable[str], texts: Mapping[Key, str], written: Sequence[int]
) -> set[Key]:
    """Those of some texts that came from some turns.

    A text did if it quotes one of them, or has a word that is said in them and in no other turn.

    Args:
        store: the memory.
        ids: of the turns, which are in it still.
        others: more texts that count as the turns do.
        texts: by key; what a model has written.
        written: ids of all turns that a model has written: a word that they have too may still have come from there.
    """
    if not texts:
        return set()
    rows: dict[tuple[str, ...], set[Key]] = {}
    by_word: dict[str, set[Key]] = {}
    for key, text in texts.items():
        words = _words(text)
        for row in _in_a_row(words):
            rows.setdefault(row, set()).add(key)
        for word in words:
            by_word.setdefault(word, set()).add(key)
    found: set[Key] = set()
    shared: set[str] = set()
    for text in _said(store, ids, others):
        words = _words(text)
        shared.update(word for word in words if word in by_word)
        for row in _in_a_row(words):
            found |= rows.get(row, set())
    known = {*ids, *written}
    for word in sorted(shared):
        telling = len(word) >= TELLING or any(map(str.isdigit, word))
        if telling and not by_word[word] <= found and _only_there(store, word, known):
            found |= by_word[word]
    return found


def _only_there(store: Store, word: str, known: set[int]) -> bool:
    hits = store.search_words([word], SEEN)
    return len(hits) < SEEN and all(id in known for id, _ in hits)


def _said(store: Store, ids: Sequence[int], others: Iterable[str]) -> Iterator[str]:
    for start in range(0, len(ids), _AT_ONCE):
        yield from (stored.turn.text for stored in store.turns(ids[start : start + _AT_ONCE]))
    yield from others


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _in_a_row(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + QUOTED]) for start in range(len(words) - QUOTED + 1))
