#!/usr/bin/env python3
"""Many processes on one memory: 10 readers, 2 writers, and one that forgets now and then; then 1,000 ingests in one.

    python scripts/load.py [--seconds 60] [--readers 10] [--writers 2] [--ingests 1000] [--keep FOLDER]

Vectors come from a hash of the words, so no model is needed and the time goes into the memory itself. Writers put in
transcripts of 40 turns and a turn of the tasks each, readers search and read the tasks, all as fast as they can. At the
end every turn that a writer was told is in must be there once, unless it was forgotten, and the file must be sound.
The 1,000 ingests say whether files and open descriptors stay bounded. Ends with one JSON line, also in
scripts/results/load.txt. Exit code 1 if anything was lost, or failed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import RESULTS, machine, write_result
from numpy.typing import NDArray

from localmem import Memory
from localmem.store import Store
from localmem.tasks import Op, Operation

TURNS = 40
DIMENSION = 64
NAME = "mémoire \U0001f9e0 日本.db"
"""Of the memory: with spaces, letters of several scripts and an emoji."""
FORGETS_EVERY = 10
"""Transcripts that a writer puts in before the first of them is forgotten."""
START = datetime(2025, 3, 4, 12, 0)


class Hashing:
    """An embedder of hashed words."""

    id = "load-hashing"
    dimension = DIMENSION

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimension)."""
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row, 0] = 0.01
            for word in re.findall(r"\w+", text.lower()):
                digest = zlib.crc32(word.encode())
                vectors[row, digest % DIMENSION] += 1.0 if digest & 0x10000 else -1.0
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def opened(path: Path) -> Memory:
    """The memory, without a model of language."""

    def no_model() -> Any:
        raise AssertionError("nothing is asked here")

    return Memory(path, embedder=Hashing, model=no_model)


def transcript(folder: Path, who: str, number: int) -> Path:
    """A file of turns that no other one has."""
    file = folder / f"{who}-{number}.txt"
    lines = [
        f"[{START + timedelta(days=number, minutes=n):%Y-%m-%d %H:%M}] {'Ann' if n % 2 else 'Bob'}:"
        f" {who} says thing{number}x{n} about topic{n // 8} and the harbour.\n"
        for n in range(TURNS)
    ]
    file.write_text("".join(lines), encoding="utf-8")
    return file


def write(path: Path, who: str, until: float, told: Queue[tuple[str, Any]]) -> None:
    """Put transcripts in, and forget one now and then."""
    there: list[int] = []
    waits = []
    number = 0
    try:
        with tempfile.TemporaryDirectory() as folder, opened(path) as memory:
            while time.time() < until:
                file = transcript(Path(folder), who, number)
                begun = time.perf_counter()
                memory.ingest(file).raise_for_failure()
                memory.tasks.apply(
                    None, [Operation(Op.ADD, -1, f"{who} {number}", "noted")], said=f"{who} {number}"
                )
                waits.append(time.perf_counter() - begun)
                file.unlink()
                there.append(number)
                number += 1
                if number % FORGETS_EVERY == 0:
                    memory.forget(transcript=f"{who}-{there[0]}", yes=True)
                    there.pop(0)
        told.put(("wrote", (who, there, number, waits)))
    except BaseException as error:
        told.put(("failed", f"{who}: {type(error).__name__}: {error}"))


def read(path: Path, who: str, until: float, told: Queue[tuple[str, Any]]) -> None:
    """Search, and look at the tasks; each time what is seen must be one state."""
    waits = []
    most = 0
    try:
        with opened(path) as memory:
            while time.time() < until:
                begun = time.perf_counter()
                workspace = memory.search(f"What about topic{len(waits) % 5} and the harbour?")
                waits.append(time.perf_counter() - begun)
                for unit in workspace.units:
                    if "harbour" not in unit.turn.text:
                        raise AssertionError(f"a turn of nobody: {unit.turn.text}")
                _ = memory.tasks.paths()
                with memory._store.snapshot():
                    stats = memory._store.stats()
                    if stats.turns != stats.indexed_turns or stats.threads != stats.indexed_threads:
                        raise AssertionError("half of an ingest was seen")
                most = max(most, descriptors())
        told.put(("read", (waits, most)))
    except BaseException as error:
        told.put(("failed", f"{who}: {type(error).__name__}: {error}"))


def descriptors() -> int:
    """Open files of this process; 0 where the system does not tell."""
    folders = [folder for folder in (Path("/proc/self/fd"), Path("/dev/fd")) if folder.is_dir()]
    return len(list(folders[0].iterdir())) if folders else 0


def sizes(path: Path) -> dict[str, int]:
    """Bytes of the memory and of what lies beside it, by what they are."""
    return {
        file.name.removeprefix(path.name) or "file": file.stat().st_size for file in path.parent.iterdir()
    }


