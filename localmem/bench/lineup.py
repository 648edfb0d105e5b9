"""Which systems are measured, and the engines that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from localmem.bench.baselines import Baseline
from localmem.bench.meter import Meter
from localmem.bench.names import Name, Part
from localmem.bench.systems import Localmem, System
from localmem.embed.protocol import Embedder
from localmem.memory import Memory


@dataclass(frozen=True, slots=True)
class Engines:
    """One loaded model and one embedder for all systems."""

    meter: Meter
    embedder: Callable[[], Embedder]
    id: str
    """Of the model."""


@contextmanager
def engines(model: str | None) -> Iterator[Engines]:
    """Load the model; the embedder follows at first use.

    Args:
        model: as for `Memory.open`.

    Raises:
        ModelMissingError: it was not pulled yet.
        EngineError: it cannot run.
    """
    # A memory that stays empty, and so is never made, knows how to load both.
    with (
        TemporaryDirectory(prefix="localmem-bench-") as folder,
        Memory.open(Path(folder) / "none.db", model=model) as lender,
    ):
        meter = Meter(lender.model)
        yield Engines(meter, lambda: lender.embedder, meter.id)


def make(names: Iterable[Name], parts: Iterable[Part], engines: Engines) -> list[System]:
    """The systems by name; localmem whole, and then without each of the parts."""
    systems: list[System] = []
    for name in names:
        if name is Name.LOCALMEM:
            systems += [Localmem(engines.meter, engines.embedder, part) for part in (None, *parts)]
        else:
            systems.append(Baseline(name, engines.meter))
    return systems
