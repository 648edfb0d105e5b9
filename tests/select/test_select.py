"""Single facts about the selector."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from localmem.select import Budget, Candidates, Mix, entity_bits, remaining, select
from localmem.select.reference import similarity
from tests.select.build import candidates

both = pytest.mark.parametrize("implementation", ["numba", "numpy"])


def units(priority, vectors, *, cost=None, thread=None, time=None, names=None) -> Candidates:
    n = len(priority)
    return Candidates(
        ids=np.arange(n),
        priority=np.array(priority, dtype=np.float64),
        vectors=np.array(vectors, dtype=np.float32),
        thread=np.array(thread or range(n), dtype=np.int64),
        entities=entity_bits(names or [()] * n),
        time=np.array(time or [np.nan] * n, dtype=np.float64),
        cost=np.array(cost or [1] * n, dtype=np.int64),
    )


EMBEDDING = Mix(1, 0, 0, 0)
AXES = np.eye(3)


@both
def test_a_unit_that_another_stands_for_is_left_out(implementation):
    twins = units([0.4, 0.35, 0.25], [[1, 0], [1, 0], [0, 1]])
    selection = select(twins, Budget(units=3), EMBEDDING, implementation=implementation)
    assert selection.order.tolist() == [0, 2]
    assert selection.gains.tolist() == pytest.approx([0.75, 0.25])
    assert selection.coverage == pytest.approx(1)


@both
def test_the_lowest_index_wins_a_tie(implementation):
    selection = select(units([1 / 3] * 3, AXES), Budget(units=2), EMBEDDING, implementation=implementation)
    assert selection.order.tolist() == [0, 1]


@both
def test_a_unit_that_does_not_fit_is_passed_over_and_the_others_go_on(implementation):
    large = units([0.5, 0.3, 0.2], AXES, cost=[100, 10, 5])
    selection = select(large, Budget(tokens=15), EMBEDDING, implementation=implementation)
    assert selection.order.tolist() == [1, 2]


@both
def test_it_stops_at_the_coverage_threshold(implementation):
    selection = select(
        units([0.5, 0.3, 0.2], AXES), Budget(coverage=0.8), EMBEDDING, implementation=implementation
    )
    assert selection.order.tolist() == [0, 1]


@both
@pytest.mark.parametrize("budget", [Budget(units=0), Budget(tokens=0), Budget(coverage=0.0)])
def test_a_budget_of_nothing_chooses_nothing(implementation, budget):
    selection = select(candidates(10), budget, Mix(), implementation=implementation)
    assert selection.order.tolist() == []
    assert selection.coverage == 0


@both
def test_no_candidates_give_an_empty_selection(implementation):
    none = units([], np.zeros((0, 3)))
    assert select(none, Budget(), Mix(), implementation=implementation).order.tolist() == []


def test_the_identity_ablation_is_top_k_by_priority():
    chosen = candidates(40, seed=3)
    selection = select(chosen, Budget(units=5), Mix(identity=True))
    assert selection.order.tolist() == np.argsort(-chosen.priority, kind="stable")[:5].tolist()
    assert selection.coverage == pytest.approx(np.sort(chosen.priority)[-5:].sum())


def test_the_identity_ablation_keeps_to_every_limit():
    large = units([0.5, 0.3, 0.15, 0.05], np.eye(4), cost=[100, 10, 5, 5])
    identity = Mix(identity=True)
    assert select(large, Budget(tokens=15), identity).order.tolist() == [1, 2]
    assert select(large, Budget(coverage=0.75), identity).order.tolist() == [0, 1]


def test_each_term_of_the_similarity_is_what_its_formula_says():
    pair = units(
        [0.5, 0.5],
        [[1, 0], [0.6, 0.8]],
        thread=[7, 7],
        time=[0.0, 100.0],
        names=[{"Ann", "Rome"}, {"Rome", "Bob", "Oslo"}],
    )

    def between(*weights: float) -> float:
        return float(similarity(pair, Mix(*weights, tau_seconds=50.0), slice(None))[0, 1])

    assert between(1, 0, 0, 0) == pytest.approx(0.6)
    assert between(0, 1, 0, 0) == 1
    assert between(0, 0, 1, 0) == pytest.approx(1 / 4)
    assert between(0, 0, 0, 1) == pytest.approx(np.exp(-2))


def test_an_unknown_time_is_close_to_nothing():
    pair = units([0.5, 0.5], [[1, 0], [0, 1]], time=[np.nan, 5.0])
    assert similarity(pair, Mix(0, 0, 0, 1), slice(None))[0, 1] == 0


def test_entities_beyond_the_first_word_of_bits_count():
    bits = entity_bits([range(130), {129}, ()])
    assert bits.shape == (3, 3)
    assert np.bitwise_count(bits).sum(axis=1).tolist() == [130, 1, 0]


def test_weights_that_do_not_sum_to_1_are_refused():
    with pytest.raises(ValueError, match="sum to 1"):
        Mix(0.5, 0.5, 0.5, 0.5)


@pytest.mark.parametrize("priority", [[0.5, 0.4], [1.5, -0.5], [np.nan, 1.0]])
def test_priorities_that_are_no_distribution_are_refused(priority):
    with pytest.raises(ValueError, match="sum to 1"):
        units(priority, np.eye(2))


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="cost has 1 rows"):
        dataclasses.replace(candidates(3), cost=np.ones(1, dtype=np.int64))


def test_what_remains_is_what_each_unit_would_add_after_the_choice():
    three = units([0.4, 0.35, 0.25], [[1, 0], [1, 0], [0, 1]])
    gains, nearest, alike = remaining(three, EMBEDDING, np.array([0]))
    assert gains.tolist() == pytest.approx([-1, 0, 0.25])
    assert nearest.tolist() == [0, 0, 0]
    assert alike.tolist() == pytest.approx([1, 1, 0])


def test_without_a_choice_everything_remains():
    gains, nearest, _ = remaining(units([0.6, 0.4], np.eye(2)), EMBEDDING, np.zeros(0, dtype=np.int64))
    assert gains.tolist() == pytest.approx([0.6, 0.4])
    assert nearest.tolist() == [-1, -1]
