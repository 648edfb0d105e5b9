"""A small world for tests of the loop: a row of places, of which the last is the goal."""

from __future__ import annotations

from collections.abc import Sequence

from localmem.agent.environments import Outcome, Route
from localmem.agent.loop import NoLog
from localmem.agent.values import Status, Step, Subgoal
from localmem.llm import grammar


class Row:
    """Places 0 to `length`; "right" and "left" lead on, "wait" stays. Past the goal there is a pit."""

    kind = "blocksworld"
    goal = "Be at the last place."
    tells_all = True

    def __init__(self, length: int = 3, pit: int | None = None) -> None:
        self.length = length
        self.pit = pit
        self.place = 0
        self.best = 0

    @property
    def done(self) -> bool:
        return self.place == self.length

    def reset(self) -> str:
        self.place = self.best = 0
        return "You are at place 0."

    def step(self, action: str) -> Outcome:
        if action not in self.valid_actions():
            return Outcome(f"You cannot {action}.", False)
        before = self.place
        self.place += {"right": 1, "left": -1, "wait": 0}[action]
        self.best = max(self.best, self.place)
        changed = f"Now {self.place}." if self.place != before else ""
        return Outcome(f"You are at place {self.place}.", True, str(self.place), changed)

    def restore(self, steps: Sequence[tuple[str, Outcome]]) -> None:
        for _, outcome in steps:
            if outcome.valid:
                self.place = int(outcome.data)
                self.best = max(self.best, self.place)

    def valid_actions(self) -> tuple[str, ...]:
        if self.place == self.pit:
            return ()
        return ("left", "right", "wait") if self.place else ("right", "wait")

    def grammar(self) -> str:
        return grammar.alternatives(self.valid_actions())

    def progress(self) -> float:
        return self.best / self.length

    def state(self) -> str:
        return f"place {self.place}"

    def now(self) -> str:
        return f"You are at place {self.place}."

    def missing(self) -> tuple[str, ...]:
        return () if self.done else ("You are at the last place.",)

    def gains(self, action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        goal = ("You are at the last place.",)
        return (goal, ()) if action == "right" and self.place == self.length - 1 else ((), ())

    def route(self) -> Route:
        ahead = ("right",) if self.place < self.length else ()
        return Route(self.missing(), ahead, f"Place {self.place}.")

    def peek(self, action: str) -> str | None:
        return f"place {self.place + {'right': 1, 'left': -1, 'wait': 0}[action]}"


class Lines(NoLog):
    """A log that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def begun(self, subgoal: Subgoal, ended: Subgoal | None) -> None:
        if ended is not None:
            self.told.append(f"ended {ended.number} {ended.reached} {ended.summary}")
        self.told.append(f"subgoal {subgoal.number} {subgoal.text}")

    def stepped(self, subgoal: Subgoal, step: Step) -> None:
        self.told.append(f"step {step.number} of {subgoal.number}: {step.action}")

    def stands(self, status: Status, ended: Subgoal | None) -> None:
        self.told.append(f"{status} {ended.reached if ended else '-'}")
