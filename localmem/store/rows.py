"""What the store takes in, and how values become columns and back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from localmem.errors import StoreError
from localmem.store.engine_errors import DAMAGED_HINT
from localmem.values import StoredTurn, Thread, Turn

Method = Literal["fast", "llm"]
Row = tuple[Any, ...]

TURN_COLUMNS = "id, transcript, position, thread, speaker, text, at, source, session"
TURN_KINDS = (int, int, int, int | None, str, str, str | None, str, str)
THREAD_COLUMNS = "id, transcript, first, last, head, started, turns, method"
THREAD_KINDS = (int, int, int, int, str, str | None, int, str)

_FOUR_BYTES = np.dtype("<f4")
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn to be stored."""

    key: bytes
    """Hash of its content, 16 bytes, unique within a transcript."""
    turn: Turn
    vector: NDArray[np.float32]
    """Shape (dimension,)."""


@dataclass(frozen=True, slots=True)
class NewThread:
    """A thread to be stored."""

    first: int
    """Position of the first turn."""
    last: int
    """Position of the last turn (inclusive)."""
    head: str
    vector: NDArray[np.float32]
    """Of the head, shape (dimension,)."""
    method: Method


def clean(text: str) -> str:
    """`text` as it can be stored.

    Halves of surrogate pairs, which UTF-8 cannot hold, and NUL, where every C library would cut the text,
    become U+FFFD. Two halves that belong together become their character.
    """
    if not _UNWRITABLE.search(text):
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "\ufffd")


def time_to_text(at: datetime | None) -> str | None:
    """ISO 8601; a naive time stays naive, an aware one keeps its offset."""
    return None if at is None else at.isoformat()


def text_to_time(text: str | None) -> datetime | None:
    """The inverse of `time_to_text`.

    Raises:
        StoreError: it is no time.
    """
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        raise StoreError("The memory is damaged: a time in it is none.", hint=DAMAGED_HINT) from None


def to_turn(row: Row) -> StoredTurn:
    """A row of `TURN_COLUMNS` as a value; a turn that no thread holds yet has thread 0."""
    id, transcript, position, thread, speaker, text, at, source, session = row
    turn = Turn(speaker, text, text_to_time(at), source, session)
    return StoredTurn(id, transcript, position, thread or 0, turn)


def to_thread(row: Row) -> Thread:
    """A row of `THREAD_COLUMNS` as a value."""
    id, transcript, first, last, head, started, turns, method = row
    return Thread(id, transcript, first, last, head, text_to_time(started), turns, method == "llm")


def to_blobs(vectors: Sequence[NDArray[np.float32]], dimension: int) -> list[bytes]:
    """Vectors as float32, little-endian.

    Raises:
        StoreError: a vector has another shape than (dimension,), or a value that is not finite.
    """
    blobs = []
    for vector in vectors:
        if vector.shape != (dimension,):
            raise StoreError(
                f"A vector of shape {vector.shape} does not fit this memory.",
                hint=f"Its embedder makes vectors of shape ({dimension},).",
            )
        if not np.isfinite(vector).all():
            raise StoreError(
                "A vector has a value that is not a finite number.",
                hint="The embedder is broken; verify its files.",
            )
        blobs.append(vector.astype(_FOUR_BYTES).tobytes())
    return blobs


def fill(out: NDArray[np.float32], blobs: Sequence[bytes]) -> None:
    """Write the vectors of `blobs` into `out`, shape (len(blobs), dimension).

    Raises:
        StoreError: a blob has another length, or a value that is not finite.
    """
    data = b"".join(blobs)
    if len(data) != out.size * _FOUR_BYTES.itemsize:
        raise StoreError("The memory is damaged: a vector has the wrong length.", hint=DAMAGED_HINT)
    out[:] = np.frombuffer(data, dtype=_FOUR_BYTES).reshape(out.shape)
    if not np.isfinite(out).all():
        raise StoreError("The memory is damaged: a vector holds what is no number.", hint=DAMAGED_HINT)
