#!/usr/bin/env python
"""Time of the selector: the compiled kernel against its numpy twin, warm and in a fresh process.

python scripts/bench_select.py [--large]

Candidates are drawn at random: threads of 14 turns, vectors of 384 dimensions around their thread's centre, skewed
priorities. K has all four terms; recall's own mix has the embedding's only (`workspace.MIX`), a row of its own. The
twin makes all rows of K again for each of 16 units when they are more than fit in memory: of 10,000 candidates 256 of
these rows are timed, best of three, and multiplied, unless `--large` asks for all of it. The last line is JSON.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
from bench_common import RESULTS, machine, write_result

from localmem.recall.workspace import MIX
from localmem.select import Budget, Candidates, Mix, entity_bits, reference, select


def candidates(n: int, seed: int = 0, dimension: int = 384) -> Candidates:
    rng = np.random.default_rng(seed)
    thread = np.sort(rng.integers(0, max(1, n // 14), n))
    centres = rng.normal(size=(max(1, n // 14), dimension))
    vectors = 0.6 * centres[thread] + rng.normal(size=(n, dimension)) + 0.4 * rng.normal(size=dimension)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    priority = rng.exponential(size=n) ** 2
    unknown = rng.random(n) < 0.05
    return Candidates(
        ids=np.arange(n),
        priority=priority / priority.sum(),
        vectors=vectors.astype(np.float32),
        thread=thread,
        entities=entity_bits([set(rng.integers(0, n, rng.integers(0, 4)).tolist()) for _ in range(n)]),
        time=np.where(unknown, np.nan, np.sort(rng.uniform(0, 1e7, n))),
        cost=rng.integers(5, 80, n),
    )


def warm(n: int, implementation: str, repeats: int, mix: Mix | None = None) -> tuple[float, float]:
    """Best and median seconds of a selection of 16."""
    chosen, mix = candidates(n), mix or Mix()
    if repeats > 1:
        select(chosen, Budget(), mix, implementation=implementation)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        select(chosen, Budget(), mix, implementation=implementation)
        times.append(time.perf_counter() - start)
    return min(times), statistics.median(times)


def peak(n: int) -> int:
    """Bytes that a compiled selection allocates at most."""
    chosen = candidates(n)
    tracemalloc.start()
    select(chosen, Budget(), Mix(), implementation="numba")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def twin_by_a_part(n: int, rows: int = 256) -> float:
    """Seconds that the twin takes for 16 units, from those of some rows of one unit."""
    chosen, cover = candidates(n), np.zeros(n)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        np.maximum(reference.similarity(chosen, Mix(), slice(0, rows)) - cover, 0.0) @ chosen.priority
        times.append(time.perf_counter() - start)
    return min(times) * 16 * n / rows


FRESH = """
import sys, time
sys.path.insert(0, {folder!r})
from bench_select import *
chosen = candidates({n})
start = time.perf_counter()
select(chosen, Budget(), Mix(), implementation={implementation!r})
print(time.perf_counter() - start)
"""


def fresh(n: int, implementation: str, repeats: int = 5) -> float:
    """Median seconds of the first selection of a process; numpy is imported, numba is not."""
    code = FRESH.format(folder=str(Path(__file__).parent), n=n, implementation=implementation)
    times = [
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        for _ in range(repeats + 1)
    ]
    return statistics.median(times[1:])  # the first may compile


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", action="store_true", help="also 10,000 candidates with the twin: minutes")
    arguments = parser.parse_args()

    result: dict[str, float | str] = {}
    rows = []
    for n in (150, 600, 2000, 4000, 10_000):
        row = [f"{n:,}"]
        for implementation in ("numba", "numpy"):
            if n > 4000 and implementation == "numpy" and not arguments.large:
                twin = twin_by_a_part(n)
                row += [f"{1000 * twin:,.0f} (by a part)", "-", "-"]
                result |= {f"numpy_{n}_by_a_part_ms": round(1000 * twin)}
                continue
            repeats = 400 if n <= 150 else 10 if n <= 2000 else 3 if implementation == "numba" else 1
            best, median = warm(n, implementation, repeats)
            row += [f"{1000 * best:,.2f}", f"{1000 * median:,.2f}"]
            result |= {f"{implementation}_{n}_ms": round(1000 * best, 3)}
            if n <= 2000:
                first = fresh(n, implementation)
                row += [f"{1000 * first:,.0f}"]
                result |= {f"{implementation}_{n}_fresh_ms": round(1000 * first, 1)}
            else:
                row += ["-"]
        rows.append(row)
    best, median = warm(150, "numba", 400, MIX)
    rows.append(["150, recall's mix", f"{1000 * best:,.2f}", f"{1000 * median:,.2f}", "-", "-", "-", "-"])
    result |= {"numba_150_recall_ms": round(1000 * best, 3), "numba_10000_peak_mb": round(peak(10_000) / 1e6)}
    facts = {
        "command": f"python scripts/bench_select.py{' --large' if arguments.large else ''}",
        "model": "none",
        **machine(),
    }
    lines = [
        "n candidates to 16, milliseconds, all included: inner products, K, and the choice.",
        "",
        "| n | numba best | median | first call of a process | numpy best | median | first call of a process |",
        "|---|---|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
        f"10,000 candidates: at most {result['numba_10000_peak_mb']} MB allocated; a whole K would have 800 MB.",
    ]
    write_result(RESULTS / "bench_select.md", facts, lines, {"benchmark": "select", **result})


if __name__ == "__main__":
    main()
