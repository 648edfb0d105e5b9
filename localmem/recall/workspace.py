"""Candidates to a workspace: priorities, the choice, and the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from localmem.recall.query import Query, entities
from localmem.recall.relevance import Pool, deviation
from localmem.recall.roles import Feature, assign, candidate_features, demands
from localmem.recall.threads import seconds
from localmem.recall.weights import REACH
from localmem.select import Budget, Candidates, Mix, Selection, entity_bits, remaining, select
from localmem.values import LeftOut, Role, StoredTurn, Thread, Unit

CAP = 3.0
"""No unit has more than this many times 1/budget of the priority, so one strong turn cannot be everything."""

MIX = Mix(embedding=1.0, thread=0.0, entities=0.0, time=0.0, floor=0.8)
"""What makes one unit stand for another: that it says nearly the same. Turns that are merely alike, or of one
thread, each tell something of their own; a choice that takes one for the other loses (`scripts/LOG.md`)."""


NEARLY_THE_SAME = 0.5
"""Similarity from which a chosen unit is the reason why another one was left out."""


@dataclass(frozen=True, slots=True)
class Options:
    """Switches of the selection; the defaults are what `search` and `ask` use."""

    budget: Budget = field(default_factory=Budget)
    mix: Mix = MIX
    roles: bool = True
    """False: priorities do without roles (ablation)."""
    left_out: int = 0
    """So many of those that were just not chosen are told as well, for `--explain`."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The n candidates with what the stages before found out."""

    pool: Pool
    relevance: NDArray[np.float64]
    """Shape (n,)."""
    activation: NDArray[np.float64]
    """Of each candidate's thread, in (0, 1], shape (n,)."""
    raw: Mapping[str, NDArray[np.float64]]
    """Features of the relevance stage, each of shape (n,)."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The result of the selection."""

    units: tuple[Unit, ...]
    """In order of time."""
    coverage: float
    demands: Mapping[str, float]
    left_out: tuple[LeftOut, ...] = ()
    """The next best by gain."""


def tokens(text: str) -> int:
    """A rough count of tokens, on the safe side for English: a word and a bit, or three bytes."""
    return 6 + len(text.encode("utf-8")) // 3


