"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

INTERRUPTED = 130
"""Exit code after Ctrl-C."""

Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        "-m",
        metavar="NAME|PATH",
        help="Which memory: a name, or a path that ends in .db. [default: default]",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results only.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Print what the parts log, to stderr.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="An id of `localmem models list`, a .gguf file, or hf:owner/repo/file.",
    ),
]
Budget = Annotated[int, typer.Option("--budget", min=1, max=512, help="Turns that are chosen, at most.")]
Hops = Annotated[
    int,
    typer.Option(
        "--hops", min=0, max=8, help="Links of the thread graph that are followed; fewer is faster."
    ),
]
