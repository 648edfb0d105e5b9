"""Which index suits so many vectors, made from a source, and brought up to date with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from localmem.index.vectors import VectorIndex

if TYPE_CHECKING:
    from localmem.index import Source

APPROXIMATE_FROM = 50_000
"""Vectors from which an exact search, or many at once along the thread graph, takes too long."""
RECALL = 0.985
"""Share of the nearest vectors that an approximate index must find, on queries between vectors of its own."""
CHUNK = 20_000
"""Vectors read at once."""
_NEAREST = 300
_QUERIES = 48
_SAMPLE = 64
"""Vectors for each cluster that clusters are found with."""
_NEWEST = 8
_LATE = 1000
"""So many of the newest ids are looked through first for what was deleted: a chat replaces its latest threads."""


def build(source: Source) -> VectorIndex:
    """An index over all vectors of a source, which are never in memory at once if they are many."""
    ids = source.ids()
    if len(ids) < APPROXIMATE_FROM:
        return VectorIndex.build(ids, source.of(ids))
    chance = np.random.default_rng(0)
    lists = int(2 * len(ids) ** 0.5)
    sample = source.of(np.sort(chance.choice(ids, min(len(ids), _SAMPLE * lists), replace=False)))
    index = VectorIndex.clustered(sample, lists)
    # Between two vectors: a question is near to several turns and equal to none.
    queries = (
        sample[chance.integers(0, len(sample), _QUERIES)] + sample[chance.integers(0, len(sample), _QUERIES)]
    )
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    del sample
    nearest = _Nearest(queries)
    last = -1
    while True:
        part, vectors = source.after(last, CHUNK)
        if not len(part):
            break
        index.add(part, vectors)
        nearest.look_at(part, vectors)
        last = int(part[-1])
    probed = 4
    while True:
        index.look_into(probed)
        if probed >= lists or nearest.found(index) >= RECALL:
            return index
        probed *= 2


def refresh(index: VectorIndex, source: Source) -> int | None:
    """Bring an index over an older state up to date; how many vectors came and went.

    None: it is not of this source, or too little of it is left; it may be half changed then.
    """
    held = index.ids()
    if not len(held):
        return None
    came = 0
    last = int(held[-1])
    while True:
        part, vectors = source.after(last, CHUNK)
        if not len(part):
            break
        came += len(part)
        if came > len(held) or (not index.approximate and index.size + len(part) >= 2 * APPROXIMATE_FROM):
            return None
        index.add(part, vectors)
        last = int(part[-1])
    gone = np.zeros(0, dtype=np.int64)
    count = source.count()
    if count != index.size:
        late = held[-_LATE:]
        gone = np.setdiff1d(late, source.ids(int(late[0]) - 1), assume_unique=True)
        if index.size - len(gone) != count:
            gone = np.setdiff1d(held, source.ids(), assume_unique=True)
        if 2 * len(gone) > len(held):
            return None
        index.remove(gone)
        if index.size != count:
            return None
    kept = (np.setdiff1d(held, gone, assume_unique=True) if len(gone) else held)[-_NEWEST:]
    return came + len(gone) if len(kept) and _agree(index, kept, source) else None


def _agree(index: VectorIndex, ids: NDArray[np.int64], source: Source) -> bool:
    """Whether the newest of the vectors that an index held before are those of the source.

    Ids are used again only when a memory was put back to an older state, and then all that came after it differ.
    """
    there, vectors = source.after(int(ids[0]) - 1, len(ids))
    if there.tolist() != ids.tolist():
        return False
    found, near = index.search(vectors, 16)
    rows = zip(ids.tolist(), found.tolist(), near, strict=True)
    # "Thanks!" said a thousand times has a thousand equal vectors.
    return all(id in row or scores[-1] > 0.99 for id, row, scores in rows)


class _Nearest:
    """The exact nearest vectors of some queries, over chunks."""

    def __init__(self, queries: NDArray[np.float32]) -> None:
        self._queries = queries
        self._scores = np.full((len(queries), 0), -np.inf, dtype=np.float32)
        self._ids = np.zeros((len(queries), 0), dtype=np.int64)

    def look_at(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        scores = np.concatenate([self._scores, self._queries @ vectors.T], axis=1)
        all_ids = np.concatenate([self._ids, np.broadcast_to(ids, (len(self._queries), len(ids)))], axis=1)
        if scores.shape[1] > _NEAREST:
            best = np.argpartition(-scores, _NEAREST, axis=1)[:, :_NEAREST]
            scores, all_ids = (
                np.take_along_axis(scores, best, axis=1),
                np.take_along_axis(all_ids, best, axis=1),
            )
        self._scores, self._ids = scores, all_ids

    def found(self, index: VectorIndex) -> float:
        """Share of them that an index finds."""
        found = index.search(self._queries, self._ids.shape[1])[0]
        pairs = zip(self._ids.tolist(), found.tolist(), strict=True)
        return float(np.mean([len(set(exact) & set(row)) / len(exact) for exact, row in pairs]))
