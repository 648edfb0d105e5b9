"""Answers rest on the turns that were shown, whatever the model or a transcript says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.errors import TruncatedError
from localmem.llm import grammar as grammars
from localmem.recall.answer import NOT_IN_MEMORY, answer
from localmem.recall.answer_grammar import grammar
from tests.fakes import ScriptedModel
from tests.recall.answering import CAR, CAT, FERRY, UNKNOWN_REPLY, ask, cited
from tests.recall.support import turn, workspace


def test_an_answer_has_the_turns_that_it_cites() -> None:
    result, _, _ = ask("Where does the ferry go?", workspace(CAT, FERRY, CAR), "[2] To Ullapool.")
    assert (result.text, result.found, result.supported) == ("To Ullapool.", True, True)
    assert cited(result) == [FERRY.text]
    assert result.citations[0].transcript.path == "talk.txt"


def test_several_turns_can_be_cited_each_once() -> None:
    result, _, _ = ask("What happened?", workspace(CAT, FERRY, CAR), "[3] [1] [3] Things.")
    assert cited(result) == [CAR.text, CAT.text]


def test_a_turn_that_was_not_shown_cannot_be_cited() -> None:
    result, _, _ = ask("Who?", workspace(CAT), "[1] [7] [0] the cat.")
    assert cited(result) == [CAT.text]


def test_an_answer_that_cites_only_what_was_not_shown_is_none() -> None:
    result, _, _ = ask("Who?", workspace(CAT), "[9] the dog.")
    assert (result.text, result.found, result.citations) == (NOT_IN_MEMORY, False, ())


@pytest.mark.parametrize("reply", ["the cat", "", "(1) the cat", "cat [1]", "[one] cat", "\n[1] cat"])
def test_a_reply_without_citations_is_no_answer(reply: str) -> None:
    """The grammar does not let it happen; nothing rests on that."""
    result, _, _ = ask("who?", workspace(CAT), reply)
    assert (result.text, result.found) == (NOT_IN_MEMORY, False)


def test_what_memory_does_not_hold_is_said_plainly() -> None:
    result, _, told = ask("Who won the cup?", workspace(CAT), UNKNOWN_REPLY)
    assert (result.text, result.found, result.supported, result.citations) == (NOT_IN_MEMORY, False, True, ())
    assert told == [NOT_IN_MEMORY]


def test_an_empty_workspace_calls_no_model() -> None:
    def refuse() -> ScriptedModel:
        raise AssertionError("the model was made")

    told: list[str] = []
    result = answer("Who?", workspace(), refuse, on_text=told.append)
    assert (result.text, result.found, result.usage.calls) == (NOT_IN_MEMORY, False, 0)
    assert told == [NOT_IN_MEMORY]


def test_a_number_that_stands_nowhere_is_asked_about_once() -> None:
    result, model, _ = ask("How much?", workspace(CAR), "[1] For 1,400 euros.", "[1] For 1,050.")
    assert (result.text, result.supported) == ("For 1,050.", True)
    assert len(model.prompts) == 2
    again = model.prompts[1].messages
    assert again[:-2] == model.prompts[0].messages
    assert again[-2].text == "[1] For 1,400 euros."
    assert '"1,400"' in again[-1].text


def test_a_number_that_stands_nowhere_twice_is_marked() -> None:
    result, model, _ = ask("How much?", workspace(CAR), "[1] For 1,400.", "[1] For 1,500.")
    assert (result.text, result.found, result.supported) == ("For 1,500.", True, False)
    assert len(model.prompts) == 2


def test_a_name_that_stands_nowhere_is_asked_about_too() -> None:
    result, model, _ = ask("Who has it?", workspace(CAR), "[1] It was Gethin.", "[1] It was Dilip.")
    assert (result.text, len(model.prompts)) == ("It was Dilip.", 2)


def test_an_answer_that_only_says_the_question_over_is_asked_for_again() -> None:
    result, model, _ = ask("What kind of car is it?", workspace(CAR), "[1] a car", "[1] the Saab")
    assert (result.text, len(model.prompts)) == ("the Saab", 2)
    assert '"a car" is what was asked' in model.prompts[1].messages[-1].text
    assert not ask("What kind of car is it?", workspace(CAR), "[1] a car", "[1] a car")[0].found


def test_the_second_answer_may_be_that_nobody_knows() -> None:
    result, _, told = ask("How much?", workspace(CAT), "[1] For 1,400.", UNKNOWN_REPLY)
    assert (result.found, result.text) == (False, NOT_IN_MEMORY)
    assert told == [NOT_IN_MEMORY]


def test_a_name_of_the_question_needs_no_turn() -> None:
    result, model, _ = ask("Does Gethin have the cat?", workspace(CAT), "[1] No, Gethin has not.")
    assert (len(model.prompts), result.supported) == (1, True)


def test_a_date_may_come_from_the_meaning_of_a_relative_one() -> None:
    result, model, _ = ask("When?", workspace(CAR), "[1] On 3 March 2025.")
    assert (len(model.prompts), result.supported) == (1, True)


def test_the_day_of_a_turn_is_a_fact_too() -> None:
    result, model, _ = ask("When?", workspace(CAT), "[1] On 4 March 2025.")
    assert (len(model.prompts), result.supported) == (1, True)


def test_a_reply_that_comes_to_no_end_is_written_again_from_other_turns() -> None:
    endless = TruncatedError("200 tokens were not enough", text="[1] meowmeowmeow")
    result, model, told = ask("What?", workspace(CAT, FERRY), endless, "[2] To Ullapool.")
    assert (result.text, cited(result), told) == ("To Ullapool.", [FERRY.text], ["To Ullapool."])
    assert model.grammars[1] == grammar([2])


def test_a_memory_of_which_no_reply_comes_to_an_end_does_not_hold_the_answer() -> None:
    endless = TruncatedError("200 tokens were not enough", text="[1] meowmeowmeow")
    result, _, told = ask("What?", workspace(CAT), endless)
    assert (result.found, told) == (False, [NOT_IN_MEMORY])


def test_an_answer_that_breaks_off_after_its_beginning_says_so() -> None:
    endless = TruncatedError("200 tokens were not enough", text="And and")
    result, _, told = ask("What?", workspace(FERRY), "[1] To Ullapool. And", endless)
    assert "".join(told) == result.text == "To Ullapool. …"


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=30))
def test_any_reply_about_any_text_gives_an_answer_that_rests_on_it(
    said: str, first: str, question: str
) -> None:
    model = ScriptedModel([first, first])
    result = answer(question, workspace(CAT, turn(said)), lambda: model)
    assert result.found == bool(result.citations)
    assert {one.stored.turn.text for one in result.citations} <= {CAT.text, said}
    if not result.found:
        assert result.text == NOT_IN_MEMORY


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_cited_reply_is_told_as_it_is_answered(said: str, reply: str) -> None:
    told: list[str] = []
    model = ScriptedModel([f"[1] {reply}", f"[1] {reply}"])
    result = answer(reply, workspace(turn(said)), lambda: model, on_text=told.append)
    assert "".join(told) == result.text


def test_a_long_answer_is_told_from_its_first_sentence_on() -> None:
    result, model, told = ask(
        "What?", workspace(FERRY, CAR), "[1] [2] It goes to Ullapool. It was Dilip.", "It was Dilip."
    )
    assert told == ["It goes to Ullapool. ", "It ", "was ", "Dilip."]
    assert result.text == "It goes to Ullapool. It was Dilip."
    assert model.prompts[1].start == "[1] [2] It goes to Ullapool. "


def test_an_answer_of_many_words_is_told_from_its_last_whole_word_on() -> None:
    words = [f"{one}{other}" for one in "abcdefgh" for other in "vwxyz"]
    result, model, told = ask("When?", workspace(FERRY), f"[1] {' '.join(words)}", " nine, at last")
    assert told[0] == " ".join(words[:24]) + " "
    assert "".join(told) == result.text
    assert model.checks[0].messages[-1].text.endswith("Answer: " + " ".join(words[:24]))


def test_a_claim_in_the_rest_of_an_answer_is_marked() -> None:
    result, _, _ = ask("What?", workspace(FERRY), "[1] To Ullapool. And", "and so does Gethin.")
    assert not result.supported


def test_turns_that_do_not_answer_are_out_of_reach_the_second_time() -> None:
    result, model, told = ask(
        "What?", workspace(FERRY, CAR), "[1] To Ullapool.", "[2] Dilip.", verdicts=["no", "yes"]
    )
    assert (result.text, cited(result), told) == ("Dilip.", [CAR.text], ["Dilip."])
    assert model.grammars[1] == grammar([2])
    assert model.prompts[1] == model.prompts[0]


def test_what_no_turn_answers_is_not_in_memory() -> None:
    result, _, told = ask(
        "What?", workspace(FERRY, CAR), "[1] To Ullapool.", "[2] Dilip.", verdicts=["no", "no"]
    )
    assert (result.found, result.text, told) == (False, NOT_IN_MEMORY, [NOT_IN_MEMORY])


def test_when_all_turns_were_cited_and_do_not_answer_nothing_is_asked_again() -> None:
    result, _, _ = ask("What?", workspace(FERRY), "[1] To Ullapool.", verdicts=["no"])
    assert not result.found


def test_what_somebody_would_do_is_always_concluded_from_something() -> None:
    _, model, _ = ask("Would Bob enjoy a zoo?", workspace(CAT), "[1] Likely yes")
    _, other, _ = ask("Would Lotte enjoy a zoo?", workspace(CAT), UNKNOWN_REPLY)
    assert not grammars.accepts(model.grammars[0] or "", UNKNOWN_REPLY)
    assert grammars.accepts(other.grammars[0] or "", UNKNOWN_REPLY)


def test_what_is_likely_is_not_held_against_the_words_of_the_turns() -> None:
    result, model, _ = ask("Would Bob enjoy a zoo?", workspace(CAT), "[1] Likely yes.")
    assert (result.found, model.checks) == (True, [])


def test_a_list_that_the_model_says_over_and_over_ends() -> None:
    loop = "[1] soup, bread, soup, bread, soup, bread, soup"
    result, _, told = ask("What was there to eat?", workspace(turn("We had soup and bread.")), loop)
    assert (result.text, told) == ("soup, bread", ["soup, bread"])


def test_a_sentence_that_claims_what_no_turn_says_is_not_told() -> None:
    _, _, told = ask("What?", workspace(FERRY), "[1] It was Gethin. I know it.", "[1] To Ullapool.")
    assert "".join(told) == "To Ullapool."


def test_a_reply_breaks_off_where_it_claims_what_no_turn_says() -> None:
    _, model, _ = ask("What?", workspace(FERRY), "[1] It was Gethin. And more words.", "[1] To Ullapool.")
    assert model.prompts[1].messages[-2].text == "[1] It was Gethin. "


def test_usage_adds_up_over_the_calls() -> None:
    result, model, _ = ask("How much?", workspace(CAR), "[1] For 1,400.", "[1] For 1,050.")
    assert result.usage.calls == 3
    assert result.usage.prompt_tokens == sum(map(model.count_prompt, model.prompts))


def test_an_answer_that_comes_again_from_other_turns_is_checked_again() -> None:
    shown = workspace(CAR, turn("Yes, Dilip."), CAT)
    result, model, _ = ask("Whose is it?", shown, "[1] Dilip", "[2] Dilip.", verdicts=["no", "no"])
    assert (result.found, len(model.checks)) == (False, 2)
