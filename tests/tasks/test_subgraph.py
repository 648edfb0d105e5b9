"""The part of the graph that a turn needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.tasks.subgraph import MOST_NODES, lines, rough_cost, subgraph
from tests.tasks.scene import graph_of
from tests.tasks.support import TURNS, Choice, told

FAIR = """old fair
- awning
fair
- stall = oak
- - nails
- - cloth
- lamp
- rope (removed)
class
- glaze"""


def shown(*wanted: str, budget: int = 1000, near: tuple[str, ...] = (), deleted: bool = False) -> list[str]:
    graph = graph_of(FAIR)
    ids = [graph.find(name)[0].id for name in wanted]
    close = [graph.find(name)[0].id for name in near]
    return [graph[id].slot for id in subgraph(graph, ids, budget=budget, near=close, deleted=deleted)]


def test_what_is_wanted_comes_with_all_above_it_even_without_a_budget() -> None:
    assert shown("nails", budget=0) == ["fair", "stall", "nails"]


def test_a_deleted_node_comes_if_it_is_wanted() -> None:
    assert shown("rope", budget=0) == ["fair", "rope"]


def test_a_deleted_node_beside_comes_only_if_asked_for() -> None:
    assert "rope" not in shown("lamp")
    assert "rope" in shown("lamp", deleted=True)


def test_parts_and_neighbours_come_before_other_tasks() -> None:
    budget = sum(rough_cost(text) for text in ("fair", "stall = oak", "nails", "cloth"))
    assert shown("stall", budget=budget) == ["fair", "stall", "nails", "cloth"]


def test_what_was_spoken_of_last_comes_before_other_tasks() -> None:
    assert shown(budget=2 * rough_cost("class"), near=("glaze",)) == ["class", "glaze"]


def test_of_other_tasks_the_latest_comes_first() -> None:
    assert shown(budget=rough_cost("class")) == ["class"]


def test_with_a_large_budget_all_live_nodes_come() -> None:
    assert shown() == ["old fair", "awning", "fair", "stall", "nails", "cloth", "lamp", "class", "glaze"]


def test_never_more_than_a_bounded_number_of_nodes_fills_up_the_budget() -> None:
    graph = graph_of("fair\n" + "\n".join(f"- peg {n}" for n in range(100)))
    assert len(subgraph(graph, [], budget=10**6)) <= MOST_NODES


def test_a_cost_of_ones_own_counts() -> None:
    graph = graph_of(FAIR)
    assert subgraph(graph, [], budget=1, cost=lambda _: 2) == []


def test_lines_stand_below_their_whole_with_marks() -> None:
    graph = graph_of(FAIR)
    assert lines(graph, [node.id for node in graph]) == [
        "old fair",
        "- awning",
        "fair",
        "- stall = oak",
        "- - nails",
        "- - cloth",
        "- lamp",
        "- rope (removed)",
        "class",
        "- glaze",
    ]


def test_lines_of_a_flat_list_have_no_marks_before_them() -> None:
    graph = graph_of("fair\n- lamp\n- - wick")
    assert lines(graph, [1, 2, 3], flat=True) == ["fair", "lamp", "wick"]


def test_former_values_stand_behind_the_present_one() -> None:
    graph = graph_of("fair\n- lamp = red (was blue, green)")
    assert lines(graph, [1, 2], former=True)[1] == "- lamp = red (was blue, green)"
    assert lines(graph, [1, 2])[1] == "- lamp = red"


def test_what_is_done_is_marked() -> None:
    graph = graph_of("fair\n- lamp (done)")
    assert lines(graph, [1, 2])[1] == "- lamp (done)"


def test_a_shared_part_stands_below_each_whole() -> None:
    graph = graph_of("fair\n- lamp\n- - wick\nclass\n- lamp")
    assert lines(graph, [node.id for node in graph]) == ["fair", "- lamp", "- - wick", "class", "- lamp"]


def test_a_part_whose_whole_is_not_shown_stands_by_itself() -> None:
    graph = graph_of("fair\n- lamp")
    assert lines(graph, [2]) == ["lamp"]


@given(TURNS, st.lists(st.integers(0, 30), max_size=5), st.integers(0, 200), st.booleans())
def test_wanted_nodes_and_live_ancestors_are_always_shown(
    turns: list[list[Choice]], picks: list[int], budget: int, deleted: bool
) -> None:
    graph = told(turns)[-1]
    ids = [node.id for node in graph]
    wanted = list(dict.fromkeys(ids[pick % len(ids)] for pick in picks))
    found = subgraph(graph, wanted, budget=budget, near=ids[:2], deleted=deleted)
    assert found == sorted(set(found))
    assert set(wanted) <= set(found)
    waiting = list(found)
    while waiting:
        above = [id for id in graph[waiting.pop()].parents if graph[id].live]
        assert set(above) <= set(found)
        waiting += above


@given(TURNS, st.booleans())
def test_every_node_shown_has_a_line(turns: list[list[Choice]], former: bool) -> None:
    graph = told(turns)[-1]
    ids = [node.id for node in graph]
    made = lines(graph, ids, former=former)
    for node in graph:
        assert any(node.label in line for line in made)


@pytest.mark.parametrize("text", ["", "lamp", "a" * 400])
def test_a_longer_line_costs_no_less(text: str) -> None:
    assert rough_cost(text) <= rough_cost(text + "abcd")
