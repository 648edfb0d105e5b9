"""`localmem stats`: how large a memory is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from localmem.cli import options

if TYPE_CHECKING:
    from localmem.values import Transcript

NAME = "stats"
EXAMPLE = "Example: localmem stats --memory work --json"
LABELS = {"bytes": "size", "models": "models used"}
"""Of facts whose field is not named as people would."""


def command(memory: options.Memory = None, as_json: options.Json = False) -> None:
    """Show what a memory holds: its size, and its transcripts. Loads no engine."""
    from dataclasses import asdict

    from localmem.cli.output import print_json
    from localmem.memory import Memory

    with Memory.open(memory, create=False) as opened:
        stats, transcripts = opened.stats(), opened.transcripts()
    if as_json:
        print_json({**asdict(stats), "files": [_row(transcript) for transcript in transcripts]})
        return
    _print_facts(asdict(stats))
    if transcripts:
        _print_transcripts(transcripts)


def _row(transcript: Transcript) -> dict[str, Any]:
    return {
        "transcript": transcript.name,
        "format": transcript.format,
        "turns": transcript.turns,
        "file": transcript.path,
    }


def _print_facts(facts: dict[str, Any]) -> None:
    from localmem.cli.output import megabytes, printable

    labels = {name: LABELS.get(name, name.replace("_", " ")) for name in facts}
    width = max(map(len, labels.values()))
    for name, value in facts.items():
        if name == "bytes":
            shown = megabytes(value)
        elif isinstance(value, int):
            shown = f"{value:,}"
        else:
            shown = ", ".join(value) if isinstance(value, tuple) else str(value)
        print(f"{labels[name]:{width}}  {printable(shown) or '-'}")


def _print_transcripts(transcripts: list[Transcript]) -> None:
    """A line for each: turns, format, name, file. What may be in wide letters comes last, where none lines up."""
    from localmem.cli.output import one_line

    turns = max(len(f"{one.turns:,}") for one in transcripts)
    formats = max(len(one.format) for one in transcripts)
    print()
    for one in transcripts:
        plural = " " if one.turns == 1 else "s"
        print(
            f"{one.turns:{turns},} turn{plural}  {one.format:{formats}}  {one_line(one.name)}  {one_line(one.path)}"
        )
