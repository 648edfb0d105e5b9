"""The command line with fakes in place of the engines."""

from __future__ import annotations

import io
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from localmem.cli.app import main
from localmem.embed.protocol import Embedder
from localmem.llm.protocol import LanguageModel
from localmem.memory import Memory, open_store
from localmem.settings import settings
from tests.fakes import HashingEmbedder, ScriptedModel

TALK = """[2025-03-04 18:32] Ann: The ferry to Ullapool leaves at nine.
[2025-03-04 18:33] Bob: Thanks! Dilip bought the Saab yesterday.
[2025-03-04 18:34] Ann: Bring a coat, it is cold.
"""


class Typed(io.TextIOWrapper):
    """Standard input that somebody has piped in."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8")


class Keyboard(Typed):
    """Standard input that is a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


@dataclass
class CommandLine:
    """Runs commands in this process."""

    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    replies: deque[str | BaseException] = field(default_factory=deque)
    models: list[str | None] = field(default_factory=list)
    """What was asked for each time that a model of language was made."""
    keyboard: str = ""
    """What is typed at the terminal, where nothing is piped in."""

    def __call__(self, *arguments: str | Path, typed: str | bytes | None = None) -> Outcome:
        data = typed.encode() if isinstance(typed, str) else typed
        self.patch.setattr(sys, "stdin", Keyboard(self.keyboard.encode()) if data is None else Typed(data))
        self.capture.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = self.capture.readouterr()
        assert isinstance(ended.value.code, int)
        return Outcome(ended.value.code, out, err)


@pytest.fixture
def localmem(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = CommandLine(capsys, monkeypatch)

    def open(
        cls: type[Memory],
        memory: str | Path | None = None,
        *,
        create: bool = True,
        model: str | None = None,
        **_: Any,
    ) -> Memory:
        def make_model() -> LanguageModel:
            line.models.append(model)
            scripted = ScriptedModel()
            scripted.replies = line.replies  # type: ignore[assignment]
            return scripted

        make_embedder: Callable[[], Embedder] = HashingEmbedder
        store = open_store(memory, settings(), create=create)
        return cls(store, embedder=make_embedder, model=make_model)

    monkeypatch.setattr(Memory, "open", classmethod(open))
    return line


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A transcript of three turns."""
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    return file


@pytest.fixture
def filled(localmem: CommandLine, talk: Path) -> CommandLine:
    """A command line whose default memory has the three turns."""
    assert localmem("ingest", talk).code == 0
    return localmem
