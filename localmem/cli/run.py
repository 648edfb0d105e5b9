"""`localmem run`: a long job, one subgoal at a time; list, show and remove runs."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from localmem.agent.values import Actions, Assist, Mode, Part
from localmem.cli import options
from localmem.cli.run_print import (
    end_row,
    print_line,
    print_step,
    print_subgoal,
    run_row,
    step_row,
    subgoal_row,
    summary,
    verdict,
    way_on,
)

if TYPE_CHECKING:
    from localmem.agent.agent import Job
    from localmem.agent.values import Options, Step, Subgoal
    from localmem.agent.worlds import World

NAME = "run"
STEPS, JOB_STEPS = 30, 100
START = "start"
EXAMPLES = (
    "Examples: localmem run 'List every decision of the June meetings, into decisions.md' --memory work --out reports;"
    " localmem run --resume 3; localmem run list; localmem run show 3"
)


class _StartsByDefault(TyperGroup):
    """`localmem run GOAL` is `localmem run start GOAL`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = [START, *args]
        return super().parse_args(ctx, args)


class WorldName(StrEnum):
    """Where a run acts."""

    MEMORY = "memory"
    BLOCKSWORLD = "blocksworld"
    GRIPPER = "gripper"
    TYREWORLD = "tyreworld"
    BARMAN = "barman"
    PDDL = "pddl"
    GAME = "game"


app = typer.Typer(
    cls=_StartsByDefault,
    no_args_is_help=True,
    help="Work on a goal, one subgoal at a time. `localmem run GOAL` is `localmem run start GOAL`;"
    " its options are shown by `localmem run start --help`.",
    epilog=EXAMPLES,
)


