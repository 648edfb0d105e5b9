"""Priorities, the choice, and the order in which it is shown."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.query import Query, parse
from localmem.recall.relevance import Pool
from localmem.recall.weights import REACH
from localmem.recall.workspace import CAP, Options, Scored, choose, order_of_time, priorities, tokens, worth
from localmem.select import Budget
from localmem.values import Role, StoredTurn, Thread
from tests.recall.support import NOON, turn, unit, unit_vectors

COLUMN = st.floats(1e-6, 1)


@given(st.lists(st.tuples(COLUMN, COLUMN, COLUMN), min_size=1, max_size=60), st.integers(1, 40))
def test_priorities_share_one_and_keep_the_cap(rows: list[tuple[float, float, float]], units: int) -> None:
    affinity, reach, fit = (np.array(column) for column in zip(*rows, strict=True))
    p = priorities(affinity, reach, fit, units)
    assert p.sum() == pytest.approx(1)
    assert p.min() > 0
    assert p.max() <= max(CAP / units, 1 / len(rows)) * (1 + 1e-6)


@given(st.lists(st.tuples(COLUMN, COLUMN, COLUMN), min_size=2, max_size=40), st.integers(1, 40))
def test_the_cap_changes_no_order(rows: list[tuple[float, float, float]], units: int) -> None:
    affinity, reach, fit = (np.array(column) for column in zip(*rows, strict=True))
    free = priorities(affinity, reach, fit, 1)  # a cap above 1 cuts nothing
    capped = priorities(affinity, reach, fit, units)
    order = np.argsort(free)
    assert np.all(np.diff(capped[order]) >= -1e-12)


def test_one_strong_unit_is_not_everything() -> None:
    p = priorities(np.array([1.0] + [1e-3] * 99), np.ones(100), None, 16)
    assert p[0] == pytest.approx(CAP / 16)


def test_without_any_mass_all_are_equal() -> None:
    assert priorities(np.zeros(4), np.ones(4), None, 16).tolist() == [0.25] * 4


def test_a_better_role_means_a_higher_priority() -> None:
    p = priorities(np.ones(2), np.ones(2), np.array([0.2, 0.9]), 1)
    assert p[1] > p[0]


def test_an_active_thread_means_a_higher_priority() -> None:
    p = priorities(np.ones(2), np.array([0.25, 1.0]), None, 1)
    assert p[0] / p[1] == pytest.approx(0.25**REACH)


@given(st.lists(st.tuples(COLUMN, COLUMN), min_size=1, max_size=60))
def test_worth_is_the_logarithm_of_the_priority_without_roles(rows: list[tuple[float, float]]) -> None:
    affinity, reach = (np.array(column) for column in zip(*rows, strict=True))
    p = np.exp(worth(np.log(affinity), reach))
    assert priorities(affinity, reach, None, 1) == pytest.approx(p / p.sum())


def scored(count: int, *, text: str = "") -> tuple[Scored, Query]:
    turns = [
        StoredTurn(n + 1, 1, n, n // 4, turn(text or f"About {n}.", at=NOON + timedelta(minutes=n)))
        for n in range(count)
    ]
    rng = np.random.default_rng(5)
    pool = Pool(turns, unit_vectors(count, 7) if count else np.empty((0, 6), np.float32))
    raw = {"dense": rng.random(count)}
    return Scored(pool, rng.standard_normal(count), rng.uniform(0.1, 1, count), raw), parse(
        "Who went?", unit_vectors(1, 2)[0], ["Ann"]
    )


def test_no_candidates_give_an_empty_choice() -> None:
    chosen = choose(*scored(0), Options())
    assert (chosen.units, chosen.coverage) == ((), 0.0)


def test_no_more_units_are_chosen_than_the_budget_has() -> None:
    assert len(choose(*scored(60), Options(Budget(units=7))).units) == 7


def test_fewer_candidates_than_the_budget_are_all_chosen() -> None:
    chosen = choose(*scored(5), Options(Budget(units=7)))
    assert [one.stored.position for one in chosen.units] == [0, 1, 2, 3, 4]
    assert chosen.coverage == pytest.approx(1)


def test_a_token_budget_is_kept() -> None:
    chosen = choose(*scored(60), Options(Budget(units=60, tokens=50)))
    assert 0 < sum(tokens(one.turn.text) for one in chosen.units) <= 50


def test_a_unit_carries_the_scores_of_every_stage() -> None:
    chosen = choose(*scored(5), Options())
    assert chosen.units[0].scores.keys() == {"dense", "relevance", "reach", "fit"}


def test_gains_add_up_to_the_coverage() -> None:
    chosen = choose(*scored(60), Options(Budget(units=9)))
    assert sum(one.gain for one in chosen.units) == pytest.approx(chosen.coverage)


def test_without_roles_every_unit_is_an_anchor() -> None:
    assert {one.role for one in choose(*scored(60), Options(roles=False)).units} == {Role.ANCHOR}


def test_a_turn_that_says_what_a_chosen_one_says_gives_way_to_another() -> None:
    turns = [StoredTurn(n + 1, 1, n, 1, turn(f"About {n}.", at=NOON)) for n in range(3)]
    pool = Pool(turns, np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32))
    raw = {"dense": np.zeros(3)}
    query = parse("Who went?", unit_vectors(1, 2)[0], ["Ann"])
    chosen = choose(Scored(pool, np.zeros(3), np.ones(3), raw), query, Options(Budget(units=2)))
    assert [one.stored.position for one in chosen.units] == [0, 2]


def test_equal_turns_do_no_harm() -> None:
    made, query = scored(10, text="Thanks!")
    same = Scored(made.pool, np.full(10, 0.1), np.ones(10), made.raw)
    assert len(choose(same, query, Options(Budget(units=3))).units) == 3


def test_two_choices_from_the_same_are_the_same() -> None:
    assert choose(*scored(60), Options()).units == choose(*scored(60), Options()).units


def thread(id: int, started: int | None, transcript: int = 1) -> Thread:
    moment = None if started is None else NOON + timedelta(hours=started)
    return Thread(id, transcript, id * 10, id * 10 + 9, "head", moment, 10)


def test_units_are_shown_thread_by_thread_in_order_of_time() -> None:
    """The second transcript's thread lies between two of the first one."""
    threads = {1: thread(1, 0), 2: thread(2, 9), 3: thread(3, 5, transcript=2)}
    units = [
        unit(20, turn("c"), thread=2),
        unit(11, turn("b"), thread=1),
        unit(30, turn("d"), thread=3, transcript=2),
        unit(10, turn("a"), thread=1),
    ]
    assert [one.turn.text for one in order_of_time(units, threads)] == ["a", "b", "d", "c"]


