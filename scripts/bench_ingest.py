#!/usr/bin/env python
"""Whole ingests: of a large ChatGPT export that is made for it, and of many small files with more or fewer processes.

python scripts/bench_ingest.py [--gigabytes 1] [--folder DIR] [--minutes 10] [--jobs 1 2 4] [--only PART ...]

Parts: "encode" makes the vectors of 400 turns in one process with all cores, and in as many processes of one core each, three times
in turn, after each has made some; "whole" reads the export to its end with vectors that are hashes, which take no time; "real" does the same with the
built-in embedder and stops after so many minutes; "jobs" adds 100 files of 20 turns with the built-in embedder, three times for
each number of processes, one after the other. Each runs in a process of its own; resident memory is the largest that the system
counted, of that process and of each that it started. What was measured before stays in the result. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from bench_common import RESULTS, machine, write_result
from bench_transcripts import make, words

OUT = RESULTS / "bench_ingest.md"
FILES, TURNS = 100, 20
ENCODED = 400
REPEATS = 3
EVERY = 50_000
"""Turns between two lines of progress."""

INGEST = """
import hashlib, json, resource, sys, time
from pathlib import Path
import numpy as np
from localmem import Memory
class Hashes:
    id, dimension = "hashes", 384
    def encode(self, texts):
        data = b"".join(hashlib.shake_128(text.encode("utf-8", "surrogatepass")).digest(384) for text in texts)
        vectors = np.frombuffer(data, dtype=np.int8).reshape(-1, 384).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
def peak(who=resource.RUSAGE_SELF):
    return resource.getrusage(who).ru_maxrss // 1024
def main():
    paths, db, kind, minutes, jobs, every = json.loads(sys.argv[1])
    begun, last, rows, first = time.perf_counter(), [0], [], {}
    def told(name, done, total):
        seconds = time.perf_counter() - begun
        if not first:
            first.update({"turns": done, "seconds": round(seconds), "computed": round(time.process_time()), "peak_mb": peak()})
        if done - last[0] >= every or done == total:
            last[0] = done
            size = sum(file.stat().st_size for file in Path(db).parent.glob(Path(db).name + "*"))
            row = {"turns": done, "seconds": round(seconds), "computed": round(time.process_time()), "file_mb": size >> 20, "peak_mb": peak()}
            rows.append(row)
            if every > 1:
                print(json.dumps(row), file=sys.stderr, flush=True)
        if minutes and seconds > 60 * minutes:
            raise KeyboardInterrupt
    memory = Memory(Path(db), embedder=Hashes, model=lambda: None) if kind == "hashes" else Memory.open(Path(db))
    with memory:
        try:
            memory.ingest(*paths, progress=told, jobs=jobs).raise_for_failure()
        except KeyboardInterrupt:
            pass
        stats = memory._store.stats()
        faults = memory._store.disorder()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({
        "turns": stats.turns, "transcripts": stats.transcripts, "threads": stats.threads, "faults": faults,
        "seconds": round(time.perf_counter() - begun, 1),
        "computed": round(sum(one.ru_utime + one.ru_stime for one in used), 1),
        "peak_mb": peak(), "peak_child_mb": peak(resource.RUSAGE_CHILDREN), "file_mb": Path(db).stat().st_size >> 20,
        "first": first, "rows": rows,
    }))
if __name__ == "__main__":
    main()
"""


def ingest(
    paths: list[str], folder: Path, kind: str, minutes: float = 0, jobs: int = 1, every: int = EVERY
) -> dict[str, Any]:
    """What an ingest into a new memory took."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        # A file, since other processes import the script that asks for them.
        script = Path(made) / "ingest.py"
        script.write_text(INGEST, encoding="utf-8")
        given = json.dumps([paths, str(Path(made) / "memory.db"), kind, minutes, jobs, every])
        done = subprocess.run(
            [sys.executable, str(script), given], stdout=subprocess.PIPE, text=True, check=True
        )
        return dict(json.loads(done.stdout.splitlines()[-1]))


def export(folder: Path, gigabytes: float) -> Path:
    """The made export."""
    file = folder / "conversations.json"
    if not file.exists():
        with file.open("wb") as out:
            make(out.write, int(gigabytes * 1e9))
    return file


def with_jobs(folder: Path, jobs: list[int]) -> dict[str, Any]:
    """Seconds of adding many files with so many processes."""
    rng = random.Random(5)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        paths = []
        for number in range(FILES):
            file = Path(made) / f"{number:03}.txt"
            lines = (f"{'Ann' if n % 2 else 'Bob'}: {words(rng, rng.randint(3, 30))}\n" for n in range(TURNS))
            file.write_text("".join(lines), encoding="utf-8")
            paths.append(str(file))
        found: dict[int, list[dict[str, Any]]] = {count: [] for count in jobs}
        for _ in range(REPEATS):
            for count in jobs:
                found[count].append(ingest(paths, folder, "real", jobs=count, every=1))
    return {
        str(count): {
            "seconds": sorted(one["seconds"] for one in runs),
            "computed": round(statistics.median(one["computed"] for one in runs), 1),
            "peak_mb": max(one["peak_mb"] for one in runs),
            "peak_child_mb": max(one["peak_child_mb"] for one in runs),
            "turns": runs[0]["turns"],
        }
        for count, runs in found.items()
    }


