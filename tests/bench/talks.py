"""A conversation to measure, and a chat that plays it: what the engines would make of it is written down."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from localmem.errors import TruncatedError
from localmem.memory import Memory
from localmem.tasks import Op, Operation
from localmem.values import Reply, TaskStep, Usage

FERRY: dict[str, Any] = {
    "name": "ferry",
    "turns": [
        {
            "user": "Plan the crossing to Islay",
            "intent": [["new"]],
            "active": [["crossing", "islay"]],
            "reply": ["islay"],
        },
        {
            "user": "Did I say Jura?",
            "intent": [["check"]],
            "unchanged": True,
            "absent": [["jura"]],
            "reply_not": [{"re": "jura", "unless": "not"}],
        },
    ],
}


def write(folder: Path, *rows: dict[str, Any]) -> Path:
    """A folder with one file for each case."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        (folder / f"{row['name']}.json").write_text(json.dumps(row), encoding="utf-8")
    return folder


@dataclass
class Played:
    """What `Memory.chat` was called with, and what it does."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    memories: list[Path] = field(default_factory=list)
    says: Callable[[str, frozenset[str]], str] = lambda text, ablate: "Islay it is, not Jura."
    fails: bool = False

    def chat(self, memory: Memory, text: str, **options: Any) -> Reply:
        self.calls.append((text, options))
        self.memories.append(memory.path)
        if self.fails:
            raise TruncatedError("The reply reached its limit of 9 tokens", text="Is")
        steps = []
        if not text.endswith("?"):
            memory.tasks.apply(None, [Operation(Op.ADD, slot="crossing", value="Islay")])
            steps.append(TaskStep("new", "add", "crossing", "Islay", "crossing", 1))
        else:
            steps.append(TaskStep("check", "query", "crossing", "Islay", "crossing", 1))
        return Reply(
            text=self.says(text, options["ablate"]),
            turn=len(self.calls),
            operations=tuple(steps),
            plain=False,
            usage=Usage(100, 20, 10, 0, 2),
            reply_usage=Usage(60, 12, 6, 0, 1),
            seconds=0.5,
        )


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    play = Played()
    monkeypatch.setattr(
        Memory, "chat", lambda memory, text, **options: play.chat(memory, text, **options), raising=False
    )
    return play
