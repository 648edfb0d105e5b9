"""Turns to identities: what makes a turn the same turn when a file is read again.

A key is a hash of speaker, time and text, and of the turn's place among equal ones in its conversation.
So ingesting twice adds nothing, and a longer or lightly edited export adds only what is new.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from localmem.values import Turn

KEY_BYTES = 16


def embedding_text(turn: Turn) -> str:
    """What the embedder reads: who says it is part of what it means."""
    return f"{turn.speaker}: {turn.text}"


def content_key(turn: Turn) -> bytes:
    """Hash of speaker, time and text, `KEY_BYTES` long: the key of the first of equal turns."""
    digest = blake2b(digest_size=KEY_BYTES)
    # A length before each field, so that no text can imitate a border between two fields.
    for field in (turn.speaker, turn.at.isoformat() if turn.at else "", turn.text):
        data = field.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def repeated(keys: bytes | bytearray) -> set[bytes]:
    """Content keys that occur more than once in a row of them, laid end to end."""
    if not keys:
        return set()
    column = np.frombuffer(bytes(keys), dtype=f"V{KEY_BYTES}").view("u8").reshape(-1, 2)
    order = np.lexsort((column[:, 1], column[:, 0]))
    ordered = column[order]
    same = (ordered[1:] == ordered[:-1]).all(axis=1)
    return {ordered[place].tobytes() for place in np.flatnonzero(same).tolist()}


class Identifier:
    """Gives each turn of a conversation, in file order, its key.

    Args:
        repeated: content keys that occur more than once; only these are counted, so that the millions of
            turns of a large file that occur once take no memory.
    """

    def __init__(self, repeated: set[bytes]) -> None:
        self._seen = dict.fromkeys(repeated, 0)

    def key(self, content: bytes) -> bytes:
        """The key of the next turn, `KEY_BYTES` long, from its content key."""
        count = self._seen.get(content)
        if count is None:
            return content
        self._seen[content] = count + 1
        if count == 0:
            return content
        return blake2b(content + count.to_bytes(8, "little"), digest_size=KEY_BYTES).digest()


def landmarks(positions: Sequence[int], cursor: int) -> list[int]:
    """Those of some known turns that tell where a file stands in its transcript, rising.

    Where equal turns are many and times are missing, a "Thanks!" of a file may be taken for another one of
    the transcript, before or after the right one. Most turns are not mistaken, so the longest rising part counts.

    Args:
        positions: of the known turns, in the order of the file, all different.
        cursor: position where the turns before them ended; it counts as one of them.
    """
    after = rising([position for position in positions if position > cursor])
    free = rising(positions)
    return after if len(after) + 1 >= len(free) else free


def rising(positions: Sequence[int]) -> list[int]:
    """The longest rising subsequence of different numbers, by patience sorting."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for position in positions:
        length = bisect_left(ends, position)
        before[position] = ends[length - 1] if length else None
        ends[length : length + 1] = [position]
    found: list[int] = []
    last = ends[-1] if ends else None
    while last is not None:
        found.append(last)
        last = before[last]
    return found[::-1]
