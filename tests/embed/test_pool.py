"""Vectors made in other processes are those that one process makes."""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from localmem.embed import load_with, pool
from localmem.embed.pool import EmbedderPool
from localmem.errors import EmbedderError
from tests.fakes import HashingEmbedder

ROOT = Path(__file__).parents[2]
TEXTS = [f"Ann: word{n} about topic{n // 5}" for n in range(300)]


class Threads(ThreadPoolExecutor):
    """In place of processes, which take a second to start."""

    def __init__(self, jobs: int, **_: Any) -> None:
        super().__init__(jobs)


class Dying(Threads):
    """Whose processes die after the first task."""

    asked = 0

    def submit(self, call: Any, *arguments: Any, **_: Any) -> Future[Any]:  # type: ignore[override]
        self.asked += 1
        if self.asked > 2:
            raise BrokenExecutor
        future: Future[Any] = Future()
        if self.asked == 2:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(call(*arguments))
        return future


class Counting(HashingEmbedder):
    threads: list[int] = []  # noqa: RUF012

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        assert texts
        return super().encode(texts)


def made(threads: int) -> Counting:
    Counting.threads.append(threads)
    return Counting()


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    """The one of the only process."""
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", Threads)
    only = Counting()
    monkeypatch.setattr(pool, "_own", [only])
    return only


def test_the_vectors_are_those_of_one_process(embedder: Counting) -> None:
    with EmbedderPool(made, 3) as found:
        assert (found.id, found.dimension) == ("fake-hashing", 64)
        for texts in (TEXTS, TEXTS[:1], [], ["a", "a", "b", "a"]):
            assert np.array_equal(
                found.encode(texts), HashingEmbedder().encode(texts) if texts else np.empty((0, 64))
            )


def test_what_was_begun_is_not_made_again(embedder: Counting) -> None:
    with EmbedderPool(made, 2) as found:
        assert found.ahead("a.txt", TEXTS[:100])
        assert np.array_equal(found.encode(TEXTS[:120]), HashingEmbedder().encode(TEXTS[:120]))
        assert sorted(embedder.encoded) == sorted(TEXTS[:120])


def test_there_is_room_for_so_many_and_it_is_given_back(
    embedder: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "AHEAD", 100)
    with EmbedderPool(made, 2) as found:
        assert found.ahead("a.txt", TEXTS[:60])
        assert not found.ahead("b.txt", TEXTS[60:120])
        assert not found.ahead("c.txt", TEXTS[200:])
        found.release("a.txt")
        assert found.ahead("c.txt", TEXTS[200:260])
        assert np.array_equal(found.encode(TEXTS), HashingEmbedder().encode(TEXTS))
        assert found.ahead("d.txt", TEXTS[:100])  # what was asked for leaves room


def test_cores_are_shared_among_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", Threads)
    for jobs, threads, each in ((2, 8, 4), (3, 8, 2), (4, 2, 1)):
        monkeypatch.setattr(pool, "_own", [])
        with EmbedderPool(made, jobs, threads=threads) as found:
            found.encode(["a"])
        assert Counting.threads[-1] == each


def test_a_process_that_dies_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", Dying)
    monkeypatch.setattr(pool, "_own", [])
    with EmbedderPool(made, 2) as found:
        assert found.dimension == 64
        for _ in range(2):
            with pytest.raises(EmbedderError, match="has ended") as raised:
                found.encode(TEXTS)
            assert "--jobs" in raised.value.hint


def failing(threads: int) -> HashingEmbedder:
    raise EmbedderError("It cannot be loaded.", hint=f"Mend it: {threads}")


@pytest.mark.slow
def test_real_processes_give_the_same_vectors_and_hand_on_errors() -> None:
    with EmbedderPool(made, 2) as found:
        found.ahead("a.txt", TEXTS[:200])
        assert np.array_equal(found.encode(TEXTS), HashingEmbedder().encode(TEXTS))
    with EmbedderPool(failing, 2, threads=2) as found, pytest.raises(EmbedderError, match="loaded") as raised:
        found.encode(TEXTS)
    assert raised.value.hint == "Mend it: 1"


KILLED = """
import time
from localmem.embed.pool import EmbedderPool
from tests.embed.test_pool import named
if __name__ == "__main__":
    with EmbedderPool(named, 2) as pool:
        print(pool.id, flush=True)
        time.sleep(600)
"""


def named(threads: int) -> HashingEmbedder:
    return HashingEmbedder(id=str(os.getpid()))


@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them_even_if_it_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # Python tells there of semaphores that nobody closed
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    os.kill(worker, 0)
    process.kill()
    # It waits for whoever still holds the pipe.
    assert process.communicate()[0] == ""
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(worker, 0)
            time.sleep(0.1)


@pytest.mark.engine
@pytest.mark.slow
def test_the_engine_gives_the_same_vectors_in_other_processes(embedder_path: Path) -> None:
    make = partial(load_with, "all-minilm-l6-v2", embedder_path, "onnx")
    with EmbedderPool(make, 2) as found:
        many = found.encode(TEXTS[:64])
        assert np.allclose(many, make(1).encode(TEXTS[:64]), atol=1e-5)
        assert found.id == make(1).id
