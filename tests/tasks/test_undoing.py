"""Undo in plain words: which turns mean it, what it did, and what is said of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from localmem.tasks import Op, Operation, TaskGraph
from localmem.tasks.undoing import asks_undo, nothing_to_undo, told_undone, undone
from tests.tasks.support import TURNS, Choice, Plan, told

ORDERS = [
    ("en", "undo"),
    ("en", "Undo that"),
    ("en", "undo the last change"),
    ("en", "undo last change"),
    ("en", "no, undo that!"),
    ("en", "hmm no undo it please"),
    ("en", "Can you undo the last step?"),
    ("en", "revert that"),
    ("en", "take that back"),
    ("en", "ok undo that, thanks"),
    ("de", "rückgängig"),
    ("de", "Rückgängig machen"),
    ("de", "mach das rückgängig"),
    ("de", "Mach das bitte wieder rückgängig!"),
    ("de", "bitte die letzte Änderung rückgängig machen"),
    ("de", "Kannst du das rückgängig machen?"),
    ("de", "nimm das zurück"),
    ("es", "deshacer"),
    ("es", "deshaz eso"),
    ("es", "Deshazlo"),
    ("es", "no, deshaz eso"),
    ("es", "por favor, deshaz el último cambio"),
    ("es", "¿Puedes deshacer el ultimo cambio?"),
]


@pytest.mark.parametrize(("language", "text"), ORDERS)
def test_a_turn_that_says_only_that_is_an_undo_in_its_language(language: str, text: str) -> None:
    assert asks_undo(text, "en") == language


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_bare_word_is_in_the_language_of_the_chat(language: str) -> None:
    assert asks_undo("Undo!", language) == language


@pytest.mark.parametrize(
    "text",
    [
        "undo that and add milk",
        "hmm no, undo that, the time before was fine",
        "undo the split",
        "undo the date",
        "don't undo that",
        "should I undo that?",
        "did you undo that?",
        "what if I undo that?",
        "how do I undo that?",
        "why did you undo that?",
        "undo both",
        "take it",
        "take the bus back",
        "roll back",
        "mach das nicht rückgängig",
        "nicht rückgängig machen",
        "Machen Sie den letzten Schritt bei den Vitrinen rückgängig",
        "mach das",
        "zurück",
        "no deshacer eso",
        "no deshagas eso",
        "deshaz la maleta",
        "anula",
        "no",
        "???",
        "",
    ],
)
def test_a_turn_that_says_more_or_else_is_none(text: str) -> None:
    assert asks_undo(text, "en") is None


def reply(before: TaskGraph, after: TaskGraph, language: str = "en", said: str = "") -> str:
    graph, changes = undone(before, after)
    return " ".join(told_undone(before, graph, changes, before.turn, said, language).lines)


def party() -> Plan:
    plan = Plan()
    plan.turn(
        Operation(Op.ADD, -1, "party"),
        Operation(Op.ADD, -2, "time", "4 pm", parent=-1),
        Operation(Op.ADD, -3, "cake", "lemon", parent=-1),
    )
    return plan


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (Operation(Op.SET, 2, value="6 pm"), "Turn 2 is undone. The time is 4 pm again, it was 6 pm before."),
        (Operation(Op.DELETE, 3), "Turn 2 is undone. Back again: cake (lemon)."),
        (Operation(Op.DONE, 3), "Turn 2 is undone. Open again: cake (lemon)."),
        (Operation(Op.ADD, -1, "candles", parent=1), "Turn 2 is undone. Removed candles."),
        (
            Operation(Op.REPLACE, 3, slot="pie"),
            "Turn 2 is undone. Now cake (lemon) instead of pie.",
        ),
    ],
    ids=["set", "delete", "done", "add", "replace"],
)
def test_what_an_undo_did_is_told(operation: Operation, expected: str) -> None:
    plan = party()
    before = plan.graph
    plan.turn(operation)
    plain = before.copy()
    plain.turn = plan.graph.turn + 1
    assert reply(plan.graph, plain) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "Turn 2 is undone; you said: “no cake”. Back again: cake (lemon)."),
        ("de", "Nachricht 2 ist rückgängig gemacht; du hast gesagt: „no cake“. Wieder dabei: cake (lemon)."),
        ("es", "El mensaje 2 está deshecho; dijiste: «no cake». De vuelta: cake (lemon)."),
    ],
)
def test_it_is_told_in_every_language_with_what_was_said(language: str, expected: str) -> None:
    plan = party()
    before = plan.graph
    plan.turn(Operation(Op.DELETE, 3))
    assert reply(plan.graph, before, language, "no cake") == expected


def test_undoing_a_whole_task_removes_it_whole() -> None:
    plan = party()
    text = reply(plan.graph, TaskGraph())
    assert text == "Turn 1 is undone. Removed party."


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_nothing_to_undo_is_a_sentence_of_the_language(language: str) -> None:
    assert nothing_to_undo(language).endswith(".")


@settings(deadline=None)
@given(TURNS)
def test_any_turn_can_be_told_as_undone_and_live_is_what_stood_before(
    turns: list[list[Choice]],
) -> None:
    graphs = told(turns)
    for before, after in zip(graphs[1:], graphs, strict=False):
        graph, changes = undone(before, after)
        assert [node for node in graph if node.live] == [node for node in after if node.live]
        lines = told_undone(before, graph, changes, before.turn, "", "en").lines
        assert all(change.after.id in graph for change in changes)
        assert lines[0] == f"Turn {before.turn} is undone."
