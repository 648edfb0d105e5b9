"""Turns, files and stores for the tests of recall."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from localmem.embed.protocol import Embedder
from localmem.recall.ingest import Ingest
from localmem.recall.threads import Cut
from localmem.store import Store
from localmem.transcripts import Conversation, Event
from localmem.values import (
    FileReport,
    Role,
    StoredTurn,
    Thread,
    Transcript,
    Turn,
    Unit,
    Workspace,
)
from tests.fakes import HashingEmbedder

NOON = datetime(2025, 3, 4, 12, 0)
TALK = "talk.txt"


def turn(text: str, speaker: str = "Ann", *, at: datetime | None = None, session: str = "") -> Turn:
    return Turn(speaker, text, at, "line 1", session)


def talk(count: int, *, start: int = 0, every: timedelta = timedelta(minutes=1)) -> list[Turn]:
    """Turns that are all different; number n is the same in every talk."""
    return [
        Turn("Ann" if n % 2 else "Bob", f"Word{n} about topic{n // 5}.", NOON + n * every, f"line {n}")
        for n in range(start, start + count)
    ]


def events(
    turns: Iterable[Event], name: str = "talk", format: str = "plain"
) -> Callable[[], Iterator[Event]]:
    kept = [Conversation(name, format), *turns]
    return lambda: iter(kept)


def ingest(
    store: Store,
    turns: Iterable[Event],
    *,
    embedder: Embedder | None = None,
    path: str = TALK,
    name: str = "talk",
) -> list[FileReport]:
    return Ingest(store, embedder or HashingEmbedder()).file(path, events(turns, name))


def stored_turns(store: Store, transcript: int) -> list[Turn]:
    """The turns of a transcript in order; their positions must be dense."""
    stored = store.turns_between(transcript, 0, 1 << 40)
    assert [one.position for one in stored] == list(range(len(stored)))
    return [one.turn for one in stored]


def stored_threads(store: Store, transcript: int) -> list[tuple[int, int, str]]:
    """Borders and heads; the threads must hold every turn of the transcript exactly once."""
    threads = store.threads_of(transcript)
    stored = store.turns_between(transcript, 0, 1 << 40)
    covered = [position for thread in threads for position in range(thread.first, thread.last + 1)]
    assert covered == [one.position for one in stored]
    by_thread = [thread.id for thread in threads for _ in range(thread.first, thread.last + 1)]
    assert by_thread == [one.thread for one in stored]
    return [(thread.first, thread.last, thread.head) for thread in threads]


def borders(cuts: Sequence[Cut]) -> list[tuple[int, int]]:
    return [(cut.first, cut.last) for cut in cuts]


def unit_vectors(rows: int, seed: int, *, topics: int = 4, dimension: int = 6) -> NDArray[np.float32]:
    """Vectors near a few centres, as talk that drifts from topic to topic has them."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((topics, dimension))
    chosen = np.cumsum(rng.random(rows) < 0.3) % topics
    vectors = centres[chosen] + 0.4 * rng.standard_normal((rows, dimension))
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def unit(number: int, one: Turn, *, priority: float = 0.1, transcript: int = 1, thread: int = 1) -> Unit:
    return Unit(StoredTurn(number, transcript, number, thread, one), Role.ANCHOR, priority, 0.1)


def workspace(*turns: Turn, query: str = "", priorities: Sequence[float] = ()) -> Workspace:
    """A workspace of these turns, all of one thread and one file."""
    units = tuple(
        unit(number, one, priority=priorities[number] if priorities else 0.1)
        for number, one in enumerate(turns)
    )
    thread = Thread(1, 1, 0, max(0, len(turns) - 1), "head", None, len(turns))
    transcripts = {1: Transcript(1, "talk", "plain", TALK, len(turns))}
    return Workspace(query, units, (thread,) if turns else (), len(turns), 1.0, {}, transcripts)
