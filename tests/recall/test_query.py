"""Questions to what the index can look for."""

from __future__ import annotations

import numpy as np
import pytest

from localmem.recall.query import (
    MONTHS,
    READ_CHARACTERS,
    entities,
    named_months,
    named_speakers,
    parse,
    words,
)

VECTOR = np.array([1.0], np.float32)


def test_words_are_lower_case_and_in_order() -> None:
    assert words("Déjà-vu, 3 Times_over!") == ["déjà", "vu", "3", "times", "over"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we met Gethin in New York", {"gethin", "new york"}),
        ("Yesterday was fine. Then it rained.", set()),
        ("it cost 1,050 in 2025", {"1,050", "2025"}),
        ("at 7 or at 10:30", {"10:30"}),
        ("the café of Élise Ångström", {"élise ångström"}),
        ("what did I say", set()),
        ("", set()),
    ],
)
def test_entities_are_names_and_numbers(text: str, expected: set[str]) -> None:
    assert entities(text) == expected


def test_a_first_name_names_a_speaker() -> None:
    assert named_speakers("What did Ann buy?", ["Ann Lee", "Bob"]) == {"Ann Lee"}


def test_a_possessive_names_a_speaker() -> None:
    assert named_speakers("Ann's car", ["Ann", "Bob"]) == {"Ann"}


def test_part_of_a_word_names_nobody() -> None:
    assert named_speakers("the annual planning", ["Ann"]) == frozenset()


def test_a_speaker_without_letters_is_never_named() -> None:
    assert named_speakers("what? ...", ["...", "😀"]) == frozenset()


def test_names_of_speakers_are_no_words_to_look_for() -> None:
    query = parse("When did Ann visit Ullapool?", VECTOR, ["Ann", "Bob"])
    assert query.words == ("visit", "ullapool")
    assert query.speakers == {"Ann"}
    assert query.entities == {"ann", "ullapool"}


def test_a_word_is_looked_for_once() -> None:
    assert parse("ferry ferry FERRY", VECTOR, []).words == ("ferry",)


def test_a_question_of_stop_words_has_no_words() -> None:
    assert parse("Who was it?", VECTOR, []).words == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Ann do in May 2023?", {5}),
        ("What may Ann do?", set()),
        ("Did they march in march or in March?", {3}),
        ("in september or October", {9, 10}),
        ("Was war im März?", {3}),
        ("¿Qué pasó en enero?", {1}),
        ("Januaries and Mayfield", set()),
        ("", set()),
    ],
)
def test_named_months_are_found(text: str, expected: set[int]) -> None:
    assert named_months(text) == expected


def test_a_parsed_question_has_its_months() -> None:
    assert parse("Where was Ann in June?", np.ones(3, np.float32), ["Ann"]).months == {6}


def test_every_month_has_a_name() -> None:
    assert set(MONTHS.values()) == set(range(1, 13))


def test_names_are_looked_for_in_the_beginning_of_a_huge_text() -> None:
    filler = "so " * (READ_CHARACTERS // 3)
    assert entities(f"we met Gethin {filler} and Tegid") == {"gethin"}
