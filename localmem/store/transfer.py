"""All rows of a memory, to be written elsewhere, and back into an empty one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localmem.errors import StoreError
from localmem.store.database import Kinds
from localmem.store.forget import ForgetTables
from localmem.store.replies import ReplyTables
from localmem.store.rows import Row
from localmem.store.runs import RunTables

_TEXT = str | None


@dataclass(frozen=True, slots=True)
class Shape:
    """A table as it is carried: its columns with their kinds, a parent's rows before those that name them."""

    table: str
    columns: tuple[str, ...]
    kinds: Kinds
    order: str

    @property
    def vectors(self) -> bool:
        """Whether it is a table of vectors."""
        return "vector" in self.columns

    @property
    def select(self) -> str:
        """All rows, in order."""
        return f"SELECT {', '.join(self.columns)} FROM {self.table} ORDER BY {self.order}"

    @property
    def insert(self) -> str:
        """One row."""
        marks = ", ".join("?" * len(self.columns))
        return f"INSERT INTO {self.table} ({', '.join(self.columns)}) VALUES ({marks})"


def _shape(table: str, order: str, **columns: Any) -> Shape:
    return Shape(table, tuple(columns), tuple(columns.values()), order)


_COUNTS = dict.fromkeys(
    ("prompt_tokens", "evaluated_tokens", "generated_tokens", "dropped_units", "calls", "context"), int
)
SHAPES = (
    _shape("meta", "name", name=str, value=str),
    _shape("transcript", "id", id=int, name=str, format=str, path=str),
    _shape(
        "thread", "id", id=int, transcript=int, first=int, last=int, head=str, started=_TEXT, turns=int, method=str
    ),
    _shape(
        "turn", "id", id=int, transcript=int, position=int, key=bytes, thread=int | None, speaker=str, text=str,
        at=_TEXT, source=str, session=str,
    ),
    _shape("thread_vector", "thread", thread=int, vector=bytes),
    _shape("turn_vector", "turn", turn=int, vector=bytes),
    _shape("reply_source", "reply, turn", reply=int, turn=int),
    _shape("task_turn", "turn", turn=int, at=str, said=str, reply=str, undoes=int | None),
    _shape("task_operation", "turn, place", turn=int, place=int, op=str, arguments=str),
    _shape(
        "run", "id", id=int, at=str, goal=str, environment=str, options=str, model=str, status=str, progress=float
    ),
    _shape("run_subgoal", "run, number", run=int, number=int, text=str, reached=int | None, summary=str),
    _shape(
        "run_step", "run, number", run=int, number=int, subgoal=int, kind=str, action=str, observation=str,
        valid=int, progress=float, state=str, data=str, **_COUNTS, seconds=float,
    ),
)  # fmt: skip
"""Everything that a memory holds, but for its stamps, which another file has of its own, and its word indexes."""

_WRONG = (
    (
        "SELECT count(*) FROM turn WHERE position < 0 OR thread IS NULL",
        "a turn is in no thread, or before the first",
    ),
    (
        "SELECT count(*) FROM (SELECT transcript FROM turn GROUP BY transcript HAVING max(position) + 1 <> count(*))",
        "a transcript lacks a turn between others",
    ),
    (
        "SELECT count(*) FROM turn JOIN thread ON thread.id = turn.thread WHERE turn.transcript <> thread.transcript"
        " OR turn.position NOT BETWEEN thread.first AND thread.last",
        "a turn stands outside of its thread",
    ),
    (
        "SELECT count(*) FROM thread WHERE turns <> last - first + 1"
        " OR turns <> (SELECT count(*) FROM turn WHERE turn.thread = thread.id)",
        "a thread has other turns than it says",
    ),
    (
        "SELECT (SELECT count(*) FROM turn) <> (SELECT count(*) FROM turn_vector)"
        " OR (SELECT count(*) FROM thread) <> (SELECT count(*) FROM thread_vector)",
        "a turn or a thread has no vector",
    ),
)


class TransferTables(ForgetTables, RunTables, ReplyTables):
    """Methods that read all tables, and that fill those of an empty memory."""

    def rows_of(self, shape: Shape) -> Iterator[list[Row]]:
        """All rows of a table, some at a time; inside a `snapshot`, for several tables of one state."""
        return self._chunks(shape.kinds, shape.select)

    @property
    def blank(self) -> bool:
        """Whether nothing was ever put into the memory."""
        return not any(self._value(f"SELECT EXISTS (SELECT 1 FROM {shape.table})") for shape in SHAPES)

    def fill(self, shape: Shape, rows: Sequence[Sequence[object]]) -> None:
        """Add rows to a table, inside of `filling`.

        Raises:
            StoreError: one of them cannot be.
        """
        self._run_many(shape.insert, rows)

    def begin_filling(self) -> None:
        """To be called first in the transaction that fills the tables.

        Raises:
            StoreError: the memory holds something.
        """
        if not self.blank:
            raise StoreError(
                f"{self.path} holds something already.", hint="Import into a new memory: --memory NAME"
            )
        self._run("PRAGMA defer_foreign_keys = ON")

    def disorder(self) -> list[str]:
        """What does not belong together, though each table is sound by itself."""
        return [what for sql, what in _WRONG if self._value(sql)]

    def end_filling(self) -> None:
        """To be called last in the transaction that fills the tables: words are indexed, all is looked at.

        Raises:
            StoreError: the rows do not belong together.
        """
        for row in self._rows((str, int | None, str, int), "PRAGMA foreign_key_check"):
            raise StoreError(f"A {row[0]} refers to a {row[2]} that is not there.", hint=_HINT)
        for what in self.disorder():
            raise StoreError(f"The rows do not belong together: {what}.", hint=_HINT)
        for index in ("turn_words", "window_words"):
            self._run(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
        self._change_stamp("turns")
        self._change_stamp("threads")
        self._change_stamp("tasks")


_HINT = "Export the memory again: this is none that localmem has written."


def shapes() -> Mapping[str, Shape]:
    """`SHAPES` by table."""
    return {shape.table: shape for shape in SHAPES}
