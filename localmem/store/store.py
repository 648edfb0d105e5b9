"""The memory file as one object."""

from __future__ import annotations

from localmem.store.owning import Owning
from localmem.store.schema import MIGRATIONS
from localmem.store.transfer import TransferTables
from localmem.values import MemoryStats

REFINERS = "refiners"
"""Name of the note that has the ids of the models that made threads, with a space between them."""


class Store(TransferTables, Owning):
    """A memory file: transcripts, turns, threads, vectors and word indexes, the turns of the tasks, runs of the agent.

    Several stores, also in several processes, may have one file open: readers never wait, writers wait for
    each other. A store belongs to the thread that opened it. Every method that writes is a transaction.
    """

    def stats(self) -> MemoryStats:
        """Sizes and counts."""
        with self.snapshot():
            embedder = self.meta("embedder") or ""
            refiners = (self.meta(REFINERS) or "").split()
            return MemoryStats(
                path=str(self.path),
                bytes=self._bytes(),
                schema=len(MIGRATIONS),
                transcripts=self._value("SELECT count(*) FROM transcript"),
                turns=self._value("SELECT count(*) FROM turn"),
                threads=self._value("SELECT count(*) FROM thread"),
                indexed_turns=self._value("SELECT count(*) FROM turn_vector"),
                indexed_threads=self._value("SELECT count(*) FROM thread_vector"),
                refined_threads=self._value("SELECT count(*) FROM thread WHERE method = 'llm'"),
                embedder=embedder,
                dimension=self._dimension(),
                models=tuple(filter(None, (embedder, *refiners))),
            )

    def note_refiner(self, model: str) -> None:
        """Keep the id of a model that has made threads."""
        known = (self.meta(REFINERS) or "").split()
        name = "_".join(model.split())
        if name not in known:
            self.set_meta(REFINERS, " ".join([*known, name]))

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
