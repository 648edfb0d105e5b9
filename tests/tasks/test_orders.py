"""A turn through all stages: every kind of order, with what a model may write, or without one."""

from __future__ import annotations

import re

import pytest

from localmem.llm import grammar as grammars
from localmem.tasks import Op
from localmem.tasks.pipeline import focus_of, understand
from localmem.tasks.reading import read
from tests.fakes import ScriptedModel
from tests.tasks.scene import Chat, chat, tips, understood

# First mention, several values in one sentence, lists and quantities.


def test_a_first_mention_makes_a_task_with_what_is_said_about_it() -> None:
    talk = Chat()
    paths = talk.say(
        "we plan a kite day on Sunday at the dyke", "new: kite day\n+ date = Sunday\n+ place = dyke"
    )
    assert sorted(tips(paths)) == ["kite day > date = Sunday", "kite day > place = dyke"]


def test_a_first_mention_in_german() -> None:
    talk = Chat()
    paths = talk.say("wir planen einen Drachentag am Sonntag", "new: Drachentag\n+ Datum = Sonntag")
    assert tips(paths) == ["Drachentag > Datum = Sonntag"]
    assert talk.language == "de"


def test_a_first_mention_in_spanish() -> None:
    talk = Chat()
    paths = talk.say(
        "quiero organizar un día de cometas el domingo", "new: día de cometas\n+ fecha = domingo"
    )
    assert tips(paths) == ["día de cometas > fecha = domingo"]
    assert talk.language == "es"


def test_several_values_in_one_sentence_all_land() -> None:
    talk = chat("kite day")
    paths = talk.say(
        "it begins at 10 AM, Sunday, Ruben flies first",
        "in kite day:\n+ time = 10 AM\n+ date = Sunday\n+ person = Ruben",
    )
    assert sorted(tips(paths)) == [
        "kite day > date = Sunday",
        "kite day > person = Ruben",
        "kite day > time = 10 AM",
    ]


def test_lists_and_quantities_need_no_model() -> None:
    talk = chat("kite day")
    paths = talk.say("add 3 rolls of twine, glue and two pairs of scissors")
    assert sorted(tips(paths)) == [
        "kite day > glue",
        "kite day > scissors = two pairs",
        "kite day > twine = 3 rolls",
    ]


def test_a_quantity_changes_without_a_model() -> None:
    assert tips(chat("kite day\n- twine = 3 rolls").say("twine 5 rolls instead")) == [
        "kite day > twine = 5 rolls"
    ]


def test_a_list_behind_a_tag_needs_no_model() -> None:
    paths = chat("kite day").say("snacks: plums, buns, tea")
    assert sorted(tips(paths)) == [
        "kite day > snacks > buns",
        "kite day > snacks > plums",
        "kite day > snacks > tea",
    ]


# Shared subtasks, replacing.

TWO = "kite day\n- twine\n- tail = ribbon\nlantern walk\n- candles"


def test_one_part_can_be_of_two_tasks() -> None:
    talk = chat(TWO)
    paths = talk.say("the twine is for the lantern walk too")
    assert {"kite day > twine", "lantern walk > twine"} <= set(paths)
    assert len(talk.graph.find("twine")) == 1


def test_a_shared_part_is_renamed_in_both() -> None:
    talk = chat("kite day\n- twine\nlantern walk\n- twine")
    paths = talk.say("take cord instead of twine", "change twine: cord")
    assert sorted(tips(paths)) == ["kite day > cord", "lantern walk > cord"]


def test_a_replacement_goes_everywhere_and_keeps_what_was() -> None:
    talk = chat("stew\n- parsnips = dice\nsoup\n- parsnips = grate")
    paths = talk.say("use turnips instead of parsnips everywhere", "change dice: turnips")
    assert all("parsnips" not in path for path in paths)
    assert any(past.slot == "parsnips" for node in talk.graph for past in node.history)


def test_one_of_several_is_changed() -> None:
    state = "kite day\n- pilot = Ruben\n- pilot = Tilda\n- time = 10 AM"
    paths = chat(state).say("Ruben is replaced by Mats", "change Ruben: Mats")
    assert sorted(tips(paths)) == [
        "kite day > pilot = Mats",
        "kite day > pilot = Tilda",
        "kite day > time = 10 AM",
    ]


