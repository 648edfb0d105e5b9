"""Files that change, break off or are interrupted while they are read."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from localmem.errors import EmbedderError, TranscriptError
from localmem.recall.ingest import Ingest
from localmem.recall.readings import BATCH
from localmem.store import Store
from localmem.transcripts import Conversation, Event
from localmem.values import FileReport, Turn
from tests.fakes import HashingEmbedder
from tests.recall.files import Failing, broken_off, counts, mixed
from tests.recall.support import events, ingest, stored_threads, stored_turns, talk, turn


@pytest.mark.parametrize("call", range(1, 7))
def test_a_file_of_mixed_conversations_that_was_interrupted_can_be_finished(store: Store, call: int) -> None:
    one, two = talk(300), talk(300, start=5000)
    file = mixed(one, two)
    with pytest.raises(EmbedderError):
        Ingest(store, Failing(call)).file("mixed.jsonl", lambda: iter(file))
    Ingest(store, HashingEmbedder()).file("mixed.jsonl", lambda: iter(file))
    ids = {transcript.name: transcript.id for transcript in store.transcripts()}
    assert len(store.transcripts()) == 2
    assert [stored_turns(store, ids[name]) for name in ("one", "two")] == [one, two]


def test_a_file_that_breaks_off_keeps_what_was_before(store: Store) -> None:
    turns = talk(200)
    (report,) = Ingest(store, HashingEmbedder()).file("talk.txt", lambda: broken_off(turns))
    assert (report.error, report.hint) == ("talk.txt, line 9: the file breaks off", "Export it again.")
    assert counts(report) == (200, 0, 0)
    assert stored_turns(store, 1) == turns


def test_a_file_that_broke_off_is_continued_when_it_is_whole(store: Store) -> None:
    Ingest(store, HashingEmbedder()).file("talk.txt", lambda: broken_off(talk(200)))
    ingest(store, talk(300))
    assert stored_turns(store, 1) == talk(300)


def ingest_readings(store: Store, *readings: Iterator[Event]) -> FileReport:
    """Ingest a file that is another one at each reading."""
    waiting = list(readings)
    (report,) = Ingest(store, HashingEmbedder()).file("talk.txt", lambda: waiting.pop(0))
    return report


def reading(turns: Sequence[Event]) -> Iterator[Event]:
    return events(turns)()


def failing() -> Iterator[Event]:
    raise TranscriptError("talk.txt: No such file or directory")
    yield


def other_conversation() -> Iterator[Event]:
    return events(talk(200), "another")()


CHANGES: dict[str, tuple[Callable[[], Iterator[Event]], int]] = {
    "deleted": (failing, 0),
    "emptied": (lambda: reading([]), 0),
    "another": (other_conversation, 0),
    "replaced": (lambda: reading(talk(200, start=1000)), 0),
    "shorter": (lambda: reading(talk(150)), 150),
    "broken off": (lambda: broken_off(talk(150)), 150),
    "changed inside": (lambda: reading([*talk(150), turn("Not this."), *talk(49, start=151)]), 150),
    "changed at the start": (lambda: reading([turn("Not this."), *talk(199, start=1)]), 0),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_is_less_at_the_second_reading_is_an_error_and_what_was_the_same_is_kept(
    store: Store, change: str
) -> None:
    second, kept = CHANGES[change]
    report = ingest_readings(store, reading(talk(200)), second())
    assert report.error is not None
    assert f"{200 - kept} of 200 turns" in report.error
    assert report.hint
    assert counts(report) == (kept, 0, 0)
    assert [stored_turns(store, one.id) for one in store.transcripts()] == ([talk(kept)] if kept else [])


def test_why_the_second_reading_failed_is_told(store: Store) -> None:
    report = ingest_readings(store, reading(talk(9)), failing())
    assert str(report.error).endswith("were not there any more (No such file or directory)")


def test_only_the_conversation_that_has_changed_has_an_error(store: Store) -> None:
    one, two = talk(5), talk(5, start=100)
    waiting = [mixed(one, two), [*mixed(one[:4], two[:4]), Conversation("one", "jsonl"), one[4]]]
    first, second = Ingest(store, HashingEmbedder()).file("mixed.jsonl", lambda: iter(waiting.pop(0)))
    assert (first.error, first.added) == (None, 5)
    assert second.error is not None
    assert second.added == 4


@pytest.mark.parametrize(
    "grown",
    [talk(260), [*talk(199), turn("The last one was not whole.")]],
    ids=["longer", "a whole last turn"],
)
def test_a_file_that_has_grown_at_the_second_reading_is_fine_and_the_rest_comes_next_time(
    store: Store, grown: list[Turn]
) -> None:
    report = ingest_readings(store, reading(talk(200)), reading(grown))
    assert report.error is None
    assert any("grew" in warning for warning in report.warnings)
    ingest(store, grown)
    assert stored_turns(store, 1) == grown


@pytest.mark.parametrize("seed", range(8))
def test_an_interrupted_ingest_that_is_finished_equals_an_undisturbed_one(
    store: Store, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    turns = talk(rng.randrange(400, 900))
    for _ in range(rng.randrange(1, 4)):
        try:
            ingest(store, turns, embedder=Failing(rng.randrange(1, 4)))
        except EmbedderError:
            assert len(stored_turns(store, 1)) % BATCH == 0 if store.transcripts() else True
            assert store.check() == []
    ingest(store, turns)
    with Store.open(tmp_path / "undisturbed.db") as undisturbed:
        ingest(undisturbed, turns)
        assert stored_turns(store, 1) == stored_turns(undisturbed, 1)
        assert stored_threads(store, 1) == stored_threads(undisturbed, 1)
        assert len(store.transcripts()) == 1
