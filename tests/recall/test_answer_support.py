"""Which turns give an answer, and which do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from localmem.recall.answer import NOT_IN_MEMORY, answer
from localmem.recall.facts import facts, stands_in
from localmem.values import StoredTurn
from tests.fakes import ScriptedModel
from tests.recall.answering import CAR, CAT, FERRY, MARCH, ask, cited
from tests.recall.support import turn, workspace


def test_the_turn_that_says_the_answer_is_cited_though_the_model_named_another() -> None:
    result, model, _ = ask("Who bought the car?", workspace(CAT, CAR), "[1] Now it is with Dilip.")
    assert cited(result) == [CAR.text]
    assert result.supported
    assert "Dilip bought the Saab" in model.checks[0].messages[-1].text


def test_turns_about_nobody_who_was_asked_about_do_not_answer() -> None:
    skipper = turn("The skipper is called Maud.", "Ann")
    result, model, _ = ask("What is it that Lotte does?", workspace(skipper), "[1] She is the skipper.")
    assert not result.found
    assert model.checks == []


def test_a_turn_without_the_name_answers_after_a_turn_that_has_it() -> None:
    model = ScriptedModel(["[1] At sea."])
    shown = workspace(turn("At sea, as always.", "Ann"))

    def before(stored: StoredTurn) -> StoredTurn:
        return replace(stored, position=-1, turn=turn("Where is Lotte?", "Bob"))

    assert answer("And where is Lotte?", shown, lambda: model, before=before).found


def test_a_fact_that_no_cited_turn_has_brings_the_turn_that_has_it() -> None:
    result, _, _ = ask("What now?", workspace(FERRY, CAR), "[1] The ferry leaves at nine, says Dilip.")
    assert cited(result) == [FERRY.text, CAR.text]


def test_of_several_turns_that_have_the_fact_the_most_important_one_comes() -> None:
    shown = workspace(CAT, turn("Is that Dilip?"), CAR, priorities=[0.1, 0.2, 0.7])
    result, _, _ = ask("Who has the car?", shown, "[1] Now it is with Dilip.")
    assert cited(result) == [CAT.text, CAR.text]


def test_the_turn_that_holds_the_answer_is_cited_first_and_idle_ones_not_at_all() -> None:
    shown = workspace(turn("ok", "Dora"), turn("Carl is here", "Ann"), turn("my cat is called Minka", "Carl"))
    result, _, _ = ask("Whose cat is it?", shown, "[1] [2] [3] Carl and his cat.")
    assert cited(result) == ["my cat is called Minka", "Carl is here"]


def test_an_answer_in_other_words_keeps_its_turns() -> None:
    result, _, _ = ask("How is the cat?", workspace(CAT), "[1] well")
    assert cited(result) == [CAT.text]


def test_the_check_sees_each_cited_turn_after_the_one_before_it() -> None:
    shown = workspace(CAT, CAR)
    model = ScriptedModel(["[2] Dilip."])
    earlier = turn("Who bought the Saab?", "Ines", at=MARCH)

    def before(stored: StoredTurn) -> StoredTurn:
        return replace(stored, position=stored.position - 1, turn=earlier)

    answer("Whose is the car now?", shown, lambda: model, before=before)
    assert model.checks[0].messages[-1].text.splitlines() == [
        "Question: Whose is the car now?",
        "Ines: Who bought the Saab?",
        "Ruben: Dilip bought the Saab yesterday (3 March 2025) for 1,050.",
        "Answer: Dilip.",
    ]


def test_turns_that_have_the_words_of_the_question_need_no_check_by_the_model() -> None:
    result, model, _ = ask("Who bought the Saab?", workspace(CAT, CAR), "[2] Dilip.")
    assert (result.text, model.checks) == ("Dilip.", [])


def test_a_time_needs_fewer_of_them() -> None:
    _, model, _ = ask("When was the green Saab paid and bought?", workspace(CAT, CAR), "[2] 3 March 2025")
    assert model.checks == []


def test_what_somebody_else_says_of_himself_is_no_answer() -> None:
    cake = turn("I baked a plum cake for the fair.", "Bob")
    shown = workspace(cake, turn("Lovely.", "Ann"), priorities=[0.9, 0.001])
    result, model, told = ask("What did Ann bake for the fair?", shown, "[1] a plum cake")
    assert (result.found, told, model.checks) == (False, [NOT_IN_MEMORY], [])
    assert ask("What did Bob bake for the fair?", shown, "[1] a plum cake")[0].text == "a plum cake"


def test_each_part_of_a_list_brings_the_turn_that_has_it() -> None:
    shown = workspace(turn("I bought flour."), turn("I bought yeast."), CAT)
    result, _, _ = ask("What was bought?", shown, "[1] flour, yeast")
    assert cited(result) == ["I bought flour.", "I bought yeast."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("To Ullapool, with Ann Lee.", ["Ullapool", "Ann", "Lee"]),
        ("Blue. Never that.", []),
        ("It cost 1,050.50 at 10:30.", ["1,050.50", "10:30"]),
        ("On the 3rd of May 2025.", ["3", "May", "2025"]),
        ("He said: Yes.", []),
        ("Ann's car", ["Ann's"]),
        ("", []),
    ],
)
def test_facts_are_names_and_numbers(text: str, expected: list[str]) -> None:
    assert facts(text, frozenset({"ann"})) == expected


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("1,050", "for 1050 euros"),
        ("1050", "for 1,050."),
        ("Dilip's", "it was dilip"),
        ("ULLAPOOL", "to Ullapool"),
        ("10:30", "at 10:30."),
        ("Norwegian", "Norwegians"),
    ],
)
def test_a_fact_stands_in_a_text_whatever_its_form(fact: str, text: str) -> None:
    assert stands_in(fact, text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [("10", "at 10:30"), ("105", "1,050"), ("Ann", "Annual plans"), ("Bob", ""), ("1.5", "15")],
)
def test_a_fact_that_is_only_part_of_another_does_not_stand_there(fact: str, text: str) -> None:
    assert not stands_in(fact, text)
