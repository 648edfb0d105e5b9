"""`localmem tasks`."""

from __future__ import annotations

import json

import pytest
import typer

from localmem.cli import tasks as cli
from localmem.memory import Memory
from localmem.tasks import Format, Op, Operation
from tests.cli.conftest import CommandLine
from tests.tasks.support import KITCHEN, START
from tests.test_layout import loaded_after

COMMANDS = ("list", "show", "history", "undo", "export")


@pytest.fixture
def kitchen(filled: CommandLine) -> CommandLine:
    """Three turns: two dishes, another ingredient, one thing done."""
    with Memory.open() as memory:
        memory.tasks.apply(1, KITCHEN, said="Bread and pancakes, please.", at=START)
        memory.tasks.apply(
            2, [Operation(Op.REPLACE, 2, "oats")], said="There is no flour.", reply="Oats then.", at=START
        )
        memory.tasks.apply(3, [Operation(Op.DONE, 4), Operation(Op.LINK, 2, dependencies=(4,))], at=START)
    return filled


def test_the_list_is_a_tree(kitchen: CommandLine) -> None:
    assert kitchen("tasks", "list").out.splitlines() == [
        "bake bread",
        "└── oats = sift",
        "fry pancakes",
        "└── oats = sift",
    ]


def test_the_list_has_everything_on_demand(kitchen: CommandLine) -> None:
    assert "milk (done)" in kitchen("tasks", "list", "--all").out


def test_a_done_task_is_shown_above_an_active_one(kitchen: CommandLine) -> None:
    with Memory.open() as memory:
        memory.tasks.apply(4, [Operation(Op.DONE, 3)])
    assert kitchen("tasks", "list").out.splitlines()[2:] == ["fry pancakes (done)", "└── oats = sift"]


def test_paths_are_lines(kitchen: CommandLine) -> None:
    lines = ["bake bread", "bake bread > oats = sift", "fry pancakes", "fry pancakes > oats = sift"]
    assert kitchen("tasks", "list", "--paths").out.splitlines() == lines
    assert json.loads(kitchen("tasks", "list", "--paths", "--json").out) == lines
    assert kitchen("tasks", "list", "--paths", "--all").out.splitlines()[-1] == "fry pancakes > milk (done)"


def test_the_list_of_a_past_turn_is_what_it_was(kitchen: CommandLine) -> None:
    lines = kitchen("tasks", "list", "--paths", "--as-of", "1").out.splitlines()
    assert lines[1::3] == ["bake bread > flour = sift", "fry pancakes > milk"]
    assert kitchen("tasks", "list", "--as-of", "-1").code == 2


def test_the_list_as_json_has_nodes(kitchen: CommandLine) -> None:
    active = json.loads(kitchen("tasks", "list", "--json").out)
    assert [node["slot"] for node in active] == ["bake bread", "oats", "fry pancakes"]
    assert len(json.loads(kitchen("tasks", "list", "--json", "--all").out)) == 4


def test_a_memory_without_tasks_says_so(filled: CommandLine) -> None:
    result = filled("tasks", "list")
    assert (result.code, result.out, result.err) == (0, "", "No tasks in this memory.\n")
    assert json.loads(filled("tasks", "list", "--json").out) == []


def test_a_memory_whose_tasks_are_all_done_says_so(kitchen: CommandLine) -> None:
    with Memory.open() as memory:
        memory.tasks.apply(4, [Operation(Op.DELETE, 1), Operation(Op.DELETE, 3)])
    assert kitchen("tasks", "list").err == "No active tasks. See the rest with --all.\n"


def test_a_task_is_shown_with_what_is_around_it(kitchen: CommandLine) -> None:
    assert kitchen("tasks", "show", "Flour").out.splitlines() == [
        "oats = sift",
        "  status     active",
        "  part of    bake bread, fry pancakes",
        "  needs      milk (done)",
        "  changed    turn 3: link",
    ]
    lines = kitchen("tasks", "show", "milk").out.splitlines()
    assert lines[3] == "  needed by  oats = sift"
    assert "  parts      oats = sift, milk (done)" in kitchen("tasks", "show", "fry pancakes").out


def test_tasks_of_one_name_are_all_shown(kitchen: CommandLine) -> None:
    with Memory.open() as memory:
        memory.tasks.apply(4, [Operation(Op.ADD, None, "milk", parent=1)], said="More milk.", reply="Yes.")
    out = kitchen("tasks", "show", "milk").out
    assert out.count("\n\nmilk\n") == 1
    assert "  you said   More milk.\n  reply      Yes.\n" in out
    assert len(json.loads(kitchen("tasks", "show", "bake bread > milk", "--json").out)) == 1


