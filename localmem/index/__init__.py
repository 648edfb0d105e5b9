"""Vectors to ids: the only package that imports FAISS.

Importing it imports neither FAISS nor numpy: `open_index` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from localmem.index.vectors import VectorIndex

__all__ = ["Source", "drop_cache", "examine_cache", "open_index"]


class Source(Protocol):
    """The vectors that an index is a copy of. Ids are never used twice, so new ones are larger than all before."""

    def ids(self, above: int = -1) -> NDArray[np.int64]:
        """All ids above one, ascending."""

    def count(self) -> int:
        """How many there are."""

    def after(self, id: int, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """At most so many ids above `id`, ascending, and their vectors."""

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of these ids, in this order."""


def drop_cache(cache: Path) -> None:
    """Delete a cache file, if there is one, and what others are just writing in its place.

    What cannot be deleted stays.
    """
    from localmem.index import cachefile

    cachefile.remove(cache, unfinished=True)


def open_index(
    cache: Path | None, stamp: str, source: Source, *, held: VectorIndex | None = None
) -> VectorIndex:
    """An index over unit vectors: from its cache file when that is sound, from an older state, or built.

    An older state, `held` or in the cache, takes what was added and loses what was deleted since, which is a fraction of
    the work; it is trusted if its newest vectors are still those of the source.

    Args:
        cache: the cache file, beside the memory; None: no cache. It is a copy of what `source` has and may be
            deleted at any time. A folder that cannot be written means no cache, not an error.
        stamp: names the state of the source.
        source: asked only for what the cache cannot give.
        held: an index over an older state of this source; it is changed.
    """
    from localmem.index import cachefile
    from localmem.index.build import build, refresh
    from localmem.index.vectors import VectorIndex

    index, changed = held, 0
    if held is None and cache is not None:
        payload, current = cachefile.read_any(cache, stamp)
        if payload is not None:
            index = VectorIndex.from_bytes(payload)
            if current:
                return index
    if index is not None:
        refreshed = refresh(index, source)
        index, changed = (None, 0) if refreshed is None else (index, refreshed)
    if index is None:
        index = build(source)
        changed = index.size
    if cache is not None:
        if index.size < cachefile.WORTHWHILE:
            cachefile.remove(cache)
        elif changed >= min(index.size * cachefile.STALE, cachefile.MOST_STALE):
            cachefile.write(cache, stamp, index.to_bytes())
    return index


def examine_cache(cache: Path, stamp: str) -> str:
    """How a cache file stands, in words. Whatever it is, searching puts it right."""
    from localmem.index import cachefile

    if not cache.exists():
        return f"no cache, which pays from {cachefile.WORTHWHILE:,} on"
    if cachefile.read(cache, stamp) is None:
        return "a cache of another state, or a damaged one; the next search makes it anew"
    return "a cache that fits"
