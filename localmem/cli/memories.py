"""`localmem memory`: which there are; one made on purpose, encrypted if wanted; another passphrase; and removing it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from localmem.cli import options

app = typer.Typer(
    no_args_is_help=True,
    help="See, make and remove memories. Commands that add to one make it too, but never an encrypted one.",
    epilog="Examples: localmem memory new diary --encrypted; localmem memory remove old",
)


@app.command("list", epilog="Example: localmem memory list --json")
def list_(as_json: options.Json = False) -> None:
    """Show the memories that have a name, and the size of their files. Opens none of them.

    Those that were made at a path of their own are not known here.
    """
    from localmem.cli.output import megabytes, note, one_line, print_json
    from localmem.opening import named
    from localmem.settings import settings

    found = [(file.stem, file.stat().st_size, str(file)) for file in named(settings())]
    if as_json:
        print_json([{"memory": name, "bytes": size, "path": path} for name, size, path in found])
        return
    if not found:
        note("There is no memory yet. Make one with: localmem ingest FILE")
    for name, size, _ in found:
        print(f"{megabytes(size):>10}  {one_line(name)}")


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


@app.command(epilog="Example: localmem memory rekey diary")
def rekey(
    name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="An encrypted memory.")],
    keyring: Annotated[
        bool, typer.Option("--keyring", help="Keep the new passphrase in the system's keyring.")
    ] = False,
    variable: Annotated[
        str | None,
        typer.Option(
            "--from-env",
            metavar="VARIABLE",
            help="The environment variable with the new passphrase; else it is asked for.",
        ),
    ] = None,
) -> None:
    """Change the passphrase of an encrypted memory, which is encrypted anew.

    The present passphrase is asked for, or comes from LOCALMEM_PASSPHRASE or the keyring. A keyring that has it is told the
    new one. Copies of the file keep their old passphrase.
    """
    from localmem.cli.output import note
    from localmem.memory import Memory
    from localmem.upkeep import passphrase as passphrases

    with Memory.open(name, create=False) as opened:
        if not opened.encrypted:
            opened.change_passphrase("none")  # says why that cannot be, before anything is asked
        new = _twice("New passphrase: ") if variable is None else _variable(variable)
        opened.change_passphrase(new)
        if keyring:
            passphrases.keep(opened.path, new)
        note(f"{opened.path} has another passphrase now.")


@app.command(epilog="Example: localmem memory remove old --yes")
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="The memory.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
) -> None:
    """Delete a memory for good, with its caches, what was typed in its chats, and its passphrase in the keyring.

    Exports and copies are left alone.
    """
    from localmem.cli.forget import drop_typed
    from localmem.cli.output import note, one_line
    from localmem.errors import UsageError
    from localmem.memory import Memory

    with Memory.open(name, create=False) as opened:
        stats = opened.stats()
        held = f"{stats.turns:,} turn{'s' * (stats.turns != 1)} of {stats.transcripts:,} transcript{'s' * (stats.transcripts != 1)}"
        where = one_line(str(opened.path))
        if not yes and not _agrees(f"Delete {where} ({held}) for good? [y/N] "):
            raise UsageError("Nothing was deleted.", hint="Agree to it at the terminal, or use --yes.")
        real = opened.path.resolve()
        opened.remove()
        drop_typed(real)
        note(f"Deleted {where} ({held}).")


def _agrees(question: str) -> bool:
    if not sys.stdin.isatty():
        return False
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _variable(name: str) -> str:
    """The passphrase in an environment variable."""
    import os

    from localmem.errors import UsageError

    if name not in os.environ:
        raise UsageError(f"There is no environment variable {name}.", hint="Set it, or leave out --from-env.")
    return os.environ[name]


def ask(path: Path) -> str:
    """Ask the person at the terminal for the passphrase of a memory.

    Raises:
        PassphraseError: nobody is there.
    """
    from localmem.cli.output import one_line

    return _typed(f"Passphrase of {one_line(str(path))}: ")


def _chosen() -> str:
    """A passphrase for a new memory: from the environment, or typed twice."""
    from localmem.settings import settings

    given = settings().passphrase
    return _twice("Passphrase: ") if given is None else given.get_secret_value()


def _twice(prompt: str) -> str:
    from localmem.errors import UsageError

    first = _typed(prompt)
    if first != _typed("Once more: "):
        raise UsageError("The two differ.", hint="Nothing was changed; try again.")
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
