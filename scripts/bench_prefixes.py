#!/usr/bin/env python3
"""What kept prefixes save: alternating kinds of prompts in one process, and a new process.

    python scripts/bench_prefixes.py MODEL.gguf [--rounds 3] [--fixed 600]

Three kinds of prompts, each with a fixed part of about `--fixed` tokens, take turns. After the first round,
less than 5% of their fixed tokens may be evaluated. Then a new process reads the same prompts, once from the
kept files and once without them; the kept ones must be ready 5 times faster. Ends with one JSON line; table
and line also go to scripts/results/. Exit code 1 when a figure is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench_common import RESULTS, machine, sha256, write_result

from localmem.llm import load
from localmem.llm.protocol import Message, Prompt, Speaker
from localmem.settings import Settings

KINDS = ("answer", "head", "decompose")
SENTENCE = "{kind} rule {number}: name who said it, when it was said and in which turn, and never guess what is not there."
QUESTIONS = (
    "When does the choir meet?",
    "Who moved to Lyon?",
    "What did Ada buy for the trip?",
    "Is Omar still ill?",
)
GRAMMAR = 'root ::= "yes" | "no"'
MOST_EVALUATED = 0.05
LEAST_FASTER = 5.0


def fixed_text(model: Any, kind: str, tokens: int) -> str:
    """About `tokens` tokens of rules, the same in every process."""
    lines: list[str] = []
    while model.count("\n".join(lines)) < tokens:
        lines.append(SENTENCE.format(kind=kind, number=len(lines) + 1))
    return "\n".join(lines)


def prompts(model: Any, tokens: int) -> dict[str, list[Prompt]]:
    rules = {kind: Message(Speaker.SYSTEM, fixed_text(model, kind, tokens)) for kind in KINDS}
    return {
        kind: [Prompt(kind, (rules[kind], Message(Speaker.USER, text)), fixed=1) for text in QUESTIONS]
        for kind in KINDS
    }


def alternate(path: Path, folder: Path, tokens: int, rounds: int) -> dict[str, Any]:
    """Fixed tokens, and how many of them were evaluated, round by round."""
    with load(path, settings=Settings(prefixes_dir=folder)) as model:
        every = prompts(model, tokens)
        fixed = {kind: model.count_fixed(every[kind][0]) for kind in KINDS}
        evaluated, seconds = [], []
        for turn in range(rounds):
            began = time.perf_counter()
            read = 0
            for kind in KINDS:
                prompt = every[kind][turn % len(QUESTIONS)]
                usage = model.generate(prompt, max_tokens=5, grammar=GRAMMAR).usage
                # What the fixed part cannot explain was evaluated for the question.
                question = usage.prompt_tokens - fixed[kind]
                read += max(usage.evaluated_tokens - question, 0)
            evaluated.append(read)
            seconds.append(time.perf_counter() - began)
    return {"fixed": sum(fixed.values()), "evaluated": evaluated, "seconds": seconds}


def first_prompts(path: Path, folder: Path, tokens: int) -> dict[str, Any]:
    """In this process: seconds to load, and until the first token of each kind's first prompt."""
    began = time.perf_counter()
    with load(path, settings=Settings(prefixes_dir=folder)) as model:
        loaded = time.perf_counter() - began
        every = prompts(model, tokens)
        seconds, evaluated = [], 0
        for kind in KINDS:
            began = time.perf_counter()
            usage = model.generate(every[kind][0], max_tokens=5, grammar=GRAMMAR).usage
            seconds.append(time.perf_counter() - began)
            evaluated += usage.evaluated_tokens
    return {"load": loaded, "seconds": sum(seconds), "evaluated": evaluated}


def new_process(path: Path, folder: Path, tokens: int) -> dict[str, Any]:
    arguments = [sys.executable, __file__, str(path), "--fixed", str(tokens), "--child", str(folder)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("model", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fixed", type=int, default=600)
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="folder that the result is written into"
    )
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        print(json.dumps(first_prompts(arguments.model, arguments.child, arguments.fixed)))
        return 0
    with tempfile.TemporaryDirectory() as warm, tempfile.TemporaryDirectory() as cold:
        rounds = alternate(arguments.model, Path(warm), arguments.fixed, arguments.rounds)
        restored = new_process(arguments.model, Path(warm), arguments.fixed)
        evaluated = new_process(arguments.model, Path(cold), arguments.fixed)
        size = sum(path.stat().st_size for path in Path(warm).iterdir())
    share = sum(rounds["evaluated"][1:]) / (rounds["fixed"] * (arguments.rounds - 1))
    faster = evaluated["seconds"] / restored["seconds"]
    passed = share < MOST_EVALUATED and faster >= LEAST_FASTER
    lines = [f"{'round':<28}{'fixed tokens evaluated':>24}{'seconds':>10}"]
    for number, (read, seconds) in enumerate(zip(rounds["evaluated"], rounds["seconds"], strict=True), 1):
        lines.append(f"{number:<28}{read:>17} of {rounds['fixed']:<4}{seconds:>9.2f}")
    lines.append("")
    lines.append(f"{'a new process':<28}{'tokens evaluated':>24}{'seconds':>10}{'load':>8}")
    for name, run in (("without kept files", evaluated), ("with kept files", restored)):
        lines.append(f"{name:<28}{run['evaluated']:>24}{run['seconds']:>10.2f}{run['load']:>8.2f}")
    result = {
        "bench": "prefixes",
        "model": arguments.model.name,
        "fixed_tokens": rounds["fixed"],
        "evaluated_share_after_first_round": round(share, 4),
        "new_process_evaluating_seconds": round(evaluated["seconds"], 3),
        "new_process_restoring_seconds": round(restored["seconds"], 3),
        "times_faster": round(faster, 1),
        "kept_bytes": size,
        "passed": passed,
    }
    command = f"python scripts/bench_prefixes.py {arguments.model.name} --rounds {arguments.rounds} --fixed {arguments.fixed}"
    facts = {"command": command, "model_sha256": sha256(arguments.model), **machine()}
    write_result(arguments.results / f"prefixes-{arguments.model.stem}.txt", facts, lines, result)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
