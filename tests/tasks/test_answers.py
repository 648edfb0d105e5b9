"""Answers hold against the graph: the right node, the right turn, and nothing that is none of the tasks."""

from __future__ import annotations

import re

import pytest

from localmem.tasks import Op, Operation
from localmem.tasks.checks import Check
from tests.tasks.test_facts import Talk, add


def party() -> Talk:
    """A party whose time changed, from which balloons went, and with a cake of which more was said later."""
    talk = Talk()
    talk.say(
        "a birthday party in the garden at 4 pm, invite Aunt Rosa, Tom, Priya",
        Operation(Op.ADD, -1, "birthday party"),
        add("time", "4 pm"),
        add("Aunt Rosa"),
        add("Tom"),
        add("Priya"),
        add("balloons"),
        add("chocolate cake"),
    )
    talk.say("Tom brings the music", add("music", "Tom", to=talk.id("birthday party")))
    talk.say("make the cake a lemon one", Operation(Op.SET, talk.id("chocolate cake"), value="lemon"))
    talk.say("start at 6 pm instead", Operation(Op.SET, talk.id("time"), value="6 pm"))
    talk.say("no balloons", Operation(Op.DELETE, talk.id("balloons")))
    return talk


WHY_TIME = "In turn 4, 6 pm replaced 4 pm; you said: “start at 6 pm instead”."


@pytest.mark.parametrize(
    "asked", ["why did the time change?", "why was the time changed?", "why did we move the time?"]
)
def test_why_names_the_node_of_the_kind_that_is_asked_for_and_the_turn(asked: str) -> None:
    assert party().ask(asked) == WHY_TIME


def test_two_questions_in_one_get_both_answers() -> None:
    assert party().ask("when does it start and why did the time change?") == f"The time is 6 pm. {WHY_TIME}"


def test_a_time_that_never_changed_is_not_told_of_something_else() -> None:
    talk = Talk()
    talk.say("tea at 4 pm with scones", Operation(Op.ADD, -1, "tea"), add("time", "4 pm"), add("scones"))
    talk.say("no scones", Operation(Op.DELETE, talk.id("scones")))
    assert talk.ask("why did the time change?").startswith("Not changed since turn 1: 4 pm")


def test_did_it_ever_change_is_answered_of_what_changed() -> None:
    talk = party()
    talk.say("doors open at 5 pm", add("door time", "5 pm", to=talk.id("birthday party")))
    assert "turn 4" in talk.ask("did the time ever change?")


QUESTIONS = [
    "why did {} change?",
    "why was {} removed?",
    "why is {} gone?",
    "did {} ever change?",
    "was {} ever removed?",
    "is {} still there?",
    "did I ever say {}?",
    "when was {} changed?",
    "why did it change?",
    "why did the date change?",
]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("slot", ["time", "music", "balloons", "chocolate cake", "Tom"])
def test_no_answer_says_of_a_node_what_the_graph_denies(question: str, slot: str) -> None:
    talk = party()
    told = talk.say(question.format(slot))
    labels = {
        name: node
        for node in talk.graph
        for name in (node.slot, node.value, f"{node.slot} {node.value}", f"{node.slot} ({node.value})")
    }
    for line in told.lines:
        text = re.sub(r"^(Yes|No): ", "", line).split(";")[0].rstrip(".")
        text = text[0].upper() + text[1:]
        if found := re.match(r"(Not changed since turn \d+|Not removed, this still stands): (.*)", text):
            assert labels[found.group(2)].live, line
        if found := re.match(r"Removed in turn (\d+): (.*)", text):
            node = labels[found.group(2)]
            assert not node.live, line
            assert node.deleted.turn == int(found.group(1)), line


def test_what_has_the_words_still_is_not_told_as_past() -> None:
    assert party().ask("did I ever say chocolate?") == "Yes: the chocolate cake is lemon."


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("en", "what did my dentist say?"),
        ("en", "what did we talk about with the plumber?"),
        ("es", "¿cuándo es mi cita con el dentista?"),
        ("de", "wann ist mein Termin beim Zahnarzt?"),
        ("en", "where does Rosa live?"),
        ("en", "when does Tom fly home?"),
        ("en", "what did Tom say about the music?"),
        ("en", "what did the plumber tell us?"),
        ("de", "was hat Tom zur Musik gesagt?"),
        ("es", "¿qué dijo Tom de la música?"),
        ("en", "did we ever talk about Bath?"),
        ("en", "did I tell you about my sister?"),
    ],
)
def test_a_question_about_something_else_than_the_tasks_is_not_found(language: str, asked: str) -> None:
    talk = party()
    talk.language = language
    assert not talk.say(asked).found


@pytest.mark.parametrize("asked", ["what's on my list?", "what do we have so far?", "what is in our plan?"])
def test_what_a_task_is_called_in_general_is_found(asked: str) -> None:
    assert "chocolate cake (lemon)" in party().ask(asked)


