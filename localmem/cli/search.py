"""`localmem search`: the turns that a question needs, without a model of language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options
from localmem.errors import UsageError

if TYPE_CHECKING:
    from localmem.values import Workspace

NAME = "search"
EXAMPLE = "Examples: localmem search 'the trip to Cardiff'; localmem search 'who paid' --explain --budget 8"
SHOWN_CHARACTERS = 1000
"""Of a turn, in the table; JSON has all of it."""
LEFT_OUT_CHARACTERS = 160
"""Of a turn that was left out."""
LEFT_OUT = 5
"""Turns that were just not chosen, with --explain."""
LEGEND = (
    "An anchor answers, a bridge leads to what answers, context makes the others readable; coverage is the share,"
    " 0 to 1, of what was found that the shown turns stand for."
)
"""Under the scores, as in the help."""


def command(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question, or words to look for.")],
    memory: options.Memory = None,
    budget: options.Budget = 16,
    hops: options.Hops = 2,
    tokens: Annotated[
        int | None, typer.Option("--tokens", min=1, help="Tokens at most, by a rough count.")
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show the scores of every stage for each turn, and what was just left out."
        ),
    ] = False,
    as_json: options.Json = False,
    verbose: options.Verbose = False,
) -> None:
    """Find the turns that a question needs. No model of language is loaded.

    An anchor answers, a bridge leads to what answers, context makes the others readable; coverage is the share,
    0 to 1, of what was found that the shown turns stand for.
    """
    from localmem.cli.output import log_to_stderr, print_json, workspace_row
    from localmem.memory import Memory

    log_to_stderr(verbose)
    if not query.strip():
        raise UsageError("The question is empty.", hint="For example: localmem search 'Who bought the car?'")
    with Memory.open(memory, create=False) as opened:
        workspace = opened.search(
            query, budget=budget, hops=hops, tokens=tokens, left_out=LEFT_OUT if explain else 0
        )
        names = [transcript.name for transcript in opened.transcripts()]
    if as_json:
        print_json(workspace_row(workspace))
    elif workspace.units:
        _print(workspace, explain, {name for name in names if names.count(name) > 1})
    else:
        from localmem.cli.output import note

        empty = "Nothing in this memory yet. Add a transcript with: localmem ingest FILE"
        note(f"No turn fits {tokens} tokens." if workspace.candidates else empty)


def _print(workspace: Workspace, explain: bool, shared: set[str]) -> None:
    """A block for each thread: its head, and its turns as rows.

    Args:
        workspace: what to print.
        explain: the scores too.
        shared: names of more than one transcript, which do not tell which one it is.
    """
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    from localmem.cli.output import console, one_line, shortened, time_text

    out = console()
    heads = {thread.id: thread for thread in workspace.threads}
    speakers = min(16, max(cell_len(one_line(unit.turn.speaker)) for unit in workspace.units))
    sources = min(20, max(cell_len(one_line(unit.turn.source)) for unit in workspace.units))
    for id, thread in heads.items():
        transcript = workspace.transcripts[thread.transcript]
        name = transcript.path if transcript.name in shared else transcript.name
        title = Text(f"{one_line(name)} · ", style="dim") + Text(one_line(thread.head), style="italic")
        out.print(title, no_wrap=name == transcript.name, overflow="ellipsis")
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
        table.add_column(width=2)
        table.add_column(width=16, no_wrap=True)
        table.add_column(width=7, no_wrap=True)
        table.add_column(width=speakers, overflow="fold")
        table.add_column(ratio=1, overflow="fold")
        table.add_column(width=sources, overflow="fold", style="dim")
        for unit in workspace.units:
            if unit.stored.thread == id:
                turn = unit.turn
                cells = (time_text(turn.at), str(unit.role), turn.speaker, turn.text, turn.source)
                table.add_row("", *(Text(shortened(one_line(cell), SHOWN_CHARACTERS)) for cell in cells))
        out.print(table)
        out.print()
    plural = "" if len(heads) == 1 else "s"
    out.print(
        f"{len(workspace.units)} of {workspace.candidates} candidate turns, from {len(heads)} thread{plural};"
        f" coverage {workspace.coverage:.2f}"
    )
    if explain:
        _explain(workspace)


def _explain(workspace: Workspace) -> None:
    """Why each turn was chosen, in the order of choice: the score of every stage."""
    from rich.padding import Padding

    from localmem.cli.output import console, one_line, shortened

    out = console()
    wanted = ", ".join(f"{name} {share:.2f}" for name, share in workspace.demands.items())
    out.print(f"\nThe question asks for: {wanted}")
    for place, unit in enumerate(sorted(workspace.units, key=lambda unit: -unit.gain), 1):
        out.print(
            f"{place:3} {one_line(unit.turn.source)}: {unit.role},"
            f" priority {unit.priority:.4f}, gain {unit.gain:.4f}"
        )
        scores = "  ".join(f"{name} {score:.2f}" for name, score in unit.scores.items())
        out.print(Padding(scores, (0, 0, 0, 4)))
    if workspace.left_out:
        out.print("\nJust left out, the next best by gain:")
    for left in workspace.left_out:
        unit = left.unit
        out.print(
            f"    {one_line(unit.turn.source)}: {unit.role}, priority {unit.priority:.4f}, gain {unit.gain:.4f};"
            f" {one_line(left.reason)}"
        )
        said = f"{one_line(unit.turn.speaker)}: {one_line(unit.turn.text)}"
        out.print(Padding(shortened(said, LEFT_OUT_CHARACTERS), (0, 0, 0, 8)))
    stages = ", ".join(f"{name} {seconds * 1000:.1f} ms" for name, seconds in workspace.seconds.items())
    out.print(f"Time: {stages}")
    out.print(LEGEND)