def worth(relevance: NDArray[np.float64], activation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of reach x affinity, up to a constant: what a turn is worth before roles; shape (n,)."""
    return np.asarray(relevance + REACH * np.log(activation))


def priorities(
    affinity: NDArray[np.float64], reach: NDArray[np.float64], fit: NDArray[np.float64] | None, units: int
) -> NDArray[np.float64]:
    """p(u) = reach x affinity x role fit, capped and normalised to sum 1; shape (n,).

    Reach counts by its fitted power; `worth` has the logarithm of the product.
    """
    p = affinity * reach**REACH * (1.0 if fit is None else fit)
    total = p.sum()
    if total <= 0:
        return np.full(len(p), 1.0 / len(p))
    # The cap can be met only where there are enough units to take what it cuts off.
    cap = max(CAP / units, 1.0 / len(p))
    ordered = np.sort(p)[::-1]
    # With the k largest at the cap, the rest is scaled to fill up to 1; the right k is the first that works.
    rest = np.maximum(np.cumsum(ordered[::-1])[::-1], 1e-300)
    scale = (1.0 - cap * np.arange(len(p))) / rest
    capped = int(np.argmax(ordered * scale <= cap * (1 + 1e-9)))
    p = np.minimum(cap, p * scale[capped])
    return np.asarray(p / p.sum())


def choose(scored: Scored, query: Query, options: Options) -> Chosen:
    """Select the units of a workspace."""
    wanted = demands(query.text)
    turns = scored.pool.turns
    if not turns:
        return Chosen((), 0.0, {str(demand): share for demand, share in wanted.items()})
    affinity = np.exp(np.maximum(scored.relevance - scored.relevance.max(), -500.0))
    reach = scored.activation / scored.activation.max()
    names = [entities(stored.turn.text) | {stored.turn.speaker.lower()} for stored in turns]
    roles = assign(wanted, offered(scored, query, names))
    p = priorities(affinity, reach, roles.fit if options.roles else None, options.budget.units)
    candidates = Candidates(
        ids=np.array([stored.id for stored in turns], dtype=np.int64),
        priority=p,
        vectors=scored.pool.vectors,
        thread=np.array([stored.thread for stored in turns], dtype=np.int64),
        entities=entity_bits(names),
        time=np.array([seconds(stored.turn) for stored in turns]),
        cost=np.array([tokens(stored.turn.text) for stored in turns], dtype=np.int64),
    )
    selection = select(candidates, options.budget, options.mix)

    def unit(place: int, gain: float) -> Unit:
        detail = {name: float(values[place]) for name, values in scored.raw.items()}
        detail |= {
            "relevance": float(scored.relevance[place]),
            "reach": float(reach[place]),
            "fit": float(roles.fit[place]),
        }
        role = roles.role[place] if options.roles else Role.ANCHOR
        return Unit(turns[place], role, float(p[place]), gain, detail)

    units = [
        unit(place, gain)
        for place, gain in zip(selection.order.tolist(), selection.gains.tolist(), strict=True)
    ]
    units.sort(key=lambda unit: (unit.stored.transcript, unit.stored.position))
    return Chosen(
        tuple(units),
        selection.coverage,
        {str(demand): share for demand, share in wanted.items()},
        tuple(
            LeftOut(unit(place, gain), reason)
            for place, gain, reason in next_best(candidates, options, selection, turns)
        ),
    )


def next_best(
    candidates: Candidates, options: Options, selection: Selection, turns: Sequence[StoredTurn]
) -> Iterator[tuple[int, float, str]]:
    """Place, gain and reason of those that were just left out, the best by gain first."""
    if not options.left_out:
        return
    gains, nearest, alike = remaining(candidates, options.mix, selection.order)
    budget = options.budget
    used = int(candidates.cost[selection.order].sum())
    left = None if budget.tokens is None else budget.tokens - used
    full = len(selection.order) >= budget.units
    for place in np.argsort(-gains, kind="stable")[: options.left_out].tolist():
        if gains[place] < 0:  # chosen
            return
        said = alike[place] >= NEARLY_THE_SAME
        if said:
            reason = f"{turns[int(nearest[place])].turn.source}, which was chosen, says nearly the same"
        elif full:
            reason = f"the budget of {budget.units} turn{'s' * (budget.units != 1)} was full"
        elif left is not None and candidates.cost[place] > left:
            reason = f"it has about {candidates.cost[place]} tokens, and {left} were left"
        else:
            reason = "it would add nothing"
        yield place, float(gains[place]), reason


def offered(
    scored: Scored, query: Query, names: Sequence[frozenset[str]]
) -> dict[Feature, NDArray[np.float64]]:
    """What the n candidates offer for roles; `names` are the entities of each."""
    turns = scored.pool.turns
    follows = np.zeros(len(turns), dtype=np.bool_)
    for place in range(1, len(turns)):
        before, after = turns[place - 1], turns[place]
        follows[place] = before.transcript == after.transcript and before.position + 1 == after.position
    below = scored.relevance - scored.relevance.max()
    closeness = np.exp(below / (deviation(scored.relevance) or 1.0))
    reach = scored.activation / scored.activation.max()
    texts = [stored.turn.text for stored in turns]
    return candidate_features(closeness, reach, names, texts, follows, query.entities)


def order_of_time(units: Sequence[Unit], threads: Mapping[int, Thread]) -> tuple[Unit, ...]:
    """Units thread by thread, threads by the time they started (then by place), turns by position."""

    def start(unit: Unit) -> tuple[float, int, int]:
        thread = threads[unit.stored.thread]
        moment = seconds(unit.turn) if thread.started is None else _moment(thread)
        return (moment if moment == moment else float("inf"), unit.stored.transcript, unit.stored.position)

    begins: dict[int, tuple[float, int, int]] = {}
    for unit in units:
        begins[unit.stored.thread] = min(begins.get(unit.stored.thread, start(unit)), start(unit))
    return tuple(sorted(units, key=lambda unit: (begins[unit.stored.thread], unit.stored.position)))


def _moment(thread: Thread) -> float:
    from localmem.values import Turn

    return seconds(Turn("", "", thread.started, ""))
