"""PDDL worlds: states, words, problems made from a seed, and reference plans replayed."""

from __future__ import annotations

import json
import os
from collections import deque
from pathlib import Path

import pytest

from localmem.agent.environments import pddl, problems
from localmem.agent.environments.pddl import PddlEnvironment
from localmem.agent.environments.wording import DOMAINS
from localmem.errors import AgentError, UsageError
from localmem.llm import grammar

pytest.importorskip("jupyddl")

STACKED = """(define (problem p) (:domain blocksworld) (:objects b1 b2 b3)
  (:init (arm-empty) (on-table b1) (on b2 b1) (clear b2) (on-table b3) (clear b3))
  (:goal (and (on b1 b2) (on b2 b3))))"""
SOLUTION = ["unstack b2 from b1", "stack b2 on b3", "pickup b1", "stack b1 on b2"]


@pytest.fixture
def blocks() -> PddlEnvironment:
    environment = PddlEnvironment.of(pddl.domain_text("blocksworld"), STACKED)
    environment.reset()
    return environment


def made(domain: str, seed: int, size: int) -> PddlEnvironment:
    return PddlEnvironment.of(pddl.domain_text(domain), problems.generate(domain, seed=seed, size=size))


def test_the_goal_is_told_as_conditions(blocks: PddlEnvironment) -> None:
    assert blocks.goal == ("The goal is to satisfy the following conditions: b1 is on b2., b2 is on b3.")


def test_the_beginning_is_told_whole(blocks: PddlEnvironment) -> None:
    assert blocks.reset() == (
        "Your arm is empty. b1 is on the table. b2 is clear. b2 is on b1. b3 is clear. b3 is on the table."
    )


def test_objects_that_nothing_is_said_of_are_told_too() -> None:
    rooms = made("gripper", 7, 2)
    assert rooms.reset().endswith("ball2 is at rooma. There is also: room roomb.")


def test_what_an_action_gains_is_known_ahead(blocks: PddlEnvironment) -> None:
    for line in SOLUTION[:3]:
        blocks.step(line)
    assert blocks.gains(SOLUTION[3]) == (("b1 is on b2.",), ())
    blocks.step("putdown b1")
    assert blocks.gains("unstack b2 from b3") == ((), ("b2 is on b3.",))


def test_in_worlds_that_tell_changes_the_present_is_what_became_true() -> None:
    bar = made("barman", 1, 1)
    bar.reset()
    assert bar.now() == "All is as at the beginning."
    bar.step("left grasp shot1")
    assert bar.now() == "Your left hand is holding shot1."


def test_valid_actions_are_told_in_words(blocks: PddlEnvironment) -> None:
    assert blocks.valid_actions() == ("pickup b3", "unstack b2 from b1")


def test_the_grammar_matches_valid_actions_alone(blocks: PddlEnvironment) -> None:
    compiled = grammar.compile(f"root ::= {blocks.grammar()}")
    assert [line for line in (*SOLUTION, "pickup b3") if compiled.accepts(line)] == [
        "unstack b2 from b1",
        "pickup b3",
    ]


def test_a_plan_reaches_the_goal_step_by_step(blocks: PddlEnvironment) -> None:
    told = []
    for line in SOLUTION:
        assert blocks.step(line).valid
        told.append((blocks.progress(), blocks.done))
    assert told == [(0.0, False), (0.5, False), (0.5, False), (1.0, True)]


def test_an_action_is_understood_in_plain_pddl_and_whatever_its_case(blocks: PddlEnvironment) -> None:
    assert blocks.step("(Unstack b2 b1)").valid
    assert blocks.step("  PUTDOWN   b2. ").valid


def test_progress_never_falls(blocks: PddlEnvironment) -> None:
    for line in [*SOLUTION[:2], "unstack b2 from b3"]:
        blocks.step(line)
    assert blocks.progress() == 0.5
    assert blocks.missing() == ("b1 is on b2.", "b2 is on b3.")


def test_an_invalid_action_is_answered_with_what_is_unmet(blocks: PddlEnvironment) -> None:
    before = blocks.state()
    outcome = blocks.step("pickup b1")
    assert (outcome.valid, outcome.observation) == (
        False,
        "The action is not valid. This must be true first: b1 is clear.",
    )
    assert blocks.state() == before


def test_an_unknown_object_is_named(blocks: PddlEnvironment) -> None:
    assert blocks.step("pickup b9").observation == "The action is not valid: there is no b9."


