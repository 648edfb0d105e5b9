"""Results of agent runs as they come, one JSON line a run, and the table that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from localmem.bench.result_file import ResultFile
from localmem.errors import UsageError

LATE = 20
"""Steps beyond this one are late: long trajectories are where a full history hurts."""
BUCKET = 10
"""Steps whose executability is told together."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """What makes two runs the same measurement."""

    system: str
    problem: str
    digest: str
    """Of the problem."""
    options: str
    """JSON, sorted."""
    model: str


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of one system on one problem. The lists have an entry for each step in the world, in order."""

    key: RunKey
    domain: str
    status: str
    success: bool
    progress: float
    steps: int
    subgoals: int
    valid: tuple[bool, ...]
    progress_by_step: tuple[float, ...]
    context: tuple[int, ...]
    """Tokens of the longest prompt of each step."""
    evaluated: tuple[int, ...]
    """Prompt tokens really read for each step; what is read for a retrieval counts for the step after it."""
    generated: tuple[int, ...]
    seconds: float
    lines: tuple[str, ...]
    """Subgoals and actions, for people."""


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of one system over its problems."""

    system: str
    domain: str
    """Empty: all."""
    runs: int
    success: float
    progress: float
    steps: float
    context: float
    """Mean tokens of the prompt of a step, over runs."""
    evaluated: float
    """Mean tokens read a step, over runs."""
    generated: float
    valid: float
    """Share of all steps that could be carried out."""
    valid_late: float | None
    """The same beyond step 20; None: there were none."""
    valid_by_step: tuple[float | None, ...]
    """The same for steps 1 to 10, 11 to 20, ..."""
    subgoals: float
    seconds: float
    """A run."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the problems that both have run."""

    system: str
    other: str
    figure: str
    pairs: int
    mean: float
    other_mean: float
    ratio: float | None
    p: float | None
    """Of Wilcoxon's signed-rank test, two-sided (doi:10.2307/3001968); None: no pair differs."""


FIGURES: dict[str, Callable[[RunResult], float]] = {
    "success": lambda run: float(run.success),
    "progress": lambda run: run.progress,
    "steps": lambda run: float(run.steps),
    "context": lambda run: fmean(run.context or (0,)),
    "evaluated": lambda run: fmean(run.evaluated or (0,)),
    "valid": lambda run: fmean(run.valid or (0,)),
    "seconds": lambda run: run.seconds,
}
"""What is compared, of one run."""


def rows(results: Sequence[RunResult]) -> list[Row]:
    """A row for each system over all its problems, followed by one for each domain, in the order of the results."""
    made = []
    for system in dict.fromkeys(result.key.system for result in results):
        own = [result for result in results if result.key.system == system]
        domains = dict.fromkeys(result.domain for result in own)
        made.append(_row(system, "", own))
        if len(domains) > 1:
            made += [_row(system, name, [one for one in own if one.domain == name]) for name in domains]
    return made


def compare(results: Sequence[RunResult]) -> list[Comparison]:
    """The first system with each other one, figure by figure.

    Raises:
        UsageError: scipy is not installed.
    """
    systems = list(dict.fromkeys(result.key.system for result in results))
    by_place = {(one.key.system, one.key.problem, one.key.digest): one for one in results}
    made = []
    for other in systems[1:]:
        problems = [
            (problem, digest) for system, problem, digest in by_place
            if system == systems[0] and (other, problem, digest) in by_place
        ]  # fmt: skip
        for figure, of in FIGURES.items():
            first = [of(by_place[systems[0], *place]) for place in problems]
            second = [of(by_place[other, *place]) for place in problems]
            if problems:
                made.append(_comparison(systems[0], other, figure, first, second))
    return made


def wilcoxon(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Two-sided p of Wilcoxon's signed-rank test over pairs; None if no pair differs.

    Raises:
        UsageError: scipy is not installed.
    """
    if all(a == b for a, b in zip(first, second, strict=True)):
        return None
    try:
        from scipy.stats import wilcoxon as test
    except ImportError:
        raise UsageError(
            "The test over paired problems needs the package scipy.",
            hint="Install it: pip install 'localmem[bench]'",
        ) from None
    return float(test(first, second).pvalue)


class Results(ResultFile[RunResult]):
    """The file of a benchmark; a line is on disk when `add` returns. Use it as a context manager.

    Args:
        path: JSON lines, made if missing; None: nothing is kept.

    Raises:
        BenchError: the file holds something else, or cannot be read or written.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, _result, start='{"system": ')
        self._known = {result.key: result for result in self._kept}

    def known(self, key: RunKey) -> RunResult | None:
        """What a run came to before."""
        return self._known.get(key)

    def add(self, result: RunResult) -> None:
        """Keep a result."""
        row = asdict(result)
        self._write({**row.pop("key"), **row})


def _result(row: dict[str, Any]) -> RunResult:
    key = RunKey(**{name: row[name] for name in RunKey.__dataclass_fields__})
    rest = {name: row[name] for name in RunResult.__dataclass_fields__ if name != "key"}
    for name in ("valid", "progress_by_step", "context", "evaluated", "generated", "lines"):
        rest[name] = tuple(rest[name])
    return RunResult(key, **rest)


def _row(system: str, domain: str, runs: Sequence[RunResult]) -> Row:
    longest = max(run.steps for run in runs)
    return Row(
        system=system,
        domain=domain,
        runs=len(runs),
        success=fmean(run.success for run in runs),
        progress=fmean(run.progress for run in runs),
        steps=fmean(run.steps for run in runs),
        context=fmean(map(FIGURES["context"], runs)),
        evaluated=fmean(map(FIGURES["evaluated"], runs)),
        generated=fmean(fmean(run.generated or (0,)) for run in runs),
        valid=_share(valid for run in runs for valid in run.valid) or 0.0,
        valid_late=_share(valid for run in runs for valid in run.valid[LATE:]),
        valid_by_step=tuple(
            _share(valid for run in runs for valid in run.valid[start : start + BUCKET])
            for start in range(0, longest, BUCKET)
        ),
        subgoals=fmean(run.subgoals for run in runs),
        seconds=fmean(run.seconds for run in runs),
    )


def _share(values: Iterable[bool]) -> float | None:
    known = list(values)
    return fmean(known) if known else None


def _comparison(
    system: str, other: str, figure: str, first: Sequence[float], second: Sequence[float]
) -> Comparison:
    mean, other_mean = fmean(first), fmean(second)
    ratio = mean / other_mean if other_mean else None
    return Comparison(system, other, figure, len(first), mean, other_mean, ratio, wilcoxon(first, second))
