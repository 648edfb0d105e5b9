"""A clock that is set back loses nothing, and mixes nothing up."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from localmem import conversation
from localmem.cli.chat_forget import forget
from localmem.cli.chat_session import Manner, Session
from localmem.tasks import Op, Operation
from tests.fakes import ScriptedModel
from tests.upkeep.support import NOON, opened, said_in, told
from tests.upkeep.test_forget import TALK


class Clock(datetime):
    """Goes back an hour whenever somebody looks."""

    times: list[datetime] = []  # noqa: RUF012

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        cls.times.append(NOON - timedelta(hours=len(cls.times)))
        return cls.times[-1]


@pytest.fixture
def _back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "times", [])
    monkeypatch.setattr(conversation, "datetime", Clock)


def test_a_chat_keeps_its_turns_in_the_order_in_which_they_were_said(tmp_path: Path, _back: None) -> None:
    path = tmp_path / "work.db"
    said = ["We plan a kite day on Sunday with twine.", "add peg", "drop the twine"]
    with opened(path, model=ScriptedModel(["new: kite day\n+ date = Sunday\n+ twine"])) as memory:
        for text in said:
            memory.chat(text)
        assert said_in(memory)[::2] == said
        assert memory.tasks.paths() == ["kite day", "kite day > date = Sunday", "kite day > peg"]
        assert [turn.said for turn in memory._store.task_turns()] == said
        memory.tasks.undo()
        assert "kite day > twine" in memory.tasks.paths()
        assert memory._store.check() + memory._store.disorder() == []


def test_what_was_said_in_this_chat_is_told_by_its_place_and_not_by_its_time(
    tmp_path: Path, _back: None
) -> None:
    path = tmp_path / "work.db"
    model = ScriptedModel(["new: kite day"])
    with opened(path, model=model) as memory:
        memory.chat("We plan a kite day.")
    with opened(path, model=model) as memory:
        session = Session(memory, "tiny", Manner(), lambda _: True)
        for text in ("add twine", "add peg"):
            memory.chat(text)
            session.said.append(text)
        forget(session, everything=True)
        assert said_in(memory)[0] == "We plan a kite day."
        assert len(said_in(memory)) == 2
        assert memory.tasks.paths() == ["kite day"]


def test_a_file_that_is_read_again_after_the_clock_went_back_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    told(path, TALK)
    with opened(path) as memory:
        memory.tasks.apply(None, [Operation(Op.ADD, -1, "soup")], said="Soup.", at=NOON)
        memory.tasks.apply(None, [Operation(Op.ADD, -1, "bread")], said="Bread.", at=NOON - timedelta(days=9))
        assert memory.tasks.paths() == ["soup", "bread"]
        assert memory.tasks.as_of(1) != memory.tasks.as_of(2)
    told(path, TALK)
    with opened(path) as memory:
        assert said_in(memory) == [turn.text for turn in TALK]
