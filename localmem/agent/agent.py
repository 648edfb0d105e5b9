"""Runs that are kept in a memory: begun, resumed, listed, shown."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from localmem.agent import worlds
from localmem.agent.environments import Environment
from localmem.agent.environments.library import Library
from localmem.agent.environments.memory import MemoryEnvironment
from localmem.agent.loop import Loop, first_prompt
from localmem.agent.values import MORE_STEPS, MORE_TOKENS, Kind, Options, Status, Step, Subgoal, Trajectory
from localmem.agent.worlds import World
from localmem.errors import AgentError, StoreError, UsageError
from localmem.llm.protocol import LanguageModel
from localmem.store import RunRow, StepRow, Store, SubgoalRow
from localmem.values import StoredTurn

OnStep = Callable[[Subgoal, Step], None]


class Agent:
    """The runs of one memory.

    Args:
        store: where they are kept.
        library: what is read of the memory.
        model: makes the model of language, at first use.
    """

    def __init__(self, store: Store, library: Library, model: Callable[[], LanguageModel]) -> None:
        self._store = store
        self._library = library
        self._model = model

    def plan(self, goal: str, world: World, options: Options) -> Job:
        """A run that has not begun; nothing is stored before its `run`.

        Raises:
            UsageError: an empty goal, in a world that has none of its own.
            AgentError: the memory is empty, the world cannot be made, or a report could not be written.
        """
        if isinstance(world, worlds.MemoryWorld):
            if not goal.strip():
                raise UsageError(
                    "The goal is empty.", hint="For example: localmem run 'List what Ann and Bob decided'"
                )
            if not self._library.transcripts():
                raise AgentError(
                    "There is nothing in this memory yet.",
                    hint="Read conversations into it with: localmem ingest FILE",
                )
            world.check(goal)
        environment = world.make(goal, self._library)
        return Job(self._store, self._model, environment, world, options)

    def resume(
        self,
        id: int,
        *,
        max_steps: int | None = None,
        max_tokens: int | None = None,
        out: str | None = None,
        overwrite: bool = False,
    ) -> Job:
        """A run that goes on where it was left.

        Args:
            id: which one.
            max_steps: in all, in place of what it was begun with.
            max_tokens: the same.
            out: whole path of a folder for reports, in place of what it was begun with.
            overwrite: whether reports may replace files, even if it was begun without that.

        Raises:
            AgentError: there is no such run, it is over, its world has changed, or it writes no reports.
        """
        found, past = self.show(id)
        if past.status.over:
            raise AgentError(f"Run {id} is over: {past.status}.", hint=f"See it with: localmem run show {id}")
        options = Options.of(found.options)
        if max_steps is not None:
            options = replace(options, max_steps=max_steps)
        if max_tokens is not None:
            options = replace(options, max_tokens=max_tokens)
        made = len(past.acts)
        if made >= options.max_steps:
            raise AgentError(
                f"Run {id} has made its {made} steps.",
                hint=f"Let it go on with: localmem run --resume {id} --max-steps {made + MORE_STEPS}",
            )
        spent = past.usage.evaluated_tokens + past.usage.generated_tokens
        if options.max_tokens is not None and spent >= options.max_tokens:
            raise AgentError(
                f"Run {id} has used its tokens: {spent} of {options.max_tokens}.",
                hint=f"Let it go on with: localmem run --resume {id} --max-tokens {spent + MORE_TOKENS}",
            )
        world = worlds.of(found.environment)
        if out is not None or overwrite:
            if not isinstance(world, worlds.MemoryWorld) or not (out or world.out):
                raise AgentError(f"Run {id} writes no reports.", hint="Leave out --out and --overwrite.")
            world = replace(world, out=out or world.out, overwrite=overwrite or world.overwrite)
        environment = world.make(found.goal, self._library)
        return Job(self._store, self._model, environment, world, options, id=id, past=past.subgoals)

    def runs(self) -> list[RunRow]:
        """All runs, the oldest first. Loads no engine."""
        return self._store.runs()

    def show(self, id: int) -> tuple[RunRow, Trajectory]:
        """A run and what happened in it. Loads no engine.

        Raises:
            AgentError: there is no such run.
        """
        with self._store.snapshot():
            found = self._store.run(id)
            subgoals, steps = self._store.subgoals(id), self._store.steps(id)
        return found, Trajectory(_status(found), tuple(_subgoals(subgoals, steps)), found.progress)

    def remove(self, id: int) -> None:
        """Take a run out for good.

        Raises:
            AgentError: there is no such run.
        """
        self._store.remove_run(id)


class Job:
    """A run that can be carried out; use `Agent.plan` and `Agent.resume`."""

    def __init__(
        self,
        store: Store,
        model: Callable[[], LanguageModel],
        environment: Environment,
        world: World,
        options: Options,
        *,
        id: int | None = None,
        past: tuple[Subgoal, ...] = (),
    ) -> None:
        self._store = store
        self._model = model
        self.environment = environment
        self.world = world
        self.options = options
        self.id = id
        """Its number; None before it has begun."""
        self._past = past

    def first_prompt(self) -> str:
        """All that the model would read first, for people. Loads no engine and stores nothing."""
        return first_prompt(self.environment, self.options)

    @property
    def findings(self) -> list[tuple[str, tuple[StoredTurn, ...]]]:
        """What was noted, with the turns that each note rests on; empty in worlds without notes."""
        world = self.environment
        return world.findings() if isinstance(world, MemoryEnvironment) else []

    @property
    def files(self) -> list[Path]:
        """The reports that were written."""
        world = self.environment
        if not isinstance(world, MemoryEnvironment) or not isinstance(self.world, worlds.MemoryWorld):
            return []
        return [Path(self.world.out, name) for name in world.files]

    def run(
        self,
        *,
        on_begin: Callable[[int], None] | None = None,
        on_step: OnStep | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Trajectory:
        """Carry it out, to its end or until `stop` is true after a step.

        Args:
            on_begin: called with the run's number.
            on_step: called with each subgoal and step, after they are stored.
            stop: asked after each step.

        Raises:
            ModelMissingError: the model was not pulled yet; nothing was stored.
            EngineError: the model cannot go on; the run can be resumed.
            StoreError: the memory cannot be written.
            KeyboardInterrupt: the same as EngineError.
        """
        model = self._model()
        id = self._begin(model)
        if on_begin is not None:
            on_begin(id)
        log = _StoreLog(self._store, id, on_step)
        try:
            loop = Loop(self.environment, model, self.options, log=log, past=self._past, stop=stop)
            return loop.run()
        except BaseException:
            with contextlib.suppress(StoreError):  # the first error is the one to tell
                self._store.set_run(id, Status.STOPPED)
            raise

    def _begin(self, model: LanguageModel) -> int:
        if self.id is None:
            new = RunRow(
                id=0,
                at=datetime.now(UTC),
                goal=self.environment.goal,
                environment=worlds.row(self.world),
                options=self.options.row(),
                model=model.id,
                status=Status.RUNNING,
                progress=0.0,
            )
            self.id = self._store.add_run(new)
        else:
            self._store.set_run(self.id, Status.RUNNING, self.options.row())
        return self.id


class _StoreLog:
    """Writes a run into the memory as it happens."""

    def __init__(self, store: Store, run: int, on_step: OnStep | None) -> None:
        self._store = store
        self._run = run
        self._on_step = on_step

    def begun(self, subgoal: Subgoal, ended: Subgoal | None) -> None:
        """Store the subgoal, and how the one before it ended."""
        self._store.add_subgoal(self._run, _subgoal_row(subgoal), _subgoal_row(ended) if ended else None)

    def stepped(self, subgoal: Subgoal, step: Step) -> None:
        """Store the step, then tell of it."""
        row = StepRow(
            number=step.number,
            subgoal=subgoal.number,
            kind=step.kind,
            action=step.action,
            observation=step.observation,
            valid=step.valid,
            progress=step.progress,
            state=step.state,
            data=step.data,
            usage=step.usage,
            context=step.context,
            seconds=step.seconds,
        )
        self._store.add_step(self._run, row)
        if self._on_step is not None:
            self._on_step(subgoal, step)

    def stands(self, status: Status, ended: Subgoal | None) -> None:
        """Store how the run stands."""
        self._store.set_run(self._run, status, ended=_subgoal_row(ended) if ended else None)


def _subgoal_row(subgoal: Subgoal) -> SubgoalRow:
    return SubgoalRow(subgoal.number, subgoal.text, subgoal.reached, subgoal.summary)


def _status(found: RunRow) -> Status:
    try:
        return Status(found.status)
    except ValueError:
        raise AgentError(
            f"Run {found.id} stands as {found.status!r}, which is not known here.",
            hint="A newer localmem wrote it.",
        ) from None


def _subgoals(rows: Iterable[SubgoalRow], steps: Iterable[StepRow]) -> list[Subgoal]:
    made = [
        (
            row.subgoal,
            Step(
                number=row.number,
                kind=Kind(row.kind),
                action=row.action,
                observation=row.observation,
                valid=row.valid,
                progress=row.progress,
                state=row.state,
                usage=row.usage,
                context=row.context,
                seconds=row.seconds,
                data=row.data,
            ),
        )
        for row in steps
    ]
    all_rows = list(rows)
    return [
        Subgoal(
            row.number,
            row.text,
            tuple(step for subgoal, step in made if subgoal == row.number),
            row.reached,
            row.summary,
            ended=row is not all_rows[-1] or row.reached is not None,
        )
        for row in all_rows
    ]
