"""Share of the gold turns among the chosen ones, with baselines in the same run.

    python scripts/bench_recall.py --data locomo_dev.json --ablate
    python scripts/bench_recall.py --data samples/two-friends.questions.json

One memory per conversation; questions without gold turns, and LoCoMo's category 5, are left out; 16 turns for
everybody. The baselines see the same turns: `dense` takes the nearest vectors of "speaker: text", `bm25` the
best by words (stemmed, names included), `rrf` both by reciprocal-rank fusion; a second row gives them as many
tokens as localmem's turns have. Conversations that the weights were fitted on are marked.

`--ablate` takes one part away at a time. K = identity makes the choice the 16 of most priority, so it is the
ablation "no coverage" too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench_common import machine, sha256

from localmem import models
from localmem.embed.protocol import Embedder
from localmem.memory import Memory
from localmem.recall.ingest import Ingest
from localmem.recall.neighbourhood import Limits
from localmem.recall.pipeline import Recall
from localmem.recall.query import words
from localmem.recall.threads import head
from localmem.recall.weights import FITTED_ON
from localmem.recall.workspace import Options, tokens
from localmem.select import Budget, Mix
from localmem.settings import settings
from localmem.store import NewThread, Store
from localmem.transcripts import Conversation, Event, Format, read

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
BASELINES = ("dense", "bm25", "rrf")
SEGMENT = 7
"""Turns of a fixed segment: about as many as a thread has."""
ABLATIONS = (
    "one thread only",
    "fixed segments",
    "seeds only",
    "no spreading",
    "no roles",
    "K = identity",
)
RRF = 60


@dataclass(frozen=True)
class Question:
    """A question, its kind, and the sources of the turns that answer it."""

    text: str
    kind: str
    gold: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="a LoCoMo file, or questions on a transcript"
    )
    parser.add_argument("--budget", type=int, default=16)
    parser.add_argument("--hops", type=int, default=2)
    parser.add_argument("--conversations", nargs="*", help="sample ids; all when not given")
    parser.add_argument("--ablate", action="store_true", help="take away one part at a time as well")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "recall.md")
    arguments = parser.parse_args()
    if not arguments.data.exists():
        sys.exit(f"{arguments.data} is not there: give a LoCoMo file with --data")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, events, questions in load(arguments.data):
            if not arguments.conversations or name in arguments.conversations:
                found = run(name, events, questions, Path(folder), arguments)
                print(f"{name}: {len(found)} questions", file=sys.stderr)
                rows += found
    report(rows, arguments)


def load(data: Path) -> Iterable[tuple[str, list[Event], list[Question]]]:
    """Name, events and questions of each conversation."""
    content = json.loads(data.read_text("utf-8"))
    if isinstance(content, dict):
        questions = [Question(q["question"], q["kind"], frozenset(q["gold"])) for q in content["questions"]]
        yield content["transcript"], list(read(data.parent / content["transcript"])), questions
        return
    samples = {sample["sample_id"]: sample["qa"] for sample in content}
    for name, events in conversations(data):
        yield (
            name,
            events,
            [
                Question(
                    qa["question"],
                    CATEGORIES[qa["category"]],
                    frozenset(re.findall(r"D\d+:\d+", " ".join(qa["evidence"]))),
                )
                for qa in samples[name]
                if qa["category"] in CATEGORIES
            ],
        )


def conversations(data: Path) -> Iterable[tuple[str, list[Event]]]:
    """Events of each conversation of a LoCoMo file, by name."""
    groups: dict[str, list[Event]] = {}
    current: list[Event] = []
    for event in read(data, format=Format.LOCOMO):
        if isinstance(event, Conversation):
            current = groups.setdefault(event.name, [])
        current.append(event)
    return groups.items()


def run(
    name: str, events: list[Event], questions: list[Question], folder: Path, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """A row for each question that has gold turns."""
    path = folder / f"{name}.db"
    budget = Budget(units=arguments.budget)
    with Memory.open(path) as memory, Store.open(path) as store:
        embedder = memory.embedder
        Ingest(store, embedder).file(name, lambda: iter(events))
        recall = Recall(store, lambda: embedder)
        ids, vectors = store.all_vectors()
        turn_of = {turn.id: turn.turn for turn in store.turns(ids.tolist())}
        sources = frozenset(turn.source for turn in turn_of.values())
        asked = [
            Question(question.text, question.kind, question.gold & sources)
            for question in questions
            if question.gold & sources
        ]
        rows = []
        for question in asked:
            gold, text = question.gold, question.text

            def share(found: Iterable[str], gold: frozenset[str] = gold) -> float:
                return len(gold & set(found)) / len(gold)

            started = time.perf_counter()
            workspace = recall.search(text, options=Options(budget), limits=Limits(hops=arguments.hops))
            seconds = time.perf_counter() - started
            _, scored = recall.candidates(text, limits=Limits(hops=arguments.hops))
            used = sum(tokens(unit.turn.text) for unit in workspace.units)
            row = {
                "conversation": name,
                "kind": question.kind,
                "localmem": share(unit.turn.source for unit in workspace.units),
                "candidates": workspace.candidates,
                "candidate recall": share(stored.turn.source for stored in scored.pool.turns),
                "units": len(workspace.units),
                "threads": len(workspace.threads),
                "tokens": used,
                "seconds": seconds,
            }
            for system, ranking in rankings(text, embedder, store, ids, vectors).items():
                row[system] = share(turn_of[id].source for id in ranking[: arguments.budget])
                costs = np.cumsum([tokens(turn_of[id].text) for id in ranking])
                fitting = ranking[: int(np.searchsorted(costs, used, side="right"))]
                row[f"{system}, tokens"] = share(turn_of[id].source for id in fitting)
            rows.append(row)
        if arguments.ablate:
            for ablation in ABLATIONS:
                options, limits = without(ablation, budget, arguments.hops)
                if ablation == "fixed segments":
                    continue
                for row, question in zip(rows, asked, strict=True):
                    row[ablation] = found(recall, question, options, limits)
            cut_evenly(store)
            for row, question in zip(rows, asked, strict=True):
                options, limits = without("", budget, arguments.hops)
                row["fixed segments"] = found(recall, question, options, limits)
    return rows


def found(recall: Recall, question: Question, options: Options, limits: Limits) -> float:
    """Share of the gold turns in the workspace."""
    units = recall.search(question.text, options=options, limits=limits).units
    return len(question.gold & {unit.turn.source for unit in units}) / len(question.gold)


def without(part: str, budget: Budget, hops: int) -> tuple[Options, Limits]:
    """What `search` takes when one part is taken away."""
    limits = {
        "one thread only": Limits(found=1, hops=0),
        "seeds only": Limits(found=Limits().seeds, hops=0),
        "no spreading": Limits(hops=0),
    }
    options = {
        "no roles": Options(budget, roles=False),
        "K = identity": Options(budget, mix=Mix(identity=True)),
    }
    return options.get(part, Options(budget)), limits.get(part, Limits(hops=hops))


def cut_evenly(store: Store) -> None:
    """Replace the threads of a memory by segments of the same length."""
    for transcript in store.transcripts():
        stored = store.turns_between(transcript.id, 0, transcript.turns - 1)
        vectors = store.vectors([turn.id for turn in stored])
        threads = []
        for first in range(0, len(stored), SEGMENT):
            part = vectors[first : first + SEGMENT]
            centre = part.sum(axis=0) / np.linalg.norm(part.sum(axis=0))
            turns = [turn.turn for turn in stored[first : first + SEGMENT]]
            last = first + len(turns) - 1
            threads.append(NewThread(first, last, head(turns, part @ centre), centre, "fast"))
        store.replace_threads(transcript.id, 0, threads)


def rankings(
    text: str, embedder: Embedder, store: Store, ids: np.ndarray, vectors: np.ndarray
) -> dict[str, list[int]]:
    """Turn ids, best first, of each baseline."""
    dense = ids[np.argsort(-(vectors @ embedder.encode([text])[0]), kind="stable")].tolist()
    bm25 = [id for id, _ in store.search_words(words(text), len(ids))]
    fused: defaultdict[int, float] = defaultdict(float)
    for ranking in (dense, bm25):
        for rank, id in enumerate(ranking):
            fused[id] += 1 / (RRF + rank + 1)
    return {"dense": dense, "bm25": bm25, "rrf": sorted(fused, key=lambda id: (-fused[id], id))}


def mean(column: str, rows: Sequence[dict[str, Any]]) -> float:
    """Mean over rows."""
    return float(np.mean([row[column] for row in rows])) if rows else float("nan")


def groups(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows by what the tables show, all of them first."""
    out = {"all": rows}
    kinds = [kind for kind in CATEGORIES.values() if any(row["kind"] == kind for row in rows)]
    kinds = kinds or list(dict.fromkeys(row["kind"] for row in rows))
    names = list(dict.fromkeys(row["conversation"] for row in rows))
    sides = {
        "fitted on": [row for row in rows if row["conversation"] in FITTED_ON],
        "held out": [row for row in rows if row["conversation"] not in FITTED_ON],
    }
    if all(sides.values()):
        for side, chosen in sides.items():
            out[side] = chosen
            out |= {f"{side}: {kind}": [row for row in chosen if row["kind"] == kind] for kind in kinds}
    else:
        out |= {kind: [row for row in rows if row["kind"] == kind] for kind in kinds}
    for name in names if len(names) > 1 else ():
        mark = " (fitted on)" if name in FITTED_ON else ""
        out[name + mark] = [row for row in rows if row["conversation"] == name]
    return out


