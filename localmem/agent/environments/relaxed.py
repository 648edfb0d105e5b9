"""How far a fact is when no action ever undoes anything: the relaxed plans of FF (doi:10.1613/jair.855).

A task's actions are grounded once. The cost of a fact is that of its cheapest action, which is one more than the
costs of what that action needs together (additive, doi:10.1016/S0004-3702(01)00108-4); a distance is the number of
actions that reach the facts by their cheapest ones. It is an estimate: a real plan may be longer, seldom shorter.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from localmem.agent.environments import simulator
from localmem.agent.environments.simulator import Fact, State, Task


@dataclass(frozen=True, slots=True)
class _Action:
    needs: frozenset[Fact]
    adds: frozenset[Fact]
    deletes: frozenset[Fact]


class Relaxed:
    """The relaxed form of one task."""

    def __init__(self, task: Task) -> None:
        self._actions = [
            _Action(*map(frozenset, simulator.ground(task.schemas[name], arguments)))
            for name, *arguments in simulator.reachable(task)
        ]
        self._users: dict[Fact, list[int]] = defaultdict(list)  # actions that need a fact
        for number, action in enumerate(self._actions):
            for fact in action.needs:
                self._users[fact].append(number)

    def distance(self, state: State, goal: Collection[Fact], keep: Collection[Fact] = ()) -> int | None:
        """Actions from a state until all facts of a goal have been true.

        Args:
            state: where to begin.
            goal: what is to be reached.
            keep: facts that no action may undo.

        Returns:
            None: it cannot be reached so.
        """
        wanted = [fact for fact in goal if fact not in state]
        if not wanted:
            return 0
        by = self._cheapest(state, wanted, frozenset(keep))
        if by is None:
            return None
        chosen: set[int] = set()
        open_facts = wanted
        while open_facts:
            number = by.get(open_facts.pop())
            if number is not None and number not in chosen:
                chosen.add(number)
                open_facts += self._actions[number].needs
        return len(chosen)

    def _cheapest(
        self, state: State, wanted: Iterable[Fact], keep: frozenset[Fact]
    ) -> dict[Fact, int] | None:
        """The cheapest action for each fact, until all that is wanted has one; None: some never has."""
        by: dict[Fact, int] = {}
        cost: dict[Fact, int] = dict.fromkeys(state, 0)
        left = [len(action.needs) for action in self._actions]
        total = [1] * len(self._actions)
        missing = set(wanted)
        queue: list[tuple[int, Fact]] = [(0, fact) for fact in state]
        queue.sort()

        def use(number: int) -> None:
            action = self._actions[number]
            if keep and keep & action.deletes:
                return
            for fact in action.adds:
                if total[number] < cost.get(fact, 1 << 30):
                    cost[fact] = total[number]
                    by[fact] = number
                    heapq.heappush(queue, (total[number], fact))

        for number, count in enumerate(left):
            if count == 0:
                use(number)
        done: set[Fact] = set()
        while queue and missing:
            price, fact = heapq.heappop(queue)
            if fact in done:
                continue
            done.add(fact)
            missing.discard(fact)
            for number in self._users[fact]:
                left[number] -= 1
                total[number] += price
                if left[number] == 0:
                    use(number)
        return None if missing else by
