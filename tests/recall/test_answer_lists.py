"""Lists are gathered from several turns."""

from __future__ import annotations

from localmem.llm import grammar as grammars
from localmem.recall.answer_evidence import evidence
from localmem.recall.answer_lists import added, without_asked
from tests.recall.answering import CAT, UNKNOWN_REPLY, ask, cited
from tests.recall.support import turn, unit, workspace

BOOKS = "Which books has Ann read?"
DUNE = turn("I have read Dune.")
EMMA = turn("Emma was lovely to read.")
ULYSSES = turn("I gave up on Ulysses.")


def test_what_further_turns_add_belongs_to_a_list() -> None:
    result, model, told = ask(BOOKS, workspace(DUNE, EMMA, CAT), "[1] Dune", "[2] Emma", UNKNOWN_REPLY)
    assert (result.text, told) == ("Dune, Emma", ["Dune, Emma"])
    assert cited(result) == [DUNE.text, EMMA.text]
    assert "What else" in model.prompts[1].messages[-1].text


def test_turns_that_gave_a_part_are_not_asked_again() -> None:
    _, model, _ = ask(BOOKS, workspace(DUNE, EMMA, ULYSSES), "[1] [2] Dune, Emma", UNKNOWN_REPLY)
    rules = model.grammars[1] or ""
    assert grammars.accepts(rules, "[3] Ulysses")
    assert not grammars.accepts(rules, "[1] Dune")


def test_a_list_of_all_turns_is_whole() -> None:
    result, model, _ = ask(BOOKS, workspace(DUNE, EMMA), "[1] [2] Dune, Emma")
    assert (result.text, len(model.prompts)) == ("Dune, Emma", 1)


def test_what_stands_in_no_turn_that_is_cited_is_not_added() -> None:
    result, _, _ = ask(BOOKS, workspace(DUNE, EMMA, CAT), "[1] Dune", "[2] Middlemarch, Emma", UNKNOWN_REPLY)
    assert result.text == "Dune, Emma"


def test_one_fact_is_not_asked_for_more() -> None:
    result, model, _ = ask("Which book did Ann like?", workspace(DUNE, EMMA), "[2] Emma")
    assert (result.text, len(model.prompts)) == ("Emma", 1)


def test_what_was_said_already_adds_nothing() -> None:
    turns = evidence([unit(1, DUNE), unit(2, EMMA)])
    assert added(BOOKS, "Dune", "Dune, Emma, read", turns) == ["Emma"]


def test_parts_that_only_say_the_question_over_are_left_out() -> None:
    assert without_asked("Who came with Ann to the party?", "Ann, Bob, party") == "Bob"
    assert without_asked("Who came with Ann to the party?", "Ann, party") == "Ann, party"
    assert without_asked("What did it cost?", "1,050 euros") == "1,050 euros"
