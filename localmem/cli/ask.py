"""`localmem ask`: an answer with the turns that it rests on."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from localmem.memory import Memory
    from localmem.values import Answer, Transcript, Turn

NAME = "ask"
EXAMPLE = (
    "Examples: localmem ask 'When does the ferry leave?';"
    " localmem ask --batch questions.txt --json > answers.jsonl; some-command | localmem ask -"
)
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
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help="Answer the questions of a file, one a line; the model is loaded once, and one that fails does not stop the rest.",
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
    if batch is not None and question is not None:
        raise UsageError(
            "A question and --batch FILE exclude each other.",
            hint="Put the question into the file, or leave --batch out.",
        )
    typed = "-" if batch is None else batch  # where questions come from that are no argument
    if question in (None, "-") and typed == "-" and sys.stdin.isatty():
        raise UsageError("There is no question.", hint="For example: localmem ask 'Who bought the car?'")
    if question is not None and not question.strip():
        raise UsageError("The question is empty.", hint="For example: localmem ask 'Who bought the car?'")
    with contextlib.ExitStack() as stack:
        # A file that is not there is told before the memory is opened.
        lines = sys.stdin if typed == "-" else _lines(typed, stack)
        how = _How(
            stack.enter_context(Memory.open(memory, create=False, model=model)),
            *(budget, hops, as_json, stream, quiet, verbose),
        )
        if question in (None, "-"):
            _many(how, lines)
        else:
            _one(how, str(question))


def _lines(file: str, stack: contextlib.ExitStack) -> Iterator[str]:
    """Lines of a file, whatever its encoding.

    Raises:
        UsageError: it cannot be opened.
    """
    from localmem.errors import UsageError
    from localmem.transcripts.source import Source

    try:
        opened = stack.enter_context(Path(file).open("rb"))  # noqa: SIM115 - the stack closes it
        source = Source(opened, file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{file}: {reason}", hint="--batch takes a file with a question a line.") from None
    return (line or "" for _, line in source.lines())


def _many(how: _How, lines: Iterable[str]) -> None:
    """Every question; one that fails does not stop the rest."""
    from localmem.cli.output import note, one_line, print_json
    from localmem.errors import EngineError

    failed = False
    for line in lines:
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
    print(f"    {one_line(transcript.path or transcript.name)}, {one_line(turn.source)}")


def _print_usage(answer: Answer) -> None:
    from localmem.cli.output import note

    usage = answer.usage
    dropped = f"; {usage.dropped_units} turns did not fit" if usage.dropped_units else ""
    note(
        f"({answer.seconds:.1f} s; {usage.prompt_tokens} prompt tokens, {usage.evaluated_tokens} of them read,"
        f" {usage.generated_tokens} written{dropped})"
    )
