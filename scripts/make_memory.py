"""Makes a large memory out of nothing, and measures search, memory, opening and adding in it.

    python scripts/make_memory.py make big.db --turns 1000000 --threads 100000
    python scripts/make_memory.py measure big.db [--queries 200] [--out scripts/results/large.txt]
    python scripts/make_memory.py words big.db [--queries 200] [--out scripts/results/large-words.txt]

Talk about a few thousand topics of three words each: a turn has some words of its topic among words drawn as in
English (Zipf) and words that all talk is full of, and a vector near that of the topic's words by the real embedder, so
that a question finds turns by meaning and by words. Every other question has such words of all talk as well: each of
them is in a twentieth of the turns. Nobody's texts are in it. `words` measures the search by words alone. The last line of both is JSON.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import machine, write_result

from localmem.bench.recall import embedder
from localmem.memory import Memory
from localmem.recall.ingest import Ingest
from localmem.recall.query import parse
from localmem.recall.related import table
from localmem.store import NewThread, NewTurn, Store
from localmem.transcripts import Conversation
from localmem.values import Turn

TOPICS = 3000
TURNS_A_TRANSCRIPT = 10_000
SPEAKERS = ("Ann", "Bob", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hal")
TALK = ("like", "go", "time", "think", "know", "good", "day", "really", "see", "love")
"""Words of all talk: every other turn has one of them."""
BEGIN = datetime(2015, 1, 1)
NEAREST = 300
"""Turns that a search takes from the index."""
NEAR = 0.8
"""Share of the topic in a turn's vector; turns of one thread have a cosine of about 0.5 then."""


def topics(seed: int = 0) -> list[tuple[str, str, str]]:
    chance = np.random.default_rng(seed)
    words = [word for word in table()[0] if not word.startswith("##") and len(word) > 3]
    return [tuple(words[place] for place in chance.integers(300, 12_000, 3)) for _ in range(TOPICS)]  # type: ignore[misc]


