"""A memory as JSON lines, and back. docs/export.md describes the lines.

The first line says what follows, each other one is a row, and the last one counts them, so that a file whose end is
missing is noticed. Vectors are carried as they are stored, so that importing needs no embedder; where they were left
out, they are made anew.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from localmem.embed.protocol import Embedder
from localmem.errors import LocalmemError, StoreError, TranscriptError
from localmem.recall.threads import centre
from localmem.recall.turns import embedding_text
from localmem.store import Shape, Store, clean, shapes
from localmem.tasks import Tasks
from localmem.values import Turn

FORMAT = "localmem-memory"
VERSION = 2
"""It changes when an older version could not read it. Version 1 had no `reply_source`."""
LONGEST_LINE = 256 << 20
"""Bytes."""
BATCH = 256
_LONGEST_VECTOR = 1e6
"""Euclidean length; that of an embedder's vector is 1, but for rounding."""
_JSON = {"arguments", "environment", "options"}
"""Columns that hold JSON; it stands in the line as it is."""
_TIMES = {"at", "started"}
_UNSEEN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What JSON lets stand though a terminal obeys it, or a reader of lines may end a line there."""
_OWN = {"embedder", "dimension"}
"""Notes that the first line has."""
_OTHERS = {
    b"\x1f\x8b": ("compressed", "Unpack it first: gzip -dc FILE | localmem import -"),
    b"SQLite format 3\0": (
        "a memory or another database, not an export",
        "A memory is used as it is, with --memory PATH; or export it first: localmem export FILE --memory PATH",
    ),
}
"""What people give in place of an export, by its first bytes."""
_HINT = "Export the memory again; docs/export.md describes the lines."


@dataclass(frozen=True, slots=True)
class Carried:
    """What an export wrote, or an import read."""

    path: str
    """Of the memory."""
    transcripts: int
    turns: int
    threads: int
    task_turns: int
    runs: int
    vectors: bool
    """Whether the file has them."""


def export(store: Store, write: Callable[[str], object], *, vectors: bool = True) -> Carried:
    """Write all of a memory, as it is at one moment.

    Args:
        store: the memory.
        write: takes each line, with its line feed.
        vectors: False leaves them out: a fifth of the size, and importing needs the embedder.

    Raises:
        StoreError: the memory cannot be read.
        OSError: `write` cannot.
    """
    counts: dict[str, int] = {}

    def line(kind: str, fields: dict[str, Any]) -> None:
        text = json.dumps({"row": kind, **fields}, ensure_ascii=False)
        write(_UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")

    with store.snapshot():
        line(
            "memory",
            {
                "format": FORMAT,
                "version": VERSION,
                "embedder": store.meta("embedder"),
                "dimension": int(store.meta("dimension") or 0),
                "vectors": vectors,
            },
        )
        for shape in shapes().values():
            counts[shape.table] = 0
            if shape.vectors and not vectors:
                continue
            for rows in store.rows_of(shape):
                for row in rows:
                    if shape.table == "meta" and row[0] in _OWN:
                        continue
                    line(shape.table, _fields(shape, row))
                    counts[shape.table] += 1
        line("end", {"counts": counts})
    return _carried(store, counts, vectors)


def load(
    open_store: Callable[[], Store],
    file: IO[bytes],
    name: str,
    *,
    embedder: Callable[[], Embedder],
    progress: Callable[[int], None] | None = None,
) -> Carried:
    """Fill an empty memory with what an export has: all of it, or nothing.

    Args:
        open_store: opens the memory; called when the first line is sound.
        file: the lines.
        name: of the file, for messages.
        embedder: makes the embedder; called only if the vectors were left out.
        progress: told how many lines are in, now and then.

    Raises:
        TranscriptError: a line is none of ours, or lines are missing; nothing is changed.
        StoreError: the memory holds something already, or cannot be written; nothing is changed.
    """
    lines = _lines(file, name)
    number, head = next(lines, (0, {}))
    vectors = _check_head(head, name, number)
    store = open_store()
    loading = _Loading(store, name, vectors, head["dimension"])
    with store.transaction():
        store.begin_filling()
        if head["embedder"] is not None and vectors:
            store.bind_embedder(head["embedder"], head["dimension"])
        for number, row in lines:
            if row["row"] == "end":
                loading.end(row, number)
                break
            loading.add(row, number)
            if progress is not None and number % 1000 == 0:
                progress(number)
        else:
            raise TranscriptError(
                f"{name}: its end is missing, after {number:,} lines.", hint="Export or copy it again."
            )
        if (after := next(lines, None)) is not None:
            raise _wrong(name, after[0], "there is something after the end")
        if not vectors:
            _make_vectors(store, embedder())
        try:
            store.end_filling()
            _ = Tasks(store).graph
        except StoreError as error:
            raise TranscriptError(f"{name}: {error}", hint=_HINT) from None
    return _carried(store, loading.counts, vectors)


def _carried(store: Store, counts: dict[str, int], vectors: bool) -> Carried:
    return Carried(
        path=str(store.path),
        transcripts=counts["transcript"],
        turns=counts["turn"],
        threads=counts["thread"],
        task_turns=counts["task_turn"],
        runs=counts["run"],
        vectors=vectors,
    )


def _fields(shape: Shape, row: Iterable[Any]) -> dict[str, Any]:
    fields = dict(zip(shape.columns, row, strict=True))
    for name, value in fields.items():
        if isinstance(value, bytes):
            fields[name] = base64.b64encode(value).decode("ascii")
        elif name in _JSON:
            fields[name] = json.loads(value)
    return fields


def _lines(file: IO[bytes], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number and content of each line that is not empty."""
    number = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(data) > LONGEST_LINE:
            raise _wrong(name, number, "the line is too long")
        if number == 1:
            _refuse_others(data, name)
        if not data.strip():
            continue
        try:
            row = json.loads(data.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError:
            raise _wrong(name, number, "it is no UTF-8") from None
        except (ValueError, RecursionError):
            raise _wrong(name, number, "it is no JSON") from None
        if not isinstance(row, dict) or not isinstance(row.get("row"), str):
            raise _wrong(name, number, "it does not say what row it is")
        yield number, row


def _refuse_others(data: bytes, name: str) -> None:
    for start, (what, hint) in _OTHERS.items():
        if data.startswith(start):
            raise TranscriptError(f"{name} is {what}.", hint=hint)


def _check_head(head: dict[str, Any], name: str, number: int) -> bool:
    """Whether the vectors are there."""
    if head.get("row") != "memory" or head.get("format") != FORMAT:
        raise TranscriptError(
            f"{name} is no exported memory.",
            hint="Transcripts are read by: localmem ingest FILE",
        )
    version: Any = head.get("version")
    if not _is(version, int) or version < 1:
        raise _wrong(name, number, "it has no version")
    if version > VERSION:
        raise TranscriptError(
            f"{name} was written by a newer localmem (version {version}; this one knows {VERSION}).",
            hint="Upgrade localmem: pip install --upgrade localmem",
        )
    embedder: Any
    dimension: Any
    embedder, dimension, vectors = (head.get(key) for key in ("embedder", "dimension", "vectors"))
    sound = _is(dimension, int) and 0 <= dimension <= 1 << 16 and isinstance(vectors, bool)
    if not sound or not (embedder is None or (isinstance(embedder, str) and dimension > 0)):
        raise _wrong(name, number, "it does not say which vectors follow")
    return bool(vectors)


class _Loading:
    """Takes rows, looks at each, and puts some at a time into the store."""

    def __init__(self, store: Store, name: str, vectors: bool, dimension: int) -> None:
        self._store = store
        self._name = name
        self._bytes = dimension * 4
        self._shapes = {t: shape for t, shape in shapes().items() if vectors or not shape.vectors}
        self._waiting: list[tuple[object, ...]] = []
        self._kind = ""
        self._first = 0
        self.counts = dict.fromkeys(shapes(), 0)

    def add(self, row: dict[str, Any], number: int) -> None:
        """Take the row of a line."""
        kind = row.pop("row")
        shape = self._shapes.get(kind)
        if shape is None:
            raise _wrong(self._name, number, f"there is no row {kind!r} here")
        if kind != self._kind or len(self._waiting) >= BATCH:
            self.flush()
            self._kind, self._first = kind, number
        if row.keys() != set(shape.columns):
            odd = sorted(row.keys() ^ set(shape.columns))
            raise _wrong(
                self._name, number, f"a {kind} has {', '.join(map(repr, odd))} too much or too little"
            )
        values = tuple(
            self._value(name, allowed, row[name], number)
            for name, allowed in zip(shape.columns, shape.kinds, strict=True)
        )
        if kind == "meta" and values[0] in _OWN:
            raise _wrong(self._name, number, "the first line says that")
        self._waiting.append(values)
        self.counts[kind] += 1

    def flush(self) -> None:
        """Store what waits."""
        if not self._waiting:
            return
        try:
            self._store.fill(self._shapes[self._kind], self._waiting)
        except StoreError as error:
            if not error.__cause__ or "constraint" not in str(error):
                raise
            why = str(error).rpartition("SQLite says: ")[2].rstrip(".")
            what = f"one of {len(self._waiting)} lines from there on cannot be ({why})"
            raise _wrong(self._name, self._first, what) from None
        self._waiting = []

    def end(self, row: dict[str, Any], number: int) -> None:
        """Compare with what the last line counts."""
        self.flush()
        counts = row.get("counts")
        # An older version did not know all of the tables.
        if not isinstance(counts, dict) or dict.fromkeys(self.counts, 0) | counts != self.counts:
            raise _wrong(self._name, number, "it counts other lines than there are")

    def _value(self, name: str, allowed: Any, value: Any, number: int) -> object:
        """A field as the column has it."""
        if name in _JSON:
            if not isinstance(value, dict):
                raise _wrong(self._name, number, f"{name} is no object")
            return json.dumps(value)
        if allowed is bytes:
            return self._blob(name, value, number)
        kinds = (int, float) if allowed is float else allowed
        if not _is(value, kinds) or (isinstance(value, int) and not -(1 << 63) <= value < 1 << 63):
            raise _wrong(self._name, number, f"{name} cannot be {json.dumps(value)[:40]}")
        if name in _TIMES and value is not None:
            try:
                datetime.fromisoformat(value)
            except ValueError:
                raise _wrong(self._name, number, f"{name} is no time") from None
        return clean(value) if isinstance(value, str) else value

    def _blob(self, name: str, value: Any, number: int) -> bytes:
        try:
            data = base64.b64decode(value, validate=True)
        except (TypeError, ValueError, binascii.Error):
            raise _wrong(self._name, number, f"{name} is no base64") from None
        if name == "vector":
            if len(data) != self._bytes:
                raise _wrong(self._name, number, "the vector has another length than the first line says")
            vector = np.frombuffer(data, dtype="<f4").astype(np.float64)
            # Searches multiply with it, and a product must stay a number.
            if not np.isfinite(vector).all() or vector @ vector > _LONGEST_VECTOR**2:
                raise _wrong(self._name, number, "the vector holds what is no number, or too large a one")
        return data


def _make_vectors(store: Store, embedder: Embedder) -> None:
    """Vectors of all turns, and of all threads from those of their turns."""
    store.bind_embedder(embedder.id, embedder.dimension)
    by_kind = shapes()
    for transcript in store.transcripts():
        for start in range(0, transcript.turns, BATCH):
            turns = store.turns_between(transcript.id, start, start + BATCH - 1)
            encoded = embedder.encode(
                [embedding_text(Turn(t.turn.speaker, t.turn.text, None, "")) for t in turns]
            )
            store.fill(
                by_kind["turn_vector"], [(t.id, _blob(v)) for t, v in zip(turns, encoded, strict=True)]
            )
        threads = store.threads_of(transcript.id)
        written = [thread for thread in threads if thread.refined]
        heads: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(written), BATCH):
            some = written[start : start + BATCH]
            encoded = embedder.encode([thread.head for thread in some])
            heads |= {thread.id: vector for thread, vector in zip(some, encoded, strict=True)}
        for thread in threads:
            turns = store.turns_between(transcript.id, thread.first, thread.last)
            vector = centre(store.vectors([turn.id for turn in turns]), heads.get(thread.id))
            store.fill(by_kind["thread_vector"], [(thread.id, _blob(vector))])


def _blob(vector: NDArray[np.float32]) -> bytes:
    return vector.astype("<f4").tobytes()


def _is(value: object, kinds: Any) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _wrong(name: str, line: int, what: str) -> LocalmemError:
    return TranscriptError(f"{name}, line {line:,}: {what}.", hint=_HINT)
