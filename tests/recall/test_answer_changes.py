"""Of two turns that tell the same of different days, the later one counts."""

from __future__ import annotations

from datetime import datetime

import pytest

from localmem.recall.answer import answer
from localmem.recall.answer_changes import asks_for_present, changes
from localmem.values import StoredTurn
from tests.fakes import ScriptedModel
from tests.recall.support import turn, workspace

JANUARY, MARCH = datetime(2025, 1, 8), datetime(2025, 3, 11)
OLD = turn("The choir costs 60 euros a year.", "Nadia", at=JANUARY)
NEW = turn("They want 75 euros for the choir now.", "Nadia", at=MARCH)
OTHER = turn("Still cheap.", "Piet", at=MARCH)


def stored(place: int, text: str, speaker: str = "Nadia", transcript: int = 1) -> StoredTurn:
    return StoredTurn(place, transcript, place, 1, turn(text, speaker))


@pytest.mark.parametrize(
    "question",
    [
        "What does it cost?",
        "Where does Piet live?",
        "What is her number?",
        "Who's the boss?",
        "On which day is it?",
    ],
)
def test_a_question_may_be_about_what_holds_now(question: str) -> None:
    assert asks_for_present(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did it cost?",
        "Where does he say he lived before?",
        "What was her number?",
        "Is it red?",
        "Who won?",
    ],
)
def test_other_questions_are_not(question: str) -> None:
    assert not asks_for_present(question)


def test_a_later_turn_of_the_same_person_with_a_word_of_change_tells_it_anew() -> None:
    before, after = stored(1, "I live in Ulm."), stored(7, "I live in Graz now.")
    assert changes("Where does Nadia live?", before, after, {"nadia"})
    assert not changes("Where does Nadia live?", after, before, {"nadia"})


@pytest.mark.parametrize(
    "later",
    [
        stored(7, "I live in Graz."),
        stored(7, "I sing now."),
        stored(7, "I live in Graz now.", "Piet"),
        stored(1, "I live in Graz now.", transcript=2),
    ],
)
def test_other_turns_do_not(later: StoredTurn) -> None:
    assert not changes("Where does Nadia live?", stored(3, "I live in Ulm."), later, {"nadia"})


def test_the_latest_value_wins_and_the_former_is_named_as_former() -> None:
    told: list[str] = []
    model = ScriptedModel(["[1] 60 euros", "[3] 75 euros"])
    result = answer(
        "How much does the choir cost?", workspace(OLD, OTHER, NEW), lambda: model, on_text=told.append
    )
    assert result.text == "75 euros, formerly 60 euros"
    assert {one.stored.turn.text for one in result.citations} == {NEW.text, OLD.text}
    assert (told, result.supported) == ([result.text], True)
    assert "Still cheap" not in model.prompts[1].messages[-1].text


@pytest.mark.parametrize("reply", ["[3] 75 euros, formerly 60", "[3] 75 euros, formerly 60 euros"])
def test_what_the_model_names_as_former_is_not_named_twice(reply: str) -> None:
    model = ScriptedModel(["[1] 60 euros", reply])
    result = answer("How much does the choir cost?", workspace(OLD, OTHER, NEW), lambda: model)
    assert result.text == reply.removeprefix("[3] ")


@pytest.mark.parametrize("reply", ["[0] Not in memory.", "[3] 80 euros", "[3] 60 euros", "[3] Nothing"])
def test_a_later_turn_that_gives_no_other_value_changes_nothing(reply: str) -> None:
    model = ScriptedModel(["[1] 60 euros", reply])
    result = answer("How much does the choir cost?", workspace(OLD, OTHER, NEW), lambda: model)
    assert (result.text, result.supported) == ("60 euros", True)


def test_an_answer_from_the_latest_turn_is_not_asked_again() -> None:
    model = ScriptedModel(["[3] 75 euros"])
    assert (
        answer("How much does the choir cost?", workspace(OLD, OTHER, NEW), lambda: model).text == "75 euros"
    )


def test_a_question_about_the_past_keeps_its_answer() -> None:
    model = ScriptedModel(["[1] 60 euros"])
    assert (
        answer("How much did the choir cost?", workspace(OLD, OTHER, NEW), lambda: model).text == "60 euros"
    )
