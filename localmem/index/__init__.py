"""Vectors to ids: the only package that imports FAISS.

Importing it imports neither FAISS nor numpy: `open_index` does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from localmem.index.vectors import VectorIndex

__all__ = ["drop_cache", "examine_cache", "open_index"]


def drop_cache(cache: Path) -> None:
    """Delete a cache file, if there is one, and what others are just writing in its place.

    What cannot be deleted stays.
    """
    from localmem.index import cachefile

    cachefile.remove(cache, unfinished=True)


def open_index(
    cache: Path | None,
    stamp: str,
    vectors: Callable[[], tuple[NDArray[np.int64], NDArray[np.float32]]],
) -> VectorIndex:
    """An index over unit vectors, from its cache file when that is sound, else built.

    Args:
        cache: the cache file, beside the memory; None: no cache. It is a copy of what `vectors` returns and may be
            deleted at any time. A folder that cannot be written means no cache, not an error.
        stamp: names the state of the memory, the embedder and its dimension; a cache with another one is rebuilt.
        vectors: ids (n,), all different, and their vectors (n, d); called only when the cache cannot serve.
    """
    from localmem.index import cachefile
    from localmem.index.vectors import VectorIndex

    if cache is not None:
        payload = cachefile.read(cache, stamp)
        if payload is not None:
            return VectorIndex.from_bytes(payload)
    ids, rows = vectors()
    index = VectorIndex.build(ids, rows)
    if cache is not None:
        if index.size >= cachefile.WORTHWHILE:
            cachefile.write(cache, stamp, index.to_bytes())
        else:
            cachefile.remove(cache)
    return index


def examine_cache(cache: Path, stamp: str) -> str:
    """How a cache file stands, in words. Whatever it is, searching puts it right."""
    from localmem.index import cachefile

    if not cache.exists():
        return f"no cache, which pays from {cachefile.WORTHWHILE:,} on"
    if cachefile.read(cache, stamp) is None:
        return "a cache of another state, or a damaged one; the next search makes it anew"
    return "a cache that fits"
