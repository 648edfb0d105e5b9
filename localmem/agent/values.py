"""What a run is made of, and how it is carried out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from localmem.errors import UsageError
from localmem.values import Usage


class Mode(StrEnum):
    """What of the past stands in the prompt."""

    HIAGENT = "hiagent"
    """The steps of the current subgoal, and a line for each finished one."""
    STANDARD = "standard"
    """All steps; there are no subgoals."""


class Actions(StrEnum):
    """What may stand in an action line."""

    FREE = "free"
    """Any text."""
    VALID = "valid"
    """What can be carried out, held by a grammar."""


class Part(StrEnum):
    """What can be taken away from HiAgent, to see what it is worth."""

    SUMMARY = "summary"
    """A finished subgoal is shown with its last observation."""
    RETRIEVAL = "retrieval"
    """The steps of finished subgoals cannot be shown again."""
    MEMORY = "memory"
    """All steps stay in the prompt: subgoals alone."""


class Assist(StrEnum):
    """What code adds to the published method."""

    STATE = "state"
    """A new subgoal begins with how things stand now."""
    GOALS = "goals"
    """Told: what of the goal an action made true or undid."""
    AHEAD = "ahead"
    """Told: a valid action that would make a part of the goal true."""
    LOOKAHEAD = "lookahead"
    """Actions that only lead back are left out of the valid ones."""
    FACTS = "facts"
    """A subgoal is a part of the goal that does not hold yet; code says when it is reached, and ends it there."""
    SEARCH = "search"
    """A short search orders the parts of the goal, and finds actions that lead on.

    They are all that is valid; with free text they are told, and the one after a refused action is held to them.
    """
    CHANGES = "changes"
    """Working memory holds what an action made true, not all that is seen after it."""


DEFAULT_ASSISTS = frozenset(Assist) - {Assist.AHEAD}
"""Of them, a world takes those that its code can give: a memory shows the notes so far, for `STATE`."""

MORE_STEPS = 30
MORE_TOKENS = 5000
"""What is proposed for a run that has used what it had."""

OF_SUBGOALS = frozenset({Assist.STATE, Assist.FACTS, Assist.CHANGES})
"""Those that mean nothing without subgoals."""


class Status(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    """Or killed."""
    STOPPED = "stopped"
    """By the person, after a step."""
    REACHED = "reached"
    ENDED = "ended"
    """The world ended, but not at the goal."""
    STEPS = "out of steps"
    TOKENS = "out of tokens"
    DEAD_END = "dead end"
    """Nothing can be done any more."""

    @property
    def over(self) -> bool:
        """Whether no more steps can follow."""
        return self in (Status.REACHED, Status.ENDED, Status.DEAD_END)


class Kind(StrEnum):
    """What a step is."""

    ACT = "act"
    """An action in the world."""
    RETRIEVE = "retrieve"
    """A look at the steps of finished subgoals; it takes no step of the world."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is carried out."""

    mode: Mode = Mode.HIAGENT
    actions: Actions = Actions.VALID
    without: frozenset[Part] = frozenset()
    assists: frozenset[Assist] = DEFAULT_ASSISTS
    max_steps: int = 30
    """Actions in the world, invalid ones included."""
    max_tokens: int | None = None
    """Tokens read and written together; no more steps begin after them."""

    def has(self, assist: Assist) -> bool:
        """Whether code adds this."""
        return assist in self.assists and (self.mode is Mode.HIAGENT or assist not in OF_SUBGOALS)

    def row(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "mode": str(self.mode),
            "actions": str(self.actions),
            "without": sorted(map(str, self.without)),
            "assists": sorted(map(str, self.assists)),
            "max_steps": self.max_steps,
            "max_tokens": self.max_tokens,
        }

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Options:
        """The inverse of `row`.

        Raises:
            UsageError: a value that cannot be.
        """
        try:
            return cls(
                Mode(row["mode"]),
                Actions(row["actions"]),
                frozenset(map(Part, row["without"])),
                frozenset(map(Assist, row["assists"])),
                int(row["max_steps"]),
                None if row["max_tokens"] is None else int(row["max_tokens"]),
            )
        except (KeyError, TypeError, ValueError):
            raise UsageError(
                "The options of the run cannot be read.", hint="Another localmem wrote them; start a new run."
            ) from None


@dataclass(frozen=True, slots=True)
class Step:
    """An action and what came of it."""

    number: int
    """From 1, over the whole run."""
    kind: Kind
    action: str
    observation: str
    """As the model was shown it, with what code noticed."""
    valid: bool
    progress: float
    """After the step."""
    state: str
    """Key of the state after it."""
    usage: Usage
    """Of all calls that led to it, from the step before on."""
    context: int
    """Tokens of the longest prompt among them."""
    seconds: float
    data: str = ""
    """What the world needs to restore it."""


@dataclass(frozen=True, slots=True)
class Subgoal:
    """A part of the way."""

    number: int
    """From 1."""
    text: str
    """Empty in the mode that has no subgoals."""
    steps: tuple[Step, ...] = ()
    reached: bool | None = None
    """What the model says of it; None: it has not ended, or nobody was asked."""
    summary: str = ""
    ended: bool = False

    def plus(self, step: Step) -> Subgoal:
        """The same with one more step."""
        return replace(self, steps=(*self.steps, step))

    @property
    def acted(self) -> bool:
        """Whether one of its actions could be carried out."""
        return any(step.valid and step.kind is Kind.ACT for step in self.steps)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What happened in a run, as subgoals."""

    status: Status
    subgoals: tuple[Subgoal, ...]
    progress: float

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in order."""
        return tuple(step for subgoal in self.subgoals for step in subgoal.steps)

    @property
    def acts(self) -> tuple[Step, ...]:
        """The steps in the world."""
        return tuple(step for step in self.steps if step.kind is Kind.ACT)

    @property
    def usage(self) -> Usage:
        """Of all steps."""
        return total(step.usage for step in self.steps)


def total(usages: Iterable[Usage]) -> Usage:
    """Sum of usages."""
    return sum(usages, Usage())