# Deleting, keeping, restoring, going back.


def test_a_part_is_deleted_and_the_others_stay() -> None:
    talk = chat("kite day\n- twine\n- glue\n- tail = ribbon")
    assert sorted(tips(talk.say("we don't need the glue"))) == [
        "kite day > tail = ribbon",
        "kite day > twine",
    ]


def test_several_parts_are_deleted_in_one_sentence() -> None:
    assert tips(chat("kite day\n- twine\n- glue\n- tail").say("drop the glue and the tail")) == [
        "kite day > twine"
    ]


def test_all_but_one_are_deleted() -> None:
    assert tips(chat("kite day\n- twine\n- glue\n- tail").say("everything except the glue can go")) == [
        "kite day > glue"
    ]


def test_what_was_deleted_is_kept_after_all() -> None:
    talk = chat("kite day\n- twine\n- glue")
    talk.say("remove the glue")
    assert sorted(tips(talk.say("keep the glue after all"))) == ["kite day > glue", "kite day > twine"]


def test_a_value_goes_back_by_one_and_to_the_first() -> None:
    state = "kite day\n- time = noon (was 9 AM, 10 AM)"
    assert tips(chat(state).say("put the time back to what it was")) == ["kite day > time = 10 AM"]
    assert tips(chat(state).say("the time goes back to the original")) == ["kite day > time = 9 AM"]


def test_a_value_goes_back_to_one_that_is_named() -> None:
    state = "kite day\n- tail = wool (was ribbon, paper, cloth)"
    assert tips(chat(state).say("the tail goes back to paper")) == ["kite day > tail = paper"]


# Who cannot; set words; split and merge.


@pytest.mark.parametrize(
    "said",
    ["Ruben can't make it before 2 PM", "Ruben kann vor 14 Uhr nicht", "Ruben no puede antes de las 2"],
)
def test_who_cannot_stays_with_a_note(said: str) -> None:
    state = "kite day\n- pilot = Ruben\n- pilot = Tilda\n- time = 10 AM"
    talk = chat(state)
    reading = read(said)
    model = ScriptedModel(["note Ruben: before", "note Ruben: vor", "note Ruben: antes"])
    found = understand(talk.graph, reading, focus_of(talk.graph, ()), lambda: model)
    assert all(operation.op is Op.ADD and operation.slot == "note" for operation in found.operations)
    assert len(found.operations) == 1


def test_a_model_cannot_even_write_that_who_cannot_is_deleted() -> None:
    state = "kite day\n- pilot = Ruben\n- helper = Tilda\n- time = noon"
    said = "Ruben and Tilda can't make it before 2 PM"
    found, model = understood(state, said, "note pilot: before 2 PM\nnote helper: before 2 PM")
    assert [(operation.op, operation.value) for operation in found.operations] == [
        (Op.ADD, "before 2 PM"),
        (Op.ADD, "before 2 PM"),
    ]
    assert not grammars.accepts(model.grammars[0] or "", "delete pilot")


def test_both_are_done_with_a_set_word() -> None:
    talk = chat("kite day\n- twine\n- glue\n- tail")
    talk.say("both the twine and the glue are bought")
    assert talk.paths(all=True).count("kite day > tail") == 1
    assert tips(talk.paths()) == ["kite day > tail"]


def test_everything_in_a_task_is_deleted_with_a_set_word() -> None:
    paths = chat(TWO).say("delete everything in the kite day list", "delete all in kite day")
    assert tips(paths) == ["kite day", "lantern walk > candles"]


CREW = "kite day\n- time = noon\n- pilot = Ruben\n- pilot = Tilda\n- pilot = Mats"


def test_a_group_is_split_and_merged_again() -> None:
    talk = chat(CREW)
    paths = talk.say("split them up: Tilda at 3 PM, the rest at 5 PM")
    assert any(re.match(r"kite day > part = .*3 PM > pilot = Tilda", path) for path in paths)
    assert any(re.match(r"kite day > part = .*5 PM > pilot = Mats", path) for path in paths)
    assert "kite day > pilot = Tilda" not in paths
    assert sorted(tips(talk.say("merge the groups again"))) == sorted(tips(chat(CREW).paths()))


