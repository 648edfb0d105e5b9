"""Logits to tokens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from localmem.errors import GrammarError
from localmem.llm.sampler import Sampler


class Only:
    """A constraint that allows a set of tokens, and counts how many it was asked about."""

    def __init__(self, *allowed: int) -> None:
        self.allowed = allowed
        self.asked = 0

    def allows(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        self.asked += len(tokens)
        return np.isin(tokens, self.allowed)

    def accept(self, token: int) -> None:
        raise AssertionError("choosing does not accept")


def logits(*values: float) -> NDArray[np.float32]:
    return np.array(values, dtype=np.float32)


def test_temperature_zero_takes_the_likeliest_token() -> None:
    assert Sampler().choose(logits(1, 3, 2)) == 1


def test_banned_tokens_never_come() -> None:
    assert Sampler(banned=[1]).choose(logits(1, 3, 2)) == 2


def test_an_allowed_likeliest_token_costs_one_question() -> None:
    only = Only(1)
    assert Sampler(constraint=only).choose(logits(1, 3, 2)) == 1
    assert only.asked == 1


@given(
    st.lists(st.integers(-20, 20), min_size=600, max_size=600),
    st.sets(st.integers(0, 599), min_size=1, max_size=4),
)
def test_under_a_constraint_the_likeliest_allowed_token_is_taken(
    values: list[int], allowed: set[int]
) -> None:
    row = logits(*values)
    best = max(sorted(allowed), key=lambda token: values[token])
    assert Sampler(constraint=Only(*allowed)).choose(row) == best


def test_a_draw_stays_within_what_is_allowed() -> None:
    sampler = Sampler(temperature=1.0, constraint=Only(0, 2))
    drawn = {sampler.choose(logits(1, 5, 1, 4)) for _ in range(50)}
    assert drawn == {0, 2}


def test_a_constraint_that_allows_nothing_is_an_error() -> None:
    for temperature in (0.0, 1.0):
        with pytest.raises(GrammarError, match="allows nothing"):
            Sampler(temperature=temperature, constraint=Only()).choose(logits(1, 2))


def test_equal_seeds_draw_equally_and_others_do_not() -> None:
    def draws(seed: int) -> list[int]:
        sampler = Sampler(temperature=1.5, seed=seed)
        return [sampler.choose(np.zeros(50, dtype=np.float32)) for _ in range(20)]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


def test_very_unlikely_tokens_are_never_drawn() -> None:
    sampler = Sampler(temperature=1.0)
    assert {sampler.choose(logits(5, 5, 0)) for _ in range(200)} == {0, 1}


def test_draws_follow_the_temperature() -> None:
    def share(temperature: float) -> float:
        sampler = Sampler(temperature=temperature)
        return sum(sampler.choose(logits(1, 0)) == 0 for _ in range(2000)) / 2000

    assert share(1.0) == pytest.approx(1 / (1 + np.exp(-1)), abs=0.04)
    assert share(2.0) == pytest.approx(1 / (1 + np.exp(-0.5)), abs=0.04)
