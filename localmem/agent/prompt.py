"""What a world's prompts begin with: instructions, and an example told as a run is told."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from localmem import resources
from localmem.agent.lines import VERDICTS
from localmem.agent.values import Actions, Assist, Mode, Options, Part
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
    return f"{VERDICTS[reached]}: {summary}"


def finished_line(number: int, text: str, reached: bool | None, summary: str) -> str:
    """All that is shown of a finished subgoal."""
    verdict = "" if reached is None or (reached and not summary) else f" ({VERDICTS[reached].lower()})"
    return f"{number}. {text}{verdict} {summary}".rstrip()


def task(goal: str, start: str, *, finished: Sequence[str] = (), now: str = "", next: str = "") -> Message:
    """The message that a run begins with: what never changes, then the finished subgoals, then the present."""
    text = templates.render("subgoal.j2", goal=goal, start=start, finished=list(finished), now=now, next=next)
    return Message(Speaker.USER, text.rstrip())


def user(text: str) -> Message:
    """What the world says."""
    return Message(Speaker.USER, text)


def assistant(text: str) -> Message:
    """What the model wrote."""
    return Message(Speaker.ASSISTANT, text)


def next_line(action: str) -> str:
    """What is told of an action that leads on."""
    return f"Next: {action}"


def opening(kind: str, options: Options) -> Opening:
    """The fixed part for a world of that kind."""
    if options.has(Assist.FACTS) and "parts" in _read(f"subgoal-{kind}"):
        told = options.has(Assist.SEARCH) and options.actions is Actions.FREE
        return _by_parts(kind, options.without, told)
    return _opening(kind, options.mode, options.without)


@cache
def _by_parts(kind: str, without: frozenset[Part], told: bool) -> Opening:
    """The fixed part where subgoals are parts of the goal: a finished one, and one with its steps."""
    shared, world = _read("subgoal"), _read(f"subgoal-{kind}")
    example = world["parts"]
    own = example.get("instructions")  # of a world that lays out its parts alone: nothing is retrieved there
    instructions = [(own or shared["parts"]).strip()]
    if not own and not without & {Part.RETRIEVAL, Part.MEMORY}:
        instructions.append(shared["retrieval"].strip())
    if told:
        instructions.append(shared["told"].strip())
    steps = example["steps"]

    def ahead(place: int) -> str:
        return steps[place]["action"] if told and place < len(steps) else ""

    finished = [finished_line(number, one, True, "") for number, one in enumerate(example["finished"], 1)]
    messages = [task(example["goal"], "", finished=finished, now=example["now"].strip(), next=ahead(0))]
    lead = f"{subgoal_line(example['subgoal'])}\n"
    for place, step in enumerate(steps, 1):
        messages.append(assistant(lead + action_line(step["action"])))
        seen = step["observation"]
        messages.append(user(f"{seen}\n{next_line(ahead(place))}" if ahead(place) else seen))
        lead = ""
    system = Message(Speaker.SYSTEM, "\n".join([*instructions, example["about"].strip()]))
    name = "-".join([Mode.HIAGENT, kind, *sorted(without), "parts", *(["told"] if told else [])])
    return Opening(name, (system, *messages[:-1]))


@cache
def _opening(kind: str, mode: Mode, without: frozenset[Part]) -> Opening:
    shared, world = _read("subgoal"), _read(f"subgoal-{kind}")
    example = world["example"]
    instructions = [shared[mode].strip()]
    if mode is Mode.HIAGENT and not without & {Part.RETRIEVAL, Part.MEMORY}:
        instructions.append(shared["retrieval"].strip())
    system = Message(Speaker.SYSTEM, "\n".join([*instructions, world["about"].strip()]))
    hiagent = mode is Mode.HIAGENT
    told = hiagent and not without & {Part.SUMMARY, Part.MEMORY}
    if hiagent and Part.MEMORY not in without and not example.get("whole", False):
        messages = _working(example, with_summaries=told)
    else:
        messages = _whole(example, with_subgoals=hiagent, with_summaries=told)
    # A name of its own for every fixed part: the engine keeps one for each name.
    name = "-".join([mode, kind, *sorted(without)])
    return Opening(name, (system, *messages))


def _whole(example: dict[str, Any], *, with_subgoals: bool, with_summaries: bool = False) -> list[Message]:
    """An example with all its steps; it ends with the model's last line, so that a user's message can follow."""
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


def _working(example: dict[str, Any], *, with_summaries: bool) -> list[Message]:
    """An example as working memory holds it: a subgoal in full, lines for those before it, and the next one begun."""
    subgoals = example["subgoals"]
    shown = max(0, len(subgoals) - 2)
    finished = [
        finished_line(number, one["text"], True, one["summary"])
        if with_summaries
        else finished_line(number, one["text"], None, one["steps"][-1]["observation"])
        for number, one in enumerate(subgoals[:shown], 1)
    ]
    now = subgoals[shown - 1]["now"] if shown else ""
    # The beginning is left out where later things stand: an example need not be read twice.
    start = "" if shown else example["start"]
    messages = [
        task(example["goal"], start, finished=finished, now=now),
        *_whole({**example, "subgoals": [subgoals[shown]]}, with_subgoals=True)[1:],
    ]
    if shown + 1 == len(subgoals):
        return messages
    current = subgoals[shown]
    lead = f"{ended_line(True, current['summary'])}\n" if with_summaries else ""
    seen = user(current["steps"][-1]["observation"])
    return [*messages, seen, assistant(lead + subgoal_line(subgoals[shown + 1]["text"]))]


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.text("prompts", f"{name}.toml"))
