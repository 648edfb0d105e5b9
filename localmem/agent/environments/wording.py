"""PDDL in words: facts as sentences, actions as lines, and lines back to actions.

The words follow the text interface of AgentBoard's PDDL worlds, in which HiAgent was measured. A domain that has
no words here is spoken of in plain PDDL names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from localmem.agent.environments.simulator import Fact, Task


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of one domain; "{0}" stands for the first argument."""

    actions: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    kinds: frozenset[str] = frozenset()
    """Predicates that say of what kind an object is; told once, at the beginning."""
    only_changes: bool = False
    """Whether an observation tells only what became true; "look around" tells all."""

    def sentence(self, fact: Fact) -> str:
        """A fact as a sentence."""
        if fact[0] == "type":
            return f"{fact[1]} is a {fact[2]}."
        if fact[0] == "=":
            return f"{fact[1]} is {fact[2]}."
        pattern = self.facts.get(fact[0])
        return pattern.format(*fact[1:]) if pattern else f"{' '.join(fact)}."

    def sentences(self, facts: Iterable[Fact]) -> list[str]:
        """Facts as sentences, sorted, without those that say of what kind an object is."""
        return sorted(self.sentence(fact) for fact in facts if fact[0] not in self.kinds)

    def line(self, action: tuple[str, ...]) -> str:
        """An action, as name and arguments, as a line."""
        pattern = self.actions.get(action[0])
        return pattern.format(*action[1:]) if pattern else " ".join(action)

    def read(self, line: str, task: Task) -> tuple[str, ...] | None:
        """Name and arguments of a line, in words or in plain PDDL names; None: it is no action."""
        said = " ".join(re.findall(r"[^\s().,]+", line.lower()))
        for name, schema in task.schemas.items():
            count = len(schema.parameters)
            plain = " ".join([name, *(f"{{{place}}}" for place in range(count))])
            for pattern in {self.actions.get(name), plain}:
                found = pattern and re.fullmatch(_expression(pattern), said)
                if found:
                    return (name, *(found[f"a{place}"] for place in range(count)))
        return None


def _expression(pattern: str) -> str:
    """A regular expression for a pattern of words; a place that comes twice must be the same."""
    parts = re.split(r"\{(\d+)\}", pattern)
    return "".join(
        (rf"(?P<a{part}>\S+)" if part not in parts[1:place:2] else f"(?P=a{part})")
        if place % 2
        else re.escape(part)
        for place, part in enumerate(parts)
    )


BLOCKSWORLD = Wording(
    actions={
        "pickup": "pickup {0}",
        "putdown": "putdown {0}",
        "stack": "stack {0} on {1}",
        "unstack": "unstack {0} from {1}",
    },
    facts={
        "on": "{0} is on {1}.",
        "on-table": "{0} is on the table.",
        "clear": "{0} is clear.",
        "holding": "Your arm is holding {0}.",
        "arm-empty": "Your arm is empty.",
    },
)
GRIPPER = Wording(
    actions={
        "move": "move from {0} to {1}",
        "pick": "pick up {0} at {1} with arm {2}",
        "drop": "drop {0} at {1} with arm {2}",
    },
    facts={
        "at-robby": "You are at {0}.",
        "at": "{0} is at {1}.",
        "free": "Your {0} arm is free.",
        "carry": "You carry {0} with your {1} arm.",
        "room": "{0} is a room.",
        "ball": "{0} is a ball.",
        "gripper": "{0} is an arm.",
    },
    kinds=frozenset({"room", "ball", "gripper"}),
)
TYREWORLD = Wording(
    actions={
        "open": "open {0}",
        "close": "close {0}",
        "fetch": "fetch {0} from {1}",
        "put-away": "put-away {0} in {1}",
        "loosen": "loosen the nut {0} on the hub {1}",
        "tighten": "tighten the nut {0} on the hub {1}",
        "jack-up": "jack-up the hub {0}",
        "jack-down": "jack-down the hub {0}",
        "undo": "undo the fastening of the nut {0} on the hub {1}",
        "do-up": "do-up the nut {0} on the hub {1}",
        "remove-wheel": "remove-wheel {0} from the hub {1}",
        "put-on-wheel": "put-on-wheel {0} on the hub {1}",
        "inflate": "inflate the wheel {0}",
    },
    facts={
        "isopen": "{0} is open.",
        "closed": "{0} is closed.",
        "unlocked": "{0} is unlocked.",
        "in": "{0} is in {1}.",
        "have": "You have {0}.",
        "tight": "The nut {0} on the hub {1} is tight.",
        "loose": "The nut {0} on the hub {1} is loose.",
        "fastened": "The hub {0} is fastened.",
        "unfastened": "The hub {0} is unfastened.",
        "on-ground": "The hub {0} is on the ground.",
        "not-on-ground": "The hub {0} is jacked up.",
        "on": "{0} is on {1}.",
        "free": "The hub {0} is free.",
        "intact": "The wheel {0} is intact.",
        "inflated": "The wheel {0} is inflated.",
        "not-inflated": "The wheel {0} is not inflated.",
    },
    only_changes=True,
)
BARMAN = Wording(
    actions={
        "grasp": "{0} grasp {1}",
        "leave": "{0} leave {1}",
        "fill-shot": "fill-shot {0} {1} {2} {3} {4}",
        "refill-shot": "refill-shot {0} {1} {2} {3} {4}",
        "empty-shot": "empty-shot {0} {1} {2}",
        "clean-shot": "clean-shot {0} {1} {2} {3}",
        "pour-shot-to-clean-shaker": "pour-shot-to-clean-shaker {0} {1} {2} {3} {4} {5}",
        "pour-shot-to-used-shaker": "pour-shot-to-used-shaker {0} {1} {2} {3} {4} {5}",
        "empty-shaker": "empty-shaker {0} {1} {2} {3} {4}",
        "clean-shaker": "clean-shaker {0} {1} {2}",
        "shake": "shake {0} {1} {2} {3} {4} {5}",
        "pour-shaker-to-shot": "pour-shaker-to-shot {0} {1} {2} {3} {4} {5}",
    },
    facts={
        "ontable": "{0} is on the table.",
        "holding": "Your {0} hand is holding {1}.",
        "handempty": "Your {0} hand is empty.",
        "empty": "{0} is empty.",
        "contains": "{0} contains {1}.",
        "clean": "{0} is clean.",
        "used": "{0} is used with {1}.",
        "dispenses": "{0} dispenses {1}.",
        "shaker-level": "{0} is at level {1}.",
        "shaker-empty-level": "{0} is empty at level {1}.",
        "next": "Level {1} is next to level {0}.",
        "unshaked": "{0} is unshaked.",
        "shaked": "{0} is shaked.",
        "cocktail-part1": "The first part of {0} is {1}.",
        "cocktail-part2": "The second part of {0} is {1}.",
    },
    only_changes=True,
)
DOMAINS: Mapping[str, Wording] = {
    "blocksworld": BLOCKSWORLD,
    "gripper": GRIPPER,
    "tyreworld": TYREWORLD,
    "barman": BARMAN,
}


def recognised(task: Task) -> str:
    """Which of `DOMAINS` a task belongs to, by its actions; "" if to none."""
    return next(
        (
            name
            for name, wording in DOMAINS.items()
            if task.schemas.keys() == wording.actions.keys()
            and all(
                len(schema.parameters) == len(set(re.findall(r"\{\d\}", wording.actions[action])))
                for action, schema in task.schemas.items()
            )
        ),
        "",
    )
