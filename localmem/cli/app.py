"""The command `localmem`: what it is made of, and the one place where errors are printed."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from localmem import __version__
from localmem.cli import ask, ingest, models, search, stats
from localmem.cli.options import INTERRUPTED

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
app.add_typer(models.app, name="models")
for module in (ingest, search, ask, stats):
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
    _take_any_text()
    sys.exit(_run(sys.argv[1:] if arguments is None else list(arguments)))


def _take_any_text() -> None:
    """No character of a transcript or a file's name may end a command: what a stream cannot hold is replaced."""
    import io

    for stream, errors in (
        (sys.stdin, "replace"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _run(arguments: list[str]) -> int:
    try:
        code = _command(arguments)
        if sys.stdout is not None:  # somebody may have closed it
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


def _command(arguments: list[str]) -> int:
    from localmem.errors import LocalmemError

    try:
        # Without standalone mode the exceptions come here, and typer.Exit comes back as its code.
        code = app(arguments, prog_name="localmem", standalone_mode=False)
    except LocalmemError as error:
        _print_error(str(error), error.hint)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        shown: Any = error
        if not hasattr(shown, "show"):  # it is no wrong usage; typer's error of that has no public name
            raise
        shown.show()
        _hint_at_quotes(shown)
        return int(shown.exit_code)
    if code == INTERRUPTED:  # some versions of typer turn Ctrl-C into this code
        _print_error("Interrupted.", "")
    return code if isinstance(code, int) else 0


def _hint_at_quotes(error: Any) -> None:
    """A question without quotes is several arguments."""
    name = error.ctx.info_name if getattr(error, "ctx", None) else None
    if name in (search.NAME, ask.NAME) and "unexpected extra argument" in error.format_message():
        print(f"  Put the question in quotes: localmem {name} 'Who bought the car?'", file=sys.stderr)


def _print_error(message: str, hint: str) -> None:
    from localmem.cli.output import one_line

    print(f"localmem: {one_line(message)}", file=sys.stderr)
    if hint:
        print(f"  {one_line(hint)}", file=sys.stderr)


if __name__ == "__main__":
    main()
