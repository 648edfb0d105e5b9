"""Runs of the agent: subgoals and steps, written as they happen, so that a killed run can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from localmem.errors import AgentError
from localmem.store.engine_errors import damaged
from localmem.store.meta import MetaTable
from localmem.store.rows import Row, clean
from localmem.values import Usage


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run."""

    id: int
    at: datetime
    """When it began."""
    goal: str
    environment: Mapping[str, Any]
    """What the world is made from again; can be written as JSON."""
    options: Mapping[str, Any]
    model: str
    status: str
    progress: float
    steps: int = 0
    """How many are stored; not read when a run is added."""


@dataclass(frozen=True, slots=True)
class SubgoalRow:
    """One subgoal of a run."""

    number: int
    text: str
    reached: bool | None = None
    """None: it has not ended."""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step of a run."""

    number: int
    subgoal: int
    kind: str
    action: str
    observation: str
    valid: bool
    progress: float
    state: str
    data: str
    usage: Usage
    context: int
    """Tokens of the longest prompt."""
    seconds: float


_STEP_KINDS = (int, int, str, str, str, int, float, str, str, int, int, int, int, int, int, float)


class RunTables(MetaTable):
    """Methods on the tables `run`, `run_subgoal` and `run_step`."""

    def add_run(self, new: RunRow) -> int:
        """A new run without steps; its id. The id in `new` does not count."""
        with self.transaction():
            cursor = self._run(
                "INSERT INTO run (at, goal, environment, options, model, status, progress)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    new.at.isoformat(),
                    clean(new.goal),
                    json.dumps(new.environment),
                    json.dumps(new.options),
                    clean(new.model),
                    new.status,
                    new.progress,
                ),
            )
            return int(cursor.lastrowid or 0)

    def add_subgoal(self, run: int, new: SubgoalRow, ended: SubgoalRow | None = None) -> None:
        """Begin a subgoal, and end the one before it, in one transaction."""
        with self.transaction():
            if ended is not None:
                self._end_subgoal(run, ended)
            self._run(
                "INSERT INTO run_subgoal VALUES (?, ?, ?, NULL, '')", (run, new.number, clean(new.text))
            )

    def add_step(self, run: int, new: StepRow) -> None:
        """Append a step."""
        usage = new.usage
        with self.transaction():
            self._run(
                "INSERT INTO run_step VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run,
                    new.number,
                    new.subgoal,
                    new.kind,
                    clean(new.action),
                    clean(new.observation),
                    int(new.valid),
                    new.progress,
                    clean(new.state),
                    clean(new.data),
                    usage.prompt_tokens,
                    usage.evaluated_tokens,
                    usage.generated_tokens,
                    usage.dropped_units,
                    usage.calls,
                    new.context,
                    new.seconds,
                ),
            )
            self._run("UPDATE run SET progress = ? WHERE id = ?", (new.progress, run))

    def set_run(
        self,
        run: int,
        status: str,
        options: Mapping[str, Any] | None = None,
        ended: SubgoalRow | None = None,
    ) -> None:
        """Say how a run stands, and how its last subgoal ended.

        Args:
            run: which one.
            status: how it stands.
            options: in place of the old ones.
            ended: the subgoal that is over.

        Raises:
            AgentError: there is no such run.
        """
        with self.transaction():
            if not self._run("UPDATE run SET status = ? WHERE id = ?", (status, run)).rowcount:
                raise self._no_run(run)
            if options is not None:
                self._run("UPDATE run SET options = ? WHERE id = ?", (json.dumps(options), run))
            if ended is not None:
                self._end_subgoal(run, ended)

    def runs(self) -> list[RunRow]:
        """All runs, the oldest first."""
        return self._run_rows("")

    def run(self, id: int) -> RunRow:
        """One run.

        Raises:
            AgentError: there is none with this id.
        """
        rows = self._run_rows(" WHERE id = ?", (id,))
        if not rows:
            raise self._no_run(id)
        return rows[0]

    def subgoals(self, run: int) -> list[SubgoalRow]:
        """The subgoals of a run, in order."""
        rows = self._rows(
            (int, str, int | None, str),
            "SELECT number, text, reached, summary FROM run_subgoal WHERE run = ? ORDER BY number",
            (run,),
        )
        return [
            SubgoalRow(number, text, None if reached is None else bool(reached), summary)
            for number, text, reached, summary in rows
        ]

    def steps(self, run: int) -> list[StepRow]:
        """The steps of a run, in order."""
        rows = self._rows(
            _STEP_KINDS,
            "SELECT number, subgoal, kind, action, observation, valid, progress, state, data, prompt_tokens,"
            " evaluated_tokens, generated_tokens, dropped_units, calls, context, seconds"
            " FROM run_step WHERE run = ? ORDER BY number",
            (run,),
        )
        return [_to_step(row) for row in rows]

    def remove_run(self, id: int) -> None:
        """Take a run out for good.

        Raises:
            AgentError: there is no such run.
        """
        with self.transaction():
            self._run("DELETE FROM run_step WHERE run = ?", (id,))
            self._run("DELETE FROM run_subgoal WHERE run = ?", (id,))
            if not self._run("DELETE FROM run WHERE id = ?", (id,)).rowcount:
                raise self._no_run(id)

    def _end_subgoal(self, run: int, ended: SubgoalRow) -> None:
        self._run(
            "UPDATE run_subgoal SET reached = ?, summary = ? WHERE run = ? AND number = ?",
            (None if ended.reached is None else int(ended.reached), clean(ended.summary), run, ended.number),
        )

    def _run_rows(self, where: str, values: tuple[int, ...] = ()) -> list[RunRow]:
        rows = self._rows(
            (int, str, str, str, str, str, str, float, int),
            "SELECT id, at, goal, environment, options, model, status, progress,"
            f" (SELECT count(*) FROM run_step WHERE run = run.id) FROM run{where} ORDER BY id",
            values,
        )
        try:
            return [
                RunRow(
                    id,
                    datetime.fromisoformat(at),
                    goal,
                    json.loads(environment),
                    json.loads(options),
                    model,
                    status,
                    progress,
                    steps,
                )
                for id, at, goal, environment, options, model, status, progress, steps in rows
            ]
        except ValueError:
            raise damaged(self.path, "a run cannot be read") from None

    def _no_run(self, id: int) -> AgentError:
        return AgentError(f"There is no run {id} in {self.path}.", hint="See them with: localmem run list")


def _to_step(row: Row) -> StepRow:
    number, subgoal, kind, action, observation, valid, progress, state, data, *usage, context, seconds = row
    counts = Usage(*usage)
    return StepRow(
        number,
        subgoal,
        kind,
        action,
        observation,
        bool(valid),
        progress,
        state,
        data,
        counts,
        context,
        seconds,
    )