@pytest.mark.parametrize(
    "line", ["", "fly", "pickup", "pickup b1 b2", "stack b1 b2 b3", "?", "pickup \x1b[1m"]
)
def test_what_is_no_action_is_answered_with_the_nearest_ones(blocks: PddlEnvironment, line: str) -> None:
    outcome = blocks.step(line)
    assert not outcome.valid
    assert outcome.observation.startswith(("That is no action. Nearest are: ", "The action is not valid"))


def test_looking_around_tells_all_and_changes_nothing(blocks: PddlEnvironment) -> None:
    before = blocks.state()
    assert blocks.step(pddl.LOOK).observation in blocks.reset()
    assert blocks.step(pddl.LIST).observation == "Valid actions are: pickup b3, unstack b2 from b1."
    assert blocks.state() == before


def test_a_state_can_be_seen_ahead(blocks: PddlEnvironment) -> None:
    ahead = blocks.peek("pickup b3")
    assert ahead != blocks.state()
    blocks.step("pickup b3")
    assert blocks.state() == ahead
    assert {blocks.peek(action) for action in ("pickup b1", "pickup b9", "fly")} == {blocks.state()}


def test_steps_are_restored(blocks: PddlEnvironment) -> None:
    steps = [(line, blocks.step(line)) for line in [*SOLUTION[:2], "pickup b9"]]
    state = blocks.state()
    blocks.reset()
    blocks.restore(steps)
    assert (blocks.state(), blocks.progress()) == (state, 0.5)


def test_steps_of_another_problem_are_refused(blocks: PddlEnvironment) -> None:
    steps = [(SOLUTION[0], blocks.step(SOLUTION[0]))]
    other = PddlEnvironment.of(
        pddl.domain_text("blocksworld"),
        STACKED.replace("(on b2 b1) (clear b2)", "(on-table b2) (clear b2) (clear b1)"),
    )
    other.reset()
    with pytest.raises(AgentError, match="has another outcome"):
        other.restore(steps)


def test_barman_tells_what_became_true() -> None:
    bar = made("barman", 1, 1)
    bar.reset()
    assert bar.step("left grasp shot1").observation == "Your left hand is holding shot1."
    assert bar.step("left grasp shot2").observation.endswith(
        "This must be true first: Your left hand is empty."
    )
    assert "shot2 is on the table." in bar.step(pddl.LOOK).observation


def test_a_wrong_type_is_told() -> None:
    bar = made("barman", 1, 1)
    bar.reset()
    assert "shot1 is a hand." in bar.step("shot1 grasp left").observation


def test_conditions_that_must_not_hold_are_told() -> None:
    rules = """(define (domain d) (:requirements :strips :typing :negative-preconditions :equality)
      (:types spot) (:predicates (at ?s - spot) (wet ?s - spot))
      (:action hop :parameters (?a ?b - spot)
        :precondition (and (at ?a) (not (wet ?b)) (not (= ?a ?b)))
        :effect (and (at ?b) (not (at ?a)))))"""
    world = PddlEnvironment.of(
        rules,
        "(define (problem p) (:domain d) (:objects x y z - spot) (:init (at x) (wet y)) (:goal (at z)))",
    )
    assert world.reset().endswith("The actions are: hop <a> <b>.")
    assert (world.kind, world.valid_actions()) == ("pddl", ("hop x z",))
    assert world.step("hop x y").observation == "The action is not valid. This must not be true: wet y."
    assert world.step("hop x x").observation.endswith("This must not be true: x is x.")
    assert world.step("hop x z").valid
    assert world.done


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ("(define", STACKED),
        ("", STACKED),
        (STACKED, STACKED),
        ("(define (domain d) (:action a :parameters (?x) :effect (forall (?y) (p ?y))))", STACKED),
        ("(define (domain blocksworld) (:functions (cost)))", STACKED),
        ("(define (domain blocksworld))", "(define (problem p) (:goal (or (a) (b))))"),
        ("(define (domain blocksworld))", "(define (problem p) (:init (on b1 b2)) (:goal (on b1 b2)))"),
        ("(" * 5000, STACKED),
    ],
)
def test_what_is_no_strips_problem_is_refused_in_one_line(rules: str, problem: str) -> None:
    with pytest.raises(AgentError, match="The problem cannot be read") as refused:
        PddlEnvironment.of(rules, problem)
    assert "\n" not in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize("domain", problems.GENERATORS)
def test_the_same_seed_makes_the_same_problem(domain: str) -> None:
    texts = [problems.generate(domain, seed=seed, size=3) for seed in (1, 1, 2, 3)]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3


