"""Transcripts and their turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from localmem.errors import StoreError
from localmem.store.database import in_order, listed
from localmem.store.engine_errors import damaged
from localmem.store.meta import MetaTable
from localmem.store.rows import (
    TURN_COLUMNS,
    TURN_KINDS,
    NewTurn,
    clean,
    fill,
    time_to_text,
    to_blobs,
    to_turn,
)
from localmem.store.words import WordIndexes
from localmem.values import StoredTurn, Transcript

_KEYS_AT_ONCE = 500  # old builds of SQLite take 999 placeholders


class TurnTables(MetaTable, WordIndexes):
    """Methods on the tables `transcript`, `turn` and `turn_vector`.

    Positions within a transcript are dense: 0, 1, 2, ...
    """

    def transcripts(self) -> list[Transcript]:
        """All transcripts, by id."""
        rows = self._rows(
            (int, str, str, str, int),
            "SELECT id, name, format, path, (SELECT count(*) FROM turn WHERE transcript = transcript.id)"
            " FROM transcript ORDER BY id",
        )
        return [Transcript(*row) for row in rows]

    def transcript(self, id: int) -> Transcript:
        """One transcript.

        Raises:
            StoreError: there is none with this id.
        """
        row = self._row(
            (int, str, str, str, int),
            "SELECT id, name, format, path, (SELECT count(*) FROM turn WHERE transcript = transcript.id)"
            " FROM transcript WHERE id = ?",
            (id,),
        )
        if row is None:
            raise StoreError(f"There is no transcript {id} in {self.path}.", hint="See: localmem stats")
        return Transcript(*row)

    def add_transcript(self, name: str, format: str, path: str) -> int:
        """A new transcript without turns; its id."""
        with self.transaction():
            cursor = self._run(
                "INSERT INTO transcript (name, format, path) VALUES (?, ?, ?)",
                (clean(name), clean(format), clean(path)),
            )
            return int(cursor.lastrowid or 0)

    def set_source(self, transcript: int, format: str, path: str) -> None:
        """Note the file that a transcript was last read from."""
        with self.transaction():
            self._run(
                "UPDATE transcript SET format = ?, path = ? WHERE id = ?",
                (clean(format), clean(path), transcript),
            )

    def named(self, name: str, path: str, limit: int) -> list[int]:
        """Transcripts of this name that were last read from this file; the newest, `limit` at most."""
        rows = self._rows(
            (int,),
            "SELECT id FROM transcript WHERE name = ? AND path = ? ORDER BY id DESC LIMIT ?",
            (clean(name), clean(path), limit),
        )
        return [id for (id,) in rows]

    def holders(self, keys: Sequence[bytes], limit: int) -> dict[bytes, list[int]]:
        """Transcripts that hold each of `keys`, `limit` of them at most; keys that none holds are left out.

        What is said everywhere takes no longer than what is said in `limit` transcripts.
        """
        found: dict[bytes, list[int]] = {}
        with self.snapshot():
            for chunk, _ in _chunks(keys):
                rows = self._rows(
                    (bytes, int),
                    f"WITH wanted (key) AS (VALUES {', '.join(['(?)'] * len(chunk))})"
                    " SELECT wanted.key, turn.transcript FROM wanted JOIN turn ON turn.id IN"
                    " (SELECT one.id FROM turn AS one WHERE one.key = wanted.key LIMIT ?)",
                    (*chunk, limit),
                )
                for key, transcript in rows:
                    found.setdefault(key, []).append(transcript)
        return found

    def known(self, transcript: int, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Those of `keys` that the transcript holds, with their positions."""
        found: dict[bytes, int] = {}
        with self.snapshot():
            for chunk, marks in _chunks(keys):
                found |= dict(
                    self._rows(
                        (bytes, int),
                        f"SELECT key, position FROM turn WHERE key IN ({marks}) AND transcript = ?",
                        (*chunk, transcript),
                    )
                )
        if not found.keys() <= set(keys):
            raise damaged(self.path)
        return found

    def add_turns(self, transcript: int, turns: Sequence[NewTurn], *, after: int | None) -> list[int]:
        """Add a run of turns; their ids, in order.

        Halves of surrogate pairs and NUL characters in texts become U+FFFD. Turns put inside a thread belong
        to it; others belong to none (thread 0) until `replace_threads`.

        Args:
            transcript: where they belong.
            turns: in order.
            after: position of the turn that they follow; -1 puts them before all, None at the end. Turns
                behind it, and their threads, move back.

        Raises:
            StoreError: no such transcript or position, a key that is there already, a vector of another
                shape; nothing is added then.
        """
        if not turns:
            return []
        with self.transaction():
            end = self._end(transcript)
            first = end if after is None else after + 1
            if not 0 <= first <= end:
                raise StoreError(
                    f"Transcript {transcript} has no turn at position {after}.",
                    hint="It was changed meanwhile.",
                )
            self._refuse_known(transcript, [new.key for new in turns])
            blobs = to_blobs([new.vector for new in turns], self._bound_dimension())
            neighbours = self._rows(
                (int,),
                "SELECT id FROM turn WHERE transcript = ? AND position IN (?, ?)",
                (transcript, first - 1, first),
            )
            self._drop_windows([id for (id,) in neighbours])
            thread = self._make_room(transcript, first, len(turns)) if first < end else None
            ids = [self._insert(transcript, first + offset, thread, new) for offset, new in enumerate(turns)]
            self._run_many("INSERT INTO turn_vector VALUES (?, ?)", zip(ids, blobs, strict=True))
            self._add_words(transcript, first, first + len(turns) - 1)
            self._change_stamp("turns")
        return ids

    def _end(self, transcript: int) -> int:
        """One past the last position; raises StoreError if there is no such transcript."""
        row = self._row((int,), "SELECT id FROM transcript WHERE id = ?", (transcript,))
        if row is None:
            raise StoreError(
                f"There is no transcript {transcript} in {self.path}.", hint="See: localmem stats"
            )
        last = self.last_position(transcript)
        return 0 if last is None else last + 1

    def _refuse_known(self, transcript: int, keys: list[bytes]) -> None:
        twice = len(keys) - len(set(keys)) + len(self.known(transcript, keys))
        if twice:
            raise StoreError(
                f"{twice} of the new turns are in transcript {transcript} already.",
                hint="Leave out the keys that `known` returns.",
            )

    def _make_room(self, transcript: int, first: int, count: int) -> int | None:
        """Move the turns from `first` on back by `count`; the thread that now reaches over the gap, if any."""
        # Through negative numbers, since (transcript, position) is unique at every moment.
        self._run(
            "UPDATE turn SET position = -1 - position - ? WHERE transcript = ? AND position >= ?",
            (count, transcript, first),
        )
        self._run(
            "UPDATE turn SET position = -1 - position WHERE transcript = ? AND position < 0", (transcript,)
        )
        around = self._thread_over(transcript, first)
        self._run(
            "UPDATE thread SET first = first + ?, last = last + ? WHERE transcript = ? AND first >= ?",
            (count, count, transcript, first),
        )
        if around is None:
            return None
        self._run(
            "UPDATE thread SET last = last + ?, turns = turns + ? WHERE id = ?", (count, count, around[0])
        )
        return around[0]

    def _thread_over(self, transcript: int, position: int) -> tuple[int, int] | None:
        """Id and last position of the thread that holds the turn here and the one before, if one does."""
        # Threads never overlap, so it is the last one that begins before; a walk over all would take longer
        # and longer in a long transcript.
        row = self._row(
            (int, int),
            "SELECT id, last FROM thread WHERE transcript = ? AND first < ? ORDER BY first DESC LIMIT 1",
            (transcript, position),
        )
        return (int(row[0]), int(row[1])) if row is not None and row[1] >= position else None

    def _insert(self, transcript: int, position: int, thread: int | None, new: NewTurn) -> int:
        turn = new.turn
        cursor = self._run(
            "INSERT INTO turn (transcript, position, key, thread, speaker, text, at, source, session)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                transcript,
                position,
                new.key,
                thread,
                clean(turn.speaker),
                clean(turn.text),
                time_to_text(turn.at),
                clean(turn.source),
                clean(turn.session),
            ),
        )
        return int(cursor.lastrowid or 0)

    def turns(self, ids: Sequence[int]) -> list[StoredTurn]:
        """The turns with these ids, in this order.

        Raises:
            StoreError: there is no turn with one of them.
        """
        rows = self._rows(
            TURN_KINDS,
            f"SELECT {TURN_COLUMNS} FROM turn WHERE id IN (SELECT value FROM json_each(?))",
            (listed(ids),),
        )
        return list(map(to_turn, in_order({row[0]: row for row in rows}, ids, "turn")))

    def turns_between(self, transcript: int, first: int, last: int) -> list[StoredTurn]:
        """The turns at positions `first` to `last`, both included, in order."""
        rows = self._rows(
            TURN_KINDS,
            f"SELECT {TURN_COLUMNS} FROM turn WHERE transcript = ? AND position BETWEEN ? AND ? ORDER BY position",
            (transcript, first, last),
        )
        return list(map(to_turn, rows))

    def last_position(self, transcript: int) -> int | None:
        """Position of the last turn; None if there is none."""
        row = self._row((int | None,), "SELECT max(position) FROM turn WHERE transcript = ?", (transcript,))
        return None if row is None or row[0] is None else int(row[0])

    def newest_turn(self) -> int:
        """Id of the turn that was added last; 0: there is none. Later ones have higher ids, whatever the clock says."""
        return self._value("SELECT coalesce(max(id), 0) FROM turn")

    def speakers(self) -> list[str]:
        """Everybody who speaks in the memory, by name."""
        # A walk over the index from one name to the next: as many steps as there are names, not turns.
        # UNION, so that it also ends in a damaged index that leads back.
        rows = self._rows(
            (str,),
            "WITH RECURSIVE name (value) AS (SELECT min(speaker) FROM turn UNION"
            " SELECT (SELECT min(speaker) FROM turn WHERE speaker > value) FROM name WHERE value IS NOT NULL)"
            " SELECT value FROM name WHERE value IS NOT NULL",
        )
        return [str(name) for (name,) in rows]

    def turn_ids(self) -> NDArray[np.int64]:
        """Ids of all turns, ascending."""
        return np.array(
            [id for (id,) in self._rows((int,), "SELECT id FROM turn ORDER BY id")], dtype=np.int64
        )

    def vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Vectors of the turns with these ids, in this order, shape (len(ids), dimension).

        Raises:
            StoreError: there is no turn with one of them.
        """
        return self._vectors("turn", ids)

    def all_vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Ids (n,) of all turns, ascending, and their vectors (n, dimension)."""
        return self._all_vectors("turn")

    def vectors_after(self, id: int, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """At most `limit` ids of turns above `id`, ascending, and their vectors (n, dimension)."""
        return self._vectors_after("turn", id, limit)

    def all_ids(self, kind: Literal["turn", "thread"], above: int = -1) -> NDArray[np.int64]:
        """Ids of all turns or threads above one, ascending; reads an index, not the rows."""
        rows = self._rows((int,), f"SELECT id FROM {kind} WHERE id > ?", (above,))
        return self._ascending(sorted(id for (id,) in rows))

    def number_of(self, kind: Literal["turn", "thread"]) -> int:
        """How many turns or threads there are."""
        return self._value(f"SELECT count(*) FROM {kind}")

    def _vectors_after(self, kind: str, id: int, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        rows = self._rows(
            (int, bytes),
            f"SELECT {kind}, vector FROM {kind}_vector WHERE {kind} > ? ORDER BY {kind} LIMIT ?",
            (id, limit),
        )
        out = np.empty((len(rows), self._dimension()), dtype=np.float32)
        fill(out, [vector for _, vector in rows])
        return self._ascending([row[0] for row in rows]), out

    def _ascending(self, ids: list[int]) -> NDArray[np.int64]:
        found = np.array(ids, dtype=np.int64)
        if np.any(found[1:] <= found[:-1]):
            raise damaged(self.path)
        return found

    def _vectors(self, kind: str, ids: Sequence[int]) -> NDArray[np.float32]:
        rows = self._rows(
            (int, bytes),
            f"SELECT {kind}, vector FROM {kind}_vector WHERE {kind} IN (SELECT value FROM json_each(?))",
            (listed(ids),),
        )
        out = np.empty((len(ids), self._dimension()), dtype=np.float32)
        fill(out, [vector for _, vector in in_order({row[0]: row for row in rows}, ids, kind)])
        return out

    def _all_vectors(self, kind: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        with self.snapshot():
            count = self._value(f"SELECT count(*) FROM {kind}_vector")
            ids = np.empty(count, dtype=np.int64)
            out = np.empty((count, self._dimension()), dtype=np.float32)
            start = 0
            for rows in self._chunks(
                (int, bytes), f"SELECT {kind}, vector FROM {kind}_vector ORDER BY {kind}"
            ):
                end = start + len(rows)
                if end > count:
                    raise damaged(self.path)
                ids[start:end] = [id for id, _ in rows]
                fill(out[start:end], [vector for _, vector in rows])
                start = end
        if start != count or np.any(ids[1:] <= ids[:-1]):
            raise damaged(self.path)
        return ids, out


def _chunks(keys: Sequence[bytes]) -> Iterator[tuple[list[bytes], str]]:
    """Different keys, some at a time, and as many placeholders."""
    wanted = list(dict.fromkeys(keys))
    for start in range(0, len(wanted), _KEYS_AT_ONCE):
        chunk = wanted[start : start + _KEYS_AT_ONCE]
        yield chunk, ", ".join("?" * len(chunk))