def make(path: Path, turns: int, threads: int, seed: int = 0) -> None:
    chance = np.random.default_rng(seed)
    subjects = topics()
    with embedder() as encoder:
        vectors = encoder.encode([" ".join(words) for words in subjects])
        id = encoder.id
    words = np.array([word for word in table()[0] if not word.startswith("##") and len(word) > 1])
    weight = 1.0 / (np.arange(len(words)) + 10.0)
    weight /= weight.sum()
    each = max(1, turns // threads)
    begun = time.perf_counter()
    with Store.open(path) as store:
        store.bind_embedder(id, vectors.shape[1])
        for start in range(0, turns, TURNS_A_TRANSCRIPT):
            count = min(TURNS_A_TRANSCRIPT, turns - start)
            number = start // TURNS_A_TRANSCRIPT
            subject = np.repeat(chance.integers(0, TOPICS, -(-count // each)), each)[:count]
            near = NEAR * vectors[subject]
            far = chance.standard_normal((count, vectors.shape[1])).astype(np.float32)
            rows = near + np.sqrt(1 - NEAR**2) * far / np.sqrt(vectors.shape[1])
            rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
            drawn = chance.choice(len(words), (count, 14), p=weight)
            said = []
            for place in range(count):
                own = list(words[drawn[place, : 6 + place % 9]])
                own += subjects[subject[place]][place % 3 : place % 3 + 2]
                if place % 2:
                    own.append(TALK[int(chance.integers(len(TALK)))])
                chance.shuffle(own)
                at = BEGIN + timedelta(minutes=7 * (start + place) // 10)
                said.append(Turn(SPEAKERS[(number + place % 2) % 8], " ".join(own), at, f"line {place + 1}"))
            with store.transaction():
                transcript = store.add_transcript(f"talk {number}", "plain", f"talk-{number}.txt")
                store.add_turns(
                    transcript,
                    [NewTurn(chance.bytes(16), one, row) for one, row in zip(said, rows, strict=True)],
                    after=None,
                )
                cuts = []
                for first in range(0, count, each):
                    last = min(first + each, count) - 1
                    centre = rows[first : last + 1].sum(axis=0)
                    cuts.append(
                        NewThread(
                            first,
                            last,
                            f"{said[first].speaker}: {said[first].text}",
                            centre / np.linalg.norm(centre),
                            "fast",
                        )
                    )
                store.replace_threads(transcript, 0, cuts)
            print(
                f"{start + count:,} turns, {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True
            )


OPEN = """
import sys, time
begun = time.perf_counter()
from pathlib import Path
from localmem.memory import Memory
with Memory.open(Path(sys.argv[1]), create=False) as memory:
    memory._recall._index("turns"), memory._recall._index("threads")
    print(time.perf_counter() - begun)
"""


def questions(count: int) -> list[str]:
    """Every other one has words that all talk is full of."""
    return [
        f"What did Ann say about {words[0]} and {words[1]}?"
        if place % 2
        else f"What would Ann really like to do with {words[0]}, and when does she think it is time to go?"
        for place, words in enumerate(topics()[:count])
    ]


def measure_words(path: Path, queries: int, out: Path | None) -> None:
    times: list[float] = []
    with Store.open(path, create=False) as store:
        speakers = store.speakers()
        for question in questions(queries):
            asked = parse(question, np.zeros(1, dtype=np.float32), speakers).words
            busy = time.process_time()
            for index in ("turn", "window"):
                store.search_words(asked, NEAREST, index=index)  # type: ignore[arg-type]
            times.append(1000 * (time.process_time() - busy))
        turns, threads = store.number_of("turn"), store.number_of("thread")
    kinds = {"plain": times[1::2], "common_words": times[::2]}
    result = {"bench": "words of a large memory", "turns": turns, "threads": threads, "queries": queries} | {
        f"{kind}_processor_ms_p{share}": round(float(np.percentile(values, share)), 1)
        for kind, values in kinds.items()
        for share in (50, 95)
    }
    _report(f"words big.db --queries {queries}", result, out)


def _report(command: str, result: dict[str, Any], out: Path | None) -> None:
    lines = [f"{name}: {value}" for name, value in result.items()]
    if out is None:
        print("\n".join(lines))
        print(json.dumps(result | machine()))
    else:
        write_result(out, {"command": f"python scripts/make_memory.py {command}", **machine()}, lines, result)


def measure(path: Path, queries: int, out: Path | None) -> None:
    asked = questions(queries)
    found: dict[str, float] = {}
    with Memory.open(path, create=False) as memory:
        begun = time.perf_counter()
        memory.search(asked[0])
        found["first_search_s"] = round(time.perf_counter() - begun, 2)
        stages: dict[str, list[float]] = {}
        times, used = [], []
        for question in asked:
            begun, busy = time.perf_counter(), time.process_time()
            workspace = memory.search(question)
            times.append(1000 * (time.perf_counter() - begun))
            used.append(1000 * (time.process_time() - busy))
            for stage, seconds in workspace.seconds.items():
                stages.setdefault(stage, []).append(1000 * seconds)
        found |= {
            "search_ms_p50": round(float(np.percentile(times, 50)), 1),
            "search_ms_p95": round(float(np.percentile(times, 95)), 1),
            "search_processor_ms_p95": round(float(np.percentile(used, 95)), 1),
        }
        found |= {
            f"{stage}_ms_p95": round(float(np.percentile(values, 95)), 1) for stage, values in stages.items()
        }
        found["search_plain_ms_p95"] = round(float(np.percentile(times[1::2], 95)), 1)
        found["search_common_words_ms_p95"] = round(float(np.percentile(times[::2], 95)), 1)
        found["peak_resident_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        status = Path("/proc/self/status")
        if status.exists():
            line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
            found["resident_mb"] = round(int(line.split()[1]) / 1024)
        found |= _agreement(memory, asked)
        found |= _adding(memory, asked)
        stats = memory.stats()
    fresh = subprocess.run(
        [sys.executable, "-c", OPEN, str(path)], capture_output=True, text=True, check=True
    )
    found["open_fresh_process_s"] = round(float(fresh.stdout), 2)
    result = {
        "bench": "large memory",
        "turns": stats.turns,
        "threads": stats.threads,
        "mb": round(stats.bytes / 1e6),
        **found,
    }
    _report(f"measure big.db --queries {queries}", result, out)


def _agreement(memory: Memory, asked: list[str]) -> dict[str, float]:
    """Share of the exact nearest 300 turns that the index finds, over questions."""
    near = memory.embedder.encode(asked[:40])
    ids, _ = memory._recall._index("turns").search(near, NEAREST)
    exact_ids = np.zeros((len(near), 0), dtype=np.int64)
    scores = np.zeros((len(near), 0), dtype=np.float32)
    last = -1
    while True:
        part, vectors = memory._store.vectors_after(last, 50_000)
        if not len(part):
            break
        last = int(part[-1])
        scores = np.concatenate([scores, near @ vectors.T], axis=1)
        exact_ids = np.concatenate([exact_ids, np.broadcast_to(part, (len(near), len(part)))], axis=1)
        best = np.argpartition(-scores, NEAREST, axis=1)[:, :NEAREST]
        scores = np.take_along_axis(scores, best, axis=1)
        exact_ids = np.take_along_axis(exact_ids, best, axis=1)
    shares = [
        len(set(exact) & set(row)) / len(exact)
        for exact, row in zip(exact_ids.tolist(), ids.tolist(), strict=True)
    ]
    return {"index_recall": round(float(np.mean(shares)), 4)}


def _adding(memory: Memory, asked: list[str]) -> dict[str, float]:
    """Time of adding a turn to the last transcript, as a chat does, and of the search after it."""
    added, searched = [], []
    at = datetime.now().replace(microsecond=0)
    said: list[Turn] = []
    for number in range(12):
        said.append(Turn("Ann", f"Note {number} of {at}: {asked[2 * number + 1][19:]}", at, f"line {number}"))
        events = [Conversation("notes", "plain"), *said]
        begun = time.perf_counter()
        Ingest(memory._store, memory.embedder).file("notes.txt", lambda events=events: iter(events))  # type: ignore[misc]
        added.append(1000 * (time.perf_counter() - begun))
        begun = time.perf_counter()
        memory.search(asked[number + 20])
        searched.append(1000 * (time.perf_counter() - begun))
    return {
        "add_turn_ms_p50": round(float(np.percentile(added, 50)), 1),
        "add_turn_ms_max": round(max(added), 1),
        "search_after_adding_ms_p50": round(float(np.percentile(searched, 50)), 1),
        "search_after_adding_ms_max": round(max(searched), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("make", "measure", "words"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--out", type=Path, help="keep the figures there")
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.path, arguments.turns, arguments.threads)
    elif arguments.what == "words":
        measure_words(arguments.path, arguments.queries, arguments.out)
    else:
        measure(arguments.path, arguments.queries, arguments.out)


if __name__ == "__main__":
    main()
