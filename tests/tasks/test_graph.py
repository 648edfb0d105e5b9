"""Nodes, edges, cycles and names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from localmem.errors import TaskError
from localmem.tasks import Op, Operation
from tests.tasks.support import Plan, kitchen


def test_a_task_cannot_be_a_part_of_itself() -> None:
    plan = kitchen()
    bread = plan.id("bake bread")
    with pytest.raises(TaskError, match="cannot be a part of"):
        plan.turn(Operation(Op.LINK, bread, parent=bread))


def test_a_task_cannot_be_a_part_of_its_own_part() -> None:
    plan = kitchen()
    plan.add("sieve", below="flour")
    with pytest.raises(TaskError, match="'bake bread' cannot be a part of 'sieve': it contains or needs it"):
        plan.do(Op.LINK, "bake bread", below="sieve")


def test_tasks_cannot_depend_on_each_other() -> None:
    plan = Plan()
    plan.add("paint")
    plan.add("sand", needs=["paint"])
    with pytest.raises(TaskError, match="'paint' cannot depend on 'sand'"):
        plan.turn(Operation(Op.LINK, plan.id("paint"), dependencies=(plan.id("sand"),)))


def test_a_part_cannot_depend_on_its_whole() -> None:
    plan = kitchen()
    with pytest.raises(TaskError, match="'milk' cannot depend on 'fry pancakes'"):
        plan.turn(Operation(Op.LINK, plan.id("milk"), dependencies=(plan.id("fry pancakes"),)))


def test_a_task_may_depend_on_its_own_part() -> None:
    plan = kitchen()
    pancakes, milk = plan.id("fry pancakes"), plan.id("milk")
    plan.turn(Operation(Op.LINK, pancakes, dependencies=(milk,)))
    plan.turn(Operation(Op.DELETE, pancakes, dependencies=(milk,)))
    assert [child.slot for child in plan.graph.children(pancakes)] == ["flour", "milk"]
    assert plan.graph.dependents(milk) == []


def test_two_edges_that_close_a_cycle_only_together_are_refused() -> None:
    plan = Plan()
    plan.add("roof")
    plan.add("walls", needs=["roof"])
    plan.add("house")
    with pytest.raises(TaskError, match="contains or needs"):
        plan.turn(
            Operation(Op.LINK, plan.id("house"), parent=plan.id("roof"), dependencies=(plan.id("walls"),))
        )
    assert plan.graph.children(plan.id("roof")) == []


def test_a_refused_edge_leaves_no_trace() -> None:
    plan = kitchen()
    before = plan.graph
    with pytest.raises(TaskError):
        plan.turn(
            Operation(Op.ADD, -1, "egg", parent=plan.id("milk")),
            Operation(Op.LINK, plan.id("fry pancakes"), parent=-1),
        )
    assert plan.graph == before
    assert plan.graph.next_id == before.next_id == 5


def test_a_task_that_is_not_there_is_refused() -> None:
    plan = kitchen()
    for operation in (
        Operation(Op.SET, 99, value="x"),
        Operation(Op.ADD, None, "x", parent=99),
        Operation(Op.ADD, None, "x", dependencies=(99,)),
        Operation(Op.LINK, 1, dependencies=(99,)),
        Operation(Op.QUERY, 99),
    ):
        with pytest.raises(TaskError, match="no task number 99"):
            plan.turn(operation)


@pytest.mark.parametrize("name", ["flour", "FLOUR", "  Flour ", '"flour"', "flour.", "ｆｌｏｕｒ"])
def test_case_spaces_width_and_punctuation_of_a_name_do_not_count(name: str) -> None:
    assert [node.slot for node in kitchen().graph.find(name)] == ["flour"]


def test_a_path_names_the_task_at_its_end() -> None:
    plan = kitchen()
    plan.add("milk", below="bake bread")
    assert len(plan.graph.find("milk")) == 2
    (found,) = plan.graph.find("Bake  bread > milk")
    assert found.parents == (plan.id("bake bread"),)


def test_every_line_of_the_paths_names_the_task_at_its_end() -> None:
    plan = kitchen()
    plan.do(Op.SET, "fry pancakes", value="Sunday")
    assert "fry pancakes = Sunday > flour = sift" in plan.paths()
    assert [len(plan.graph.find(path)) for path in plan.paths()] == [1] * 5


def test_a_name_may_look_like_a_path() -> None:
    plan = Plan()
    plan.add("score > 5")
    assert [node.slot for node in plan.graph.find("score > 5")] == ["score > 5"]


def test_a_former_name_finds_what_stands_in_its_place() -> None:
    plan = kitchen()
    plan.do(Op.REPLACE, "milk", to="oat drink")
    assert [node.slot for node in plan.graph.find("milk")] == ["oat drink"]
    plan.add("milk", below="bake bread")
    assert [node.slot for node in plan.graph.find("milk")] == ["milk"]


def test_a_live_task_hides_a_deleted_one_of_its_name() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "milk")
    assert [node.live for node in plan.graph.find("milk")] == [False]
    plan.add("milk", below="bake bread")
    assert [node.live for node in plan.graph.find("milk")] == [True]


def test_an_unknown_name_is_an_error_that_suggests_known_ones() -> None:
    with pytest.raises(TaskError, match="no task named 'flower'") as raised:
        kitchen().graph.find("flower")
    assert raised.value.hint == "Did you mean: flour?"
    with pytest.raises(TaskError) as raised:
        kitchen().graph.find("pancakes")
    assert raised.value.hint == "Did you mean: fry pancakes?"
    with pytest.raises(TaskError) as raised:
        kitchen().graph.find("")
    assert "tasks list" in raised.value.hint


def test_a_node_that_is_refused_leaves_the_edges_alone() -> None:
    plan = kitchen()
    plan.add("sieve", below="flour")
    graph, milk, sieve = plan.graph, plan.id("milk"), plan.id("sieve")
    pancakes = graph[plan.id("fry pancakes")]
    wrong = [
        replace(pancakes, parents=(plan.id("bake bread"), sieve)),
        replace(graph[milk], parents=(sieve,), dependencies=(plan.id("flour"),)),
        replace(pancakes, id=77, parents=(sieve,), dependencies=(plan.id("flour"),)),
        replace(pancakes, id=77, parents=(77,)),
        replace(pancakes, id=77, parents=(99,)),
        replace(pancakes, dependencies=(99,)),
    ]
    before = plan.paths()
    for node in wrong:
        with pytest.raises(TaskError):
            graph.put(node)
        assert plan.paths() == before
        assert graph.dependents(plan.id("flour")) == []
        assert [child.id for child in graph.children(sieve)] == []
        assert 77 not in graph
    graph.put(replace(pancakes, id=77))
    assert graph.children(77) == []
