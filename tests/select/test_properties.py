"""What must hold for every input."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.select import Budget, compiled, reference, select
from localmem.select.reference import similarity
from tests.select.build import candidates, mixes, objective

seeds = st.integers(0, 2**32 - 1)
budgets = st.builds(
    Budget,
    units=st.integers(0, 20),
    tokens=st.none() | st.integers(0, 400),
    coverage=st.none() | st.floats(0, 1),
)


def assert_same(chosen, budget, mix):
    plain = select(chosen, budget, mix, implementation="numpy")
    fast = select(chosen, budget, mix, implementation="numba")
    assert plain.order.tolist() == fast.order.tolist()
    np.testing.assert_allclose(fast.gains, plain.gains, rtol=0, atol=1e-9)
    assert fast.coverage == pytest.approx(plain.coverage, abs=1e-9)


@given(n=st.integers(1, 60), seed=seeds, budget=budgets, mix=mixes)
@settings(deadline=None, max_examples=150)
def test_the_compiled_and_the_plain_implementation_agree(n, seed, budget, mix):
    assert_same(candidates(n, seed), budget, mix)


@given(n=st.integers(1, 120), seed=seeds, budget=budgets, mix=mixes)
@settings(deadline=None, max_examples=100)
def test_they_agree_without_a_whole_matrix_too(n, seed, budget, mix):
    with pytest.MonkeyPatch.context() as patch:
        for module in (compiled, reference):
            patch.setattr(module, "_FULL_MATRIX", 0)
            patch.setattr(module, "_ROWS", 4)
        assert_same(candidates(n, seed), budget, mix)


@given(n=st.integers(1, 60), seed=seeds, mix=mixes)
@settings(deadline=None, max_examples=50)
def test_the_bounds_are_bounds(n, seed, mix):
    chosen = candidates(n, seed)
    weights = np.array([mix.embedding, mix.thread, mix.entities, mix.time, mix.tau_seconds, mix.floor])
    bound = compiled.upper_bounds(
        chosen.vectors.astype(np.float64),
        chosen.priority,
        chosen.thread,
        chosen.entities,
        chosen.time,
        weights,
    )
    assert np.all(similarity(chosen, mix, slice(0, n)) @ chosen.priority <= bound)


@given(n=st.integers(1, 40), seed=seeds, mix=mixes)
@settings(deadline=None)
def test_similarity_is_symmetric_between_0_and_1_and_1_on_the_diagonal(n, seed, mix):
    k = similarity(candidates(n, seed), mix, slice(None))
    np.testing.assert_allclose(k, k.T, rtol=0, atol=1e-12)
    assert np.all((k >= 0) & (k <= 1 + 1e-12))
    assert np.all(np.diag(k) == 1)


@given(n=st.integers(2, 25), seed=seeds, mix=mixes, data=st.data())
@settings(deadline=None)
def test_the_objective_is_monotone_and_submodular(n, seed, mix, data):
    chosen = candidates(n, seed)
    k = similarity(chosen, mix, slice(None))
    large = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n))
    small = large[: data.draw(st.integers(0, len(large)))]
    u = data.draw(st.integers(0, n - 1))
    gain_of_small = objective(k, chosen.priority, [*small, u]) - objective(k, chosen.priority, small)
    gain_of_large = objective(k, chosen.priority, [*large, u]) - objective(k, chosen.priority, large)
    assert gain_of_large >= -1e-12
    assert gain_of_small >= gain_of_large - 1e-12


@given(n=st.integers(1, 9), seed=seeds, units=st.integers(1, 4), mix=mixes)
@settings(deadline=None, max_examples=50)
def test_greedy_is_within_1_minus_1_over_e_of_the_optimum(n, seed, units, mix):
    chosen = candidates(n, seed)
    k = similarity(chosen, mix, slice(None))
    best = max(objective(k, chosen.priority, list(s)) for s in combinations(range(n), min(units, n)))
    selection = select(chosen, Budget(units=units), mix)
    assert selection.coverage >= (1 - 1 / np.e) * best - 1e-12


@given(n=st.integers(1, 60), seed=seeds, budget=budgets, mix=mixes)
@settings(deadline=None)
def test_coverage_is_the_objective_of_what_was_chosen_and_no_limit_is_passed(n, seed, budget, mix):
    chosen = candidates(n, seed)
    selection = select(chosen, budget, mix)
    k = similarity(chosen, mix, slice(None))
    order = selection.order.tolist()
    assert selection.coverage == pytest.approx(objective(k, chosen.priority, order), abs=1e-9)
    assert selection.coverage == pytest.approx(selection.gains.sum(), abs=1e-9)
    assert len(order) == len(set(order)) <= budget.units
    assert budget.tokens is None or chosen.cost[selection.order].sum() <= budget.tokens
