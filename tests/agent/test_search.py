"""Looking ahead: relaxed distances, plans, the order of goals."""

from __future__ import annotations

from typing import Any

import pytest

from localmem.agent.environments import simulator
from localmem.agent.environments.pddl import PddlEnvironment, domain_text
from localmem.agent.environments.problems import generate
from localmem.agent.environments.relaxed import Relaxed
from localmem.agent.environments.search import MOST_NEEDED, Search
from localmem.agent.environments.simulator import Task

pytest.importorskip("jupyddl")

TOWER = (
    "(define (problem p) (:domain blocksworld) (:objects b1 b2 b3) (:init (arm-empty) (on-table b3)"
    " (on b2 b3) (on b1 b2) (clear b1)) (:goal (and (on b1 b2) (on b2 b3) (on b3 b1))))"
)
"""Its goal can never hold as a whole."""


def blocks(init: str, goal: str, names: str = "b1 b2 b3 b4") -> Task:
    return simulator.parse(
        domain_text("blocksworld"),
        f"(define (problem p) (:domain blocksworld) (:objects {names}) (:init (arm-empty) {init}) (:goal (and {goal})))",
    )


ON_TABLE = "(on-table b1) (on-table b2) (on-table b3) (clear b1) (clear b2) (clear b3)"


def test_a_distance_is_the_number_of_actions_where_nothing_is_undone() -> None:
    relaxed = Relaxed(blocks(ON_TABLE, "(on b1 b2) (on b2 b3)"))
    start = blocks(ON_TABLE, "(on b1 b2)").start
    assert relaxed.distance(start, [("on", "b1", "b2")]) == 2
    assert relaxed.distance(start, [("on", "b1", "b2"), ("on", "b2", "b3")]) == 4
    assert relaxed.distance(start, [("clear", "b1")]) == 0
    assert relaxed.distance(start, []) == 0


def test_what_no_action_makes_true_has_no_distance() -> None:
    task = blocks(ON_TABLE, "(on b1 b2)")
    assert Relaxed(task).distance(task.start, [("on", "b1", "b9")]) is None


def test_a_fact_that_must_stay_closes_the_ways_that_undo_it() -> None:
    task = blocks("(on-table b1) (on b2 b1) (on-table b3) (clear b2) (clear b3)", "(on b1 b3)")
    relaxed = Relaxed(task)
    assert relaxed.distance(task.start, [("on", "b1", "b3")]) == 3
    assert relaxed.distance(task.start, [("on", "b1", "b3")], keep=[("on", "b2", "b1")]) is None


def made(domain: str, seed: int) -> PddlEnvironment:
    return PddlEnvironment.of(
        domain_text(domain), generate(domain, seed=seed, size=3 if domain != "barman" else 1)
    )


@pytest.mark.parametrize("domain", ["blocksworld", "gripper", "tyreworld", "barman"])
@pytest.mark.parametrize("seed", range(3))
def test_the_surest_actions_lead_to_the_goal(domain: str, seed: int) -> None:
    world = made(domain, seed)
    world.reset()
    steps = 0
    while not world.done:
        route = world.route()
        assert set(route.actions) <= set(world.valid_actions())
        assert set(route.parts) == set(world.missing())
        assert world.step(route.actions[0]).valid
        steps += 1
        assert steps <= 60
    assert world.route().actions == world.route().parts == ()


def test_parts_of_a_goal_stand_in_an_order_in_which_they_stay() -> None:
    search = Search(task := blocks(ON_TABLE, "(on b1 b2) (on b2 b3)"))
    assert search.order(task.start) == [("on", "b2", "b3"), ("on", "b1", "b2")]


def test_a_part_that_has_to_be_undone_once_more_comes_later() -> None:
    init = "(on-table b3) (on b1 b3) (on-table b2) (clear b1) (clear b2)"
    world = Search(task := blocks(init, "(on b1 b2) (on b2 b3)"))
    assert world.order(task.start)[0] == ("on", "b2", "b3")


def test_a_goal_that_cannot_hold_has_the_way_to_its_best() -> None:
    world = PddlEnvironment.of(domain_text("blocksworld"), TOWER)
    world.reset()
    route = world.route()
    assert set(route.parts) == set(world.missing())
    assert set(route.actions) <= set(world.valid_actions())


def test_along_a_plan_nothing_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Search(task := blocks(ON_TABLE, "(on b1 b2) (on b2 b3)"))
    plan = search.plan(task.start)

    def fail(*_: Any) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr(search, "_search", fail)
    state = task.start
    for place, (name, *arguments) in enumerate(plan):
        assert search.plan(state) == plan[place:]
        state = simulator.successor(task.schemas[name], arguments, state)


def test_what_the_next_actions_need_is_true_now() -> None:
    search = Search(task := blocks(ON_TABLE, "(on b1 b2) (on b2 b3)"))
    needed = search.needed(task.start)
    assert set(needed) <= task.start
    first = search.plan(task.start)[0]
    assert set(simulator.ground(task.schemas[first[0]], first[1:])[0]) <= set(needed)
    assert MOST_NEEDED >= 1


def test_only_an_action_after_which_less_is_left_stands_beside_the_surest() -> None:
    search = Search(task := blocks(ON_TABLE, "(on b1 b2)"))
    assert search.nearer(task.start) == [("pickup", "b1")]


def test_reachable_actions_hold_all_that_can_be_done_on_the_way() -> None:
    world = made("tyreworld", 0)
    world.reset()
    known = set(simulator.reachable(world.task))
    state = world.task.start
    for _ in range(8):
        applicable = simulator.applicable(world.task, state)
        assert set(applicable) <= known
        name, *arguments = applicable[len(applicable) // 2]
        state = simulator.successor(world.task.schemas[name], arguments, state)
