"""Turns to the rows of a table."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from localmem.bench.cases import HALVES
from localmem.bench.journal import Run, TurnResult
from localmem.bench.meter import Tokens

LONG = 12
"""Turns of a case whose growth of cost is looked at."""
_Z = 1.959963984540054
"""Of the normal distribution, two-sided 95%."""


@dataclass(frozen=True, slots=True)
class Row:
    """One system over some cases."""

    model: str
    system: str
    ablation: str
    half: str
    """ "tune", "check", or empty: all cases."""
    cases: int
    seeds: int
    turns: int
    """Over all seeds."""
    right: int
    low: float
    """Of the 95% Wilson interval of right / turns."""
    high: float
    confusions: int
    hallucinations: int
    errors_a_seed: float
    """Confusions and hallucinations."""
    consistent: int
    """Conversations in which no turn failed."""
    conversations: int
    """Cases times seeds."""
    tokens: Tokens
    """Of all calls."""
    reply_tokens: Tokens
    """Of the calls that worded replies."""
    seconds: float
    evaluated_a_turn: float
    """Prompt tokens read a turn, all calls, without kept prefixes."""
    slope: float | None
    """Growth of that from one turn to the next, in cases of at least `LONG` turns; None: there is none."""


def rows(results: Iterable[TurnResult]) -> list[Row]:
    """A row for each model, system and ablation, in order of appearance; with halves, a row for each after it."""
    systems: dict[tuple[str, str, str], list[TurnResult]] = defaultdict(list)
    for result in results:
        systems[result.run.model, result.run.system, result.run.ablation].append(result)
    table = []
    for found in systems.values():
        table.append(_row("", found))
        halves = {half: [one for one in found if one.half == half] for half in HALVES}
        table += [_row(half, some) for half, some in halves.items() if some]
    return table


def _row(half: str, found: list[TurnResult]) -> Row:
    conversations: dict[Run, list[TurnResult]] = defaultdict(list)
    for result in found:
        conversations[result.run].append(result)
    seeds = len({run.seed for run in conversations})
    right = sum(result.right for result in found)
    low, high = wilson(right, len(found))
    confusions = sum(result.confused for result in found)
    hallucinations = sum(result.hallucinated for result in found)
    tokens = sum((result.usage for result in found), Tokens())
    return Row(
        model=found[0].run.model,
        system=found[0].run.system,
        ablation=found[0].run.ablation,
        half=half,
        cases=len({run.case for run in conversations}),
        seeds=seeds,
        turns=len(found),
        right=right,
        low=low,
        high=high,
        confusions=confusions,
        hallucinations=hallucinations,
        errors_a_seed=(confusions + hallucinations) / seeds,
        consistent=sum(all(result.right for result in some) for some in conversations.values()),
        conversations=len(conversations),
        tokens=tokens,
        reply_tokens=sum((result.reply_usage for result in found), Tokens()),
        seconds=sum(result.seconds for result in found),
        evaluated_a_turn=tokens.evaluated / len(found),
        slope=slope([[one.usage.evaluated for one in some] for some in conversations.values()]),
    )


def wilson(right: int, turns: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927, doi:10.1080/01621459.1927.10502953)."""
    if not turns:
        return 0.0, 1.0
    share, weight = right / turns, _Z * _Z / turns
    middle = (share + weight / 2) / (1 + weight)
    half = _Z * math.sqrt(share * (1 - share) / turns + weight / turns / 4) / (1 + weight)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def slope(costs: Iterable[Sequence[int]]) -> float | None:
    """Least-squares growth from turn to turn within long conversations, each around its own mean.

    Args:
        costs: of the turns of each conversation, in order.
    """
    places: list[float] = []
    heights: list[float] = []
    for cost in costs:
        if len(cost) >= LONG:
            places += [place - (len(cost) - 1) / 2 for place in range(len(cost))]
            heights += [one - statistics.fmean(cost) for one in cost]
    return statistics.linear_regression(places, heights).slope if places else None
