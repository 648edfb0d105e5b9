"""What needs the whole file for itself: another passphrase, and removing it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import SQLITE_BUSY, SQLITE_LOCKED

from localmem.errors import StoreError
from localmem.store import cipher
from localmem.store.database import Database
from localmem.store.engine_errors import translated
from localmem.store.file import BUSY_SECONDS
from localmem.store.header import beside

_PATIENCE_MILLISECONDS = 1000


class Owning(Database):
    """Methods on the file as a whole."""

    def change_passphrase(self, passphrase: str) -> None:
        """Encrypt all of an encrypted memory anew: whole, or not at all.

        Raises:
            StoreError: the memory is not encrypted, read-only, or open elsewhere; the disk is full, ... Once it has
                begun, the memory is closed then, with its old passphrase.
            UsageError: a passphrase that cannot be one.
        """
        cipher.check(passphrase)
        if not self.encrypted:
            raise StoreError(
                f"{self.path} is not encrypted.",
                hint="Make an encrypted one with localmem memory new NAME --encrypted, then export and import.",
            )
        with self._alone():
            try:
                with translated(self.path):
                    cipher.rekey(self._connection, passphrase, self.path)
            except BaseException:
                # SQLCipher goes on with the new key where it could not use it: one more page written, if only to bring
                # the log back, and neither passphrase opens the file.
                self.close()
                raise

    def remove(self) -> None:
        """Close the memory and delete its file, with what SQLite keeps beside it; of a link, also where it leads.

        Raises:
            StoreError: it is read-only, or open elsewhere; nothing is deleted then.
        """
        real = self.path.resolve()
        with self._alone():
            self.close()
        with translated(self.path):
            for file in (real, *(beside(real, suffix) for suffix in ("-wal", "-shm", "-journal")), self.path):
                file.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Without a log beside the file, which nobody else has open, or can open meanwhile; then as before, if it is open."""
        if self._in_transaction():
            raise RuntimeError("what needs the whole file cannot be a part of a transaction")
        self.refuse_read_only()
        used = StoreError(
            f"{self.path} is in use by another localmem.", hint="Close it there, and run the command again."
        )
        self._run(f"PRAGMA busy_timeout = {_PATIENCE_MILLISECONDS}")
        try:
            # The lock that taking the log away needs is kept then.
            self._run("PRAGMA locking_mode = EXCLUSIVE")
            try:
                row = self._row((str,), "PRAGMA journal_mode = DELETE")
            except StoreError as error:
                code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF
                raise (used if code in (SQLITE_BUSY, SQLITE_LOCKED) else error) from None
            if row != ("delete",):
                raise used
            yield
        finally:
            if not self.closed:
                self._run(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
                self._run("PRAGMA locking_mode = NORMAL")
                self._row((str,), "PRAGMA journal_mode = WAL")
                # The lock goes with the next look into the file.
                self._value("SELECT count(*) FROM sqlite_master")
