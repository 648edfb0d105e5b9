"""What the agent reads of a memory file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from localmem.store import Store
from localmem.values import StoredTurn, Transcript

SAME_TALK = timedelta(hours=6)
"""Turns that are further apart belong to another talk."""


class Library(Protocol):
    """What is read of a memory."""

    def search(self, query: str, turns: int) -> Sequence[StoredTurn]:
        """Turns that a question needs, thread by thread; so many at most."""

    def thread(self, id: int) -> Sequence[StoredTurn]:
        """Turns of a thread, in order; none if there is no such thread."""

    def near(self, stored: StoredTurn, distance: int) -> Sequence[StoredTurn]:
        """Turns of the same talk at most so many places away, in order, itself included."""

    def turns(self, ids: Sequence[int]) -> Sequence[StoredTurn]:
        """Turns by their ids."""

    def transcripts(self) -> Sequence[Transcript]:
        """All transcripts."""

    def span(self, transcript: int) -> tuple[datetime | None, datetime | None]:
        """When a transcript begins and ends."""

    def text(self, stored: StoredTurn) -> str:
        """What was said in a turn, on one line, with the meaning of relative dates."""

    def likeness(self, query: str, turns: Sequence[StoredTurn]) -> Sequence[float]:
        """How near the meaning of each turn is to that of a question: cosines of their vectors."""


class StoreLibrary:
    """A memory file as a `Library`.

    Args:
        store: the file.
        search: turns that a question needs, thread by thread, and how many at most.
        text: what was said in a turn, on one line, with the meaning of relative dates.
        likeness: cosines of the vectors of a question and of turns.
    """

    def __init__(
        self,
        store: Store,
        search: Callable[[str, int], Sequence[StoredTurn]],
        text: Callable[[StoredTurn], str],
        likeness: Callable[[str, Sequence[StoredTurn]], Sequence[float]],
    ) -> None:
        self._store = store
        self._search = search
        self._text = text
        self._likeness = likeness

    def search(self, query: str, turns: int) -> Sequence[StoredTurn]:
        """Turns that a question needs, thread by thread; so many at most."""
        return self._search(query, turns)

    def thread(self, id: int) -> Sequence[StoredTurn]:
        """Turns of a thread, in order; none if there is no such thread."""
        return self._store.turns_of_threads([id])

    def near(self, stored: StoredTurn, distance: int) -> Sequence[StoredTurn]:
        """Turns of the same talk at most so many places away, in order, itself included."""
        first, last = max(stored.position - distance, 0), stored.position + distance
        around = self._store.turns_between(stored.transcript, first, last)
        return [one for one in around if _same_talk(one.turn.at, stored.turn.at)]

    def turns(self, ids: Sequence[int]) -> Sequence[StoredTurn]:
        """Turns by their ids.

        Raises:
            StoreError: one of them is not there.
        """
        return self._store.turns(ids)

    def transcripts(self) -> Sequence[Transcript]:
        """All transcripts."""
        return self._store.transcripts()

    def span(self, transcript: int) -> tuple[datetime | None, datetime | None]:
        """Times of the first and the last turn of a transcript, where the file says them."""
        last = self._store.last_position(transcript)
        if last is None:
            return None, None
        ends = [self._store.turns_between(transcript, place, place) for place in (0, last)]
        first, final = (turns[0].turn.at if turns else None for turns in ends)
        return first, final

    def text(self, stored: StoredTurn) -> str:
        """What was said in a turn."""
        return self._text(stored)

    def likeness(self, query: str, turns: Sequence[StoredTurn]) -> Sequence[float]:
        """How near the meaning of each turn is to that of a question."""
        return self._likeness(query, turns) if turns else ()


def _same_talk(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None or (one.tzinfo is None) != (other.tzinfo is None):
        return True
    return abs(one - other) <= SAME_TALK
