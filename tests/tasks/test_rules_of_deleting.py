"""What goes with what is deleted, and how it comes back: restoring and rolling back."""

from __future__ import annotations

import pytest

from localmem.errors import TaskError
from localmem.tasks import Op, Operation, Status
from tests.tasks.support import KITCHEN_PATHS, Plan, kitchen


def test_delete_takes_along_what_no_other_task_holds() -> None:
    plan = kitchen()
    changes = plan.do(Op.DELETE, "fry pancakes")
    assert [change.after.slot for change in changes] == ["fry pancakes", "milk"]
    assert plan.paths() == KITCHEN_PATHS[:2]


def test_delete_below_one_parent_leaves_the_others() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "flour", below="fry pancakes")
    assert plan.paths() == ["bake bread", "bake bread > flour = sift", "fry pancakes", "fry pancakes > milk"]
    plan.do(Op.DELETE, "flour", below="bake bread")
    assert plan.paths(all=True)[1] == "bake bread > flour = sift (inactive)"


def test_a_task_that_was_taken_away_somewhere_can_come_back_there() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "flour", below="fry pancakes")
    plan.do(Op.RESTORE, "flour", below="fry pancakes")
    assert plan.paths() == KITCHEN_PATHS


def test_restore_brings_back_what_went_along_as_it_was() -> None:
    plan = kitchen()
    plan.add("butter", below="fry pancakes")
    plan.add("salt", below="fry pancakes")
    plan.do(Op.DONE, "milk")
    plan.do(Op.DELETE, "salt")
    plan.do(Op.DELETE, "fry pancakes")
    plan.do(Op.RESTORE, "fry pancakes")
    statuses = {node.slot: node.status for node in plan.graph}
    assert statuses["milk"] is Status.DONE
    assert statuses["butter"] is Status.ACTIVE
    assert statuses["salt"] is Status.INACTIVE


def test_restoring_a_part_brings_back_its_whole_without_the_other_parts() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "flour", below="fry pancakes")
    plan.add("butter", below="fry pancakes")
    plan.do(Op.DELETE, "fry pancakes")
    plan.do(Op.RESTORE, "milk")
    assert plan.paths()[2:] == ["fry pancakes", "fry pancakes > milk"]
    plan.do(Op.RESTORE, "fry pancakes")
    assert plan.paths()[2:] == ["fry pancakes", "fry pancakes > milk", "fry pancakes > butter"]


def test_a_shared_part_comes_back_where_it_was_held_last_or_where_it_is_wanted() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "bake bread")
    plan.do(Op.DELETE, "fry pancakes")
    plan.do(Op.RESTORE, "flour")
    assert plan.paths() == ["fry pancakes", "fry pancakes > flour = sift"]
    plan.do(Op.RESTORE, "flour", below="bake bread")
    assert plan.paths() == [*KITCHEN_PATHS[:2], "fry pancakes", "fry pancakes > flour = sift"]


def test_restore_opens_again_what_was_done() -> None:
    plan = kitchen()
    plan.do(Op.DONE, "milk")
    assert plan.paths() == KITCHEN_PATHS[:-1]
    plan.do(Op.RESTORE, "milk")
    assert plan.paths() == KITCHEN_PATHS


@pytest.mark.parametrize("op", [Op.SET, Op.REPLACE, Op.ROLL_BACK, Op.LINK, Op.DONE])
def test_what_is_deleted_must_be_restored_before_it_changes(op: Op) -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "milk")
    with pytest.raises(TaskError, match="'milk' was deleted in turn 2") as raised:
        plan.do(op, "milk", value="x", below=None if op is not Op.LINK else "bake bread")
    assert raised.value.hint == "Restore it first."


