"""Files into a memory: what is new is added once, in the file's order, whatever happened before."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from localmem.errors import EmbedderError, EmbedderMismatchError, TranscriptError
from localmem.recall.ingest import Ingest
from localmem.recall.readings import BATCH, REPORTED_SKIPS
from localmem.recall.readings import first as survey
from localmem.store import Store
from localmem.transcripts import Conversation, Event, Note
from localmem.values import FileReport, Skipped, Turn
from tests.fakes import HashingEmbedder
from tests.recall.support import NOON, events, ingest, stored_threads, stored_turns, talk, turn


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as store:
        yield store


class Failing(HashingEmbedder):
    """Fails at the calls of these numbers."""

    def __init__(self, *calls: int) -> None:
        super().__init__()
        self.calls = 0
        self.failing = calls

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls in self.failing:
            raise EmbedderError("the lights went out")
        return super().encode(texts)


def counts(report: FileReport) -> tuple[int, int, int]:
    return report.added, report.known, report.skipped_count


def broken_off(turns: Sequence[Event]) -> Iterator[Event]:
    yield Conversation("talk", "jsonl")
    yield from turns
    raise TranscriptError("talk.txt, line 9: the file breaks off", hint="Export it again.")


def mixed(first: Sequence[Turn], second: Sequence[Turn]) -> list[Event]:
    """Two conversations, turn by turn."""
    out: list[Event] = []
    for a, b in zip(first, second, strict=True):
        out += (Conversation("one", "jsonl"), a, Conversation("two", "jsonl"), b)
    return out


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


def test_a_longer_export_adds_the_rest_to_the_same_transcript(store: Store) -> None:
    ingest(store, talk(200))
    (report,) = ingest(store, talk(500), path="newer.txt", name="newer")
    assert counts(report) == (300, 200, 0)
    assert stored_turns(store, 1) == talk(500)
    assert report.transcript == "talk"
    assert store.transcript(1).path == "newer.txt"


def test_a_newer_window_of_a_chat_adds_its_end(store: Store) -> None:
    ingest(store, talk(300))
    ingest(store, talk(200, start=150))
    assert stored_turns(store, 1) == talk(350)


def test_an_older_window_of_a_chat_goes_to_the_front(store: Store) -> None:
    ingest(store, talk(300, start=150))
    ingest(store, talk(350))
    assert stored_turns(store, 1) == talk(450)


def test_a_longer_export_ends_with_the_threads_of_one_reading(store: Store, tmp_path: Path) -> None:
    for end in (7, 50, 51, 190, 400):
        ingest(store, talk(end))
    with Store.open(tmp_path / "once.db") as once:
        ingest(once, talk(400))
        assert stored_threads(store, 1) == stored_threads(once, 1)


def test_another_conversation_is_another_transcript(store: Store) -> None:
    ingest(store, talk(20))
    ingest(store, talk(20, start=1000), name="other")
    assert [transcript.turns for transcript in store.transcripts()] == [20, 20]


def test_two_short_files_that_begin_alike_are_two_transcripts(store: Store) -> None:
    ingest(store, [turn("Hi"), turn("Hello", "Bob"), turn("The cat is ill.")])
    ingest(store, [turn("Hi"), turn("Hello", "Bob"), turn("We won!")], name="other")
    assert [transcript.turns for transcript in store.transcripts()] == [3, 3]


def test_a_short_transcript_with_times_that_grows_is_continued(store: Store) -> None:
    dated = [replace(one, at=NOON) for one in talk(5)]
    ingest(store, dated[:2])
    (report,) = ingest(store, dated)
    assert counts(report) == (3, 2, 0)
    assert len(store.transcripts()) == 1


def test_of_many_chats_with_the_same_boilerplate_each_is_known_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than are looked at for one turn, and than are compared."""
    monkeypatch.setattr("localmem.recall.ingest.COMMON", 3)
    monkeypatch.setattr("localmem.recall.ingest.LIKELY", 2)
    chats = [[turn("hi"), turn("Hello!", "You"), turn(f"About {n}"), turn("bye")] for n in range(12)]
    for number, chat in enumerate(chats):
        ingest(store, chat, name=f"chat {number}")
    assert len(store.transcripts()) == 12
    for chat in chats:
        (report,) = ingest(store, chat, name="copy", path="copy.txt")
        assert counts(report) == (0, 4, 0)
    nothing_of_its_own = [turn("hi"), turn("Hello!", "You")]
    ingest(store, nothing_of_its_own, name="short", path="short.txt")
    (report,) = ingest(store, nothing_of_its_own, name="short", path="short.txt")
    assert counts(report) == (0, 2, 0)


@pytest.mark.parametrize(("path", "lasting", "transcripts"), [("a\udc80.txt", True, 1), ("-", False, 2)])
def test_a_short_file_that_grows_is_known_by_its_path_and_a_pipe_is_not(
    store: Store, path: str, lasting: bool, transcripts: int
) -> None:
    for count in (1, 4):
        turns = [turn(f"y{n}") for n in range(count)]
        Ingest(store, HashingEmbedder()).file(path, events(turns, path), lasting=lasting)
    assert len(store.transcripts()) == transcripts


def test_a_pipe_does_not_take_the_place_of_the_file_that_a_transcript_was_read_from(store: Store) -> None:
    for path, lasting in (("talk.txt", True), ("/dev/fd/63", False)):
        Ingest(store, HashingEmbedder()).file(path, events(talk(5)), lasting=lasting)
    assert store.transcript(1).path == "talk.txt"


