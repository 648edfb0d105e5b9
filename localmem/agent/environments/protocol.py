"""What the loop needs of a world to act in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from localmem.llm.protocol import JudgeModel
from localmem.values import Usage


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one action."""

    observation: str
    valid: bool
    """False: the action could not be carried out, and `observation` says why."""
    data: str = ""
    """JSON that `Environment.restore` needs to come to the same state again; empty: nothing beyond the action."""
    changes: str = ""
    """What became true, where that is shorter than `observation`."""


@dataclass(frozen=True, slots=True)
class Route:
    """What code sees ahead. All empty where it cannot look ahead."""

    parts: tuple[str, ...] = ()
    """Subgoals of which code sees the end, since they are here no more. Where the goal has parts: those that are
    missing, as sentences, in an order in which they can be reached and stay."""
    actions: tuple[str, ...] = ()
    """Valid actions that bring the goal nearer, the surest first."""
    now: str = ""
    """What has to be known for the first part; for actions, what they need and is true."""
    grammar: str = ""
    """GBNF of what leads on, where it cannot be listed as `actions`."""


class Environment(Protocol):
    """A world with a goal, acted upon by lines of text."""

    @property
    def kind(self) -> str:
        """Which instructions and example the model gets: `prompts/subgoal-KIND.toml`."""

    @property
    def goal(self) -> str:
        """What is to be reached, in words."""

    @property
    def done(self) -> bool:
        """Whether nothing more is to be done: the goal is reached, or the world has ended."""

    def reset(self) -> str:
        """Go to the beginning; what is seen there."""

    def step(self, action: str) -> Outcome:
        """Act. Any text is allowed; what cannot be done is told and changes nothing."""

    def restore(self, steps: Sequence[tuple[str, Outcome]]) -> None:
        """Come to where these actions led from here, without their effects outside this object."""

    def valid_actions(self) -> tuple[str, ...]:
        """Actions that can be carried out now; where they are endless, one pattern for each. None: a dead end."""

    def grammar(self) -> str:
        """GBNF that matches a valid action and nothing else."""

    def progress(self) -> float:
        """Share of the goal that was reached at best, 0 to 1."""

    def state(self) -> str:
        """A key of the state: an equal one later means that nothing was gained in between."""

    @property
    def tells_all(self) -> bool:
        """Whether `now` tells everything, so that the beginning need not be shown any more."""

    def now(self) -> str:
        """How things stand, for somebody who has seen the beginning and nothing since."""

    def missing(self) -> tuple[str, ...]:
        """Parts of the goal that do not hold now, as sentences; empty where code cannot tell."""

    def gains(self, action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Parts of the goal that a valid action would make true, and those that it would undo, as sentences."""

    def route(self) -> Route:
        """The way to the goal from here, by a short search."""

    def peek(self, action: str) -> str | None:
        """The state's key after a valid action, which is not carried out; None where code cannot tell."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An action that nobody need write."""

    action: str
    usage: Usage
    """What the model read for it."""
    context: int = 0
    """Tokens of the longest prompt among that."""


@runtime_checkable
class Deciding(Protocol):
    """A world in which code chooses some actions by what the model holds likely, or since there is but one."""

    def decide(self, model: JudgeModel) -> Decision | None:
        """The next action; None: the model is to write one."""

    def preview(self) -> str:
        """All that the model would read for the first one, for people."""
