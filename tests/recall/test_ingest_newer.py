"""Newer and older exports of what is known: each turn once, in the order of the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.recall.ingest import Ingest
from localmem.recall.readings import BATCH
from localmem.store import Store
from localmem.transcripts import Conversation
from localmem.values import Turn
from tests.fakes import HashingEmbedder
from tests.recall.files import counts
from tests.recall.support import NOON, events, ingest, stored_threads, stored_turns, talk, turn


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