def test_equal_conversations_under_two_names_are_one(store: Store) -> None:
    turns = talk(10)
    file = [*turns, Conversation("copy", "plain"), *turns]
    first, second = ingest(store, file)
    assert (counts(first), counts(second)) == ((10, 0, 0), (0, 10, 0))
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


def inserted(turns: list[Turn], places: list[int]) -> list[Turn]:
    """The turns with a new one before each of these places."""
    out = list(turns)
    for number, place in enumerate(sorted(places, reverse=True)):
        out.insert(min(place, len(out)), turn(f"Inserted {number}.", "Cleo"))
    return out


def check_edit(before: list[Turn], after: list[Turn]) -> None:
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "memory.db") as store:
        ingest(store, before)
        (report,) = ingest(store, after)
        assert counts(report) == (len(after) - len(before), len(before), 0)
        assert stored_turns(store, 1) == after
        stored_threads(store, 1)
        assert store.check() == []


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(5, 300), st.lists(st.integers(0, 300), min_size=1, max_size=30))
def test_turns_put_into_an_export_land_in_the_order_of_the_file(count: int, places: list[int]) -> None:
    before = talk(count)
    check_edit(before, inserted(before, places))


@pytest.mark.parametrize("place", [0, 1, BATCH - 1, BATCH, BATCH + 1, 299, 300])
@pytest.mark.parametrize("many", [1, BATCH, 2 * BATCH + 3])
def test_a_run_put_into_an_export_lands_in_the_order_of_the_file(place: int, many: int) -> None:
    before = talk(300)
    check_edit(before, [*before[:place], *talk(many, start=5000), *before[place:]])


def test_turns_that_a_newer_export_has_no_longer_stay(store: Store) -> None:
    ingest(store, talk(50))
    ingest(store, [*talk(20), *talk(40, start=30)])
    assert stored_turns(store, 1) == talk(70)


def with_thanks(turns: list[Turn], *places: int) -> list[Turn]:
    """The talk with equal turns before the turns at these places."""
    out = list(turns)
    for place in sorted(places, reverse=True):
        out.insert(place, turn("Thanks!"))
    return out


def test_an_equal_turn_in_a_newer_window_does_not_draw_the_rest_to_the_earlier_one(store: Store) -> None:
    """The window's first "Thanks!" is the second of the chat, which the window cannot know."""
    ingest(store, with_thanks(talk(50), 3))
    ingest(store, with_thanks(talk(40, start=30), 30))
    assert [one for one in stored_turns(store, 1) if one.text != "Thanks!"] == talk(70)


def test_an_equal_turn_put_in_earlier_does_not_draw_others_to_the_later_one(store: Store) -> None:
    ingest(store, with_thanks(talk(100), 90))
    ingest(store, inserted(with_thanks(talk(100), 10, 90), [12, 40]))
    rest = [one for one in stored_turns(store, 1) if one.text != "Thanks!"]
    assert rest == inserted(talk(100), [11, 39])


# Vectors that are begun before they are needed.


class Beginning(HashingEmbedder):
    """Notes what was begun, and for whom."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: dict[str, list[str]] = {}
        self.released: list[str] = []

    def ahead(self, owner: str, texts: Iterable[str]) -> bool:
        self.begun.setdefault(owner, []).extend(texts)
        return True

    def release(self, owner: str) -> None:
        self.released.append(owner)


@given(
    first=st.lists(st.integers(0, 30), max_size=40),
    second=st.lists(st.integers(0, 30), max_size=40),
    prepared=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_vectors_that_are_begun_ahead_change_nothing(
    first: list[int], second: list[int], prepared: bool
) -> None:
    files = [[turn(f"Word{n} of topic{n // 5}.") for n in numbers] for numbers in (first, second) if numbers]
    with TemporaryDirectory() as folder:
        stores = [Store.open(Path(folder, f"{name}.db")) for name in "ab"]
        for turns in files:
            embedder = Beginning()
            ahead = Ingest(stores[1], embedder, ahead=embedder)
            if prepared:
                ahead.prepare("talk.txt", survey(events(turns)), turns)
            expected = Ingest(stores[0], HashingEmbedder()).file("talk.txt", events(turns))
            found = ahead.file("talk.txt", events(turns))
            assert [counts(report) for report in found] == [counts(report) for report in expected]
            assert embedder.released == ["talk.txt"]
        tables = ("turn", "thread", "turn_vector", "thread_vector")
        rows = [[list(store._run(f"SELECT * FROM {table}")) for table in tables] for store in stores]
        assert rows[0] == rows[1]
        for store in stores:
            store.close()


def test_only_what_is_not_known_is_begun_ahead(store: Store) -> None:
    ingest(store, talk(200))
    embedder = Beginning()
    ahead = Ingest(store, embedder, ahead=embedder)
    longer = events(talk(300))
    ahead.prepare("talk.txt", survey(longer), talk(300))
    assert embedder.begun == {"talk.txt": [f"{one.speaker}: {one.text}" for one in talk(300)[200:]]}
    embedder.begun.clear()
    assert [counts(report) for report in ahead.file("talk.txt", longer)] == [(100, 200, 0)]
    assert sorted(set(embedder.begun["talk.txt"])) == sorted(set(embedder.encoded))
