"""What each operation does."""

from __future__ import annotations

import pytest

from localmem.errors import TaskError
from localmem.tasks import Intent, Moment, Op, Operation, TaskGraph, after
from tests.tasks.support import KITCHEN_PATHS, START, Plan, kitchen


def test_every_operation_has_an_intent() -> None:
    assert {op: op.intent for op in Op if op.intent is not Intent.UPDATE} == {
        Op.ADD: Intent.NEW,
        Op.QUERY: Intent.CHECK,
    }


def test_an_addition_can_be_used_in_its_own_turn() -> None:
    assert kitchen().paths() == KITCHEN_PATHS


def test_a_number_of_this_turn_means_nothing_in_the_next() -> None:
    plan = kitchen()
    with pytest.raises(TaskError, match="No task -1 was added in this turn"):
        plan.turn(Operation(Op.SET, -1, value="x"))


def test_a_new_task_cannot_choose_its_number() -> None:
    plan = kitchen()
    for taken in (7, 1):
        with pytest.raises(TaskError, match="cannot be number"):
            plan.turn(Operation(Op.ADD, taken, "egg"))
    with pytest.raises(TaskError, match="cannot be number -1"):
        plan.turn(Operation(Op.ADD, -1, "egg"), Operation(Op.ADD, -1, "salt"))


def test_a_new_task_needs_a_name() -> None:
    with pytest.raises(TaskError, match="needs a name"):
        Plan().turn(Operation(Op.ADD, slot=" \n"))


def test_texts_are_kept_as_one_line_that_can_be_written() -> None:
    plan = Plan()
    plan.turn(Operation(Op.ADD, slot=" buy\n\tmilk ", value="two\ud800 \0litres"))
    assert plan.paths() == ["buy milk = two\ufffd \ufffdlitres"]


def test_what_stands_there_is_not_added_twice() -> None:
    plan = kitchen()
    changes = plan.turn(
        Operation(Op.ADD, -1, " Milk", parent=plan.id("fry pancakes")), Operation(Op.SET, -1, value="warm")
    )
    assert [(change.op, change.after.slot) for change in changes] == [(Op.SET, "milk")]
    assert plan.paths() == [*KITCHEN_PATHS[:-1], "fry pancakes > milk = warm"]


def test_the_same_name_below_another_task_is_another_task() -> None:
    plan = kitchen()
    plan.turn(Operation(Op.ADD, slot="milk", parent=plan.id("bake bread")))
    assert len(plan.graph.find("milk")) == 2


@pytest.mark.parametrize("op", [Op.DELETE, Op.DONE])
def test_adding_what_was_deleted_or_done_makes_it_active_again(op: Op) -> None:
    plan = kitchen()
    plan.do(op, "milk")
    plan.turn(Operation(Op.ADD, slot="milk", parent=plan.id("fry pancakes")))
    assert plan.paths() == KITCHEN_PATHS
    assert [past.op for past in plan.graph.find("milk")[0].history] == [Op.ADD, op, Op.RESTORE]


def test_beginning_anew_does_not_bring_back_the_parts_of_what_was_deleted() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "fry pancakes")
    plan.turn(Operation(Op.ADD, slot="fry pancakes"))
    assert plan.paths() == [*KITCHEN_PATHS[:2], "fry pancakes"]


def test_set_changes_the_value_wherever_the_task_is_used() -> None:
    plan = kitchen()
    plan.do(Op.SET, "flour", value="weigh")
    assert [path for path in plan.paths() if "flour" in path] == [
        "bake bread > flour = weigh",
        "fry pancakes > flour = weigh",
    ]


def test_setting_the_value_that_it_has_changes_nothing() -> None:
    plan = kitchen()
    assert plan.do(Op.SET, "flour", value=" sift ") == ()
    assert len(plan.graph.find("flour")[0].history) == 2


def test_a_value_can_be_emptied_but_not_left_out() -> None:
    plan = kitchen()
    plan.do(Op.SET, "flour", value="")
    assert "bake bread > flour" in plan.paths()
    with pytest.raises(TaskError, match="no value to set"):
        plan.do(Op.SET, "flour")


def test_a_first_value_is_news_and_another_one_an_update() -> None:
    plan = kitchen()
    (first,) = plan.do(Op.SET, "milk", value="warm")
    (second,) = plan.do(Op.SET, "milk", value="cold")
    assert (first.intent, second.intent) == (Intent.NEW, Intent.UPDATE)


def test_replace_renames_a_shared_task_everywhere_and_keeps_what_it_was() -> None:
    plan = kitchen()
    (change,) = plan.do(Op.REPLACE, "flour", to="ground oats", value="blend")
    assert plan.paths()[1::2] == ["bake bread > ground oats = blend", "fry pancakes > ground oats = blend"]
    assert change.before is not None
    assert (change.before.slot, change.before.value) == ("flour", "sift")
    assert change.after.versions == [("flour", "sift"), ("ground oats", "blend")]


def test_replace_without_a_value_keeps_it() -> None:
    plan = kitchen()
    plan.do(Op.REPLACE, "flour", to="ground oats")
    assert "bake bread > ground oats = sift" in plan.paths()


def test_replace_below_one_parent_leaves_the_others() -> None:
    plan = kitchen()
    plan.do(Op.REPLACE, "flour", to="ground oats", below="fry pancakes")
    assert plan.paths() == [
        "bake bread",
        "bake bread > flour = sift",
        "fry pancakes",
        "fry pancakes > milk",
        "fry pancakes > ground oats = sift",
    ]


