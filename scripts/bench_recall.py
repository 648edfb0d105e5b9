"""Share of gold turns among 16 units, against dense, BM25 and fusion at the same budget, on LoCoMo or a sample.

    python scripts/bench_recall.py --data locomo_dev.json [--conversations conv-26 ...] [--ablate] [--hops 2]
    python scripts/bench_recall.py --data samples/two-friends.questions.json --out scripts/results/recall-sample.md

What `localmem bench recall` measures, kept in a file with the command and the machine; the last line is JSON.
Conversations that the weights were fitted on are marked.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bench_common import machine, sha256

from localmem import models
from localmem.bench import questions, recall, recall_tables
from localmem.recall.weights import FITTED_ON
from localmem.settings import settings


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="a LoCoMo file, or questions on a transcript"
    )
    parser.add_argument("--budget", type=int, default=16)
    parser.add_argument("--hops", type=int, default=2)
    parser.add_argument("--conversations", nargs="*", default=[], help="sample ids; all when not given")
    parser.add_argument("--ablate", action="store_true", help="take away one part at a time as well")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "recall.md")
    arguments = parser.parse_args()
    if not arguments.data.exists():
        sys.exit(f"{arguments.data} is not there: give a LoCoMo file with --data")
    plan = recall.Plan(arguments.budget, arguments.hops, arguments.ablate, FITTED_ON)
    with recall.embedder() as embedder:
        results = recall.run(
            questions.load(arguments.data, arguments.conversations),
            embedder,
            plan,
            on_talk=lambda name, count: print(f"{name}: {count} questions", file=sys.stderr),
        )
    backend = "sentence-transformers" if settings().embedder_backend == "sentence-transformers" else "onnx"
    local = models.locate(settings().embedder)
    weights = local.folder / ("model.onnx" if backend == "onnx" else "model.safetensors")
    summary = recall_tables.figures(results, plan) | {
        "embedder": local.id,
        "backend": backend,
        "embedder_sha256": sha256(weights),
        **machine(),
    }
    flags = f"--budget {plan.budget} --hops {plan.hops}" + " --ablate" * plan.ablate
    if arguments.conversations:
        flags += f" --conversations {' '.join(arguments.conversations)}"
    text = "\n".join(
        [
            "# Share of gold turns in the workspace",
            "",
            f"`python scripts/bench_recall.py --data {arguments.data.name} {flags}`, {summary['date']},",
            f"embedder {local.id} through {backend} ({weights.name}, SHA-256",
            f"{summary['embedder_sha256']}).",
            f"Mean over questions; the weights were fitted on {', '.join(FITTED_ON)} (scripts/fit_weights.py).",
            "",
            *recall_tables.tables(results, plan),
            "",
            recall_tables.sentence(summary),
            "",
        ]
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(text, encoding="utf-8")
    print(text)
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
