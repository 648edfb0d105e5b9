"""Threads and their heads' vectors."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from localmem.errors import StoreError
from localmem.store.database import in_order, listed
from localmem.store.engine_errors import damaged
from localmem.store.rows import (
    THREAD_COLUMNS,
    THREAD_KINDS,
    TURN_COLUMNS,
    TURN_KINDS,
    NewThread,
    clean,
    to_blobs,
    to_thread,
    to_turn,
)
from localmem.store.turns import TurnTables
from localmem.values import StoredTurn, Thread


class ThreadTables(TurnTables):
    """Methods on the tables `thread` and `thread_vector`."""

    def replace_threads(
        self,
        transcript: int,
        from_position: int,
        threads: Sequence[NewThread],
        *,
        to_position: int | None = None,
    ) -> list[int]:
        """Put `threads` in place of those that begin at `from_position` or later; their ids, in order.

        Args:
            transcript: whose threads.
            from_position: where the first new thread begins.
            threads: in order; together they hold every turn from there to `to_position` exactly once.
            to_position: the last turn of the replaced threads; None: the last turn of the transcript.

        Raises:
            StoreError: no such transcript, a turn in no thread or in two, a vector of another shape;
                nothing is changed then.
        """
        with self.transaction():
            self._check_cover(transcript, from_position, threads, to_position)
            blobs = to_blobs([new.vector for new in threads], self._bound_dimension()) if threads else []
            self._run(
                "DELETE FROM thread WHERE transcript = ? AND first >= ? AND first <= coalesce(?, first)",
                (transcript, from_position, to_position),
            )
            ids = [self._insert_thread(transcript, new) for new in threads]
            self._run_many("INSERT INTO thread_vector VALUES (?, ?)", zip(ids, blobs, strict=True))
            self._change_stamp("threads")
        return ids

    def _check_cover(
        self, transcript: int, from_position: int, threads: Sequence[NewThread], to_position: int | None
    ) -> None:
        end = self._end(transcript)
        if to_position is not None:
            across = self._thread_over(transcript, to_position + 1)
            if across is not None or to_position >= end:
                raise StoreError(
                    f"No thread of transcript {transcript} ends with turn {to_position}.",
                    hint="Threads are replaced whole.",
                )
            end = to_position + 1
        reaching = self._thread_over(transcript, from_position)
        expected = from_position if reaching is None else reaching[1] + 1
        for new in threads:
            if new.first != expected or new.last < new.first:
                raise StoreError(
                    f"A thread of transcript {transcript} should begin at turn {expected}"
                    f" but holds {new.first} to {new.last}.",
                    hint="Every turn belongs to exactly one thread.",
                )
            expected = new.last + 1
        if expected != end:
            raise StoreError(
                f"The threads of transcript {transcript} end before turn {expected}, its turns before {end}.",
                hint="Every turn belongs to exactly one thread.",
            )

    def _insert_thread(self, transcript: int, new: NewThread) -> int:
        place = (transcript, new.first, new.last)
        cursor = self._run(
            "INSERT INTO thread (transcript, first, last, head, method, turns, started)"
            " VALUES (?, ?, ?, ?, ?, ?, ("
            "  SELECT at FROM turn WHERE transcript = ? AND position BETWEEN ? AND ? AND at IS NOT NULL"
            "  ORDER BY position LIMIT 1))",
            (*place, clean(new.head), new.method, new.last - new.first + 1, *place),
        )
        id = int(cursor.lastrowid or 0)
        self._run(
            "UPDATE turn SET thread = ? WHERE transcript = ? AND position BETWEEN ? AND ?", (id, *place)
        )
        return id

    def threads(self, ids: Sequence[int]) -> list[Thread]:
        """The threads with these ids, in this order.

        Raises:
            StoreError: there is no thread with one of them.
        """
        rows = self._rows(
            THREAD_KINDS,
            f"SELECT {THREAD_COLUMNS} FROM thread WHERE id IN (SELECT value FROM json_each(?))",
            (listed(ids),),
        )
        return list(map(to_thread, in_order({row[0]: row for row in rows}, ids, "thread")))

    def threads_of(self, transcript: int) -> list[Thread]:
        """The threads of a transcript, in order."""
        rows = self._rows(
            THREAD_KINDS,
            f"SELECT {THREAD_COLUMNS} FROM thread WHERE transcript = ? ORDER BY first",
            (transcript,),
        )
        return list(map(to_thread, rows))

    def all_threads(self) -> list[Thread]:
        """All threads, by transcript and place."""
        rows = self._rows(THREAD_KINDS, f"SELECT {THREAD_COLUMNS} FROM thread ORDER BY transcript, first")
        return list(map(to_thread, rows))

    def threads_at(self, transcript: int, first: int, last: int) -> list[Thread]:
        """The threads that hold any turn at positions `first` to `last`, in order."""
        # From the last one that begins by then: the index does not know where threads end.
        rows = self._rows(
            THREAD_KINDS,
            f"SELECT {THREAD_COLUMNS} FROM thread WHERE transcript = ? AND first <= ? AND last >= ? AND first >= "
            " coalesce((SELECT max(first) FROM thread WHERE transcript = ? AND first <= ?), 0) ORDER BY first",
            (transcript, last, first, transcript, first),
        )
        return list(map(to_thread, rows))

    def threads_around(self, ids: Sequence[int]) -> list[Thread]:
        """The threads with these ids and those right before and after each, by transcript and place."""
        rows = self._rows(
            THREAD_KINDS,
            "WITH one AS (SELECT * FROM thread WHERE id IN (SELECT value FROM json_each(?)))"
            f" SELECT {THREAD_COLUMNS} FROM thread WHERE id IN ("
            "  SELECT id FROM one"
            "  UNION SELECT (SELECT id FROM thread WHERE transcript = one.transcript AND first < one.first"
            "   ORDER BY first DESC LIMIT 1) FROM one"
            "  UNION SELECT (SELECT id FROM thread WHERE transcript = one.transcript AND first > one.first"
            "   ORDER BY first LIMIT 1) FROM one"
            " ) ORDER BY transcript, first",
            (listed(ids),),
        )
        return list(map(to_thread, rows))

    def thread_count(self, transcript: int) -> int:
        """How many threads a transcript has."""
        row = self._row((int,), "SELECT count(*) FROM thread WHERE transcript = ?", (transcript,))
        return 0 if row is None else int(row[0])

    def unrefined_threads(self, transcript: int, at: int, limit: int) -> list[Thread]:
        """At most `limit` threads that no model has made, in order, from those that begin at position `at` on."""
        rows = self._rows(
            THREAD_KINDS,
            f"SELECT {THREAD_COLUMNS} FROM thread WHERE transcript = ? AND first >= ? AND method = 'fast'"
            " ORDER BY first LIMIT ?",
            (transcript, at, limit),
        )
        return list(map(to_thread, rows))

    def unrefined_turns(self, transcript: int) -> int:
        """How many turns of a transcript are in threads that no model has made."""
        return self._value(
            "SELECT coalesce(sum(turns), 0) FROM thread WHERE transcript = ? AND method = 'fast'",
            (transcript,),
        )

    def threads_of_turns(self, ids: Collection[int]) -> dict[int, int]:
        """Thread of each of these turns, by turn id.

        Raises:
            StoreError: one of them is in no thread, or not there.
        """
        rows = self._rows(
            (int, int),
            "SELECT id, thread FROM turn WHERE thread IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
            (listed(ids),),
        )
        found: dict[int, int] = dict(rows)
        if missing := set(ids) - found.keys():
            raise damaged(self.path, f"turn {min(missing)} is in no thread")
        return found

    def turns_of_threads(self, ids: Sequence[int]) -> list[StoredTurn]:
        """All turns of the threads with these ids, by transcript and position.

        Raises:
            StoreError: there is no thread with one of them.
        """
        rows = self._rows(
            TURN_KINDS,
            f"SELECT {TURN_COLUMNS} FROM turn WHERE thread IN (SELECT value FROM json_each(?))"
            " ORDER BY transcript, position",
            (listed(ids),),
        )
        found = [to_turn(row) for row in rows]
        in_order({turn.thread: () for turn in found}, ids, "thread")
        return found

    def head_vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ids (n,) of all threads, ascending, and the vectors of their heads (n, dimension)."""
        return self._all_vectors("thread")

    def head_vectors_after(self, id: int, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """At most `limit` ids of threads above `id`, ascending, and their head vectors (n, dimension)."""
        return self._vectors_after("thread", id, limit)

    def thread_vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Vectors of the heads of these threads, in this order, shape (len(ids), dimension).

        Raises:
            StoreError: there is no thread with one of them.
        """
        return self._vectors("thread", ids)
