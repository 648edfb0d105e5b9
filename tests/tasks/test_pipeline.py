"""A turn through all stages: every kind that must work, with what a model may write, or without one."""

from __future__ import annotations

import re

import pytest

from localmem.errors import EngineError, TruncatedError
from localmem.llm import grammar as grammars
from localmem.tasks import Op, TaskGraph
from localmem.tasks.context import Part
from localmem.tasks.pipeline import MOST_FOCUS, TRIES, Understood, focus_of, last_language, understand
from localmem.tasks.reading import read
from tests.fakes import ScriptedModel
from tests.tasks.scene import Chat, chat, check_written, graph_of, tips


def understood(
    state: str, said: str, *written: str | Exception, ablate: frozenset[Part] = frozenset()
) -> tuple[Understood, ScriptedModel]:
    graph = graph_of(state)
    model = ScriptedModel(written)
    found = understand(graph, read(said), focus_of(graph, ()), lambda: model, ablate=ablate)
    check_written(model, [one for one in written if isinstance(one, str)][: len(model.prompts)])
    return found, model


def no_model() -> ScriptedModel:
    raise AssertionError("the model was asked for")


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


# What never changes anything.


@pytest.mark.parametrize(
    "said",
    [
        "who flies first?",
        "wasn't the glue from Tilda?",
        "why did we drop the glue?",
        "what was the time at first?",
        "who had it in between?",
        "did I ever say noon?",
        "what if we dropped the twine?",
        "maybe we should drop the twine",
        "I'm not sure about the twine",
        "thanks, that's great!",
        "wer fliegt zuerst?",
        "was war die Uhrzeit am Anfang?",
        "was wäre, wenn wir twine streichen?",
        "¿quién vuela primero?",
        "¿y si quitamos twine?",
        "gracias",
    ],
)
def test_questions_doubts_and_talk_ask_no_model_and_change_nothing(said: str) -> None:
    graph = graph_of(CREW + "\n- twine\n- glue (removed)")
    found = understand(graph, read(said), (), no_model)
    assert found == Understood((), (), "", False, found.usage)
    assert found.usage.calls == 0


def test_an_update_and_a_question_in_one_sentence_change_what_is_told() -> None:
    talk = chat("kite day\n- time = noon\n- glue")
    assert tips(talk.say("drop the glue and tell me when we start")) == ["kite day > time = noon"]


def test_a_question_beside_an_update_is_kept_from_the_model() -> None:
    found, model = understood(
        "kite day\n- tail = ribbon", "the tail should be wool of Tilda. Who flies first?", "change tail: wool"
    )
    assert "flies" not in model.prompts[0].messages[-1].text
    assert [operation.value for operation in found.operations] == ["wool"]


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


# The model, when it errs.


def test_what_the_guards_drop_cannot_be_written_again() -> None:
    found, model = understood(
        "kite day\n- tail = ribbon", "the tail hangs on the ribbon of old", "change tail: ribbon", "done tail"
    )
    assert [operation.op for operation in found.operations] == [Op.DONE]
    assert [dropped.reason for dropped in found.dropped] == ["tail = ribbon says that already"]
    assert not grammars.accepts(model.grammars[1] or "", "change tail: ribbon")


def test_what_stays_wrong_is_missed_and_changes_nothing() -> None:
    graph = graph_of("kite day\n- tail = ribbon")
    model = ScriptedModel(["change tail: ribbon"] * TRIES)
    found = understand(graph, read("the tail hangs on the ribbon of old"), (), lambda: model)
    assert found.operations == ()
    assert found.missed
    assert found.dropped


def test_none_from_the_model_is_no_miss() -> None:
    found, _ = understood("kite day\n- tail", "the rain is over", "none")
    assert (found.operations, found.missed) == ((), False)


def test_half_a_line_at_the_token_limit_is_not_taken() -> None:
    cut = TruncatedError("Too long.", hint="", text="in kite day:\n+ twine\n+ gl")
    found, _ = understood("kite day", "for the kites we want twine and glue", cut)
    assert [operation.slot for operation in found.operations] == ["twine"]


def test_an_engine_that_fails_is_not_hidden() -> None:
    with pytest.raises(EngineError):
        understood(
            "kite day", "for the kites we want twine with glue", EngineError("It broke.", hint="Try again.")
        )


def test_an_operation_that_the_graph_refuses_is_dropped_with_its_reason() -> None:
    graph = graph_of("kite day\n- frame\n- - sticks")
    model = ScriptedModel(["link frame to sticks"] * TRIES)
    found = understand(graph, read("the frame belongs to the sticks too, as a whole"), (3, 2), lambda: model)
    assert found.operations == ()
    assert "cannot be a part of" in found.dropped[0].reason


def test_what_code_reads_and_is_so_already_is_a_query() -> None:
    graph = graph_of("kite day\n- twine")
    found = understand(graph, read("add twine"), focus_of(graph, ()), no_model)
    assert [operation.op for operation in found.operations] == [Op.QUERY]
    assert not found.missed


def test_usage_counts_all_calls() -> None:
    found, model = understood("kite day\n- tail = ribbon", "the tail hangs on velvet", "change tail: velvet")
    assert found.usage.calls == len(model.prompts) == 1


def test_the_model_reads_only_a_part_of_a_large_graph() -> None:
    state = "kite day\n" + "\n".join(f"- peg {n} = {n} cm" for n in range(200))
    _, model = understood(state, "for the kites we want some sort of banner", "in kite day:\n+ banner")
    assert len(model.prompts[0].messages[-1].text) < 1500


# Parts left out.


def test_without_reading_by_code_the_model_reads_questions_too() -> None:
    _, model = understood("kite day\n- twine", "who flies first?", "none", ablate=frozenset({Part.TRIM}))
    assert "flies" in model.prompts[0].messages[-1].text


def test_without_guards_the_model_may_delete_what_nobody_named() -> None:
    found, _ = understood(
        "kite day\n- twine\n- glue",
        "drop the glue of old",
        "delete twine",
        ablate=frozenset({Part.GUARDS, Part.TRIM}),
    )
    assert [(operation.op, operation.target) for operation in found.operations] == [(Op.DELETE, 2)]


def test_without_the_graph_the_model_sees_a_flat_list() -> None:
    _, model = understood(
        "kite day\n- tail = ribbon",
        "the tail hangs on velvet",
        "change tail: velvet",
        ablate=frozenset({Part.GRAPH}),
    )
    assert "- tail" not in model.prompts[0].messages[-1].text


# What was spoken of.


def test_the_focus_is_what_changed_last_then_what_was_spoken_of() -> None:
    graph = graph_of("kite day\n- twine\n- glue\n- tail")
    assert focus_of(graph, (2,))[:2] == (4, 2)
    assert len(focus_of(graph_of("fair\n" + "\n".join(f"- peg {n}" for n in range(60))), ())) == MOST_FOCUS


def test_nothing_is_spoken_of_in_an_empty_graph() -> None:
    assert focus_of(TaskGraph(), (7,)) == ()


def test_the_language_of_an_older_chat_is_known() -> None:
    talk = Chat()
    talk.say("wir planen einen Drachentag am Sonntag", "new: Drachentag\n+ Datum = Sonntag")
    assert last_language(talk.graph) == "de"
    assert last_language(TaskGraph()) == "en"
