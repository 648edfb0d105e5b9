"""What code understands alone, and what it leaves to the model."""

from __future__ import annotations

import pytest

from localmem.tasks.direct import direct
from localmem.tasks.meant import gives_reason, open_words
from localmem.tasks.trim import Line
from tests.tasks.scene import context_of

SHOW = """puppet show
- stage = barn
- time = 4 PM (was 2 PM, 3 PM)
- lamp
- rope
- puppeteer = Lotte
- puppeteer = Marek
- puppeteer = Oda (removed)
- curtain (removed)
- glue = 2 tubes (was 1 tube, 3 tubes)
soup night
- leeks = 3
- stock"""


def read_by_code(said: str, state: str = SHOW, focus: list[str] | None = None) -> list[str] | None:
    """Lines in the model's words, or None where the model has to read."""
    context = context_of(state, said, focus=["lamp"] if focus is None else focus)
    lines = direct(context)
    return None if lines is None else [_written(line, context.graph) for line in lines]


def _written(line: Line, graph: object) -> str:
    names = [graph[id].value or graph[id].slot if id > 0 else str(id) for id in line.ids]  # type: ignore[index]
    text = " = ".join(part for part in (line.slot, line.text) if part)
    return f"{line.verb} {', '.join(names)}{': ' if text else ''}{text}".strip()


@pytest.mark.parametrize(
    "said",
    [
        "remove the lamp",
        "we don't need the lamp",
        "please drop the lamp",
        "no lamp needed",
        "the lamp can go",
        "streich die Lamp bitte",
        "quita la lamp por favor",
        "drop the lamp, it is far too dim",
    ],
)
def test_a_removal_that_says_nothing_else_is_read_by_code(said: str) -> None:
    assert read_by_code(said) == ["delete lamp"]


def test_several_removals_in_one_sentence_are_one_line() -> None:
    assert read_by_code("remove the lamp and the rope") == ["delete lamp, rope"]


def test_a_removal_with_open_words_is_left_to_the_model() -> None:
    assert read_by_code("drop the lamp with the green shade of velvet") is None


@pytest.mark.parametrize(
    "said", ["the rope is packed", "we bought the rope", "der Rope ist fertig", "ya he comprado la rope"]
)
def test_what_is_done_is_read_by_code(said: str) -> None:
    assert read_by_code(said) == ["done rope"]


@pytest.mark.parametrize(
    "said", ["keep the curtain after all", "bring the curtain back", "der Curtain kommt doch wieder"]
)
def test_what_was_removed_comes_back_by_code(said: str) -> None:
    assert read_by_code(said) == ["restore curtain"]


def test_a_person_comes_back_by_name() -> None:
    assert read_by_code("Oda can come after all") == ["restore Oda"]


def test_a_removed_node_and_an_order_to_remove_are_left_to_the_model() -> None:
    assert read_by_code("remove the curtain again") is None


@pytest.mark.parametrize(
    "said",
    [
        "only keep the lamp",
        "everything but the lamp can go",
        "all except the lamp are out",
        "alles außer der Lamp kann weg",
    ],
)
def test_all_but_one_is_read_by_code(said: str) -> None:
    assert read_by_code(said) == ["keep lamp"]


def test_several_may_be_excepted() -> None:
    assert read_by_code("everything but the lamp and the rope goes") == ["keep lamp, rope"]


def test_back_to_what_it_was_is_read_by_code() -> None:
    assert read_by_code("the glue goes back to what it was") == ["back 2 tubes"]
    assert read_by_code("put the time back") == ["back 4 PM"]


def test_back_for_what_never_changed_is_left_to_the_model() -> None:
    assert read_by_code("the stage goes back to what it was") is None


def test_back_and_something_new_are_left_to_the_model() -> None:
    assert read_by_code("the glue goes back to what it was, and a kettle") is None


def test_a_shared_part_is_linked_by_code() -> None:
    assert read_by_code("the rope joins soup night as well") in (["link rope, soup night"], None)


def test_another_quantity_is_read_by_code() -> None:
    assert read_by_code("glue 5 tubes instead") == ["change 2 tubes: 5 tubes"]
    assert read_by_code("leeks: 4") == ["change 3: 4"]


def test_a_number_for_a_time_is_no_quantity() -> None:
    assert read_by_code("the time 5") is None


def test_items_that_are_added_are_read_by_code() -> None:
    assert read_by_code("add a drum, two bells and chalk") == [
        "+ puppet show: a drum",
        "+ puppet show: two bells",
        "+ puppet show: chalk",
    ]
    assert read_by_code("füg Kreide hinzu") == ["+ puppet show: Kreide"]
    assert read_by_code("añade tiza") == ["+ puppet show: tiza"]


def test_what_is_added_goes_to_the_task_that_is_named() -> None:
    assert read_by_code("add thyme to the soup night") == ["+ soup night: thyme"]


def test_bare_quantities_are_items_of_the_task_spoken_of() -> None:
    assert read_by_code("3 rolls of tape, 2 bags of sand") == [
        "+ puppet show: 3 rolls of tape",
        "+ puppet show: 2 bags of sand",
    ]


