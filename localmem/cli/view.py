"""`localmem view`: a page that shows a memory, for a browser; it needs no network and makes no request."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from localmem.cli import options
from localmem.errors import StoreError, UsageError

NAME = "view"
EXAMPLE = "Examples: localmem view; localmem view --query 'the trip to Cardiff' --out trip.html"
LEFT_OUT = 5


def command(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help='The page; "-" prints it. [default: MEMORY.html, in this folder]'
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", metavar="QUERY", help="Show what this question finds, with its roles."),
    ] = None,
    memory: options.Memory = None,
    budget: options.Budget = 16,
    hops: options.Hops = 2,
    quiet: options.Quiet = False,
) -> None:
    """Write one self-contained page: threads in time, links between them, and what a question finds.

    The page holds heads of threads and the turns that the question found; only you can read the file. A file that
    is no such page is not written over.
    """
    from localmem.cli.output import note
    from localmem.cli.view_page import page
    from localmem.memory import Memory

    if query is not None and not query.strip():
        raise UsageError("The question is empty.", hint="For example: --query 'Who bought the car?'")
    with Memory.open(memory, create=False) as opened:
        file = out or Path(f"{opened.path.stem}.html")
        if str(file) != "-":
            _check(file)
        workspace = (
            opened.search(query, budget=budget, hops=hops, left_out=LEFT_OUT) if query is not None else None
        )
        text = page(opened.view(workspace), opened.path.stem)
    if str(file) == "-":
        sys.stdout.write(text)
        return
    _write(file, text)
    print(file)
    if not quiet:
        note("Open it in a browser; it loads nothing from anywhere.")


def _check(file: Path) -> None:
    """Refuse to write over something that is no page of ours."""
    from localmem.cli.view_page import MARK

    try:
        if not file.exists():
            return
        with file.open("rb") as there:
            ours = MARK.encode() in there.read(200)
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror}.", hint="Name another file.") from error
    if not ours:
        raise UsageError(f"{file} is there and is no page of localmem.", hint="Name another file with --out.")


def _write(file: Path, text: str) -> None:
    """The whole page or nothing, readable by its owner alone."""
    import contextlib
    import os
    import tempfile

    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".tmp", dir=file.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as stream:
                stream.write(text)
            Path(name).replace(file)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise StoreError(
            f"{file} cannot be written: {error.strerror}.", hint="Name another file with --out."
        ) from error
