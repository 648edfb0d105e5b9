"""Whom a question is about, and whether a turn can be about the same person."""

from __future__ import annotations

import pytest

from localmem.recall.answer_subject import about_somebody_else, subject
from tests.recall.support import turn


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ann bake?", "Ann Lee"),
        ("What did Ann and Bob bake?", None),
        ("What was baked?", None),
    ],
)
def test_a_question_is_about_the_one_person_that_it_names(question: str, expected: str | None) -> None:
    assert subject(question, {"Ann Lee", "Bob"}) == expected


@pytest.mark.parametrize(
    "text",
    ["I baked a plum cake.", "Hey Ann! My cake is ready.", "Ich habe Kuchen gebacken."],
)
def test_what_others_say_of_themselves_is_about_somebody_else(text: str) -> None:
    assert about_somebody_else(turn(text, "Bob"), None, "Ann")


@pytest.mark.parametrize(
    "text",
    [
        "You told me about the cake.",
        "I like your cake.",
        "I was there when it happened, and so was Ann.",
        "The cake was good.",
        "We went to Rome.",
    ],
)
def test_what_is_said_to_somebody_or_names_her_may_be_about_her(text: str) -> None:
    assert not about_somebody_else(turn(text, "Bob"), None, "Ann")


def test_what_somebody_says_himself_may_be_about_him() -> None:
    assert not about_somebody_else(turn("I baked a cake.", "Ann"), None, "Ann")


def test_she_may_be_whom_the_turn_before_named() -> None:
    said = turn("I think she baked a cake.", "Bob")
    assert not about_somebody_else(said, turn("What did Ann do?", "Carl"), "Ann")
    assert about_somebody_else(said, turn("What did Dora do?", "Carl"), "Ann")
