from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.errors import EmbedderMismatchError, StoreError
from localmem.store import NewTurn, Store
from localmem.values import StoredTurn, Transcript, Turn
from tests.store.support import (
    DIMENSION,
    begin,
    key,
    new_thread,
    new_turn,
    new_turns,
    temporary_store,
    texts,
    vector,
)

UTC_PLUS_2 = timezone(timedelta(hours=2))


def test_a_turn_comes_back_as_it_went_in(store: Store) -> None:
    transcript = begin(store)
    turn = Turn("Zoë", "naïve ☂\n第二", datetime(2024, 5, 1, 9, 30, 0, 125), "D1:3", "session 1")
    [id] = store.add_turns(transcript, [NewTurn(key("a"), turn, vector("a"))], after=None)
    assert store.turns([id]) == [StoredTurn(id, transcript, 0, 0, turn)]


@pytest.mark.parametrize(
    "at",
    [None, datetime(2024, 10, 27, 2, 30), datetime(2024, 10, 27, 2, 30, tzinfo=UTC_PLUS_2), datetime.min],
)
def test_times_survive_naive_and_aware(store: Store, at: datetime | None) -> None:
    transcript = begin(store)
    [id] = store.add_turns(transcript, [new_turn("a", at=at)], after=None)
    [stored] = store.turns([id])
    assert stored.turn.at == at
    assert stored.turn.at is None or stored.turn.at.tzinfo == (at and at.tzinfo)


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("half \ud83d end", "half \ufffd end"),
        ("pair \ud83d\ude00", "pair 😀"),
        ("nul \0 end", "nul \ufffd end"),
        ("plain", "plain"),
    ],
)
def test_what_cannot_be_written_becomes_a_replacement_character(
    store: Store, given_text: str, kept: str
) -> None:
    transcript = begin(store, given_text)
    assert texts(store, transcript) == [kept]
    assert store.check() == []


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0")), max_size=6))
def test_any_text_survives(said: list[str]) -> None:
    with temporary_store() as store:
        transcript = begin(store)
        store.add_turns(transcript, [new_turn(text, name=str(n)) for n, text in enumerate(said)], after=None)
        assert texts(store, transcript) == said
        assert store.check() == []


def test_turns_are_appended_in_order(store: Store) -> None:
    transcript = begin(store, "a", "b")
    store.add_turns(transcript, new_turns("c", "d"), after=None)
    store.add_turns(transcript, new_turns("e"), after=3)
    assert texts(store, transcript) == ["a", "b", "c", "d", "e"]


def test_turns_go_between_and_before_others(store: Store) -> None:
    transcript = begin(store, "a", "b")
    store.add_turns(transcript, new_turns("x", "y"), after=0)
    store.add_turns(transcript, new_turns("first"), after=-1)
    assert texts(store, transcript) == ["first", "a", "x", "y", "b"]


def test_ids_are_returned_in_order_and_stay_when_turns_move(store: Store) -> None:
    transcript = begin(store)
    a, b = store.add_turns(transcript, new_turns("a", "b"), after=None)
    [x] = store.add_turns(transcript, new_turns("x"), after=0)
    assert [turn.turn.text for turn in store.turns([b, x, a, b])] == ["b", "x", "a", "b"]


def test_transcripts_do_not_move_each_other(store: Store) -> None:
    one, two = begin(store, "a", "b"), begin(store, "a", "b")
    store.add_turns(one, new_turns("x"), after=-1)
    assert (texts(store, one), texts(store, two)) == (["x", "a", "b"], ["a", "b"])


RUNS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4)), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(RUNS)
def test_any_sequence_of_insertions_keeps_the_order_of_a_list(runs: list[tuple[int, int]]) -> None:
    model: list[str] = []
    with temporary_store() as store:
        transcript = begin(store)
        for run, (place, count) in enumerate(runs):
            place = min(place, len(model))
            added = [f"run{run} turn{n}" for n in range(count)]
            store.add_turns(transcript, new_turns(*added), after=place - 1)
            model[place:place] = added
        assert texts(store, transcript) == model
        assert store.check() == []


