"""Turns to threads, without a model."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from localmem.recall.threads import (
    HEAD_CHARACTERS,
    LOOKBACK,
    MAXIMUM_TURNS,
    MINIMUM_TURNS,
    PAUSE_SECONDS,
    WINDOW,
    head,
    seconds,
    segment,
)
from localmem.values import Turn
from tests.recall.support import NOON, borders, turn, unit_vectors


def alike(count: int) -> NDArray[np.float32]:
    return np.tile(np.array([1, 0], np.float32), (count, 1))


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[Turn], NDArray[np.float32]]:
    """Turns with sessions, pauses and missing times, and vectors that drift."""
    count = draw(st.integers(1, 60))
    moment, session, turns = NOON, 0, []
    for n in range(count):
        step = draw(st.sampled_from(["", "", "", "", "", "", "pause", "session", "unknown", "back"]))
        session += step == "session"
        moment += timedelta(seconds=60 + (PAUSE_SECONDS if step == "pause" else 0))
        moment -= timedelta(seconds=2 * PAUSE_SECONDS if step == "back" else 0)
        turns.append(turn(f"turn {n}", at=None if step == "unknown" else moment, session=str(session)))
    return turns, unit_vectors(count, draw(st.integers(0, 2**32 - 1)))


@given(conversations())
def test_every_turn_is_in_exactly_one_thread(made: tuple[list[Turn], NDArray[np.float32]]) -> None:
    turns, vectors = made
    cuts = segment(turns, vectors)
    assert [n for cut in cuts for n in range(cut.first, cut.last + 1)] == list(range(len(turns)))


@given(conversations())
def test_a_thread_never_goes_over_a_session_or_a_pause(made: tuple[list[Turn], NDArray[np.float32]]) -> None:
    turns, vectors = made
    for cut in segment(turns, vectors):
        inside = turns[cut.first : cut.last + 1]
        assert len({one.session for one in inside}) == 1
        for before, after in itertools.pairwise(inside):
            assert not abs(seconds(after) - seconds(before)) > PAUSE_SECONDS


@given(conversations())
def test_a_thread_has_a_maximum_length(made: tuple[list[Turn], NDArray[np.float32]]) -> None:
    """The last thread of a sitting may take the turns that are too few for one of their own."""
    turns, vectors = made
    assert max(cut.last - cut.first + 1 for cut in segment(turns, vectors)) < MAXIMUM_TURNS + MINIMUM_TURNS


@given(conversations())
def test_the_vector_of_a_thread_has_length_one(made: tuple[list[Turn], NDArray[np.float32]]) -> None:
    for cut in segment(*made):
        assert np.linalg.norm(cut.vector) == pytest.approx(1, abs=1e-5)


@settings(max_examples=200)
@given(conversations(), st.data())
def test_pieces_give_the_threads_that_one_go_gives(
    made: tuple[list[Turn], NDArray[np.float32]], data: st.DataObject
) -> None:
    """What an ingest does: after each batch, cut again from a border that can no longer move."""
    turns, vectors = made
    cuts: list[tuple[int, int]] = []
    heads: dict[tuple[int, int], str] = {}
    end = 0
    while end < len(turns):
        first = end
        end = min(len(turns), end + data.draw(st.integers(1, 25)))
        begin = min([first, *(a for a, b in cuts if b >= max(0, first - LOOKBACK))])
        context = max(0, begin - WINDOW)
        new = segment(turns[context:end], vectors[context:end], start=begin - context)
        moved = [(context + cut.first, context + cut.last) for cut in new]
        cuts = [cut for cut in cuts if cut[0] < begin] + moved
        heads |= {place: cut.head for place, cut in zip(moved, new, strict=True)}
    at_once = segment(turns, vectors)
    assert cuts == borders(at_once)
    assert [heads[cut] for cut in cuts] == [cut.head for cut in at_once]


def test_a_new_session_begins_a_thread() -> None:
    turns = [turn(f"{n}", session="May" if n < 3 else "June") for n in range(6)]
    assert borders(segment(turns, alike(6))) == [(0, 2), (3, 5)]


def test_a_pause_begins_a_thread() -> None:
    turns = [turn(f"{n}", at=NOON + timedelta(minutes=n, hours=5 if n > 2 else 0)) for n in range(6)]
    assert borders(segment(turns, alike(6))) == [(0, 2), (3, 5)]


def test_a_pause_that_is_short_begins_none() -> None:
    turns = [turn(f"{n}", at=NOON + timedelta(minutes=n, hours=3 if n > 2 else 0)) for n in range(6)]
    assert borders(segment(turns, alike(6))) == [(0, 5)]


def test_a_drift_of_the_talk_begins_a_thread() -> None:
    vectors = np.repeat(np.eye(2, dtype=np.float32), 5, axis=0)
    assert borders(segment([turn(f"{n}") for n in range(10)], vectors)) == [(0, 4), (5, 9)]


def test_a_session_of_one_turn_is_a_thread() -> None:
    turns = [turn("a", session="1"), turn("b", session="2"), turn("c", session="2")]
    assert borders(segment(turns, alike(3))) == [(0, 0), (1, 2)]


def test_a_long_talk_about_one_thing_is_cut_at_the_maximum() -> None:
    turns = [turn(f"{n}") for n in range(30)]
    assert borders(segment(turns, alike(30))) == [(0, 11), (12, 23), (24, 29)]


def test_nothing_is_cut_from_the_end_on() -> None:
    assert segment([turn("a")], alike(1), start=1) == []


def test_vectors_that_cancel_each_other_do_no_harm() -> None:
    vectors = np.array([[1, 0], [-1, 0], [1, 0], [-1, 0]], np.float32)
    assert borders(segment([turn(f"{n}") for n in range(4)], vectors))[-1][1] == 3


def test_a_head_is_the_most_central_turn_that_says_something() -> None:
    turns = [turn("Yes."), turn("The ferry to Ullapool leaves at nine.", "Bob"), turn("I had toast.")]
    assert head(turns, np.array([0.9, 0.8, 0.2], np.float32)) == "Bob: The ferry to Ullapool leaves at nine."


def test_a_head_is_short_and_ends_with_a_whole_word() -> None:
    said = head([turn("word " * 200)], np.array([1.0], np.float32))
    assert len(said) <= HEAD_CHARACTERS + len("Ann: ")
    assert said.endswith(" word…")


def test_a_head_of_one_endless_word_is_short_too() -> None:
    assert len(head([turn("w" * 5000)], np.array([1.0], np.float32))) <= HEAD_CHARACTERS + len("Ann: ")


def test_a_head_is_one_line() -> None:
    assert head([turn("one\n\n two\tthree")], np.array([1.0], np.float32)) == "Ann: one two three"


def test_a_naive_time_is_taken_as_it_stands() -> None:
    assert seconds(turn("", at=datetime(1970, 1, 2))) == 86_400


def test_a_time_with_a_zone_is_put_on_one_clock() -> None:
    assert seconds(turn("", at=datetime(1970, 1, 2, tzinfo=UTC))) == 86_400


def test_no_time_is_no_number() -> None:
    assert np.isnan(seconds(turn("")))
