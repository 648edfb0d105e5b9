"""Runs of the loop with scripted replies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from localmem.agent.loop import Loop
from localmem.agent.values import Options, Trajectory
from localmem.llm.protocol import Prompt
from tests.agent.worlds import Row
from tests.fakes import ScriptedModel

PLAIN = Options(assists=frozenset())

TWO_SUBGOALS = [
    "Subgoal: Go to place 2.",
    "right",
    "Action: right",
    "Reached: I am at place 2.\nSubgoal: Go to the end.",
    "right",
]


def loop(
    replies: Iterable[str | Exception], options: Options = PLAIN, **more: Any
) -> tuple[Loop, ScriptedModel]:
    model = ScriptedModel(replies, context=more.pop("context", 4096))
    return Loop(more.pop("world", None) or Row(), model, options, **more), model


def run(
    replies: Iterable[str | Exception], options: Options = PLAIN, **more: Any
) -> tuple[Trajectory, ScriptedModel]:
    made, model = loop(replies, options, **more)
    return made.run(), model


def shown(prompt: Prompt) -> list[str]:
    """What follows the fixed part."""
    return [message.text for message in prompt.messages[prompt.fixed :]]


def actions(trajectory: Trajectory) -> list[str]:
    return [step.action for step in trajectory.steps]
