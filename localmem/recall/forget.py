"""Turns taken out of recall: with them go their vectors, words and threads, and the caches made of them.

A thread that held one of them is cut anew from the turns that it keeps, since its head may say what was forgotten.
A head that a model had written becomes an extractive one; `localmem refine` writes it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from localmem.index import drop_cache
from localmem.recall.pipeline import cache_path
from localmem.recall.threads import WINDOW, segment
from localmem.store import Gap, NewThread, Store


def forget(store: Store, ids: Sequence[int], heads: Sequence[int] = ()) -> None:
    """Delete these turns and all that was made of them, in one transaction; `clear` does the rest after it.

    Args:
        store: the memory.
        ids: of the turns.
        heads: threads that lose their heads, and are cut anew, though they keep their turns: a model wrote what it had
            read in the turns that go.

    Raises:
        StoreError: the memory cannot be written; nothing is changed then.
    """
    with store.transaction():
        touched = {thread for _, thread in store.places(ids)}
        gaps = store.forget_turns(ids)
        kept = store.threads([id for id in heads if id not in touched])
        for gap in (*gaps, *(Gap(thread.transcript, thread.first, thread.last) for thread in kept)):
            _thread(store, gap)


def clear(store: Store) -> bool:
    """Wipe what was deleted off the file, its log and its caches; see `Store.wipe`.

    Raises:
        StoreError: the memory cannot be rewritten; what was forgotten cannot be found any more all the same.
    """
    # Twice: a search that began before may put its cache back while the file is rewritten.
    _drop_caches(store)
    wiped = store.wipe()
    _drop_caches(store)
    return wiped


def _drop_caches(store: Store) -> None:
    for what in ("turns", "threads"):
        drop_cache(cache_path(store.path.resolve(), what))
        drop_cache(cache_path(store.path, what))


def _thread(store: Store, gap: Gap) -> None:
    context = max(0, gap.first - WINDOW)
    stored = store.turns_between(gap.transcript, context, gap.last)
    vectors = store.vectors([turn.id for turn in stored])
    cuts = segment([turn.turn for turn in stored], vectors, start=gap.first - context)
    threads = [
        NewThread(context + cut.first, context + cut.last, cut.head, cut.vector, "fast") for cut in cuts
    ]
    store.replace_threads(gap.transcript, gap.first, threads, to_position=gap.last)
