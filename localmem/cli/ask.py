"""`localmem ask`: an answer with the turns that it rests on."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from localmem.memory import Memory
    from localmem.values import Answer, Transcript, Turn

NAME = "ask"
EXAMPLE = "Examples: localmem ask 'When does the ferry leave?'; localmem ask --json - < questions.txt > answers.jsonl"
CITED_CHARACTERS = 1000
"""Of a cited turn, on the terminal; JSON has all of it."""
NEAREST = 3
"""Turns shown where the memory holds no answer."""


@dataclass(frozen=True, slots=True)
class _How:
    """How the questions of one command are answered and shown."""

    memory: Memory
    budget: int
    hops: int
    as_json: bool
    stream: bool
    quiet: bool
    verbose: bool


def command(
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION", help="The question; - or nothing: questions from standard input, one a line."
        ),
    ] = None,
    memory: options.Memory = None,
    model: options.Model = None,
    budget: options.Budget = 16,
    hops: options.Hops = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")] = False,
    stream: Annotated[
        bool,
        typer.Option("--stream/--no-stream", help="Print the answer as it is written, or when it is whole."),
    ] = True,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Answer a question from the memory, and show the turns that the answer rests on."""
    from localmem.cli.output import log_to_stderr
    from localmem.errors import UsageError
    from localmem.memory import Memory

    log_to_stderr(verbose)
    if question in (None, "-") and sys.stdin.isatty():
        raise UsageError("There is no question.", hint="For example: localmem ask 'Who bought the car?'")
    if question is not None and not question.strip():
        raise UsageError("The question is empty.", hint="For example: localmem ask 'Who bought the car?'")
    with Memory.open(memory, create=False, model=model) as opened:
        how = _How(opened, budget, hops, as_json, stream, quiet, verbose)
        if question in (None, "-"):
            _many(how)
        else:
            _one(how, str(question))


def _many(how: _How) -> None:
    """Every question of standard input; one that fails does not stop the rest."""
    from localmem.cli.output import note, one_line, print_json
    from localmem.errors import EngineError

    failed = False
    for line in sys.stdin:
        question = line.strip("\ufeff").strip()  # some shells begin a pipe with a byte order mark
        if not question:
            continue
        if not how.as_json:
            print(f"> {one_line(question)}", flush=True)
        try:
            _one(how, question)
        except EngineError as error:
            failed = True
            if how.as_json:
                print_json({"question": question, "error": str(error), "hint": error.hint}, line=True)
            else:
                note(f"not answered: {error} ({error.hint})")
        if not how.as_json:
            print()
    if failed:
        raise typer.Exit(1)


def _one(how: _How, question: str) -> None:
    from localmem.cli.output import answer_row, console, print_json, printable

    err = console(stderr=True)
    waiting = contextlib.ExitStack()
    if err.is_terminal and not (how.quiet or how.as_json):
        waiting.enter_context(err.status("reading"))

    def on_text(piece: str) -> None:
        waiting.close()
        print(printable(piece), end="", flush=True)

    streamed = how.stream and not how.as_json
    with waiting:
        answer = how.memory.ask(
            question, budget=how.budget, hops=how.hops, on_text=on_text if streamed else None
        )
    if how.as_json:
        print_json(answer_row(answer), line=True)
        return
    print("" if streamed else printable(answer.text))
    _print_sources(answer)
    if not answer.found and not how.quiet:
        _print_nearest(answer)
    if how.verbose:
        _print_usage(answer)


def _print_sources(answer: Answer) -> None:
    if not answer.supported:
        print("(unsupported: a name, number or date of this answer stands in no turn of the memory)")
    if answer.citations:
        print()
    for citation in answer.citations:
        print_turn(f"[{citation.number}]", citation.stored.turn, citation.transcript)


def _print_nearest(answer: Answer) -> None:
    """What was found for a question that it does not answer."""
    from localmem.cli.output import note

    workspace = answer.workspace
    if not workspace.units:
        note("Nothing in this memory yet. Add a transcript with: localmem ingest FILE")
        return
    print("\nThe nearest turns (all with: localmem search):")
    for unit in sorted(workspace.units, key=lambda unit: -unit.priority)[:NEAREST]:
        print_turn(" - ", unit.turn, workspace.transcripts[unit.stored.transcript])


def print_turn(mark: str, turn: Turn, transcript: Transcript) -> None:
    """A cited turn and where it stands."""
    from localmem.cli.output import one_line, shortened, time_text

    said = one_line(f"{time_text(turn.at)} {turn.speaker}: {turn.text}")
    print(f"{mark} {shortened(said, CITED_CHARACTERS)}")
    print(f"    {one_line(transcript.path)}, {one_line(turn.source)}")


def _print_usage(answer: Answer) -> None:
    from localmem.cli.output import note

    usage = answer.usage
    dropped = f"; {usage.dropped_units} turns did not fit" if usage.dropped_units else ""
    note(
        f"({answer.seconds:.1f} s; {usage.prompt_tokens} prompt tokens, {usage.evaluated_tokens} of them read,"
        f" {usage.generated_tokens} written{dropped})"
    )
