"""Facts about the memory as a whole: notes by name, the embedder, stamps."""

from __future__ import annotations

from typing import Literal

from localmem.errors import EmbedderMismatchError, StoreError
from localmem.store.database import Database
from localmem.store.engine_errors import damaged
from localmem.store.rows import clean

Stamped = Literal["turns", "threads", "tasks"]


class MetaTable(Database):
    """Methods on the tables `meta` and `stamp`."""

    def meta(self, name: str) -> str | None:
        """The value under `name`, or None."""
        row = self._row((str,), "SELECT value FROM meta WHERE name = ?", (name,))
        return None if row is None else str(row[0])

    def set_meta(self, name: str, value: str) -> None:
        """Keep `value` under `name`, in place of an older one."""
        with self.transaction():
            self._run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, clean(value)))

    def bind_embedder(self, id: str, dimension: int) -> None:
        """Say which embedder makes the vectors; the first call decides for good.

        Raises:
            EmbedderMismatchError: the memory holds vectors of another one.
        """
        if self.meta("embedder") is None:
            with self.transaction():
                if self.meta("embedder") is None:  # no other process was faster
                    self.set_meta("embedder", id)
                    self.set_meta("dimension", str(dimension))
        self.check_embedder(id, dimension)

    def check_embedder(self, id: str, dimension: int) -> None:
        """Compare with the embedder that made the vectors; a memory that has none yet takes any. Writes nothing.

        Raises:
            EmbedderMismatchError: the memory holds vectors of another one.
        """
        with self.snapshot():
            bound, size = self.meta("embedder"), self._dimension()
        if bound is not None and (bound, size) != (id, dimension):
            raise EmbedderMismatchError(
                f"{self.path} holds vectors of {bound} ({size} numbers each), not of {id} ({dimension}).",
                hint=f"Set LOCALMEM_EMBEDDER={bound}, or ingest the transcripts into a new memory.",
            )

    def stamp(self, what: Stamped) -> str:
        """A token of the vectors of that kind, or of the tasks: equal stamps mean equal content, in any copy of the file."""
        row = self._row((str,), "SELECT value FROM stamp WHERE what = ?", (what,))
        if row is None:
            raise damaged(self.path)
        return str(row[0])

    def _change_stamp(self, what: Stamped) -> None:
        self._run("UPDATE stamp SET value = lower(hex(randomblob(16))) WHERE what = ?", (what,))

    def _dimension(self) -> int:
        size = self.meta("dimension") or "0"
        if not size.isdecimal():
            raise damaged(self.path)
        return int(size)

    def _bound_dimension(self) -> int:
        dimension = self._dimension()
        if not dimension:
            raise StoreError(
                f"{self.path} does not know its embedder yet.",
                hint="Call bind_embedder before adding vectors.",
            )
        return dimension
