"""What a world's prompts begin with: instructions, and an example told as a run is told."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from localmem import resources
from localmem.agent.values import Mode, Options, Part
from localmem.llm import templates
from localmem.llm.protocol import Message, Prompt, Speaker

ANY_PDDL = "pddl"
"""The kind of a PDDL problem whose domain has no instructions of its own."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The fixed part of the prompts of one world and one way of working."""

    name: str
    fixed: tuple[Message, ...]

    def prompt(self, messages: Sequence[Message], start: str = "") -> Prompt:
        """A prompt that goes on with these messages."""
        return Prompt(self.name, (*self.fixed, *messages), len(self.fixed), start)


def action_line(action: str) -> str:
    """An action as the model writes it."""
    return f"Action: {action}"


def subgoal_line(text: str) -> str:
    """A subgoal as the model writes it."""
    return f"Subgoal: {text}"


def ended_line(reached: bool, summary: str) -> str:
    """The end of a subgoal as the model writes it."""
    return f"{'Reached' if reached else 'Not reached'}: {summary}"


def finished_line(number: int, text: str, reached: bool | None, summary: str) -> str:
    """All that is shown of a finished subgoal."""
    verdict = "" if reached is None else " (reached)" if reached else " (not reached)"
    return f"{number}. {text}{verdict} {summary}".rstrip()


def task(
    goal: str, start: str, *, finished: Sequence[str] = (), missing: Sequence[str] = (), now: str = ""
) -> Message:
    """The message that a run begins with: what never changes, then the finished subgoals, then the present."""
    text = templates.render(
        "subgoal.j2", goal=goal, start=start, finished=list(finished), missing=" ".join(missing), now=now
    )
    return Message(Speaker.USER, text.rstrip())


def user(text: str) -> Message:
    """What the world says."""
    return Message(Speaker.USER, text)


def assistant(text: str) -> Message:
    """What the model wrote."""
    return Message(Speaker.ASSISTANT, text)


def opening(kind: str, options: Options) -> Opening:
    """The fixed part for a world of that kind."""
    return _opening(kind, options.mode, options.without)


@cache
def _opening(kind: str, mode: Mode, without: frozenset[Part]) -> Opening:
    shared, world = _read("subgoal"), _read(f"subgoal-{kind}")
    instructions = [shared[mode].strip()]
    if mode is Mode.HIAGENT and not without & {Part.RETRIEVAL, Part.MEMORY}:
        instructions.append(shared["retrieval"].strip())
    system = Message(Speaker.SYSTEM, "\n".join([*instructions, world["about"].strip()]))
    told = mode is Mode.HIAGENT and not without & {Part.SUMMARY, Part.MEMORY}
    example = _example(world["example"], with_subgoals=mode is Mode.HIAGENT, with_summaries=told)
    # A name of its own for every fixed part: the engine keeps one for each name.
    name = "-".join([mode, kind, *sorted(without)])
    return Opening(name, (system, *example))


def _example(example: dict[str, Any], *, with_subgoals: bool, with_summaries: bool) -> list[Message]:
    """The example as messages; it ends with the model's last line, so that a user's message can follow.

    All its steps stay: to show how the finished ones vanish would take the beginning once more for every subgoal.
    """
    messages = [task(example["goal"], example["start"])]
    summary = ""
    for subgoal in example["subgoals"]:
        lead = f"{ended_line(True, summary)}\n" if summary and with_summaries else ""
        if with_subgoals:
            lead += f"{subgoal_line(subgoal['text'])}\n"
        for step in subgoal["steps"]:
            messages += [assistant(lead + action_line(step["action"])), user(step["observation"])]
            lead = ""
        summary = subgoal.get("summary", "")
    return messages[:-1]


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.text("prompts", f"{name}.toml"))
