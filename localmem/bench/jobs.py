"""Jobs over a memory with known facts: how many of them a report has, and whether it cites where they stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from localmem.errors import BenchError


@dataclass(frozen=True, slots=True)
class JobFact:
    """Something that a report should say."""

    forms: tuple[str, ...]
    """Any of them in a line will do, whatever its case."""
    gold: frozenset[str]
    """Sources of turns that say it."""


@dataclass(frozen=True, slots=True)
class AgentJob:
    """Something to be collected from a transcript."""

    name: str
    goal: str
    file: str
    """The report's name."""
    searches: tuple[str, ...]
    """What a scripted run asks for."""
    facts: tuple[JobFact, ...]


@dataclass(frozen=True, slots=True)
class JobScore:
    """What a report has of a job's facts."""

    facts: int
    found: int
    """Facts that stand in a line."""
    cited: int
    """Facts that stand in a line that cites a gold turn."""
    lines: int


def load(file: Path) -> tuple[str, list[AgentJob]]:
    """The transcript's name and the jobs of a JSON file.

    Raises:
        BenchError: it cannot be read.
    """
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        jobs = [
            AgentJob(
                str(one["name"]),
                str(one["goal"]),
                str(one["file"]),
                tuple(map(str, one["searches"])),
                tuple(JobFact(tuple(fact["forms"]), frozenset(fact["gold"])) for fact in one["facts"]),
            )
            for one in told["jobs"]
        ]
        return str(told["transcript"]), jobs
    except (OSError, ValueError, KeyError, TypeError):
        raise BenchError(f"{file} is no list of jobs.", hint="See scripts/cases/agent.") from None


def score(job: AgentJob, lines: Sequence[tuple[str, Sequence[str]]]) -> JobScore:
    """Judge a report.

    Args:
        job: what it was to say.
        lines: its lines, each with the sources of the turns that it cites.
    """
    found = cited = 0
    for fact in job.facts:
        having = [
            sources
            for text, sources in lines
            if any(form.casefold() in text.casefold() for form in fact.forms)
        ]
        found += bool(having)
        cited += any(fact.gold & set(sources) for sources in having)
    return JobScore(len(job.facts), found, cited, len(lines))
