"""Texts of parts as items."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.tasks.items import itemised, meaning, merged, quantity, title
from localmem.tasks.trim import Line, Verb
from tests.tasks.scene import words


def items(slot: str, text: str = "", told: str = "", language: str = "en") -> list[tuple[str, str]]:
    line = Line(Verb.PART, "as written", (1,), slot=slot, text=text)
    return [(one.slot, one.text) for one in itemised(line, told or f"{slot} {text}", language)]


@pytest.mark.parametrize(
    ("written", "slot", "value"),
    [
        ("3 kg of flour", "flour", "3 kg"),
        ("500 g sugar", "sugar", "500 g"),
        ("two bells", "bells", "two"),
        ("half a pound of butter", "butter", "half a pound"),
        ("tape 3 rolls", "tape", "3 rolls"),
        ("zwei Flaschen Milch", "Milch", "zwei Flaschen"),
        ("2 kg de harina", "harina", "2 kg"),
        ("media docena de huevos", "huevos", "media docena"),
    ],
)
def test_a_quantity_is_the_value_of_what_there_is_so_much_of(written: str, slot: str, value: str) -> None:
    assert items(written) == [(slot, value)]


@pytest.mark.parametrize("written", ["a lamp", "the lamp", "one lamp"])
def test_an_article_is_no_quantity(written: str) -> None:
    assert items(written)[0][1] == ""


@pytest.mark.parametrize(
    "written",
    [
        "crown, sword and mask",
        "crown, sword, mask",
        "crown; sword & mask",
        "crown, sword und mask",
        "crown, sword y mask",
    ],
)
def test_a_list_is_several_items(written: str) -> None:
    assert items(written) == [("crown", ""), ("sword", ""), ("mask", "")]


def test_each_item_of_a_list_may_have_its_quantity() -> None:
    assert items("2 crowns, a sword and three masks") == [("crowns", "2"), ("sword", ""), ("masks", "three")]


def test_people_of_one_slot_are_several() -> None:
    assert items("guests", "Ana, Bo and Cy") == [("guests", "Ana"), ("guests", "Bo"), ("guests", "Cy")]


def test_a_list_as_a_value_of_a_thing_stays_one_value() -> None:
    assert items("bread", "rye, spelt") == [("bread", "rye, spelt")]


def test_counted_values_are_items() -> None:
    assert items("canvas", "tent 4, tarp 2") == [("tent", "4"), ("tarp", "2")]


@pytest.mark.parametrize(
    ("written", "language", "slots"),
    [
        ("Friday 7 pm", "en", [("date", "Friday"), ("time", "7 pm")]),
        ("at noon", "en", [("time", "noon")]),
        ("on Friday", "en", [("date", "Friday")]),
        ("um 15 Uhr", "de", [("Uhrzeit", "15 Uhr")]),
        ("Freitag um 15 Uhr", "de", [("Datum", "Freitag"), ("Uhrzeit", "15 Uhr")]),
        ("viernes a las 7 h", "es", [("fecha", "viernes"), ("hora", "7 h")]),
    ],
)
def test_when_needs_no_slot_of_its_own_name(
    written: str, language: str, slots: list[tuple[str, str]]
) -> None:
    assert items(written, language=language) == slots


def test_a_bare_number_behind_at_is_a_time() -> None:
    assert items("8", told="we meet at 8") == [("time", "8")]


def test_a_value_that_repeats_its_slot_is_none() -> None:
    assert items("Flour", "flour") == [("Flour", "")]


@pytest.mark.parametrize(
    "written", ["information", "the details", "something", "it", "Informationen", "los datos"]
)
def test_hollow_words_are_no_item(written: str) -> None:
    assert items(written) == []


def test_lines_of_other_kinds_stay_as_they_are() -> None:
    line = Line(Verb.DELETE, "x", (1,))
    assert itemised(line, "") in ([line], [])
    whole = Line(Verb.PART, "x", (1,), within=True, slot="props")
    assert itemised(whole, "") == [whole]


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("5 mg at noon", "10 mg", "10 mg at noon"),
        ("5 mg at noon", "1 pm", "5 mg at 1 pm"),
        ("10 mg at 8 PM", "9 PM", "10 mg at 9 PM"),
        ("2 cups of milk", "3 cups", "3 cups of milk"),
        ("8:30 at the mill", "9:15", "9:15 at the mill"),
        ("3 kg", "4 kg", "4 kg"),
        ("3 kg", "two bags", "two bags"),
        ("red", "blue", "blue"),
        ("from 9 to 11 with Bo", "10", "10"),
        ("100 people at most", "9", "9"),
    ],
)
def test_a_new_quantity_or_time_leaves_the_rest_of_a_value(old: str, new: str, value: str) -> None:
    assert merged(old, new) == value


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("for the cake", "cake"),
        ("für den Umzug", "Umzug"),
        ("para la fiesta", "fiesta"),
        ("fortress", "fortress"),
        ("for", "for"),
    ],
)
def test_a_title_is_without_the_words_that_lead_to_it(text: str, name: str) -> None:
    assert title(text) == name


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("4 bags of compost", True), ("two bells", True), ("a lamp", False), ("lamp", False), ("2", False)],
)
def test_so_much_of_something_is_a_quantity(text: str, is_one: bool) -> None:
    assert quantity(text) is is_one


@pytest.mark.parametrize(
    ("text", "means"), [("lamp", True), ("8", True), ("the", False), ("info", False), ("", False)]
)
def test_a_text_of_function_words_means_nothing(text: str, means: bool) -> None:
    assert meaning(text) is means


WORDS = st.lists(
    st.sampled_from(words("crown sword 2 three kg of a the and , Ana Bo at noon Friday 7 pm bags ; ( ) =")),
    min_size=1,
    max_size=9,
).map(" ".join)


@given(WORDS, st.just("") | WORDS, st.sampled_from(["en", "de", "es"]))
def test_items_are_made_of_the_words_that_were_written(slot: str, text: str, language: str) -> None:
    slots = {"time", "date", "Uhrzeit", "Datum", "hora", "fecha"}
    said = set(re.findall(r"\w+", f"{slot} {text}"))
    for name, value in items(slot, text, language=language):
        assert set(re.findall(r"\w+", f"{name} {value}")) <= said | slots


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_can_be_merged(old: str, new: str) -> None:
    merged(old, new)