def test_replace_below_the_only_parent_is_a_plain_replace() -> None:
    plan = kitchen()
    milk = plan.id("milk")
    plan.do(Op.REPLACE, "milk", to="oat drink", below="fry pancakes")
    assert plan.id("oat drink") == milk


def test_replacing_a_shared_task_by_itself_changes_nothing() -> None:
    plan = kitchen()
    assert plan.do(Op.REPLACE, "flour", to="Flour", below="fry pancakes") == ()


def test_replace_and_delete_below_a_stranger_are_refused() -> None:
    plan = kitchen()
    for op in (Op.REPLACE, Op.DELETE):
        for slot in ("milk", "flour"):
            with pytest.raises(TaskError, match=f"'{slot}' is no part of 'milk'|'milk' is no part of 'bake"):
                plan.do(op, slot, to="x", below="bake bread" if slot == "milk" else "milk")


def test_a_root_that_is_linked_becomes_a_part() -> None:
    plan = kitchen()
    plan.add("have guests")
    plan.do(Op.LINK, "bake bread", below="have guests")
    assert plan.paths()[-3:] == [
        "have guests",
        "have guests > bake bread",
        "have guests > bake bread > flour = sift",
    ]


def test_a_link_to_nothing_is_refused() -> None:
    plan = kitchen()
    with pytest.raises(TaskError, match="nothing to link"):
        plan.do(Op.LINK, "milk")


@pytest.mark.parametrize("op", [op for op in Op if op not in (Op.ADD, Op.QUERY)])
def test_an_operation_without_a_task_is_refused(op: Op) -> None:
    with pytest.raises(TaskError, match=f"{op} needs a task"):
        kitchen().turn(Operation(op, value="x"))


def test_a_question_changes_nothing() -> None:
    plan = kitchen()
    before = plan.graph
    assert plan.turn(Operation(Op.QUERY), Operation(Op.QUERY, plan.id("milk"))) == ()
    assert plan.graph == before


def test_a_revision_names_turn_reason_and_words() -> None:
    plan = kitchen()
    plan.turn(Operation(Op.DELETE, plan.id("milk")), said="No  milk,\nplease.")
    plan.turn(Operation(Op.RESTORE, plan.id("milk"), why="it was found"), said="There it is!")
    (node,) = plan.graph.find("milk")
    assert [(past.turn, past.why) for past in node.history[1:]] == [
        (2, "No milk, please."),
        (3, "it was found"),
    ]
    assert node.user_response == "There it is!"


def test_turns_only_go_forward() -> None:
    graph = after(TaskGraph(), [], Moment(7, START)).graph
    for turn in (7, 6):
        with pytest.raises(TaskError, match=f"Turn {turn} cannot follow turn 7"):
            after(graph, [], Moment(turn, START))
    assert after(graph, [], Moment(9, START)).graph.turn == 9


def test_a_task_can_be_split_and_merged_again() -> None:
    plan = Plan()
    plan.turn(
        Operation(Op.ADD, -1, "choir practice", "Monday"),
        *(Operation(Op.ADD, None, "singer", name, parent=-1) for name in ("Ida", "Omar", "Lin")),
    )
    practice, ida = 1, 2
    plan.turn(
        Operation(Op.ADD, -1, "solo practice", "Sunday"),
        Operation(Op.LINK, ida, parent=-1),
        Operation(Op.DELETE, ida, parent=practice),
    )
    assert plan.paths() == [
        "choir practice = Monday",
        "choir practice = Monday > singer = Omar",
        "choir practice = Monday > singer = Lin",
        "solo practice = Sunday",
        "solo practice = Sunday > singer = Ida",
    ]
    plan.turn(
        Operation(Op.LINK, ida, parent=practice),
        Operation(Op.DELETE, plan.id("solo practice")),
        Operation(Op.SET, practice, value="Tuesday"),
    )
    assert plan.paths() == [
        "choir practice = Tuesday",
        "choir practice = Tuesday > singer = Ida",
        "choir practice = Tuesday > singer = Omar",
        "choir practice = Tuesday > singer = Lin",
    ]


def test_replace_without_a_slot_keeps_it() -> None:
    plan = kitchen()
    plan.do(Op.REPLACE, "flour", value="weigh")
    assert "bake bread > flour = weigh" in plan.paths()


def test_replace_below_the_only_live_parent_is_a_plain_replace() -> None:
    plan = kitchen()
    flour = plan.id("flour")
    plan.do(Op.DELETE, "bake bread")
    plan.do(Op.REPLACE, "flour", to="oats", below="fry pancakes")
    assert plan.id("oats") == flour


def test_adding_what_stands_there_adds_what_it_needs() -> None:
    plan = kitchen()
    pancakes, flour = plan.id("fry pancakes"), plan.id("flour")
    plan.turn(Operation(Op.ADD, None, "milk", parent=pancakes, dependencies=(flour,)))
    (milk,) = plan.graph.find("milk")
    assert milk.dependencies == (flour,)


def test_an_active_task_comes_before_a_deleted_one_when_it_is_added_again() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "milk")
    plan.add("butter", below="fry pancakes")
    plan.do(Op.REPLACE, "butter", to="milk")
    assert plan.turn(Operation(Op.ADD, slot="milk", parent=plan.id("fry pancakes"))) == ()
