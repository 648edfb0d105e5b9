"""`localmem bench`: measure a system on cases. The tables of the papers, on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from localmem.bench.names import TEMPERATURE, Name, Part
from localmem.cli import options

if TYPE_CHECKING:
    from localmem.bench.journal import TurnResult
    from localmem.bench.summary import Row

app = typer.Typer(
    no_args_is_help=True,
    help="Measure localmem, and what it is compared with, on conversations of your own.",
    epilog="Example: localmem bench tasks --cases scripts/cases/tasks --out results.jsonl",
)

TASKS_EPILOG = """\
Examples: localmem bench tasks --cases DIR --only trip --only cart -v;
localmem bench tasks --cases DIR --system localmem --system flat --ablate guards --seeds 5 --out results.jsonl
"""


@app.command("tasks", epilog=TASKS_EPILOG)
def tasks(
    cases: Annotated[
        Path, typer.Option("--cases", metavar="DIR", help="Folder of cases, those below it too; or one file.")
    ],
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only this case. Repeat for more.")
    ] = None,
    system: Annotated[
        list[Name] | None,
        typer.Option("--system", help="What is measured. Repeat for more. [default: localmem]"),
    ] = None,
    ablate: Annotated[
        list[Part] | None,
        typer.Option("--ablate", help="A row of localmem without this part, too. Repeat for more."),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, max=1000, help="Runs, with seeds 0, 1, ...")] = 1,
    temperature: Annotated[
        float | None,
        typer.Option("--temperature", min=0, max=2, help=f"[default: 0; {TEMPERATURE} with several seeds]"),
    ] = None,
    model: options.Model = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="A JSON line a turn, as it goes. What FILE has finished already is judged again, not run again.",
        ),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print each turn that fails.")] = False,
) -> None:
    """Hold conversations, judge every turn, and count what it cost.

    A case is a JSON file: {"name", "turns": [{"user", "intent", "active", "absent", "unchanged", "reply",
    "reply_not"}]}, with "half" (tune or check), "kind", "language" and "title" where wanted. intent: sets of new,
    update and check that are right. active: each entry (regular expressions) must match a path of an active task;
    absent: none may. unchanged: no path may change. reply: patterns that the reply must have; reply_not: must not
    have, but where "unless" matches in the same sentence.

    A turn whose intent or state is wrong is a confusion, one whose reply is wrong a hallucination. A case without
    either is consistent.
    """
    from localmem.bench import cases as case_files
    from localmem.bench.journal import Journal
    from localmem.bench.lineup import engines, make
    from localmem.bench.runner import run
    from localmem.bench.summary import rows

    wanted = case_files.load(cases, only or [])
    warmth = temperature if temperature is not None else TEMPERATURE if seeds > 1 else 0.0
    with Journal(out) as journal, engines(model) as lent:
        results = run(
            wanted,
            make(list(dict.fromkeys(system or [Name.LOCALMEM])), list(dict.fromkeys(ablate or [])), lent),
            model=lent.meter.id,
            seeds=seeds,
            temperature=warmth,
            journal=journal,
            on_case=None if quiet else _told(verbose),
        )
    table = rows(results)
    if as_json:
        from localmem.cli.output import print_json

        facts = {"model": lent.id, "temperature": warmth, "seeds": seeds}
        print_json({**facts, "rows": [_row(row) for row in table]})
    else:
        _print_table(table)


def _told(verbose: bool) -> Callable[[list[TurnResult], bool], None]:
    """Tells of each case on stderr, as it is done."""
    from localmem.cli.output import note, one_line

    def tell(done: list[TurnResult], kept: bool) -> None:
        run = done[0].run
        right = sum(result.right for result in done)
        seconds = sum(result.seconds for result in done)
        from_file = ", from the file" if kept else ""
        note(
            f"{_label(run.system, run.ablation)}, seed {run.seed}, {one_line(run.case)}: "
            f"{right} of {len(done)} turns right, {seconds:.0f} s{from_file}"
        )
        for result in done if verbose else ():
            if not result.right:
                for line in _failure_lines(result):
                    note(f"  {one_line(line)}")

    return tell


def _failure_lines(result: TurnResult) -> list[str]:
    lines = [f"{result.turn}. {result.user}"]
    lines += [f"understood {step}" for step in result.details.get("operations", ())]
    lines += [f"dropped {one}" for one in result.details.get("dropped", ())]
    lines.append(f"replied {result.reply}")
    for failure in result.failures:
        lines.append(f"WRONG {failure.kind}: {failure.expected}; found: {failure.found or 'nothing'}")
        if failure.kind == "active":
            lines += [f"path {path}" for path in result.paths]
    return lines


def _label(system: str, ablation: str) -> str:
    return f"{system} without {ablation}" if ablation else system


def _row(row: Row) -> dict[str, Any]:
    """A row as JSON."""
    from dataclasses import asdict

    return {
        name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(row).items()
    }


def _print_table(table: list[Row]) -> None:
    from rich.table import Table

    from localmem.cli.output import console

    shown = Table(box=None, pad_edge=False)
    for name in (
        "system", "turns right", "95%", "confus.", "halluc.", "consistent", "prompt", "evaluated", "written",
        "reply prompt", "reply written", "evaluated/turn", "slope", "s",
    ):  # fmt: skip
        shown.add_column(name, justify="left" if name == "system" else "right", overflow="fold")
    for row in table:
        label = f"  {row.half}" if row.half else _label(row.system, row.ablation)
        shown.add_row(
            label,
            f"{row.right}/{row.turns}",
            f"{row.low:.0%}-{row.high:.0%}",
            str(row.confusions),
            str(row.hallucinations),
            f"{row.consistent}/{row.conversations}",
            f"{row.tokens.prompt:,}",
            f"{row.tokens.evaluated:,}",
            f"{row.tokens.written:,}",
            f"{row.reply_tokens.prompt:,}",
            f"{row.reply_tokens.written:,}",
            f"{row.evaluated_a_turn:.0f}",
            "" if row.slope is None else f"{row.slope:+.1f}",
            f"{row.seconds:.0f}",
        )
    console().print(shown)
