"""Removing a memory: its file, the caches made of it, and its passphrase in the keyring."""

from __future__ import annotations

from localmem.index import drop_cache
from localmem.recall.pipeline import cache_path
from localmem.store import Store
from localmem.upkeep import passphrase


def remove(store: Store) -> None:
    """Delete a memory and all that lies beside it. Exports and copies stay.

    Raises:
        StoreError: it is read-only, or open elsewhere; nothing is deleted then.
    """
    paths = {store.path, store.path.resolve()}
    store.remove()
    for path in paths:
        for what in ("turns", "threads"):
            drop_cache(cache_path(path, what))
        passphrase.drop(path)
