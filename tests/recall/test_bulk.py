"""Many files: what is read ahead is what would have been read."""

from __future__ import annotations

import concurrent.futures
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from localmem.errors import TranscriptError
from localmem.recall import bulk
from localmem.recall.bulk import Opened, Reading, Refused, opened, plan
from localmem.recall.readings import First
from localmem.transcripts import Event, Turn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(9):
        (tmp_path / f"{number}.txt").write_text(f"Ann: {number}\nBob: two\nAnn: three\n", encoding="utf-8")
    (tmp_path / "4.txt").write_text("# no transcript\n", encoding="utf-8")
    (tmp_path / "5.json").write_text('[{"role": "user", "content": "Hi"}, {"role": "u', encoding="utf-8")
    return tmp_path


class Threads(ThreadPoolExecutor):
    """In place of processes, which take a second to start."""

    def __init__(self, jobs: int, **_: Any) -> None:
        super().__init__(jobs)


class Dying(Threads):
    """Whose processes die after two files."""

    asked = 0

    def submit(self, call: Callable[..., Any], *arguments: Any, **_: Any) -> Future[Any]:  # type: ignore[override]
        self.asked += 1
        if self.asked == 3:
            raise BrokenExecutor
        future: Future[Any] = Future()
        if self.asked == 2:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(call(*arguments))
        return future


def read(source: Opened) -> tuple[list[Event], str]:
    events: list[Event] = []
    try:
        events.extend(source.events())
    except TranscriptError as error:
        return events, str(error)
    return events, ""


def everything(paths: list[str], jobs: int) -> list[Any]:
    found = []
    for item in opened(plan(paths), Reading(), jobs):
        if isinstance(item, Refused):
            found.append((item.path, str(item.error)))
        else:
            again = read(item)
            assert again == read(item)
            turns = sum(isinstance(event, Turn) for event in again[0])
            if item.found is not None:
                assert item.found.turns == turns
                assert str(item.found.error or "") == again[1]
            found.append((item.name, item.lasting, again))
    return found


@pytest.mark.parametrize("pool", [Threads, Dying])
@pytest.mark.parametrize("held", [bulk.HELD, 0])
def test_what_is_read_ahead_is_what_would_have_been_read(
    folder: Path, pool: type, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(folder / "1.txt"), "missing.txt", str(folder), str(folder / "1.txt")]
    expected = everything(paths, 1)
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", pool)
    monkeypatch.setattr(bulk, "HELD", held)
    assert everything(paths, 3) == expected
    assert len(expected) == 13


def test_of_small_files_that_were_read_ahead_it_is_told_before_their_turn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", Threads)
    told: list[str] = []

    def looked_at(name: str, found: First, events: list[Event]) -> None:
        assert found.turns == sum(isinstance(event, Turn) for event in events)
        told.append(name)

    for item in opened(plan([str(folder)]), Reading(), 3, looked_at):
        time.sleep(0.01)  # the threads are faster than that
        assert isinstance(item, Opened)
    files = sorted(map(str, folder.iterdir()))
    assert [name for name in files if name in told] == told
    assert len(told) >= len(files) - 2


@pytest.mark.slow
def test_other_processes_read(folder: Path) -> None:
    found = [item.found for item in opened(plan([str(folder)]), Reading(), 2) if isinstance(item, Opened)]
    assert len(found) == 10
    assert all(one is not None for one in found)


def test_no_process_is_started_for_one_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", None)
    (item,) = opened(plan([str(folder / "1.txt")]), Reading(), 4)
    assert isinstance(item, Opened)
    assert item.found is None


def test_a_writer_that_stops_ends_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    class Watched(Threads):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            ended.append(cancel_futures)
            super().shutdown(wait, cancel_futures=cancel_futures)

    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", Watched)
    reading = opened(plan([str(folder)]), Reading(), 2)
    next(reading)
    reading.close()
    assert ended == [True]
