"""`localmem refine`: threads and their heads by the model, where code has made them so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from localmem.cli import options
from localmem.cli.options import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from localmem.recall.refine import Planned, Refined
    from localmem.values import Transcript

NAME = "refine"
EXAMPLE = (
    "Examples: localmem refine --dry-run; localmem refine talk --memory work;"
    " localmem refine --limit 200; localmem refine --json"
)


def command(
    transcripts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TRANSCRIPT...]",
            help="Only these: names, files or numbers. [default: all]",
            show_default=False,
        ),
    ] = None,
    memory: options.Memory = None,
    model: options.Model = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="End after about so many turns.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do. Loads no model.")
    ] = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Let the model cut conversations into threads and write a head for each: who, what and when.

    Ingesting has cut them already, without a model; searching and asking work before, after and in between. It takes
    minutes for a hundred turns. Ctrl-C and a kill lose nothing: the same command goes on.
    """
    from localmem.cli.output import log_to_stderr, note, print_json
    from localmem.memory import Memory

    log_to_stderr(verbose)
    with _going_on(), Memory.open(memory, create=False, model=model) as opened:
        if dry_run:
            planned = opened.refine_plan(*transcripts or ())
            _show_plan(planned, as_json)
            return
        with _bar(quiet) as progress:
            found = opened.refine(
                *transcripts or (),
                limit=limit,
                progress=progress,
                on_transcript=None if as_json else lambda one: print(_line(one), flush=True),
            )
        path = str(opened.path)
    if as_json:
        print_json({"memory": path, "transcripts": [_row(one) for one in found]})
    elif not found:
        note("Nothing to do: the model has made all threads.")


@contextmanager
def _going_on() -> Iterator[None]:
    """Says of an interruption that nothing is lost."""
    from localmem.errors import LocalmemError

    try:
        yield
    except KeyboardInterrupt:
        stopped = LocalmemError(
            "Interrupted.", hint="What was refined is kept; the same command goes on where it stopped."
        )
        stopped.exit_code = INTERRUPTED
        raise stopped from None


@contextmanager
def _bar(quiet: bool) -> Iterator[Callable[[Transcript, int, int], None] | None]:
    """A bar on stderr with the time that is left, where stderr is a terminal; what it is told after each window."""
    from localmem.cli.output import console, one_line

    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield None
        return
    import sys

    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        speed_estimate_period=1800,  # a window takes a minute on a slow machine
        # Results above the bar where both are on the terminal; else they must stay on stdout.
        redirect_stdout=sys.stdout.isatty(),
    )
    with bar:
        task = bar.add_task("loading the model", total=None, count="")

        def told(transcript: Transcript, done: int, total: int) -> None:
            name, count = one_line(transcript.name)[-40:], f"{done:,}/{total:,} turns"
            bar.update(task, description=name, completed=done, total=total, count=count)

        yield told


def _show_plan(planned: Sequence[Planned], as_json: bool) -> None:
    from localmem.cli.output import note, one_line, print_json

    if as_json:
        print_json({"transcripts": [_plan_row(one) for one in planned]})
        return
    for one in planned:
        if not one.remaining:
            print(f"{one_line(one.transcript.name)}: all {one.transcript.turns:,} turns are refined")
            continue
        print(
            f"{one_line(one.transcript.name)}: {one.remaining:,} of {one.transcript.turns:,} turns to refine,"
            f" in {one.windows:,} step{'s' * (one.windows != 1)}; about {one.tokens:,} tokens to read"
        )
    if any(one.remaining for one in planned):
        note(
            "Two CPU cores read 35 to 100 tokens a second, and write what they made of it in half that time again."
        )


def _line(one: Refined) -> str:
    from localmem.cli.output import one_line

    text = (
        f"{one_line(one.transcript.name)}: {one.turns:,} turn{'s' * (one.turns != 1)} refined,"
        f" {one.threads:,} thread{'s' * (one.threads != 1)} in place of {one.threads_before:,}"
    )
    if one.extracted:
        text += f"; {one.extracted:,} head{'s' * (one.extracted != 1)} quoted from a turn"
    text += f"; {one.seconds:,.1f} s"
    if one.failed:
        text += f"\n  {one.failed:,} turns stay as they were: the model came to no end with them"
    if one.remaining > one.failed:
        text += f"\n  {one.remaining - one.failed:,} turns are left; the same command goes on"
    return text


def _row(one: Refined) -> dict[str, Any]:
    from localmem.cli.output import usage_row

    return {
        "transcript": one.transcript.name,
        "file": one.transcript.path,
        "turns": one.turns,
        "threads_before": one.threads_before,
        "threads": one.threads,
        "heads_again": one.again,
        "heads_quoted": one.extracted,
        "failed": one.failed,
        "remaining": one.remaining,
        "usage": usage_row(one.usage),
        "seconds": round(one.seconds, 3),
    }


def _plan_row(one: Planned) -> dict[str, Any]:
    return {
        "transcript": one.transcript.name,
        "file": one.transcript.path,
        "turns": one.transcript.turns,
        "remaining": one.remaining,
        "windows": one.windows,
        "tokens": one.tokens,
    }