def test_a_problem_is_the_same_on_every_machine() -> None:
    assert problems.generate("gripper", seed=7, size=2).splitlines()[-6:] == [
        "    (at-robby rooma)",
        "    (at ball1 rooma)",
        "    (at ball2 rooma))",
        "  (:goal (and",
        "    (at ball1 rooma)",
        "    (at ball2 roomb))))",
    ]


@pytest.mark.parametrize("domain", problems.GENERATORS)
@pytest.mark.parametrize("seed", range(4))
def test_made_problems_are_of_their_domain_and_not_solved(domain: str, seed: int) -> None:
    for size in (2, 5, problems.LARGEST):
        world = made(domain, seed, size)
        world.reset()
        assert (world.kind, world.done, bool(world.valid_actions())) == (domain, False, True)


def shortest(world: PddlEnvironment) -> int | None:
    """Steps that the goal is away, by breadth-first search."""
    from localmem.agent.environments import simulator

    task = world.task
    seen, queue = {task.start}, deque([(task.start, 0)])
    while queue:
        state, steps = queue.popleft()
        if set(task.goal) <= state:
            return steps
        for name, *arguments in simulator.applicable(task, state):
            new = simulator.successor(task.schemas[name], arguments, state)
            if new not in seen:
                seen.add(new)
                queue.append((new, steps + 1))
    return None


@pytest.mark.parametrize(("domain", "size"), [("blocksworld", 3), ("gripper", 2), ("barman", 1)])
@pytest.mark.parametrize("seed", range(3))
def test_made_problems_can_be_solved(domain: str, size: int, seed: int) -> None:
    assert (shortest(made(domain, seed, size)) or 0) > 0


@pytest.mark.parametrize("seed", range(8))
def test_a_flat_tyre_can_be_changed(seed: int) -> None:
    world = made("tyreworld", seed, 1)
    world.reset()
    away = "put-away {0} in boot"
    for line in [
        "open boot", "fetch wrench from boot", "fetch jack from boot", "fetch pump from boot", "fetch r1 from boot",
        "loosen the nut nuts1 on the hub the-hub1", "jack-up the hub the-hub1",
        "undo the fastening of the nut nuts1 on the hub the-hub1", "remove-wheel w1 from the hub the-hub1",
        "put-on-wheel r1 on the hub the-hub1", "do-up the nut nuts1 on the hub the-hub1",
        "jack-down the hub the-hub1", "tighten the nut nuts1 on the hub the-hub1",
    ]:  # fmt: skip
        assert world.step(line).valid, line
    world.step("inflate the wheel r1")
    for thing in ("w1", "jack", "pump", "wrench"):
        assert world.step(away.format(thing)).valid
    assert world.done


@pytest.mark.parametrize(
    ("domain", "size"), [("chess", 3), ("gripper", 0), ("blocksworld", 1), ("barman", 99)]
)
def test_what_cannot_be_made_is_wrong_usage(domain: str, size: int) -> None:
    with pytest.raises(UsageError):
        problems.generate(domain, seed=1, size=size)


def test_a_folder_of_problems_is_read(tmp_path: Path) -> None:
    (tmp_path / "blocks").mkdir()
    (tmp_path / "blocks" / "domain.pddl").write_text(pddl.domain_text("blocksworld"), encoding="utf-8")
    (tmp_path / "blocks" / "p1.pddl").write_text(STACKED, encoding="utf-8")
    [(name, rules, problem)] = pddl.folder(tmp_path)
    assert (name, PddlEnvironment.of(rules, problem).kind) == ("blocks/p1", "blocksworld")


@pytest.mark.parametrize("name", ["nothing", "."])
def test_a_folder_without_problems_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(AgentError, match="There are no problems in"):
        pddl.folder(tmp_path / name)


def reference() -> Path:
    named = os.environ.get("LOCALMEM_TEST_PDDL")
    if not named or not Path(named, "reference_plans.json").exists():
        pytest.skip("no reference plans: set LOCALMEM_TEST_PDDL to their folder")
    return Path(named)


def test_reference_plans_reach_their_goals() -> None:
    texts = {name: (rules, problem) for name, rules, problem in pddl.folder(reference())}
    plans = json.loads((reference() / "reference_plans.json").read_text(encoding="utf-8"))
    reached = {}
    for name, plan in plans.items():
        world = PddlEnvironment.of(*texts[name])
        world.reset()
        assert world.kind in DOMAINS
        for line in plan["plan"]:
            assert world._words.line(tuple(line.split())) in world.valid_actions()
            assert world.step(line).valid
        reached[name] = world.progress()
    assert reached == dict.fromkeys(plans, 1.0)
