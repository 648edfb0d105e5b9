"""Answers about the sample conversation, by kind of question: right, in part, wrong, or "not in memory".

    python scripts/bench_answers.py [--budget 16] [--model qwen2.5-coder-1.5b]

The expected facts stand in `samples/two-friends.questions.json`: an answer is right if it has one form of each
of them, in part if it has some, and for questions without an answer if it says so. It has been looked at
while the prompts were written, so these are figures of tuning.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from bench_common import machine, sha256, write_result

from localmem import models, resources
from localmem.memory import Memory
from localmem.settings import settings
from localmem.values import Answer

VERDICTS = ("right", "part", "wrong", "not in memory")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budget", type=int, default=16)
    parser.add_argument("--model", default=settings().model)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    sample = json.loads(resources.text("samples", "two-friends.questions.json"))
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "sample.db", model=arguments.model) as memory,
    ):
        memory.ingest(resources.path("samples", sample["transcript"]))
        for question in sample["questions"]:
            answer = memory.ask(question["question"], budget=arguments.budget)
            verdict = judge(question, answer)
            counts[question["kind"]][verdict] += 1
            totals["seconds"] += answer.seconds
            totals["prompt tokens"] += answer.usage.prompt_tokens
            totals["evaluated tokens"] += answer.usage.evaluated_tokens
            totals["calls"] += answer.usage.calls
            sources = {citation.stored.turn.source for citation in answer.citations}
            totals["cited gold"] += bool(sources & set(question["gold"]))
            print(f"{verdict:14} {question['question']} | {answer.text}", file=sys.stderr, flush=True)
    report(counts, totals, arguments)


def judge(question: dict[str, Any], answer: Answer) -> str:
    """One of `VERDICTS`."""
    if not answer.found:
        return "right" if question["kind"] == "unknown" else "not in memory"
    said = answer.text.lower()
    had = [any(form.lower() in said for form in forms) for forms in question["expected"]]
    return "wrong" if not any(had) else "right" if all(had) else "part"


def report(counts: dict[str, Counter[str]], totals: Counter[str], arguments: argparse.Namespace) -> None:
    number = sum(sum(kind.values()) for kind in counts.values())
    lines = ["| kind | " + " | ".join(VERDICTS) + " |", "|---|" + "---|" * len(VERDICTS)]
    everything: Counter[str] = sum(counts.values(), Counter())
    for kind, verdicts in [*counts.items(), ("all", everything)]:
        lines.append(f"| {kind} | " + " | ".join(str(verdicts[verdict]) for verdict in VERDICTS) + " |")
    lines += ["", *(f"{name}: {value / number:.2f} a question" for name, value in totals.items())]
    model = models.locate(arguments.model)
    facts = {
        "command": f"python scripts/bench_answers.py --budget {arguments.budget} --model {arguments.model}",
        "model_sha256": sha256(model.path),
        **machine(),
    }
    result = {"bench": "answers", "budget": arguments.budget, "questions": number, **everything}
    out = arguments.out or Path(__file__).parent / "results" / f"answers-{model.id}-{arguments.budget}.txt"
    write_result(
        out, facts, lines, {**result, **{name: round(value / number, 3) for name, value in totals.items()}}
    )


if __name__ == "__main__":
    main()
