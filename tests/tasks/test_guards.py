"""What the model wrote, held against the words: each guard, in a sentence that it is there for."""

from __future__ import annotations

import pytest

from localmem.tasks.context import Part
from localmem.tasks.cues import Cue
from localmem.tasks.guards import bears, guard, says_delete
from localmem.tasks.trim import Line, Verb
from tests.tasks.scene import context_of

SHOW = """puppet show
- stage = barn
- time = 4 PM
- lamp
- rope
- puppeteer = Lotte
- puppeteer = Marek
- curtain (removed)
- glue = 2 tubes
soup night
- leeks
- salt"""


def held(
    said: str,
    verb: Verb,
    *names: str,
    text: str = "",
    slot: str = "",
    within: bool = False,
    focus: list[str] | None = None,
    ablate: tuple[Part, ...] = (),
) -> tuple[list[str], list[str]]:
    """Labels of the nodes that a line may still touch, and the reasons for the others."""
    context = context_of(SHOW, said, focus=["lamp"] if focus is None else focus, ablate=ablate)
    ids = tuple(next(n.id for n in context.graph if name in (n.label, n.value, n.slot)) for name in names)
    guarded = guard([Line(verb, "as written", ids, within, slot, text)], context)
    left = [context.graph[id].label for line in guarded.lines for id in line.ids]
    return left, [dropped.reason for dropped in guarded.dropped]


@pytest.mark.parametrize("verb", [Verb.DELETE, Verb.DONE, Verb.KEEP])
@pytest.mark.parametrize("said", ["drop the rope", "streich rope", "quita rope"])
def test_a_node_that_the_words_do_not_touch_is_left_alone(said: str, verb: Verb) -> None:
    assert held(said, verb, "lamp", "rope") == (["rope"], ["the words touch no node named lamp"])


def test_a_line_of_which_nothing_is_left_is_dropped() -> None:
    assert held("drop the rope", Verb.DELETE, "lamp")[0] == []


@pytest.mark.parametrize("said", ["drop it", "wirf ihn raus, das brauchen wir nicht", "quítalo"])
def test_a_pronoun_touches_what_was_spoken_of_last(said: str) -> None:
    assert held(said, Verb.DELETE, "lamp") == (["lamp"], [])


def test_a_pronoun_does_not_touch_another_task() -> None:
    assert held("drop it", Verb.DELETE, "leeks")[0] == []


def test_a_pronoun_beside_a_name_points_to_nothing_else() -> None:
    assert held("drop the rope, it is torn", Verb.DELETE, "lamp")[0] == []


@pytest.mark.parametrize("said", ["drop everything", "streich alles", "quita todo"])
def test_a_set_word_touches_all(said: str) -> None:
    assert held(said, Verb.DELETE, "lamp", "rope")[0] == ["lamp", "rope"]


@pytest.mark.parametrize(
    "said", ["Lotte can't make it at 4 PM", "Lotte kann um 4 PM nicht", "Lotte no puede a las 4 PM"]
)
def test_who_cannot_is_not_removed(said: str) -> None:
    left, reasons = held(said, Verb.DELETE, "Lotte")
    assert left == []
    assert reasons == ["that Lotte cannot is a condition, not a removal"]


def test_who_cannot_and_is_told_to_be_dropped_is_removed() -> None:
    assert held("Lotte can't make it, drop her. Remove Lotte", Verb.DELETE, "Lotte")[0] == [
        "puppeteer = Lotte"
    ]


def test_what_is_sold_out_may_be_swapped_away() -> None:
    assert held("the lamp is sold out, take a lantern instead", Verb.DELETE, "lamp")[0] == ["lamp"]


