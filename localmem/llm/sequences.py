"""Which evaluated prompts stay in the engine's memory: one sequence for each kind of prompt.

All sequences share the cells of one context. This module decides; the engine carries it out. Nothing here
knows llama.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Kept:
    """What one sequence holds."""

    number: int
    """Id of the sequence in the engine."""
    kind: str
    tokens: list[int] = field(default_factory=list)
    fixed: int = 0
    """Leading tokens that are the same for every prompt of this kind."""
    used: int = 0
    """When it was last used; larger is later."""


class Sequences:
    """The kept sequences of one context.

    Args:
        count: sequences that the engine has.
        capacity: cells that they share; a token takes one.
    """

    def __init__(self, count: int, capacity: int) -> None:
        self.capacity = capacity
        self._free = list(range(count))
        self._kept: dict[str, Kept] = {}
        self._clock = 0

    @property
    def cells(self) -> int:
        """Cells in use."""
        return sum(len(kept.tokens) for kept in self._kept.values())

    def get(self, kind: str) -> Kept | None:
        """The sequence of a kind, if it has one."""
        return self._kept.get(kind)

    def evictable(self, kind: str) -> Kept | None:
        """The least recently used sequence, when `kind` needs one and none is free."""
        if kind in self._kept or self._free:
            return None
        return min(self._kept.values(), key=lambda kept: kept.used)

    def take(self, kind: str) -> Kept:
        """The sequence for a prompt of `kind`, marked as used; a new one holds no tokens.

        Call it after `evictable` said None, or what it returned was dropped.
        """
        self._clock += 1
        kept = self._kept.get(kind)
        if kept is None:
            kept = self._kept[kind] = Kept(self._free.pop(0), kind)
        kept.used = self._clock
        return kept

    def drop(self, kept: Kept) -> None:
        """Give a sequence back."""
        del self._kept[kept.kind]
        self._free.append(kept.number)

    def cuts(self, kind: str, cells: int) -> list[tuple[Kept, int]]:
        """What to give up so that the sequence of `kind` can grow to `cells`.

        Other kinds lose what is not fixed, least recently used first; then they go wholly, in the same order.

        Returns:
            Pairs of a sequence and the number of leading tokens that it keeps; 0 means drop it.
        """
        others = sorted((k for k in self._kept.values() if k.kind != kind), key=lambda kept: kept.used)
        length = {kept.kind: len(kept.tokens) for kept in others}
        excess = cells + sum(length.values()) - self.capacity
        for floor in (lambda kept: min(kept.fixed, len(kept.tokens)), lambda kept: 0):
            for kept in others:
                if excess <= 0:
                    break
                shorter = floor(kept)
                excess -= length[kept.kind] - shorter
                length[kept.kind] = shorter
        return [(kept, length[kept.kind]) for kept in others if length[kept.kind] < len(kept.tokens)]


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Length of the longest common prefix."""
    length = min(len(first), len(second))
    if first[:length] == second[:length]:
        return length
    return next(index for index in range(length) if first[index] != second[index])
