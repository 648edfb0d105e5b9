"""Turns to threads, fast: borders where the talk drifts, pauses or a new sitting begins; no model.

The score of a gap compares the mean vector of the turns before it with that of the turns after it
(TextTiling with embeddings: Hearst 1997). Whether a gap is a border depends on a few turns around it and
on the last border alone, so cutting a transcript in pieces, from any border on, gives the same threads as
cutting it at once: an ingest that is interrupted or continued ends with the threads of one that was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from localmem.values import Turn

WINDOW = 3
"""Turns on each side of a gap that are compared."""
NEIGHBOURHOOD = 2
"""A border is the strongest gap among this many on each side."""
MINIMUM_TURNS = 2
MAXIMUM_TURNS = 12
MINIMUM_DRIFT = 0.4
"""1 - cosine of the two sides; chosen on LoCoMo conversations, where it gives about 7 turns a thread."""
PAUSE_SECONDS = 4 * 3600.0
"""Silence that ends a thread."""
LOOKBACK = WINDOW + NEIGHBOURHOOD + MINIMUM_TURNS
"""Borders this far before the end of what is known can still move when turns follow."""

HEAD_CHARACTERS = 160
HEAD_SHARE = 1.0
"""What a head that a model wrote counts in its thread's vector, beside the turns together."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One thread of a segmentation: turns `first` to `last`, inclusive, with head and unit vector."""

    first: int
    last: int
    head: str
    vector: NDArray[np.float32]


def seconds(turn: Turn) -> float:
    """Time of a turn in seconds on one clock, or nan. A naive time is taken as it stands."""
    if turn.at is None:
        return float("nan")
    moment = turn.at
    if moment.tzinfo is not None:
        return moment.timestamp()
    return (moment - type(moment)(1970, 1, 1)).total_seconds()


def segment(turns: Sequence[Turn], vectors: NDArray[np.float32], *, start: int = 0) -> list[Cut]:
    """Cut turns from index `start` on into contiguous threads, in order.

    Args:
        turns: n turns; those before `start` are only looked at.
        vectors: their unit vectors, shape (n, d).
        start: index of a turn that begins a thread.
    """
    if start >= len(turns):
        return []
    borders: list[int] = []
    for first, end in sittings(turns):
        if end > start:
            borders.extend(_borders(vectors, first, end, max(first, start)))
    cuts = []
    for first, end in zip(borders, [*borders[1:], len(turns)], strict=True):
        vector = centre(vectors[first:end])
        cuts.append(Cut(first, end - 1, head(turns[first:end], vectors[first:end] @ vector), vector))
    return cuts


def sittings(turns: Sequence[Turn]) -> list[tuple[int, int]]:
    """First place and end of each run of turns without a pause or another session between them."""
    starts = [0]
    for place in range(1, len(turns)):
        before, after = turns[place - 1], turns[place]
        pause = seconds(after) - seconds(before)  # nan compares as False
        if before.session != after.session or pause > PAUSE_SECONDS or pause < -PAUSE_SECONDS:
            starts.append(place)
    return list(zip(starts, [*starts[1:], len(turns)], strict=True))


def _borders(vectors: NDArray[np.float32], first: int, end: int, start: int) -> list[int]:
    """Borders from `start` on, which is one, within the sitting of turns `first` to `end` - 1."""
    drift = drifts(vectors[first:end])
    borders = [start]
    for gap in range(start + MINIMUM_TURNS, end - MINIMUM_TURNS + 1):
        length = gap - borders[-1]
        if length < MINIMUM_TURNS:
            continue
        here = drift[gap - first]
        around = drift[max(1, gap - first - NEIGHBOURHOOD) : gap - first + NEIGHBOURHOOD + 1]
        if length >= MAXIMUM_TURNS or (here > MINIMUM_DRIFT and here >= around.max()):
            borders.append(gap)
    return borders


def drifts(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """How far the talk moves at each gap, 1 - cosine of its two sides, shape (n,); gap g is before turn g, the first is 0.

    Args:
        vectors: unit vectors of the n turns of one sitting, shape (n, d).
    """
    drift = np.zeros(len(vectors))
    for gap in range(1, len(vectors)):
        before = _unit(vectors[max(0, gap - WINDOW) : gap].sum(axis=0))
        after = _unit(vectors[gap : gap + WINDOW].sum(axis=0))
        drift[gap] = 1.0 - float(before @ after)
    return drift


def centre(vectors: NDArray[np.float32], head: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """Vector of a thread, shape (d,): what its turns mean together, and what its head says if a model wrote one.

    Args:
        vectors: unit vectors of the thread's turns, shape (n, d).
        head: unit vector of a head that is not one of its turns, shape (d,).
    """
    turns = _unit(vectors.sum(axis=0))
    return turns if head is None else _unit(turns + HEAD_SHARE * head)


def head(turns: Sequence[Turn], centrality: NDArray[np.float32]) -> str:
    """An extractive head: the most central turn that says something, shortened.

    Args:
        turns: the thread's turns.
        centrality: cosine of each to the thread's centre, shape (len(turns),).
    """
    lengths = np.array([min(len(turn.text), HEAD_CHARACTERS) for turn in turns], dtype=np.float64)
    # A one-word reply is often nearest to the centre and tells nothing.
    best = int(np.argmax(centrality * np.sqrt(lengths / HEAD_CHARACTERS)))
    text = " ".join(turns[best].text.split())
    if len(text) > HEAD_CHARACTERS:
        text = text[: HEAD_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"
    return f"{turns[best].speaker}: {text}"


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length > 0 else vector.astype(np.float32)
