"""The entry point: which implementation runs, and what needs none."""

from __future__ import annotations

import sys
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from localmem.select import reference
from localmem.select.values import TOLERANCE, Budget, Candidates, Mix, Selection

COMPILED_FROM = 2000
"""Candidates from which a fresh process gains from the compiled kernel; see `select`."""


def select(
    candidates: Candidates,
    budget: Budget,
    mix: Mix,
    *,
    implementation: Literal["auto", "numba", "numpy"] = "auto",
) -> Selection:
    """Choose units that stand for as much of the priority as possible.

    Maximises the weighted facility location F(S) = sum_v p(v) max_{u in S} K(u, v) greedily: each step
    takes the unit that adds most, the lowest index among equals. F is monotone and submodular, so under a
    budget of units F(S) is at least 1 - 1/e of the optimum (Nemhauser, Wolsey and Fisher 1978). A choice
    ends at the budget, or when no unit adds anything.

    Both implementations choose the same. `auto` takes the compiled one where it pays: in a process that has it
    loaded already, or from `COMPILED_FROM` candidates on. The first compiled choice of a process takes 0.5 s (once
    per machine 2 s, to compile); the first plain one 2 ms for 150 candidates, 0.06 s for 600, 0.57 s for 2,000
    (scripts/results/bench_select.md). A process that will select many times may ask for "numba" once; `auto` stays
    with it.
    """
    if mix.identity:
        return _by_priority(candidates, budget)
    if len(candidates) == 0:
        return Selection(np.zeros(0, np.int64), np.zeros(0, np.float64), 0.0)
    loaded = "localmem.select.compiled" in sys.modules
    if implementation == "numba" or (
        implementation == "auto" and (loaded or len(candidates) >= COMPILED_FROM)
    ):
        from localmem.select import compiled

        return compiled.greedy(candidates, budget, mix)
    return reference.greedy(candidates, budget, mix)


def _by_priority(candidates: Candidates, budget: Budget) -> Selection:
    order: list[int] = []
    coverage = 0.0
    left = budget.tokens
    for u in np.argsort(-candidates.priority, kind="stable").tolist():
        if len(order) >= budget.units or candidates.priority[u] <= TOLERANCE:
            break
        if budget.coverage is not None and coverage >= budget.coverage - TOLERANCE:
            break
        if left is not None:
            if candidates.cost[u] > left:
                continue
            left -= int(candidates.cost[u])
        order.append(u)
        coverage += float(candidates.priority[u])
    chosen = np.array(order, dtype=np.int64)
    return Selection(chosen, candidates.priority[chosen], coverage)


def remaining(
    candidates: Candidates, mix: Mix, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """What each of n units would add to a choice that is made, for explanations; O(n^2) a call.

    Returns:
        Gains (n,), -1 for those that were chosen; the chosen unit that each is most like (n,), -1 without any; and how
        alike they are (n,).
    """
    n = len(candidates)
    gains = candidates.priority.copy()
    nearest, alike = np.full(n, -1, dtype=np.int64), np.zeros(n)
    if n and not mix.identity:
        kernel = reference.similarity(candidates, mix, slice(None))
        if len(chosen):
            rows = kernel[chosen]
            nearest, alike = chosen[rows.argmax(axis=0)], rows.max(axis=0)
        gains = np.maximum(kernel - alike, 0.0) @ candidates.priority
    gains[chosen] = -1.0
    return gains, nearest, alike
