#!/usr/bin/env python3
"""Tokens a second under threads, batch sizes, flash attention and OpenMP's way of waiting.

    python scripts/bench_engine.py MODEL.gguf [--busy]

The engine's defaults were chosen by it. With --busy, another process takes one core all the time, as on a
machine where a person works. Every row is a process of its own, which reads a prompt of about 250 tokens and
writes 24; rows take turns for three rounds, and the best of each counts, since a shared machine can only be
slower than it is. Ends with one JSON line; table and line also go to scripts/results/.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench_common import RESULTS, machine, sha256, write_result

from localmem.errors import TruncatedError
from localmem.llm import load
from localmem.llm.hardware import physical_cores
from localmem.llm.protocol import Message, Prompt, Speaker
from localmem.settings import Settings

WORDS = ("river", "stone", "music", "winter", "letter", "garden", "window", "train", "morning", "answer")
REPLY = 24
ROUNDS = 3
GRAMMAR = "root ::= [a-z ]{900,1000}"


def variants(cores: int) -> dict[str, tuple[dict[str, Any], dict[str, str]]]:
    """Settings and environment of each row; the first is the default."""
    rows: dict[str, tuple[dict[str, Any], dict[str, str]]] = {"default": ({}, {})}
    for threads in sorted({1, max(cores // 2, 1), cores, 2 * cores}):
        rows[f"threads {threads}"] = ({"threads": threads, "threads_batch": threads}, {})
    for batch in (64, 128, 256, 1024):
        rows[f"batch {batch}"] = ({"batch": batch}, {})
    rows["flash attention on"] = ({"flash_attention": True}, {})
    rows["flash attention off"] = ({"flash_attention": False}, {})
    for spins in (0, 300, 1000, 3000, 10_000, 30_000):
        rows[f"waiting {spins} spins"] = ({}, {"GOMP_SPINCOUNT": str(spins)})
    rows["waiting active"] = ({}, {"OMP_WAIT_POLICY": "active"})
    return rows


def measure(path: Path, options: dict[str, Any]) -> dict[str, float]:
    """Tokens a second of prompt and reply."""
    with (
        tempfile.TemporaryDirectory() as folder,
        load(path, settings=Settings(prefixes_dir=Path(folder), context=2048, **options)) as model,
    ):
        # The first calculation reads the weights from disk.
        model.generate(
            Prompt("warm", (Message(Speaker.USER, "Hi"),), 0), max_tokens=1, grammar='root ::= "a"'
        )
        text = " ".join(random.Random(0).choices(WORDS, k=230))
        prompt = Prompt("bench", (Message(Speaker.USER, text),), 0)
        began = time.perf_counter()
        model.generate(prompt, max_tokens=1, grammar='root ::= "a"')
        middle = time.perf_counter()
        with contextlib.suppress(TruncatedError):
            model.generate(prompt, max_tokens=REPLY, grammar=GRAMMAR)
        ended = time.perf_counter()
        return {"prompt": model.count_prompt(prompt) / (middle - began), "reply": REPLY / (ended - middle)}


def run(path: Path, options: dict[str, Any], environment: dict[str, str]) -> dict[str, float]:
    arguments = [sys.executable, __file__, str(path), "--child", json.dumps(options)]
    done = subprocess.run(
        arguments, capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("model", type=Path)
    parser.add_argument("--busy", action="store_true", help="keep one core busy meanwhile")
    parser.add_argument("--only", default="", help="rows whose name has this in it; nothing is kept")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        print(json.dumps(measure(arguments.model, json.loads(arguments.child))))
        return 0
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if arguments.busy else None
    try:
        rows: dict[str, dict[str, float]] = {}
        for _ in range(ROUNDS):
            for name, (options, environment) in variants(physical_cores()).items():
                if arguments.only not in name:
                    continue
                measured = run(arguments.model, options, environment)
                best = rows.setdefault(name, measured)
                rows[name] = {key: max(best[key], measured[key]) for key in best}
    finally:
        if busy is not None:
            busy.kill()
            busy.wait()
    lines = [f"{'':<22}{'prompt tokens/s':>16}{'reply tokens/s':>16}"]
    lines += [f"{name:<22}{row['prompt']:>16.1f}{row['reply']:>16.1f}" for name, row in rows.items()]
    if arguments.only:
        print("\n".join(lines))
        return 0
    name = "engine-busy" if arguments.busy else "engine"
    command = f"python scripts/bench_engine.py {arguments.model.name}" + " --busy" * arguments.busy
    facts = {"command": command, "model_sha256": sha256(arguments.model), **machine()}
    rounded = {name: {key: round(value, 1) for key, value in row.items()} for name, row in rows.items()}
    result = {"bench": "engine", "model": arguments.model.name, "busy": arguments.busy, "rows": rounded}
    write_result(RESULTS / f"{name}-{arguments.model.stem}.txt", facts, lines, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