def test_a_place_is_no_list_to_add_to() -> None:
    assert read_by_code("put the lamp on the roof") is None


def test_with_no_task_there_is_nothing_to_add_to() -> None:
    assert read_by_code("add a drum", "(nothing yet)", []) is None


def test_a_tag_that_names_a_slot_changes_it() -> None:
    assert read_by_code("stage: town hall") == ["change barn: town hall"]


def test_a_tag_that_names_none_is_a_new_slot() -> None:
    assert read_by_code("Owner: Farid") == ["+ puppet show: owner = Farid"]


def test_a_tag_that_names_a_task_adds_to_it() -> None:
    assert read_by_code("soup night: bread, salt") == ["+ soup night: bread", "+ soup night: salt"]


def test_a_tag_with_a_list_behind_it_is_a_part_with_parts() -> None:
    assert read_by_code("props: crown, sword, mask") == [
        "+ puppet show: props",
        "+ -1: crown",
        "+ -1: sword",
        "+ -1: mask",
    ]


def test_an_event_with_a_list_behind_it_is_a_task_of_its_own() -> None:
    assert read_by_code("boat trip: oars, vests, tea")[0] == "new -1: boat trip"  # type: ignore[index]


def test_a_tag_and_the_word_back_take_the_slot_back() -> None:
    assert read_by_code("time: back to the original") == ["back 4 PM"]


def test_a_tag_with_a_sentence_behind_it_is_left_to_the_model() -> None:
    assert read_by_code("stage: I would rather have the town hall") is None


def test_who_stands_together_after_a_split_is_read_by_code() -> None:
    assert read_by_code("split it: Lotte at 3 PM, the rest at 5 PM") == [
        "part Lotte: at 3 PM",
        "part : at 5 PM",
    ]


def test_a_split_that_names_nobody_is_left_to_the_model() -> None:
    assert read_by_code("split the group into two") is None


def test_who_cannot_is_a_note() -> None:
    assert read_by_code("Lotte can't do Mondays") == ["note Lotte: can't do Mondays"]
    assert read_by_code("Lotte kann montags nicht") == ["note Lotte: kann montags nicht"]
    assert read_by_code("Lotte no puede los lunes") == ["note Lotte: no puede los lunes"]


def test_who_cannot_is_no_note_where_two_are_named() -> None:
    assert read_by_code("Lotte and Marek can't do Mondays") is None


@pytest.mark.parametrize(
    "said",
    [
        "swap the lamp for a lantern",
        "a lantern instead of the lamp",
        "the lamp should hang higher",
        "move it to the attic",
        "delete everything",
        "the others can go",
        "merge the groups",
    ],
)
def test_what_leaves_something_open_is_left_to_the_model(said: str) -> None:
    assert read_by_code(said) is None


def test_an_order_behind_the_comma_is_not_taken_for_a_reason() -> None:
    assert read_by_code("drop the lamp, and take the rope") != ["delete lamp"]


@pytest.mark.parametrize("said", ["it is too dim", "weil er zu schwach ist", "porque ya no luce"])
def test_a_sentence_of_its_own_gives_a_reason(said: str) -> None:
    assert gives_reason(said)


def test_words_that_nothing_bears_are_open() -> None:
    assert open_words(context_of(SHOW, "drop the lamp with velvet")) == ["velvet"]
    assert open_words(context_of(SHOW, "please drop the lamp")) == []


def test_what_is_not_to_be_forgotten_is_not_removed() -> None:
    for said in ("don't forget the lamp", "do not forget about the lamp", "vergiss die Lamp bitte nicht"):
        assert read_by_code(said) != ["delete lamp"]
    assert read_by_code("forget the lamp") == ["delete lamp"]


def test_behind_a_tag_not_this_but_that_is_that() -> None:
    assert read_by_code("stage: not the barn but the mill") == ["change barn: the mill"]


def test_a_task_that_stands_is_no_new_one() -> None:
    state = "choir trip\n- bus\nraft race\n- rope"
    assert read_by_code("add tape to the choir trip", state, ["rope"]) == ["+ choir trip: tape"]


@pytest.mark.parametrize(
    "said", ["don't skip the lamp", "do not remove the lamp", "lösch die Lamp nicht", "no quites la lamp"]
)
def test_what_is_not_to_be_removed_stays(said: str) -> None:
    assert read_by_code(said) in ([], None)


@pytest.mark.parametrize(
    "said", ["move it to 5 PM", "so let's start at 5 PM then", "change the time to 5 PM"]
)
def test_another_time_is_read_by_code_where_one_node_holds_a_time(said: str) -> None:
    assert read_by_code(said) == ["change 4 PM: 5 PM"]


def test_another_time_is_left_to_the_model_where_two_nodes_hold_one() -> None:
    state = "puppet show\n- doors = 3 PM\n- curtain = 4 PM"
    assert read_by_code("move it to 5 PM", state, focus=["curtain"]) is None
