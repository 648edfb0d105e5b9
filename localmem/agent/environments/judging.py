"""Whether a turn is what a job wants: the model's odds for yes, turn by turn.

A small model that is shown a whole thread names nearly all of it. The odds of its yes to one turn alone, of which
the goal is read once, tell those of use from the others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from functools import cache
from statistics import fmean

from localmem import resources
from localmem.agent.environments import listing
from localmem.agent.environments.library import Library
from localmem.llm import templates
from localmem.llm.protocol import JudgeModel, Message, Odds, Prompt, Speaker
from localmem.values import StoredTurn, Usage

KIND = "judge"
LEAST = 0.0
"""Logarithm of the odds that a kept turn exceeds whatever the others have: yes is likelier."""
FEWEST = 8
"""Turns that say what a goal is answered as a rule; of fewer, all may be of use."""
ALONE = 16
"""Words from which a turn is judged without the one before it."""


class Judgements:
    """The odds of turns, as the model gave them.

    Args:
        library: the memory.
        goal: what is wanted.
    """

    def __init__(self, library: Library, goal: str) -> None:
        self._library = library
        self._goal = goal
        self._odds: dict[int, float] = {}
        self._new: dict[int, float] = {}
        self._bar = LEAST

    def __bool__(self) -> bool:
        return bool(self._odds)

    def __contains__(self, stored: StoredTurn) -> bool:
        return stored.id in self._odds

    def ask(self, model: JudgeModel, turns: Iterable[StoredTurn]) -> Usage:
        """Have the model judge those turns that it has not judged yet; what it read for them.

        The first ones, those that were found for the goal, set the bar for all.
        """
        usage = Usage()
        odds = {}
        for stored in turns:
            if stored not in self:
                one = judge(model, self._goal, *_said(self._library, stored))
                usage += one.usage
                odds[stored.id] = round(one.log, 3)
        self.take(odds.items())
        self._new |= odds
        return usage

    def take(self, odds: Iterable[tuple[int, float]]) -> None:
        """Take odds that were given before."""
        found = dict(odds)
        if not self._odds:
            self._bar = bar(found.values())
        self._odds |= found

    def counting(self, turns: Iterable[StoredTurn]) -> list[int]:
        """Ids of those that say a part of what is wanted."""
        return [stored.id for stored in turns if self._odds[stored.id] > self._bar]

    def unsaid(self) -> list[tuple[int, float]]:
        """Odds that were not asked for here before."""
        new, self._new = list(self._new.items()), {}
        return new


def bar(odds: Collection[float]) -> float:
    """What a turn has to exceed: the mean, since some goals make the model say yes to nearly all.

    Args:
        odds: of the turns that were found for the goal.
    """
    return max(LEAST, fmean(odds)) if len(odds) >= FEWEST else LEAST


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
    return Prompt(KIND, (*_fixed(), _asked(goal, before, turn)), len(_fixed()))


@cache
def _fixed() -> tuple[Message, ...]:
    told = tomllib.loads(resources.text("prompts", f"{KIND}.toml"))
    messages = [Message(Speaker.SYSTEM, told["system"].strip())]
    for one in told["examples"]:
        messages.append(_asked(one["goal"], one["before"], one["turn"]))
        messages.append(Message(Speaker.ASSISTANT, one["reply"]))
    return tuple(messages)


def _asked(goal: str, before: str, turn: str) -> Message:
    ended = goal if goal.endswith((".", "?", "!")) else f"{goal}."
    text = templates.render(f"{KIND}.j2", goal=ended, before=before, turn=turn)
    return Message(Speaker.USER, text.rstrip())
