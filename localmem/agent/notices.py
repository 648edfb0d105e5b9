"""What code notices about a run and tells the model: repeated states, repeated failures, circles, dead ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from localmem.agent.environments import Environment
from localmem.agent.values import Step
from localmem.llm import grammar

DEAD_END = "Nothing can be done from here any more."
CIRCLES = "You are going in circles; try another subgoal."
CIRCLE = 5
"""Steps in a row that led to nothing new."""


def about_state(
    valid: bool, action: str, before: str, after: str, seen: Mapping[str, int], acts: Sequence[Step]
) -> list[str]:
    """What is to be said of where an action led.

    Args:
        valid: whether it could be carried out.
        action: as it was written.
        before: key of the state before it.
        after: key of the state after it.
        seen: known states, with the number of the step that first led there; 0 is the beginning.
        acts: steps in the world before this one.
    """
    told = []
    tried = next((step.number for step in reversed(acts) if step.action == action and not step.valid), None)
    known = after in seen
    if not valid and tried is not None:
        told.append(f"You tried this before, in step {tried}.")
    elif valid and known and after != before:
        place = seen[after]
        told.append(f"You were here before, {f'after step {place}' if place else 'at the beginning'}.")
    elif valid and after == before and any(step.action == action for step in acts):
        told.append("You have done this before, and nothing has changed.")
    recent = acts[max(len(acts) - CIRCLE + 1, 0) :]
    if known and len(recent) == CIRCLE - 1 and all(seen.get(step.state) != step.number for step in recent):
        told.append(CIRCLES)
    return told


def about_goal(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """What of the goal became true or is not any more."""
    reached = [fact for fact in before if fact not in after]
    undone = [fact for fact in after if fact not in before]
    told = [f"Reached: {' '.join(reached)}"] if reached else []
    return [*told, *([f"Undone: {' '.join(undone)}"] if undone else [])]


def about_actions(world: Environment) -> list[str]:
    """A valid action that would make a part of the goal true and undo none; the first one."""
    if world.missing():
        for action in world.valid_actions():
            made, undone = world.gains(action)
            if made and not undone:
                return [f'"{action}" would reach: {" ".join(made)}']
    return []


def leading_on(world: Environment, ahead: Sequence[str], seen: Mapping[str, int]) -> str:
    """GBNF of the first of these actions, which is surest, and of those others that lead to a new state."""
    return grammar.alternatives(
        [ahead[0], *(action for action in ahead[1:] if world.peek(action) not in seen)]
    )


def without_known(world: Environment, seen: Mapping[str, int]) -> str | None:
    """GBNF of the valid actions that lead to a new state; None where code cannot tell, or none does."""
    actions = world.valid_actions()
    ahead = {action: world.peek(action) for action in actions}
    if None in ahead.values():
        return None
    new = [action for action, state in ahead.items() if state not in seen]
    return grammar.alternatives(new) if new else None
