"""A chat as a transcript of the memory: what is said in it can be asked about later."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from secrets import token_bytes

import numpy as np
from numpy.typing import NDArray

from localmem.embed.protocol import Embedder
from localmem.recall.ingest import thread_again
from localmem.recall.turns import embedding_text
from localmem.store import NewTurn, Store
from localmem.values import Turn

FORMAT = "chat"
USER, ASSISTANT = "You", "localmem"
"""Who speaks in a chat."""
_REMEMBERED = 100


class ChatLog:
    """The transcript that one chat writes. It is made with the first turn.

    Args:
        store: the memory file.
        embedder: gives the embedder.
    """

    def __init__(self, store: Store, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder
        self._transcript: int | None = None
        self._keys: deque[bytes] = deque(maxlen=_REMEMBERED)
        """Of the turns written last, by which the transcript is known as this chat's."""

    def turns(self, said: str, reply: str, at: datetime) -> list[Turn]:
        """An exchange as turns, the reply right behind what it replies to."""
        texts = [(USER, said), (ASSISTANT, reply)]
        return [Turn(speaker, text, at, "") for speaker, text in texts if text.strip()]

    def vectors(self, turns: Sequence[Turn]) -> NDArray[np.float32]:
        """Vectors of turns, shape (n, d); the slow part, done before a transaction begins.

        Raises:
            ModelMissingError: the embedder was not pulled yet.
            EmbedderMismatchError: the memory holds vectors of another embedder.
        """
        embedder = self._embedder()
        self._store.bind_embedder(embedder.id, embedder.dimension)
        return embedder.encode([embedding_text(turn) for turn in turns])

    def add(self, turns: Sequence[Turn], vectors: NDArray[np.float32], sources: Collection[int] = ()) -> None:
        """Add turns at the end, with their vectors, words and threads.

        Args:
            turns: of one exchange.
            vectors: of the turns, shape (n, d).
            sources: ids of the turns that the reply rests on.

        Raises:
            StoreError: the memory cannot be written.
        """
        if not turns:
            return
        with self._store.transaction():
            transcript = self._own(turns[0].at)
            last = self._store.last_position(transcript)
            first = 0 if last is None else last + 1
            # The same words may be said twice, so a key of a chat is no hash of its turn.
            made = [
                NewTurn(token_bytes(16), _numbered(turn, first + place), vector)
                for place, (turn, vector) in enumerate(zip(turns, vectors, strict=True))
            ]
            ids = self._store.add_turns(transcript, made, after=None)
            for id, turn in zip(ids, turns, strict=True):
                if turn.speaker == ASSISTANT and sources:
                    self._store.note_sources(id, sources)
            self._keys.extend(turn.key for turn in made)
            thread_again(self._store, transcript, first, first + len(made) - 1)

    def _own(self, at: datetime | None) -> int:
        # After a transaction that failed, or a forgotten chat, another one may have got its number.
        if self._transcript is None or not self._store.known(self._transcript, list(self._keys)):
            begun = (at or datetime.now().astimezone()).isoformat(" ", "seconds")[:19]
            self._transcript = self._store.add_transcript(f"chat {begun}", FORMAT, "")
        return self._transcript


def _numbered(turn: Turn, place: int) -> Turn:
    return Turn(turn.speaker, turn.text, turn.at, f"turn {place // 2 + 1}")
