"""A short search ahead: weighted A* (doi:10.1016/0004-3702(70)90007-X), by the relaxed distance to the goal."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count

from localmem.agent.environments import simulator
from localmem.agent.environments.relaxed import Relaxed
from localmem.agent.environments.simulator import Fact, State, Task

MOST_STATES = 400
"""Looked at in one search; under two seconds on the largest of the shared problems."""
WEIGHT = 2
"""Of the distance against the steps so far: with 3 and more, plans of the shared problems are up to twice as long."""
MOST_NEEDED = 3
"""Actions of a plan whose needs are told."""

Action = tuple[str, ...]
"""Name and arguments."""


class Search:
    """Plans of one task. What was found is kept: along a plan nothing is searched again."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._relaxed = Relaxed(task)
        self._plans: dict[State, tuple[Action, ...]] = {}

    def plan(self, state: State) -> tuple[Action, ...]:
        """Actions that lead to the goal; where none were found, those that come nearest to it. Maybe none."""
        if state not in self._plans:
            found = self._search(state)
            for place, action in enumerate(found):
                self._plans.setdefault(state, found[place:])
                state = simulator.successor(self._task.schemas[action[0]], action[1:], state)
            self._plans.setdefault(state, ())
            return found
        return self._plans[state]

    def nearer(self, state: State) -> list[Action]:
        """The plan's first action, and others after which less is left to do by the relaxed distance."""
        plan = self.plan(state)
        if not plan:
            return []
        here = self._relaxed.distance(state, self._task.goal)
        others = [
            action
            for action, after in self._steps(state)
            if action != plan[0]
            and here is not None
            and (there := self._relaxed.distance(after, self._task.goal)) is not None
            and there < here
        ]
        return [plan[0], *others]

    def order(self, state: State) -> list[Fact]:
        """The missing facts of the goal, those first that a plan makes true for good first."""
        reached: dict[Fact, int] = {}
        missing = [fact for fact in self._task.goal if fact not in state]
        for place, action in enumerate(self.plan(state)):
            before, state = state, simulator.successor(self._task.schemas[action[0]], action[1:], state)
            for fact in missing:
                if fact in state and fact not in before:
                    reached[fact] = place
        lasting = [fact for fact in missing if fact in state]
        return sorted(lasting, key=reached.__getitem__) + [fact for fact in missing if fact not in state]

    def needed(self, state: State) -> list[Fact]:
        """What the next `MOST_NEEDED` actions of the plan need, of what is true."""
        needs: dict[Fact, None] = {}
        for name, *arguments in self.plan(state)[:MOST_NEEDED]:
            needs |= dict.fromkeys(simulator.ground(self._task.schemas[name], arguments)[0])
        return [fact for fact in needs if fact in state]

    def _search(self, start: State) -> tuple[Action, ...]:
        goal = self._task.goal
        first = self._relaxed.distance(start, goal)
        if not first:
            return ()
        order = count()
        best: tuple[int, tuple[Action, ...]] = (first, ())
        waiting: list[tuple[int, int, State, tuple[Action, ...]]] = [(0, next(order), start, ())]
        seen = {start}
        for _ in range(MOST_STATES):
            if not waiting:
                break
            _, _, state, plan = heapq.heappop(waiting)
            for action, after in self._steps(state):
                if after in seen:
                    continue
                seen.add(after)
                left = self._relaxed.distance(after, goal)
                if left is None:
                    continue
                longer = (*plan, action)
                if left == 0:
                    return longer
                best = min(best, (left, longer), key=lambda one: one[0])
                heapq.heappush(waiting, (WEIGHT * left + len(longer), next(order), after, longer))
        return best[1]

    def _steps(self, state: State) -> Iterator[tuple[Action, State]]:
        for name, *arguments in simulator.applicable(self._task, state):
            yield (name, *arguments), simulator.successor(self._task.schemas[name], arguments, state)
