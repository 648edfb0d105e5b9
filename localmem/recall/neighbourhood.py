"""A query's hits to candidates: threads scored, spread along the graph, and their turns kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from localmem.recall.relevance import deviation

RECIPROCAL_RANK = 60.0
"""The constant of reciprocal-rank fusion (Cormack, Clarke and Büttcher 2009)."""
POOL_THREADS = 150
"""Threads that are looked at turn by turn."""
HEAD_WEIGHT = 0.2
"""Weight of a head's similarity beside its best turn, both as z-scores."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a neighbourhood goes."""

    seeds: int = 8
    hops: int = 2
    damping: float = 0.3
    """Alpha: what a link leaves of the activation, besides its weight."""
    candidates: int = 150
    """Turns wanted; the last thread is taken whole."""
    max_threads: int = 60


def fuse(rankings: Sequence[Sequence[int]], limit: int) -> list[int]:
    """Reciprocal-rank fusion of rankings of thread ids (best first; a thread counts once a ranking)."""
    score: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, thread in enumerate(dict.fromkeys(ranking)):
            score[thread] += 1.0 / (RECIPROCAL_RANK + rank)
    return sorted(score, key=lambda thread: (-score[thread], thread))[:limit]


def thread_scores(
    threads: NDArray[np.int64], relevance: NDArray[np.float64], heads: Mapping[int, float]
) -> dict[int, float]:
    """Activation of each thread by itself, in (0, 1], the best 1.

    Args:
        threads: thread of each turn of the pool, shape (n,).
        relevance: relevance of each turn, shape (n,).
        heads: thread id to cosine of its head with the query.
    """
    if not len(threads):
        return {}
    unit = deviation(relevance) or 1.0
    best: dict[int, float] = {}
    for thread, value in zip(threads.tolist(), (relevance / unit).tolist(), strict=True):
        best[thread] = max(best.get(thread, -np.inf), value)
    similarity = np.array([heads.get(thread, 0.0) for thread in best])
    spread = deviation(similarity) or 1.0
    total = np.array(list(best.values())) + HEAD_WEIGHT * (similarity - similarity.mean()) / spread
    return dict(zip(best, np.exp(total - total.max()).tolist(), strict=True))


def seeds(scores: Mapping[int, float], limit: int) -> dict[int, float]:
    """The `limit` best threads with their activation."""
    best = sorted(scores, key=lambda thread: (-scores[thread], thread))[:limit]
    return {thread: scores[thread] for thread in best}


def reach(scores: Mapping[int, float], spread: Mapping[int, float]) -> dict[int, float]:
    """Activation by the thread's own score or by what arrives along the graph, whichever is more."""
    return {thread: max(scores.get(thread, 0.0), spread.get(thread, 0.0)) for thread in {*scores, *spread}}


def keep(activation: Mapping[int, float], sizes: Mapping[int, int], limits: Limits) -> list[int]:
    """Threads, most active first, until they hold the wanted number of candidates.

    Args:
        activation: thread id to activation.
        sizes: thread id to number of turns.
        limits: how many threads and turns.
    """
    kept: list[int] = []
    turns = 0
    for thread in sorted(activation, key=lambda thread: (-activation[thread], thread)):
        if turns >= limits.candidates or len(kept) >= limits.max_threads:
            break
        kept.append(thread)
        turns += sizes[thread]
    return kept