def test_groups_merge_at_a_time_that_the_model_writes() -> None:
    talk = chat(CREW)
    talk.say("split them up: Tilda at 3 PM, the rest at 5 PM")
    paths = talk.say("make it one meeting with everybody at 4 PM", "change time: 4 PM")
    assert sorted(tips(paths)) == [
        "kite day > pilot = Mats",
        "kite day > pilot = Ruben",
        "kite day > pilot = Tilda",
        "kite day > time = 4 PM",
    ]


# Typing errors, two tasks, tags, languages.


def test_typing_errors_are_understood() -> None:
    assert tips(chat("kite day\n- scissors\n- twine").say("remvoe the scisors", "delete scissors")) == [
        "kite day > twine"
    ]
    assert tips(chat("kite day\n- scissors\n- twine").say("remove the scisors")) == ["kite day > twine"]


def test_two_tasks_do_not_bleed_into_each_other() -> None:
    state = "kite day\n- time = noon\nlantern walk\n- time = 6 PM"
    found, _ = understood(state, "the lantern walk is at 7 PM now, Odile says", "change 6 PM: 7 PM")
    assert [(operation.target, operation.value) for operation in found.operations] == [(4, "7 PM")]


def test_a_change_in_another_task_than_the_one_named_cannot_be_written() -> None:
    state = "kite day\n- time = noon\nlantern walk\n- time = 6 PM"
    found, model = understood(state, "the lantern walk moves to 7 PM, Odile says", "change 6 PM: 7 PM")
    assert [(operation.target, operation.value) for operation in found.operations] == [(4, "7 PM")]
    assert not any(grammars.accepts(grammar or "", "change noon: 7 PM") for grammar in model.grammars)


def test_parts_go_to_the_task_that_is_named() -> None:
    assert "lantern walk > matches" in chat(TWO).say("add matches to the lantern walk")


def test_a_tag_in_front_sets_its_slot_without_a_model() -> None:
    assert tips(chat("kite day\n- place = dyke").say("place: the old pier")) == [
        "kite day > place = the old pier"
    ]
    assert tips(chat("kite day").say("Owner: Mats")) == ["kite day > owner = Mats"]


def test_a_tag_in_front_of_a_sentence_leaves_the_model_the_value_alone() -> None:
    talk = chat("kite day\n- place = dyke")
    assert tips(talk.say("place: I'd rather meet on the pier", "change place: pier")) == [
        "kite day > place = pier"
    ]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("streich die Schere", ["Drachentag > Garn"]),
        ("wir brauchen kein Garn mehr", ["Drachentag > Schere"]),
        ("alles außer dem Garn kann weg", ["Drachentag > Garn"]),
        ("das Garn ist gekauft", ["Drachentag > Schere"]),
        ("füg Leim hinzu", ["Drachentag > Garn", "Drachentag > Leim", "Drachentag > Schere"]),
    ],
)
def test_german_orders_need_no_model(said: str, left: list[str]) -> None:
    assert sorted(tips(chat("Drachentag\n- Schere\n- Garn").say(said))) == left


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("quita las tijeras", ["cometas > hilo"]),
        ("todo menos el hilo puede irse", ["cometas > hilo"]),
        ("ya he comprado el hilo", ["cometas > tijeras"]),
        ("añade cola", ["cometas > cola", "cometas > hilo", "cometas > tijeras"]),
    ],
)
def test_spanish_orders_need_no_model(said: str, left: list[str]) -> None:
    assert sorted(tips(chat("cometas\n- tijeras\n- hilo").say(said))) == left


def test_a_long_conversation_stays_whole() -> None:
    talk = Chat()
    talk.say("plan a kite day", "new: kite day")
    for n in range(40):
        talk.say(f"add peg{n}")
        if n % 3 == 1:
            talk.say(f"drop the peg{n - 1}")
        if n % 6 == 4:
            talk.say(f"keep the peg{n - 1} after all")
        talk.say("what is on the list?")
    live = {path.rpartition(" > ")[2] for path in tips(talk.paths())}
    gone = {f"peg{n - 1}" for n in range(40) if n % 3 == 1}
    back = {f"peg{n - 1}" for n in range(40) if n % 6 == 4}
    assert live == {f"peg{n}" for n in range(40)} - (gone - back)
    assert len(talk.graph) == 41
