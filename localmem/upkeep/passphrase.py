"""Where the passphrase of an encrypted memory comes from: the environment, the system's keyring, or the person."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localmem.errors import PassphraseError

if TYPE_CHECKING:
    from localmem.settings import Settings

SERVICE = "localmem"
"""What a keyring files the passphrases under; the user's name is the path of the memory."""

ask: Callable[[Path], str] | None = None
"""Asks the person at the terminal; the command line sets it."""


def find(path: Path, settings: Settings) -> str:
    """The passphrase of a memory.

    Raises:
        PassphraseError: nothing and nobody knows it.
    """
    if settings.passphrase is not None:
        return settings.passphrase.get_secret_value()
    found = kept(path)
    if found:
        return found
    if ask is not None:
        return ask(path)
    raise PassphraseError(
        f"{path} is encrypted, and there is no passphrase.",
        hint="Set LOCALMEM_PASSPHRASE, or run the command in a terminal.",
    )


def keep(path: Path, passphrase: str) -> None:
    """Put the passphrase of a memory into the keyring.

    Raises:
        PassphraseError: there is no keyring, or it refuses.
    """
    keyring = _library()
    if keyring is None:
        raise PassphraseError(
            "There is no keyring library.", hint="Install it with: pip install 'localmem[encrypted]'"
        )
    try:
        keyring.set_password(SERVICE, _user(path), passphrase)
    except Exception as error:  # each system has errors of its own
        raise PassphraseError(
            f"The keyring does not take the passphrase: {' '.join(str(error).split()) or type(error).__name__}.",
            hint="Leave out --keyring; it is asked for then, or read from LOCALMEM_PASSPHRASE.",
        ) from error


def drop(path: Path) -> None:
    """Take the passphrase of a memory out of the keyring, if it is there."""
    keyring = _library()
    if keyring is not None:
        with suppress(Exception):  # none there, or none on this machine
            keyring.delete_password(SERVICE, _user(path))


def kept(path: Path) -> str | None:
    """The passphrase of a memory, if a keyring has it."""
    keyring = _library()
    if keyring is None:
        return None
    with suppress(Exception):  # none on this machine, locked, refused: then the person is asked
        found = keyring.get_password(SERVICE, _user(path))
        return found if isinstance(found, str) else None
    return None


def _library() -> Any:
    try:
        import keyring
    except ImportError:
        return None
    return keyring


def _user(path: Path) -> str:
    return str(path.expanduser().resolve())
