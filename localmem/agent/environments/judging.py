"""Whether a turn is what a job wants: the model's odds for yes, turn by turn.

A small model that is shown a whole thread names nearly all of it. The odds of its yes to one turn alone, of which
the goal is read once, tell those of use from the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from localmem.agent.environments import listing
from localmem.agent.environments.library import Library
from localmem.llm import prompts
from localmem.llm.protocol import JudgeModel, Odds, Prompt
from localmem.values import StoredTurn, Usage

KIND = "judge"
LEAST = 0.0
"""Logarithm of the odds that a kept turn exceeds whatever the others have: yes is likelier."""
ABOVE = 0.5
"""By which a kept turn's standardised odds and likeness together exceed the mean of what was found for the goal: some
goals make the model say yes to nearly all."""
LIKENESS = 0.25
"""Weight of the likeness to the goal, against 1 for the odds."""
FEWEST = 8
"""Turns that say what a goal is answered as a rule; of fewer, all may be of use."""
ALONE = 16
"""Words from which a turn is judged without the one before it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What speaks for a turn."""

    turn: int
    odds: float
    """Logarithm of the model's odds for yes."""
    likeness: float
    """Of its meaning to the goal's: a cosine."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """What turns have to exceed.

    Args:
        found: judgements of the turns that were found for the goal.
    """

    found: tuple[Judgement, ...]

    def passes(self, one: Judgement) -> bool:
        """Whether a turn says a part of what is wanted."""
        if one.odds <= LEAST or len(self.found) < FEWEST:
            return one.odds > LEAST
        odds = _standard(one.odds, [other.odds for other in self.found])
        likeness = _standard(one.likeness, [other.likeness for other in self.found])
        return odds + LIKENESS * likeness > ABOVE


def _standard(value: float, others: Sequence[float]) -> float:
    """How many standard deviations a value is above the mean; 0 where all are alike."""
    deviation = pstdev(others)
    return (value - fmean(others)) / deviation if deviation > 0 else 0.0


class Judgements:
    """The odds of turns, as the model gave them.

    Args:
        library: the memory.
        goal: what is wanted.
    """

    def __init__(self, library: Library, goal: str) -> None:
        self._library = library
        self._goal = goal
        self._known: dict[int, Judgement] = {}
        self._new: list[Judgement] = []
        self._threshold = Threshold(())

    def __bool__(self) -> bool:
        return bool(self._known)

    def ask(self, model: JudgeModel, turns: Iterable[StoredTurn]) -> tuple[Usage, int]:
        """Have the model judge those turns that it has not judged yet; what it read, and the longest prompt's tokens.

        The first ones, those that were found for the goal, set the threshold for all.
        """
        usage, longest = Usage(), 0
        new = [stored for stored in turns if stored.id not in self._known]
        judged = []
        for stored, likeness in zip(new, self._library.likeness(self._goal, new), strict=True):
            one = judge(model, self._goal, *_said(self._library, stored))
            usage += one.usage
            longest = max(longest, one.usage.prompt_tokens)
            judged.append(Judgement(stored.id, round(one.log, 3), round(likeness, 3)))
        self._take(judged)
        self._new += judged
        return usage, longest

    def take(self, rows: Iterable[Sequence[float]]) -> None:
        """Take judgements that `rows` gave before."""
        self._take([Judgement(int(turn), odds, likeness) for turn, odds, likeness in rows])

    def rows(self) -> list[tuple[int, float, float]]:
        """Judgements that are new since the last call, for JSON."""
        new, self._new = self._new, []
        return [(one.turn, one.odds, one.likeness) for one in new]

    def counting(self, turns: Iterable[StoredTurn]) -> list[int]:
        """Ids of those that say a part of what is wanted."""
        return [stored.id for stored in turns if self._threshold.passes(self._known[stored.id])]

    def _take(self, judged: Sequence[Judgement]) -> None:
        if not self._known:
            self._threshold = Threshold(tuple(judged))
        self._known |= {one.turn: one for one in judged}


def preview(library: Library, goal: str, turn: StoredTurn) -> str:
    """What is read of one turn, for people."""
    read = prompt(goal, *_said(library, turn))
    return "\n\n".join(f"[{message.speaker}]\n{message.text}" for message in read.messages)


def _said(library: Library, stored: StoredTurn) -> tuple[str, str]:
    """The turn before it, empty where it is not needed, and the turn."""
    turn = listing.line(library, stored)
    if turn.count(" ") >= ALONE:
        return "", turn
    before = [one for one in library.near(stored, 1) if one.position < stored.position]
    return listing.line(library, before[-1]) if before else "", turn


def judge(model: JudgeModel, goal: str, before: str, turn: str) -> Odds:
    """Odds that a turn says a part of what is wanted.

    Args:
        model: judges.
        goal: what is wanted.
        before: the turn before it, for its sense; empty if there is none.
        turn: who said what.
    """
    return model.odds(prompt(goal, before, turn))


def prompt(goal: str, before: str, turn: str) -> Prompt:
    """What the model reads of one turn."""
    ended = goal if goal.endswith((".", "?", "!")) else f"{goal}."
    kind = prompts.load(KIND)
    return kind.prompt(kind.ask(goal=ended, before=before, turn=turn))
