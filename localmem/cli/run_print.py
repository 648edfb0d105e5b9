"""Runs of the agent as people and programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from localmem.cli.output import one_line, printable, shortened, usage_row

if TYPE_CHECKING:
    from localmem.agent.agent import Job
    from localmem.agent.values import Step, Subgoal, Trajectory
    from localmem.store import RunRow

OBSERVED = 300
"""Characters of an observation on the terminal; JSON has all of it."""


def print_line(text: str) -> None:
    """Print a text as one line."""
    print(printable(" ".join(text.splitlines())), flush=True)


def print_subgoal(subgoal: Subgoal) -> None:
    """Print what a subgoal is."""
    if subgoal.text:
        print_line(f"{subgoal.number}. {subgoal.text}")


def print_step(step: Step, verbose: bool) -> None:
    """Print what was done; `verbose`: and what was seen."""
    print_line(f"  {'' if step.valid else 'not possible: '}{step.action}")
    if verbose:
        print_line(f"      {shortened(one_line(step.observation), OBSERVED)}")
        usage = step.usage
        print(
            f"      ({usage.evaluated_tokens} of {step.context} tokens read, {usage.generated_tokens} written,"
            f" {step.seconds:.1f} s)"
        )


def verdict(subgoal: Subgoal) -> str:
    """How a subgoal ended, in words."""
    return {True: "reached", False: "not reached", None: "ended"}[subgoal.reached]


def way_on(run: int, made: Trajectory) -> str:
    """The command with which a run that is not over goes on."""
    from localmem.agent.values import MORE_STEPS, MORE_TOKENS, Status

    spent = made.usage.evaluated_tokens + made.usage.generated_tokens
    more = {
        Status.STEPS: f" --max-steps {len(made.acts) + MORE_STEPS}",
        Status.TOKENS: f" --max-tokens {spent + MORE_TOKENS}",
    }
    return f"localmem run --resume {run}{more.get(made.status, '')}"


def summary(made: Trajectory) -> str:
    """How a run stands and what it cost, in words."""
    usage = made.usage
    seconds = sum(step.seconds for step in made.steps)
    steps = "1 step" if len(made.acts) == 1 else f"{len(made.acts)} steps"
    return (
        f"{made.status} after {steps}, {made.progress:.0%} done; {usage.evaluated_tokens:,} tokens"
        f" read, {usage.generated_tokens:,} written; {seconds:.0f} s"
    )


def run_row(row: RunRow) -> dict[str, Any]:
    """A run as JSON."""
    return {
        "run": row.id,
        "begun": row.at.isoformat(),
        "goal": row.goal,
        "world": row.environment.get("world"),
        "options": dict(row.options),
        "model": row.model,
        "status": row.status,
        "progress": round(row.progress, 4),
        "steps": row.steps,
    }


def subgoal_row(subgoal: Subgoal) -> dict[str, Any]:
    """A subgoal and its steps as JSON."""
    return {
        "subgoal": subgoal.number,
        "text": subgoal.text,
        "reached": subgoal.reached,
        "summary": subgoal.summary,
        "steps": [step_row(step) for step in subgoal.steps],
    }


def step_row(step: Step) -> dict[str, Any]:
    """A step as JSON."""
    return {
        "step": step.number,
        "kind": str(step.kind),
        "action": step.action,
        "observation": step.observation,
        "valid": step.valid,
        "progress": round(step.progress, 4),
        "context": step.context,
        "usage": usage_row(step.usage),
        "seconds": round(step.seconds, 3),
    }


def end_row(job: Job, made: Trajectory) -> dict[str, Any]:
    """What came of a run, as JSON."""
    return {
        "run": job.id,
        "status": str(made.status),
        "progress": round(made.progress, 4),
        "steps": len(made.acts),
        "subgoals": len(made.subgoals),
        "notes": [
            {"text": text, "sources": [turn.turn.source for turn in turns]} for text, turns in job.findings
        ],
        "files": [str(path) for path in job.files],
        "usage": usage_row(made.usage),
    }