def together(path: Path, seconds: float, readers: int, writers: int) -> tuple[dict[str, Any], list[str]]:
    """Readers and writers at once; figures, and what went wrong."""
    context = multiprocessing.get_context("spawn")
    told: Queue[tuple[str, Any]] = context.Queue()
    with opened(path) as memory:
        memory._store.bind_embedder(Hashing.id, DIMENSION)
    until = time.time() + seconds + 5  # the processes need a moment to start
    makers = [(write, f"writer{n}") for n in range(writers)] + [(read, f"reader{n}") for n in range(readers)]
    processes = [context.Process(target=make, args=(path, who, until, told)) for make, who in makers]
    for process in processes:
        process.start()
    reports = [told.get(timeout=seconds + 300) for _ in processes]
    for process in processes:
        process.join()
    wrong = [what for kind, what in reports if kind == "failed"]
    wrote = [what for kind, what in reports if kind == "wrote"]
    searches = [seconds for kind, what in reports if kind == "read" for seconds in what[0]]
    waits = [seconds for _, _, _, seconds in wrote for seconds in seconds]
    with Store.open(path) as store:
        wrong += store.check() + store.disorder()
        names = {one.name: one.turns for one in store.transcripts()}
        expected = {f"{who}-{number}": TURNS for who, there, _, _ in wrote for number in there}
        if not wrong and names != expected:
            wrong.append(
                f"{len(expected.keys() ^ names.keys())} transcripts are missing or should not be there"
            )
        turns = len(store.task_turns())
        if not wrong and turns != sum(number for _, _, number, _ in wrote):
            wrong.append("turns of the tasks are missing")
    figures = {
        "seconds": seconds,
        "readers": readers,
        "writers": writers,
        "transcripts": sum(number for _, _, number, _ in wrote),
        "forgotten": sum(number - len(there) for _, there, number, _ in wrote),
        "ingest_median_s": round(statistics.median(waits), 3) if waits else None,
        "ingest_worst_s": round(max(waits, default=0.0), 3),
        "searches": len(searches),
        "search_median_s": round(statistics.median(searches), 4) if searches else None,
        "search_worst_s": round(max(searches, default=0.0), 3),
        "descriptors_most": max((what[1] for kind, what in reports if kind == "read"), default=0),
        "bytes": sizes(path),
    }
    return figures, wrong


def alone(path: Path, ingests: int) -> tuple[dict[str, Any], list[str]]:
    """Many ingests in one process, each new file twice; figures, and what went wrong."""
    logs, open_files, times = [], [], []
    with tempfile.TemporaryDirectory() as folder, opened(path) as memory:
        for number in range(ingests // 2):
            file = transcript(Path(folder), "alone", number)
            begun = time.perf_counter()
            for added in (TURNS, 0):
                (report,) = memory.ingest(file).files
                assert report.added == added, report
            times.append(time.perf_counter() - begun)
            memory.search("What about the harbour?")
            file.unlink()
            logs.append(sizes(path).get("-wal", 0))
            open_files.append(descriptors())
    grown = sizes(path)
    tenth = max(1, len(times) // 10)
    figures = {
        "ingests": ingests,
        "descriptors_first": open_files[0],
        "descriptors_last": open_files[-1],
        "log_most_bytes": max(logs),
        "bytes": grown,
        "bytes_a_turn": round(grown["file"] / (len(times) * TURNS)),
        "first_tenth_s": round(statistics.mean(times[:tenth]), 4),
        "last_tenth_s": round(statistics.mean(times[-tenth:]), 4),
    }
    wrong = []
    if max(open_files[1:] or open_files) > open_files[0] + 2:
        wrong.append(f"descriptors grew from {open_files[0]} to {max(open_files)}")
    if max(logs) > 80 << 20:
        wrong.append(f"the log grew to {max(logs):,} bytes")
    return figures, wrong


def main() -> int:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--readers", type=int, default=10)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--ingests", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="where to leave the memories; otherwise they go")
    parser.add_argument("--out", type=Path, default=RESULTS / "load.txt")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        for part in ("together", "alone"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        many, wrong = together(folder / "together" / NAME, given.seconds, given.readers, given.writers)
        one, more = alone(folder / "alone" / NAME, given.ingests) if given.ingests > 1 else ({}, [])
    wrong += more
    lines = [f"{key}: {value}" for figures in (many, one) for key, value in figures.items()]
    lines += [f"WRONG: {what}" for what in wrong] or ["Nothing was lost, nothing failed."]
    write_result(given.out, machine(), lines, {"together": many, "alone": one, "wrong": wrong})
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
