"""Encrypted memories: SQLCipher in the place of SQLite. It is an extra, so nothing imports it without need.

SQLCipher encrypts every page of the file, its log and its journal with AES-256 and signs it; the key comes from the
passphrase by PBKDF2 with a salt of the file's own, https://www.zetetic.net/sqlcipher/design/.
"""

from __future__ import annotations

import sqlite3
import sys
import unicodedata
from pathlib import Path
from typing import Any

from localmem.errors import PassphraseError, StoreError, UsageError

_MAGIC = b"SQLite format 3\0"
_PAGE = 4096
_LIBRARY = "sqlcipher3.dbapi2"


def looks_encrypted(path: Path) -> bool:
    """Whether a file may be an encrypted memory: whole pages, without the beginning that SQLite's files have.

    Nothing in such a file is in the clear, so only the passphrase tells.
    """
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
    size = path.stat().st_size
    return len(start) == len(_MAGIC) and start != _MAGIC and size % _PAGE == 0 and not _text(start)


def library(path: Path) -> Any:
    """SQLCipher's module, which has the interface of `sqlite3`.

    Raises:
        StoreError: it is not installed.
    """
    try:
        from sqlcipher3 import dbapi2
    except ImportError:
        raise StoreError(
            f"{path} is an encrypted memory, or none; SQLCipher, which could tell, is not installed.",
            hint="Install it with: pip install 'localmem[encrypted]'",
        ) from None
    return dbapi2


def connect(path: Path, uri: str, passphrase: str, **options: Any) -> Any:
    """A connection to an encrypted file, or to a new one that is to become one.

    Raises:
        PassphraseError: it is another passphrase, or the file is something else; it is left as it is.
        StoreError: SQLCipher is not installed.
    """
    module = library(path)
    connection = module.connect(uri, uri=True, **options)
    try:
        connection.execute("PRAGMA cipher_log_level = NONE")  # it would write to stderr
        connection.execute(f"PRAGMA key = {_quoted(passphrase)}")
        if not connection.execute("PRAGMA cipher_version").fetchone():
            raise StoreError(
                "The sqlcipher3 that is installed cannot encrypt.",
                hint="Install it anew: pip install --force-reinstall 'localmem[encrypted]'",
            )
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except module.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_NOTADB:
                raise
            raise PassphraseError(
                f"The passphrase does not open {path}.",
                hint="Try again, and look at LOCALMEM_PASSPHRASE and the keyring; if it is no memory, name another file.",
            ) from None
    except BaseException:
        connection.close()
        raise
    return connection


def rekey(connection: Any, passphrase: str, path: Path) -> None:
    """Encrypt all pages of an open file with another passphrase, in one transaction; the file has no log beside it.

    Raises:
        StoreError: it could not be done. The connection must write nothing more, and be closed.
    """
    try:
        connection.execute(f"PRAGMA rekey = {_quoted(passphrase)}").fetchall()
    except errors("OperationalError") as error:  # it does not say which
        raise StoreError(
            f"{path} could not be encrypted anew; it has its old passphrase.",
            hint="See that the disk has room for a second copy of it and that no other localmem uses it, then try again.",
        ) from error


def check(passphrase: str) -> str:
    """A passphrase that can be one, with its letters put together as RFC 8265 has it: keyboards and files differ in that.

    Raises:
        UsageError: it is empty, or has characters that nobody can type.
    """
    if not passphrase.strip():
        raise UsageError("The passphrase is empty.", hint="Use several words that only you put together.")
    if any(c < " " or "\ud800" <= c <= "\udfff" for c in passphrase):
        raise UsageError("The passphrase has control characters.", hint="Use letters, digits and spaces.")
    return unicodedata.normalize("NFC", passphrase)


def errors(kind: str = "Error") -> tuple[type[Exception], ...]:
    """The exceptions of that name, of SQLite and of SQLCipher where it is loaded."""
    loaded = sys.modules.get(_LIBRARY)
    ours: type[Exception] = getattr(sqlite3, kind)
    return (ours,) if loaded is None else (ours, getattr(loaded, kind))


def _quoted(text: str) -> str:
    return "'" + check(text).replace("'", "''") + "'"


def _text(start: bytes) -> bool:
    """Whether these bytes are plain text, which random ones hardly ever are."""
    return all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in start)
