"""`localmem doctor`: is everything sound, and if not, how to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from localmem.upkeep.doctor import Finding

NAME = "doctor"
EXAMPLE = "Examples: localmem doctor; localmem doctor --memory work --no-digests --json"


def command(
    memory: options.Memory = None,
    digests: Annotated[
        bool,
        typer.Option(
            "--digests/--no-digests", help="Read the models' files and compare their SHA-256, or not."
        ),
    ] = True,
    as_json: options.Json = False,
) -> None:
    """Look at engines, models, the memory, its indexes, file modes, disk and threads; say how to mend what is wrong.

    The exit code is 1 if anything is wrong.
    """
    from dataclasses import asdict

    from localmem.cli.output import print_json
    from localmem.memory import examine
    from localmem.upkeep.doctor import State

    found = []
    for finding in examine(memory, digests=digests):
        found.append(finding)
        if not as_json:
            _print(finding)
    wrong = sum(finding.state is State.FAULT for finding in found)
    if as_json:
        print_json({"sound": not wrong, "findings": [asdict(finding) for finding in found]})
    elif wrong:
        print(f"{wrong} {'thing is' if wrong == 1 else 'things are'} wrong.")
    else:
        print("Nothing is wrong.")
    if wrong:
        raise typer.Exit(1)


def _print(finding: Finding) -> None:
    from localmem.cli.output import one_line

    print(f"{finding.state:5}  {finding.what:14}  {one_line(finding.text)}", flush=True)
    if finding.mend:
        print(f"{'':23}to mend: {one_line(finding.mend)}", flush=True)
