"""The index itself."""

from __future__ import annotations

from typing import Any, cast

import faiss
import numpy as np
from numpy.typing import NDArray

from localmem.errors import EmbedderMismatchError

_CORES = faiss.omp_get_max_threads()
_WORTH_THREADS = 1_000_000
"""Comparisons from which a search is spread over the cores."""


class VectorIndex:
    """Nearest vectors by inner product, by id; safe to search from several threads while nobody changes it.

    Exact and approximate FAISS indexes look alike here; `localmem.index.build` chooses. Built from the same ids and
    vectors in any order, an exact one gives the same answers.
    """

    __slots__ = ("_faiss", "_ids")

    def __init__(self, index: Any) -> None:
        self._faiss = index
        self._ids: NDArray[np.int64] | None = None
        """All ids, ascending, once they were asked for: to collect a million takes a tenth of a second."""

    @classmethod
    def exact(cls, dimension: int) -> VectorIndex:
        """An empty index that compares a query with every vector."""
        return cls(faiss.IndexIDMap2(faiss.IndexFlatIP(dimension)))

    @classmethod
    def clustered(cls, sample: NDArray[np.float32], lists: int) -> VectorIndex:
        """An empty index that compares a query with the vectors of its nearest clusters, kept as bytes.

        Inverted lists over k-means, with 8-bit scalar quantisation of the rest (Jégou, Douze and Schmid 2011): a
        quarter of the memory.

        Args:
            sample: vectors to find clusters and ranges in, shape (m, d), m at least 39 for each list.
            lists: clusters.
        """
        index: Any = faiss.index_factory(sample.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        index.cp.niter = 8
        index.cp.max_points_per_centroid = 64
        index.cp.spherical = True
        faiss.omp_set_num_threads(_CORES)
        index.train(np.ascontiguousarray(sample, dtype=np.float32))
        return cls(index)

    @classmethod
    def build(cls, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> VectorIndex:
        """An exact index over `vectors` (n, d) named `ids` (n,).

        Raises:
            ValueError: shapes that do not fit, or an id that occurs twice.
        """
        if ids.ndim != 1 or vectors.ndim != 2 or len(ids) != len(vectors):
            raise ValueError(f"{ids.shape} ids for {vectors.shape} vectors")
        index = cls.exact(vectors.shape[1])
        index.add(ids, vectors)
        return index

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Put `vectors` (n, d) under `ids` (n,), none of which is there.

        Raises:
            ValueError: an id that occurs twice.
        """
        order = np.argsort(ids, kind="stable")
        ids = np.ascontiguousarray(ids[order], dtype=np.int64)
        if np.any(ids[1:] == ids[:-1]):
            raise ValueError("an id occurs twice")
        if len(ids):
            self._faiss.add_with_ids(np.ascontiguousarray(vectors[order], dtype=np.float32), ids)
            if self._ids is not None:
                behind = not len(self._ids) or ids[0] > self._ids[-1]
                self._ids = np.concatenate([self._ids, ids]) if behind else None

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Take out the vectors of these ids."""
        if len(ids):
            self._faiss.remove_ids(np.ascontiguousarray(ids, dtype=np.int64))
            self._ids = None

    def ids(self) -> NDArray[np.int64]:
        """All ids, ascending."""
        if self._ids is None:
            self._ids = self._collected()
        return self._ids

    def _collected(self) -> NDArray[np.int64]:
        lists = getattr(self._faiss, "invlists", None)
        if lists is None:
            held = faiss.vector_to_array(self._faiss.id_map)
        else:
            sizes = [lists.list_size(number) for number in range(self._faiss.nlist)]
            parts = [
                faiss.rev_swig_ptr(lists.get_ids(number), size).copy()
                for number, size in enumerate(sizes)
                if size
            ]
            held = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        return cast("NDArray[np.int64]", np.sort(held.astype(np.int64)))

    @property
    def approximate(self) -> bool:
        """Whether a search can miss a nearest vector."""
        return hasattr(self._faiss, "nprobe")

    def look_into(self, lists: int) -> None:
        """Compare queries with the vectors of so many clusters; of an approximate index."""
        self._faiss.nprobe = min(lists, self._faiss.nlist)

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
        looked_at = self.size * self._faiss.nprobe // self._faiss.nlist if self.approximate else self.size
        faiss.omp_set_num_threads(1 if looked_at * len(queries) < _WORTH_THREADS else _CORES)
        found, near = self._faiss.search(np.ascontiguousarray(queries, dtype=np.float32), take)[::-1]
        near[found < 0] = -np.inf  # an approximate index may look at fewer than k
        order = np.lexsort((found, -near), axis=1)
        ids[:, :take] = np.take_along_axis(found, order, axis=1)
        scores[:, :take] = np.take_along_axis(near, order, axis=1)
        return ids, scores
