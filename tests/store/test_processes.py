"""Several processes on one memory, and processes that are killed."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from localmem.store import Store
from tests.store.support import begin

RUN = 7
"""Turns that a writer adds in one transaction."""

WRITER = f"""
import sys
from pathlib import Path
from localmem.store import Store
from tests.store.support import new_thread, new_turns
with Store.open(Path(sys.argv[1])) as store:
    transcript = store.add_transcript(sys.argv[2], "plain", "")
    for run in range(int(sys.argv[3])):
        new = new_turns(*(f"turn {{n}} of run {{run}}" for n in range({RUN})))
        with store.transaction():
            store.add_turns(transcript, new[:3], after=None)
            first = run * {RUN}
            store.add_turns(transcript, new[3:], after=first + 2)
            store.replace_threads(transcript, first, [new_thread(first, first + {RUN} - 1)])
        print(run + 1, flush=True)
"""


def writer(path: Path, name: str, runs: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(runs)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def whole_runs(store: Store, transcript: int) -> int:
    """How many runs a transcript has; fails if one of them is there in part."""
    turns = store.turns_between(transcript, 0, 1 << 40)
    threads = store.threads_of(transcript)
    assert [thread.turns for thread in threads] == [RUN] * len(threads)
    expected = [
        (f"turn {n} of run {run}", threads[run].id) for run in range(len(threads)) for n in range(RUN)
    ]
    assert [(turn.turn.text, turn.thread) for turn in turns] == expected
    return len(threads)


@pytest.mark.slow
def test_two_processes_write_while_one_reads(path: Path) -> None:
    with Store.open(path) as store:
        begin(store)
        writers = [writer(path, name, 60) for name in ("one", "two")]
        for process in writers:
            assert process.stdout is not None
            assert process.stdout.readline() == "1\n"
        running = True
        while running:
            running = any(process.poll() is None for process in writers)
            with store.snapshot():
                ids, vectors = store.all_vectors()
                found = store.search_words(["turn"], 10_000)
                assert len(ids) == len(vectors) == len(found) == store.stats().turns
                assert np.isfinite(vectors).all()
                assert len(ids) % RUN == 0
        for process in writers:
            process.communicate()
        assert [process.returncode for process in writers] == [0, 0]
        assert [whole_runs(store, transcript) for transcript in (2, 3)] == [60, 60]
        assert store.check() == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_killed_writer_leaves_whole_transactions_only(path: Path, seed: int) -> None:
    with Store.open(path) as store:
        begin(store)
    process = writer(path, "killed", 100_000)
    assert process.stdout is not None
    done = 0
    for _ in range(random.Random(seed).randrange(0, 40)):
        done = int(process.stdout.readline())
    process.kill()
    rest, _ = process.communicate()
    done = int(rest.split()[-1]) if rest.split() else done
    with Store.open(path, create=False) as store:
        assert store.check() == []
        transcripts = store.transcripts()
        assert len(transcripts) > 1 or done == 0
        for transcript in transcripts[1:]:
            assert whole_runs(store, transcript.id) in (done, done + 1)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_process_killed_while_it_makes_a_memory_leaves_one_that_opens(path: Path, seed: int) -> None:
    process = writer(path, "killed", 0)
    spins = random.Random(seed).randrange(0, 2000)
    while not path.exists():
        pass
    for _ in range(spins):
        path.exists()
    process.kill()
    process.communicate()
    with Store.open(path) as store:
        assert store.check() == []
        assert store.stats().turns == 0
