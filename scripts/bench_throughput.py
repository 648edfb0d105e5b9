#!/usr/bin/env python
"""Throughput of a fast ingest against the bare embedder on the same texts, both in one process, taking turns.

    python scripts/bench_throughput.py --data locomo_dev.json [--turns 600] [--rounds 5]

A round encodes all texts in one call, as the embedder likes it best, then ingests the same turns into a new memory:
reading, keys, words, vectors, threads and commits included. Rounds begin with the one or the other in turn, so that
what else the machine does meets both. Shares are of turns a second by the clock, and by processor time, which other
work does not change. The last line is JSON.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_common import RESULTS, machine, write_result

from localmem.bench import questions
from localmem.bench.recall import embedder
from localmem.embed.protocol import Embedder
from localmem.recall.ingest import Ingest
from localmem.recall.turns import embedding_text
from localmem.store import Store
from localmem.transcripts import Event
from localmem.values import Turn


def talks(data: Path, turns: int) -> list[tuple[str, list[Event]]]:
    """The beginning of every conversation, in equal parts."""
    loaded = questions.load(data, [])
    each = -(-turns // len(loaded))
    cut = []
    for talk in loaded:
        events: list[Event] = []
        left = each
        for event in talk.events:
            left -= isinstance(event, Turn)
            if left < 0:
                break
            events.append(event)
        cut.append((talk.name, events))
    return cut


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds by the clock, and of processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a LoCoMo file")
    parser.add_argument("--turns", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    cut = talks(arguments.data, arguments.turns)
    texts = [embedding_text(event) for _, events in cut for event in events if isinstance(event, Turn)]
    bare: list[tuple[float, float]] = []
    whole: list[tuple[float, float]] = []
    with embedder() as encoder, tempfile.TemporaryDirectory() as folder:

        def encode() -> None:
            encoder.encode(texts)

        encode()  # warm
        for number in range(arguments.rounds):
            path = Path(folder) / f"{number}.db"

            def ingest(path: Path = path, encoder: Embedder = encoder) -> None:
                with Store.open(path) as store:
                    for name, events in cut:
                        Ingest(store, encoder).file(name, lambda events=events: iter(events))  # type: ignore[misc]

            for place in (0, 1) if number % 2 else (1, 0):
                if place:
                    bare.append(timed(encode))
                else:
                    whole.append(timed(ingest))
    clock = [a[0] / b[0] for a, b in zip(bare, whole, strict=True)]
    processor = [a[1] / b[1] for a, b in zip(bare, whole, strict=True)]
    result = {
        "benchmark": "throughput",
        "turns": len(texts),
        "embedder_turns_per_s": round(len(texts) / min(a for a, _ in bare), 1),
        "ingest_turns_per_s": round(len(texts) / min(a for a, _ in whole), 1),
        "share_by_clock": round(statistics.median(clock), 3),
        "share_by_processor": round(statistics.median(processor), 3),
    }
    lines = [
        "| round | embedder, s | ingest, s | share by the clock | share by processor time |",
        "|---|---|---|---|---|",
        *(
            f"| {number} | {a[0]:.2f} | {b[0]:.2f} | {one:.3f} | {two:.3f} |"
            for number, (a, b, one, two) in enumerate(zip(bare, whole, clock, processor, strict=True), 1)
        ),
        "",
        f"Ingest has {result['share_by_clock']:.0%} of the bare embedder's turns a second by the clock,"
        f" {result['share_by_processor']:.0%} by processor time (medians).",
    ]
    facts = {
        "command": f"python scripts/bench_throughput.py --data {arguments.data.name} --turns {arguments.turns}"
        f" --rounds {arguments.rounds}",
        **machine(),
    }
    write_result(RESULTS / "bench_throughput.md", facts, lines, result)


if __name__ == "__main__":
    main()
