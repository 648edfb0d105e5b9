"""Cases through systems, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from localmem.bench.cases import Case, CaseTurn
from localmem.bench.journal import Journal, Run, TurnResult
from localmem.bench.meter import Tokens
from localmem.bench.scoring import Failure, Kind, judge
from localmem.bench.systems import Outcome, System


def run(
    cases: Sequence[Case],
    systems: Iterable[System],
    *,
    model: str,
    seeds: int = 1,
    temperature: float = 0.0,
    journal: Journal | None = None,
    on_turn: Callable[[TurnResult], None] | None = None,
    on_case: Callable[[list[TurnResult], bool], None] | None = None,
) -> list[TurnResult]:
    """Every case with every system and every seed.

    Args:
        cases: what is said, and what must be true.
        systems: what is measured.
        model: id of the model, for the journal.
        seeds: how often; the seeds are 0, 1, ...
        temperature: of all calls.
        journal: where results go at once, and what is finished there is not run again.
        on_turn: called after each turn that was run.
        on_case: called after each case, with its results and whether they are from the journal.

    Raises:
        EngineError, ModelMissingError, StoreError: the run cannot go on. What is in the journal stays.
    """
    journal = journal or Journal(None)
    results: list[TurnResult] = []
    for system in systems:
        for seed in range(seeds):
            for case in cases:
                key = Run(case.name, case.digest, system.name, system.ablation, seed, temperature, model)
                kept = journal.finished(key)
                done = (
                    _judged_again(case, system, kept) if kept else _case(case, system, key, journal, on_turn)
                )
                results += done
                if on_case is not None:
                    on_case(done, bool(kept))
    return results


def _case(
    case: Case, system: System, key: Run, journal: Journal, on_turn: Callable[[TurnResult], None] | None
) -> list[TurnResult]:
    results: list[TurnResult] = []
    before: tuple[str, ...] = ()
    with system.start(temperature=key.temperature, seed=key.seed) as conversation:
        for number, turn in enumerate(case.turns, 1):
            outcome = conversation.say(turn.user)
            failures = _judged(turn, before, outcome, system)
            if outcome.error:
                failures = (Failure(Kind.ERROR, "a reply", outcome.error), *failures)
            before = outcome.paths
            results.append(_result(key, case, number, outcome, failures))
            journal.add(results[-1])
            if on_turn is not None:
                on_turn(results[-1])
    return results


def _judged(
    turn: CaseTurn, before: tuple[str, ...], came: Outcome | TurnResult, system: System
) -> tuple[Failure, ...]:
    """What came of a turn against what it expects, after the paths `before`."""
    return judge(
        turn, before=before, after=came.paths, intents=came.intents, reply=came.reply, loose=system.loose
    )


def _judged_again(case: Case, system: System, kept: list[TurnResult]) -> list[TurnResult]:
    """Finished turns against the expectations as they are now."""
    results: list[TurnResult] = []
    before: tuple[str, ...] = ()
    for turn, one in zip(case.turns, kept, strict=True):
        failures = _judged(turn, before, one, system)
        errors = tuple(failure for failure in one.failures if failure.kind is Kind.ERROR)
        results.append(replace(one, half=case.half, failures=errors + failures))
        before = one.paths
    return results


def _result(key: Run, case: Case, number: int, outcome: Outcome, failures: tuple[Failure, ...]) -> TurnResult:
    return TurnResult(
        run=key,
        turn=number,
        turns=len(case.turns),
        half=case.half,
        user=case.turns[number - 1].user,
        intents=tuple(sorted(outcome.intents)),
        paths=outcome.paths,
        reply=outcome.reply,
        failures=failures,
        usage=sum(outcome.kinds.values(), Tokens()),
        reply_usage=outcome.reply_tokens,
        seconds=round(outcome.seconds, 3),
        kinds=outcome.kinds,
        details=outcome.details,
    )