def test_of_two_names_alike_the_one_with_more_words_said_is_meant() -> None:
    context = context_of("pantry\n- red beans\n- red lentils", "drop the red beans")
    lentils, beans = context.graph.find("red lentils")[0].id, context.graph.find("red beans")[0].id
    guarded = guard([Line(Verb.DELETE, "", (beans, lentils))], context)
    assert guarded.lines[0].ids == (beans,)
    assert [dropped.reason for dropped in guarded.dropped] == [
        "the words fit another node better than red lentils"
    ]


def test_all_in_a_task_needs_a_set_word() -> None:
    assert held("drop the show", Verb.DELETE, "puppet show", within=True) == (
        [],
        ["no word such as all or everything was said"],
    )
    assert held("drop everything in the puppet show", Verb.DELETE, "puppet show", within=True)[0] == [
        "puppet show"
    ]


def test_a_value_that_stands_already_is_no_change() -> None:
    assert held("the stage is the barn", Verb.CHANGE, "stage", text="barn")[1] == [
        "stage = barn says that already"
    ]


def test_a_time_is_no_value_for_a_person() -> None:
    assert held("Lotte at 6 PM", Verb.CHANGE, "Lotte", text="6 PM")[1] == ["a time is no value for Lotte"]


def test_a_person_is_no_time() -> None:
    assert held("the time is for Farid", Verb.CHANGE, "time", text="Farid")[1] == ["Farid is no time"]


def test_a_bare_number_may_be_a_time_that_is_named() -> None:
    assert held("the time is 6", Verb.CHANGE, "time", text="6")[0] == ["time = 4 PM"]


def test_a_slot_that_is_said_may_get_a_time() -> None:
    assert held("the puppeteer is there from 6 PM", Verb.CHANGE, "Lotte", text="6 PM")[0] == [
        "puppeteer = Lotte"
    ]


def test_the_task_itself_is_not_changed_in_passing() -> None:
    assert held("the puppet show is big", Verb.CHANGE, "puppet show", text="big")[1] == [
        "puppet show is the task itself"
    ]
    assert held("call the puppet show Kasper", Verb.CHANGE, "puppet show", text="Kasper")[0] == [
        "puppet show"
    ]


def test_a_value_of_the_same_kind_needs_no_name() -> None:
    assert held("make it 6 PM", Verb.CHANGE, "time", text="6 PM")[0] == ["time = 4 PM"]


def test_a_change_of_what_nobody_spoke_of_is_dropped() -> None:
    assert held("paint blue stars", Verb.CHANGE, "stage", text="blue stars")[1] == [
        "the words touch no node named barn"
    ]


def test_a_change_does_not_leave_the_task_that_is_named() -> None:
    left, reasons = held("the soup night starts at 6 PM", Verb.CHANGE, "time", text="6 PM")
    assert left == []
    assert reasons == ["the words name another node than 4 PM"]


def test_one_node_is_changed_once_in_a_turn() -> None:
    context = context_of(SHOW, "the stage is the mill or the inn", focus=["lamp"])
    stage = context.graph.find("stage")[0].id
    lines = [Line(Verb.CHANGE, "a", (stage,), text="mill"), Line(Verb.CHANGE, "b", (stage,), text="inn")]
    guarded = guard(lines, context)
    assert [line.text for line in guarded.lines] == ["mill"]
    assert [dropped.reason for dropped in guarded.dropped] == [
        "the node, or the text, was used already in this turn"
    ]


def test_one_text_changes_several_nodes_only_with_a_set_word() -> None:
    def changed(said: str) -> int:
        context = context_of(SHOW, said, focus=["lamp"])
        nodes = [context.graph.find(name)[0].id for name in ("lamp", "rope")]
        return len(guard([Line(Verb.CHANGE, "", (id,), text="red") for id in nodes], context).lines)

    assert changed("lamp rope red") == 1
    assert changed("lamp and rope both red") == 2


def test_a_part_takes_no_slot_that_nobody_spoke_of() -> None:
    assert held("we need a ladder", Verb.PART, "puppet show", slot="stage", text="ladder")[1] == [
        "nothing was said about stage"
    ]


