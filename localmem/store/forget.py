"""Turns that are to be gone for good: chosen, taken out of every table, and wiped off the file."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from localmem.store.database import listed
from localmem.store.file import BUSY_SECONDS
from localmem.store.rows import TURN_COLUMNS, TURN_KINDS, text_to_time, to_turn
from localmem.store.tasks import TaskTables, TaskTurn
from localmem.store.threads import ThreadTables
from localmem.values import StoredTurn

_IN_MEMORY = 512 << 20
"""Bytes of a file that is rewritten in working memory; a larger one passes through its own folder."""

_TRIES = 30
_TRY_MILLISECONDS = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which turns; those that meet every condition that is given."""

    transcripts: tuple[int, ...] | None = None
    thread: int | None = None
    turns: tuple[int, ...] | None = None
    speakers: tuple[str, ...] | None = None
    before: datetime | None = None
    """Aware. A time of a turn that has no zone is taken as local time."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Turns of a transcript, one after the other, that are in no thread."""

    transcript: int
    first: int
    """Position of the first."""
    last: int
    """Position of the last (inclusive)."""


class ForgetTables(ThreadTables, TaskTables):
    """Methods that take turns out of all tables, and that rewrite the turns of the tasks."""

    def chosen(self, wanted: Wanted) -> tuple[list[int], int]:
        """Ids of the turns, ascending, and how many would be among them if it were known when they were said."""

        def among(ids: Iterable[object] | None) -> str | None:
            return None if ids is None else _json(ids)

        rows = self._rows(
            (int, str | None),
            "SELECT id, at FROM turn WHERE (?1 IS NULL OR transcript IN (SELECT value FROM json_each(?1)))"
            " AND (?2 IS NULL OR thread = ?2) AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3)))"
            " AND (?4 IS NULL OR speaker IN (SELECT value FROM json_each(?4))) ORDER BY id",
            (among(wanted.transcripts), wanted.thread, among(wanted.turns), among(wanted.speakers)),
        )
        if wanted.before is None:
            return [id for id, _ in rows], 0
        found, timeless = [], 0
        for id, text in rows:
            at = text_to_time(text)
            if at is None:
                timeless += 1
            elif _local(at) < wanted.before:
                found.append(id)
        return found, timeless

    def places(self, ids: Sequence[int]) -> list[tuple[int, int | None]]:
        """Transcript and thread of each of these turns, in no order."""
        rows = self._rows(
            (int, int | None),
            "SELECT transcript, thread FROM turn WHERE id IN (SELECT value FROM json_each(?))",
            (listed(ids),),
        )
        return [(transcript, thread) for transcript, thread in rows]

    def turns_of(self, ids: Sequence[int], transcripts: Collection[int]) -> list[StoredTurn]:
        """Those of these turns that stand in one of the transcripts, by transcript and position."""
        rows = self._rows(
            TURN_KINDS,
            f"SELECT {TURN_COLUMNS} FROM turn WHERE id IN (SELECT value FROM json_each(?))"
            " AND transcript IN (SELECT value FROM json_each(?)) ORDER BY transcript, position",
            (listed(ids), listed(transcripts)),
        )
        return list(map(to_turn, rows))

    def forget_turns(self, ids: Sequence[int]) -> list[Gap]:
        """Delete turns, their vectors and words, the threads that hold any of them, and transcripts that get empty.

        The other turns move up, so that positions stay dense.

        Returns:
            The other turns of those threads, which are in no thread now; see `replace_threads`.

        Raises:
            StoreError: the memory cannot be written; nothing is changed then.
        """
        with self.transaction():
            self._run("PRAGMA secure_delete = ON")  # what is freed is overwritten with zeros
            gone = listed(ids)
            one_of = "(SELECT value FROM json_each(?))"
            touched = [
                id
                for (id,) in self._rows(
                    (int,), f"SELECT DISTINCT transcript FROM turn WHERE id IN {one_of}", (gone,)
                )
            ]
            if not touched:
                return []
            self._run(
                f"DELETE FROM thread WHERE id IN (SELECT thread FROM turn WHERE id IN {one_of})", (gone,)
            )
            self._run(f"DELETE FROM turn WHERE id IN {one_of}", (gone,))
            for transcript in touched:
                self._close_up(transcript)
            # Neither index knows by itself that a text is gone, and both keep what they deleted until they merge.
            for index in ("turn_words", "window_words"):
                self._run(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
            self._change_stamp("turns")
            self._change_stamp("threads")
            return [gap for transcript in touched for gap in self._gaps(transcript)]

    def _close_up(self, transcript: int) -> None:
        rows = self._rows(
            (int, int), "SELECT id, position FROM turn WHERE transcript = ? ORDER BY position", (transcript,)
        )
        if not rows:
            self._run("DELETE FROM thread WHERE transcript = ?", (transcript,))
            self._run("DELETE FROM transcript WHERE id = ?", (transcript,))
            return
        # In rising order each turn moves to a place that is free by then.
        self._run_many(
            "UPDATE turn SET position = ? WHERE id = ?",
            [(place, id) for place, (id, position) in enumerate(rows) if place != position],
        )
        self._run(
            "UPDATE thread SET first = (SELECT min(position) FROM turn WHERE thread = thread.id),"
            " last = (SELECT max(position) FROM turn WHERE thread = thread.id) WHERE transcript = ?",
            (transcript,),
        )

    def _gaps(self, transcript: int) -> Iterator[Gap]:
        rows = self._rows(
            (int,),
            "SELECT position FROM turn WHERE transcript = ? AND thread IS NULL ORDER BY position",
            (transcript,),
        )
        positions = [int(position) for (position,) in rows]
        start = 0
        for end in range(1, len(positions) + 1):
            if end == len(positions) or positions[end] != positions[end - 1] + 1:
                yield Gap(transcript, positions[start], positions[end - 1])
                start = end

    def rewrite_task_turns(self, turns: Iterable[TaskTurn]) -> None:
        """Put these turns of the tasks in place of those with their numbers. Only forgetting may do that.

        Raises:
            StoreError: there is no turn with one of the numbers; nothing is changed then.
        """
        with self.transaction():
            self._run("PRAGMA secure_delete = ON")
            for turn in turns:
                self._replace_task_turn(turn)
            self._change_stamp("tasks")

    def wipe(self) -> bool:
        """Rewrite the file without what was deleted, and empty its log.

        Returns:
            Whether nothing is left: another process that is reading keeps the old pages in the log until it ends.

        Raises:
            StoreError: the memory cannot be written, the disk is full, ...
            RuntimeError: inside a transaction or a snapshot.
        """
        if self._in_transaction():
            raise RuntimeError("a transaction cannot wipe what others may still see")
        with self._temporary_files():
            self._run("VACUUM")
        return self._empty_log()

    def _empty_log(self) -> bool:
        """Whether the log could be emptied: there must be a moment in which nobody reads from it."""
        # While SQLite waits for that moment it keeps writers out: with ten readers that was a minute. So it waits
        # often, and each time not for long.
        for _ in range(_TRIES):
            self._run(f"PRAGMA busy_timeout = {_TRY_MILLISECONDS}")
            try:
                row = self._row((int, int, int), "PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                self._run(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
            if row is not None and row[0] == 0:
                return True
            time.sleep(random.uniform(0.5, 1.0) * _TRY_MILLISECONDS / 1000)
        return False

    @contextmanager
    def _temporary_files(self) -> Iterator[None]:
        """What VACUUM copies stays in memory; of a large file, in a nameless one beside it, never elsewhere."""
        if self.encrypted or self._bytes() <= _IN_MEMORY:
            yield
            return
        before = os.environ.get("SQLITE_TMPDIR")
        os.environ["SQLITE_TMPDIR"] = str(self.path.resolve().parent)
        self._run("PRAGMA temp_store = FILE")
        try:
            yield
        finally:
            self._run("PRAGMA temp_store = MEMORY")
            if before is None:
                del os.environ["SQLITE_TMPDIR"]
            else:
                os.environ["SQLITE_TMPDIR"] = before


def _json(values: Iterable[object]) -> str:
    import json

    return json.dumps(list(values))


def _local(at: datetime) -> datetime:
    try:
        return at.astimezone()
    except (OverflowError, OSError, ValueError):  # the first and last days of the calendar
        return at.replace(tzinfo=datetime.now().astimezone().tzinfo)
