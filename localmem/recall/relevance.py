"""Turns and a query to relevance: one explained sum of standardised features.

Each feature is turned into a z-score over the pool, so that features of different scales can be added and
no weight depends on the size of the memory. The weights are few and nearly all 1; the others were set by
hand on the five LoCoMo conversations that `scripts/bench_recall.py` reads, so figures on those are
figures of tuning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from localmem.recall.query import Query
from localmem.values import StoredTurn

WEIGHTS: Mapping[str, float] = {
    "dense": 1.0,
    # The reply to a question often shares no word with it: look at the turns around as well.
    "dense_window": 1.0,
    "words": 1.0,
    "words_window": 1.0,
    # A question about a person is mostly answered by what that person said.
    "speaker": 1.2,
    # The sitting in which the question's words gather.
    "sitting": 0.5,
    # "Wow, great!" is near to everything and tells nothing.
    "length": 0.6,
    "reply": 0.3,
    "question": -0.6,
}

_LONG = 60
"""Words from which a turn's length no longer counts."""
_SAME = 1e-9
"""Values that differ by less, relative to the largest, are the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Turns that are looked at for one query, ordered by transcript and position; arrays of length n."""

    turns: Sequence[StoredTurn]
    vectors: NDArray[np.float32]
    """Unit vectors, shape (n, d)."""

    def __len__(self) -> int:
        return len(self.turns)


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Mean and deviation of each feature over the pool that the standard was set on."""

    mean: Mapping[str, float]
    deviation: Mapping[str, float]


def features(
    pool: Pool, query: Query, by_words: Mapping[int, float], by_window: Mapping[int, float]
) -> dict[str, NDArray[np.float64]]:
    """Raw features of each turn of the pool, each of shape (n,).

    Args:
        pool: the turns.
        query: the question.
        by_words: turn id to BM25 of its own text; absent means 0.
        by_window: the same with the texts of the turns around it.
    """
    turns = [stored.turn for stored in pool.turns]
    dense = (pool.vectors @ query.vector).astype(np.float64)
    bm25 = np.array([by_words.get(stored.id, 0.0) for stored in pool.turns])
    asks = np.array([turn.text.rstrip().endswith(("?", "？")) for turn in turns], dtype=np.float64)
    follows = _follows(pool.turns)
    reply = np.zeros(len(turns))
    reply[1:] = asks[:-1] * follows[1:]
    lengths = np.array([min(turn.text.count(" ") + 1, _LONG) for turn in turns], dtype=np.float64)
    return {
        "dense": dense,
        "dense_window": _window(pool.vectors, follows) @ query.vector.astype(np.float64),
        "words": bm25,
        "words_window": np.array([by_window.get(stored.id, 0.0) for stored in pool.turns]),
        "speaker": np.array([turn.speaker in query.speakers for turn in turns], dtype=np.float64),
        "sitting": _gathered(pool.turns, bm25),
        "length": np.log1p(lengths),
        "reply": reply,
        "question": asks,
    }


def scale(raw: Mapping[str, NDArray[np.float64]]) -> Scale:
    """Mean and standard deviation of each feature."""
    return Scale(
        {name: float(values.mean()) if len(values) else 0.0 for name, values in raw.items()},
        {name: deviation(values) for name, values in raw.items()},
    )


def deviation(values: NDArray[np.float64]) -> float:
    """Standard deviation; 0 where all values are the same, of which rounding would leave some 1e-16."""
    return float(values.std()) if len(values) and np.ptp(values) > _SAME * np.abs(values).max() else 0.0


def relevance(raw: Mapping[str, NDArray[np.float64]], standard: Scale) -> NDArray[np.float64]:
    """Weighted sum of the z-scores, shape (n,); a feature that is the same everywhere adds nothing."""
    total = np.zeros(len(next(iter(raw.values()))))
    for name, weight in WEIGHTS.items():
        if standard.deviation[name] > 0:
            total += weight * (raw[name] - standard.mean[name]) / standard.deviation[name]
    return total


def _follows(turns: Sequence[StoredTurn]) -> NDArray[np.float64]:
    """1 where a turn comes right after the one before it in the same transcript."""
    flags = np.zeros(len(turns))
    for place in range(1, len(turns)):
        before, after = turns[place - 1], turns[place]
        flags[place] = before.transcript == after.transcript and before.position + 1 == after.position
    return flags


def _window(vectors: NDArray[np.float32], follows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit mean of each turn's vector with those of the turns right before and after it."""
    mean = vectors.astype(np.float64)
    mean[1:] += vectors[:-1] * follows[1:, None]
    mean[:-1] += vectors[1:] * follows[1:, None]
    unit: NDArray[np.float64] = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
    return unit


def _gathered(turns: Sequence[StoredTurn], bm25: NDArray[np.float64]) -> NDArray[np.float64]:
    """BM25 summed over a turn's sitting (its thread, where the file has no sittings), by root of its size."""
    groups: defaultdict[tuple[int, object], list[int]] = defaultdict(list)
    for place, stored in enumerate(turns):
        groups[stored.transcript, stored.turn.session or stored.thread].append(place)
    out = np.zeros(len(turns))
    for places in groups.values():
        out[places] = bm25[places].sum() / np.sqrt(len(places))
    return out
