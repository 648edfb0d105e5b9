"""Turns and a query to relevance: one explained sum of standardised features.

Each feature is turned into a z-score over the pool, so that features of different scales can be added and
no weight depends on the size of the memory. The weights are in `weights.py`, which
`scripts/fit_weights.py` writes: relevance is the logarithm, up to a constant, of how likely a turn is one of those
that answer (a conditional logit: McFadden 1974).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from localmem.recall.query import READ_CHARACTERS, STOP_WORDS, Query, words
from localmem.recall.related import overlap
from localmem.recall.weights import RELEVANCE
from localmem.values import StoredTurn

FEATURES: Mapping[str, str] = {
    "dense": "the turn means what the question means",
    "dense_window": "so does the turn with the ones around it: a reply often shares no word with its question",
    "words_window": "the question's words are in the turn or in the ones around it",
    "related": "the turn has words like those of the question: it names a thing of the kind that was asked for",
    "speaker": "a question about a person is mostly answered by what that person said",
    "length": '"Wow, great!" is near to everything and tells nothing',
    "month": "the question names a month, and the turn is of that month",
}
"""Every feature, and why it tells something."""

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


def features(pool: Pool, query: Query, by_window: Mapping[int, float]) -> dict[str, NDArray[np.float64]]:
    """Raw features of each turn of the pool, each of shape (n,).

    Args:
        pool: the turns.
        query: the question.
        by_window: turn id to BM25 of its text and those of the turns around it; absent means 0.
    """
    turns = [stored.turn for stored in pool.turns]
    dense = (pool.vectors @ query.vector).astype(np.float64)
    follows = _follows(pool.turns)
    lengths = np.array([min(turn.text.count(" ") + 1, _LONG) for turn in turns], dtype=np.float64)
    month = [turn.at is not None and turn.at.month in query.months for turn in turns]
    return {
        "dense": dense,
        "dense_window": _window(pool.vectors, follows) @ query.vector.astype(np.float64),
        "words_window": np.array([by_window.get(stored.id, 0.0) for stored in pool.turns]),
        "related": overlap([_content(turn.text) for turn in turns], query.words),
        "speaker": np.array([turn.speaker in query.speakers for turn in turns], dtype=np.float64),
        "length": np.log1p(lengths),
        "month": np.array(month, dtype=np.float64),
    }


@lru_cache(maxsize=8192)
def _content(text: str) -> tuple[str, ...]:
    """The different words of the beginning of a text that tell something; questions come to the same turns again."""
    return tuple(word for word in dict.fromkeys(words(text[:READ_CHARACTERS])) if word not in STOP_WORDS)


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
    for name, weight in RELEVANCE.items():
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
