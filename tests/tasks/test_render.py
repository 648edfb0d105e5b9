"""Paths and exports."""

from __future__ import annotations

import json
import re

import pytest

from localmem.tasks import Format, Op, Operation, TaskGraph, render
from tests.tasks.support import Plan, kitchen

HOSTILE = 'a"]; b --> c %%{init}%% <script> & \\N \\" `x` #34; }'


def test_a_path_has_the_values_on_its_way() -> None:
    plan = Plan()
    plan.add("workshop", "Friday")
    plan.add("speaker", "Ines", below="workshop")
    assert plan.paths() == ["workshop = Friday", "workshop = Friday > speaker = Ines"]


def test_a_done_task_is_no_path_but_the_active_ones_below_it_are() -> None:
    plan = kitchen()
    plan.do(Op.DONE, "fry pancakes")
    assert plan.paths()[2:] == ["fry pancakes > flour = sift", "fry pancakes > milk"]


def test_all_paths_say_what_is_done_or_deleted() -> None:
    plan = kitchen()
    plan.do(Op.DONE, "milk")
    plan.do(Op.DELETE, "bake bread")
    assert plan.paths(all=True) == [
        "bake bread (inactive)",
        "bake bread > flour = sift",
        "fry pancakes",
        "fry pancakes > flour = sift",
        "fry pancakes > milk (done)",
    ]


def test_a_deep_chain_is_no_problem() -> None:
    plan = Plan()
    steps = [Operation(Op.ADD, -1, "step")]
    steps += [Operation(Op.ADD, -place, "step", parent=1 - place) for place in range(2, 1500)]
    plan.turn(*steps)
    assert len(plan.paths()) == 1499
    plan.turn(Operation(Op.DELETE, 1))
    assert plan.paths() == []
    plan.turn(Operation(Op.RESTORE, 1499))
    assert plan.paths()[-1].count("step") == 1499


@pytest.mark.parametrize("format", Format)
def test_every_format_takes_an_empty_graph(format: Format) -> None:
    assert render.export(TaskGraph(), format)


def test_mermaid_draws_parts_needs_and_what_is_done() -> None:
    plan = kitchen()
    plan.turn(Operation(Op.LINK, plan.id("milk"), dependencies=(plan.id("flour"),)))
    plan.do(Op.DONE, "milk")
    plan.do(Op.DELETE, "bake bread")
    assert render.export(plan.graph, Format.MERMAID).splitlines() == [
        "flowchart TD",
        '  n2["flour #61; sift"]',
        '  n3["fry pancakes"]',
        '  n4["milk"]',
        "  n3 --> n2",
        "  n3 --> n4",
        "  n4 -. needs .-> n2",
        "  classDef done opacity:0.5",
        "  class n4 done",
    ]


def test_dot_draws_parts_needs_and_what_is_done() -> None:
    plan = kitchen()
    plan.turn(Operation(Op.LINK, plan.id("milk"), dependencies=(plan.id("flour"),)))
    plan.do(Op.DONE, "milk")
    plan.do(Op.DELETE, "bake bread")
    assert render.export(plan.graph, Format.DOT).splitlines() == [
        "digraph tasks {",
        "  node [shape=box];",
        '  n2 [label="flour = sift"];',
        '  n3 [label="fry pancakes"];',
        '  n4 [label="milk", style=dashed];',
        "  n3 -> n2;",
        "  n3 -> n4;",
        '  n4 -> n2 [label="needs", style=dashed];',
        "}",
    ]


def test_no_text_gets_out_of_a_mermaid_label() -> None:
    plan = Plan()
    plan.add(HOSTILE, "Größe 東京")
    line = render.export(plan.graph, Format.MERMAID).splitlines()[1]
    match = re.fullmatch(r'  n1\["((?:\w| |#\d+;)*)"\]', line)
    assert match
    read = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), match[1])
    assert read == f"{HOSTILE} = Größe 東京"


def test_no_text_gets_out_of_a_dot_label() -> None:
    plan = Plan()
    plan.add(HOSTILE, "ends with \\")
    line = render.export(plan.graph, Format.DOT).splitlines()[2]
    match = re.fullmatch(r'  n1 \[label="((?:[^"\\]|\\["\\])*)"\];', line)
    assert match
    read = re.sub(r"\\(.)", r"\1", match[1]).replace("&amp;", "&")
    assert read == f"{HOSTILE} = ends with \\"


def test_the_json_export_is_as_documented() -> None:
    plan = Plan()
    plan.turn(Operation(Op.ADD, slot="call", value="Ines"), said="Remind me to call Ines.")
    assert json.loads(render.export(plan.graph, Format.JSON)) == {
        "format": "localmem-tasks",
        "version": 1,
        "turn": 1,
        "nodes": [
            {
                "id": 1,
                "slot": "call",
                "value": "Ines",
                "status": "active",
                "parents": [],
                "dependencies": [],
                "user_response": "Remind me to call Ines.",
                "ai_response": "",
                "history": [
                    {
                        "turn": 1,
                        "at": "2025-03-04T09:01:00+00:00",
                        "op": "add",
                        "by": 1,
                        "slot": "call",
                        "value": "Ines",
                        "status": "active",
                        "parents": [],
                        "dependencies": [],
                        "why": "Remind me to call Ines.",
                    }
                ],
            }
        ],
    }


def test_an_entity_in_a_dot_label_is_text() -> None:
    plan = Plan()
    plan.add("&lt; Q&A")
    assert 'label="&amp;lt; Q&amp;A"' in render.export(plan.graph, Format.DOT)
