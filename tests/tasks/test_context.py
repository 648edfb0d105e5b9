"""What the stages share about a turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.tasks.context import Part, kind_of
from tests.tasks.scene import context_of

FORGE = """kiln party
- smith = Ilka
- time = noon
- anvil
- - stand
raku class
- glaze = copper red
old fair (removed)"""


@pytest.mark.parametrize(
    "text",
    [
        "half past two",
        "3 pm",
        "15:30",
        "noon",
        "midnight",
        "4 o'clock",
        "halb drei",
        "las dos y media",
        "10 Uhr",
        "at 3 p.m.",
    ],
)
def test_a_time_is_a_time(text: str) -> None:
    assert kind_of(text) == "time"


@pytest.mark.parametrize(
    "text",
    [
        "Friday",
        "3rd of May",
        "3. Mai",
        "2025-03-04",
        "Freitag",
        "viernes",
        "tomorrow",
        "next Monday",
        "el 5 de mayo",
        "12.4.",
    ],
)
def test_a_date_is_a_date(text: str) -> None:
    assert kind_of(text) == "date"


@pytest.mark.parametrize("text", ["2 bags", "900", "a dozen", "dos", "vier Säcke"])
def test_a_quantity_is_a_number(text: str) -> None:
    assert kind_of(text) == "number"


@pytest.mark.parametrize("text", ["copper red", "Ilka", "", "Eisen", "mayonnaise", "sundays best hat"])
def test_anything_else_is_a_text(text: str) -> None:
    assert kind_of(text) == "text"


@given(st.text(max_size=60))
def test_every_value_is_of_one_kind(text: str) -> None:
    assert kind_of(text) in ("time", "date", "number", "text")


def test_the_task_that_is_named_is_the_one_spoken_of() -> None:
    assert context_of(FORGE, "the raku class needs a broom", focus=["anvil"]).root.slot == "raku class"


def test_a_part_that_is_named_tells_the_task() -> None:
    assert context_of(FORGE, "the glaze is dry", focus=["anvil"]).root.slot == "raku class"


def test_without_a_name_it_is_the_task_spoken_of_last() -> None:
    assert context_of(FORGE, "bring a broom", focus=["stand"]).root.slot == "kiln party"


def test_without_any_it_is_the_latest_live_task() -> None:
    assert context_of(FORGE, "bring a broom", focus=[]).root.slot == "raku class"


def test_nothing_stands_in_an_empty_graph() -> None:
    context = context_of("(nothing yet)", "bring a broom")
    assert context.root is None
    assert context.mentions == []


def test_kinds_of_values_that_are_told() -> None:
    assert context_of(FORGE, "make it Friday at 3 pm").kinds == {"text", "time", "date"}
    assert context_of(FORGE, "make it blue").kinds == {"text"}


def test_a_slot_that_is_said_word_by_word_is_told() -> None:
    assert "glaze" in context_of(FORGE, "the glaze, please").told_slots
    assert "glaze" not in context_of(FORGE, "glazed tiles").told_slots


def test_a_tag_names_the_live_node_of_that_slot() -> None:
    assert context_of(FORGE, "glaze: blue").tagged.label == "glaze = copper red"
    assert context_of(FORGE, "owner: Farid").tagged is None
    assert context_of(FORGE, "glaze it blue").tagged is None


def test_of_two_slots_alike_a_tag_names_the_latest() -> None:
    context = context_of("one\n- smith = Ilka\ntwo\n- smith = Jonas", "smith: Bo")
    assert context.tagged.value == "Jonas"


def test_below_holds_live_parts_at_any_depth() -> None:
    context = context_of(FORGE, "")
    graph = context.graph
    found = context.below([graph.find("kiln party")[0].id])
    assert {graph[id].slot for id in found} == {"kiln party", "smith", "time", "anvil", "stand"}


def test_siblings_are_the_other_live_parts() -> None:
    context = context_of(FORGE, "")
    (anvil,) = context.graph.find("anvil")
    assert [node.slot for node in context.siblings(anvil)] == ["smith", "time"]


def test_a_deleted_root_is_no_root_of_anything() -> None:
    context = context_of("old fair (removed)\nnew fair", "")
    assert context.root_of(context.graph.find("old fair")[0]) is None


def test_every_part_that_can_be_left_out_has_a_name() -> None:
    assert set(map(str, Part)) == {"trim", "graph", "guards", "examples"}


@pytest.mark.parametrize("text", ["7:30 pm", "8:30 p.m.", "19:15", "4 PM", "10.30 Uhr", "at 10:45"])
def test_a_time_of_day_is_a_time_however_it_is_written(text: str) -> None:
    assert kind_of(text) == "time"
