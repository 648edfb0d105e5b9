"""`localmem import`: an exported memory becomes one again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from localmem.upkeep.transfer import Carried

NAME = "import"
EXAMPLE = "Examples: localmem import work.jsonl --memory work; gzip -dc default.jsonl.gz | localmem import -"


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="What `localmem export` wrote; - for standard input.")
    ],
    memory: options.Memory = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Fill a new memory with what was exported from another one: all of it, or nothing."""
    from dataclasses import asdict

    from localmem.cli.output import note, print_json
    from localmem.memory import Memory

    talks = sys.stderr.isatty() and not quiet

    def progress(lines: int) -> None:
        if talks:
            print(f"\r{lines:,} lines", end="", file=sys.stderr, flush=True)

    with Memory.open(memory) as opened:
        try:
            carried = opened.import_from(sys.stdin.buffer if file == "-" else file, progress=progress)
        finally:
            if talks:
                print("\r\x1b[K", end="", file=sys.stderr)
    if as_json:
        print_json(asdict(carried))
    elif not quiet:
        note(f"Imported into {carried.path}: {counts(carried)}.")


def counts(carried: Carried) -> str:
    """What an export or an import went over, for people."""
    found = (
        (carried.turns, "turn", "turns"),
        (carried.transcripts, "transcript", "transcripts"),
        (carried.threads, "thread", "threads"),
        (carried.task_turns, "turn of the tasks", "turns of the tasks"),
        (carried.runs, "run", "runs"),
    )
    named = ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in found)
    return named + ("" if carried.vectors else "; without vectors")
