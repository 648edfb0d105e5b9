"""What a model left out of an addition is added by code."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.tasks.context import Context
from localmem.tasks.coverage import completed
from localmem.tasks.graph import TaskGraph
from localmem.tasks.purpose import Purpose
from localmem.tasks.reading import read
from localmem.tasks.trim import BY_CODE, Line, Verb
from tests.tasks.support import kitchen


def part(slot: str, text: str = "", below: int = 1) -> Line:
    return Line(Verb.PART, f"+ {slot} = {text}", (below,), slot=slot, text=text)


def told(text: str, *lines: Line, purpose: Purpose | None = None) -> list[str]:
    reading = read(text)
    reading = reading.only([replace(clause, purpose=purpose) for clause in reading.clauses])
    found = completed(lines, Context(TaskGraph(), reading, ()))
    return [f"{line.slot} = {line.text}" if line.text else line.slot for line in found]


@pytest.mark.parametrize(
    ("text", "slot", "value", "whole"),
    [
        ("we want 20 kilos of red clay", "20 kilos", "", "20 kilos of red clay"),
        ("the shelf has boards from the big barn", "shelf", "boards", "shelf = boards from the big barn"),
        ("compramos 20 kilos de barro", "lugar", "20 kilos", "20 kilos de barro"),
    ],
)
def test_a_value_goes_on_to_the_end_of_its_phrase(text: str, slot: str, value: str, whole: str) -> None:
    assert told(text, part(slot, value)) == [whole]


def test_what_another_line_has_belongs_to_that_line() -> None:
    lines = part("lamp", "two"), part("Ben")
    assert told("two lamps from Ben", *lines) == ["lamp = two", "Ben"]


def test_a_time_is_not_made_longer() -> None:
    assert told("at 2 PM with the others", part("time", "2 PM")) == ["time = 2 PM"]


def test_a_part_of_an_enumeration_that_no_line_has_is_an_entry() -> None:
    found = told("it comes out on 5 August, with 200 copies", part("copies", "200"))
    assert found == ["copies = 200", "comes out on 5 August"]


@pytest.mark.parametrize(
    ("text", "line", "added"),
    [
        ("we begin at 4 pm in our garden", part("place", "garden"), "time = 4 pm"),
        (
            "Radtour am Sonntag mit Jana",
            Line(Verb.NEW, "new: Radtour", (-1,), text="Radtour"),
            "Datum = Sonntag",
        ),
        ("nos vemos en la plaza el viernes", part("lugar", "plaza"), "fecha = viernes"),
    ],
)
def test_a_time_or_a_day_that_was_told_is_never_lost(text: str, line: Line, added: str) -> None:
    assert added in told(text, line)


def test_a_day_that_a_line_has_is_not_added_again() -> None:
    assert told("we meet on Friday", part("date", "Friday")) == ["date = Friday"]
    task = Line(Verb.NEW, "new: Friday walk", (-1,), text="Friday walk")
    assert len(told("a Friday walk", task)) == 1


def test_what_has_no_number_and_no_name_in_it_is_left_out() -> None:
    assert told("two ropes, it took ages", part("ropes", "two")) == ["ropes = two"]


@pytest.mark.parametrize("text", ["drop the tent, 5 August", "swap the tent for Ben, 5 August"])
def test_a_turn_that_changes_something_gets_no_entries(text: str) -> None:
    assert told(text, part("tent")) == ["tent"]


def test_a_clause_that_is_surely_no_addition_gets_no_entries() -> None:
    assert told("two ropes, Ben says 5", part("ropes", "two"), purpose=Purpose.CHANGE) == ["ropes = two"]


def test_what_stands_already_is_no_entry_again() -> None:
    plan = kitchen()
    reading = read("six eggs, Flour 550")
    found = completed([part("eggs", "six")], Context(plan.graph, reading, ()))
    assert [line.slot for line in found] == ["eggs"]


def test_without_additions_nothing_is_added() -> None:
    lines = [Line(Verb.NONE, "none")]
    assert completed(lines, Context(TaskGraph(), read("on 5 August, 200 copies"), ())) == lines


@given(st.text(max_size=80), st.text(min_size=1, max_size=12))
def test_no_line_of_the_model_goes_and_added_ones_are_words_of_the_turn(text: str, slot: str) -> None:
    reading = read(text)
    before = [part(slot, "x")]
    found = completed(before, Context(TaskGraph(), reading, ()))
    assert len(found) >= 1
    joined = " ".join(clause.text for clause in reading.clauses)
    for line in found[1:]:
        assert line.written == BY_CODE
        assert all(word in joined for word in (line.text or line.slot).split())
