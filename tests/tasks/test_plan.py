"""Lines to operations."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.tasks import Moment, Op, TaskGraph, after, render
from localmem.tasks.plan import plan
from localmem.tasks.trim import Line, Verb
from tests.tasks.scene import context_of, tips
from tests.tasks.support import START, TURNS, Choice, accepted, told


def outcome(state: str, said: str, *lines: Line, focus: list[str] | None = None) -> list[str]:
    """Paths after the lines; a node in them is named by its place among all, from 1."""
    context = context_of(state, said, focus=focus)
    operations = plan(lines, context)
    graph = after(context.graph, operations, Moment(context.graph.turn + 1, START, said)).graph
    return tips(render.paths(graph))


def kinds(state: str, said: str, *lines: Line) -> list[Op]:
    return [operation.op for operation in plan(lines, context_of(state, said))]


def part(parent: int, slot: str, text: str = "") -> Line:
    return Line(Verb.PART, "", (parent,), slot=slot, text=text)


def test_a_new_task_comes_with_its_parts() -> None:
    lines = Line(Verb.NEW, "", (-1,), text="fair"), part(-1, "stall"), part(-1, "color", "red")
    assert sorted(outcome("(nothing yet)", "fair, stall, red", *lines)) == [
        "fair > color = red",
        "fair > stall",
    ]


def test_a_new_task_that_stands_already_gets_the_parts() -> None:
    lines = Line(Verb.NEW, "", (-1,), text="Fair"), part(-1, "stall")
    assert outcome("fair", "the fair, a stall", *lines) == ["fair > stall"]


def test_two_new_tasks_keep_their_parts_apart() -> None:
    lines = (
        Line(Verb.NEW, "", (-1,), text="fair"),
        part(-1, "stall"),
        Line(Verb.NEW, "", (-2,), text="rota"),
        part(-2, "Bo"),
    )
    assert sorted(outcome("(nothing yet)", "fair stall rota Bo", *lines)) == ["fair > stall", "rota > Bo"]


def test_what_stands_already_is_not_added_twice() -> None:
    assert kinds("fair\n- stall", "a stall", part(1, "Stall")) == []
    assert kinds("fair\n- stall", "stalls", part(1, "stalls")) == []


def test_what_was_removed_is_restored_instead_of_added() -> None:
    assert kinds("fair\n- stall (removed)", "a stall", part(1, "stall")) == [Op.RESTORE]


@pytest.mark.parametrize("slot", ["date", "price", "Ort", "Größe", "hora"])
def test_a_second_value_of_an_attribute_takes_the_place_of_the_first(slot: str) -> None:
    assert outcome(f"fair\n- {slot} = oak", "elm", part(1, slot, "elm")) == [f"fair > {slot} = elm"]


def test_a_second_guest_stands_beside_the_first() -> None:
    assert len(outcome("fair\n- guest = Ana", "invite Bo", part(1, "guest", "Bo"))) == 2


def test_a_part_named_with_too_is_the_one_of_the_other_task() -> None:
    assert sorted(outcome("fair\n- tent\nrota", "the tent for the rota too", part(3, "tent"))) == [
        "fair > tent",
        "rota > tent",
    ]
    assert kinds("fair\n- tent\nrota", "the tent for the rota too", part(3, "tent")) == [Op.LINK]


def test_a_part_without_too_is_another_one() -> None:
    assert kinds("fair\n- tent\nrota", "a tent for the rota", part(3, "tent")) == [Op.ADD]


def test_a_change_sets_a_value_where_there_is_one() -> None:
    assert outcome(
        "fair\n- stage = barn", "the stage is the mill", Line(Verb.CHANGE, "", (2,), text="mill")
    ) == ["fair > stage = mill"]


def test_a_swap_renames_what_has_no_value() -> None:
    assert outcome(
        "fair\n- lamp", "a lantern instead of the lamp", Line(Verb.CHANGE, "", (2,), text="lantern")
    ) == ["fair > lantern"]


def test_a_swap_of_a_named_slot_renames_it_and_keeps_its_value() -> None:
    line = Line(Verb.CHANGE, "", (2,), text="celeriac")
    assert outcome("stew\n- leeks = chop", "celeriac instead of leeks", line) == ["stew > celeriac = chop"]


def test_a_swap_of_one_word_of_a_name_keeps_the_others() -> None:
    line = Line(Verb.CHANGE, "", (2,), text="yellow")
    assert outcome("stew\n- red leeks = chop", "yellow instead of red", line) == [
        "stew > yellow leeks = chop"
    ]


def test_the_slot_of_an_attribute_is_never_renamed() -> None:
    line = Line(Verb.CHANGE, "", (2,), text="noon")
    assert outcome("fair\n- time = 4 PM", "swap the time for noon", line) == ["fair > time = noon"]


def test_a_swap_goes_everywhere_that_the_name_stands() -> None:
    state = "stew\n- leeks = chop\nsoup\n- leeks = chop "
    line = Line(Verb.CHANGE, "", (2,), text="celeriac")
    assert sorted(outcome(state, "use celeriac instead of leeks", line)) == [
        "soup > celeriac = chop",
        "stew > celeriac = chop",
    ]


def test_a_swap_stays_in_the_task_that_is_named() -> None:
    state = "stew\n- leeks = chop\nsoup\n- leeks = slice"
    line = Line(Verb.CHANGE, "", (4,), text="celeriac")
    assert sorted(outcome(state, "celeriac instead of leeks in the soup", line)) == [
        "soup > celeriac = slice",
        "stew > leeks = chop",
    ]


def test_delete_all_in_a_task_leaves_the_task() -> None:
    assert outcome("fair\n- tent\n- lamp", "drop everything", Line(Verb.DELETE, "", (1,), within=True)) == [
        "fair"
    ]


def test_done_goes_to_each_node() -> None:
    assert kinds("fair\n- tent\n- lamp", "both are done", Line(Verb.DONE, "", (2, 3))) == [Op.DONE, Op.DONE]


def test_only_what_is_not_active_is_restored() -> None:
    assert kinds("fair\n- tent\n- lamp (removed)", "both back", Line(Verb.RESTORE, "", (2, 3))) == [
        Op.RESTORE
    ]


def test_keep_removes_what_stands_beside() -> None:
    assert outcome("fair\n- tent\n- lamp\n- rope", "only keep the tent", Line(Verb.KEEP, "", (2,))) == [
        "fair > tent"
    ]


def test_keep_leaves_attributes_and_notes() -> None:
    state = "fair\n- date = 3 May\n- tent\n- lamp\n- note = wet"
    assert sorted(outcome(state, "only keep the tent", Line(Verb.KEEP, "", (3,)))) == [
        "fair > date = 3 May",
        "fair > note = wet",
        "fair > tent",
    ]


def test_keep_is_among_those_of_the_same_slot() -> None:
    state = "fair\n- guest = Ana\n- guest = Bo\n- tent"
    assert sorted(outcome(state, "only Ana comes", Line(Verb.KEEP, "", (2,)))) == [
        "fair > guest = Ana",
        "fair > tent",
    ]


def test_what_holds_another_that_stays_says_where_and_its_own_neighbours_stay() -> None:
    state = "fair\n- budget = 40\n- stalls\n- - tea\n- - cake\n- lamp"
    said = "of the stalls only the tea"
    assert sorted(outcome(state, said, Line(Verb.KEEP, "", (3, 4)))) == [
        "fair > budget = 40",
        "fair > lamp",
        "fair > stalls > tea",
    ]


def test_keep_restores_what_was_removed() -> None:
    assert outcome("fair\n- tent (removed)\n- lamp", "only the tent", Line(Verb.KEEP, "", (2,))) == [
        "fair > tent"
    ]


def test_back_goes_one_step() -> None:
    line = Line(Verb.BACK, "", (2,))
    assert outcome("fair\n- stage = barn (was mill, inn)", "put the stage back", line) == [
        "fair > stage = inn"
    ]


def test_back_to_the_first_goes_to_the_first() -> None:
    line = Line(Verb.BACK, "", (2,))
    assert outcome("fair\n- stage = barn (was mill, inn)", "back to the original stage", line) == [
        "fair > stage = mill"
    ]


def test_back_to_a_named_value_goes_there() -> None:
    line = Line(Verb.BACK, "", (2,))
    assert outcome("fair\n- stage = barn (was mill, inn, loft)", "go back to the inn", line) == [
        "fair > stage = inn"
    ]


def test_back_for_what_was_removed_restores_it() -> None:
    assert kinds("fair\n- tent (removed)", "put the tent back", Line(Verb.BACK, "", (2,))) == [Op.RESTORE]


def test_back_for_what_never_changed_is_nothing() -> None:
    assert kinds("fair\n- tent", "put the tent back", Line(Verb.BACK, "", (2,))) == []


def test_a_note_stands_below_its_node() -> None:
    line = Line(Verb.NOTE, "", (2,), text="not before noon")
    assert outcome("fair\n- guest = Ana", "Ana can't come before noon", line) == [
        "fair > guest = Ana > note = not before noon"
    ]


GUESTS = "fair\n- time = 4 PM\n- guest = Ana\n- guest = Bo\n- guest = Cy\n- tent"


def test_a_split_makes_groups_and_leaves_the_rest_of_the_task() -> None:
    lines = Line(Verb.GROUP, "", (3,), text="3 PM"), Line(Verb.GROUP, "", (), text="5 PM")
    assert sorted(outcome(GUESTS, "split: Ana at 3 PM, the rest at 5 PM", *lines)) == [
        "fair > part = 3 PM > guest = Ana",
        "fair > part = 5 PM > guest = Bo",
        "fair > part = 5 PM > guest = Cy",
        "fair > tent",
        "fair > time = 4 PM",
    ]


def test_a_merge_brings_groups_together() -> None:
    context = context_of(GUESTS, "split: Ana at 3 PM, the rest at 5 PM")
    lines = Line(Verb.GROUP, "", (3,), text="3 PM"), Line(Verb.GROUP, "", (), text="5 PM")
    graph = after(context.graph, plan(lines, context), Moment(99, START)).graph
    merging = context_of(graph, "merge them again")
    graph = after(graph, plan([], merging), Moment(100, START)).graph
    assert sorted(render.paths(graph)) == sorted(render.paths(context_of(GUESTS, "").graph))


def test_a_link_leads_to_its_last_node() -> None:
    assert sorted(outcome("fair\n- tent\nrota", "the tent too", Line(Verb.LINK, "", (2, 3)))) == [
        "fair > tent",
        "rota > tent",
    ]


def test_ids_of_new_nodes_are_below_those_of_the_clauses_before() -> None:
    context = context_of("(nothing yet)", "fair, tent")
    operations = plan([Line(Verb.NEW, "", (-1,), text="fair"), part(-1, "tent")], context, -101)
    assert [operation.target for operation in operations] == [-101, -102]
    assert operations[1].parent == -101


TEXT = st.sampled_from(["", "oats", "rye flour", "2 kg of kelp", "noon", "Ana, Bo and Cy", "a = b"])
SAID = st.sampled_from(
    [
        "the rye too",
        "only keep oats",
        "oats instead of rye everywhere",
        "merge them again",
        "back to the original",
        "split it: oats at noon, the rest at 4 PM",
        "milk and flour, both",
        "bake bread",
    ]
)


@st.composite
def scripts(draw: st.DrawFn) -> tuple[TaskGraph, str, list[Line]]:
    turns: list[list[Choice]] = draw(TURNS)
    graph = told(turns)[-1]
    nodes = st.sampled_from([node.id for node in graph])
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        verb = draw(st.sampled_from([v for v in Verb if v not in (Verb.DELETE_ALL, Verb.DONE_ALL)]))
        many = draw(st.lists(nodes, min_size=2, max_size=3, unique=True)) if len(graph) > 1 else [1]
        if verb is Verb.LINK:
            line = Line(verb, "", tuple(many))
        elif verb is Verb.NEW:
            line = Line(verb, "", (-1,), text=draw(TEXT) or "fair")
        elif verb is Verb.PART:
            line = Line(verb, "", (draw(nodes),), slot=draw(TEXT) or "oats", text=draw(TEXT))
        elif verb in (Verb.CHANGE, Verb.NOTE):
            line = Line(verb, "", (draw(nodes),), text=draw(TEXT) or "oats")
        elif verb is Verb.GROUP:
            line = Line(verb, "", tuple(draw(st.lists(nodes, max_size=2, unique=True))), text="noon")
        else:
            line = Line(
                verb, "", tuple(many[:1]), within=verb in (Verb.DELETE, Verb.DONE) and draw(st.booleans())
            )
        lines.append(line)
    return graph, draw(SAID), lines


@settings(max_examples=150)
@given(scripts())
def test_no_plan_leaves_a_cycle_nor_a_node_without_history(script: tuple[TaskGraph, str, list[Line]]) -> None:
    graph, said, lines = script
    operations = plan(lines, context_of(graph, said))
    moment = Moment(graph.turn + 1, START, said)
    changed = after(graph, accepted(graph, operations, moment), moment).graph
    edges = nx.DiGraph()
    edges.add_nodes_from(node.id for node in changed)
    for node in changed:
        edges.add_edges_from((id, node.id) for id in node.parents)
        edges.add_edges_from((node.id, id) for id in node.dependencies)
        assert node.history
    assert nx.is_directed_acyclic_graph(edges)
    assert {node.id for node in graph} <= {node.id for node in changed}
