"""An answer can cite only turns that were shown, and give only times that these turns tell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from localmem.llm import grammar as grammars
from localmem.recall.answer_evidence import evidence, times_told
from localmem.recall.answer_grammar import grammar
from tests.recall.answering import CAR, CAT, FERRY, MARCH, UNKNOWN_REPLY, ask
from tests.recall.support import turn, unit, workspace


def test_the_grammar_holds_the_numbers_of_the_turns_and_no_others() -> None:
    rules = grammar([1, 2, 3])
    assert grammars.accepts(rules, "[1] [3] To Ullapool.")
    assert grammars.accepts(rules, UNKNOWN_REPLY)
    assert not grammars.accepts(rules, "[4] To Ullapool.")
    assert not grammars.accepts(rules, "[11] To Ullapool.")
    assert not grammars.accepts(rules, "[0] To Ullapool.")
    assert not grammars.accepts(rules, "To Ullapool.")


def test_more_than_a_hundred_turns_can_be_cited() -> None:
    assert grammars.accepts(grammar(range(1, 151)), "[150] Yes.")


def test_every_call_has_the_grammar_of_its_turns() -> None:
    _, model, _ = ask("Who?", workspace(CAT, FERRY), "[2] x")
    assert model.grammars == [grammar([1, 2])]


def test_a_date_that_no_turn_names_cannot_be_written() -> None:
    _, model, _ = ask("When was the Saab bought?", workspace(CAR), "[1] 3 March 2025")
    rules = model.grammars[0]
    assert rules is not None
    assert grammars.accepts(rules, "[1] 3 March 2025")
    assert not grammars.accepts(rules, "[1] 5 March 2025")


def test_an_answer_that_begins_with_a_figure_is_a_time_of_the_turn_that_it_cites() -> None:
    shown = evidence([unit(1, turn("We met 10 years ago, at 9:30 am.", at=MARCH)), unit(2, CAT)])
    rules = grammar([1, 2], times_told(shown))
    for reply in (
        "[1] 2015",
        "[1] 10 years ago",
        "[1] 9:30 am",
        "[2] 4 March 2025",
        "[1] [2] in the morning",
    ):
        assert grammars.accepts(rules, reply)
    for reply in ("[1] 4 March 2025", "[2] 9:30 am", "[1] [2] 2015", "[2] 5 March 2025"):
        assert not grammars.accepts(rules, reply)


def test_a_relative_date_is_told_with_and_without_what_was_said_of_it() -> None:
    week = evidence([unit(1, turn("I joined the choir last week.", at=MARCH))])
    assert times_told(week) == {1: ["the week before 4 March 2025", "4 March 2025"]}


def test_turns_without_a_time_leave_words() -> None:
    rules = grammar([1], times_told(evidence([unit(1, turn("soon"))])))
    assert grammars.accepts(rules, "[1] soon")
    assert not grammars.accepts(rules, "[1] 4 March 2025")


def test_a_question_for_yes_or_no_has_no_other_answer() -> None:
    _, model, _ = ask("Does Bob have the cat?", workspace(CAT), "[1] Yes")
    rules = model.grammars[0] or ""
    assert grammars.accepts(rules, "[1] No")
    assert grammars.accepts(rules, UNKNOWN_REPLY)
    assert not grammars.accepts(rules, "[1] Yes, and the car")


@given(st.lists(st.text(max_size=30), min_size=1))
def test_a_grammar_can_be_made_of_any_times(texts: list[str]) -> None:
    shown = evidence([unit(number, turn(text, at=MARCH)) for number, text in enumerate(texts)])
    rules = grammar(range(1, len(texts) + 1), times_told(shown))
    assert grammars.accepts(rules, UNKNOWN_REPLY)
