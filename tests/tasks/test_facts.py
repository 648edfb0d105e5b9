"""Facts for replies: true sentences from the graph and its histories, in the user's language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from localmem.tasks import Moment, Op, Operation, TaskGraph, after
from localmem.tasks.facts import Facts, Situation, facts
from localmem.tasks.phrases import PHRASES
from localmem.tasks.reading import read
from localmem.tasks.values import Node, fold

START = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)


class Talk:
    """Turns with the operations that they come to, and the facts for their replies."""

    def __init__(self, language: str = "en") -> None:
        self.graph = TaskGraph()
        self.focus: tuple[int, ...] = ()
        self.language = language

    def node(self, name: str) -> Node:
        named = [n for n in self.graph if fold(name) in (fold(n.slot), fold(n.value))]
        return sorted(named, key=lambda node: node.live)[-1]

    def id(self, name: str) -> int:
        return self.node(name).id

    def say(self, text: str, *operations: Operation) -> Facts:
        before, turn = self.graph, self.graph.turn + 1
        outcome = after(before, operations, Moment(turn, START, text))
        self.graph = outcome.graph
        reading = read(text, self.language)
        made = facts(Situation(before, self.graph, reading, outcome.changes, operations, self.focus, turn))
        self.focus = tuple(dict.fromkeys([*made.about, *self.focus]))
        return made

    def ask(self, text: str) -> str:
        return self.say(text).text


def add(slot: str, value: str = "", *, to: int = -1) -> Operation:
    return Operation(Op.ADD, None, slot, value or None, parent=to)


def picnic() -> Talk:
    """One task with a date that changed, a drink that was replaced, and a guest that left."""
    talk = Talk()
    talk.say(
        "picnic on Sunday at noon with Dana, Omar and Petra",
        Operation(Op.ADD, -1, "picnic"),
        add("date", "Sunday"),
        add("time", "noon"),
        add("guest", "Dana"),
        add("guest", "Omar"),
        add("guest", "Petra"),
        add("lemonade"),
    )
    talk.say("iced tea instead of lemonade", Operation(Op.REPLACE, talk.id("lemonade"), slot="iced tea"))
    talk.say("make it Saturday", Operation(Op.SET, talk.id("date"), value="Saturday"))
    talk.say("Omar is out", Operation(Op.DELETE, talk.id("Omar")))
    return talk


def test_a_new_task_is_told_with_its_parts() -> None:
    talk = Talk()
    told = talk.say("kite day", Operation(Op.ADD, -1, "kite day"), add("ropes", "3"), add("glue"))
    assert told.text == "New task: kite day, with 3 ropes and glue."
    assert told.changed


def test_a_changed_value_is_told_with_the_one_before() -> None:
    talk = picnic()
    told = talk.say("date: Monday", Operation(Op.SET, talk.id("date"), value="Monday"))
    assert told.text == "The date is now Monday, it was Saturday before."
    assert told.needed == ("Monday",)
    assert "Saturday" in told.former


def test_a_return_is_told_as_one() -> None:
    talk = picnic()
    told = talk.say("back to Sunday", Operation(Op.ROLL_BACK, talk.id("date"), value="Sunday"))
    assert told.text == "The date is Sunday again, it was Saturday before."


def test_a_replaced_thing_of_two_tasks_names_both() -> None:
    talk = Talk()
    talk.say("soup", Operation(Op.ADD, -1, "soup"), add("leek"), Operation(Op.ADD, -2, "stew"))
    talk.say("leek in the stew too", Operation(Op.LINK, talk.id("leek"), parent=talk.id("stew")))
    told = talk.say("fennel instead of leek", Operation(Op.REPLACE, talk.id("leek"), slot="fennel"))
    assert told.text == "Now fennel instead of leek, in soup and stew."


def test_what_is_left_follows_what_is_removed_by_only() -> None:
    talk = picnic()
    told = talk.say("only Dana comes", Operation(Op.DELETE, talk.id("Petra")))
    assert told.text == "Removed Petra. What is left: Dana."


def test_what_comes_together_again_is_told_with_what_stands() -> None:
    talk = picnic()
    root = talk.id("picnic")
    talk.say(
        "Dana at 1, Petra at 2",
        *(Operation(Op.ADD, -n, "part", f"at {n}", parent=root) for n in (1, 2)),
        Operation(Op.LINK, talk.id("Dana"), parent=-1),
        Operation(Op.DELETE, talk.id("Dana"), parent=root),
    )
    parts = [node for node in talk.graph if node.slot == "part"]
    back = Operation(Op.LINK, talk.id("Dana"), parent=root)
    told = talk.say("one picnic again", back, *(Operation(Op.DELETE, part.id) for part in parts))
    assert told.lines[0] == "No longer in parts, it is one again."
    assert "Dana" in told.lines[1]
    why = talk.ask("why are there two groups?")
    assert why.startswith("There is only one now")
    assert "In turn 6 the parts were put together, before that there was at 1 and at 2." in why


def test_a_question_for_a_value_gets_it() -> None:
    talk = picnic()
    assert talk.ask("what date is it?") == "The date is Saturday."
    assert talk.ask("who is coming?") == "Picnic: Dana and Petra."
    assert talk.ask("how many guests are there?") == "2 in all: Dana and Petra."


def test_an_overview_has_nothing_that_was_removed() -> None:
    text = picnic().ask("show me everything for the picnic")
    assert text == "Picnic: Saturday, noon, Dana, Petra and iced tea."


def test_what_is_done_is_marked_and_the_rest_is_open() -> None:
    talk = Talk()
    talk.say("packing", Operation(Op.ADD, -1, "packing"), add("tent"), add("stove"))
    talk.say("tent is packed", Operation(Op.DONE, talk.id("tent")))
    assert talk.ask("what is still open?") == "Still open: stove. Done already: tent."


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("what was the date at first?", "At first the date was Sunday, now it is Saturday."),
        ("what was there before the iced tea?", "Before iced tea it was lemonade, until turn 2."),
        ("when did I change the date?", "The date was changed from Sunday to Saturday in turn 3."),
        ("why is Omar gone?", "Removed in turn 4: Omar; you said: “Omar is out”."),
        ("what did we remove?", "Removed in turn 4: Omar."),
    ],
)
def test_a_question_about_the_past_names_the_turn_or_the_value(asked: str, answer: str) -> None:
    assert picnic().ask(asked) == answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("wasn't it on Friday?", "No, nothing about Friday was ever noted. The date is Saturday."),
        ("wasn't it on Sunday?", "No, not any more: in turn 3, Saturday replaced Sunday."),
        ("is Omar still coming?", "No, not any more: removed in turn 4: Omar."),
        ("isn't Jin coming too?", "No, nothing about Jin was ever noted. Picnic: Dana and Petra."),
        ("is it on Saturday?", "Yes: the date is Saturday."),
    ],
)
def test_what_is_taken_for_granted_is_set_right(asked: str, answer: str) -> None:
    assert picnic().ask(asked) == answer


def test_a_false_claim_gets_the_turns_in_which_it_was_so() -> None:
    text = picnic().ask("I think lemonade was never on the list. Can you double-check?")
    assert text == (
        "But it was: lemonade was there from turn 1 until turn 2. In turn 2, iced tea replaced lemonade."
    )


def test_a_hypothesis_changes_nothing_and_says_so() -> None:
    told = picnic().say("what if we changed the date?")
    assert told.text == "Nothing is changed. The date is Saturday."
    assert told.asked == ""


def test_a_question_about_the_world_is_not_found() -> None:
    assert not picnic().say("what's the capital of France?").found


def test_small_talk_gets_a_courtesy_that_names_nothing() -> None:
    told = picnic().say("thank you so much!")
    assert (told.text, told.courteous) == ("You're welcome!", True)


def test_old_values_stand_in_sentences_that_say_so() -> None:
    talk = picnic()
    for asked in ("which days did we go through so far?", "was it ever on Sunday?", "what changed so far?"):
        told = talk.say(asked)
        for line in told.lines:
            if "Sunday" in line or "lemonade" in line:
                assert any(mark in line for mark in ("was", "replaced", "changed")), line


def test_german_and_spanish_need_no_gender() -> None:
    german = Talk("de")
    german.say("Umzug am 3. Mai", Operation(Op.ADD, -1, "Umzug"), add("Datum", "3. Mai"))
    told = german.say(
        "der Umzug ist doch erst am 10. Mai", Operation(Op.SET, german.id("Datum"), value="10. Mai")
    )
    assert told.text == "Datum: jetzt 10. Mai, vorher 3. Mai."
    spanish = Talk("es")
    spanish.say("la cena el lunes", Operation(Op.ADD, -1, "cena"), add("día", "lunes"))
    told = spanish.say("mejor el martes", Operation(Op.SET, spanish.id("día"), value="martes"))
    assert told.text == "Día: ahora martes, antes era lunes."


def test_every_language_has_every_sentence_with_the_same_words() -> None:
    import string
    from dataclasses import fields

    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    forms = {"the", "is_are", "was_were", "it_was", "it_is"}
    for field in fields(PHRASES["en"]):
        wanted = names(getattr(PHRASES["en"], field.name))
        wanted = (wanted - forms) | ({"name"} if "the" in wanted else set())
        for code in ("de", "es"):
            found = names(getattr(PHRASES[code], field.name))
            assert found | {"name"} == wanted | {"name"}, (code, field.name)