@pytest.mark.parametrize("after", [-2, 2, 99])
def test_a_position_that_is_not_there_is_refused(store: Store, after: int) -> None:
    transcript = begin(store, "a", "b")
    with pytest.raises(StoreError, match="no turn at position"):
        store.add_turns(transcript, new_turns("x"), after=after)
    assert texts(store, transcript) == ["a", "b"]


def test_a_key_that_is_there_is_refused_and_nothing_is_added(store: Store) -> None:
    transcript = begin(store, "a", "b")
    with pytest.raises(StoreError, match="1 of the new turns"):
        store.add_turns(transcript, new_turns("x", "b"), after=None)
    assert texts(store, transcript) == ["a", "b"]


def test_one_key_twice_in_a_run_is_refused(store: Store) -> None:
    transcript = begin(store)
    with pytest.raises(StoreError, match="1 of the new turns"):
        store.add_turns(transcript, new_turns("x", "x"), after=None)


def test_two_transcripts_may_hold_one_key(store: Store) -> None:
    assert begin(store, "a") != begin(store, "a")


def test_a_transcript_that_is_not_there_is_refused(store: Store) -> None:
    store.bind_embedder("fake", DIMENSION)
    with pytest.raises(StoreError, match="no transcript 7"):
        store.add_turns(7, new_turns("a"), after=None)
    with pytest.raises(StoreError, match="no transcript 7"):
        store.transcript(7)


def test_adding_no_turns_changes_nothing(store: Store) -> None:
    transcript = begin(store, "a")
    before = store.stamp("turns")
    assert store.add_turns(transcript, [], after=None) == []
    assert store.stamp("turns") == before


def test_a_missing_turn_is_named(store: Store) -> None:
    begin(store, "a")
    with pytest.raises(StoreError, match="no turn 99"):
        store.turns([1, 99])
    with pytest.raises(StoreError, match="no turn 99"):
        store.vectors([99])


def test_more_ids_than_sql_takes_placeholders_work(store: Store) -> None:
    begin(store, "a", "b")
    assert len(store.turns([1, 2] * 50_000)) == 100_000


def test_a_stretch_is_read_by_position(store: Store) -> None:
    transcript = begin(store, "a", "b", "c", "d")
    assert [turn.turn.text for turn in store.turns_between(transcript, 1, 2)] == ["b", "c"]


def test_the_last_position_is_none_without_turns(store: Store) -> None:
    transcript = begin(store)
    assert store.last_position(transcript) is None
    store.add_turns(transcript, new_turns("a", "b"), after=None)
    assert store.last_position(transcript) == 1


def test_transcripts_tell_their_file_and_size(store: Store) -> None:
    one = begin(store, "a", "b")
    two = store.add_transcript("other", "vtt", "other.vtt")
    assert store.transcripts() == [
        Transcript(one, "talk", "plain", "talk.txt", 2),
        Transcript(two, "other", "vtt", "other.vtt", 0),
    ]
    store.set_source(one, "jsonl", "longer.jsonl")
    assert store.transcript(one) == Transcript(one, "talk", "jsonl", "longer.jsonl", 2)


def test_speakers_are_told_once_by_name(store: Store) -> None:
    assert store.speakers() == []
    transcript = begin(store)
    said = [Turn(name, "hi", None, "1") for name in ("Zoë", "Ann", "Zoë", "", "Bob")]
    new = [NewTurn(key(str(n)), turn, vector("v")) for n, turn in enumerate(said)]
    store.add_turns(transcript, new, after=None)
    assert store.speakers() == ["", "Ann", "Bob", "Zoë"]


