"""Replies: what a model words is checked before it is told, and the plain facts take the place of what fails."""

from __future__ import annotations

import pytest

from localmem.errors import TruncatedError
from localmem.tasks.checks import Check
from localmem.tasks.facts import Facts
from localmem.tasks.reply import Worded, reply
from tests.fakes import ScriptedModel

FACTS = Facts(
    ("At first the colour was red, now it is green.",),
    needed=("red",),
    asked="what colour was it at first?",
    former=("red",),
    pairs=(("colour", "red"), ("colour", "green")),
)
PLAIN = FACTS.text


def worded(answer: str | Exception, facts: Facts = FACTS, said: str = "") -> tuple[Worded, str]:
    """The reply, and what was told while it was written."""
    told: list[str] = []
    model = ScriptedModel([answer])
    made = reply(facts, said or facts.asked, "en", lambda: model, on_text=told.append)
    return made, "".join(told)


def test_what_says_the_facts_is_told() -> None:
    made, told = worded("At first it was red, now it is green.")
    assert (made.text, made.plain, told) == ("At first it was red, now it is green.", False, made.text)
    assert made.usage.calls == 1


@pytest.mark.parametrize(
    "answer",
    [
        "It was blue at first.",
        "The colour is now red.",
        "It was red at first, in 3 rooms.",
        "It was never green, it was red.",
        "It was red at first, shall I change it?",
        "I have ordered the red colour.",
        "Yes, it was red at first.",
        "Zuerst war die Farbe rot und jetzt ist sie grün.",
        "Please say red.",
        "My colour was red at first.",
    ],
)
def test_what_says_anything_else_is_replaced_by_the_facts(answer: str) -> None:
    made, told = worded(answer)
    assert (made.text, made.plain, told) == (PLAIN, True, PLAIN)
    assert made.refused


def test_a_value_is_not_said_of_another_slot() -> None:
    facts = Facts(
        ("The rent is 81.", "The gym is 35."),
        needed=("81", "35"),
        asked="what are rent and gym?",
        pairs=(("rent", "81"), ("gym", "35")),
    )
    assert worded("The rent is 81 and the gym is 35.", facts)[0].plain is False
    assert worded("The gym is 81 and the rent is 35.", facts)[0].text == facts.text


def test_what_is_missing_is_added() -> None:
    made, told = worded("Now it is green.")
    assert made.text == told == f"Now it is green. {PLAIN}"


def test_what_was_told_before_a_fault_stays() -> None:
    made, told = worded("At first it was red, now it is green. The roof is blue. ")
    assert made.text == told == "At first it was red, now it is green."


def test_a_reply_without_an_end_is_replaced() -> None:
    made, told = worded(TruncatedError("The reply did not end.", text="At first it was"))
    assert made.text == told == PLAIN


@pytest.mark.parametrize(
    "facts",
    [
        Facts(("You're welcome!",), courteous=True),
        Facts(("The colour is now green, it was red before.",), changed=True),
        Facts(("Trip:", *(f"- item {n}" for n in range(9))), asked="what is in it?"),
    ],
)
def test_what_needs_no_wording_asks_no_model(facts: Facts) -> None:
    def none() -> ScriptedModel:
        raise AssertionError("the model was asked for")

    made = reply(facts, "", "en", none)
    assert (made.text, made.plain, made.usage.calls) == (facts.text, True, 0)


def test_the_prompt_has_the_question_and_the_facts() -> None:
    model = ScriptedModel(["At first it was red, now it is green."])
    reply(FACTS, FACTS.asked, "en", lambda: model)
    (prompt,) = model.prompts
    assert prompt.kind == "reply"
    assert prompt.messages[-1].text.split("\n") == [FACTS.asked, f"Facts: {PLAIN}"]


def test_the_fixed_part_of_the_prompt_is_short() -> None:
    model = ScriptedModel(["At first it was red, now it is green."])
    reply(FACTS, FACTS.asked, "en", lambda: model)
    (prompt,) = model.prompts
    assert sum(model.count(message.text) for message in prompt.messages[: prompt.fixed]) < 110


@pytest.mark.parametrize(
    ("language", "good", "bad"),
    [
        ("de", "Vorher war es Montag, jetzt ist es Freitag.", "Jetzt ist es Montag."),
        ("es", "Antes era lunes, ahora es viernes.", "Ahora es lunes."),
    ],
)
def test_what_was_is_told_as_past_in_every_language(language: str, good: str, bad: str) -> None:
    day, old = ("Freitag", "Montag") if language == "de" else ("viernes", "lunes")
    check = Check(good, "", language, former=(old,), needed=(day,))
    assert check.fault(good) == ""
    assert "no more" in check.fault(bad)


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("It was fennel before leek.", True),
        ("Fennel was there until turn 8.", True),
        ("It was leek before fennel.", False),
        ("Fennel replaced leek.", False),
    ],
)
def test_what_came_first_is_not_turned_round(sentence: str, right: bool) -> None:
    facts = "Before leek it was fennel, until turn 8."
    check = Check(facts, "what did the leek replace?", "en", ("fennel",), ("fennel",), current=("leek",))
    assert (check.fault(sentence) == "") == right
