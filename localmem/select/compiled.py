"""The compiled implementation: BLAS for inner products, numba for the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from localmem.select import kernel
from localmem.select.values import TOLERANCE, Budget, Candidates, Mix, Selection

_FULL_MATRIX = 2048
"""Up to so many candidates K is kept whole (32 MB); above, rows are made when a bound asks for them."""
_ROWS = 32
"""Rows made at once: BLAS makes 32 in the time of eight single ones."""
_NO_LIMIT = np.iinfo(np.int64).max

_recompiled: dict[str, Callable[..., Any]] = {}


def _run(name: str, *arguments: Any) -> Any:
    """Call a kernel; a broken compilation cache costs a compilation, nothing else."""
    if name in _recompiled:
        return _recompiled[name](*arguments)
    function: Any = getattr(kernel, name)
    if function.signatures:
        return function(*arguments)
    try:
        return function(*arguments)
    except Exception:
        # Unpickling damaged bytes raises anything; the kernels themselves raise nothing on checked arrays.
        # Without the damaged files, the next process makes sound ones.
        for path in Path(function.stats.cache_path or "").glob(f"kernel.{name}-*.nb?"):
            path.unlink(missing_ok=True)
        _recompiled[name] = njit(function.py_func)
        return _recompiled[name](*arguments)


def greedy(candidates: Candidates, budget: Budget, mix: Mix) -> Selection:
    """See `localmem.select.select`."""
    vectors = candidates.vectors.astype(np.float64)
    weights = np.array([mix.embedding, mix.thread, mix.entities, mix.time, mix.tau_seconds])
    thread = np.ascontiguousarray(candidates.thread, np.int64)
    entities = np.ascontiguousarray(candidates.entities, np.uint64)
    time = np.ascontiguousarray(candidates.time, np.float64)
    priority = np.ascontiguousarray(candidates.priority, np.float64)
    cost = np.ascontiguousarray(candidates.cost, np.int64)
    tokens = _NO_LIMIT if budget.tokens is None else budget.tokens
    enough = np.inf if budget.coverage is None else budget.coverage - TOLERANCE
    units = max(0, budget.units)
    if len(candidates) <= _FULL_MATRIX:
        order, gains = _run(
            "greedy",
            vectors @ vectors.T,
            priority,
            thread,
            entities,
            time,
            cost,
            weights,
            units,
            tokens,
            float(enough),
        )
        return Selection(order, gains, float(gains.sum()))
    features = (priority, thread, entities, time, weights)
    return _by_rows(vectors, features, cost, units, tokens, float(enough))


def _by_rows(
    vectors: NDArray[np.float64],
    features: tuple[NDArray[Any], ...],
    cost: NDArray[np.int64],
    units: int,
    tokens: int,
    enough: float,
) -> Selection:
    """Lazy greedy that starts from bounds instead of gains, so that few rows of K are ever made."""
    n = len(vectors)
    bound = upper_bounds(vectors, *features)
    seen = np.full(n, -1)
    free = np.ones(n, dtype=bool)
    cover = np.zeros(n)
    order: list[int] = []
    gains: list[float] = []
    coverage = 0.0
    while len(order) < units and coverage < enough:
        step = len(order)
        free &= cost <= tokens
        best = 0.0
        while True:
            waiting = np.flatnonzero(free & (seen < step) & (bound >= best - TOLERANCE))
            if not len(waiting):
                break
            if len(waiting) > _ROWS:
                waiting = waiting[np.argpartition(-bound[waiting], _ROWS)[:_ROWS]]
            bound[waiting] = _run("row_gains", waiting, vectors[waiting] @ vectors.T, *features, cover)
            seen[waiting] = step
            best = max(best, float(bound[waiting].max()))
        if best <= TOLERANCE:
            break
        u = int(np.argmax(free & (seen == step) & (bound >= best - TOLERANCE)))
        row = vectors[u : u + 1] @ vectors.T
        _run("row_gains", np.array([u]), row, *features, cover)
        cover = np.maximum(cover, row[0])
        free[u] = False
        tokens -= int(cost[u])
        order.append(u)
        gains.append(float(bound[u]))
        coverage += float(bound[u])
    return Selection(np.array(order, np.int64), np.array(gains, np.float64), coverage)


def upper_bounds(
    vectors: NDArray[np.float64], priority: NDArray[np.float64], *features: NDArray[Any]
) -> NDArray[np.float64]:
    """Upper bound of sum_v p(v) K(u, v), the first gain, for every u, in O(n d^2 + n log n).

    `features`: thread, entities, time and weights, as the kernels take them. The term of the embedding: max(0, a)
    is (a + |a|) / 2. The sum of p(v) <x_u, x_v> is <x_u, m>, m the mean vector; that of p(v) |<x_u, x_v>| is at most
    the square root of sum_v p(v) <x_u, x_v>^2 = x_u' C x_u (Jensen), C the second moment.
    """
    mean = priority @ vectors
    moment = (vectors.T * priority) @ vectors
    square = np.einsum("ud,ud->u", vectors @ moment, vectors)
    # K(u, u) is 1 even where a vector's length is not.
    missing = priority * np.maximum(0.0, 1.0 - np.einsum("ud,ud->u", vectors, vectors))
    embedding = (vectors @ mean + np.sqrt(np.maximum(square, 0.0))) / 2 + missing
    bound: NDArray[np.float64] = _run("other_bounds", priority, *features) + features[-1][0] * embedding
    return bound + 1e-9  # above the rounding of all these sums
