"""Turns and threads for the tests of the store."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from localmem.store import NewThread, NewTurn, Store
from localmem.values import Turn

DIMENSION = 8


def key(name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def vector(name: str) -> NDArray[np.float32]:
    seed = zlib.crc32(name.encode("utf-8", "surrogatepass"))
    return np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)


def new_turn(text: str, *, name: str | None = None, at: datetime | None = None) -> NewTurn:
    name = text if name is None else name
    return NewTurn(key(name), Turn("Ann", text, at, f"id {name}", "June"), vector(name))


def new_turns(*texts: str) -> list[NewTurn]:
    return [new_turn(text) for text in texts]


def new_thread(first: int, last: int, head: str = "head") -> NewThread:
    return NewThread(first, last, head, vector(f"{head} {first}"), "fast")


def begin(store: Store, *texts: str) -> int:
    """A transcript with these turns."""
    store.bind_embedder("fake", DIMENSION)
    transcript = store.add_transcript("talk", "plain", "talk.txt")
    store.add_turns(transcript, new_turns(*texts), after=None)
    return transcript


def texts(store: Store, transcript: int) -> list[str]:
    """Texts by position, which must be 0, 1, 2, ..."""
    stored = store.turns_between(transcript, 0, 1 << 40)
    assert [turn.position for turn in stored] == list(range(len(stored)))
    return [turn.turn.text for turn in stored]


def ids_found(found: Sequence[tuple[int, float]]) -> set[int]:
    return {id for id, _ in found}


@contextmanager
def temporary_store() -> Iterator[Store]:
    """For property tests, which may not share a fixture between examples."""
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "memory.db") as store:
        yield store