def test_the_transcripts_that_hold_keys_are_told(store: Store) -> None:
    one, two = begin(store, "a", "b", "c"), begin(store, "c")
    begin(store, "z")
    assert store.holders([key(name) for name in "abbcq"], 9) == {
        key("a"): [one],
        key("b"): [one],
        key("c"): [one, two],
    }


def test_of_transcripts_that_hold_a_key_a_few_are_enough(store: Store) -> None:
    for _ in range(5):
        begin(store, "a")
    assert {name: len(held) for name, held in store.holders([key("a")], 3).items()} == {key("a"): 3}


def test_holders_are_told_of_any_number_of_keys(store: Store) -> None:
    transcript = begin(store, "7", "1234")
    wanted = [key(str(n)) for n in range(5000)]
    assert store.holders(wanted, 1) == {key("7"): [transcript], key("1234"): [transcript]}
    assert store.holders([], 1) == {}


def test_what_is_known_is_known_of_one_transcript(store: Store) -> None:
    one, two = begin(store, "a", "b"), begin(store, "b")
    assert store.known(one, [key("b"), key("q")]) == {key("b"): 1}
    assert store.known(two, [key("a"), key("b")]) == {key("b"): 0}


def test_transcripts_are_found_by_name_and_file(store: Store) -> None:
    wanted = [store.add_transcript("talk", "plain", "talk.txt") for _ in range(3)]
    store.add_transcript("talk", "plain", "other.txt")
    store.add_transcript("other", "plain", "talk.txt")
    assert store.named("talk", "talk.txt", 2) == wanted[:0:-1]


def test_known_keys_have_the_positions_of_their_transcript(store: Store) -> None:
    begin(store, "b", "a")
    transcript = begin(store, "a", "b", "c")
    assert store.known(transcript, [key("c"), key("a"), key("q")]) == {key("a"): 0, key("c"): 2}


def test_vectors_come_back_in_the_order_asked_for(store: Store) -> None:
    begin(store, "a", "b", "c")
    assert np.array_equal(store.vectors([3, 1]), [vector("c"), vector("a")])
    assert store.vectors([]).shape == (0, DIMENSION)


def test_all_vectors_are_by_id_whatever_the_position(store: Store) -> None:
    transcript = begin(store, "a", "b")
    store.add_turns(transcript, new_turns("x"), after=-1)
    ids, vectors = store.all_vectors()
    assert ids.tolist() == store.turn_ids().tolist() == [1, 2, 3]
    assert np.array_equal(vectors, [vector("a"), vector("b"), vector("x")])
    assert (ids.dtype, vectors.dtype) == (np.int64, np.float32)


def test_all_vectors_of_more_than_one_chunk(store: Store) -> None:
    names = [str(n) for n in range(5000)]
    begin(store, *names)
    ids, vectors = store.all_vectors()
    assert np.array_equal(ids, np.arange(1, 5001))
    assert np.array_equal(vectors[4999], vector("4999"))


def test_an_empty_memory_has_no_vectors(store: Store) -> None:
    ids, vectors = store.all_vectors()
    assert (ids.shape, vectors.shape) == ((0,), (0, 0))


@pytest.mark.parametrize(
    "bad",
    [np.ones(DIMENSION + 1, np.float32), np.ones((1, DIMENSION), np.float32), np.full(DIMENSION, np.nan)],
)
def test_a_vector_that_does_not_fit_is_refused(store: Store, bad: np.ndarray) -> None:  # type: ignore[type-arg]
    transcript = begin(store, "a")
    with pytest.raises(StoreError, match="vector"):
        store.add_turns(transcript, [NewTurn(key("x"), Turn("A", "x", None, "1"), bad)], after=None)
    assert texts(store, transcript) == ["a"]


def test_vectors_need_an_embedder(store: Store) -> None:
    transcript = store.add_transcript("talk", "plain", "talk.txt")
    with pytest.raises(StoreError, match="does not know its embedder"):
        store.add_turns(transcript, new_turns("a"), after=None)


