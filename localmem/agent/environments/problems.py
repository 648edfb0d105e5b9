"""Problems for the four domains, made from a seed: PDDL text, so that no foreign data is needed to measure with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random

from localmem.errors import UsageError

LARGEST = 12
"""Of sizes: a prompt should hold what is seen."""


def generate(domain: str, *, seed: int, size: int) -> str:
    """A problem of that domain; the same one for the same seed and size, on every machine.

    Every problem can be solved, and its goal does not hold at the beginning.

    Args:
        domain: one of `GENERATORS`.
        seed: any whole number.
        size: blocks (2 at least), balls, wheels, or shots to be served.

    Raises:
        UsageError: another domain, or a size out of range.
    """
    if domain not in GENERATORS:
        raise UsageError(
            f"No problems are made for {domain!r}.", hint=f"The domains are: {', '.join(GENERATORS)}."
        )
    least = 2 if domain == "blocksworld" else 1
    if not least <= size <= LARGEST:
        raise UsageError(
            f"A problem of {domain} has a size from {least} to {LARGEST}, not {size}.",
            hint=f"For example: {least + 2}",
        )
    # A text as seed: its value does not depend on the process, as that of a tuple's hash does.
    objects, init, goal = GENERATORS[domain](Random(f"{domain} {size} {seed}"), size)
    return (
        f"(define (problem {domain}-{size}-{seed})\n  (:domain {domain})\n"
        f"  (:objects {' '.join(objects)})\n  (:init{_facts(init)})\n  (:goal (and{_facts(goal)})))\n"
    )


def _facts(facts: Iterable[str]) -> str:
    return "".join(f"\n    ({fact})" for fact in facts)


_Parts = tuple[list[str], list[str], list[str]]
"""Objects, facts at the beginning, facts of the goal."""


def _towers(random: Random, blocks: Sequence[str]) -> list[list[str]]:
    """The blocks in one or more towers, each from its top to its bottom."""
    left = random.sample(blocks, len(blocks))
    towers: list[list[str]] = []
    while left:
        height = random.randint(1, len(left))
        towers.append(left[:height])
        left = left[height:]
    return towers


def _upon(towers: Iterable[Sequence[str]]) -> list[str]:
    return [f"on {upper} {lower}" for tower in towers for upper, lower in pairwise(tower)]


def _blocksworld(random: Random, size: int) -> _Parts:
    blocks = [f"b{number}" for number in range(1, size + 1)]
    while True:
        towers, wanted = _towers(random, blocks), _upon(_towers(random, blocks))
        held = _upon(towers)
        if wanted and not set(wanted) <= set(held):
            break
    init = ["arm-empty", *held]
    init += [f"clear {tower[0]}" for tower in towers] + [f"on-table {tower[-1]}" for tower in towers]
    return blocks, init, wanted


def _gripper(random: Random, size: int) -> _Parts:
    balls = [f"ball{number}" for number in range(1, size + 1)]
    rooms = ["rooma", "roomb"]
    while True:
        held = {ball: random.choice(rooms) for ball in balls}
        wanted = {ball: random.choice(rooms) for ball in balls}
        if held != wanted:
            break
    init = [f"room {room}" for room in rooms] + [f"ball {ball}" for ball in balls]
    init += ["gripper left", "gripper right", "free left", "free right", f"at-robby {random.choice(rooms)}"]
    init += [f"at {ball} {room}" for ball, room in held.items()]
    return [*rooms, *balls, "left", "right"], init, [f"at {ball} {room}" for ball, room in wanted.items()]


def _tyreworld(random: Random, size: int) -> _Parts:
    numbers = range(1, size + 1)
    objects = [
        "boot - container",
        *(f"the-hub{n} - hub nuts{n} - nut w{n} - wheel r{n} - wheel" for n in numbers),
    ]
    init = ["closed boot", "unlocked boot", *(f"in {tool} boot" for tool in ("jack", "pump", "wrench"))]
    goal = []
    for n in numbers:
        init += [f"in r{n} boot", f"intact r{n}", f"on w{n} the-hub{n}", f"on-ground the-hub{n}"]
        init += [f"tight nuts{n} the-hub{n}", f"fastened the-hub{n}"]
        if random.random() < 0.5:
            init.append(f"not-inflated r{n}")
            goal.append(f"inflated r{n}")
        else:
            init.append(f"inflated r{n}")
        goal.append(f"on r{n} the-hub{n}")
        if random.random() < 0.5:
            goal.append(f"in w{n} boot")
        if random.random() < 0.5:
            goal.append(f"tight nuts{n} the-hub{n}")
    goal += [f"in {tool} boot" for tool in ("jack", "pump", "wrench") if random.random() < 0.3]
    return objects, init, goal


def _barman(random: Random, size: int) -> _Parts:
    ingredients = [f"ingredient{n}" for n in range(1, 4)]
    cocktails = [f"cocktail{n}" for n in range(1, size + 1)]
    # One shot more than are served, as a measure: a full one cannot be poured from without being used again.
    shots = [f"shot{n}" for n in range(1, size + 2)]
    objects = ["shaker1 - shaker", "left right - hand", f"{' '.join(shots)} - shot", "l0 l1 l2 - level"]
    objects += [f"{' '.join(ingredients)} - ingredient", f"{' '.join(cocktails)} - cocktail"]
    objects += ["dispenser1 dispenser2 dispenser3 - dispenser"]
    init = [f"dispenses dispenser{n} ingredient{n}" for n in range(1, 4)]
    for vessel in ("shaker1", *shots):
        init += [f"ontable {vessel}", f"clean {vessel}", f"empty {vessel}"]
    init += ["handempty left", "handempty right", "shaker-empty-level shaker1 l0", "shaker-level shaker1 l0"]
    init += ["next l0 l1", "next l1 l2"]
    for cocktail in cocktails:
        one, two = random.sample(ingredients, 2)
        init += [f"cocktail-part1 {cocktail} {one}", f"cocktail-part2 {cocktail} {two}"]
    goal = [
        f"contains {shot} {random.choice(cocktails if random.random() < 0.7 else ingredients)}"
        for shot in shots[:size]
    ]
    return objects, init, goal


GENERATORS = {
    "blocksworld": _blocksworld,
    "gripper": _gripper,
    "tyreworld": _tyreworld,
    "barman": _barman,
}
