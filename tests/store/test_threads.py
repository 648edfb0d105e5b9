from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from localmem.errors import StoreError
from localmem.store import NewThread, Store
from localmem.values import Thread
from tests.store.support import begin, new_thread, new_turn, new_turns, vector


def spans(store: Store, transcript: int) -> list[tuple[int, int]]:
    return [(thread.first, thread.last) for thread in store.threads_of(transcript)]


def threads_of_turns(store: Store, transcript: int) -> list[int]:
    return [turn.thread for turn in store.turns_between(transcript, 0, 99)]


def test_a_thread_comes_back_with_its_size_and_first_time(store: Store) -> None:
    transcript = begin(store, "a")
    morning, noon = datetime(2024, 5, 1, 9), datetime(2024, 5, 1, 12)
    store.add_turns(transcript, [new_turn("b", at=morning), new_turn("c", at=noon)], after=None)
    [id] = store.replace_threads(transcript, 0, [new_thread(0, 2, "about\ud800 it")])
    expected = Thread(id, transcript, 0, 2, "about\ufffd it", morning, 3)
    assert store.threads([id]) == store.threads_of(transcript) == store.all_threads() == [expected]


def test_turns_know_their_thread(store: Store) -> None:
    transcript = begin(store, "a", "b", "c")
    assert threads_of_turns(store, transcript) == [0, 0, 0]
    one, two = store.replace_threads(transcript, 0, [new_thread(0, 0), new_thread(1, 2)])
    assert threads_of_turns(store, transcript) == [one, two, two]


def test_threads_from_a_position_on_are_replaced_and_earlier_ones_kept(store: Store) -> None:
    transcript = begin(store, "a", "b", "c", "d")
    one, two, three = store.replace_threads(
        transcript, 0, [new_thread(0, 0), new_thread(1, 2), new_thread(3, 3)]
    )
    store.add_turns(transcript, new_turns("e"), after=None)
    [new] = store.replace_threads(transcript, 1, [new_thread(1, 4)])
    assert [thread.id for thread in store.threads_of(transcript)] == [one, new]
    assert threads_of_turns(store, transcript) == [one, new, new, new, new]
    assert new not in (two, three)


def test_other_transcripts_keep_their_threads(store: Store) -> None:
    one, two = begin(store, "a"), begin(store, "a")
    [kept] = store.replace_threads(one, 0, [new_thread(0, 0)])
    store.replace_threads(two, 0, [new_thread(0, 0)])
    assert [thread.id for thread in store.threads_of(one)] == [kept]


@pytest.mark.parametrize(
    "bad",
    [
        [],
        [new_thread(0, 1)],
        [new_thread(1, 2)],
        [new_thread(0, 1), new_thread(1, 2)],
        [new_thread(0, 0), new_thread(2, 2)],
        [new_thread(1, 2), new_thread(0, 0)],
        [new_thread(0, 3)],
        [new_thread(0, -1), new_thread(0, 2)],
    ],
)
def test_threads_that_do_not_hold_every_turn_once_are_refused(store: Store, bad: list[NewThread]) -> None:
    transcript = begin(store, "a", "b", "c")
    [id] = store.replace_threads(transcript, 0, [new_thread(0, 2)])
    with pytest.raises(StoreError, match="thread"):
        store.replace_threads(transcript, 0, bad)
    assert threads_of_turns(store, transcript) == [id, id, id]


def test_a_new_thread_cannot_begin_inside_a_kept_one(store: Store) -> None:
    transcript = begin(store, "a", "b", "c")
    store.replace_threads(transcript, 0, [new_thread(0, 1), new_thread(2, 2)])
    with pytest.raises(StoreError, match="should begin at turn 2"):
        store.replace_threads(transcript, 1, [new_thread(1, 2)])
    assert spans(store, transcript) == [(0, 1), (2, 2)]


def test_turns_put_inside_a_thread_join_it_and_later_threads_move(store: Store) -> None:
    transcript = begin(store, "a", "b", "c")
    one, two = store.replace_threads(transcript, 0, [new_thread(0, 1), new_thread(2, 2)])
    store.add_turns(transcript, new_turns("x", "y"), after=0)
    assert spans(store, transcript) == [(0, 3), (4, 4)]
    assert threads_of_turns(store, transcript) == [one, one, one, one, two]
    assert [thread.turns for thread in store.threads([one, two])] == [4, 1]


def test_turns_put_between_threads_wait_for_one(store: Store) -> None:
    transcript = begin(store, "a", "b")
    one, two = store.replace_threads(transcript, 0, [new_thread(0, 0), new_thread(1, 1)])
    store.add_turns(transcript, new_turns("x"), after=0)
    assert threads_of_turns(store, transcript) == [one, 0, two]
    assert spans(store, transcript) == [(0, 0), (2, 2)]


