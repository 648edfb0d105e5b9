"""Words that mean something alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.related import likeness, overlap, table

WORDS = st.lists(st.text("abcdefghijklmnopqrstuvwxyzäöü日本0123", min_size=1, max_size=12), max_size=12)


@pytest.mark.parametrize(
    ("kind", "thing", "other"),
    [("cities", "rome", "soup"), ("exercise", "yoga", "letter"), ("painting", "painted", "bus")],
)
def test_a_thing_is_more_like_its_kind_than_anything_else(kind: str, thing: str, other: str) -> None:
    like, unlike = likeness([thing, other], [kind])[:, 0].tolist()
    assert like > 0.2 > unlike


@pytest.mark.parametrize("word", ["yoga", "zxqj", "größe", "日本", "2025"])
def test_a_word_is_wholly_like_itself(word: str) -> None:
    assert likeness([word], [word]).tolist() == [[1.0]]


@pytest.mark.parametrize("word", ["日本", "größe", "2025", "donaudampfschiff"])
def test_a_word_that_is_not_english_is_like_no_other(word: str) -> None:
    assert likeness([word], ["yoga", "rome"]).tolist() == [[0.0, 0.0]]


def test_a_rare_word_counts_more_than_one_that_all_turns_have() -> None:
    turns = [["ferry"], ["bus", "ferry"], ["ferry"], ["ferry"]]
    shares = overlap([*turns, ["bus"]], ["bus", "ferry"])
    assert shares[4] > shares[0]
    assert shares[1] == pytest.approx(1)


def test_turns_without_words_and_questions_without_words_have_nothing_in_common() -> None:
    assert overlap([[], ["bus"], []], ["bus"]).tolist() == [0, 1, 0]
    assert overlap([["bus"]], []).tolist() == [0]
    assert overlap([[], []], ["bus"]).tolist() == [0, 0]
    assert overlap([], ["bus"]).tolist() == []


@given(st.lists(WORDS.map(lambda words: list(dict.fromkeys(words))), max_size=6), WORDS)
def test_a_share_is_between_0_and_1(turns: list[list[str]], asked: list[str]) -> None:
    shares = overlap(turns, list(dict.fromkeys(asked)))
    assert ((shares >= 0) & (shares <= 1 + 1e-6)).all()


def test_the_table_holds_unit_vectors_of_different_tokens() -> None:
    rows, vectors = table()
    assert len(rows) == len(vectors) > 20_000
    assert (vectors**2).sum(axis=1) == pytest.approx(1, abs=1e-5)
