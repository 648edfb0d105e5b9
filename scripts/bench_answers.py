"""Answers about a conversation, by kind of question: right, in part, wrong, or "not in memory".

    python scripts/bench_answers.py [--questions FILE] [--budget 16] [--model qwen2.5-coder-1.5b]

The expected facts stand in the file of questions, `samples/two-friends.questions.json` by default: an answer is right if
it has one form of each of them, in part if it has some, and for questions without an answer if it says so. A value that is
given as "former" may stand in an answer only if it is named as such. `scripts/cases/answers/changes.questions.json` asks
for what has changed. Both have been looked at while the prompts were written, so these are figures of tuning.
"""

from __future__ import annotations

import argparse
import json
import re
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

FORMER = re.compile(r"\b(?:former\w*|before|was|were|old|until|previous\w*|earlier|at first|no longer)\b")
VERDICTS = ("right", "part", "wrong", "not in memory")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--questions", type=Path, default=resources.path("samples", "two-friends.questions.json")
    )
    parser.add_argument("--budget", type=int, default=16)
    parser.add_argument("--model", default=settings().model)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    sample = json.loads(arguments.questions.read_text("utf-8"))
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "sample.db", model=arguments.model) as memory,
    ):
        memory.ingest(arguments.questions.parent / sample["transcript"])
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
            totals["former named"] += bool(named_former(question, answer.text))
            totals["unsupported"] += not answer.supported
            print(f"{verdict:14} {question['question']} | {answer.text}", file=sys.stderr, flush=True)
    report(counts, totals, arguments)


def judge(question: dict[str, Any], answer: Answer) -> str:
    """One of `VERDICTS`."""
    if not answer.found:
        return "right" if question["kind"] == "unknown" else "not in memory"
    said = answer.text.lower()
    if any(form.lower() in said for form in question.get("former", ())) and not named_former(question, said):
        return "wrong"
    had = [any(form.lower() in said for form in forms) for forms in question["expected"]]
    return "wrong" if not any(had) else "right" if all(had) else "part"


def named_former(question: dict[str, Any], said: str) -> bool:
    """Whether an answer has a former value, and names it as such."""
    said = said.lower()
    return FORMER.search(said) is not None and any(
        form.lower() in said for form in question.get("former", ())
    )


def report(counts: dict[str, Counter[str]], totals: Counter[str], arguments: argparse.Namespace) -> None:
    number = sum(sum(kind.values()) for kind in counts.values())
    lines = ["| kind | " + " | ".join(VERDICTS) + " |", "|---|" + "---|" * len(VERDICTS)]
    everything: Counter[str] = sum(counts.values(), Counter())
    for kind, verdicts in [*counts.items(), ("all", everything)]:
        lines.append(f"| {kind} | " + " | ".join(str(verdicts[verdict]) for verdict in VERDICTS) + " |")
    lines += ["", *(f"{name}: {value / number:.2f} a question" for name, value in totals.items())]
    model = models.locate(arguments.model)
    facts = {
        "command": f"python scripts/bench_answers.py --questions {arguments.questions.name}"
        f" --budget {arguments.budget} --model {arguments.model}",
        "model_sha256": sha256(model.path),
        **machine(),
    }
    result = {"bench": "answers", "budget": arguments.budget, "questions": number, **everything}
    about = arguments.questions.name.split(".")[0]
    name = f"answers-{about}-{model.id}-{arguments.budget}.txt"
    out = arguments.out or Path(__file__).parent / "results" / name
    write_result(
        out, facts, lines, {**result, **{name: round(value / number, 3) for name, value in totals.items()}}
    )


if __name__ == "__main__":
    main()
