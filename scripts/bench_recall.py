"""Share of the gold turns among the chosen ones, on LoCoMo conversations, with baselines in the same run.

    python scripts/bench_recall.py --data locomo_dev.json

One memory per conversation; questions of the categories 1 to 4 (5 has no answer); 16 turns for everybody.
The baselines see the same turns: `dense` takes the nearest vectors of "speaker: text", `bm25` the best by
words (stemmed, names included), `rrf` both by reciprocal-rank fusion. The figures of localmem on these
conversations are figures of tuning: its few weights were chosen on them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import machine, sha256

from localmem import models
from localmem.memory import Memory
from localmem.recall.query import words
from localmem.settings import settings
from localmem.store import Store
from localmem.transcripts import Conversation, Event, Format, read

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
RRF = 60


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a LoCoMo file")
    parser.add_argument("--budget", type=int, default=16)
    parser.add_argument("--hops", type=int, default=2)
    parser.add_argument("--conversations", nargs="*", help="sample ids; all when not given")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "recall.md")
    arguments = parser.parse_args()
    if not arguments.data.exists():
        sys.exit(f"{arguments.data} is not there: give a LoCoMo file with --data")
    questions = {
        sample["sample_id"]: sample["qa"] for sample in json.loads(arguments.data.read_text("utf-8"))
    }
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, events in conversations(arguments.data):
            if not arguments.conversations or name in arguments.conversations:
                rows += run(name, events, questions[name], Path(folder), arguments)
                print(
                    f"{name}: {sum(row['conversation'] == name for row in rows)} questions", file=sys.stderr
                )
    report(rows, arguments)


def conversations(data: Path) -> Iterable[tuple[str, list[Event]]]:
    """Events of each conversation of the file, by name."""
    groups: dict[str, list[Event]] = {}
    current: list[Event] = []
    for event in read(data, format=Format.LOCOMO):
        if isinstance(event, Conversation):
            current = groups.setdefault(event.name, [])
        current.append(event)
    return groups.items()


def run(
    name: str,
    events: list[Event],
    questions: list[dict[str, Any]],
    folder: Path,
    arguments: argparse.Namespace,
) -> list[dict[str, Any]]:
    """A row for each question that has gold turns."""
    from localmem.recall.ingest import Ingest

    path = folder / f"{name}.db"
    with Memory.open(path) as memory:
        embedder = memory.embedder
        with Store.open(path) as store:
            Ingest(store, embedder).file(name, lambda: iter(events))
            ids, vectors = store.all_vectors()
            source_of = {turn.id: turn.turn.source for turn in store.turns(ids.tolist())}
            rows = []
            for question in questions:
                gold = set(re.findall(r"D\d+:\d+", " ".join(question["evidence"]))) & set(source_of.values())
                if question["category"] not in CATEGORIES or not gold:
                    continue
                text = question["question"]
                dense = ids[np.argsort(-(vectors @ embedder.encode([text])[0]), kind="stable")].tolist()
                bm25 = [id for id, _ in store.search_words(words(text), len(ids))]
                fused: defaultdict[int, float] = defaultdict(float)
                for ranking in (dense, bm25):
                    for rank, id in enumerate(ranking):
                        fused[id] += 1 / (RRF + rank + 1)
                rrf = sorted(fused, key=lambda id: (-fused[id], id))
                started = time.perf_counter()
                workspace = memory.search(text, budget=arguments.budget, hops=arguments.hops)
                seconds = time.perf_counter() - started
                chosen = {
                    "dense": [source_of[id] for id in dense[: arguments.budget]],
                    "bm25": [source_of[id] for id in bm25[: arguments.budget]],
                    "rrf": [source_of[id] for id in rrf[: arguments.budget]],
                    "localmem": [unit.turn.source for unit in workspace.units],
                }
                rows.append(
                    {
                        "conversation": name,
                        "category": question["category"],
                        "candidates": workspace.candidates,
                        "units": len(workspace.units),
                        "threads": len(workspace.threads),
                        "seconds": seconds,
                        **{system: len(gold & set(found)) / len(gold) for system, found in chosen.items()},
                    }
                )
    return rows


def report(rows: list[dict[str, Any]], arguments: argparse.Namespace) -> None:
    """The table, to standard output and into the results; the last line is JSON."""
    systems = ("dense", "bm25", "rrf", "localmem")

    def mean(system: str, chosen: list[dict[str, Any]]) -> float:
        return float(np.mean([row[system] for row in chosen])) if chosen else float("nan")

    groups = {"all": rows}
    groups |= {label: [row for row in rows if row["category"] == c] for c, label in CATEGORIES.items()}
    names = list(dict.fromkeys(row["conversation"] for row in rows))
    groups |= {name: [row for row in rows if row["conversation"] == name] for name in names}
    lines = ["| | questions | " + " | ".join(systems) + " |", "|---|---|" + "---|" * len(systems)]
    for label, chosen in groups.items():
        figures = " | ".join(f"{mean(system, chosen):.3f}" for system in systems)
        lines.append(f"| {label} | {len(chosen)} | {figures} |")
    p50, p95 = np.percentile([row["seconds"] * 1000 for row in rows], [50, 95])
    backend = "sentence-transformers" if settings().embedder_backend == "sentence-transformers" else "onnx"
    embedder = models.locate(settings().embedder)
    weights = embedder.folder / ("model.onnx" if backend == "onnx" else "model.safetensors")
    summary = {
        "budget": arguments.budget,
        "hops": arguments.hops,
        "questions": len(rows),
        **{system: round(mean(system, rows), 4) for system in systems},
        "candidates": round(float(np.mean([row["candidates"] for row in rows])), 1),
        "units": round(float(np.mean([row["units"] for row in rows])), 2),
        "threads": round(float(np.mean([row["threads"] for row in rows])), 2),
        "search_ms_p50": round(float(p50), 1),
        "search_ms_p95": round(float(p95), 1),
        "embedder": embedder.id,
        "backend": backend,
        "embedder_sha256": sha256(weights),
        **machine(),
    }
    options = f"--budget {arguments.budget} --hops {arguments.hops}"
    if arguments.conversations:
        options += f" --conversations {' '.join(arguments.conversations)}"
    text = "\n".join(
        [
            "# Share of gold turns in the workspace",
            "",
            f"`python scripts/bench_recall.py --data {arguments.data.name} {options}`, {summary['date']},",
            f"embedder {embedder.id} through {backend} ({weights.name}, SHA-256",
            f"{summary['embedder_sha256']}).",
            "Mean over questions; the weights of localmem were chosen by hand on these conversations.",
            "",
            *lines,
            "",
            f"localmem: {summary['candidates']} candidates, {summary['units']} units from {summary['threads']} threads;"
            f" search p50 {summary['search_ms_p50']} ms, p95 {summary['search_ms_p95']} ms.",
            "",
        ]
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(text, encoding="utf-8")
    print(text)
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
