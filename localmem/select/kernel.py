"""The compiled loops. Vectors meet in BLAS before they get here: `dots` holds their inner products.

Sums run in a fixed order, so that a gain can only fall, to the last bit, while the cover grows: with a full
matrix, lazy evaluation is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from localmem.select.values import TOLERANCE

F = TypeVar("F", bound=Callable[..., Any])
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_FAR = 40.0
"""Multiples of tau from which exp(-x) is below the last digit of anything that it is added to."""
_0, _1, _2, _4, _56 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


def _inlined(function: F) -> F:
    return cast(F, njit(function))


def _cached(function: F) -> F:
    """`@njit(cache=True)`, or without the cache where no folder for it can be written."""
    try:
        return cast(F, njit(cache=True)(function))
    except RuntimeError:
        return cast(F, njit(function))


@_inlined
def _popcount(x: np.uint64) -> int:
    # Warren, Hacker's Delight, 5-1; LLVM makes one instruction of it where the processor has one.
    x = x - ((x >> _1) & _M1)
    x = (x & _M2) + ((x >> _2) & _M2)
    x = (x + (x >> _4)) & _M4
    return int((x * _H01) >> _56)


@_inlined
def _sizes(entities: Words) -> Ints:
    sizes = np.zeros(entities.shape[0], dtype=np.int64)
    for u in range(entities.shape[0]):
        for j in range(entities.shape[1]):
            sizes[u] += _popcount(entities[u, j])
    return sizes


@_inlined
def _row(
    u: int, start: int, row: Floats, weights: Floats, thread: Ints, entities: Words, sizes: Ints, time: Floats
) -> None:
    """Turn `row`, the inner products of u, into K(u, v) of `Mix` for v from `start` on, in place.

    One loop a term, so that LLVM can make vector code of each. `weights`: embedding, thread, entities, time, tau.
    """
    n = len(row)
    for v in range(start, n):
        k = weights[0] * min(max(row[v], 0.0), 1.0)
        row[v] = k + weights[1] if thread[u] == thread[v] else k
    if weights[2] > 0.0 and sizes[u] > 0:
        for v in range(start, n):
            shared = 0
            for j in range(entities.shape[1]):
                shared += _popcount(entities[u, j] & entities[v, j])
            row[v] += weights[2] * shared / (sizes[u] + sizes[v] - shared)
    if weights[3] > 0.0:
        here = time[u]
        far = _FAR * weights[4]
        for v in range(start, n):
            apart = abs(here - time[v])
            if apart < far:  # false for NaN
                row[v] += weights[3] * math.exp(apart / -weights[4])
    if u >= start:
        row[u] = 1.0


@_inlined
def _gain(row: Floats, priority: Floats, cover: Floats) -> float:
    """sum_v p(v) max(0, K(u, v) - cover(v)), in a fixed order of four running sums."""
    n = len(row)
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for v in range(0, n - 3, 4):
        a += priority[v] * max(row[v] - cover[v], 0.0)
        b += priority[v + 1] * max(row[v + 1] - cover[v + 1], 0.0)
        c += priority[v + 2] * max(row[v + 2] - cover[v + 2], 0.0)
        d += priority[v + 3] * max(row[v + 3] - cover[v + 3], 0.0)
    for v in range(n - n % 4, n):
        a += priority[v] * max(row[v] - cover[v], 0.0)
    return (a + b) + (c + d)


@_cached
def greedy(
    dots: Floats,
    priority: Floats,
    thread: Ints,
    entities: Words,
    time: Floats,
    cost: Ints,
    weights: Floats,
    units: int,
    tokens: int,
    enough: float,
) -> tuple[Ints, Floats]:
    """Order and gains of the whole choice, from all inner products (n, n), which become K in place.

    Lazy greedy (Minoux 1978): a gain computed earlier bounds the gain now, so most need no new look.
    """
    n = len(priority)
    sizes = _sizes(entities)
    for u in range(n):
        _row(u, u, dots[u], weights, thread, entities, sizes, time)
        for v in range(u + 1, n):
            dots[v, u] = dots[u, v]
    bound = np.full(n, 2.0)
    seen = np.full(n, -1, dtype=np.int64)
    free = np.ones(n, dtype=np.bool_)
    cover = np.zeros(n)
    order = np.empty(min(units, n), dtype=np.int64)
    gains = np.empty(len(order))
    coverage = 0.0
    count = 0
    while count < len(order) and coverage < enough:
        best = 0.0
        while True:
            u = -1
            for v in range(n):
                if free[v] and seen[v] < count and (u < 0 or bound[v] > bound[u]):
                    u = v
            if u < 0 or bound[u] < best - TOLERANCE:
                break
            gain = _gain(dots[u], priority, cover)
            bound[u] = gain
            seen[u] = count
            if cost[u] > tokens:
                free[u] = False
            elif gain > best:
                best = gain
        if best <= TOLERANCE:
            break
        u = 0
        while not (free[u] and seen[u] == count and bound[u] >= best - TOLERANCE):
            u += 1
        for v in range(n):
            cover[v] = max(cover[v], dots[u, v])
        free[u] = False
        tokens -= cost[u]
        coverage += bound[u]
        order[count] = u
        gains[count] = bound[u]
        count += 1
    return order[:count], gains[:count]


@_cached
def row_gains(
    rows: Ints,
    dots: Floats,
    priority: Floats,
    thread: Ints,
    entities: Words,
    time: Floats,
    weights: Floats,
    cover: Floats,
) -> Floats:
    """What each unit of `rows` would add to `cover`; `dots` (rows, n) becomes K in place."""
    sizes = _sizes(entities)
    gains = np.zeros(len(rows))
    for i in range(len(rows)):
        _row(rows[i], 0, dots[i], weights, thread, entities, sizes, time)
        gains[i] = _gain(dots[i], priority, cover)
    return gains


@_cached
def other_bounds(priority: Floats, thread: Ints, entities: Words, time: Floats, weights: Floats) -> Floats:
    """Upper bound of sum_v p(v) K(u, v) without the embedding term, for every u, in O(n log n).

    Threads and times are exact. For entities, |E_u & E_v| / |E_u | E_v| <= |E_u & E_v| / |E_u|, whose sum over
    v is the mean of P(e), the priority of all units that name e, over the entities e of u.
    """
    n = len(priority)
    _, place = _numbered(thread)
    mass = np.zeros(n)
    for u in range(n):
        mass[place[u]] += priority[u]
    bound = np.zeros(n)
    for u in range(n):
        bound[u] = weights[1] * mass[place[u]]
    named = np.zeros(entities.shape[1] * 64)
    for turn in range(2):
        for u in range(n):
            total = 0.0
            size = 0
            for j in range(entities.shape[1]):
                word = entities[u, j]
                bit = 64 * j
                while word != _0:
                    if word & _1:
                        size += 1
                        if turn == 0:
                            named[bit] += priority[u]
                        else:
                            total += named[bit]
                    word >>= _1
                    bit += 1
            if turn == 1:
                bound[u] += weights[2] * (total / size if size > 0 else priority[u])
    # On a sorted line, sum_v p(v) exp(-|t_u - t_v| / tau) is a decaying sum from the left plus one from the right.
    by_time = np.argsort(time)
    for direction in range(2):
        total = 0.0
        last = 0.0
        for i in range(n):
            u = by_time[i] if direction == 0 else by_time[n - 1 - i]
            if math.isnan(time[u]):
                if direction == 0:
                    bound[u] += weights[3] * priority[u]
                continue
            total *= math.exp(-abs(time[u] - last) / weights[4]) if total > 0.0 else 1.0
            if direction == 0:
                total += priority[u]
                bound[u] += weights[3] * total
            else:
                bound[u] += weights[3] * total
                total += priority[u]
            last = time[u]
    return bound


@_inlined
def _numbered(labels: Ints) -> tuple[int, Ints]:
    """Labels renumbered from 0, and how many there are."""
    numbers = np.zeros(len(labels), dtype=np.int64)
    by_label = np.argsort(labels)
    count = 0
    for i in range(len(labels)):
        if i > 0 and labels[by_label[i]] != labels[by_label[i - 1]]:
            count += 1
        numbers[by_label[i]] = count
    return count + 1, numbers