def encode() -> dict[str, Any]:
    """Turns a second, and milliseconds of computing for each, one process against one for each core."""
    from localmem import embed, models
    from localmem.embed.pool import EmbedderPool
    from localmem.models import Backend, Kind

    rng = random.Random(5)
    texts = [f"{'Ann' if n % 2 else 'Bob'}: {words(rng, rng.randint(3, 30))}" for n in range(ENCODED)]
    local = models.locate("all-minilm-l6-v2", backend=Backend.ONNX, kind=Kind.EMBEDDER)
    cores = os.cpu_count() or 1
    make = partial(embed.load_with, local.id, local.folder, "onnx")
    one = make(cores)
    rates: dict[str, list[float]] = {"1": [], str(cores): []}
    with EmbedderPool(make, cores) as pool:
        for embedder in (one, pool):
            embedder.encode(texts[:64])
        for _ in range(REPEATS):
            for name, embedder in (("1", one), (str(cores), pool)):
                begun = time.perf_counter()
                embedder.encode(texts)
                rates[name].append(round(len(texts) / (time.perf_counter() - begun), 1))
    return {"turns": len(texts), "cores": cores, "turns_per_s": rates}


def lines(found: dict[str, Any]) -> list[str]:
    out: list[str] = []
    for name, said in (("whole", "vectors that are hashes, to the end"), ("real", "the built-in embedder")):
        if name in found:
            one = found[name]
            size = one["bytes"] / 1e9
            out += [f"ChatGPT export of {size:.2f} GB, {said}; sound: {not one['faults']}.", ""]
            out += ["| turns | seconds | of computing | memory file, MB | peak MB |", "|---|---|---|---|---|"]
            keys = ("turns", "seconds", "computed", "file_mb", "peak_mb")
            rows = [*one["rows"][:-1], one] if one["rows"] else [one]
            out += ["| " + " | ".join(f"{row[key]:,.0f}" for key in keys) + " |" for row in rows]
            if first := one.get("first"):
                since = (one["turns"] - first["turns"]) / max(1, one["computed"] - first["computed"])
                out += [
                    "",
                    f"The first {first['turns']:,} turns came after {first['seconds']:,} s ({first['computed']:,} of computing: the first"
                    f" reading of the file), the others at {since:,.1f} turns for a second of computing.",
                ]
            out.append("")
    if "encode" in found:
        one = found["encode"]
        out += [
            f"Vectors of {one['turns']} turns, {one['cores']} cores.",
            "",
            "| processes | turns a second, each time |",
            "|---|---|",
        ]
        out += [f"| {count} | {', '.join(map(str, rates))} |" for count, rates in one["turns_per_s"].items()]
        out.append("")
    if "jobs" in found:
        out += [f"{FILES} files of {TURNS} turns, the built-in embedder.", ""]
        out += [
            "| --jobs | seconds, each time | of computing | peak MB | of another process |",
            "|---|---|---|---|---|",
        ]
        for count, one in found["jobs"].items():
            times = ", ".join(f"{seconds:.1f}" for seconds in one["seconds"])
            child = one["peak_child_mb"] if count != "1" else 0
            out.append(f"| {count} | {times} | {one['computed']:.1f} | {one['peak_mb']:,} | {child:,} |")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--only", choices=["encode", "whole", "real", "jobs"], action="append")
    parser.add_argument("--keep", action="store_true", help="keep the export")
    options = parser.parse_args()
    parts = options.only or ["encode", "whole", "real", "jobs"]
    found: dict[str, Any] = {}
    if OUT.exists():
        found = json.loads(OUT.read_text(encoding="utf-8").splitlines()[-1])["parts"]
    file = export(options.folder, options.gigabytes) if {"whole", "real"} & set(parts) else None
    for part in parts:
        if part == "encode":
            found["encode"] = encode()
            continue
        if part == "jobs" or file is None:
            found["jobs"] = with_jobs(options.folder, options.jobs)
            continue
        minutes = options.minutes if part == "real" else 0
        kind = "real" if part == "real" else "hashes"
        found[part] = ingest(
            [str(file)], options.folder, kind, minutes, every=EVERY if part == "whole" else 5000
        )
        found[part]["bytes"] = file.stat().st_size
    if file is not None and not options.keep:
        file.unlink()
    write_result(OUT, machine(), lines(found), {"parts": found})


if __name__ == "__main__":
    main()
