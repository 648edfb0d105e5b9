"""Files into a memory: what is new is added once, in the file's order, whatever happened before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from localmem.errors import EmbedderMismatchError, TranscriptError
from localmem.recall.ingest import Ingest
from localmem.recall.readings import BATCH, REPORTED_SKIPS
from localmem.store import Store
from localmem.transcripts import Event, Note
from localmem.values import Skipped
from tests.fakes import HashingEmbedder
from tests.recall.files import Failing, counts, mixed
from tests.recall.support import events, ingest, stored_threads, stored_turns, talk, turn


def test_a_new_file_becomes_a_transcript_with_all_its_turns(store: Store) -> None:
    turns = talk(300)
    (report,) = ingest(store, turns)
    assert counts(report) == (300, 0, 0)
    assert stored_turns(store, 1) == turns
    assert report.threads == len(stored_threads(store, 1))
    transcript = store.transcript(1)
    assert (transcript.name, transcript.format, transcript.path) == ("talk", "plain", "talk.txt")


def test_ingesting_again_adds_nothing(store: Store) -> None:
    ingest(store, talk(300))
    before = stored_threads(store, 1), store.stamp("turns"), store.stamp("threads")
    (report,) = ingest(store, talk(300))
    assert counts(report) == (0, 300, 0)
    assert len(store.transcripts()) == 1
    assert (stored_threads(store, 1), store.stamp("turns"), store.stamp("threads")) == before


def test_ingesting_again_encodes_nothing(store: Store) -> None:
    ingest(store, talk(300))
    embedder = HashingEmbedder()
    ingest(store, talk(300), embedder=embedder)
    assert embedder.encoded == []


def test_a_file_that_repeats_itself_adds_nothing_the_second_time(store: Store) -> None:
    """A chat without times is full of turns that are equal."""
    turns = [turn("Ok."), turn("Thanks!", "Bob")] * 100 + [turn("Bye.")]
    ingest(store, turns)
    (report,) = ingest(store, turns)
    assert counts(report) == (0, 201, 0)
    assert stored_turns(store, 1) == turns
    assert len(store.transcripts()) == 1


def test_conversations_that_are_mixed_in_a_file_are_kept_apart(store: Store) -> None:
    one, two = talk(300), talk(300, start=5000)
    reports = Ingest(store, HashingEmbedder()).file("mixed.jsonl", lambda: iter(mixed(one, two)))
    assert [(report.transcript, report.added) for report in reports] == [("one", 300), ("two", 300)]
    assert [stored_turns(store, id) for id in (1, 2)] == [one, two]


def test_conversations_that_are_mixed_in_a_file_are_encoded_in_batches(store: Store) -> None:
    embedder = Failing()
    one, two = talk(300), talk(300, start=5000)
    Ingest(store, embedder).file("mixed.jsonl", lambda: iter(mixed(one, two)))
    assert embedder.calls == 2 * -(-300 // BATCH)


def test_a_file_of_which_nothing_became_a_turn_is_an_error(store: Store) -> None:
    (report,) = ingest(store, [Skipped("line 1", "empty text")])
    assert (counts(report), len(report.skipped)) == ((0, 0, 1), 1)
    assert report.error == "talk.txt: no turn was found in it"
    assert report.hint


def test_a_file_that_cannot_be_read_at_all_changes_nothing(store: Store) -> None:
    def nothing() -> Iterator[Event]:
        raise TranscriptError("talk.txt: no such file")
        yield

    (report,) = Ingest(store, HashingEmbedder()).file("talk.txt", nothing)
    assert (report.error, report.format) == ("talk.txt: no such file", "")
    assert store.transcripts() == []


def test_what_was_skipped_is_counted_and_the_first_reasons_are_kept(store: Store) -> None:
    skipped = [Skipped(f"line {n}", "empty text") for n in range(REPORTED_SKIPS + 5)]
    (report,) = ingest(store, [*talk(3), *skipped])
    assert counts(report) == (3, 0, REPORTED_SKIPS + 5)
    assert report.skipped == tuple(skipped[:REPORTED_SKIPS])


def test_a_note_about_the_file_is_a_warning(store: Store) -> None:
    (report,) = ingest(store, [Note("no turn has a time"), *talk(3)])
    assert report.warnings == ("no turn has a time",)


def test_a_conversation_without_turns_makes_no_transcript(store: Store) -> None:
    (report,) = ingest(store, [])
    assert counts(report) == (0, 0, 0)
    assert store.transcripts() == []


def test_progress_is_told_after_each_batch(store: Store) -> None:
    told: list[tuple[int, int]] = []
    Ingest(store, HashingEmbedder()).file(
        "talk.txt", events(talk(300)), progress=lambda done, total: told.append((done, total))
    )
    assert told == [(BATCH, 300), (2 * BATCH, 300), (300, 300)]


def test_vectors_of_another_embedder_are_refused(store: Store) -> None:
    ingest(store, talk(3))
    with pytest.raises(EmbedderMismatchError):
        ingest(store, talk(5), embedder=HashingEmbedder(32, id="another"))
    assert stored_turns(store, 1) == talk(3)


def test_every_turn_has_the_vector_of_its_own_text(store: Store) -> None:
    ingest(store, talk(300))
    ingest(store, talk(400))
    stored = store.turns_between(1, 0, 1 << 40)
    expected = HashingEmbedder().encode([f"{one.turn.speaker}: {one.turn.text}" for one in stored])
    assert np.array_equal(store.vectors([one.id for one in stored]), expected)
