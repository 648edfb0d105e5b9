"""Ingests that are killed, and several processes on one memory."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path

import pytest

from localmem.memory import Memory
from localmem.store import Store
from tests.fakes import HashingEmbedder, ScriptedModel
from tests.recall.processes import start
from tests.recall.support import stored_threads, stored_turns

pytestmark = pytest.mark.slow

TURNS = 3000
KILLS = 20


def write_talk(path: Path, turns: int, *, topic: str = "topic") -> Path:
    lines = [
        f"[2025-{1 + n // 1500:02}-{1 + n // 60 % 25:02} 10:{n % 60:02}] {'Ann' if n % 2 else 'Bob'}:"
        f" Word{n} about {topic}{n // 7}, said at {n}."
        for n in range(turns)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def opened(path: Path) -> Memory:
    return Memory(Store.open(path), embedder=HashingEmbedder, model=ScriptedModel)


def content(path: Path) -> list[tuple[str, list[object], list[tuple[int, int, str]]]]:
    """Name, turns and threads of every transcript of a sound memory."""
    with Store.open(path, create=False) as store:
        assert store.check() == []
        return [
            (transcript.name, list(stored_turns(store, transcript.id)), stored_threads(store, transcript.id))
            for transcript in store.transcripts()
        ]


def test_an_ingest_that_is_killed_at_any_moment_can_be_finished(tmp_path: Path) -> None:
    """Kill -9, again and again into one memory, and finish it; then begin with a new one."""
    file = write_talk(tmp_path / "talk.txt", TURNS)
    with opened(tmp_path / "undisturbed.db") as memory:
        memory.ingest(file)
    undisturbed = content(tmp_path / "undisturbed.db")
    assert len(undisturbed[0][1]) == TURNS
    rng = random.Random(20)
    kills = partial = 0
    for round in range(100):
        path = tmp_path / f"killed{round}.db"
        for _ in range(rng.randrange(1, 6)):
            process = start(path, 0.02, "ingest", file)
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0.0, 0.9))
            process.kill()
            process.communicate()
            kills += process.returncode == -9
            with sqlite3.connect(path) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            connection.close()
            found = content(path)
            assert len(found) <= 1
            for _, turns, _ in found:
                assert turns == undisturbed[0][1][: len(turns)]
                partial += 0 < len(turns) < TURNS
        with opened(path) as memory:
            memory.ingest(file)
        assert content(path) == undisturbed
        if kills >= KILLS:
            break
    assert kills >= KILLS
    assert partial >= KILLS // 4


def test_two_ingests_and_searches_at_the_same_time_succeed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    files = [write_talk(tmp_path / f"{name}.txt", 600, topic=name) for name in ("boats", "bread")]
    with opened(path) as memory:
        memory.ingest(write_talk(tmp_path / "first.txt", 50, topic="first"))
    processes = [start(path, 0.03, "ingest", file) for file in files]
    processes += [start(path, 0.0, "search", "Who spoke about boats3?") for _ in range(2)]
    ended = [(process.communicate(), process.returncode) for process in processes]
    assert [code for _, code in ended] == [0] * 4, ended
    assert [out.splitlines()[1] for (out, _), _ in ended[:2]] == ["done [600]"] * 2
    assert all(out.splitlines()[1].startswith("done ") for (out, _), _ in ended[2:])
    with opened(tmp_path / "apart.db") as memory:
        memory.ingest(tmp_path / "first.txt", *files)
    assert sorted(content(path)) == sorted(content(tmp_path / "apart.db"))


def test_two_ingests_of_one_file_at_the_same_time_add_every_turn_once(tmp_path: Path) -> None:
    path, file = tmp_path / "memory.db", write_talk(tmp_path / "talk.txt", 1500)
    processes = [start(path, 0.03, "ingest", file) for _ in range(2)]
    ended = [(process.communicate(), process.returncode) for process in processes]
    assert [code for _, code in ended] == [0, 0], ended
    with opened(tmp_path / "alone.db") as memory:
        memory.ingest(file)
    assert content(path) == content(tmp_path / "alone.db")


def test_a_search_between_the_batches_of_an_ingest_finds_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    process = start(path, 0.05, "ingest", write_talk(tmp_path / "talk.txt", 1500))
    with opened(path) as memory:
        while not (before := memory.stats().turns):
            assert process.poll() is None
        units = memory.search("Word3 about topic0").units
        assert before < 1500
    assert units[0].turn.text.startswith("Word")
    out, _ = process.communicate()
    assert out == "ready\ndone [1500]\n"
