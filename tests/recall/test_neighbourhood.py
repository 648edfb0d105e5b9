"""Hits to threads, and threads to candidates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.neighbourhood import fuse, join, keep, seeds, thread_scores


def test_what_several_rankings_have_high_is_first() -> None:
    assert list(fuse([[1, 2, 3], [2, 1, 3], [2, 3, 1]], 3)) == [2, 1, 3]


def test_a_thread_counts_once_in_a_ranking() -> None:
    """Ten turns of one thread are one hit of it."""
    assert fuse([[1] * 10 + [2], [2, 1]], 2) == fuse([[1, 2], [2, 1]], 2)


def test_equal_threads_are_in_the_order_of_their_ids() -> None:
    assert list(fuse([[5, 3], [3, 5]], 2)) == [3, 5]


def test_fusion_keeps_the_limit() -> None:
    assert list(fuse([[1, 2, 3]], 2)) == [1, 2]


def test_the_best_found_thread_has_activation_one_and_the_others_less() -> None:
    found = fuse([[1, 2, 3]], 3)
    assert found[1] == 1
    assert 1 > found[2] > found[3] > 0


def test_no_hits_are_no_threads() -> None:
    assert fuse([[], []], 5) == {}


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-1e9, 1e9)), min_size=1, max_size=20))
def test_the_best_thread_has_activation_one_and_none_more(turns: list[tuple[int, float]]) -> None:
    threads = np.array([thread for thread, _ in turns])
    scores = thread_scores(threads, np.array([value for _, value in turns]))
    assert scores.shape == (len(turns),)
    assert scores.max() == 1
    assert scores.min() > 0


def test_a_thread_is_as_good_as_its_best_turn() -> None:
    scores = thread_scores(np.array([7, 7, 2, 7]), np.array([-9.0, -9.0, 2.0, 3.0]))
    assert scores == pytest.approx([1, 1, np.exp(-1), 1])


def test_no_turns_give_no_scores() -> None:
    assert thread_scores(np.array([], np.int64), np.array([])).tolist() == []


def test_seeds_are_the_best_threads() -> None:
    assert seeds({1: 0.2, 2: 1.0, 3: 0.5}, 2) == {2: 1.0, 3: 0.5}


@pytest.mark.parametrize(("limit", "expected"), [(9, [2, 1, 4, 3]), (3, [2, 1, 4]), (1, [2])])
def test_what_the_graph_reaches_comes_after_what_the_query_found(limit: int, expected: list[int]) -> None:
    assert join({1: 0.1, 2: 0.5}, {2: 0.9, 3: 0.2, 4: 0.3}, limit) == expected


@pytest.mark.parametrize(
    ("limit", "expected"), [(0, []), (1, [1]), (2, [1, 3]), (3, [0, 1, 3]), (9, [0, 1, 2, 3])]
)
def test_the_turns_of_most_worth_are_kept_in_their_order(limit: int, expected: list[int]) -> None:
    assert keep(np.array([1.0, 3.0, 0.0, 2.0]), limit).tolist() == expected


def test_of_turns_of_equal_worth_the_first_is_kept() -> None:
    assert keep(np.zeros(3), 1).tolist() == [0]
