"""A query's hits to candidates: threads found, spread along the graph, and the best of their turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RECIPROCAL_RANK = 60.0
"""The constant of reciprocal-rank fusion (Cormack, Clarke and Büttcher 2009)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a neighbourhood goes."""

    found: int = 60
    """Threads that the query finds by itself."""
    seeds: int = 8
    """The best of them, from which activation spreads."""
    hops: int = 2
    damping: float = 0.3
    """Alpha: what a link leaves of the activation, besides its weight."""
    max_threads: int = 80
    """Threads that are looked at turn by turn."""
    candidates: int = 150
    """Turns of them that the selection chooses from."""


def fuse(rankings: Sequence[Sequence[int]], limit: int) -> dict[int, float]:
    """Reciprocal-rank fusion of rankings of thread ids (best first; a thread counts once a ranking).

    Returns:
        The `limit` best threads, best first, with their activation: the fused score, the best 1.
    """
    score: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, thread in enumerate(dict.fromkeys(ranking)):
            score[thread] += 1.0 / (RECIPROCAL_RANK + rank)
    most = max(score.values(), default=1.0)
    return {thread: score[thread] / most for thread in _best_first(score)[:limit]}


def seeds(activation: Mapping[int, float], limit: int) -> dict[int, float]:
    """The `limit` best threads with their activation."""
    return {thread: activation[thread] for thread in _best_first(activation)[:limit]}


def join(found: Mapping[int, float], spread: Mapping[int, float], limit: int) -> list[int]:
    """The threads that the query found, then those that only the graph reached, the most active first.

    What the query finds by itself is never pushed out by what is merely near to it.
    """
    reached = {thread: value for thread, value in spread.items() if thread not in found}
    return [*_best_first(found), *_best_first(reached)][:limit]


def thread_scores(threads: NDArray[np.int64], relevance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Activation of each turn's thread, in (0, 1], shape (n,): that of its best turn, the best of all 1.

    Args:
        threads: thread of each turn, shape (n,).
        relevance: relevance of each turn, shape (n,).
    """
    if not len(threads):
        return np.zeros(0)
    _, place = np.unique(threads, return_inverse=True)
    best = np.full(place.max() + 1, -np.inf)
    np.maximum.at(best, place, relevance)
    # Below e^-500 two numbers are equally little, and their powers must stay above 0.
    activation: NDArray[np.float64] = np.exp(np.maximum(best - best.max(), -500.0))[place]
    return activation


def keep(worth: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    """Places of the `limit` turns of most worth, rising; of equals the first."""
    return np.sort(np.argsort(-worth, kind="stable")[:limit])


def _best_first(activation: Mapping[int, float]) -> list[int]:
    return sorted(activation, key=lambda thread: (-activation[thread], thread))
