"""`localmem export`: a memory as JSON lines."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from localmem.cli import options

NAME = "export"
EXAMPLE = "Examples: localmem export work.jsonl --memory work; localmem export - | gzip > default.jsonl.gz"


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to make; - for standard output.")],
    memory: options.Memory = None,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors/--no-vectors",
            help="With the vectors, or a fifth of the size and the import makes them anew.",
        ),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write all of a memory as JSON lines, in plain text, for `localmem import` and other programs.

    Only you can read the file.
    """
    from localmem.cli.output import note
    from localmem.memory import Memory

    with Memory.open(memory, create=False) as opened:
        if file == "-":
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
            carried = opened.export(sys.stdout, vectors=vectors)
        else:
            carried = opened.export(file, vectors=vectors, replace=force)
    if not quiet:
        from localmem.cli.importing import counts

        note(f"Exported: {counts(carried)}.")