def table(first: str, columns: Sequence[str], lines: dict[str, list[str]]) -> list[str]:
    """A table in Markdown."""
    out = [f"| {first} | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    return out + [f"| {label} | " + " | ".join(cells) + " |" for label, cells in lines.items()]


def report(rows: list[dict[str, Any]], arguments: argparse.Namespace) -> None:
    """The tables, to standard output and into the results; the last line is JSON."""
    systems = (*BASELINES, "localmem")
    lines = {}
    for label, chosen in groups(rows).items():
        cells = [f"{mean(system, chosen):.3f}" for system in systems]
        lines[label] = [str(len(chosen)), *cells, f"{mean('candidate recall', chosen):.3f}"]
        if label == "all":
            same = [f"{mean(f'{system}, tokens', chosen):.3f}" for system in BASELINES]
            lines["all, as many tokens"] = [str(len(chosen)), *same, cells[-1], ""]
    tables = table("", ["questions", *systems, "candidate recall"], lines)
    if arguments.ablate:
        sides = {label: c for label, c in groups(rows).items() if label in ("all", "fitted on", "held out")}
        lines = {"whole": [f"{mean('localmem', chosen):.3f}" for chosen in sides.values()]}
        for ablation in ABLATIONS:
            lines[ablation] = [f"{mean(ablation, chosen):.3f}" for chosen in sides.values()]
        tables += ["", *table("without", list(sides), lines)]
    p50, p95 = np.percentile([row["seconds"] * 1000 for row in rows], [50, 95])
    backend = "sentence-transformers" if settings().embedder_backend == "sentence-transformers" else "onnx"
    embedder = models.locate(settings().embedder)
    weights = embedder.folder / ("model.onnx" if backend == "onnx" else "model.safetensors")
    summary = {
        "budget": arguments.budget,
        "hops": arguments.hops,
        "questions": len(rows),
        **{system: round(mean(system, rows), 4) for system in systems},
        **{
            side: round(mean("localmem", chosen), 4)
            for side, chosen in groups(rows).items()
            if side in ("fitted on", "held out")
        },
        "candidates": round(mean("candidates", rows), 1),
        "candidate_recall": round(mean("candidate recall", rows), 4),
        "units": round(mean("units", rows), 2),
        "threads": round(mean("threads", rows), 2),
        "units_per_thread": round(mean("units", rows) / mean("threads", rows), 2),
        "tokens": round(mean("tokens", rows)),
        "search_ms_p50": round(float(p50), 1),
        "search_ms_p95": round(float(p95), 1),
        "embedder": embedder.id,
        "backend": backend,
        "embedder_sha256": sha256(weights),
        **machine(),
    }
    flags = f"--budget {arguments.budget} --hops {arguments.hops}" + " --ablate" * arguments.ablate
    if arguments.conversations:
        flags += f" --conversations {' '.join(arguments.conversations)}"
    text = "\n".join(
        [
            "# Share of gold turns in the workspace",
            "",
            f"`python scripts/bench_recall.py --data {arguments.data.name} {flags}`, {summary['date']},",
            f"embedder {embedder.id} through {backend} ({weights.name}, SHA-256",
            f"{summary['embedder_sha256']}).",
            f"Mean over questions; the weights were fitted on {', '.join(FITTED_ON)} (scripts/fit_weights.py).",
            "",
            *tables,
            "",
            f"localmem: {summary['candidates']} candidates, {summary['units']} units of {summary['tokens']} tokens"
            f" (a rough count) from {summary['threads']} threads, {summary['units_per_thread']} a thread;"
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
