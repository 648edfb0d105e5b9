"""What the selector reads and returns."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-12
"""A gain below this is none."""
EQUAL = 1e-6
"""Gains that differ by less, relative to the larger, are equal: the lower index wins.

Sums of the two implementations differ in their last digits, and so do inner products of single precision; without a
tolerance, two equal candidates ("Thanks!" said twice) would be taken in an order that depends on the
implementation.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The n units that a selection chooses from, as arrays of length n.

    Raises:
        ValueError: arrays of different lengths, or priorities that are no distribution.
    """

    ids: NDArray[np.int64]
    priority: NDArray[np.float64]
    """p(u): not negative, sums to 1."""
    vectors: NDArray[np.float32]
    """Shape (n, d), each of length 1."""
    thread: NDArray[np.int64]
    """Thread of each unit."""
    entities: NDArray[np.uint64]
    """Shape (n, w): bit b of word j says that the unit names entity 64 j + b; see `entity_bits`."""
    time: NDArray[np.float64]
    """Seconds since any fixed moment; NaN where nobody knows."""
    cost: NDArray[np.int64]
    """Tokens that the unit takes in a prompt."""

    def __post_init__(self) -> None:
        n = len(self.ids)
        for name in ("priority", "vectors", "thread", "entities", "time", "cost"):
            array: NDArray[np.generic] = getattr(self, name)
            if len(array) != n:
                raise ValueError(f"{name} has {len(array)} rows for {n} candidates")
            if array.ndim != (2 if name in ("vectors", "entities") else 1):
                raise ValueError(f"{name} has {array.ndim} dimensions")
        if n and not (np.all(self.priority >= 0) and abs(float(self.priority.sum()) - 1) < 1e-6):
            raise ValueError("priorities must be non-negative and sum to 1")

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Budget:
    """When a selection is large enough. Whichever limit comes first."""

    units: int = 16
    tokens: int | None = None
    """A unit that does not fit in what is left is passed over; the others go on."""
    coverage: float | None = None
    """Enough of F(S), 0 to 1."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Weights of the similarity K(u, v) between two units; they sum to 1.

    K(u, v) = embedding * max(0, (<x_u, x_v> - floor) / (1 - floor))      x: unit vectors
            + thread    * [same thread]
            + entities  * |E_u & E_v| / |E_u | E_v|    Jaccard index of the named entities; 0 for two empty sets
            + time      * exp(-|t_u - t_v| / tau)      0 when either time is unknown

    and K(u, u) = 1. So K is symmetric and within [0, 1].

    Raises:
        ValueError: negative weights, weights that do not sum to 1, a tau that is not positive, or a floor that is
            not in [0, 1).
    """

    embedding: float = 0.55
    thread: float = 0.2
    entities: float = 0.15
    time: float = 0.1
    tau_seconds: float = 86_400.0
    """Time after which closeness has fallen to 1/e."""
    floor: float = 0.0
    """Inner product up to which two units have nothing in common."""
    identity: bool = False
    """Ablation: K is the identity, so that F(S) is the priority within S, and the choice is top-k."""

    def __post_init__(self) -> None:
        weights = (self.embedding, self.thread, self.entities, self.time)
        if min(weights) < 0 or not math.isclose(sum(weights), 1, abs_tol=1e-9):
            raise ValueError(f"the weights of a mix sum to 1, not {sum(weights)}")
        if not self.tau_seconds > 0:
            raise ValueError("tau_seconds must be positive")
        if not 0 <= self.floor < 1:
            raise ValueError("floor must be in [0, 1)")


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The chosen units, the most useful first."""

    order: NDArray[np.int64]
    """Indexes into the candidates (not their ids), in the order of choice."""
    gains: NDArray[np.float64]
    """What each added to F when it was chosen; never rises while every unit fits the budget."""
    coverage: float
    """F(S), 0 to 1."""


def entity_bits(names: Sequence[Collection[Hashable]]) -> NDArray[np.uint64]:
    """Bit sets for `Candidates.entities` from the entities that each unit names.

    Returns:
        Shape (len(names), w), w = ceil(distinct entities / 64), at least 1. An entity that only one unit
        names counts too: it makes the unit less like the others.
    """
    bit: dict[Hashable, int] = {}
    for group in names:
        for name in group:
            bit.setdefault(name, len(bit))
    bits = np.zeros((len(names), max(1, -(-len(bit) // 64))), dtype=np.uint64)
    for row, group in enumerate(names):
        for name in group:
            word, shift = divmod(bit[name], 64)
            bits[row, word] |= np.uint64(1 << shift)
    return bits
