"""The index itself."""

from __future__ import annotations

from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from localmem.errors import EmbedderMismatchError

_CORES = faiss.omp_get_max_threads()
_WORTH_THREADS = 1_000_000
"""Comparisons from which a search is spread over the cores."""


class VectorIndex:
    """Nearest vectors by inner product; exact, safe to search from several threads.

    Built from the same ids and vectors in any order, it gives the same answers.
    """

    __slots__ = ("_faiss",)

    def __init__(self, index: Any) -> None:
        self._faiss = index

    @classmethod
    def build(cls, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> VectorIndex:
        """An index over `vectors` (n, d) named `ids` (n,).

        Raises:
            ValueError: shapes that do not fit, or an id that occurs twice.
        """
        if ids.ndim != 1 or vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{ids.shape} ids for {vectors.shape} vectors")
        order = np.argsort(ids, kind="stable")
        ids = np.ascontiguousarray(ids[order], dtype=np.int64)
        if np.any(ids[1:] == ids[:-1]):
            raise ValueError("an id occurs twice")
        index = faiss.IndexIDMap2(_kind(len(ids), vectors.shape[1]))
        if len(ids):
            index.add_with_ids(np.ascontiguousarray(vectors[order], dtype=np.float32), ids)
        return cls(index)

    @classmethod
    def from_bytes(cls, payload: NDArray[np.uint8]) -> VectorIndex:
        """The index that `to_bytes` gave. FAISS trusts these bytes: pass only what a checksum has vouched for."""
        return cls(faiss.deserialize_index(payload))

    def to_bytes(self) -> NDArray[np.uint8]:
        """All of the index, for `from_bytes` of the same FAISS version or a later one."""
        payload: NDArray[np.uint8] = faiss.serialize_index(self._faiss)
        return payload

    @property
    def size(self) -> int:
        """Number of vectors."""
        return int(self._faiss.ntotal)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._faiss.d)

    def search(self, queries: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The `k` nearest vectors of each query, best first, the lower id first among equals.

        Args:
            queries: shape (m, d), unit vectors.
            k: at least 1.

        Returns:
            ids (m, k) and inner products (m, k); where there are fewer than k vectors, -1 and -inf.

        Raises:
            EmbedderMismatchError: queries of another dimension.
        """
        ids = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
        take = min(k, self.size)
        if take == 0 or len(queries) == 0:
            return ids, scores
        if queries.ndim != 2 or queries.shape[1] != self.dimension:
            raise EmbedderMismatchError(
                f"the memory has vectors of length {self.dimension}, the question one of {queries.shape[-1]}",
                hint="Use the embedder that the memory was made with, or ingest into a new memory.",
            )
        # Threads that wait for each other cost a small search more than they save: 0.4 ms alone, 55 ms with two
        # threads on two busy cores (660 vectors, 40 queries).
        faiss.omp_set_num_threads(1 if self.size * len(queries) < _WORTH_THREADS else _CORES)
        found, near = self._faiss.search(np.ascontiguousarray(queries, dtype=np.float32), take)[::-1]
        order = np.lexsort((found, -near), axis=1)
        ids[:, :take] = np.take_along_axis(found, order, axis=1)
        scores[:, :take] = np.take_along_axis(near, order, axis=1)
        return ids, scores


def _kind(size: int, dimension: int) -> Any:
    """The FAISS index for so many vectors. Exact search reads 100,000 of 384 dimensions in about 10 ms."""
    return faiss.IndexFlatIP(dimension)
