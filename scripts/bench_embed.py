#!/usr/bin/env python
"""The two embedding backends on the same texts: start, throughput, parity; and what the index cache saves.

python scripts/bench_embed.py --data locomo_dev.json --model DIR [--turns 600]

DIR holds all-minilm-l6-v2 with model.onnx and model.safetensors. Each backend runs in a process of its own, one
after the other. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_common import RESULTS, machine, sha256, write_result

BACKENDS = ("onnx", "sentence-transformers")


def turns(path: Path, limit: int) -> list[str]:
    """Speaker and text of the first turns of every conversation in a LoCoMo file, in equal parts."""
    conversations = json.loads(path.read_text(encoding="utf-8"))
    texts = []
    for entry in conversations:
        sessions = [value for value in entry["conversation"].values() if isinstance(value, list)]
        said = [f"{turn['speaker']}: {turn['text']}" for session in sessions for turn in session]
        texts += said[: limit // len(conversations)]
    return texts


def measure(backend: str, data: Path, model: Path, limit: int, vectors: Path) -> dict[str, float]:
    """Runs in the child: seconds to the first vector from a cold interpreter, then turns a second."""
    texts = turns(data, limit)
    start = time.perf_counter()
    from localmem.embed import load

    embedder = load("all-minilm-l6-v2", model, backend=backend)
    loaded = time.perf_counter() - start
    embedder.encode(["Where did they go on Sunday?"])
    first = time.perf_counter() - start
    embedder.encode(texts[:32])
    start = time.perf_counter()
    encoded = embedder.encode(texts)
    seconds = time.perf_counter() - start
    single = []
    for text in texts[:50]:
        start = time.perf_counter()
        embedder.encode([text])
        single.append(time.perf_counter() - start)
    np.save(vectors, encoded)
    return {
        "load_s": round(loaded, 3),
        "first_vector_s": round(first, 3),
        "turns_per_s": round(len(texts) / seconds, 1),
        "query_ms": round(1000 * statistics.median(single), 2),
    }


def index_times(n: int, dimension: int = 384) -> tuple[float, float]:
    """Milliseconds to build an index from blobs in an SQLite file, and to read its cache file."""
    from localmem.index import cachefile
    from localmem.index.vectors import VectorIndex

    vectors = np.random.default_rng(0).normal(size=(n, dimension)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        database = sqlite3.connect(Path(folder) / "memory.db")
        database.execute("create table vectors (id integer primary key, vector blob)")
        database.executemany("insert into vectors values (?, ?)", enumerate(row.tobytes() for row in vectors))
        database.commit()
        built, served = [], []
        for _ in range(5):
            start = time.perf_counter()
            found = database.execute("select id, vector from vectors").fetchall()
            rows = np.frombuffer(b"".join(blob for _, blob in found), dtype=np.float32)
            index = VectorIndex.build(np.array([id for id, _ in found]), rows.reshape(n, dimension))
            built.append(time.perf_counter() - start)
            cachefile.write(path, "stamp", index.to_bytes())
            start = time.perf_counter()
            payload = cachefile.read(path, "stamp")
            assert payload is not None
            VectorIndex.from_bytes(payload)
            served.append(time.perf_counter() - start)
        database.close()
    return 1000 * min(built), 1000 * min(served)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=600)
    parser.add_argument("--child", choices=BACKENDS, help=argparse.SUPPRESS)
    parser.add_argument("--vectors", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(
            json.dumps(
                measure(arguments.child, arguments.data, arguments.model, arguments.turns, arguments.vectors)
            )
        )
        return

    measured: dict[str, dict[str, float]] = {}
    encoded = {}
    with tempfile.TemporaryDirectory() as folder:
        for backend in BACKENDS:
            vectors = Path(folder) / f"{backend}.npy"
            command = [sys.executable, *sys.argv, "--child", backend, "--vectors", str(vectors)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            measured[backend] = json.loads(done.stdout.splitlines()[-1])
            encoded[backend] = np.load(vectors)
    ours, full = (encoded[backend] for backend in BACKENDS)
    cosine = np.einsum("nd,nd->n", ours, full)
    # Mixed: questions by one backend, turns by the other. How many of the ten nearest stay?
    near = np.argsort(-(full[::20] @ full.T), axis=1)[:, :10]
    mixed = np.argsort(-(ours[::20] @ full.T), axis=1)[:, :10]
    kept = float(np.mean([len(set(a) & set(b)) / 10 for a, b in zip(near, mixed, strict=True)]))
    index = {n: index_times(n) for n in (600, 2000, 6000, 20_000)}

    facts = {
        "command": f"python scripts/bench_embed.py --data {arguments.data.name} --model {arguments.model.name} "
        f"--turns {arguments.turns}",
        "model.onnx sha256": sha256(arguments.model / "model.onnx"),
        "model.safetensors sha256": sha256(arguments.model / "model.safetensors"),
        **machine(),
    }
    lines = [
        "| backend | import and load, s | first vector after, s | turns a second | one question, ms |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | {' | '.join(str(value) for value in row.values())} |"
            for name, row in measured.items()
        ),
        "",
        f"Parity on {len(ours)} turns: cosine mean {cosine.mean():.4f}, least {cosine.min():.4f}. With questions by "
        f"ONNX over turns by sentence-transformers, {kept:.1%} of the ten nearest are the same.",
        "",
        "| vectors in the index | read SQLite and build, ms | read the cache, ms |",
        "|---|---|---|",
        *(f"| {n:,} | {built:.1f} | {served:.1f} |" for n, (built, served) in index.items()),
    ]
    result = {
        "benchmark": "embed",
        "cosine_mean": round(float(cosine.mean()), 5),
        "cosine_min": round(float(cosine.min()), 5),
        "top10_kept_mixed": round(kept, 4),
        **measured,
        "index_build_ms": {str(n): round(built, 2) for n, (built, _) in index.items()},
        "index_read_ms": {str(n): round(served, 2) for n, (_, served) in index.items()},
    }
    write_result(RESULTS / "bench_embed.md", facts, lines, result)


if __name__ == "__main__":
    main()
