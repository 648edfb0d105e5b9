"""`localmem tasks`: list, show, history, undo, export."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from rich.tree import Tree

    from localmem.tasks import Node, Revision, TaskGraph

app = typer.Typer(
    no_args_is_help=True,
    help="See and export the tasks of a memory, also as they were. No engine is loaded.",
    epilog="Example: localmem tasks list --paths",
)

Slot = Annotated[
    str,
    typer.Argument(
        metavar="SLOT", help="Name of a task, or a path: 'make soup > celery'. Former names count."
    ),
]


class ExportFormat(StrEnum):
    """What to export."""

    JSON = "json"
    MERMAID = "mermaid"
    DOT = "dot"


@app.command("list", epilog="Examples: localmem tasks list; localmem tasks list --paths --all --as-of 3")
def list_tasks(
    memory: options.Memory = None,
    paths: Annotated[
        bool, typer.Option("--paths", help="A line for every way from a whole to an active task.")
    ] = False,
    all: Annotated[bool, typer.Option("--all", help="Done and deleted tasks too.")] = False,
    as_of: Annotated[
        int | None, typer.Option("--as-of", metavar="TURN", min=0, help="As they were after that turn.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the active tasks, each below what it is a part of."""
    from localmem.cli.output import note, one_line, print_json
    from localmem.memory import Memory
    from localmem.tasks import Status, render

    with Memory.open(memory, create=False) as opened:
        tasks = opened.tasks
        graph = tasks.graph if as_of is None else tasks.as_of(as_of)
    lines = render.paths(graph, all=all) if paths or not as_json else []
    if as_json:
        nodes = [node for node in graph if all or node.status is Status.ACTIVE]
        print_json(lines if paths else [render.node_row(node) for node in nodes])
    elif not lines:
        note("No tasks in this memory." if not len(graph) else "No active tasks. See the rest with --all.")
    elif paths:
        print("\n".join(map(one_line, lines)))
    else:
        print_trees(graph, all)


@app.command(
    epilog="Examples: localmem tasks show destination; localmem tasks show 'make soup > celery' --json"
)
def show(slot: Slot, memory: options.Memory = None, as_json: options.Json = False) -> None:
    """Show a task: its value, what it is a part of, what it needs, when it last changed."""
    from localmem.cli.output import one_line, print_json
    from localmem.memory import Memory
    from localmem.tasks import render

    with Memory.open(memory, create=False) as opened:
        nodes, graph = opened.tasks.show(slot), opened.tasks.graph
    if as_json:
        print_json([render.node_row(node) for node in nodes])
        return
    for place, node in enumerate(nodes):
        print("\n" * bool(place) + one_line(node.label))
        for name, value in _facts(graph, node):
            print(f"  {name:10} {one_line(value)}")


@app.command(epilog="Example: localmem tasks history destination")
def history(slot: Slot, memory: options.Memory = None, as_json: options.Json = False) -> None:
    """Show every change of a task, the oldest first, with its turn and the reason."""
    from localmem.cli.output import print_json
    from localmem.memory import Memory
    from localmem.tasks import render

    with Memory.open(memory, create=False) as opened:
        past, graph = opened.tasks.history(slot), opened.tasks.graph
    if as_json:
        print_json([render.revision_row(revision) for revision in past])
    else:
        print_history(past, graph)


@app.command(epilog="Example: localmem tasks undo")
def undo(memory: options.Memory = None, as_json: options.Json = False) -> None:
    """Take back all that the last turn changed; again, the turn before it."""
    from localmem.cli.output import print_json
    from localmem.memory import Memory

    with Memory.open(memory, create=False) as opened:
        turn = opened.tasks.undo()
    if as_json:
        print_json({"undone": turn})
    else:
        print(f"Turn {turn} is undone.")


@app.command(epilog="Example: localmem tasks export --format mermaid > plan.mmd")
def export(
    format: Annotated[
        ExportFormat,
        typer.Option(
            "--format", help="json has all tasks and histories; mermaid and dot draw the live ones."
        ),
    ] = ExportFormat.JSON,
    memory: options.Memory = None,
) -> None:
    """Write the tasks to standard output, for another program."""
    from localmem.cli.output import printable
    from localmem.memory import Memory
    from localmem.tasks import Format

    with Memory.open(memory, create=False) as opened:
        text = opened.tasks.export(Format(format))
    print(printable(text))


def print_trees(graph: TaskGraph, all: bool) -> None:
    """The tasks, each below what it is a part of; `all`: done and deleted ones too."""
    from rich.text import Text
    from rich.tree import Tree

    from localmem.cli.output import console, one_line
    from localmem.tasks import Status, render

    trees: dict[tuple[int, ...], Tree] = {}
    for way in render.walk(graph, all=all):
        if not all and way[-1].status is not Status.ACTIVE:
            continue
        for length, node in enumerate(way, 1):  # what is above an active task is shown too, though it be done
            place = tuple(step.id for step in way[:length])
            if place not in trees:
                text = Text(
                    one_line(render.marked(node)), style="" if node.status is Status.ACTIVE else "dim"
                )
                trees[place] = trees[place[:-1]].add(text) if length > 1 else Tree(text)
    for place, tree in trees.items():
        if len(place) == 1:
            console().print(tree)


def _facts(graph: TaskGraph, node: Node) -> Iterable[tuple[str, str]]:
    """What there is to say about a node, by name."""
    from localmem.tasks import render

    last = node.history[-1]
    yield "status", str(node.status)
    for name, nodes in (
        ("part of", [graph[id] for id in node.parents]),
        ("needs", [graph[id] for id in node.dependencies]),
        ("needed by", graph.dependents(node.id)),
        ("parts", graph.children(node.id)),
    ):
        if nodes:
            yield name, ", ".join(map(render.marked, nodes))
    yield "changed", f"turn {last.turn}: {last.op.replace('_', ' ')}"
    if node.user_response:
        yield "you said", node.user_response
    if node.ai_response:
        yield "reply", node.ai_response


def print_history(past: list[Revision], graph: TaskGraph) -> None:
    """The changes of a task as a table."""
    from rich.table import Table
    from rich.text import Text

    from localmem.cli.output import console, one_line, time_text

    moved = len({one.parents for one in past}) > 1
    table = Table(box=None, pad_edge=False)
    for name in ("turn", "time", "what", "task", *(["part of"] if moved else []), "why"):
        table.add_column(name, overflow="fold", no_wrap=name in ("turn", "time", "what"))
    for one in past:
        task = f"{one.slot} = {one.value}" if one.value else one.slot
        above = [", ".join(graph[id].slot for id in one.parents)] if moved else []
        cells = (str(one.turn), time_text(one.at), one.op.replace("_", " "), task, *above, one.why)
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    console().print(table)
