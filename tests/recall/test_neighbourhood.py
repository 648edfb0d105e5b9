"""Hits to threads, and threads to candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.neighbourhood import Limits, fuse, keep, reach, seeds, thread_scores


def test_what_several_rankings_have_high_is_first() -> None:
    assert fuse([[1, 2, 3], [2, 1, 3], [2, 3, 1]], 3) == [2, 1, 3]


def test_a_thread_counts_once_in_a_ranking() -> None:
    """Ten turns of one thread are one hit of it."""
    assert fuse([[1] * 10 + [2], [2, 1]], 2) == fuse([[1, 2], [2, 1]], 2)


def test_equal_threads_are_in_the_order_of_their_ids() -> None:
    assert fuse([[5, 3], [3, 5]], 2) == [3, 5]


def test_fusion_keeps_the_limit() -> None:
    assert fuse([[1, 2, 3]], 2) == [1, 2]


def test_no_hits_are_no_threads() -> None:
    assert fuse([[], []], 5) == []


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-5, 5)), min_size=1, max_size=20))
def test_the_best_thread_has_activation_one_and_none_more(turns: list[tuple[int, float]]) -> None:
    threads = np.array([thread for thread, _ in turns])
    scores = thread_scores(threads, np.array([value for _, value in turns]), {1: 0.5})
    assert scores.keys() == set(threads.tolist())
    assert max(scores.values()) == 1
    assert min(scores.values()) > 0


def test_a_thread_is_as_good_as_its_best_turn() -> None:
    scores = thread_scores(np.array([1, 1, 1, 2]), np.array([-9.0, -9.0, 3.0, 2.0]), {})
    assert scores[1] > scores[2]


def test_of_equal_threads_the_one_with_the_nearer_head_is_first() -> None:
    scores = thread_scores(np.array([1, 2]), np.array([1.0, 1.0]), {1: 0.2, 2: 0.8})
    assert scores[2] > scores[1]


def test_no_turns_give_no_scores() -> None:
    assert thread_scores(np.array([], np.int64), np.array([]), {1: 0.5}) == {}


def test_seeds_are_the_best_threads() -> None:
    assert seeds({1: 0.2, 2: 1.0, 3: 0.5}, 2) == {2: 1.0, 3: 0.5}


def test_a_thread_is_reached_by_itself_or_along_the_graph() -> None:
    assert reach({1: 0.5, 2: 0.1}, {2: 0.3, 3: 0.2}) == {1: 0.5, 2: 0.3, 3: 0.2}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(candidates=1), [3]),
        (Limits(candidates=10), [3]),
        (Limits(candidates=11), [3, 1]),
        (Limits(candidates=99), [3, 1, 2]),
        (Limits(candidates=99, max_threads=2), [3, 1]),
    ],
)
def test_threads_are_kept_whole_until_there_are_enough_turns(limits: Limits, expected: list[int]) -> None:
    assert keep({1: 0.5, 2: 0.1, 3: 0.9}, dict.fromkeys((1, 2, 3), 10), limits) == expected
