"""`localmem bench answers`: LoCoMo's F1 and BLEU-1, against plain rankings with the same prompt and model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from localmem.bench.names import Same
from localmem.cli import options

EXAMPLES = (
    "Examples: localmem bench answers --data locomo.json --questions 80 --out answers.jsonl;"
    " localmem bench answers --data locomo.json --conversations conv-42 --system localmem --system dense"
)


def command(
    data: Annotated[
        Path, typer.Option("--data", metavar="FILE", help="A LoCoMo file, or questions on a transcript.")
    ],
    questions: Annotated[
        int,
        typer.Option(
            "--questions", min=1, help="So many, drawn evenly by conversation and kind of question."
        ),
    ] = 80,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draw.")] = 0,
    conversations: Annotated[
        list[str] | None,
        typer.Option("--conversations", metavar="NAME", help="Only this one. Repeat for more."),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", help="localmem, dense, bm25, rrf or 'last turns'. Repeat. [default: all]"),
    ] = None,
    budget: options.Budget = 16,
    same: Annotated[
        Same, typer.Option("--same", help="What the baselines have as much of as localmem.")
    ] = Same.TOKENS,
    model: options.Model = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="A JSON line an answer, as it goes. What FILE has is not asked again.",
        ),
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Let the model answer from what each system chose, and compare with the expected answers.

    F1 is LoCoMo's, over stemmed words; macro is the mean of the kinds of questions. Questions that the conversation does
    not answer stand apart: how often the memory is said not to hold an answer. An answer is asked again, once, for names,
    numbers and dates that no turn has; unsupported ones have them still. The interval of a difference is a
    paired bootstrap over the same questions.
    """
    from localmem.bench import answers
    from localmem.bench import questions as asked
    from localmem.bench.lineup import engines
    from localmem.cli.output import note, one_line, print_json
    from localmem.errors import UsageError

    systems = list(dict.fromkeys(system or answers.SYSTEMS))
    unknown = [name for name in systems if name not in answers.SYSTEMS]
    if unknown:
        raise UsageError(
            f"There is no system {unknown[0]!r}.", hint=f"There are: {', '.join(answers.SYSTEMS)}."
        )
    talks = asked.load(data, conversations or [])
    drawn = asked.draw((one for talk in talks for one in talk.questions), questions, seed)

    def told(result: answers.Result) -> None:
        if not quiet:
            said = result.said or "not in memory"
            note(
                f"{result.key.system}, F1 {100 * result.f1:.0f}: {one_line(result.key.question)} | {one_line(said)}"
            )

    with answers.Journal(out) as journal, engines(model) as lent:
        results = answers.run(
            talks, drawn, lent.meter, lent.embedder,
            systems=systems, budget=budget, same=same, journal=journal, on_result=told,
        )  # fmt: skip
    rows = [answers.row(name, results) for name in systems]
    compared = answers.comparisons(results)
    if as_json:
        print_json({"seed": seed, "budget": budget, "same": same, "rows": rows, "localmem_above": compared})
        return
    _print(rows, compared)


def _print(rows: list[dict[str, Any]], compared: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from localmem.cli.output import console

    def figure(value: Any) -> str:
        return "" if value is None else f"{value:g}"

    kinds = list(dict.fromkeys(kind for row in rows for kind in row["f1_by_kind"]))
    shown = Table(box=None, pad_edge=False)
    names = ("macro F1", "F1", "BLEU-1", *kinds, "gold shown", "not found", "unknown refused")
    names += ("asked again", "unsupported", "tokens", "s")
    for place, name in enumerate(("", *names)):
        shown.add_column(name, justify="right" if place else "left", overflow="fold")
    for row in rows:
        cells = (row["macro_f1"], row["f1"], row["bleu1"], *(row["f1_by_kind"].get(kind) for kind in kinds))
        more = (
            row["gold_shown"],
            row["not_found"],
            row["unknown_refused"],
            row["asked_again"],
            row["unsupported"],
            row["tokens_shown"],
            row["seconds"],
        )
        shown.add_row(row["system"], *map(figure, (*cells, *more)))
    out = console()
    out.width = max(out.width, 120)
    out.print(shown)
    for one in compared:
        out.print(
            f"localmem is {one['points']:+.1f} points of macro F1 from {one['than']}"
            f" (95%: {one['low']:+.1f} to {one['high']:+.1f})."
        )
