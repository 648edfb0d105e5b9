"""Memories to keep up, and a look into every byte of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from localmem.embed.protocol import Embedder
from localmem.memory import Memory
from localmem.recall.ingest import Ingest
from localmem.store import Store
from localmem.tasks import Operation, Tasks
from localmem.transcripts import Conversation
from localmem.values import Turn
from tests.fakes import HashingEmbedder, ScriptedModel

NOON = datetime(2025, 3, 4, 12, 0).astimezone()


def opened(path: Path, *, model: ScriptedModel | None = None, embedder: Embedder | None = None) -> Memory:
    made = embedder or HashingEmbedder()
    return Memory(path, embedder=lambda: made, model=lambda: model or ScriptedModel())


def told(path: Path, turns: Sequence[Turn], name: str = "talk", format: str = "plain") -> None:
    """Put turns into a memory as an ingest of a file does."""
    with Store.open(path) as store:
        events = [Conversation(name, format), *turns]
        (report,) = Ingest(store, HashingEmbedder()).file(f"{name}.txt", lambda: iter(events))
        assert report.error is None


def chatted(
    path: Path,
    exchanges: Sequence[tuple[str, str, Sequence[Operation]]],
    name: str = "chat",
    *,
    first: int = 0,
) -> None:
    """Exchanges of a chat: into recall and into the tasks, at one moment."""
    turns = []
    with Store.open(path) as store:
        tasks = Tasks(store)
        for place, (said, reply, operations) in enumerate(exchanges, first):
            at = NOON + timedelta(minutes=place)
            turns += [Turn("You", said, at, f"turn {place}"), Turn("localmem", reply, at, f"turn {place}")]
            tasks.apply(None, operations, said=said, reply=reply, at=at)
    told(path, turns, name, "chat")


def bytes_of(path: Path) -> bytes:
    """Every byte of the memory and of whatever lies beside it."""
    return b"\n".join(file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file())


def said_in(memory: Memory) -> list[str]:
    """Texts of all turns, by transcript and position."""
    return [
        stored.turn.text
        for transcript in memory.transcripts()
        for stored in memory._store.turns_between(transcript.id, 0, 1 << 40)
    ]