def test_nothing_can_hang_on_what_is_deleted() -> None:
    plan = kitchen()
    milk, bread = plan.id("milk"), plan.id("bake bread")
    plan.do(Op.DELETE, "milk")
    for operation in (
        Operation(Op.ADD, slot="jug", parent=milk),
        Operation(Op.ADD, slot="jug", dependencies=(milk,)),
        Operation(Op.LINK, bread, parent=milk),
        Operation(Op.LINK, bread, dependencies=(milk,)),
    ):
        with pytest.raises(TaskError, match="was deleted"):
            plan.turn(operation)


def test_roll_back_goes_to_the_value_before_and_again_to_the_one_before_that() -> None:
    plan = Plan()
    plan.add("colour", "red")
    plan.do(Op.SET, "colour", value="green")
    plan.do(Op.SET, "colour", value="blue")
    seen = []
    for _ in range(2):
        plan.do(Op.ROLL_BACK, "colour")
        seen += plan.paths()
    assert seen == ["colour = green", "colour = red"]


def test_roll_back_goes_to_a_named_value_even_one_that_was_rolled_back() -> None:
    plan = Plan()
    plan.add("colour", "red")
    plan.do(Op.SET, "colour", value="green")
    plan.do(Op.SET, "colour", value="blue")
    plan.do(Op.ROLL_BACK, "colour", value="RED")
    plan.do(Op.ROLL_BACK, "colour", value="blue")
    assert plan.paths() == ["colour = blue"]
    plan.do(Op.ROLL_BACK, "colour")
    assert plan.paths() == ["colour = red"]


def test_roll_back_takes_a_replaced_task_by_its_former_name() -> None:
    plan = kitchen()
    plan.do(Op.REPLACE, "flour", to="oats", value="blend")
    plan.do(Op.REPLACE, "oats", to="rye", value="grind")
    plan.do(Op.ROLL_BACK, "rye", value="flour")
    assert plan.paths() == KITCHEN_PATHS


def test_there_is_no_value_before_the_first() -> None:
    plan = kitchen()
    with pytest.raises(TaskError, match="'milk' had no other value"):
        plan.do(Op.ROLL_BACK, "milk")
    with pytest.raises(TaskError, match="'flour' never was 'knead'"):
        plan.do(Op.ROLL_BACK, "flour", value="knead")


def test_what_went_along_names_the_task_that_took_it() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "fry pancakes")
    assert plan.graph.find("milk")[0].history[-1].by == plan.id("fry pancakes")


def test_all_but_one_can_be_deleted_and_another_one_kept_after_all() -> None:
    plan = kitchen()
    plan.add("butter", below="fry pancakes")
    plan.add("salt", below="fry pancakes")
    plan.turn(*(Operation(Op.DELETE, plan.id(slot)) for slot in ("milk", "butter")))
    plan.do(Op.RESTORE, "butter")
    assert plan.paths()[3:] == ["fry pancakes > flour = sift", "fry pancakes > butter", "fry pancakes > salt"]


def test_what_only_deleted_tasks_would_still_hold_is_deleted_with_its_last_live_parent() -> None:
    plan = kitchen()
    plan.do(Op.DELETE, "bake bread")
    plan.do(Op.DELETE, "flour", below="fry pancakes")
    assert plan.paths() == ["fry pancakes", "fry pancakes > milk"]
    assert len(plan.graph.find("flour")[0].parents) == 2


def test_deleting_what_is_deleted_changes_nothing() -> None:
    plan = kitchen()
    milk, flour = plan.id("milk"), plan.id("flour")
    plan.turn(Operation(Op.LINK, milk, dependencies=(flour,)), Operation(Op.DELETE, milk))
    assert plan.turn(Operation(Op.DELETE, milk), Operation(Op.DELETE, milk, dependencies=(flour,))) == ()


def test_what_is_restored_in_another_place_brings_its_parts_along() -> None:
    plan = kitchen()
    plan.add("jug", below="milk")
    plan.do(Op.DELETE, "milk")
    plan.do(Op.RESTORE, "milk", below="bake bread")
    assert "bake bread > milk > jug" in plan.paths()