def test_the_embedder_is_bound_once(store: Store, path: Path) -> None:
    store.bind_embedder("one", 4)
    store.bind_embedder("one", 4)
    with Store.open(path) as other, pytest.raises(EmbedderMismatchError, match="vectors of one") as caught:
        other.bind_embedder("two", 4)
    assert "LOCALMEM_EMBEDDER=one" in caught.value.hint


def test_another_dimension_is_another_embedder(store: Store) -> None:
    store.bind_embedder("one", 4)
    with pytest.raises(EmbedderMismatchError):
        store.bind_embedder("one", 8)


def test_comparing_the_embedder_binds_none(store: Store) -> None:
    store.check_embedder("one", 4)
    assert store.meta("embedder") is None
    store.bind_embedder("two", 4)
    with pytest.raises(EmbedderMismatchError, match="vectors of two"):
        store.check_embedder("one", 4)


def test_notes_are_kept_by_name(store: Store) -> None:
    assert store.meta("colour") is None
    store.set_meta("colour", "red")
    store.set_meta("colour", "blue")
    assert store.meta("colour") == "blue"


def test_the_stamp_of_turns_changes_when_turns_are_added(store: Store) -> None:
    transcript = begin(store, "a")
    before = (store.stamp("turns"), store.stamp("threads"))
    store.add_turns(transcript, new_turns("b"), after=None)
    assert store.stamp("turns") != before[0]
    assert store.stamp("threads") == before[1]


def test_the_stamp_of_threads_changes_when_threads_do(store: Store) -> None:
    transcript = begin(store, "a")
    before = (store.stamp("turns"), store.stamp("threads"))
    store.replace_threads(transcript, 0, [new_thread(0, 0)])
    assert store.stamp("turns") == before[0]
    assert store.stamp("threads") != before[1]


def test_a_stamp_seen_in_a_transaction_that_failed_never_comes_back(store: Store) -> None:
    transcript = begin(store, "a")
    before = store.stamp("turns")
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.add_turns(transcript, new_turns("b"), after=None)
        undone = store.stamp("turns")
        raise ZeroDivisionError
    assert store.stamp("turns") == before
    store.add_turns(transcript, new_turns("c"), after=None)
    assert store.stamp("turns") not in (before, undone)


def test_two_memories_have_different_stamps(store: Store, tmp_path: Path) -> None:
    with Store.open(tmp_path / "other.db") as other:
        assert store.stamp("turns") != other.stamp("turns")


def test_stats_count_what_is_there(store: Store, path: Path) -> None:
    transcript = begin(store, "a", "b", "c")
    store.replace_threads(transcript, 0, [new_thread(0, 1), new_thread(2, 2)])
    stats = store.stats()
    assert (stats.transcripts, stats.turns, stats.threads) == (1, 3, 2)
    assert (stats.indexed_turns, stats.indexed_threads) == (3, 2)
    assert (stats.path, stats.embedder, stats.dimension) == (str(path), "fake", DIMENSION)
    assert stats.bytes == sum(file.stat().st_size for file in path.parent.iterdir())


def test_vectors_after_an_id_come_in_order_and_some_at_a_time(store: Store) -> None:
    begin(store, "a", "b", "c", "d", "e")
    ids = store.turn_ids().tolist()
    found, vectors = store.vectors_after(ids[1], 2)
    assert found.tolist() == ids[2:4]
    assert vectors.tolist() == store.vectors(ids[2:4]).tolist()
    assert store.vectors_after(ids[-1], 2)[0].tolist() == []


def test_ids_and_their_number_are_told_without_the_rows(store: Store) -> None:
    begin(store, "a", "b", "c")
    assert store.all_ids("turn").tolist() == store.turn_ids().tolist()
    assert store.all_ids("turn", 1).tolist() == store.turn_ids().tolist()[1:]
    assert (store.number_of("turn"), store.number_of("thread")) == (3, 0)
