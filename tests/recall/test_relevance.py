"""Features of turns, their scale and their sum."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from numpy.typing import NDArray

from localmem.recall.query import Query
from localmem.recall.relevance import FEATURES, Pool, features, relevance, scale
from localmem.recall.weights import RELEVANCE as WEIGHTS
from localmem.values import StoredTurn
from tests.recall.support import turn, unit_vectors


def pool(*texts: str, speaker: str = "Ann", gap: int = 0) -> Pool:
    """Turns one after the other; `gap` positions are missing before the last one."""
    last = len(texts) - 1
    stored = [
        StoredTurn(n + 1, 1, n + (gap if n == last else 0), 1, turn(text, speaker))
        for n, text in enumerate(texts)
    ]
    return Pool(stored, unit_vectors(len(texts), 3))


def query(*words: str, speakers: frozenset[str] = frozenset(), months: frozenset[int] = frozenset()) -> Query:
    return Query(" ".join(words), unit_vectors(1, 9)[0], words, speakers, frozenset(), months)


def constant(value: float, count: int = 10) -> dict[str, NDArray[np.float64]]:
    return {name: np.full(count, value) for name in WEIGHTS}


def test_every_feature_has_a_weight_and_a_reason() -> None:
    assert WEIGHTS.keys() == FEATURES.keys()


def test_every_weighted_feature_is_there() -> None:
    assert features(pool("a", "b"), query(), {}).keys() == WEIGHTS.keys()


def test_a_turn_with_the_words_around_it_has_their_score() -> None:
    assert features(pool("a", "b"), query(), {1: 1.5})["words_window"].tolist() == [1.5, 0]


def test_a_turn_that_names_a_thing_of_the_kind_that_was_asked_for_stands_out() -> None:
    raw = features(pool("We went to Rome.", "I slept badly."), query("cities"), {})["related"]
    assert raw[0] > 0.3 > raw[1]


def test_a_turn_of_a_named_month_stands_out() -> None:
    stored = [
        StoredTurn(n + 1, 1, n, 1, turn("a", at=at))
        for n, at in enumerate([datetime(2025, 5, 1), datetime(2024, 5, 31), datetime(2025, 6, 1), None])
    ]
    raw = features(Pool(stored, unit_vectors(4, 3)), query(months=frozenset({5})), {})
    assert raw["month"].tolist() == [1, 1, 0, 0]


def test_closeness_is_the_cosine_of_the_vectors() -> None:
    turns, asked = pool("a", "b", "c"), query()
    assert features(turns, asked, {})["dense"] == pytest.approx(turns.vectors @ asked.vector)


def test_what_a_named_person_said_stands_out() -> None:
    raw = features(pool("a", speaker="Bob"), query(speakers=frozenset({"Bob"})), {})
    assert raw["speaker"].tolist() == [1]


def test_an_empty_pool_has_no_relevance() -> None:
    raw = features(Pool([], np.empty((0, 6), np.float32)), query("ferry"), {})
    assert relevance(raw, scale(raw)).tolist() == []


@pytest.mark.parametrize("value", [0.0, 0.1, 1.3, 1e6])
def test_a_feature_that_is_the_same_everywhere_adds_nothing(value: float) -> None:
    """0.1 ten times has a mean beside 0.1 and a deviation above 0, in floating point."""
    raw = constant(value)
    assert relevance(raw, scale(raw)).tolist() == [0.0] * 10


def test_a_feature_that_was_the_same_everywhere_adds_nothing_to_other_turns() -> None:
    standard = scale(constant(0.1))
    assert relevance(constant(0.7, 3), standard).tolist() == [0.0] * 3


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_feature_counts_by_its_weight_and_in_deviations(name: str) -> None:
    raw = constant(0.0, 4) | {name: np.array([0.0, 0.0, 10.0, 10.0])}
    weight = WEIGHTS[name]
    assert relevance(raw, scale(raw)) == pytest.approx([-weight, -weight, weight, weight])


def test_the_unit_of_a_feature_does_not_matter() -> None:
    raw = features(pool("one", "a longer one", "x?"), query("longer"), {1: 1.0})
    larger = {name: 1000 * values + 7 for name, values in raw.items()}
    assert relevance(larger, scale(larger)) == pytest.approx(relevance(raw, scale(raw)))
