"""A chat whose replies are written beforehand."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest

from localmem.memory import Memory
from localmem.recall.ingest import Ingest
from localmem.tasks import Op, Operation
from localmem.transcripts import Conversation
from localmem.values import Citation, Dropped, Reply, StoredTurn, TaskStep, Transcript, Turn, Usage
from tests.fakes import HashingEmbedder

SEATTLE = TaskStep("new", "add", "destination", "Seattle", "destination", 1)
FERRY = Turn("Ann", "The ferry leaves at nine.", datetime(2025, 3, 4, 18, 32), "line 1")
CITED = Citation(1, StoredTurn(7, 1, 0, 1, FERRY), Transcript(1, "talk", "plain", "talk.txt", 1))


def reply(text: str = "Noted.", **fields: Any) -> Reply:
    """A reply to small talk, but for what is said otherwise."""
    plain = Reply(
        text=text,
        turn=0,
        plain=False,
        usage=Usage(100, 40, 10, calls=2),
        reply_usage=Usage(60, 20, 8, calls=1),
        seconds=1.5,
    )
    return replace(plain, **fields)


WHOLE = reply(
    "Seattle it is. [1]",
    operations=(SEATTLE,),
    dropped=(Dropped("celery", "the words touch no node named celery"),),
    facts=("destination = Seattle",),
    citations=(CITED,),
)
"""With everything that there can be."""


@dataclass
class Chat:
    """`Memory.chat` with replies from a queue. What was said and done goes to the tasks, as it does in the real one."""

    replies: deque[Reply | BaseException | Callable[[Callable[[str], None] | None], Reply]] = field(
        default_factory=deque
    )
    said: list[str] = field(default_factory=list)
    given: list[dict[str, Any]] = field(default_factory=list)
    remembers: bool = False
    """Whether turns go to recall too, as they do in the real one."""
    stops_after_keeping: str = ""
    """Turn that is kept before Ctrl-C is heard."""
    _turns: list[Turn] = field(default_factory=list)

    def __call__(
        self, memory: Memory, text: str, *, on_text: Callable[[str], None] | None = None, **given: Any
    ) -> Reply:
        self.said.append(text)
        self.given.append(given)
        made = self.replies.popleft() if self.replies else reply(f"{len(self.said)}: {text}")
        if isinstance(made, BaseException):
            raise made
        if callable(made):
            made = made(on_text)
        elif on_text is not None:
            for piece in re.findall(r"\S*\s*", made.text):
                on_text(piece)
        turn = memory.tasks.next_turn
        now = datetime.now().astimezone()
        memory.tasks.apply(turn, _operations(made.operations), said=text, reply=made.text, at=now)
        if self.remembers:
            self._turns += [
                Turn("You", text, now, f"turn {turn}"),
                Turn("localmem", made.text, now, f"turn {turn}"),
            ]
            events = [Conversation("chat", "chat"), *self._turns]
            Ingest(memory._store, HashingEmbedder()).file("chat", lambda: iter(events))
        if text == self.stops_after_keeping:
            raise KeyboardInterrupt
        return replace(made, turn=turn)


def _operations(steps: Sequence[TaskStep]) -> list[Operation]:
    made = []
    for step in steps:
        target = step.node if step.op != "add" else None
        slot = step.slot if step.op in ("add", "replace") else ""
        made.append(Operation(Op(step.op), target, slot, step.value or None))
    return made


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Chat:
    """The replies of the chat, which tests fill; without any, each turn is repeated with its number."""
    scripted = Chat()
    monkeypatch.setattr(
        Memory, "chat", lambda memory, text, **given: scripted(memory, text, **given), raising=False
    )
    return scripted