def test_a_part_of_the_same_kind_may_take_the_slot() -> None:
    assert held("at 6 PM", Verb.PART, "puppet show", slot="time", text="6 PM")[1] == []


@pytest.mark.parametrize(
    ("said", "text"), [("leave the lamp out", "leave out"), ("remove the lamp", "remove")]
)
def test_words_that_only_say_what_to_do_are_no_value(said: str, text: str) -> None:
    assert held(said, Verb.CHANGE, "lamp", text=text)[1] == ["the words only say what to do"]


def test_what_is_written_twice_counts_once() -> None:
    context = context_of(SHOW, "bring a ladder")
    lines = [
        Line(Verb.PART, "+ ladder", (1,), slot="ladder"),
        Line(Verb.PART, "+ Ladder", (1,), slot="Ladder"),
    ]
    guarded = guard(lines, context)
    assert len(guarded.lines) == 1
    assert [dropped.reason for dropped in guarded.dropped] == ["it was written twice"]


def test_back_may_be_said_by_a_former_value() -> None:
    context = context_of("fair\n- stage = barn (was mill)", "the mill again", focus=["fair"])
    assert bears(Verb.BACK, context.graph.find("stage")[0], context)


def test_back_without_a_name_is_for_what_was_spoken_of_last() -> None:
    context = context_of(SHOW, "undo", focus=["stage", "lamp", "rope", "salt"])
    assert bears(Verb.BACK, context.graph.find("stage")[0], context)
    assert not bears(Verb.BACK, context.graph.find("salt")[0], context)


def test_a_note_is_for_a_node_that_is_named() -> None:
    assert held("Lotte can't come early", Verb.NOTE, "Marek", text="early")[1] == [
        "the words touch no node named Marek"
    ]
    assert held("Lotte can't come early", Verb.NOTE, "Lotte", text="early")[0] == ["puppeteer = Lotte"]


def test_the_whole_of_a_link_need_not_be_named() -> None:
    assert held("the rope too", Verb.LINK, "rope", "soup night")[0] == ["rope", "soup night"]
    assert held("the rope too", Verb.LINK, "lamp", "soup night")[0] == []


def test_nothing_is_dropped_without_guards() -> None:
    assert held("drop the rope", Verb.DELETE, "lamp", ablate=(Part.GUARDS,)) == (["lamp"], [])


def test_what_may_be_written_is_what_the_guards_let_through() -> None:
    context = context_of(SHOW, "drop the rope", focus=["lamp"])
    assert bears(Verb.DELETE, context.graph.find("rope")[0], context)
    assert not bears(Verb.DELETE, context.graph.find("lamp")[0], context)


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("drop Lotte", True),
        ("Lotte can't come", False),
        ("we are out of rope", False),
        ("no more rope left", False),
        ("streich Lotte", True),
    ],
)
def test_not_to_be_had_is_no_wish_to_remove(said: str, asks: bool) -> None:
    assert says_delete(context_of(SHOW, said)) is asks


def test_every_reason_is_one_line() -> None:
    context = context_of(SHOW, "thanks")
    for verb in Verb:
        if verb in (Verb.NEW, Verb.NONE, Verb.PART):
            continue
        for node in context.graph:
            for dropped in guard([Line(verb, "x", (node.id, 1), text="4 PM")], context).dropped:
                assert dropped.reason
                assert "\n" not in dropped.reason


def test_cues_are_those_of_what_is_told() -> None:
    assert Cue.DELETE not in context_of(SHOW, "should we drop the rope?").cues


@pytest.mark.parametrize(
    "said",
    ["don't remove the lamp of tin", "we shouldn't drop the lamp of tin", "streich die lamp aus Blech nicht"],
)
def test_what_is_not_to_be_removed_is_not_removed(said: str) -> None:
    assert held(said, Verb.DELETE, "lamp") == ([], ["the words say that lamp is not to be removed"])
