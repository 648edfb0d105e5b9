"""The turns that made the tasks what they are, in order.

Nothing of them is ever changed, but for a reply that is filled in, and for what people want forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from localmem.errors import StoreError
from localmem.store.engine_errors import damaged
from localmem.store.meta import MetaTable
from localmem.store.rows import clean


@dataclass(frozen=True, slots=True)
class TaskTurn:
    """One user turn, as the task graph sees it."""

    turn: int
    """Its number; each is larger than the one before, not necessarily by one."""
    at: datetime
    said: str
    reply: str
    """Empty: there was none, or none yet."""
    undoes: int | None
    """The turn that this one takes away."""
    operations: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Name and arguments of each, in order; the arguments can be written as JSON."""


class TaskTables(MetaTable):
    """Methods on the tables `task_turn` and `task_operation`."""

    def add_task_turn(self, new: TaskTurn) -> None:
        """Append a turn.

        Raises:
            StoreError: its number is not larger than that of the last one.
        """
        with self.transaction():
            last = self._value("SELECT coalesce(max(turn), 0) FROM task_turn")
            if new.turn <= last:
                raise StoreError(
                    f"Turn {new.turn} of the tasks cannot follow turn {last}.",
                    hint="Another chat may have written meanwhile; use a higher number.",
                )
            self._run(
                "INSERT INTO task_turn VALUES (?, ?, ?, ?, ?)",
                (new.turn, new.at.isoformat(), clean(new.said), clean(new.reply), new.undoes),
            )
            self._add_operations(new)
            self._change_stamp("tasks")

    def _add_operations(self, new: TaskTurn) -> None:
        self._run_many(
            "INSERT INTO task_operation VALUES (?, ?, ?, ?)",
            [(new.turn, place, op, json.dumps(given)) for place, (op, given) in enumerate(new.operations)],
        )

    def _replace_task_turn(self, turn: TaskTurn) -> None:
        """Other texts and operations for a turn; raises StoreError if there is no such turn."""
        changed = self._run(
            "UPDATE task_turn SET said = ?, reply = ? WHERE turn = ?",
            (clean(turn.said), clean(turn.reply), turn.turn),
        )
        if not changed.rowcount:
            raise StoreError(
                f"The tasks have no turn {turn.turn}.",
                hint="It was changed meanwhile; run the command again.",
            )
        self._run("DELETE FROM task_operation WHERE turn = ?", (turn.turn,))
        self._add_operations(turn)

    def set_task_reply(self, turn: int, reply: str) -> None:
        """Fill in what was replied in a turn.

        Raises:
            StoreError: there is no such turn.
        """
        with self.transaction():
            if not self._run("UPDATE task_turn SET reply = ? WHERE turn = ?", (clean(reply), turn)).rowcount:
                raise StoreError(
                    f"The tasks have no turn {turn}.", hint="A reply belongs to a turn that was told."
                )
            self._change_stamp("tasks")

    def task_turns(self, until: int | None = None) -> list[TaskTurn]:
        """All turns in order; `until`: the last one of them, at most."""
        with self.snapshot():
            turns = self._rows(
                (int, str, str, str, int | None),
                "SELECT turn, at, said, reply, undoes FROM task_turn WHERE turn <= coalesce(?, turn) ORDER BY turn",
                (until,),
            )
            rows = self._rows(
                (int, str, str),
                "SELECT turn, op, arguments FROM task_operation WHERE turn <= coalesce(?, turn)"
                " ORDER BY turn, place",
                (until,),
            )
        try:
            operations = {
                turn: tuple((op, json.loads(given)) for _, op, given in group)
                for turn, group in groupby(rows, key=lambda row: int(row[0]))
            }
            return [
                TaskTurn(turn, datetime.fromisoformat(at), said, reply, undoes, operations.get(turn, ()))
                for turn, at, said, reply, undoes in turns
            ]
        except ValueError:
            raise damaged(self.path, "the tasks cannot be read") from None
