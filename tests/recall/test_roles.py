"""What questions demand, what candidates offer, and the roles that follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.query import READ_CHARACTERS
from localmem.recall.roles import TABLE, Demand, Feature, assign, candidate_features, demands, has_time
from localmem.recall.weights import ROLE
from localmem.values import Role

UNIT = st.floats(0, 1)
NAMES = st.frozensets(st.sampled_from("abcd"), max_size=3)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who bought the Saab?", set()),
        ("What is the name of the dog?", set()),
        ("When did Ann move?", {Demand.TIME}),
        ("What day is the interview?", {Demand.TIME}),
        ("How long has Bob been married?", {Demand.TIME}),
        ("WHEN WAS IT?", {Demand.TIME}),
        ("Wann kommt der Zug?", {Demand.TIME}),
        ("¿Cuándo llega el tren?", {Demand.TIME}),
        ("Why did Ann leave?", {Demand.RELATION}),
        ("What did Ann do after the wedding?", {Demand.RELATION}),
        ("What do Ann and Bob both own?", {Demand.RELATION}),
        ("What books has Ann read?", {Demand.LIST}),
        ("How many children does Bob have?", {Demand.LIST}),
        ("Which cities did they see?", {Demand.LIST}),
        ("List the guests.", {Demand.LIST}),
        ("What is Ann's favourite dish?", {Demand.PREFERENCE}),
        ("Does Bob like jazz or does he prefer rock?", {Demand.PREFERENCE}),
        ("Would Ann enjoy a hike?", {Demand.JUDGEMENT, Demand.PREFERENCE}),
        ("Is Bob likely to move?", {Demand.JUDGEMENT}),
        ("When did all the guests leave?", {Demand.TIME, Demand.LIST}),
        ("", set()),
    ],
)
def test_a_question_demands_what_its_words_say(question: str, expected: set[Demand]) -> None:
    assert demands(question).keys() == {Demand.FACT, *expected}


@given(st.text() | st.lists(st.sampled_from(["when", "why", "all", "likes", "would"])).map(" ".join))
def test_demands_share_one(question: str) -> None:
    shares = demands(question)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares[Demand.FACT] > 0


@pytest.mark.parametrize(
    "text", ["at 10:30", "in 2023", "YESTERDAY", "three weeks ago", "on Monday", "in May"]
)
def test_a_time_expression_is_found(text: str) -> None:
    assert has_time(text)


@pytest.mark.parametrize("text", ["", "I sold 12 cars.", "the weaker one", "sundae", "an ancient dayroom"])
def test_what_is_no_time_expression_is_none(text: str) -> None:
    assert not has_time(text)


def test_every_demand_says_something_about_every_role() -> None:
    assert {demand: set(TABLE[demand]) for demand in Demand} == {demand: set(Role) for demand in Demand}


@given(
    st.lists(st.tuples(UNIT, UNIT, NAMES, st.text(max_size=5), st.booleans()), min_size=1, max_size=12), NAMES
)
def test_features_are_within_zero_and_one(
    rows: list[tuple[float, float, frozenset[str], str, bool]], asked: frozenset[str]
) -> None:
    closeness, reach, names, texts, follows = zip(*rows, strict=True)
    offered = candidate_features(np.array(closeness), np.array(reach), names, texts, np.array(follows), asked)
    assert offered.keys() == set(Feature)
    for values in offered.values():
        assert values.shape == (len(rows),)
        assert 0 <= values.min() <= values.max() <= 1


@given(
    st.lists(st.fixed_dictionaries(dict.fromkeys(Feature, UNIT)), min_size=1, max_size=8),
    st.sampled_from(["When?", "Why?", "Which cities?", "Would he like it all?", "Who?"]),
)
def test_a_fit_is_within_zero_and_one(rows: list[dict[Feature, float]], question: str) -> None:
    offered = {feature: np.array([row[feature] for row in rows]) for feature in Feature}
    roles = assign(demands(question), offered)
    assert len(roles.role) == len(rows)
    assert 0 < roles.fit.min() <= roles.fit.max() <= 1


def offer(**values: float) -> dict[Feature, np.ndarray]:
    return {feature: np.array([values.get(feature.value, 0.0)]) for feature in Feature}


@pytest.mark.parametrize("demand", Demand)
@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        (offer(closeness=1.0), Role.ANCHOR),
        (offer(links=1.0, reach=0.5), Role.BRIDGE),
        (offer(adjacency=1.0), Role.CONTEXT),
    ],
    ids=["close", "linked", "beside"],
)
def test_a_candidate_plays_the_role_that_its_features_speak_for(
    demand: Demand, offered: dict[Feature, np.ndarray], expected: Role
) -> None:
    assert assign({demand: 1.0}, offered).role == (expected,)


def test_a_question_about_a_time_prefers_turns_that_name_one() -> None:
    with_time = assign({Demand.TIME: 1.0}, offer(closeness=0.5, time=1.0)).fit
    without = assign({Demand.TIME: 1.0}, offer(closeness=0.5)).fit
    assert with_time[0] > without[0]


def test_a_candidate_that_names_a_time_fits_better() -> None:
    with_time = assign({Demand.FACT: 1.0}, offer(time=1.0)).fit
    assert with_time[0] > assign({Demand.FACT: 1.0}, offer()).fit[0]


def test_only_features_of_candidates_have_a_weight() -> None:
    assert set(ROLE) <= {feature.value for feature in Feature}


def features_of(closeness: list[float], names: list[set[str]], asked: set[str] = frozenset()) -> dict:
    n = len(closeness)
    follows = np.array([False] + [True] * (n - 1))
    return candidate_features(
        np.array(closeness), np.ones(n), list(map(frozenset, names)), [""] * n, follows, frozenset(asked)
    )


def test_shared_names_are_the_part_of_the_asked_ones() -> None:
    assert features_of([0, 0], [{"ann", "x"}, set()], {"ann", "bob"})[Feature.SHARED].tolist() == [0.5, 0]


def test_a_name_of_a_close_candidate_links_a_far_one_to_it() -> None:
    assert features_of([0.9, 0.0], [{"gethin"}, {"gethin"}])[Feature.LINKS][1] == pytest.approx(0.9)


def test_a_name_that_the_question_has_links_nothing() -> None:
    assert features_of([0.9, 0.0], [{"ann"}, {"ann"}], {"ann"})[Feature.LINKS].tolist() == [0, 0]


def test_a_candidate_beside_a_close_one_is_adjacent() -> None:
    assert features_of([0.0, 0.8, 0.0, 0.0], [set()] * 4)[Feature.ADJACENCY].tolist() == [0.8, 0.0, 0.8, 0.0]


def test_times_are_looked_for_in_the_beginning_of_a_huge_text() -> None:
    filler = "so " * (READ_CHARACTERS // 3)
    assert [has_time(text) for text in (f"on Monday {filler}", f"{filler} on Monday")] == [True, False]
