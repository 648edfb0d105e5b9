"""`localmem bench agent`: subgoals as working memory, against a whole history, on planning problems and games."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localmem.agent.values import Actions, Assist, Mode
from localmem.cli import options

if TYPE_CHECKING:
    from localmem.bench.agent import Problem
    from localmem.bench.agent_results import Comparison, Row, RunResult

EXAMPLES = (
    "Examples: localmem bench agent --count 3 --out results.jsonl;"
    " localmem bench agent --problems DIR --domain gripper --mode hiagent --mode standard --actions free"
)
WIDTH = 120
"""Columns that a table may take."""


class Without(StrEnum):
    """What HiAgent can be run without."""

    SUMMARY = "summary"
    RETRIEVAL = "retrieval"
    MEMORY = "memory"
    STATE = "state"
    GOALS = "goals"
    AHEAD = "ahead"
    LOOKAHEAD = "lookahead"
    FACTS = "facts"
    SEARCH = "search"
    CHANGES = "changes"


def command(
    problems: Annotated[
        Path | None,
        typer.Option(
            "--problems",
            metavar="DIR",
            help="PDDL problems, in folders with a domain.pddl each. [default: made from seeds]",
        ),
    ] = None,
    games: Annotated[
        Path | None,
        typer.Option("--games", metavar="FILE", help='JSON: {"name": {"story", "goal", "milestones"}}.'),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            "--domain", metavar="NAME", help="blocksworld, gripper, tyreworld or barman. Repeat for more."
        ),
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="Problems of a domain, at most.")] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the first problem that is made.")] = 0,
    mode: Annotated[
        list[Mode] | None, typer.Option("--mode", help="Repeat for more. [default: hiagent and standard]")
    ] = None,
    actions: Annotated[
        list[Actions] | None, typer.Option("--actions", help="Repeat for more. [default: valid]")
    ] = None,
    ablate: Annotated[
        list[Without] | None,
        typer.Option("--ablate", help="A row of hiagent without this part, too. Repeat for more."),
    ] = None,
    assist: Annotated[
        list[Assist] | None,
        typer.Option(
            "--assist",
            help="What code adds to all ways. Repeat for more. [default: all to hiagent; goals, lookahead to standard]",
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="The published methods, without what code adds to them.")
    ] = False,
    max_steps: Annotated[int, typer.Option("--max-steps", min=1, help="Actions of a run, at most.")] = 30,
    model: options.Model = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="A JSON line a run, as it goes. Runs in FILE are not made again."
        ),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print subgoals and actions of each run.")
    ] = False,
) -> None:
    """Solve problems in several ways, and count success, steps, and tokens.

    context: mean tokens of a step's prompt. read: prompt tokens a step that were not served from a kept prefix. valid:
    steps that could be carried out, and those beyond step 20. The first way is compared with each other one over
    the same problems by Wilcoxon's signed-rank test.
    """
    from dataclasses import asdict

    from localmem.agent.values import Part
    from localmem.bench.agent import run, systems
    from localmem.bench.agent_results import Results, compare, rows
    from localmem.bench.lineup import engines
    from localmem.cli.output import note, one_line, print_json

    wanted = _problems(problems, games, domain or [], count, seed)
    names = {str(part): part for part in (*Part, *Assist)}
    ways = systems(
        list(dict.fromkeys(mode or Mode)),
        list(dict.fromkeys(actions or [Actions.VALID])),
        [names[part] for part in dict.fromkeys(ablate or [])],
        assists=() if plain else assist,
        max_steps=max_steps,
    )

    def tell(result: RunResult, known: bool) -> None:
        kept = ", from the file" if known else ""
        note(
            f"{result.key.system}, {one_line(result.key.problem)}: {result.status} after {result.steps} steps,"
            f" {result.progress:.0%} done, {result.seconds:.0f} s{kept}"
        )
        for line in result.lines if verbose else ():
            note(f"  {one_line(line) if line[:1] != ' ' else '  ' + one_line(line)}")

    with Results(out) as results, engines(model) as lent:
        made = run(wanted, ways, lent.meter, results, None if quiet else tell)
    table, compared = rows(made), compare(made)
    if as_json:
        print_json({"rows": [asdict(row) for row in table], "compared": [asdict(one) for one in compared]})
        return
    _print_rows(table)
    if compared:
        print()
        _print_compared(compared)


def _problems(
    folder: Path | None, games: Path | None, domains: Sequence[str], count: int, seed: int
) -> list[Problem]:
    from localmem.agent.environments.problems import GENERATORS
    from localmem.bench import agent

    listed = agent.games(games) if games else []
    if folder is not None:
        return [*agent.found(folder, domains, count), *listed]
    if games is None or domains:
        return [*agent.made(domains or list(GENERATORS), count, seed), *listed]
    return listed


def _print_rows(table: Sequence[Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    from localmem.cli.output import console, one_line

    shown = Table(box=None, pad_edge=False)
    headings = (
        "",
        "runs",
        "success",
        "progress",
        "steps",
        "context",
        "read",
        "wrote",
        "valid",
        "late",
        "goals",
        "s",
    )
    for place, name in enumerate(headings):
        shown.add_column(name, justify="right" if place else "left", overflow="fold")
    for row in table:
        late = "" if row.valid_late is None else f"{row.valid_late:.0%}"
        shown.add_row(
            Text(f"  {one_line(row.domain)}" if row.domain else row.system),
            str(row.runs),
            f"{row.success:.0%}",
            f"{row.progress:.0%}",
            f"{row.steps:.1f}",
            f"{row.context:,.0f}",
            f"{row.evaluated:,.0f}",
            f"{row.generated:,.0f}",
            f"{row.valid:.0%}",
            late,
            f"{row.subgoals:.1f}",
            f"{row.seconds:.0f}",
        )
    out = console()
    out.width = max(out.width, WIDTH)
    out.print(shown)


def _print_compared(compared: Sequence[Comparison]) -> None:
    from rich.table import Table
    from rich.text import Text

    from localmem.cli.output import console

    shown = Table(box=None, pad_edge=False)
    for place, name in enumerate(("", "pairs", "first", "other", "ratio", "p")):
        shown.add_column(name, justify="right" if place else "left", overflow="fold")
    told = ""
    for one in compared:
        if one.other != told:
            told = one.other
            shown.add_row(Text(f"{one.system} and {one.other}"))
        shown.add_row(
            f"  {one.figure}",
            str(one.pairs),
            f"{one.mean:,.2f}",
            f"{one.other_mean:,.2f}",
            "" if one.ratio is None else f"{one.ratio:.2f}",
            "" if one.p is None else f"{one.p:.3f}",
        )
    out = console()
    out.width = max(out.width, WIDTH)
    out.print(shown)
