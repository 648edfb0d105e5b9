"""Candidates to a workspace: priorities, the choice, and the order of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from localmem.recall.query import Query, entities
from localmem.recall.relevance import Pool, deviation
from localmem.recall.roles import Demand, Feature, Roles, assign, candidate_features, demands
from localmem.recall.threads import seconds
from localmem.select import Budget, Candidates, Mix, entity_bits, select
from localmem.values import Role, StoredTurn, Thread, Unit

AFFINITY = 1.0
"""Priority falls by e for each standard deviation of relevance below the best candidate."""
REACH_POWER = 0.5
"""How much an active thread helps its turns: the root of the activation."""
ROLE_SHARE = 0.5
"""Share of the priority that depends on the role fit; the rest does not."""
CAP = 3.0
"""No unit has more than this many times 1/budget of the priority, so one strong turn cannot be everything."""

MIX = Mix(embedding=0.85, thread=0.05, entities=0.05, time=0.05, tau_seconds=3600.0)


@dataclass(frozen=True, slots=True)
class Options:
    """Switches of the selection; the defaults are what `search` and `ask` use."""

    budget: Budget = field(default_factory=Budget)
    mix: Mix = MIX
    roles: bool = True
    """False: priorities do without roles (ablation)."""


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


def tokens(text: str) -> int:
    """A rough count of tokens, on the safe side for English: a word and a bit, or three bytes."""
    return 6 + len(text.encode("utf-8")) // 3


def priorities(
    affinity: NDArray[np.float64], reach: NDArray[np.float64], fit: NDArray[np.float64] | None, units: int
) -> NDArray[np.float64]:
    """p(u) = reach x affinity x role fit, capped and normalised to sum 1; shape (n,)."""
    share = 1.0 if fit is None else (1.0 - ROLE_SHARE) + ROLE_SHARE * fit
    p = affinity * reach**REACH_POWER * share
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
    spread = deviation(scored.relevance) or 1.0
    affinity = np.exp(AFFINITY * (scored.relevance - scored.relevance.max()) / spread)
    reach = scored.activation / scored.activation.max()
    names = [entities(stored.turn.text) | {stored.turn.speaker.lower()} for stored in turns]
    roles = _roles(affinity, reach, names, turns, query, wanted)
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
    units = []
    for place, gain in zip(selection.order.tolist(), selection.gains.tolist(), strict=True):
        detail = {name: float(values[place]) for name, values in scored.raw.items()}
        detail |= {
            "relevance": float(scored.relevance[place]),
            "reach": float(reach[place]),
            "fit": float(roles.fit[place]),
        }
        role = roles.role[place] if options.roles else Role.ANCHOR
        units.append(Unit(turns[place], role, float(p[place]), gain, detail))
    units.sort(key=lambda unit: (unit.stored.transcript, unit.stored.position))
    return Chosen(tuple(units), selection.coverage, {str(demand): share for demand, share in wanted.items()})


def _roles(
    affinity: NDArray[np.float64],
    reach: NDArray[np.float64],
    names: Sequence[frozenset[str]],
    turns: Sequence[StoredTurn],
    query: Query,
    wanted: Mapping[Demand, float],
) -> Roles:
    follows = np.zeros(len(turns), dtype=np.bool_)
    for place in range(1, len(turns)):
        before, after = turns[place - 1], turns[place]
        follows[place] = before.transcript == after.transcript and before.position + 1 == after.position
    offered: dict[Feature, NDArray[np.float64]] = candidate_features(
        affinity, reach, names, [stored.turn.text for stored in turns], follows, query.entities
    )
    return assign(wanted, offered)


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
