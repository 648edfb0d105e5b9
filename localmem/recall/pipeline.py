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
from localmem.recall.workspace import Options, Scored, choose, order_of_time
from localmem.store import Store
from localmem.values import StoredTurn, Thread, Workspace

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
        embedder = self._embedder()
        self._store.bind_embedder(embedder.id, embedder.dimension)
        vector = embedder.encode([question])[0]
        clock.lap("embed")
        with self._store.snapshot():
            query = parse(question, vector, self._store.speakers())
            scored, threads = self._candidates(query, limits, clock)
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
        )

    def before(self, stored: StoredTurn) -> StoredTurn | None:
        """The turn right before one in its transcript, if there is one."""
        place = stored.position - 1
        return next(iter(self._store.turns_between(stored.transcript, place, place)), None)

    def _candidates(self, query: Query, limits: Limits, clock: Clock) -> tuple[Scored, dict[int, Thread]]:
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
        pool = self._pool(neighbourhood.fuse(rankings, neighbourhood.POOL_THREADS))
        raw = relevance.features(pool, query, by_words, by_window)
        standard = relevance.scale(raw)
        scores = neighbourhood.thread_scores(_threads(pool), relevance.relevance(raw, standard), heads)
        clock.lap("score")
        activation = self._spread(scores, limits)
        threads = {thread.id: thread for thread in store.threads(list(activation))}
        sizes = {id: thread.turns for id, thread in threads.items()}
        kept = neighbourhood.keep(activation, sizes, limits)
        pool = self._pool(kept)
        # Threads that only the graph found are measured with the scale of those that the query found.
        raw = relevance.features(pool, query, by_words, by_window)
        clock.lap("spread")
        reached = np.array([activation[id] for id in _threads(pool).tolist()])
        return Scored(pool, relevance.relevance(raw, standard), reached, raw), threads

    def _spread(self, scores: Mapping[int, float], limits: Limits) -> dict[int, float]:
        seeds = neighbourhood.seeds(scores, limits.seeds)
        links: list[graph.Link] = []
        frontier = list(seeds)
        seen: set[int] = set()
        for _ in range(limits.hops):
            seen.update(frontier)
            new = self._links(frontier)
            links += new
            frontier = list({end for link in new for end in (link.a, link.b)} - seen)
        spread = graph.spread(seeds, links, hops=limits.hops, damping=limits.damping)
        return neighbourhood.reach(scores, spread)

    def _links(self, threads: Sequence[int]) -> list[graph.Link]:
        """Links of these threads."""
        if not threads:
            return []
        nearest = self._near("threads", self._store.thread_vectors(threads), graph.NEAREST_HEADS + 1)
        links = [link for id, near in zip(threads, nearest, strict=True) for link in graph.similar(id, near)]
        return links + graph.follows(self._store.threads_around(threads))

    def _pool(self, threads: Sequence[int]) -> Pool:
        turns: Sequence[StoredTurn] = self._store.turns_of_threads(threads) if threads else []
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
            vectors = store.all_vectors if what == "turns" else store.head_vectors
            held = (stamp, open_index(cache_path(store.path, what), stamp, vectors))
            self._indexes[what] = held
        return held[1]


def cache_path(memory: Path, what: str) -> Path:
    """Where the index over a memory's turns or threads is cached."""
    return memory.with_name(f"{memory.name}-{what}.index")


def _threads(pool: Pool) -> NDArray[np.int64]:
    return np.array([stored.thread for stored in pool.turns], dtype=np.int64)
