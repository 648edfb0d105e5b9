"""What the model reads of a workspace: which units, and how each is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from localmem.recall.answer_subject import about_somebody_else
from localmem.recall.answer_text import TIMES, asks_for_several, asks_for_time, times
from localmem.recall.dates import annotate, day_name, resolve, short_day
from localmem.recall.roles import Demand, demands
from localmem.recall.workspace import tokens
from localmem.values import StoredTurn, Turn, Unit

Before = Callable[[StoredTurn], StoredTurn | None]
"""Gives the turn right before one in its transcript."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How much of a workspace is read."""

    part: float
    """Of the best priority, from which a unit is read."""
    most: int
    """Tokens of units at most, by a rough count; a long turn counts as a quarter of it, so that four are always read."""


SEVERAL, ONE, TIME = _Reading(0.04, 800), _Reading(0.07, 600), _Reading(0.15, 500)
"""On the conversations that the weights were fitted on, the model so reads half of the tokens of 16 turns, a third for times
(`scripts/LOG.md` has the share of gold turns among them)."""
_SEVERAL = {Demand.LIST, Demand.RELATION, Demand.JUDGEMENT, Demand.PREFERENCE}


@dataclass(frozen=True, slots=True)
class Evidence:
    """A unit as the model reads it."""

    number: int
    unit: Unit
    text: str
    """With the meaning of relative dates."""
    day: str
    """For example "4 March 2025"; empty without a time."""

    @property
    def searchable(self) -> str:
        """All that an answer may take from it."""
        turn = self.unit.turn
        day = day_name(turn.at.date()) if turn.at else ""
        return f"{day} {turn.speaker} {self.text}"


def evidence(units: Sequence[Unit]) -> list[Evidence]:
    """Units, numbered from 1, as the model reads them."""
    found = []
    for number, unit in enumerate(units, 1):
        turn = unit.turn
        day = short_day(turn.at.date()) if turn.at else ""
        found.append(Evidence(number, unit, line(turn), day))
    return found


def worth_reading(
    question: str,
    units: Sequence[Unit],
    person: str | None = None,
    before: Before = lambda stored: None,
) -> list[Unit]:
    """Units that the model reads, in order: those whose priority is a good enough part of the best one's.

    Most questions have a few units that answer and many that merely might, and each costs a second. A time is told by
    one turn; a list is spread over many, and one fact is between. What others say of themselves is not read for a
    question about one person, unless there is nothing else: a small model takes it for the answer.

    Args:
        question: what is asked.
        units: the workspace's.
        person: the one whom the question names; None: nobody, or several.
        before: gives the turn before one.
    """
    wanted = demands(question).keys()
    several = wanted & _SEVERAL or asks_for_several(question)
    reading = SEVERAL if several else TIME if asks_for_time(question) else ONE
    least = reading.part * max(unit.priority for unit in units)
    worth = [unit for unit in units if unit.priority >= least]
    if person is not None:
        worth = [unit for unit in worth if not _of_another(unit, person, before)] or worth
    chosen: set[int] = set()
    left = reading.most
    for unit in sorted(worth, key=lambda unit: -unit.priority):
        left -= min(tokens(unit.turn.text), reading.most // 4)
        if left < 0 and chosen:
            break
        chosen.add(unit.stored.id)
    return [unit for unit in worth if unit.stored.id in chosen]


def _of_another(unit: Unit, person: str, before: Before) -> bool:
    earlier = before(unit.stored)
    return about_somebody_else(unit.turn, earlier.turn if earlier else None, person)


def times_told(shown: Sequence[Evidence]) -> dict[int, list[str]]:
    """The times that each turn can give as an answer, by its number.

    They are what its relative dates mean, with and without the weekday or the week, and what it has in figures;
    without a relative date, its day.
    """
    told: dict[int, list[str]] = {}
    for one in shown:
        text = " ".join(one.unit.turn.text.split())
        meanings = [date.meaning for date in resolve(text, one.unit.turn.at)]
        bare = [figures[-1] for meaning in meanings if (figures := times([meaning]))]
        day = [one.day] if one.day and not meanings else []
        found = list(dict.fromkeys([*meanings, *bare, *day, *times([text])]))
        told[one.number] = found[: TIMES // len(shown)]
    return told


def days(shown: Sequence[Evidence]) -> list[dict[str, Any]]:
    """Evidence grouped by day, as the prompt's template wants it."""
    groups: list[dict[str, Any]] = []
    for one in shown:
        if not groups or groups[-1]["name"] != one.day:
            groups.append({"name": one.day, "units": []})
        speaker = " ".join(one.unit.turn.speaker.split())
        groups[-1]["units"].append({"number": one.number, "speaker": speaker, "text": one.text})
    return groups


def line(turn: Turn) -> str:
    """What was said, on one line, with the meaning of relative dates."""
    return annotate(" ".join(turn.text.split()), turn.at)
