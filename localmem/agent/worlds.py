"""What a world is made from: kept with a run, so that it can be made again when the run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from localmem.agent.environments import Environment
from localmem.agent.environments.memory import Library, MemoryEnvironment
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

    def make(self, goal: str, library: Library) -> Environment:
        """The world itself."""
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

    def make(self, goal: str, library: Library) -> Environment:
        """The world itself."""
        return PddlEnvironment.of(self.domain, self.problem)


World = MemoryWorld | PddlWorld
WORLDS: Mapping[str, type[World]] = {kind.name: kind for kind in (MemoryWorld, PddlWorld)}


def row(world: World) -> dict[str, Any]:
    """A world as JSON."""
    return {"world": world.name, **asdict(world)}


def of(found: Mapping[str, Any]) -> World:
    """The inverse of `row`.

    Raises:
        AgentError: another localmem wrote it.
    """
    values = dict(found)
    try:
        return WORLDS[str(values.pop("world", ""))](**values)
    except (KeyError, TypeError):
        raise AgentError("The world of the run cannot be read.", hint="Start a new run.") from None
