"""`localmem stats`: how large a memory is."""

from __future__ import annotations

from localmem.cli import options

NAME = "stats"
EXAMPLE = "Example: localmem stats --memory work --json"


def command(memory: options.Memory = None, as_json: options.Json = False) -> None:
    """Show what a memory holds. Loads no engine."""
    from dataclasses import asdict

    from localmem.cli.output import print_json, printable
    from localmem.memory import Memory

    with Memory.open(memory, create=False) as opened:
        stats = opened.stats()
    row = asdict(stats)
    if as_json:
        print_json(row)
        return
    width = max(map(len, row))
    for name, value in row.items():
        shown = (
            f"{value:,}"
            if isinstance(value, int)
            else ", ".join(value)
            if isinstance(value, tuple)
            else value
        )
        print(f"{name.replace('_', ' '):{width}}  {printable(str(shown)) or '-'}")
