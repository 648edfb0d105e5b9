"""What an owner does with a memory that was refined: killed on the way, forgotten, exported, looked at."""

from __future__ import annotations

import io
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from localmem.errors import StoreError, UsageError
from localmem.memory import Memory
from localmem.settings import settings
from localmem.store import NewThread, Store
from localmem.upkeep import doctor
from localmem.values import Turn
from tests.fakes import ScriptedModel
from tests.recall.refiner import Refiner
from tests.recall.support import stored_threads, talk
from tests.upkeep.support import NOON, bytes_of, opened, told

TURNS = 60
SECRET = "quetzalcoatlus"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    told(folder / "work.db", talk(TURNS))
    return folder / "work.db"


def refined_turns(path: Path) -> int:
    with Store.open(path) as store:
        assert store.check() + store.disorder() == []
        stored_threads(store, 1)
        return TURNS - store.unrefined_turns(1)


def test_a_memory_refines_all_transcripts_or_those_that_are_named(path: Path) -> None:
    told(path, [Turn("Cleo", f"Other {n}.", NOON, f"{n}") for n in range(5)], "other")
    model = Refiner()
    with opened(path, model=model) as memory:
        assert [one.remaining for one in memory.refine_plan()] == [TURNS, 5]
        assert [one.transcript.name for one in memory.refine("other")] == ["other"]
        assert [one.transcript.name for one in memory.refine()] == ["talk"]
        assert memory.refine("talk", "other", 1) == []
        assert [one.remaining for one in memory.refine_plan("talk")] == [0]


def test_what_cannot_be_refined_is_an_error(path: Path) -> None:
    with opened(path) as memory:
        with pytest.raises(StoreError, match="no transcript 'tolk'"):
            memory.refine("tolk")
        with pytest.raises(UsageError, match="limit"):
            memory.refine(limit=0)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_one_window_at_most(path: Path) -> None:
    chance = random.Random(7)
    done = 0
    for replies in (1, 2, 3):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.recall.refiner", str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert process.stdout is not None
        for _ in range(replies):
            process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.01))
        process.kill()
        process.communicate()
        now = refined_turns(path)
        assert now > done if replies > 1 else now >= done
        done = now
    with opened(path, model=Refiner()) as memory:
        memory.refine()
    assert refined_turns(path) == TURNS


def test_a_head_goes_with_the_turn_of_another_thread_that_it_tells_of(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    path = folder / "work.db"
    turns = [Turn("Ann", f"Word{n} about the ferry.", NOON, f"line {n}") for n in range(6)]
    turns[4] = Turn("Bob", f"A {SECRET} flew over the ferry.", NOON, "line 4")
    told(path, turns)
    with Store.open(path) as store:
        vectors = store.thread_vectors([store.threads_of(1)[0].id])
        heads = ((0, 2, f"The {SECRET} and the ferry"), (3, 5, "The ferry and Bob"))
        store.replace_threads(
            1, 0, [NewThread(first, last, head, vectors[0], "llm") for first, last, head in heads]
        )
    with opened(path) as memory:
        memory.forget(speaker="Bob", yes=True)
        assert [one.refined for one in memory._store.threads_of(1)] == [False, False]
    assert SECRET.encode() not in bytes_of(path)


def test_other_heads_stay_when_a_turn_is_forgotten(path: Path) -> None:
    with opened(path, model=Refiner()) as memory:
        memory.refine()
        before = {thread.id: thread.head for thread in memory._store.threads_of(1)}
        (turn,) = memory._store.turns_between(1, 12, 12)
        memory.forget(turn=turn.id, yes=True)
        after = {thread.id: thread.head for thread in memory._store.threads_of(1) if thread.refined}
        assert after == {id: head for id, head in before.items() if id != turn.thread}


@pytest.mark.parametrize("vectors", [True, False])
def test_an_export_carries_threads_heads_and_who_made_them(path: Path, tmp_path: Path, vectors: bool) -> None:
    with opened(path, model=Refiner()) as memory, opened(tmp_path / "copy.db") as copy:
        memory.refine(limit=15)
        file = io.StringIO()
        memory.export(file, vectors=vectors)
        copy.import_from(io.BytesIO(file.getvalue().encode()))
        assert copy._store.threads_of(1) == memory._store.threads_of(1)
        np.testing.assert_allclose(
            copy._store.head_vectors()[1], memory._store.head_vectors()[1], atol=0 if vectors else 1e-6
        )
        assert copy.stats().models == memory.stats().models == ("fake-hashing", "fake-scripted")
        assert copy.refine_plan()[0].remaining == memory.refine_plan()[0].remaining > 0


def test_the_doctor_counts_what_the_model_made(path: Path) -> None:
    with opened(path, model=Refiner()) as memory:
        memory.refine()
    found = doctor.examine(
        path,
        settings(),
        needed=True,
        digests=False,
        open_store=lambda: Store.open(path),
        start=lambda _: None,
    )
    (line,) = [one.text for one in found if one.what == "recall"]
    with Store.open(path) as store:
        count = store.thread_count(1)
    assert line == f"{count} threads, {count} of them made by a model (localmem refine)"


def test_a_memory_of_nothing_has_nothing_to_refine(tmp_path: Path) -> None:
    with Memory(tmp_path / "new.db", embedder=lambda: 1 / 0, model=ScriptedModel) as memory:  # type: ignore[arg-type,return-value]
        assert memory.refine() == []
        assert memory.refine_plan() == []
