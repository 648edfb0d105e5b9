"""`localmem search`: the turns that a question needs, without a model of language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from localmem.values import Workspace

NAME = "search"
EXAMPLE = "Examples: localmem search 'the trip to Cardiff'; localmem search 'who paid' --explain --budget 8"


def command(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question, or words to look for.")],
    memory: options.Memory = None,
    budget: options.Budget = 16,
    hops: options.Hops = 2,
    tokens: Annotated[
        int | None, typer.Option("--tokens", min=1, help="Tokens at most, by a rough count.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the scores of every stage for each turn.")
    ] = False,
    as_json: options.Json = False,
    verbose: options.Verbose = False,
) -> None:
    """Find the turns that a question needs. No model of language is loaded."""
    from localmem.cli.output import log_to_stderr, print_json, workspace_row
    from localmem.memory import Memory

    log_to_stderr(verbose)
    with Memory.open(memory, create=False) as opened:
        workspace = opened.search(query, budget=budget, hops=hops, tokens=tokens)
    if as_json:
        print_json(workspace_row(workspace))
    elif workspace.units:
        _print(workspace, explain)
    else:
        from localmem.cli.output import note

        note("Nothing in this memory yet. Add a transcript with: localmem ingest FILE")


def _print(workspace: Workspace, explain: bool) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from localmem.cli.output import console, one_line, time_text

    heads = {thread.id: thread for thread in workspace.threads}
    out = console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    table.add_column("time", no_wrap=True)
    table.add_column("speaker", overflow="fold")
    table.add_column("text", overflow="fold", ratio=1)
    table.add_column("role", no_wrap=True)
    table.add_column("source", overflow="fold")
    last = None
    for unit in workspace.units:
        thread = heads[unit.stored.thread]
        if thread.id != last:
            name = workspace.transcripts[thread.transcript].name
            table.add_section()
            table.add_row(
                "", "", Text(one_line(thread.head), style="italic dim"), "", Text(one_line(name), style="dim")
            )
            last = thread.id
        turn = unit.turn
        table.add_row(
            time_text(turn.at),
            Text(one_line(turn.speaker), style="bold"),
            Text(one_line(turn.text)),
            str(unit.role),
            Text(one_line(turn.source)),
        )
    out.print(table)
    threads = len(workspace.threads)
    out.print(
        f"{len(workspace.units)} of {workspace.candidates} candidate turns, from {threads} threads;"
        f" coverage {workspace.coverage:.2f}"
    )
    if explain:
        _explain(workspace)


def _explain(workspace: Workspace) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from localmem.cli.output import console, one_line

    out = console()
    wanted = ", ".join(f"{name} {share:.2f}" for name, share in workspace.demands.items())
    out.print(f"\nThe question asks for: {wanted}\n")
    names = list(workspace.units[0].scores)
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="priority and gain in thousandths",
        caption_justify="left",
    )
    table.add_column("source", overflow="fold")
    table.add_column("role")
    for name in ("prio", "gain", *names):
        table.add_column(name.replace("_", "\n"), justify="right")
    for unit in sorted(workspace.units, key=lambda unit: -unit.gain):
        table.add_row(
            Text(one_line(unit.turn.source)),
            str(unit.role),
            f"{unit.priority * 1000:.0f}",
            f"{unit.gain * 1000:.0f}",
            *(f"{unit.scores[name]:.2f}" for name in names),
        )
    out.print(table)
    stages = ", ".join(f"{name} {seconds * 1000:.1f} ms" for name, seconds in workspace.seconds.items())
    out.print(f"Time: {stages}")
