"""The compiled loops. Vectors meet in BLAS before they get here: `dots` holds their inner products.

Sums run in a fixed order, so that a gain can only fall, to the last bit, while the cover grows: with a full
matrix, lazy evaluation is exact.

`weights` are those of `Mix`: embedding, thread, entities, time, tau, floor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from localmem.select.values import EQUAL, TOLERANCE

F = TypeVar("F", bound=Callable[..., Any])
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Singles = NDArray[np.float32]

_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_FAR = 1e-18
"""Closeness in time that is below the last digit of anything that it is added to."""
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
def _decay(time: Floats, order: Ints, tau: float) -> Floats:
    """exp(-(t_j - t_i) / tau) from each unit to the next one in `order`, that of time; 0 from or to an unknown time."""
    decay = np.zeros(len(order))
    for i in range(len(order) - 1):
        apart = time[order[i + 1]] - time[order[i]]
        if not math.isnan(apart):
            decay[i] = math.exp(-apart / tau)
    return decay


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


@_inlined
def _matrix(dots: Singles, thread: Ints, entities: Words, time: Floats, weights: Floats) -> Floats:
    """All of K, from all inner products."""
    n = len(thread)
    k = np.empty((n, n))
    scale = weights[0] / (1.0 - weights[5])
    for u in range(n):
        for v in range(n):
            k[u, v] = min(max(scale * (np.float64(dots[u, v]) - weights[5]), 0.0), weights[0])
    if weights[1] > 0.0:
        for u in range(n):
            for v in range(n):
                k[u, v] += weights[1] if thread[u] == thread[v] else 0.0
    if weights[2] > 0.0:
        sizes = _sizes(entities)
        for u in range(n):
            if sizes[u] > 0:
                for v in range(u):
                    shared = 0
                    for j in range(entities.shape[1]):
                        shared += _popcount(entities[u, j] & entities[v, j])
                    if shared > 0:
                        alike = weights[2] * shared / (sizes[u] + sizes[v] - shared)
                        k[u, v] += alike
                        k[v, u] += alike
    if weights[3] > 0.0:
        order = np.argsort(time)
        decay = _decay(time, order, weights[4])
        for i in range(n):
            close = weights[3]
            for j in range(i + 1, n):
                close *= decay[j - 1]
                if close < _FAR:
                    break
                k[order[i], order[j]] += close
                k[order[j], order[i]] += close
    for u in range(n):
        k[u, u] = 1.0
    return k


@_cached
def greedy(
    dots: Singles,
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
    """Order and gains of the whole choice, from all inner products (n, n).

    Lazy greedy (Minoux 1978): a gain computed earlier bounds the gain now, so most need no new look.
    """
    n = len(priority)
    k = _matrix(dots, thread, entities, time, weights)
    cover = np.zeros(n)
    bound = np.empty(n)
    for u in range(n):
        bound[u] = _gain(k[u], priority, cover)
    seen = np.zeros(n, dtype=np.int64)
    free = np.ones(n, dtype=np.bool_)
    order = np.empty(min(units, n), dtype=np.int64)
    gains = np.empty(len(order))
    coverage = 0.0
    count = 0
    while count < len(order) and coverage < enough:
        best = 0.0
        for v in range(n if count == 0 else 0):  # nothing is chosen yet, so these bounds are the gains
            if cost[v] > tokens:
                free[v] = False
            elif bound[v] > best:
                best = bound[v]
        while True:
            u = -1
            for v in range(n):
                if free[v] and seen[v] < count and (u < 0 or bound[v] > bound[u]):
                    u = v
            if u < 0 or bound[u] < best * (1.0 - EQUAL):
                break
            gain = _gain(k[u], priority, cover)
            bound[u] = gain
            seen[u] = count
            if cost[u] > tokens:
                free[u] = False
            elif gain > best:
                best = gain
        if best <= TOLERANCE:
            break
        u = 0
        while not (free[u] and seen[u] == count and bound[u] >= best * (1.0 - EQUAL)):
            u += 1
        for v in range(n):
            cover[v] = max(cover[v], k[u, v])
        free[u] = False
        tokens -= cost[u]
        coverage += bound[u]
        order[count] = u
        gains[count] = bound[u]
        count += 1
    return order[:count], gains[:count]


@_cached
def postings(entities: Words) -> tuple[Ints, Ints, Ints, Ints]:
    """Which units name each entity, and which entities each unit names, both as starts and a flat list."""
    n = len(entities)
    names = entities.shape[1] * 64
    by_unit = np.zeros(n + 1, dtype=np.int64)
    by_name = np.zeros(names + 1, dtype=np.int64)
    sizes = _sizes(entities)
    by_unit[1:] = np.cumsum(sizes)
    own = np.empty(by_unit[n], dtype=np.int64)
    place = 0
    for u in range(n):
        for j in range(entities.shape[1]):
            word = entities[u, j]
            bit = 64 * j
            while word != _0:
                if word & _1:
                    own[place] = bit
                    by_name[bit + 1] += 1
                    place += 1
                word >>= _1
                bit += 1
    by_name = np.cumsum(by_name)
    units = np.empty(len(own), dtype=np.int64)
    free = by_name.copy()
    for u in range(n):
        for place in range(by_unit[u], by_unit[u + 1]):
            units[free[own[place]]] = u
            free[own[place]] += 1
    return by_unit, own, by_name, units


@_cached
def row_gains(
    rows: Ints,
    dots: NDArray[Any],
    priority: Floats,
    thread: Ints,
    names: tuple[Ints, Ints, Ints, Ints],
    time: Floats,
    weights: Floats,
    cover: Floats,
) -> Floats:
    """What each unit of `rows` would add to `cover`; `dots` (rows, n) becomes K in place.

    Units are in order of time, those without one last. `names`: of `postings`. One loop a term, so that LLVM can
    make vector code of each; entities and times are visited where they meet only.
    """
    n = len(priority)
    by_unit, own, by_name, units = names
    decay = _decay(time, np.arange(n), weights[4])
    shared = np.zeros(n, dtype=np.int64)
    gains = np.zeros(len(rows))
    scale = weights[0] / (1.0 - weights[5])
    for i in range(len(rows)):
        u = rows[i]
        row = dots[i]
        for v in range(n):
            row[v] = min(max(scale * (row[v] - weights[5]), 0.0), weights[0])
        if weights[1] > 0.0:
            for v in range(n):
                row[v] += weights[1] if thread[u] == thread[v] else 0.0
        size = by_unit[u + 1] - by_unit[u]
        if weights[2] > 0.0 and size > 0:
            for a in range(by_unit[u], by_unit[u + 1]):
                for b in range(by_name[own[a]], by_name[own[a] + 1]):
                    shared[units[b]] += 1
            for a in range(by_unit[u], by_unit[u + 1]):
                for b in range(by_name[own[a]], by_name[own[a] + 1]):
                    v = units[b]
                    if shared[v] > 0:
                        both = size + by_unit[v + 1] - by_unit[v] - shared[v]
                        row[v] += weights[2] * shared[v] / both
                        shared[v] = 0
        if weights[3] > 0.0:
            close = weights[3]
            for v in range(u + 1, n):
                close *= decay[v - 1]
                if close < _FAR:
                    break
                row[v] += close
            close = weights[3]
            for v in range(u - 1, -1, -1):
                close *= decay[v]
                if close < _FAR:
                    break
                row[v] += close
        row[u] = 1.0
        gains[i] = _gain(row, priority, cover)
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
