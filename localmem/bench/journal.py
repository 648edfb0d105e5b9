"""Turns of runs as they come, one JSON line a turn; a run that was cut off starts again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from localmem.bench.meter import Tokens
from localmem.bench.result_file import ResultFile
from localmem.bench.scoring import Failure, Kind


@dataclass(frozen=True, slots=True)
class Run:
    """One case with one system: what makes two results the same measurement."""

    case: str
    digest: str
    """Of what its user types."""
    system: str
    ablation: str
    seed: int
    temperature: float
    model: str


@dataclass(frozen=True, slots=True)
class TurnResult:
    """One turn of a run."""

    run: Run
    turn: int
    """From 1."""
    turns: int
    """Of the case."""
    half: str
    user: str
    intents: tuple[str, ...]
    paths: tuple[str, ...]
    reply: str
    failures: tuple[Failure, ...]
    usage: Tokens
    reply_usage: Tokens
    seconds: float
    kinds: dict[str, Tokens] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    @property
    def confused(self) -> bool:
        """Whether intent or state failed."""
        return any(not failure.kind.hallucination for failure in self.failures)

    @property
    def hallucinated(self) -> bool:
        """Whether the reply failed."""
        return any(failure.kind.hallucination for failure in self.failures)


def to_row(result: TurnResult) -> dict[str, Any]:
    """A result as JSON."""
    row = asdict(result)
    return {**row.pop("run"), **row}


def from_row(row: dict[str, Any]) -> TurnResult:
    """A result from JSON.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    run = Run(**{name: row[name] for name in Run.__dataclass_fields__})
    rest = {name: row[name] for name in TurnResult.__dataclass_fields__ if name != "run"}
    rest["intents"], rest["paths"] = tuple(rest["intents"]), tuple(rest["paths"])
    rest["failures"] = tuple(
        Failure(Kind(one["kind"]), one["expected"], one["found"]) for one in rest["failures"]
    )
    for name in ("usage", "reply_usage"):
        rest[name] = Tokens(**rest[name])
    rest["kinds"] = {kind: Tokens(**tokens) for kind, tokens in rest["kinds"].items()}
    return TurnResult(run, **rest)


class Journal(ResultFile[TurnResult]):
    """The file of a run; each line is on disk when `add` returns. Use it as a context manager.

    A run of which the file has not every turn is not finished, and what it has of it does not count: the state of
    its memory is gone.

    Args:
        path: JSON lines, made if missing; None: nothing is kept.

    Raises:
        BenchError: the file holds something else, or cannot be read or written.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, from_row, start='{"case": ')
        self._finished = _finished(self._kept)

    def finished(self, run: Run) -> list[TurnResult]:
        """The turns of a run that was finished before; empty: it was not."""
        return self._finished.get(run, [])

    def add(self, result: TurnResult) -> None:
        """Keep a turn."""
        self._write(to_row(result))


def _finished(results: Iterable[TurnResult]) -> dict[Run, list[TurnResult]]:
    runs: dict[Run, list[TurnResult]] = {}
    for result in results:
        if result.turn == 1:
            runs[result.run] = []
        runs.setdefault(result.run, []).append(result)
    return {run: turns for run, turns in runs.items() if _whole(turns)}


def _whole(results: Iterable[TurnResult]) -> bool:
    numbers = [(result.turn, result.turns) for result in results]
    return numbers == [(turn + 1, len(numbers)) for turn in range(len(numbers))]