def test_a_history_has_a_line_for_each_change(kitchen: CommandLine) -> None:
    out = kitchen("tasks", "history", "oats").out
    rows = [line.split() for line in out.splitlines() if line[0] != " "]  # long cells go on below
    assert [row[0] for row in rows] == ["turn", "1", "1", "2", "3"]
    assert [row[3] for row in rows[1:]] == ["add", "link", "replace", "link"]
    assert "There is no" in out
    rows = json.loads(kitchen("tasks", "history", "oats", "--json").out)
    assert [(row["op"], row["slot"]) for row in rows[1:3]] == [("link", "flour"), ("replace", "oats")]


@pytest.mark.parametrize("command", ["show", "history"])
def test_a_task_that_is_not_there_is_an_error_with_a_hint(kitchen: CommandLine, command: str) -> None:
    result = kitchen("tasks", command, "pancakes")
    assert (result.code, result.out) == (1, "")
    assert result.err == "localmem: There is no task named 'pancakes'.\n  Did you mean: fry pancakes?\n"


def test_undo_takes_turns_back_until_there_is_none(kitchen: CommandLine) -> None:
    assert kitchen("tasks", "undo").out == "Turn 3 is undone.\n"
    assert json.loads(kitchen("tasks", "undo", "--json").out) == {"undone": 2}
    assert "fry pancakes > milk" in kitchen("tasks", "list", "--paths").out
    assert kitchen("tasks", "undo").code == 0
    result = kitchen("tasks", "undo")
    assert (result.code, result.err.splitlines()[0]) == (1, "localmem: There is nothing to undo.")


def test_tasks_are_exported_in_every_format(kitchen: CommandLine) -> None:
    assert len(json.loads(kitchen("tasks", "export").out)["nodes"]) == 4
    assert kitchen("tasks", "export", "--format", "mermaid").out.startswith("flowchart TD\n")
    assert kitchen("tasks", "export", "--format", "dot").out.startswith("digraph tasks {\n")
    assert kitchen("tasks", "export", "--format", "svg").code == 2


def test_what_people_typed_does_not_move_the_cursor(filled: CommandLine) -> None:
    with Memory.open() as memory:
        memory.tasks.apply(
            1, [Operation(Op.ADD, None, "\x1b[2Jtidy [bold]up", "\x9b1m:smile:")], said="\x1b[2J"
        )
    for arguments in (
        ("list",),
        ("list", "--paths"),
        ("show", "\x1b[2Jtidy [bold]up"),
        ("export", "--format", "dot"),
    ):
        out = filled("tasks", *arguments).out
        assert "[2Jtidy [bold]up = 1m:smile:" in out
        assert not {"\x1b", "\x9b"} & set(out)
    assert "\x1b" not in filled("tasks", "history", "\x1b[2Jtidy [bold]up").out


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_help_has_an_example(filled: CommandLine, command: str | None) -> None:
    result = filled("tasks", *([command] if command else []), "--help")
    assert result.code == 0
    assert f"localmem tasks {command or 'list'}" in " ".join(result.out.split()).split("Example")[-1]


def test_every_command_is_known_to_these_tests_and_every_option_explained() -> None:
    group = typer.main.get_command(cli.app)
    commands = group.commands  # type: ignore[attr-defined]
    assert set(commands) == set(COMMANDS)
    assert all(parameter.help for command in commands.values() for parameter in command.params)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_makes_a_memory(filled: CommandLine, command: str) -> None:
    result = filled(
        "tasks", command, *(["x"] if command in ("show", "history") else []), "--memory", "nothing"
    )
    assert result.code == 1
    assert "There is no memory at" in result.err


def test_no_engine_is_loaded(kitchen: CommandLine) -> None:
    code = "from localmem.cli.tasks import list_tasks; list_tasks(as_of=None)"
    unwanted = {"faiss", "llama_cpp", "numba", "onnxruntime", "tokenizers", "torch"}
    loaded = loaded_after(code)
    assert loaded & unwanted == set()
    assert "networkx" in loaded


def test_every_format_can_be_asked_for() -> None:
    assert [format.value for format in cli.ExportFormat] == [format.value for format in Format]
