"""`localmem bench recall`: the share of the turns that answer, against plain rankings at the same budget."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from localmem.cli import options

EXAMPLES = (
    "Examples: localmem bench recall --data locomo.json;"
    " localmem bench recall --data locomo.json --conversations conv-42 --ablate --out recall.md;"
    " localmem bench recall --data locomo.json --conversations conv-42 --refined refined.db"
)


def command(
    data: Annotated[
        Path, typer.Option("--data", metavar="FILE", help="A LoCoMo file, or questions on a transcript.")
    ],
    conversations: Annotated[
        list[str] | None,
        typer.Option("--conversations", metavar="NAME", help="Only this one. Repeat for more."),
    ] = None,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Take one part away at a time as well, and use other memories.")
    ] = False,
    refined: Annotated[
        Path | None,
        typer.Option(
            "--refined", metavar="MEMORY", help="A .db file that holds them refined, to compare its threads."
        ),
    ] = None,
    budget: options.Budget = 16,
    hops: options.Hops = 2,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the tables there too.")
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure the share of gold turns in the workspace. No model of language is loaded.

    Gold turns are those that a question's data names as its evidence. Baselines, over the same turns: dense takes
    the nearest by embedding, bm25 the best by words, rrf both by reciprocal-rank fusion; a second row gives them as
    many tokens as localmem's turns have.
    """
    from localmem.bench import questions, recall, recall_tables
    from localmem.cli.output import note, print_json, printable
    from localmem.recall.weights import FITTED_ON

    talks = questions.load(data, conversations or [])
    plan = recall.Plan(budget, hops, ablate, FITTED_ON, refined)
    if ablate and refined is not None:
        from localmem.errors import UsageError

        raise UsageError(
            "--ablate and --refined each need threads of their own.", hint="Run one after the other."
        )

    def told(name: str, count: int) -> None:
        if not quiet:
            note(f"{name}: {count} questions")

    with recall.embedder() as embedder:
        results = recall.run(talks, embedder, plan, on_talk=told)
    if not results:
        from localmem.errors import BenchError

        raise BenchError(f"{data} has no question that a turn answers.", hint="Look at its evidence.")
    found = recall_tables.figures(results, plan)
    text = "\n".join([*recall_tables.tables(results, plan), "", recall_tables.sentence(found)])
    if out is not None:
        out.write_text(f"# Share of gold turns in the workspace\n\n{text}\n", encoding="utf-8")
    if as_json:
        print_json(found)
    else:
        print(printable(text))
