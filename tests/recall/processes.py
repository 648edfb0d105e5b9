"""A command line with the hashing embedder, for tests that run or kill real processes.

python -m tests.recall.processes MEMORY WAIT ingest FILE...
python -m tests.recall.processes MEMORY WAIT search QUESTION
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from localmem.memory import Memory
from localmem.store import Store
from tests.fakes import HashingEmbedder, ScriptedModel


class Waiting(HashingEmbedder):
    """Takes its time, as a real embedder does."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        time.sleep(self.seconds)
        return super().encode(texts)


def start(memory: Path, wait: float, *command: str | Path) -> subprocess.Popen[str]:
    """The command in a process of its own; it writes "ready" before it begins and "done" when all is in."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.recall.processes", str(memory), str(wait), *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=Path(__file__).parents[2],
    )


def main() -> None:
    path, wait, command, *rest = sys.argv[1:]
    embedder = Waiting(float(wait))
    with Memory(Store.open(Path(path)), embedder=lambda: embedder, model=ScriptedModel) as memory:
        print("ready", flush=True)
        if command == "ingest":
            report = memory.ingest(*rest)
            print("failed" if report.failed else "done", [file.added for file in report.files])
        else:
            print("done", len(memory.search(*rest).units))


if __name__ == "__main__":
    main()
