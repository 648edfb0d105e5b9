"""Undo as words in a chat turn, and what recall does not know, in the language of the turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from localmem.memory import Memory
from localmem.recall.log import ASSISTANT, USER
from localmem.tasks import Op, Operation
from localmem.tasks.clarify import unknown
from tests.fakes import ScriptedModel
from tests.test_conversation import opened, said, told_turns


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def planned(memory: Memory) -> None:
    """A kite day in turn 1, from which the twine goes in turn 2."""
    memory.tasks.apply(
        None,
        [
            Operation(Op.ADD, -1, "kite day"),
            Operation(Op.ADD, -2, "date", "Sunday", parent=-1),
            Operation(Op.ADD, -3, "twine", parent=-1),
        ],
        said="kite day on Sunday with twine",
    )
    memory.tasks.apply(None, [Operation(Op.DELETE, 3)], said="drop the twine")


BEGUN = ["kite day", "kite day > date = Sunday", "kite day > twine"]


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("undo that", "Turn 2 is undone; you said: “drop the twine”. Back again: twine."),
        (
            "mach das rückgängig",
            "Nachricht 2 ist rückgängig gemacht; du hast gesagt: „drop the twine“. Wieder dabei: twine.",
        ),
        ("deshaz eso", "El mensaje 2 está deshecho; dijiste: «drop the twine». De vuelta: twine."),
    ],
)
def test_the_last_change_is_taken_back_by_words_and_told(path: Path, text: str, reply: str) -> None:
    with opened(path) as memory:  # no model is asked
        planned(memory)
        made = memory.chat(text)
        assert memory.tasks.paths() == BEGUN
        assert made.text == reply
        assert [(one.intent, one.op, one.slot) for one in made.operations] == [("update", "restore", "twine")]


def test_turns_that_changed_nothing_are_passed_over(path: Path) -> None:
    with opened(path) as memory:
        planned(memory)
        memory.tasks.apply(None, [], said="thanks a lot!")
        assert memory.chat("undo the last change").text.startswith("Turn 2 is undone")


def test_again_takes_back_the_one_before(path: Path) -> None:
    with opened(path) as memory:
        planned(memory)
        memory.chat("undo that")
        assert memory.chat("undo that").text.startswith("Turn 1 is undone")
        assert memory.tasks.paths() == []


def test_with_nothing_to_undo_it_says_so_and_changes_nothing(path: Path) -> None:
    with opened(path) as memory:
        reply = memory.chat("undo that")
        assert reply.text == "There is nothing to undo: no turn has changed the tasks yet."
        assert reply.operations == ()
        assert memory.chat("deshacer").text.startswith("No hay nada que deshacer")


def test_the_turn_lands_in_tasks_and_recall_as_every_turn_does(path: Path) -> None:
    with opened(path) as memory:
        planned(memory)
        reply = memory.chat("undo that")
        assert said(memory) == [(USER, "undo that"), (ASSISTANT, reply.text)]
        assert told_turns(memory)[-1] == "undo that"
        assert reply.turn == 3


def test_the_words_and_the_command_do_the_same(path: Path, tmp_path: Path) -> None:
    with opened(path) as memory, opened(tmp_path / "other.db") as other:
        planned(memory)
        planned(other)
        memory.chat("undo that")
        other.tasks.undo()
        assert memory.tasks.paths(all=True) == other.tasks.paths(all=True)


def test_another_chat_that_wrote_meanwhile_is_not_undone_unseen(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path) as memory, opened(path) as other:
        planned(memory)
        vectors = memory._conversation._log.vectors

        def late(turns):  # type: ignore[no-untyped-def]
            if other.tasks.next_turn == 3:
                other.tasks.apply(None, [Operation(Op.SET, 2, value="Monday")], said="make it Monday")
            return vectors(turns)

        monkeypatch.setattr(memory._conversation._log, "vectors", late)
        assert "make it Monday" in memory.chat("undo that").text
        assert memory.tasks.paths() == ["kite day", "kite day > date = Sunday"]


def test_what_is_undone_stays_so_in_a_new_process(path: Path) -> None:
    with opened(path) as memory:
        planned(memory)
        memory.chat("undo that")
    with opened(path) as again:
        assert again.tasks.paths() == BEGUN


# What recall does not know.


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "what did the dentist say about my teeth?"),
        ("de", "was hat der Zahnarzt über meine Zähne gesagt?"),
        ("es", "¿qué dijo el dentista de mis dientes?"),
    ],
)
def test_what_recall_does_not_know_is_said_in_the_language_of_the_turn(
    path: Path, tmp_path: Path, language: str, text: str
) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text("Ann: The ferry to Ullapool leaves at nine.\nBob: Thanks!\n", encoding="utf-8")
    with opened(path, ScriptedModel(["none"] * 4)) as memory:
        memory.ingest(talk)
        pieces: list[str] = []
        reply = memory.chat(text, on_text=pieces.append)
        assert (reply.text, "".join(pieces)) == (unknown(language), unknown(language))
        assert memory._store.task_turns()[-1].reply == unknown(language)
