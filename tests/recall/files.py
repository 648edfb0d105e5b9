"""Files that break off or are mixed, and an embedder that fails, for the tests of ingesting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from localmem.errors import EmbedderError, TranscriptError
from localmem.transcripts import Conversation, Event
from localmem.values import FileReport, Turn
from tests.fakes import HashingEmbedder


class Failing(HashingEmbedder):
    """Fails at the calls of these numbers."""

    def __init__(self, *calls: int) -> None:
        super().__init__()
        self.calls = 0
        self.failing = calls

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls in self.failing:
            raise EmbedderError("the lights went out")
        return super().encode(texts)


def counts(report: FileReport) -> tuple[int, int, int]:
    return report.added, report.known, report.skipped_count


def broken_off(turns: Sequence[Event]) -> Iterator[Event]:
    yield Conversation("talk", "jsonl")
    yield from turns
    raise TranscriptError("talk.txt, line 9: the file breaks off", hint="Export it again.")


def mixed(first: Sequence[Turn], second: Sequence[Turn]) -> list[Event]:
    """Two conversations, turn by turn."""
    out: list[Event] = []
    for a, b in zip(first, second, strict=True):
        out += (Conversation("one", "jsonl"), a, Conversation("two", "jsonl"), b)
    return out