def test_who_is_coming_is_told_once_and_with_what_holds_for_them() -> None:
    talk = party()
    talk.say("Priya can't come before 7", add("note", "can't come before 7", to=talk.id("Priya")))
    told = talk.say("who is coming?")
    assert told.text == "Birthday party: Aunt Rosa, Tom and Priya (can't come before 7)."
    assert told.asked == ""  # no model words it


def test_who_does_what_names_what_they_do() -> None:
    assert "music (Tom)" in party().ask("who does what?")


def test_people_are_not_open() -> None:
    text = party().ask("what's still left to do?")
    assert not any(name in text for name in ("Rosa", "Priya")), text
    assert "chocolate cake" in text


def test_what_has_a_capital_but_does_not_come_is_open() -> None:
    talk = Talk()
    talk.say("Milk\nEggs\nFlour", Operation(Op.ADD, -1, "shopping"), add("Milk"), add("Eggs"), add("Flour"))
    talk.say("got the eggs", Operation(Op.DONE, talk.id("Eggs")))
    assert talk.ask("what is still open?") == "Still open: Milk and Flour. Done already: Eggs."


def test_when_is_not_answered_by_a_place() -> None:
    talk = Talk()
    talk.say("bike tour", Operation(Op.ADD, -1, "bike tour"), add("meeting point", "station"))
    told = talk.say("when is the meeting point?")
    assert told.text == "The meeting point is station. More than that is not noted."
    assert told.asked == ""
    talk.say("at 9 am", add("time", "9 am", to=talk.id("bike tour")))
    assert "9 am" in talk.ask("when is the meeting point?")


@pytest.mark.parametrize(
    ("language", "sentence", "facts"),
    [
        ("es", "Quién viene es Lucía y Pedro.", "Cena: Lucía y Pedro."),
        ("en", "Who is coming is Dana.", "Picnic: Dana."),
        ("de", "Wann es beginnt, ist 9 Uhr.", "Uhrzeit: 9 Uhr."),
    ],
)
def test_a_question_turned_around_is_no_reply(language: str, sentence: str, facts: str) -> None:
    assert Check(facts, "", language).opening(sentence) == "begins as a question does"
    assert not Check(facts, "", language).opening(facts)
    assert not Check("What is left: rope.", "", "en").opening("What is left is rope.")


def test_a_first_value_replaced_nothing() -> None:
    noted = "Noted in turn 3: chocolate cake (lemon); you said: “make the cake a lemon one”."
    assert party().ask("why is the cake lemon?") == noted
    assert "replaced" not in party().ask("why did the cake change?")


def test_changes_are_those_of_the_kind_that_is_asked_for() -> None:
    assert party().ask("who changed the time?") == "The time was changed from 4 pm to 6 pm in turn 4."
    assert "lemon" in party().ask("what changed so far?")


def ride() -> Talk:
    talk = Talk("de")
    talk.say(
        "eine Radtour um 9 Uhr mit Jana und Ömer",
        Operation(Op.ADD, -1, "Radtour"),
        add("Uhrzeit", "9 Uhr"),
        add("Jana"),
        add("Ömer"),
    )
    talk.say("Treffpunkt ist der Bahnhof", add("Treffpunkt", "Bahnhof", to=talk.id("Radtour")))
    talk.say("wir brauchen eine Pumpe", add("Pumpe", to=talk.id("Radtour")))
    talk.say("lieber um 10 Uhr", Operation(Op.SET, talk.id("Uhrzeit"), value="10 Uhr"))
    return talk


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("wurde die Uhrzeit je geändert?", "Ja: in Nachricht 4 ersetzt: 9 Uhr durch 10 Uhr"),
        ("wurde die Pumpe je geändert?", "Nein: seit Nachricht 3 nicht geändert: Pumpe"),
        (
            "warum hat sich die Uhrzeit geändert?",
            "In Nachricht 4 ersetzt: 9 Uhr durch 10 Uhr; du hast gesagt",
        ),
        ("wer kommt?", "Radtour: Jana und Ömer."),
        ("was fehlt noch?", "Noch offen: Pumpe."),
    ],
)
def test_in_german_a_noun_is_nobody_and_an_auxiliary_no_unknown_word(asked: str, answer: str) -> None:
    assert ride().ask(asked).startswith(answer)


def test_a_question_word_without_an_answer_is_not_passed_over() -> None:
    talk = party()
    assert talk.ask("where is it, and who is coming?") == (
        "Birthday party: 6 pm, Aunt Rosa, Tom, Priya, chocolate cake (lemon) and music (Tom)."
    )
    talk.say("in the town hall", add("place", "town hall", to=talk.id("birthday party")))
    assert talk.ask("where is it, and who is coming?") == (
        "The place is town hall. Birthday party: Aunt Rosa, Tom and Priya."
    )
