"""The threads of a memory that `localmem refine` has worked on, for a memory of the same turns."""

from __future__ import annotations

from localmem.errors import BenchError
from localmem.store import NewThread, Store


def adopt(store: Store, refined: Store) -> int:
    """Give a memory of one transcript the threads, heads and head vectors that another memory has for it.

    Args:
        store: the memory that is changed.
        refined: the other one, which holds the same transcript among others.

    Returns:
        How many of its turns are in threads that a model made.

    Raises:
        BenchError: the other memory does not hold that transcript, or other turns of it.
        EmbedderMismatchError: its vectors are of another embedder.
    """
    [own] = store.transcripts()
    named = [one for one in refined.transcripts() if one.name == own.name]
    if not named:
        raise BenchError(
            f"{refined.path} has no transcript {own.name}.",
            hint="Ingest the same file into it, then: localmem refine",
        )
    refined.check_embedder(store.meta("embedder") or "", int(store.meta("dimension") or 0))
    sides = [
        [one.turn for one in side.turns_between(id, 0, own.turns + 1)]
        for side, id in ((store, own.id), (refined, named[0].id))
    ]
    if sides[0] != sides[1]:
        raise BenchError(
            f"{refined.path} has other turns of {own.name} than the file.",
            hint="Ingest the same file into it.",
        )
    threads = refined.threads_of(named[0].id)
    vectors = refined.thread_vectors([thread.id for thread in threads])
    store.replace_threads(
        own.id,
        0,
        [
            NewThread(one.first, one.last, one.head, vector, "llm" if one.refined else "fast")
            for one, vector in zip(threads, vectors, strict=True)
        ],
    )
    return sum(thread.turns for thread in threads if thread.refined)
