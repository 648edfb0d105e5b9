"""What is measured: something that holds conversations, one memory a case, all with one loaded model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from localmem.bench.meter import Meter, Tokens
from localmem.bench.names import Name, Part
from localmem.embed.protocol import Embedder
from localmem.errors import ContextOverflowError, GrammarError, TaskError, TruncatedError
from localmem.memory import Memory
from localmem.values import Usage

REFUSED = (ContextOverflowError, GrammarError, TaskError, TruncatedError)
"""Errors of one turn; any other ends the run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one user turn."""

    reply: str
    intents: frozenset[str]
    paths: tuple[str, ...]
    """Of the active nodes, after the turn."""
    kinds: dict[str, Tokens]
    """Cost of the turn by kind of prompt."""
    reply_tokens: Tokens
    """Cost of the calls that worded the reply."""
    seconds: float
    error: str = ""
    """Why the system gave up on the turn."""
    details: dict[str, Any] = field(default_factory=dict)
    """For who looks into a failure; JSON."""


class Conversation(Protocol):
    """One case under way."""

    def say(self, text: str) -> Outcome:
        """Take the next user turn."""


class System(Protocol):
    """Something that holds conversations."""

    name: Name
    ablation: str
    """Part that is left out, or empty."""
    loose: bool
    """The state is what a model listed, not what a graph holds."""

    def start(self, *, temperature: float, seed: int) -> AbstractContextManager[Conversation]:
        """A fresh conversation."""


class Localmem:
    """localmem itself, with a memory file of its own for each case.

    Args:
        meter: the model.
        embedder: makes the embedder, or gives the one that is loaded.
        ablation: part that is left out, or None.
    """

    name = Name.LOCALMEM
    loose = False

    def __init__(self, meter: Meter, embedder: Callable[[], Embedder], ablation: Part | None = None) -> None:
        self._meter = meter
        self._embedder = embedder
        self.ablation = str(ablation or "")

    @contextmanager
    def start(self, *, temperature: float, seed: int) -> Iterator[Conversation]:
        """A conversation with an empty memory."""
        ablate = frozenset([self.ablation] if self.ablation else [])
        with (
            TemporaryDirectory(prefix="localmem-bench-") as folder,
            Memory(Path(folder) / "case.db", embedder=self._embedder, model=lambda: self._meter) as memory,
        ):
            yield _Chat(memory, self._meter, temperature, seed, ablate)


class _Chat:
    def __init__(
        self, memory: Any, meter: Meter, temperature: float, seed: int, ablate: frozenset[str]
    ) -> None:
        self._memory = memory
        self._meter = meter
        self._options = {"temperature": temperature, "seed": seed, "ablate": ablate}

    def say(self, text: str) -> Outcome:
        self._meter.take()
        begun = time.perf_counter()
        try:
            reply = self._memory.chat(text, **self._options)
        except REFUSED as error:
            return Outcome(
                reply="",
                intents=frozenset(),
                paths=tuple(self._memory.tasks.paths()),
                kinds=self._meter.take(),
                reply_tokens=Tokens(),
                seconds=time.perf_counter() - begun,
                error=f"{type(error).__name__}: {error}",
            )
        seconds = time.perf_counter() - begun
        return Outcome(
            reply=reply.text,
            intents=frozenset(step.intent for step in reply.operations),
            paths=tuple(self._memory.tasks.paths()),
            kinds=self._meter.take(),
            reply_tokens=_tokens(reply.reply_usage),
            seconds=seconds,
            details={
                "operations": [
                    [step.intent, step.op, step.path or step.slot, step.value, step.former]
                    for step in reply.operations
                ],
                "dropped": [[one.written, one.reason] for one in reply.dropped],
                "facts": list(reply.facts),
                "plain": reply.plain,
                "asks": reply.asks,
            },
        )


def _tokens(usage: Usage) -> Tokens:
    return Tokens(usage.prompt_tokens, usage.evaluated_tokens, 0, usage.generated_tokens, usage.calls)
