"""Vectors made in several processes, also of texts that will be asked for later."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from localmem.embed.protocol import Embedder
from localmem.errors import EmbedderError

if TYPE_CHECKING:
    from concurrent.futures import Future

AHEAD = 2048
"""Texts whose vectors are made before they are asked for, at most."""
CHUNK = 64
"""Texts that a process is given at once; an encoder pads those of one length together."""
INTERRUPTED = 130

T = TypeVar("T")

_own: list[Embedder] = []
"""Of this process, if it is one of a pool."""


class EmbedderPool:
    """An embedder that lets other processes encode. Each has a model of its own, and its share of the processor's cores.

    Args:
        make: makes the embedder in a process, for so many threads; it must be picklable.
        jobs: processes.
        threads: of all of them together; None: as many as there are cores.
    """

    def __init__(self, make: Callable[[int], Embedder], jobs: int, *, threads: int | None = None) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        each = max(1, (threads or os.cpu_count() or 1) // jobs)
        self._pool = ProcessPoolExecutor(
            # Not a fork: the memory's file and the engines' threads would be in the copies.
            jobs,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=as_worker,
        )
        self._jobs = jobs
        self._make = make
        self._each = each
        self._identity: tuple[str, int] | None = None
        self._ahead: dict[str, dict[str, tuple[Future[NDArray[np.float32]], int]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    @property
    def id(self) -> str:
        """See `localmem.embed.protocol.Embedder`."""
        return self._known()[0]

    @property
    def dimension(self) -> int:
        """See `localmem.embed.protocol.Embedder`."""
        return self._known()[1]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `localmem.embed.protocol.Embedder`."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        begun = {text: found for own in self._ahead.values() for text, found in own.items()}
        missing = [place for place, text in enumerate(texts) if text not in begun]
        parts = min(self._jobs, len(missing))
        # Every so many-th one, so that all processes get texts of all lengths.
        shares = [missing[part::parts] for part in range(parts)]
        waiting = [self._submit([texts[place] for place in share]) for share in shares]
        for place, text in enumerate(texts):
            if text in begun:
                future, row = begun[text]
                vectors[place] = _result(future)[row]
        for share, future in zip(shares, waiting, strict=True):
            vectors[share] = _result(future)
        for own in self._ahead.values():
            for text in own.keys() & set(texts):
                del own[text]
        return vectors

    def ahead(self, owner: str, texts: Iterable[str]) -> bool:
        """Begin with texts that will be asked for, as far as there is room.

        Args:
            owner: whose they are; they are kept until they are asked for, or until `release`.
            texts: what will be given to `encode`.

        Returns:
            Whether there was room for all.
        """
        own = self._ahead.setdefault(owner, {})
        new = [text for text in dict.fromkeys(texts) if text not in own]
        room = AHEAD - sum(map(len, self._ahead.values()))
        for start in range(0, min(len(new), room), CHUNK):
            chunk = new[start : min(start + CHUNK, room)]
            future = self._submit(chunk)
            own.update({text: (future, row) for row, text in enumerate(chunk)})
        return len(new) <= room

    def release(self, owner: str) -> None:
        """Drop what was begun for an owner."""
        for future, _ in self._ahead.pop(owner, {}).values():
            future.cancel()

    def _known(self) -> tuple[str, int]:
        if self._identity is None:
            self._identity = _result(self._pool.submit(_identify, self._make, self._each))
        return self._identity

    def _submit(self, texts: Sequence[str]) -> Future[NDArray[np.float32]]:
        from concurrent.futures import BrokenExecutor, Future

        try:
            return self._pool.submit(_encode, self._make, self._each, list(texts))
        except BrokenExecutor as error:
            failed: Future[NDArray[np.float32]] = Future()
            failed.set_exception(error)
            return failed


def _result(future: Future[T]) -> T:
    from concurrent.futures import BrokenExecutor

    try:
        return future.result()
    except BrokenExecutor:
        raise EmbedderError(
            "A process that makes vectors has ended.",
            hint="Each needs the memory of a model of its own; use fewer --jobs.",
        ) from None


def _embedder(make: Callable[[int], Embedder], threads: int) -> Embedder:
    """That of this process."""
    if not _own:
        _own.append(make(threads))
    return _own[0]


def _identify(make: Callable[[int], Embedder], threads: int) -> tuple[str, int]:
    embedder = _embedder(make, threads)
    return embedder.id, embedder.dimension


def _encode(make: Callable[[int], Embedder], threads: int, texts: list[str]) -> NDArray[np.float32]:
    return _embedder(make, threads).encode(texts)


def as_worker() -> None:
    """What a process of a pool does first: it ends when its parent does, even if that is killed, and says nothing of Ctrl-C."""
    # Ctrl-C reaches every process; this one has nothing to keep.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(INTERRUPTED)
