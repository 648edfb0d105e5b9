"""What holds for every sequence of turns."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from localmem.errors import TaskError
from localmem.tasks import (
    Format,
    Moment,
    Node,
    Op,
    Operation,
    Revision,
    Status,
    TaskGraph,
    Tasks,
    after,
    render,
)
from tests.store.support import temporary_store
from tests.tasks.support import CHOICES, KITCHEN, START, TURNS, Choice, accepted, told

NEXT = Moment(1000, START)
LATER = Moment(1001, START)
MANY = settings(deadline=None, max_examples=60)


def edges(graph: TaskGraph) -> nx.DiGraph:
    """Built anew from what the nodes say."""
    built = nx.DiGraph()
    for node in graph:
        built.add_node(node.id)
        built.add_edges_from((parent, node.id) for parent in node.parents)
        built.add_edges_from((node.id, needed) for needed in node.dependencies)
    return built


def statuses(graph: TaskGraph) -> dict[int, Status]:
    return {node.id: node.status for node in graph}


@MANY
@given(TURNS)
def test_the_graph_has_no_cycle_and_knows_its_edges(turns: list[list[Choice]]) -> None:
    for graph in told(turns):
        built = edges(graph)
        assert nx.is_directed_acyclic_graph(built)
        for node in graph:
            below = [other.id for other in graph if node.id in other.parents]
            assert [child.id for child in graph.children(node.id)] == below
            needing = [other.id for other in graph if node.id in other.dependencies]
            assert [other.id for other in graph.dependents(node.id)] == needing


@MANY
@given(TURNS)
def test_a_live_node_is_a_root_or_has_a_live_parent(turns: list[list[Choice]]) -> None:
    for graph in told(turns):
        for node in graph:
            assert not node.live or not node.parents or graph.live_parents(node)


@MANY
@given(TURNS)
def test_the_last_revision_is_the_present(turns: list[list[Choice]]) -> None:
    for node in told(turns)[-1]:
        last = node.history[-1]
        assert (last.slot, last.value, last.status) == (node.slot, node.value, node.status)
        assert (last.parents, last.dependencies) == (node.parents, node.dependencies)
        assert [past.turn for past in node.history] == sorted(past.turn for past in node.history)


@MANY
@given(TURNS)
def test_a_node_is_never_lost_and_its_past_never_changes(turns: list[list[Choice]]) -> None:
    graphs = told(turns)
    for before, now in pairwise(graphs):
        for node in before:
            assert now[node.id].history[: len(node.history)] == node.history


@MANY
@given(TURNS, st.lists(CHOICES, max_size=3))
def test_a_turn_leaves_the_graph_that_it_starts_from_alone(
    turns: list[list[Choice]], choices: list[Choice]
) -> None:
    graph = told(turns)[-1]
    before = list(graph)
    with suppress(TaskError):
        after(graph, [choice.of(graph) for choice in choices], NEXT)
    assert list(graph) == before
    assert nx.utils.graphs_equal(graph._edges, edges(graph))


@MANY
@given(TURNS, st.data())
def test_the_file_gives_every_graph_back(turns: list[list[Choice]], data: st.DataObject) -> None:
    with temporary_store() as store:
        tasks = Tasks(store)
        graphs = {0: TaskGraph()}
        standing = [0]
        turns = [KITCHEN, *turns]
        for choices in turns:
            number = tasks.next_turn + data.draw(st.integers(0, 2))
            moment = Moment(number, START, f"turn {number}")
            before = tasks.graph
            kept = accepted(before, choices, moment)
            changes = tasks.apply(number, kept, said=moment.said, at=START)
            graphs[number] = tasks.graph
            assert tasks.graph == after(before, kept, moment).graph
            if changes:
                standing.append(number)
            if len(standing) > 1 and data.draw(st.booleans()):
                undone = standing.pop()
                assert tasks.undo() == undone
                assert tasks.graph == graphs[standing[-1]]
                graphs[tasks.graph.turn] = tasks.graph
        assert Tasks(store).graph == tasks.graph
        assert Tasks(store).graph.next_id == tasks.graph.next_id
        for number in range(tasks.graph.turn + 2):
            told_until_then = max(turn for turn in graphs if turn <= number)
            assert tasks.as_of(number) == graphs[told_until_then]


@MANY
@given(TURNS)
def test_undo_leads_back_to_nothing(turns: list[list[Choice]]) -> None:
    with temporary_store() as store:
        tasks = Tasks(store)
        former = []
        for choices in [KITCHEN, *turns]:
            before = tasks.graph
            kept = accepted(before, choices, Moment(tasks.next_turn, START))
            if tasks.apply(None, kept, at=START):
                former.append(before)
        while former:
            tasks.undo()
            assert tasks.graph == former.pop()
        with pytest.raises(TaskError, match="nothing to undo"):
            tasks.undo()


# Laws of the operations


def some_live(graph: TaskGraph, data: st.DataObject) -> Node:
    live = [node for node in graph if node.live]
    assume(live)
    return data.draw(st.sampled_from(live))


@MANY
@given(TURNS, st.data())
def test_restore_undoes_delete(turns: list[list[Choice]], data: st.DataObject) -> None:
    graph = told(turns)[-1]
    node = some_live(graph, data)
    deleted = after(graph, [Operation(Op.DELETE, node.id)], NEXT).graph
    assert not deleted[node.id].live
    restored = after(deleted, [Operation(Op.RESTORE, node.id)], LATER).graph
    assert statuses(restored) == statuses(graph)
    assert render.paths(restored, all=True) == render.paths(graph, all=True)


@MANY
@given(TURNS, st.data())
def test_delete_takes_only_what_has_no_other_live_parent(
    turns: list[list[Choice]], data: st.DataObject
) -> None:
    graph = told(turns)[-1]
    node = some_live(graph, data)
    now = after(graph, [Operation(Op.DELETE, node.id)], NEXT).graph
    gone = {id for id, status in statuses(now).items() if status is Status.INACTIVE and graph[id].live}
    for other in graph:
        orphaned = bool(other.parents) and all(p.id in gone for p in graph.live_parents(other))
        assert (other.id in gone) == (other.live and (other.id == node.id or orphaned))


@MANY
@given(TURNS, st.data())
def test_a_restored_node_stands_on_live_ones(turns: list[list[Choice]], data: st.DataObject) -> None:
    graph = told(turns)[-1]
    gone = [node for node in graph if not node.live]
    if not gone:
        return
    node = data.draw(st.sampled_from(gone))
    now = after(graph, [Operation(Op.RESTORE, node.id)], NEXT).graph
    assert now[node.id].status is node.history[[*node.history].index(node.deleted) - 1].status
    assert not node.parents or now.live_parents(now[node.id])
    assert all(now[other.id].live for other in graph if other.live)


@MANY
@given(TURNS, st.data(), st.sampled_from(["new", "old"]))
def test_replace_keeps_what_was_and_roll_back_brings_it_back(
    turns: list[list[Choice]], data: st.DataObject, value: str
) -> None:
    graph = told(turns)[-1]
    node = some_live(graph, data)
    replaced = after(graph, [Operation(Op.REPLACE, node.id, slot="quinoa", value=value)], NEXT).graph
    now = replaced[node.id]
    assert (now.slot, now.value, now.parents, now.status) == ("quinoa", value, node.parents, node.status)
    assert now.history[:-1] == node.history
    assert replaced.find("quinoa") == [now]
    back = after(replaced, [Operation(Op.ROLL_BACK, node.id)], LATER).graph[node.id]
    assert (back.slot, back.value) == (node.slot, node.value)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8))
def test_rolling_back_step_by_step_walks_the_whole_way(values: list[str]) -> None:
    graph = after(TaskGraph(), [Operation(Op.ADD, slot="pick", value=values[0])], Moment(1, START)).graph
    for turn, value in enumerate(values[1:], 2):
        graph = after(graph, [Operation(Op.SET, 1, value=value)], Moment(turn, START)).graph
    distinct = [v for i, v in enumerate(values) if i == 0 or values[i - 1] != v]
    walked = [graph[1].value]
    for turn in range(100, 100 + len(distinct) - 1):
        graph = after(graph, [Operation(Op.ROLL_BACK, 1)], Moment(turn, START)).graph
        walked.append(graph[1].value)
    assert walked == distinct[::-1]
    with pytest.raises(TaskError, match="had no other value"):
        after(graph, [Operation(Op.ROLL_BACK, 1)], Moment(200, START))


@MANY
@given(TURNS, st.data())
def test_what_is_asked_for_twice_is_done_once(turns: list[list[Choice]], data: st.DataObject) -> None:
    graph = told(turns)[-1]
    operations = accepted(
        graph, [data.draw(CHOICES.filter(lambda choice: choice.op is not Op.ROLL_BACK))], NEXT
    )
    if not operations:
        return
    (operation,) = operations
    once = after(graph, operations, NEXT).graph
    if operation.op in (Op.DELETE, Op.REPLACE) and operation.parent:
        return  # it may be no part of that any more, which is an error
    if operation.op is Op.RESTORE and once[operation.target or 0].status is Status.DONE:
        return  # once brings back what was done, and twice opens it again
    assert after(once, operations, LATER).graph == once


# Export


def read(text: str) -> list[Node]:
    """Nodes from the JSON export."""
    row = json.loads(text)
    assert (row["format"], row["version"]) == ("localmem-tasks", 1)
    nodes = []
    for node in row["nodes"]:
        history = tuple(
            Revision(
                **{
                    **past,
                    "at": datetime.fromisoformat(past["at"]),
                    "op": Op(past["op"]),
                    "status": Status(past["status"]),
                    "parents": tuple(past["parents"]),
                    "dependencies": tuple(past["dependencies"]),
                }
            )
            for past in node["history"]
        )
        links = {name: tuple(node[name]) for name in ("parents", "dependencies")}
        nodes.append(Node(**{**node, **links, "status": Status(node["status"]), "history": history}))
    return nodes


@MANY
@given(TURNS)
def test_the_json_export_has_everything(turns: list[list[Choice]]) -> None:
    graph = told(turns)[-1]
    assert read(render.export(graph, Format.JSON)) == list(graph)
