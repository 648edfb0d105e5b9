"""The stages of recall, in order: a question to a workspace."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from localmem.embed.protocol import Embedder
from localmem.index import open_index
from localmem.recall import graph, neighbourhood, relevance
from localmem.recall.neighbourhood import Limits
from localmem.recall.query import Query, parse
from localmem.recall.relevance import Pool
from localmem.recall.vectors import Heads, Turns
from localmem.recall.workspace import Options, Scored, choose, order_of_time, worth
from localmem.store import Store
from localmem.values import StoredTurn, Workspace

if TYPE_CHECKING:
    from localmem.index.vectors import VectorIndex

HITS = 300
"""Turns taken from each index."""
HEAD_HITS = 60


@dataclass
class Clock:
    """Time of each stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """End a stage."""
        now = time.perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now


class Recall:
    """Search over one memory. Indexes are opened at first use and again when the memory has changed."""

    def __init__(self, store: Store, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder
        self._indexes: dict[str, tuple[str, VectorIndex]] = {}

    def search(
        self,
        question: str,
        *,
        options: Options | None = None,
        limits: Limits | None = None,
    ) -> Workspace:
        """Choose the turns that a question needs. No model of language is loaded.

        Raises:
            EmbedderMismatchError: the memory's vectors are of another embedder.
            StoreError: the memory cannot be read.
        """
        options, limits = options or Options(), limits or Limits()
        clock = Clock()
        vector = self._vector(question)
        clock.lap("embed")
        with self._store.snapshot():
            query = parse(question, vector, self._store.speakers())
            scored = self._scored(query, limits, clock)
            ids = dict.fromkeys(stored.thread for stored in scored.pool.turns)
            threads = {thread.id: thread for thread in self._store.threads(list(ids))}
            chosen = choose(scored, query, options)
            units = order_of_time(chosen.units, threads)
            clock.lap("select")
            used = dict.fromkeys(unit.stored.thread for unit in units)
            sources = {thread.transcript for thread in (threads[id] for id in used)}
            transcripts = {id: self._store.transcript(id) for id in sorted(sources)}
        return Workspace(
            query=question,
            units=units,
            threads=tuple(threads[id] for id in used),
            candidates=len(scored.pool),
            coverage=chosen.coverage,
            demands=chosen.demands,
            transcripts=transcripts,
            seconds=clock.seconds,
            left_out=chosen.left_out,
        )

    def before(self, stored: StoredTurn) -> StoredTurn | None:
        """The turn right before one in its transcript, if there is one."""
        place = stored.position - 1
        return next(iter(self._store.turns_between(stored.transcript, place, place)), None)

    def candidates(self, question: str, *, limits: Limits | None = None) -> tuple[Query, Scored]:
        """The question as it was read, and the turns that `search` chooses from, with their scores.

        Raises: as `search`.
        """
        vector = self._vector(question)
        with self._store.snapshot():
            query = parse(question, vector, self._store.speakers())
            return query, self._scored(query, limits or Limits(), Clock())

    def _vector(self, question: str) -> NDArray[np.float32]:
        embedder = self._embedder()
        self._store.check_embedder(embedder.id, embedder.dimension)
        vector: NDArray[np.float32] = embedder.encode([question])[0]
        return vector

    def _scored(self, query: Query, limits: Limits, clock: Clock) -> Scored:
        store = self._store
        dense = self._near("turns", query.vector[None], HITS)[0]
        by_words = dict(store.search_words(query.words, HITS))
        by_window = dict(store.search_words(query.words, HITS, index="window"))
        heads = dict(self._near("threads", query.vector[None], HEAD_HITS)[0])
        clock.lap("find")
        thread_of = store.threads_of_turns({id for id, _ in dense} | by_words.keys() | by_window.keys())
        rankings = [
            [thread_of[id] for id, _ in dense],
            [thread_of[id] for id in by_words],
            [thread_of[id] for id in by_window],
            list(heads),
        ]
        found = neighbourhood.fuse(rankings, limits.found)
        reached = neighbourhood.join(found, self._spread(found, limits), limits.max_threads)
        clock.lap("spread")
        pool = self._pool(reached)
        raw = relevance.features(pool, query, by_window)
        scores = relevance.relevance(raw, relevance.scale(raw))
        activation = neighbourhood.thread_scores(_threads(pool), scores)
        kept = neighbourhood.keep(worth(scores, activation), limits.candidates)
        clock.lap("score")
        return Scored(
            Pool([pool.turns[place] for place in kept.tolist()], pool.vectors[kept]),
            scores[kept],
            activation[kept],
            {name: values[kept] for name, values in raw.items()},
        )

    def _spread(self, found: Mapping[int, float], limits: Limits) -> dict[int, float]:
        seeds = neighbourhood.seeds(found, limits.seeds)
        places = limits.max_threads - len(found)
        activation = dict(seeds)
        links: list[graph.Link] = []
        frontier = list(seeds)
        seen: set[int] = set()
        for hops in range(1, limits.hops + 1):
            seen.update(frontier)
            new = self.links(frontier)
            links += new
            activation = graph.spread(seeds, links, hops=hops, damping=limits.damping)
            if graph.settled(activation, seeds, found, places=places, hops=hops, damping=limits.damping):
                break  # the nearest heads of all that was reached would be asked for in vain
            frontier = list({end for link in new for end in (link.a, link.b)} - seen)
        return activation

    def links(self, threads: Sequence[int]) -> list[graph.Link]:
        """Links of these threads: to those before and after, and to the nearest heads."""
        if not threads:
            return []
        nearest = self._near("threads", self._store.thread_vectors(threads), graph.NEAREST_HEADS + 1)
        links = [link for id, near in zip(threads, nearest, strict=True) for link in graph.similar(id, near)]
        return links + graph.follows(self._store.threads_around(threads))

    def _pool(self, threads: Sequence[int]) -> Pool:
        if not threads:  # a new memory does not know its dimension yet
            return Pool([], np.empty((0, self._embedder().dimension), dtype=np.float32))
        turns = self._store.turns_of_threads(threads)
        return Pool(turns, self._store.vectors([stored.id for stored in turns]))

    def _near(self, what: str, queries: NDArray[np.float32], k: int) -> list[list[tuple[int, float]]]:
        """The k nearest (id, cosine) of each query, best first."""
        ids, scores = self._index(what).search(queries, k)
        return [
            [(id, score) for id, score in zip(row, values, strict=True) if id >= 0]
            for row, values in zip(ids.tolist(), scores.tolist(), strict=True)
        ]

    def _index(self, what: str) -> VectorIndex:
        store = self._store
        stamp = store.stamp("turns" if what == "turns" else "threads")
        held = self._indexes.get(what)
        if held is None or held[0] != stamp:
            self._indexes.pop(
                what, None
            )  # it is changed in place, and what breaks off leaves it half changed
            # A cache would have the vectors of an encrypted memory in the clear.
            cache = None if store.encrypted else cache_path(store.path, what)
            source = Turns(store) if what == "turns" else Heads(store)
            held = (stamp, open_index(cache, stamp, source, held=held[1] if held else None))
            self._indexes[what] = held
        return held[1]


def cache_path(memory: Path, what: str) -> Path:
    """Where the index over a memory's turns or threads is cached."""
    return memory.with_name(f"{memory.name}-{what}.index")


def _threads(pool: Pool) -> NDArray[np.int64]:
    return np.array([stored.thread for stored in pool.turns], dtype=np.int64)
