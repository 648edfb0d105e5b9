"""`localmem bench`: measure a system on cases. The tables of the papers, on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from localmem.bench.names import TEMPERATURE, Name, Part
from localmem.cli import bench_agent, bench_answers, bench_recall, options
from localmem.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from localmem.bench.forms import FormRow
    from localmem.bench.journal import TurnResult
    from localmem.bench.summary import Row

app = typer.Typer(
    no_args_is_help=True,
    help="Measure localmem, and what it is compared with, on conversations of your own.",
    epilog="Example: localmem bench tasks --cases scripts/cases/tasks --out results.jsonl",
)

app.command("agent", epilog=bench_agent.EXAMPLES)(bench_agent.command)
app.command("recall", epilog=bench_recall.EXAMPLES)(bench_recall.command)
app.command("answers", epilog=bench_answers.EXAMPLES)(bench_answers.command)

WIDTH = 120
"""Columns that a table may take."""
FORM_COLUMNS = (
    "form", "\nright", "flat:\nright", "reply\ntokens", "flat:\ntokens", "\nratio", "all\ntokens", "flat:\ntokens",
    "\nratio", "\neval.", "flat:\neval.",
)  # fmt: skip

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
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="MODEL", help="As for `localmem ask`. Repeat to compare models."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="A JSON line a turn, as it goes. What FILE has finished already is judged again, not run again.",
        ),
    ] = None,
    form_turns: Annotated[
        int | None,
        typer.Option(
            "--form-turns",
            metavar="N",
            min=4,
            max=120,
            help="Fill in a form of N turns too, made by code; it has a table of its own. Needs localmem and flat.",
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

    localmem is judged by its task graph. The baselines hold none: after each turn they are asked, apart from the
    conversation and uncounted, to list what holds now as lines "task > slot = value", and the intent of the turn;
    these lines are judged as paths. flat: the whole conversation in the prompt of a plain assistant; react: thoughts
    and actions over it; cot: told to think step by step. A context that is full is cut from the front, and that is
    told below the table.

    Where localmem and flat have filled in a form (the case named form, or --form-turns), a second table has prompt
    and completion tokens of the calls that reply, and of all calls beside it.
    """
    from localmem.bench import cases as case_files
    from localmem.bench.forms import form, form_rows
    from localmem.bench.journal import Journal
    from localmem.bench.lineup import engines, make
    from localmem.bench.notes import notes
    from localmem.bench.runner import run
    from localmem.bench.summary import rows
    from localmem.cli.output import note, one_line, print_json

    wanted = list(case_files.load(cases, only or []))
    made = [form(form_turns)] if form_turns else []
    wanted += [case for case in made if case.name not in {one.name for one in wanted}]
    systems = list(dict.fromkeys(system or [Name.LOCALMEM]))
    if ablate and Name.LOCALMEM not in systems:
        raise UsageError("--ablate leaves out a part of localmem.", hint="Add --system localmem.")
    if made and not {Name.LOCALMEM, Name.FLAT} <= set(systems):
        raise UsageError(
            "--form-turns compares localmem with flat.", hint="Add --system localmem --system flat."
        )
    warmth = temperature if temperature is not None else TEMPERATURE if seeds > 1 else 0.0
    chosen: list[str | None] = [*dict.fromkeys(model)] if model else [None]
    results: list[TurnResult] = []
    with Journal(out) as journal:
        for name in chosen:
            with engines(name) as lent:
                results += run(
                    wanted,
                    make(systems, list(dict.fromkeys(ablate or [])), lent),
                    model=lent.id,
                    seeds=seeds,
                    temperature=warmth,
                    journal=journal,
                    on_case=None if quiet else _told(verbose),
                )
    names = {case.name for case in made}
    table = rows(result for result in results if result.run.case not in names)
    forms = form_rows(results)
    told = notes(results, table)
    if as_json:
        facts = {"temperature": warmth, "seeds": seeds}
        print_json({**facts, "rows": _json(table), "forms": _json(forms), "notes": told})
        return
    _print_table(table)
    if forms:
        print()
        _print_forms(forms)
    for line in () if quiet else told:
        note(one_line(line))


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


def _json(rows: Sequence[Row | FormRow]) -> list[dict[str, Any]]:
    from dataclasses import asdict

    return [
        {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(row).items()}
        for row in rows
    ]


def _print_table(table: list[Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    from localmem.cli.output import one_line

    several = any(row.seeds > 1 for row in table)
    long = any(row.slope is not None for row in table)
    shown = Table(box=None, pad_edge=False)
    names = [
        "",
        "turns\nright",
        "\n95%",
        "\nconf.",
        "\nhall.",
        *(["a\nseed"] if several else []),
        "cases\ncons.",
    ]
    names += ["all\nread", "calls\neval.", "\nwrote", "reply\nread", "calls\nwrote"]
    names += [*(["\ngrow"] if long else []), "\ns"]
    for place, name in enumerate(names):
        shown.add_column(name, justify="right" if place else "left", overflow="fold")
    model = ""
    for row in table:
        if row.model != model and len({one.model for one in table}) > 1:
            model = row.model
            shown.add_section()
            shown.add_row(Text(one_line(model)))
        whole, reply = row.tokens, row.reply_tokens
        shown.add_row(
            f"  {row.half}" if row.half else f"no {row.ablation}" if row.ablation else row.system,
            f"{row.right}/{row.turns}",
            f"{100 * row.low:.0f}-{100 * row.high:.0f}",
            str(row.confusions),
            str(row.hallucinations),
            *([f"{row.errors_a_seed:.1f}"] if several else []),
            f"{row.consistent}/{row.conversations}",
            *(
                f"{count / row.turns:,.0f}"
                for count in (whole.prompt, whole.evaluated, whole.written, reply.prompt, reply.written)
            ),
            *(["" if row.slope is None else f"{row.slope:+.1f}"] if long else []),
            f"{row.seconds / row.turns:.1f}",
        )
    _print_wide(shown)


def _print_forms(forms: list[FormRow]) -> None:
    """Localmem against flat: tokens and their ratio, of the reply calls and of all."""
    from rich.table import Table

    from localmem.cli.output import one_line

    shown = Table(box=None, pad_edge=False)
    for place, name in enumerate(FORM_COLUMNS):
        shown.add_column(name, justify="right" if place else "left", overflow="fold")
    several = len({row.model for row in forms}) > 1
    for row in forms:
        shown.add_row(
            one_line(f"{row.model}: {row.case}" if several else row.case),
            f"{row.right}/{row.turns}",
            f"{row.flat_right}/{row.turns}",
            f"{row.reply:,}",
            f"{row.flat_reply:,}",
            f"{row.ratio:.2f}",
            f"{row.whole:,}",
            f"{row.flat_whole:,}",
            f"{row.whole_ratio:.2f}",
            f"{row.evaluated:,}",
            f"{row.flat_evaluated:,}",
        )
    _print_wide(shown)


def _print_wide(shown: Table) -> None:
    """Figures are not folded: a narrow terminal breaks the lines itself."""
    from localmem.cli.output import console

    out = console()
    out.width = max(out.width, WIDTH)
    out.print(shown)
