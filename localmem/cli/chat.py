"""`localmem chat`: talk with the memory, at a terminal, from a pipe, or one turn."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from localmem.cli.chat_session import Session

NAME = "chat"
EXAMPLE = (
    "Examples: localmem chat; localmem chat --memory trip 'We fly to Oslo on Friday.';"
    " localmem chat --json < turns.txt > replies.jsonl"
)


def command(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="One turn; nothing: talk at the terminal; - or a pipe: standard input, a turn on each line.",
        ),
    ] = None,
    memory: options.Memory = None,
    model: options.Model = None,
    temperature: Annotated[
        float,
        typer.Option("--temperature", min=0.0, max=2.0, help="0: the likeliest words, always the same."),
    ] = 0.0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**32 - 1, help="Of what a temperature leaves open.")
    ] = 0,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show after each turn what was understood, refused and found."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, one object a turn on one line.")
    ] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Talk with the memory. It keeps what is said, and follows plans through every change.

    At a terminal, /help shows commands and keys. What was understood stands below each reply.
    """
    from localmem.cli.chat_session import Manner, Session
    from localmem.cli.output import log_to_stderr
    from localmem.errors import UsageError
    from localmem.memory import Memory
    from localmem.settings import settings

    log_to_stderr(verbose)
    single = text not in (None, "-")
    if single and not str(text).strip():
        raise UsageError("The text is empty.", hint="For example: localmem chat 'We fly to Oslo on Friday.'")
    terminal = text is None and sys.stdin.isatty()
    talks = terminal or (single and sys.stdout.isatty())
    manner = Manner(as_json, quiet, verbose, explain, talks and not as_json, temperature, seed)
    with Memory.open(memory, model=model) as opened:
        session = Session(opened, model or settings().model, manner)
        if single:
            _one(session, str(text))
        elif terminal:
            _talk(session)
        else:
            _lines(session)


def _one(session: Session, text: str) -> None:
    """One turn; an error ends the command as it does everywhere, or is an object."""
    from localmem.cli.chat_session import Quit
    from localmem.errors import LocalmemError

    try:
        session.line(text)
    except Quit:
        pass
    except LocalmemError as error:
        if not session.manner.as_json:
            raise
        session.tell(error)
        raise typer.Exit(error.exit_code) from None


def _lines(session: Session) -> None:
    """Every line of standard input; one that fails does not stop the rest."""
    from localmem.cli.chat_session import Quit

    for line in sys.stdin:
        try:
            session.attempt(line)
        except Quit:
            break
        sys.stdout.flush()  # who writes the lines may wait for the reply
    if session.failed:
        raise typer.Exit(1)


def _talk(session: Session) -> None:
    from localmem import __version__
    from localmem.cli.chat_print import print_dim
    from localmem.cli.chat_prompt import talk
    from localmem.settings import settings

    if session.manner.talks and not session.manner.quiet:
        print_dim(
            f"localmem {__version__}, memory {session.memory.path.stem}, model {session.model}."
            " /help shows commands, Ctrl-D leaves."
        )
    if talk(session, settings()):
        raise typer.Exit(options.INTERRUPTED)
