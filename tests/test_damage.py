"""A memory whose bytes were changed by a disk, a copy or a program: told as damage, or not noticed; never a traceback."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from localmem.errors import LocalmemError
from localmem.memory import Memory
from localmem.store import Store
from localmem.tasks import Op, Operation, Tasks
from tests.fakes import HashingEmbedder, ScriptedModel
from tests.recall.support import ingest, talk, turn

FLIPS = 40


def memory(path: Path) -> Memory:
    return Memory(Store.open(path), embedder=HashingEmbedder, model=ScriptedModel)


def use(path: Path) -> list[str]:
    """Do what can be done with a memory; what went wrong, as it is told."""
    told = []

    def attempt(action: Callable[[], object]) -> None:
        try:
            action()
        except LocalmemError as error:
            assert error.hint
            assert "\n" not in str(error)
            told.append(str(error))

    try:
        opened = memory(path)
    except LocalmemError as error:
        return [str(error)]
    with opened:
        store = opened._store
        attempt(opened.stats)
        attempt(opened.transcripts)
        attempt(lambda: opened.search("Who said Word3 about topic1?"))
        attempt(lambda: opened.tasks.graph)
        attempt(lambda: [store.turns_between(one.id, 0, 1 << 40) for one in store.transcripts()])
        attempt(store.all_threads)
        attempt(lambda: ingest(store, [*talk(20), turn("What is new?")]))
        attempt(store.check)
    return told


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    with Store.open(path) as store:
        ingest(store, talk(20, every=timedelta(hours=3)))
        operations = [
            Operation(Op.ADD, target=-1, slot="make soup"),
            Operation(Op.ADD, slot="chop", parent=-1),
        ]
        Tasks(store).apply(None, operations, said="Soup!")
    assert use(path) == []
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes_never_end_in_a_traceback(sound: bytes, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    told: list[str] = []
    for flip in range(2 * FLIPS):
        if (
            told and flip >= FLIPS // 4
        ):  # some files are so that the first flips hit nothing that is looked at
            break
        content = bytearray(sound)
        # Half of them in the first bytes of a page, where its layout stands: most others only change a text.
        for _ in range(3):
            place = chance.randrange(len(content))
            place -= chance.choice((0, place % 4096 - chance.randrange(64)))
            content[place] ^= 1 << chance.randrange(8)
        path = tmp_path / f"{flip}.db"
        path.write_bytes(content)
        told += use(path)
    assert told