@app.command(START, epilog=EXAMPLES)
def start(
    goal: Annotated[
        str | None,
        typer.Argument(metavar="GOAL", help="What is to be done. Worlds other than memory have their own."),
    ] = None,
    memory: options.Memory = None,
    model: options.Model = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder for reports. Nothing is written elsewhere."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Reports may replace files of DIR.")] = False,
    resume: Annotated[
        int | None, typer.Option("--resume", metavar="ID", min=1, help="Let a run go on where it was left.")
    ] = None,
    max_steps: Annotated[
        int | None,
        typer.Option(
            "--max-steps", min=1, help="Actions at most, in all. [default: 100, outside of a memory 30]"
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", min=1, help="No step begins after so many tokens, read and written."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what the model would read first; do nothing.")
    ] = False,
    world: Annotated[
        WorldName,
        typer.Option("--world", help="Where to act: the memory, a planning problem, or a text game."),
    ] = WorldName.MEMORY,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of a problem that is made.")] = 0,
    size: Annotated[
        int, typer.Option("--size", min=1, help="Of a problem that is made: blocks, balls, wheels, shots.")
    ] = 3,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", metavar="FILE", help="A PDDL problem beside its domain.pddl; the story of a text game."
        ),
    ] = None,
    mode: Annotated[Mode, typer.Option("--mode", help="standard: without subgoals.")] = Mode.HIAGENT,
    actions: Annotated[
        Actions, typer.Option("--actions", help="valid: only what can be carried out may be written.")
    ] = Actions.VALID,
    ablate: Annotated[
        list[Part] | None, typer.Option("--ablate", help="Work without a part. Repeat for more.")
    ] = None,
    assist: Annotated[
        list[Assist] | None,
        typer.Option(
            "--assist",
            help="What code adds to the published method. Repeat for more. [default: all but ahead]",
        ),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Nothing is added to it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a step.")] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Work on GOAL, one subgoal at a time.

    The model searches and reads the memory, takes notes that cite turns, and writes them into reports. Every step is
    stored as it happens. Ctrl-C stops after the step; again, at once.
    """
    from localmem.agent.environments.guide import named_files
    from localmem.agent.values import DEFAULT_ASSISTS, Options
    from localmem.cli.output import log_to_stderr, note
    from localmem.errors import UsageError
    from localmem.memory import Memory

    log_to_stderr(verbose)
    if resume is not None and (goal is not None or dry_run):
        raise UsageError("A run that goes on has its goal already.", hint="Give --resume ID alone.")
    how = _How(as_json, quiet, verbose)
    if resume is not None:
        with Memory.open(memory, create=False, model=model) as opened:
            folder = str(out.expanduser().absolute()) if out else None
            job = opened.agent.resume(
                resume, max_steps=max_steps, max_tokens=max_tokens, out=folder, overwrite=overwrite
            )
            _carry_out(job, how)
        return
    chosen = Options(
        mode=mode,
        actions=actions,
        without=frozenset(ablate or ()),
        assists=frozenset() if plain else frozenset(assist or DEFAULT_ASSISTS),
        max_steps=max_steps or (JOB_STEPS if world is WorldName.MEMORY else STEPS),
        max_tokens=max_tokens,
    )
    made = _world(world, goal, out, overwrite, seed, size, file)
    if world is not WorldName.MEMORY and dry_run:
        _show_first(made, chosen)
        return
    if world is WorldName.MEMORY and out is None and not quiet and named_files(goal or ""):
        note("Notes will be printed; no file is written without --out DIR.")
    with Memory.open(memory, create=world is not WorldName.MEMORY, model=model) as opened:
        job = opened.agent.plan(goal or "", made, chosen)
        if dry_run:
            from localmem.cli.output import printable

            print(printable(job.first_prompt()))
        else:
            _carry_out(job, how)


@app.command("list", epilog="Example: localmem run list --memory work")
def list_runs(memory: options.Memory = None, as_json: options.Json = False) -> None:
    """List the runs of a memory, the oldest first. No engine is loaded."""
    from localmem.cli.output import console, note, one_line, print_json, time_text
    from localmem.memory import Memory

    with Memory.open(memory, create=False) as opened:
        runs = opened.agent.runs()
    if as_json:
        print_json([run_row(row) for row in runs])
    elif not runs:
        note("No runs in this memory.")
    else:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for name in ("run", "begun", "status", "steps", "done", "goal"):
            table.add_column(name, overflow="fold", no_wrap=name != "goal")
        for row in runs:
            cells = (row.id, time_text(row.at), row.status, row.steps, f"{row.progress:.0%}", row.goal)
            table.add_row(*(Text(one_line(str(cell))) for cell in cells))
        console().print(table)


@app.command(epilog="Example: localmem run show 3")
def show(
    run: Annotated[int, typer.Argument(metavar="ID", help="As `localmem run list` shows it.")],
    memory: options.Memory = None,
    as_json: options.Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what was observed, too.")] = False,
) -> None:
    """Show a run as subgoals and their steps. No engine is loaded."""
    from localmem.cli.output import print_json
    from localmem.memory import Memory

    with Memory.open(memory, create=False) as opened:
        row, made = opened.agent.show(run)
    if as_json:
        print_json({**run_row(row), "subgoals": [subgoal_row(subgoal) for subgoal in made.subgoals]})
        return
    print_line(f"Run {row.id}: {row.goal}")
    for subgoal in made.subgoals:
        print_subgoal(subgoal)
        for step in subgoal.steps:
            print_step(step, verbose)
        if subgoal.summary:
            print_line(f"  {verdict(subgoal)}: {subgoal.summary}")
    print(summary(made))


@app.command(epilog="Example: localmem run remove 3")
def remove(
    run: Annotated[int, typer.Argument(metavar="ID", help="As `localmem run list` shows it.")],
    memory: options.Memory = None,
) -> None:
    """Take a run out of the memory for good. Reports that it wrote stay."""
    from localmem.memory import Memory

    with Memory.open(memory, create=False) as opened:
        opened.agent.remove(run)
    print(f"Run {run} is removed.")


class _How:
    """How a run is shown while it goes."""

    def __init__(self, as_json: bool, quiet: bool, verbose: bool) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self.verbose = verbose
        self._told = 0

    def step(self, run: int, subgoal: Subgoal, step: Step) -> None:
        """Tell of a step."""
        from localmem.cli.output import print_json

        if self.as_json:
            row = {"run": run, "subgoal": subgoal.number, "text": subgoal.text, **step_row(step)}
            print_json(row, line=True)
        elif not self.quiet:
            if subgoal.number != self._told:
                print_subgoal(subgoal)
            self._told = subgoal.number
            print_step(step, self.verbose)


def _world(
    name: WorldName,
    goal: str | None,
    out: Path | None,
    overwrite: bool,
    seed: int,
    size: int,
    file: Path | None,
) -> World:
    """The world that the options name."""
    from localmem.agent.environments.pddl import DOMAIN_FILE
    from localmem.agent.worlds import MemoryWorld, PddlWorld
    from localmem.errors import UsageError

    if name is not WorldName.MEMORY and (out is not None or overwrite):
        raise UsageError("Reports are written about a memory.", hint="Leave out --out and --overwrite.")
    if name is WorldName.MEMORY:
        if overwrite and out is None:
            raise UsageError("--overwrite needs a folder.", hint="Name it with --out DIR.")
        return MemoryWorld(str(out.expanduser().absolute()) if out else "", overwrite)
    if name in (WorldName.PDDL, WorldName.GAME) and file is None:
        raise UsageError(f"The world {name} needs a file.", hint="Name it with --file FILE.")
    if name is WorldName.GAME:
        from localmem.agent.worlds import GameWorld

        return GameWorld.read(Path(str(file)), goal or "")
    if name is WorldName.PDDL:
        problem = Path(str(file))
        return PddlWorld(problem.stem, _text(problem.with_name(DOMAIN_FILE)), _text(problem))
    return PddlWorld.made(name, seed=seed, size=size)


def _text(file: Path) -> str:
    from localmem.errors import AgentError

    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise AgentError(
            f"{file} cannot be read: {why}.", hint="Name a PDDL problem beside its domain.pddl."
        ) from None


def _show_first(world: World, chosen: Options) -> None:
    from localmem.agent.loop import first_prompt
    from localmem.cli.output import printable

    print(printable(first_prompt(world.make("", None), chosen)))


def _carry_out(job: Job, how: _How) -> None:
    """Run it, print what comes of it, and exit with 1 if the goal was not reached."""
    from localmem.agent.environments.report import NOTHING
    from localmem.agent.values import Status
    from localmem.cli.output import note, print_json

    with _stopping() as (begun, stop):
        try:
            made = job.run(
                on_begin=begun,
                on_step=lambda subgoal, step: how.step(job.id or 0, subgoal, step),
                stop=stop,
            )
        except BaseException:
            if job.id is not None and not how.quiet:
                note(f"Run {job.id} can go on: localmem run --resume {job.id}")
            raise
    if how.as_json:
        print_json(end_row(job, made), line=True)
    else:
        for text, turns in job.findings:
            print_line(f"- {text} ({'; '.join(turn.turn.source for turn in turns)})")
        for path in job.files:
            print_line(str(path))
        if made.status is Status.ENDED and job.world.name == WorldName.MEMORY and not job.findings:
            note(NOTHING)
    if not how.quiet and not how.as_json:
        note(f"Run {job.id}: {summary(made)}")
        if not made.status.over:
            note(f"It can go on: {way_on(job.id or 0, made)}")
    if made.status is Status.STOPPED:
        raise typer.Exit(options.INTERRUPTED)
    if made.status is not Status.REACHED:
        raise typer.Exit(1)


@contextmanager
def _stopping() -> Iterator[tuple[Callable[[int], None], Callable[[], bool]]]:
    """From the call of the first on, Ctrl-C makes the second true; the next Ctrl-C interrupts as ever."""
    asked: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def interrupt(number: int, frame: Any) -> None:
        if asked and callable(before):
            before(number, frame)
        asked.append(number)
        # Not through the stream: it may be in the middle of a line of its own.
        os.write(2, b"\nStopping after this step; Ctrl-C again stops at once.\n")

    def begun(_: int) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupt)

    try:
        yield begun, lambda: bool(asked)
    finally:
        if signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, before)
