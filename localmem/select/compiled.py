"""The compiled implementation: BLAS for inner products, numba for the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from localmem.select import kernel
from localmem.select.values import EQUAL, TOLERANCE, Budget, Candidates, Mix, Selection

_FULL_MATRIX = 2048
"""Up to so many candidates K is kept whole (32 MB); above, rows are made when a bound asks for them."""
_ROWS = 128
"""Rows made at once: BLAS makes many in a fraction of the time of as many single ones."""
_SINGLE = 2.0**-24
"""Rounding of single precision, relative."""
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
    vectors = np.ascontiguousarray(candidates.vectors, np.float32)
    weights = np.array(
        [mix.embedding, mix.thread, mix.entities, mix.time, mix.tau_seconds, mix.floor], np.float64
    )
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
    by_time = np.argsort(time, kind="stable")  # unknown times last
    vectors, cost = vectors[by_time], cost[by_time]
    features = (priority[by_time], thread[by_time], entities[by_time], time[by_time], weights)
    return _by_rows(vectors, features, cost, by_time, units, tokens, float(enough))


def _by_rows(
    vectors: NDArray[np.float32],
    features: tuple[NDArray[Any], ...],
    cost: NDArray[np.int64],
    index: NDArray[np.int64],
    units: int,
    tokens: int,
    enough: float,
) -> Selection:
    """Lazy greedy that starts from bounds instead of gains, with a few rows of K at a time.

    Rows are made in single precision, which gives each gain within `slack`; only the few units that may be the best by
    that are computed again in double precision. `index`: where each unit stands among the candidates.
    """
    n, dimension = vectors.shape
    priority, thread, entities, time, weights = features
    names = _run("postings", entities)
    rest = (priority, thread, names, time, weights)
    exact = vectors.astype(np.float64)
    slack = weights[0] / (1 - weights[5]) * dimension * _SINGLE + 16 * _SINGLE
    bound = upper_bounds(exact, *features)
    seen = np.full(n, -1)
    free = np.ones(n, dtype=bool)
    cover = np.zeros(n)
    order: list[int] = []
    gains: list[float] = []
    coverage = 0.0
    while len(order) < units and coverage < enough:
        step = len(order)
        free &= cost <= tokens
        least = 0.0  # the best gain is at least this
        while True:
            waiting = np.flatnonzero(free & (seen < step) & (bound >= least * (1 - EQUAL)))
            if not len(waiting):
                break
            if len(waiting) > _ROWS:
                waiting = waiting[np.argpartition(-bound[waiting], _ROWS)[:_ROWS]]
            near = _run("row_gains", waiting, vectors[waiting] @ vectors.T, *rest, cover)
            bound[waiting] = near + slack
            seen[waiting] = step
            least = max(least, float(near.max()) - slack)
        last = np.flatnonzero(free & (seen == step) & (bound >= least * (1 - EQUAL)))
        best, u, row = _best(last, exact, rest, cover, index)
        if best <= TOLERANCE:
            break
        cover = np.maximum(cover, row)
        free[u] = False
        tokens -= int(cost[u])
        order.append(int(index[u]))
        gains.append(best)
        coverage += best
    return Selection(np.array(order, np.int64), np.array(gains, np.float64), coverage)


def _best(
    units: NDArray[np.int64],
    vectors: NDArray[np.float64],
    rest: tuple[Any, ...],
    cover: NDArray[np.float64],
    index: NDArray[np.int64],
) -> tuple[float, int, NDArray[np.float64]]:
    """Gain, unit and row of K of the best of some units, in double precision; of equals that of the lowest index."""
    found = np.zeros(len(units))
    for start in range(0, len(units), _ROWS):
        part = units[start : start + _ROWS]
        found[start : start + _ROWS] = _run("row_gains", part, vectors[part] @ vectors.T, *rest, cover)
    if not len(units):
        return 0.0, -1, cover
    equal = np.flatnonzero(found >= found.max() * (1 - EQUAL))
    place = equal[np.argmin(index[units[equal]])]
    u = int(units[place])
    row = vectors[u : u + 1] @ vectors.T
    _run("row_gains", np.array([u]), row, *rest, cover)
    return float(found[place]), u, row[0]


def upper_bounds(
    vectors: NDArray[np.float64], priority: NDArray[np.float64], *features: NDArray[Any]
) -> NDArray[np.float64]:
    """Upper bound of sum_v p(v) K(u, v), the first gain, for every u, in O(n d^2 + n log n).

    `features`: thread, entities, time and weights, as the kernels take them. The term of the embedding: max(0, a)
    is (a + |a|) / 2, a = <x_u, x_v> - floor. The sum of p(v) a is <x_u, m> - floor, m the mean vector; that of
    p(v) |a| is at most the square root of sum_v p(v) a^2 (Jensen) = x_u' C x_u - 2 floor <x_u, m> + floor^2, C the
    second moment.
    """
    weights = features[-1]
    floor = weights[5]
    along = vectors @ (priority @ vectors)
    moment = (vectors.T * priority) @ vectors
    square = np.einsum("ud,ud->u", vectors @ moment, vectors) - 2 * floor * along + floor**2
    # K(u, u) is 1 even where a vector's length is not.
    missing = priority * np.clip((1.0 - np.einsum("ud,ud->u", vectors, vectors)) / (1 - floor), 0.0, 1.0)
    embedding = (along - floor + np.sqrt(np.maximum(square, 0.0))) / (2 * (1 - floor)) + missing
    bound: NDArray[np.float64] = _run("other_bounds", priority, *features) + weights[0] * embedding
    return bound + 1e-9  # above the rounding of all these sums
