"""Which nodes words touch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.tasks.mentions import Mention, alike, content, mentions, stem, within
from tests.tasks.scene import graph_of

FORGE = """kiln party
- smith = Ilka
- time = noon
- anvil
- coal = 2 bags
- bucket (removed)
raku class
- glaze = copper red
- smith = Jonas"""


def touched(said: str, *, deleted: bool = False) -> list[Mention]:
    return mentions(graph_of(FORGE), said, deleted=deleted)


def labels(said: str, *, deleted: bool = False) -> list[str]:
    return [mention.node.label for mention in touched(said, deleted=deleted)]


def test_a_slot_that_is_said_is_touched() -> None:
    assert labels("where is the anvil") == ["anvil"]


def test_a_value_that_is_said_is_touched() -> None:
    assert labels("ask Ilka") == ["smith = Ilka"]


def test_another_ending_and_a_typing_error_are_the_same_word() -> None:
    assert labels("the anvils") == ["anvil"]
    assert labels("the anvl") == ["anvil"]


def test_words_that_mean_nothing_by_themselves_touch_nothing() -> None:
    assert labels("I need it now, and the list too") == []


def test_a_deleted_node_is_touched_only_if_asked_for() -> None:
    assert labels("the bucket") == []
    assert labels("the bucket", deleted=True) == ["bucket"]


def test_the_surest_comes_first() -> None:
    assert labels("the kiln party smith Ilka")[0] == "kiln party"


def test_a_part_of_a_value_is_half_a_mention() -> None:
    (mention,) = touched("copper")
    assert (mention.slot, mention.value, mention.score) == (0.0, 0.5, 0.5)


def test_a_word_that_two_nodes_have_belongs_to_none() -> None:
    assert [mention.own for mention in touched("the smith")] == [False, False]


def test_a_word_that_one_node_has_is_its_own() -> None:
    owns = {mention.node.value: mention.own for mention in touched("smith Ilka")}
    assert owns == {"Ilka": True, "Jonas": False}


@pytest.mark.parametrize("said", ["at what hour", "when does it begin", "Uhrzeit?", "la hora"])
def test_a_word_for_times_touches_the_time(said: str) -> None:
    assert "time = noon" in labels(said)


def test_numbers_are_alike_only_if_they_are_equal() -> None:
    assert alike("12", "12")
    assert not alike("12", "120")
    assert not alike("12:30", "12:35")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tomatoes", "tomato"),
        ("leaf", "leaves"),
        ("batteries", "battery"),
        ("mushrom", "mushroom"),
        ("mais", "maiskolben"),
        ("kinder", "kind"),
        ("lamparas", "lampara"),
    ],
)
def test_words_in_other_forms_are_alike(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("ilka", "ilja"), ("pan", "pen"), ("bread", "broad"), ("oak", "elm"), ("", "a")]
)
def test_short_words_that_differ_are_not_alike(one: str, other: str) -> None:
    assert not alike(one, other)


def test_content_leaves_function_words_of_all_languages_out() -> None:
    assert content("The anvil und das Eisen y el horno!") == ["anvil", "eisen", "horno"]


def test_content_keeps_numbers_whole() -> None:
    assert content("at 12:30 for 1,5 hours") == ["12:30", "1,5", "hours"]


def test_within_keeps_the_order_of_what_is_wanted() -> None:
    assert within(["coal", "tongs", "anvil"], ["anvils", "coals"]) == ["coal", "anvil"]


def test_a_stem_has_at_least_three_letters() -> None:
    assert stem("ness") == "nes"
    assert stem("es") == "es"


WORDS = st.text(st.characters(categories=["Ll", "Nd"]), max_size=12)


@given(WORDS, WORDS)
def test_likeness_goes_both_ways(one: str, other: str) -> None:
    assert alike(one, other) == alike(other, one)


@given(st.text(max_size=80))
def test_scores_lie_between_nothing_and_all(said: str) -> None:
    for mention in touched(said, deleted=True):
        assert 0 < mention.score <= 1
        assert mention.words
