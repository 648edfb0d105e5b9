"""What a world is made from: kept with a run, so that it can be made again when the run goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from localmem.agent.environments import Environment, report
from localmem.agent.environments.game import SEED, GameEnvironment
from localmem.agent.environments.guide import named_files
from localmem.agent.environments.library import Library
from localmem.agent.environments.memory import MemoryEnvironment
from localmem.agent.environments.pddl import PddlEnvironment, domain_text
from localmem.agent.environments.problems import generate
from localmem.errors import AgentError


@dataclass(frozen=True, slots=True)
class MemoryWorld:
    """The memory that the run is kept in."""

    name: ClassVar[str] = "memory"
    out: str = ""
    """Folder for reports, as a whole path; empty: none are written."""
    overwrite: bool = False

    def check(self, goal: str) -> None:
        """Refuse early what could not be written at the end. Makes nothing.

        Raises:
            AgentError: a report that the goal names is there already, or the folder cannot be written into.
        """
        if self.out:
            report.check(Path(self.out), named_files(goal), overwrite=self.overwrite)

    def make(self, goal: str, library: Library | None) -> Environment:
        """The world itself."""
        if library is None:
            raise AgentError("There is no memory to work on.", hint="Open one.")
        out = Path(self.out) if self.out else None
        return MemoryEnvironment(library, goal, out=out, overwrite=self.overwrite)


@dataclass(frozen=True, slots=True)
class PddlWorld:
    """A planning problem; it has its own goal."""

    name: ClassVar[str] = "pddl"
    problem_name: str
    domain: str
    """Text of the domain's file."""
    problem: str
    """Text of the problem's file."""

    @classmethod
    def made(cls, domain: str, *, seed: int, size: int) -> PddlWorld:
        """A problem of one of our own domains, from a seed.

        Raises:
            UsageError: no such domain, or a size out of range.
        """
        problem = generate(domain, seed=seed, size=size)
        return cls(f"{domain}-{size}-{seed}", domain_text(domain), problem)

    def make(self, goal: str, library: Library | None) -> Environment:
        """The world itself."""
        return PddlEnvironment.of(self.domain, self.problem)


@dataclass(frozen=True, slots=True)
class GameWorld:
    """A text game."""

    name: ClassVar[str] = "game"
    story: str
    """Its file, as a whole path."""
    digest: str
    """SHA-256 of the file: another release is another world."""
    goal: str = ""
    milestones: tuple[str, ...] = ()
    seed: int = SEED

    @classmethod
    def read(cls, story: Path, goal: str = "", milestones: Sequence[str] = ()) -> GameWorld:
        """The game of a story file.

        Raises:
            AgentError: it cannot be read.
        """
        return cls(str(story.expanduser().absolute()), _digest(story), goal, tuple(milestones))

    def make(self, goal: str, library: Library | None) -> Environment:
        """The world itself.

        Raises:
            UsageError: Jericho is not installed.
            AgentError: the story cannot be read, or is another one now.
        """
        if _digest(Path(self.story)) != self.digest:
            raise AgentError(f"{self.story} has changed.", hint="The run needs the story that it began with.")
        return GameEnvironment(Path(self.story), self.goal, self.milestones, self.seed)


def _digest(story: Path) -> str:
    try:
        return hashlib.sha256(story.expanduser().read_bytes()).hexdigest()
    except OSError as error:
        raise AgentError(f"{story} cannot be read: {error.strerror}.", hint="Name a story file.") from None


World = MemoryWorld | PddlWorld | GameWorld
WORLDS: Mapping[str, type[World]] = {kind.name: kind for kind in (MemoryWorld, PddlWorld, GameWorld)}


def row(world: World) -> dict[str, Any]:
    """A world as JSON."""
    return {"world": world.name, **asdict(world)}


def of(found: Mapping[str, Any]) -> World:
    """The inverse of `row`.

    Raises:
        AgentError: another localmem wrote it.
    """
    values = dict(found)
    if isinstance(values.get("milestones"), list):
        values["milestones"] = tuple(values["milestones"])
    try:
        return WORLDS[str(values.pop("world", ""))](**values)
    except (KeyError, TypeError):
        raise AgentError("The world of the run cannot be read.", hint="Start a new run.") from None
