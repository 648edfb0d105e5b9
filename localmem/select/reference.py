"""The numpy twin: greedy choice as the formula says it, for fresh processes and to test the kernel against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from localmem.select.values import EQUAL, TOLERANCE, Budget, Candidates, Mix, Selection

_FULL_MATRIX = 2048
"""Up to so many candidates K is kept whole (32 MB); above, its rows are made anew at each step."""
_ROWS = 256


def similarity(candidates: Candidates, mix: Mix, rows: slice) -> NDArray[np.float64]:
    """K(u, v) of `Mix` for u in `rows` and every v, shape (rows, n)."""
    if rows == slice(None):
        # numpy computes the product of a matrix with its own transpose at half the price.
        vectors = np.ascontiguousarray(candidates.vectors, np.float32)
        dots = (vectors @ vectors.T).astype(np.float64)
    else:
        exact = candidates.vectors.astype(np.float64)
        dots = exact[rows] @ exact.T
    kernel = np.clip(mix.embedding / (1 - mix.floor) * (dots - mix.floor), 0.0, mix.embedding)
    if mix.thread:
        kernel += mix.thread * (candidates.thread[rows, None] == candidates.thread)
    if mix.entities:
        words = candidates.entities
        sizes = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
        shared = np.zeros(kernel.shape, dtype=np.int64)
        for j in range(words.shape[1]):
            shared += np.bitwise_count(words[rows, j, None] & words[:, j])
        kernel += mix.entities * shared / np.maximum(1, sizes[rows, None] + sizes - shared)
    if mix.time:
        closeness = np.exp(np.abs(candidates.time[rows, None] - candidates.time) / -mix.tau_seconds)
        kernel += mix.time * np.nan_to_num(closeness, copy=False, nan=0.0)
    diagonal = np.arange(len(candidates))[rows]
    kernel[np.arange(len(diagonal)), diagonal] = 1.0
    return kernel


def greedy(candidates: Candidates, budget: Budget, mix: Mix) -> Selection:
    """See `localmem.select.select`."""
    n = len(candidates)
    priority, cost = candidates.priority, candidates.cost
    whole = similarity(candidates, mix, slice(None)) if n <= _FULL_MATRIX else None
    cover = np.zeros(n)
    free = np.ones(n, dtype=bool)
    left = np.inf if budget.tokens is None else budget.tokens
    enough = np.inf if budget.coverage is None else budget.coverage - TOLERANCE
    order: list[int] = []
    gains: list[float] = []
    coverage = 0.0
    while len(order) < budget.units and coverage < enough:
        free &= cost <= left
        gain = np.empty(n)
        for start in range(0, n, _ROWS if whole is None else n):
            rows = slice(start, start + _ROWS) if whole is None else slice(None)
            block = similarity(candidates, mix, rows) if whole is None else whole
            gain[rows] = np.maximum(block - cover, 0.0) @ priority
        gain[~free] = -1.0
        best = float(gain.max())
        if best <= TOLERANCE:
            break
        u = int(np.argmax(gain >= best * (1 - EQUAL)))
        row = whole[u] if whole is not None else similarity(candidates, mix, slice(u, u + 1))[0]
        cover = np.maximum(cover, row)
        free[u] = False
        left -= int(cost[u])
        order.append(u)
        gains.append(float(gain[u]))
        coverage += float(gain[u])
    return Selection(np.array(order, np.int64), np.array(gains, np.float64), coverage)