def test_threads_without_a_time_come_last_in_the_order_of_the_file() -> None:
    threads = {1: thread(1, None), 2: thread(2, None), 3: thread(3, 5)}
    units = [unit(20, turn("c"), thread=2), unit(10, turn("b"), thread=1), unit(30, turn("a"), thread=3)]
    assert [one.turn.text for one in order_of_time(units, threads)] == ["a", "b", "c"]


@given(st.permutations(range(9)))
def test_the_order_does_not_depend_on_the_order_of_choice(order: list[int]) -> None:
    threads = {n: thread(n, [3, None, 1][n]) for n in range(3)}
    units = [unit(n, turn(str(n)), thread=n // 3) for n in order]
    shown = [one.stored.position for one in order_of_time(units, threads)]
    assert shown == [6, 7, 8, 0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("text", ["", "a", "word " * 100, "日本語" * 10, "😀" * 5])
def test_the_rough_count_of_tokens_grows_with_the_bytes(text: str) -> None:
    assert tokens(text) == 6 + len(text.encode()) // 3


def test_nothing_is_told_of_what_was_left_out_unless_it_is_asked_for() -> None:
    assert choose(*scored(60), Options(Budget(units=7))).left_out == ()


def test_what_was_just_left_out_is_told_best_first_with_the_reason() -> None:
    chosen = choose(*scored(60), Options(Budget(units=1), left_out=5))
    gains = [one.unit.gain for one in chosen.left_out]
    assert len(gains) == 5
    assert gains == sorted(gains, reverse=True)
    taken = {one.stored.id for one in chosen.units}
    assert not taken & {one.unit.stored.id for one in chosen.left_out}
    assert chosen.left_out[0].reason == "the budget of 1 turn was full"


def test_a_turn_that_a_chosen_one_stands_for_names_it_as_the_reason() -> None:
    turns = [StoredTurn(n + 1, 1, n, 1, turn(f"About {n}.", at=NOON)) for n in range(2)]
    pool = Pool(turns, np.array([[1, 0], [1, 0]], dtype=np.float32))
    query = parse("Who went?", unit_vectors(1, 2)[0], ["Ann"])
    raw = {"dense": np.zeros(2)}
    chosen = choose(Scored(pool, np.zeros(2), np.ones(2), raw), query, Options(Budget(units=2), left_out=3))
    assert [one.reason for one in chosen.left_out] == ["line 1, which was chosen, says nearly the same"]


def test_a_turn_that_does_not_fit_the_tokens_says_how_many_it_has() -> None:
    made, query = scored(6)
    apart = Scored(
        Pool(made.pool.turns, np.eye(6, dtype=np.float32)), made.relevance, made.activation, made.raw
    )
    chosen = choose(apart, query, Options(Budget(units=60, tokens=25), left_out=9))
    each = tokens("About 1.")
    assert {one.reason for one in chosen.left_out} == {
        f"it has about {each} tokens, and {25 % each} were left"
    }
