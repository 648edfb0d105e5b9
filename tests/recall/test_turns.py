"""Identities of turns, and which transcript a file belongs to."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.turns import (
    KEY_BYTES,
    Identifier,
    content_key,
    embedding_text,
    landmarks,
    repeated,
)
from localmem.values import Turn
from tests.recall.support import NOON, turn

ANY_TEXT = st.text(st.characters(), max_size=6)
TURNS = st.builds(
    Turn,
    speaker=ANY_TEXT,
    text=ANY_TEXT,
    at=st.none() | st.sampled_from([NOON, NOON.replace(tzinfo=UTC), datetime(1970, 1, 1)]),
    source=st.just(""),
)


def keys_of(turns: list[Turn]) -> list[bytes]:
    contents = b"".join(map(content_key, turns))
    identifier = Identifier(repeated(contents))
    return [identifier.key(content_key(one)) for one in turns]


def test_the_embedder_reads_who_said_it() -> None:
    assert embedding_text(turn("Hello.", "Bob")) == "Bob: Hello."


def test_equal_turns_of_a_conversation_have_different_keys() -> None:
    assert len(set(keys_of([turn("Thanks!")] * 4))) == 4


def test_the_first_of_equal_turns_has_the_key_of_its_content() -> None:
    assert keys_of([turn("Thanks!"), turn("Thanks!")])[0] == content_key(turn("Thanks!"))


@given(st.lists(TURNS, max_size=30))
def test_keys_are_different_and_the_same_at_every_reading(turns: list[Turn]) -> None:
    keys = keys_of(turns)
    assert len(set(keys)) == len(turns)
    assert {len(key) for key in keys} <= {KEY_BYTES}
    assert keys_of(turns) == keys


@given(st.lists(TURNS, max_size=20), st.lists(TURNS, max_size=20))
def test_a_longer_conversation_gives_its_beginning_the_same_keys(first: list[Turn], rest: list[Turn]) -> None:
    assert keys_of([*first, *rest])[: len(first)] == keys_of(first)


@given(TURNS, TURNS)
def test_two_contents_have_one_key_only_if_they_are_equal(a: Turn, b: Turn) -> None:
    same = (a.speaker, a.at, a.text) == (b.speaker, b.at, b.text)
    assert (content_key(a) == content_key(b)) == same


@given(ANY_TEXT, ANY_TEXT, st.integers(0, 12))
def test_no_text_can_imitate_the_border_between_two_fields(speaker: str, text: str, cut: int) -> None:
    joined = speaker + text
    moved = turn(joined[cut:], joined[:cut])
    assert (content_key(moved) == content_key(turn(text, speaker))) == (
        (moved.speaker, moved.text) == (speaker, text)
    )


def test_where_a_turn_stood_in_its_file_is_no_part_of_its_identity() -> None:
    one = turn("Hello.")
    assert content_key(replace(one, source="line 99", session="June")) == content_key(one)


def test_a_time_is_part_of_the_identity() -> None:
    assert content_key(turn("Hello.", at=NOON)) != content_key(turn("Hello."))


def test_repeated_names_what_occurs_more_than_once() -> None:
    a, b, c = (content_key(turn(text)) for text in "abc")
    assert repeated(a + b + c + a + c + a) == {a, c}


def test_nothing_is_repeated_in_nothing() -> None:
    assert repeated(b"") == set()


@given(st.lists(st.integers(0, 5), max_size=30))
def test_repeated_agrees_with_counting(numbers: list[int]) -> None:
    made = [content_key(turn(str(number))) for number in numbers]
    assert repeated(b"".join(made)) == {key for key in made if made.count(key) > 1}


@given(st.permutations(range(8)), st.integers(-1, 8))
def test_landmarks_rise(positions: list[int], cursor: int) -> None:
    found = landmarks(positions, cursor)
    assert found == sorted(found)
    assert [position for position in positions if position in found] == found


@given(st.permutations(range(7)))
def test_landmarks_are_as_many_as_can_be(positions: list[int]) -> None:
    rising = [
        chosen
        for size in range(8)
        for chosen in itertools.combinations(positions, size)
        if list(chosen) == sorted(chosen)
    ]
    assert len(landmarks(positions, -1)) == max(map(len, rising))


def test_a_single_position_behind_the_cursor_is_no_landmark() -> None:
    assert landmarks([0], 100) == []


def test_the_cursor_itself_was_wrong_if_more_speaks_against_it() -> None:
    assert landmarks([3, 4, 5], 100) == [3, 4, 5]
