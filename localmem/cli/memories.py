"""`localmem memory new`: a memory made on purpose, encrypted if wanted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="Make memories. Commands that add to one make it too, but never an encrypted one.",
    epilog="Example: localmem memory new diary --encrypted",
)


@app.command(
    epilog="Examples: localmem memory new diary --encrypted --keyring; localmem import old.jsonl --memory diary"
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A name, or a path that ends in .db.")],
    encrypted: Annotated[
        bool,
        typer.Option("--encrypted", help="With a passphrase, which is asked for or in LOCALMEM_PASSPHRASE."),
    ] = False,
    keyring: Annotated[
        bool, typer.Option("--keyring", help="Keep the passphrase in the system's keyring.")
    ] = False,
) -> None:
    """Make an empty memory.

    An encrypted one cannot be read without its passphrase, by nobody: there is no way to get at it without. What
    is in an older memory goes into an encrypted one with export and import.
    """
    from localmem.cli.output import note
    from localmem.errors import UsageError
    from localmem.memory import Memory

    if keyring and not encrypted:
        raise UsageError("Only an encrypted memory has a passphrase.", hint="Add --encrypted.")
    passphrase = _chosen() if encrypted else None
    path = Memory.new(name, passphrase=passphrase)
    if keyring and passphrase is not None:
        from localmem.upkeep import passphrase as passphrases

        passphrases.keep(path, passphrase)
    note(f"Made {path}{', encrypted' if encrypted else ''}.")


def ask(path: Path) -> str:
    """Ask the person at the terminal for the passphrase of a memory.

    Raises:
        PassphraseError: nobody is there.
    """
    from localmem.cli.output import one_line

    return _typed(f"Passphrase of {one_line(str(path))}: ")


def _chosen() -> str:
    """A passphrase for a new memory: from the environment, or typed twice."""
    from localmem.errors import UsageError
    from localmem.settings import settings

    given = settings().passphrase
    if given is not None:
        return given.get_secret_value()
    first = _typed("Passphrase: ")
    if first != _typed("Once more: "):
        raise UsageError("The two differ.", hint="Nothing was made; try again.")
    return first


def _typed(prompt: str) -> str:
    import getpass

    from localmem.errors import PassphraseError

    if not sys.stdin.isatty():
        raise PassphraseError(
            "Nobody is there to type a passphrase.",
            hint="Set LOCALMEM_PASSPHRASE, or run this in a terminal.",
        )
    try:
        return getpass.getpass(prompt)
    except EOFError:
        raise PassphraseError("No passphrase was typed.", hint="Try again.") from None
