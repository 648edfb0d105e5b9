"""The vectors of a memory as the sources of its two indexes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from localmem.store import Store

AT_ONCE = 50_000
"""Ids that are looked up at once."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Vectors of turns."""

    store: Store

    def ids(self, above: int = -1) -> NDArray[np.int64]:
        """See `localmem.index.Source`."""
        return self.store.all_ids("turn", above)

    def count(self) -> int:
        """See `localmem.index.Source`."""
        return self.store.number_of("turn")

    def after(self, id: int, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `localmem.index.Source`."""
        return self.store.vectors_after(id, limit)

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """See `localmem.index.Source`."""
        parts = [self.store.vectors(ids[at : at + AT_ONCE].tolist()) for at in range(0, len(ids), AT_ONCE)]
        return np.concatenate(parts) if parts else self.store.vectors([])


@dataclass(frozen=True, slots=True)
class Heads:
    """Vectors of the threads' heads."""

    store: Store

    def ids(self, above: int = -1) -> NDArray[np.int64]:
        """See `localmem.index.Source`."""
        return self.store.all_ids("thread", above)

    def count(self) -> int:
        """See `localmem.index.Source`."""
        return self.store.number_of("thread")

    def after(self, id: int, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `localmem.index.Source`."""
        return self.store.head_vectors_after(id, limit)

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """See `localmem.index.Source`."""
        parts = [
            self.store.thread_vectors(ids[at : at + AT_ONCE].tolist()) for at in range(0, len(ids), AT_ONCE)
        ]
        return np.concatenate(parts) if parts else self.store.thread_vectors([])
