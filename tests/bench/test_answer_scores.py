"""F1, BLEU-1, and the interval of a difference."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.bench.answer_scores import bleu1, f1, macro, paired_interval, token_f1, words

TEXT = st.text("abcdef ,.AThe", max_size=40)


def test_articles_case_and_punctuation_do_not_count() -> None:
    assert words("The cat, a dog and an Owl!") == ["cat", "dog", "owl"]


def test_words_are_compared_by_their_stems() -> None:
    assert token_f1("She paints birds", "painting bird") == pytest.approx(0.8)


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    assert token_f1("red green", "red blue white") == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))


def test_each_part_of_a_multi_hop_answer_counts_with_what_fits_it_best() -> None:
    assert f1("herons, soup", "soup, herons", "multi-hop") == 1
    assert f1("herons", "soup, herons", "multi-hop") == pytest.approx(0.5)


def test_what_follows_a_semicolon_explains_an_open_answer() -> None:
    assert f1("likely no", "Likely no; she never said so", "open") == 1


def test_an_answer_that_is_not_there_has_no_score() -> None:
    assert (f1("", "soup", "single-hop"), bleu1("", "soup"), f1("", "soup, bread", "multi-hop")) == (0, 0, 0)


def test_bleu_clips_repeated_words_and_punishes_short_answers() -> None:
    assert bleu1("soup soup", "soup bread") == pytest.approx(0.5)
    assert bleu1("soup", "soup bread") == pytest.approx(math.exp(-1))


@given(TEXT, TEXT, st.sampled_from(["multi-hop", "temporal", "open", "single-hop"]))
def test_scores_are_between_0_and_1(said: str, expected: str, kind: str) -> None:
    assert 0 <= f1(said, expected, kind) <= 1
    assert 0 <= bleu1(said, expected) <= 1


def test_the_macro_mean_gives_every_kind_the_same_weight() -> None:
    assert macro([1, 1, 1, 0], ["a", "a", "a", "b"]) == pytest.approx(0.5)
    assert math.isnan(macro([], []))


def test_the_interval_of_a_constant_difference_is_that_difference() -> None:
    assert paired_interval([0.9] * 8, [0.7] * 8, list("aaaabbbb")) == pytest.approx((0.2, 0.2))


def test_the_interval_holds_the_difference_and_narrows_with_more_questions() -> None:
    ours, theirs, kinds = [1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0], list("aabb")
    low, high = paired_interval(ours, theirs, kinds)
    assert low < 0.5 < high
    few = high - low
    low, high = paired_interval(ours * 30, theirs * 30, kinds * 30)
    assert high - low < few / 2


def test_without_questions_there_is_no_interval() -> None:
    assert all(math.isnan(end) for end in paired_interval([], [], []))
