"""The command `localmem`: what it is made of, and the one place where errors are printed."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Any

try:
    import typer

    from localmem import __version__
    from localmem.cli import (
        ask,
        bench,
        chat,
        doctor,
        export,
        forget,
        importing,
        ingest,
        memories,
        models,
        refine,
        run,
        search,
        stats,
        tasks,
        view,
    )
    from localmem.cli.options import INTERRUPTED
except KeyboardInterrupt:  # they take a moment to load
    if sys.stderr is not None:
        print("localmem: Interrupted.", file=sys.stderr)
    sys.exit(130)

CANNOT_WRITE = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)
"""What the system says when a stream takes no more."""

app = typer.Typer(
    name="localmem",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="An offline assistant that remembers: cited answers about long conversations, from a small model on your own machine.",
    epilog="Examples: localmem ingest chat.txt; localmem ask 'When does the ferry leave?'; localmem models pull",
)
app.add_typer(memories.app, name="memory")
app.add_typer(models.app, name="models")
app.add_typer(bench.app, name="bench")
app.add_typer(tasks.app, name="tasks")
app.add_typer(run.app, name=run.NAME)
for module in (chat, ingest, search, ask, refine, view, stats, export, importing, forget, doctor):
    app.command(module.NAME, epilog=module.EXAMPLE)(module.command)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"localmem {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 fine, 1 failed, 2 wrong usage, 130 interrupted.

    Args:
        arguments: without the program's name; None: those of the process.
    """
    try:
        _open_closed_streams()
        _take_any_text()
        with _noted_interrupts() as interrupts:
            code = _run(sys.argv[1:] if arguments is None else list(arguments), interrupts)
    except KeyboardInterrupt:
        code = _interrupted()
    sys.exit(code)


def _open_closed_streams() -> None:
    """A stream that somebody has closed (`2>&-`) becomes an empty one.

    Its number must not go to a file that is opened later: what a library writes to stderr would go into it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))


@contextmanager
def _noted_interrupts() -> Iterator[list[int]]:
    """The Ctrl-C so far: some libraries make an ImportError of one that comes while they load."""
    seen: list[int] = []

    def interrupt(number: int, _: Any) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    alone = threading.current_thread() is threading.main_thread()
    ours = alone and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield seen
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _take_any_text() -> None:
    """No character of a transcript or a file's name may end a command: what a stream cannot hold is replaced."""
    for stream, errors in (
        (sys.stdin, "replace"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _run(arguments: list[str], interrupts: list[int]) -> int:
    try:
        code = _command(arguments, interrupts)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has left (`| head`); nobody is there to be told, and exiting must not try.
        sys.stdout = None
        return 1
    except OSError as error:
        if error.errno not in CANNOT_WRITE or error.filename is not None:
            raise
        sys.stdout = None
        _print_error(
            f"What was to be written could not be: {error.strerror}.", "Free some space, or write elsewhere."
        )
        return 1
    return code


def _command(arguments: list[str], interrupts: list[int]) -> int:
    from localmem.errors import LocalmemError
    from localmem.upkeep import passphrase

    passphrase.ask = memories.ask
    try:
        # Without standalone mode the exceptions come here, and typer.Exit comes back as its code.
        code = app(arguments, prog_name="localmem", standalone_mode=False)
    except LocalmemError as error:
        if interrupts and error.exit_code != INTERRUPTED:
            return _interrupted()
        _print_error(str(error), error.hint)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        if interrupts:
            return _interrupted()
        shown: Any = error
        if not hasattr(shown, "show"):  # it is no wrong usage; typer's error of that has no public name
            raise
        shown.show()
        _hint_at_quotes(shown)
        return int(shown.exit_code)
    if code == INTERRUPTED:  # some versions of typer turn Ctrl-C into this code
        return _interrupted()
    return code if isinstance(code, int) else 0


def _interrupted() -> int:
    _print_error("Interrupted.", "")
    return INTERRUPTED


def _hint_at_quotes(error: Any) -> None:
    """A question without quotes is several arguments."""
    name = error.ctx.info_name if getattr(error, "ctx", None) else None
    name = run.NAME if name == run.START else name
    if (
        name in (search.NAME, ask.NAME, chat.NAME, run.NAME)
        and "unexpected extra argument" in error.format_message()
    ):
        print(f"  Put the text in quotes: localmem {name} 'Who bought the car?'", file=sys.stderr)


def _print_error(message: str, hint: str) -> None:
    from localmem.cli.output import one_line

    with suppress(OSError):  # nobody reads stderr any more
        print(f"localmem: {one_line(message)}", file=sys.stderr)
        if hint:
            print(f"  {one_line(hint)}", file=sys.stderr)


if __name__ == "__main__":
    main()
