"""The memory file as one object."""

from __future__ import annotations

from localmem.store.schema import MIGRATIONS
from localmem.store.transfer import TransferTables
from localmem.values import MemoryStats


class Store(TransferTables):
    """A memory file: transcripts, turns, threads, vectors and word indexes, the turns of the tasks, runs of the agent.

    Several stores, also in several processes, may have one file open: readers never wait, writers wait for
    each other. A store belongs to the thread that opened it. Every method that writes is a transaction.
    """

    def stats(self) -> MemoryStats:
        """Sizes and counts."""
        with self.snapshot():
            embedder = self.meta("embedder") or ""
            return MemoryStats(
                path=str(self.path),
                bytes=self._bytes(),
                schema=len(MIGRATIONS),
                transcripts=self._value("SELECT count(*) FROM transcript"),
                turns=self._value("SELECT count(*) FROM turn"),
                threads=self._value("SELECT count(*) FROM thread"),
                indexed_turns=self._value("SELECT count(*) FROM turn_vector"),
                indexed_threads=self._value("SELECT count(*) FROM thread_vector"),
                embedder=embedder,
                dimension=self._dimension(),
                models=(embedder,) if embedder else (),
            )

    def check(self) -> list[str]:
        """Faults of the file, of references between tables and of the word indexes; empty if it is sound.

        Reads all of it: seconds for a large memory.
        """
        faults = [str(row[0]) for row in self._rows((str,), "PRAGMA integrity_check") if row[0] != "ok"]
        faults += [
            f"{row[0]} {row[1]} refers to nothing"
            for row in self._rows((str, int | None, str, int), "PRAGMA foreign_key_check")
        ]
        return faults + self._word_faults()
