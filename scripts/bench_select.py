#!/usr/bin/env python
"""Time of the selector: the compiled kernel against its numpy twin, warm and in a fresh process.

python scripts/bench_select.py [--large]

Candidates are drawn at random: threads of 14 turns, vectors of 384 dimensions around their thread's centre, skewed
priorities. The last line is JSON.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from bench_common import RESULTS, machine, write_result

from localmem.select import Budget, Candidates, Mix, entity_bits, select


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


def warm(n: int, implementation: str, repeats: int) -> tuple[float, float]:
    """Best and median seconds of a selection of 16."""
    chosen = candidates(n)
    if repeats > 1:
        select(chosen, Budget(), Mix(), implementation=implementation)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        select(chosen, Budget(), Mix(), implementation=implementation)
        times.append(time.perf_counter() - start)
    return min(times), statistics.median(times)


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
                row += ["-", "-", "-"]
                continue
            repeats = 100 if n <= 150 else 10 if n <= 2000 else 3 if implementation == "numba" else 1
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
    ]
    write_result(RESULTS / "bench_select.md", facts, lines, {"benchmark": "select", **result})


if __name__ == "__main__":
    main()