def test_turns_of_threads_are_by_transcript_and_position(store: Store) -> None:
    first, second = begin(store, "a", "b"), begin(store, "c")
    [late] = store.replace_threads(second, 0, [new_thread(0, 0)])
    [early] = store.replace_threads(first, 0, [new_thread(0, 1)])
    assert [turn.turn.text for turn in store.turns_of_threads([late, early])] == ["a", "b", "c"]


def row_of_threads(store: Store, *sizes: int) -> list[int]:
    """A transcript cut into threads of these sizes; their ids."""
    transcript = begin(store, *(f"turn {n}" for n in range(sum(sizes))))
    ends = [sum(sizes[: n + 1]) for n in range(len(sizes))]
    new = [new_thread(end - size, end - 1) for end, size in zip(ends, sizes, strict=True)]
    return store.replace_threads(transcript, 0, new)


def test_threads_in_the_middle_are_replaced_up_to_a_position(store: Store) -> None:
    one, _, _, four = row_of_threads(store, 1, 2, 1, 1)
    new = store.replace_threads(1, 1, [new_thread(1, 1), new_thread(2, 3)], to_position=3)
    assert [thread.id for thread in store.threads_of(1)] == [one, *new, four]
    assert threads_of_turns(store, 1) == [one, new[0], new[1], new[1], four]


@pytest.mark.parametrize("to_position", [1, 4, 99])
def test_threads_are_not_replaced_in_part(store: Store, to_position: int) -> None:
    ids = row_of_threads(store, 1, 2, 1)
    with pytest.raises(StoreError):
        store.replace_threads(1, 0, [new_thread(0, to_position)], to_position=to_position)
    assert threads_of_turns(store, 1) == [ids[0], ids[1], ids[1], ids[2]]


def test_threads_are_found_by_the_positions_they_hold(store: Store) -> None:
    _, two, three, _ = row_of_threads(store, 2, 2, 2, 2)
    row_of_threads(store, 8)
    assert [thread.id for thread in store.threads_at(1, 3, 4)] == [two, three]
    assert [thread.id for thread in store.threads_at(1, 2, 2)] == [two]
    assert store.threads_at(1, 8, 20) == []


def test_threads_around_others_are_their_neighbours_in_the_transcript(store: Store) -> None:
    one, two, three, _, five = row_of_threads(store, 1, 2, 1, 3, 1)
    [alone] = row_of_threads(store, 2)
    assert [thread.id for thread in store.threads_around([two])] == [one, two, three]
    assert [thread.id for thread in store.threads_around([alone, one])] == [one, two, alone]
    assert five not in [thread.id for thread in store.threads_around([three])]
    assert store.threads_around([]) == []


def test_threads_are_counted_by_transcript(store: Store) -> None:
    row_of_threads(store, 1, 1, 1)
    row_of_threads(store, 2)
    assert [store.thread_count(transcript) for transcript in (1, 2, 3)] == [3, 1, 0]


def test_turns_are_mapped_to_their_threads(store: Store) -> None:
    one, two = row_of_threads(store, 1, 1)
    [loose] = store.add_turns(1, new_turns("x"), after=None)
    assert store.threads_of_turns({1, 2}) == {1: one, 2: two}
    with pytest.raises(StoreError, match=f"turn {loose} is in no thread"):
        store.threads_of_turns({1, 2, loose})


def test_a_missing_thread_is_named(store: Store) -> None:
    for ask in (store.threads, store.turns_of_threads, store.thread_vectors):
        with pytest.raises(StoreError, match="no thread 5"):
            ask([5])


def test_head_vectors_are_by_id(store: Store) -> None:
    transcript = begin(store, "a", "b")
    one, two = store.replace_threads(transcript, 0, [new_thread(0, 0, "x"), new_thread(1, 1, "y")])
    ids, vectors = store.head_vectors()
    assert ids.tolist() == [one, two]
    assert np.array_equal(vectors, [vector("x 0"), vector("y 1")])
    assert np.array_equal(store.thread_vectors([two]), [vector("y 1")])


def test_threads_at_the_end_are_found_without_a_walk_over_those_before(store: Store) -> None:
    """Else each batch of a long transcript would take longer than the one before."""

    def steps(count: int) -> int:
        transcript = begin(store, *(f"{count} {n}" for n in range(count)))
        store.replace_threads(transcript, 0, [new_thread(n, n) for n in range(count)])
        taken = 0

        def step() -> int:
            nonlocal taken
            taken += 1
            return 0

        store._connection.set_progress_handler(step, 1)
        store.threads_at(transcript, count - 2, count - 1)
        store.replace_threads(
            transcript, count - 2, [new_thread(count - 2, count - 1)], to_position=count - 1
        )
        store.add_turns(transcript, new_turns(f"more of {count}"), after=count - 1)
        store._connection.set_progress_handler(None, 0)
        return taken

    assert steps(200) < 1.2 * steps(20)
