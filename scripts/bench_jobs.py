"""The agent's jobs over the sample conversation: facts in the reports, and whether the right turns are cited.

    python scripts/bench_jobs.py [--model qwen2.5-coder-1.5b] [--max-steps 100] [--job NAME] [--plain]
        [--done FILE --memory FILE]    # goes on where it was broken off

The jobs stand in `scripts/cases/agent/two-friends.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench_common import machine, write_result

from localmem import resources
from localmem.agent.agent import Job
from localmem.agent.values import DEFAULT_ASSISTS, Options, Status
from localmem.agent.worlds import MemoryWorld
from localmem.bench.jobs import load, score
from localmem.memory import Memory
from localmem.settings import settings

CASES = Path(__file__).parent / "cases" / "agent" / "two-friends.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default=settings().model)
    parser.add_argument("--max-steps", type=int, default=100)
    parser.add_argument("--job", action="append", help="only this one; repeat for more")
    parser.add_argument("--plain", action="store_true", help="without what code adds to the published method")
    parser.add_argument("--out", type=Path, help="keep the result in this file")
    parser.add_argument("--memory", type=Path, help="keep the sample and the runs in this file; runs go on")
    parser.add_argument("--done", type=Path, help="JSON lines, one a job; jobs in it are not done again")
    arguments = parser.parse_args()
    transcript, jobs = load(CASES)
    options = Options(
        max_steps=arguments.max_steps, assists=frozenset() if arguments.plain else DEFAULT_ASSISTS
    )
    table = []
    known = _known(arguments.done, arguments.model, options)
    totals = dict.fromkeys(("jobs", "finished", "facts", "found", "cited", "lines", "steps", "evaluated"), 0)
    begun = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(arguments.memory or Path(folder) / "sample.db", model=arguments.model) as memory,
    ):
        memory.ingest(resources.path("samples", transcript))
        for job in jobs:
            if arguments.job and job.name not in arguments.job:
                continue
            if row := known.get(job.name):
                table.append(row["line"])
                totals = {name: value + row["figures"][name] for name, value in totals.items()}
                continue
            planned = _planned(memory, job.goal, str(Path(folder) / "reports"), options)
            made = planned.run(
                on_step=lambda subgoal, step: print(
                    f"  {subgoal.number} {subgoal.text} | {'' if step.valid else 'x '}{step.action}",
                    file=sys.stderr,
                    flush=True,
                )
            )
            lines = [(text, [turn.turn.source for turn in turns]) for text, turns in planned.findings]
            told = score(job, lines)
            table.append(
                f"{job.name:10} {made.status:14} {told.found}/{told.facts} facts, {told.cited} cited rightly;"
                f" {told.lines} lines, {len(made.acts)} steps, {made.usage.evaluated_tokens} tokens read"
            )
            print(table[-1], file=sys.stderr, flush=True)
            for text, sources in lines:
                print(f"    - {text} ({', '.join(sources)})", file=sys.stderr, flush=True)
            figures = {
                "jobs": 1,
                "finished": int(made.progress >= 1),
                "facts": told.facts,
                "found": told.found,
                "cited": told.cited,
                "lines": told.lines,
                "steps": len(made.acts),
                "evaluated": made.usage.evaluated_tokens,
            }
            totals = {name: value + figures[name] for name, value in totals.items()}
            if arguments.done:
                _keep(arguments.done, arguments.model, options, job.name, table[-1], figures, lines)
    result = {"benchmark": "jobs", **totals, "seconds": round(time.perf_counter() - begun)}
    facts = {
        "model": arguments.model,
        "max steps": arguments.max_steps,
        "plain": arguments.plain,
        **machine(),
    }
    if arguments.out:
        write_result(arguments.out, facts, table, result)
    else:
        print("\n".join(table), result, sep="\n")


def _planned(memory: Memory, goal: str, out: str, options: Options) -> Job:
    """A new run, or the one for the same goal that was broken off."""
    for row in memory.agent.runs():
        if row.goal == goal and not Status(row.status).over and row.options == options.row():
            return memory.agent.resume(row.id, out=out)
    return memory.agent.plan(goal, MemoryWorld(out=out), options)


def _known(file: Path | None, model: str, options: Options) -> dict[str, Any]:
    """The jobs that were done before, by the same model in the same way."""
    if file is None or not file.exists():
        return {}
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {row["job"]: row for row in rows if (row["model"], row["options"]) == (model, options.row())}


def _keep(
    file: Path,
    model: str,
    options: Options,
    job: str,
    line: str,
    figures: dict[str, int],
    notes: list[tuple[str, list[str]]],
) -> None:
    row = {
        "job": job,
        "model": model,
        "options": options.row(),
        "line": line,
        "figures": figures,
        "notes": notes,
    }
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
