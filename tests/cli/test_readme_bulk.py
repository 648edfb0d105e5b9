"""The README's examples of work in bulk and from Python, with fakes in place of the engines."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import TALK, CommandLine
from tests.transcripts.test_archive import zipped

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def block(language: str, word: str) -> str:
    """The example of a language that has a word in it."""
    (found,) = (
        text
        for text in re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
        if word in text
    )
    return str(found)


@pytest.mark.slow
def test_transcripts_and_questions_in_bulk(
    localmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("exports/2025", "notes"):
        Path(folder).mkdir(parents=True)
    chat = "20/01/19, 11:25 - Cleo: Rex is a dog.\n20/01/19, 11:26 - Dan: I see.\n"
    Path("exports/2025/WhatsApp Chat - Cleo.zip").write_bytes(zipped({"_chat.txt": chat}))
    Path("exports/broken.zip").write_bytes(b"PK\x03\x04")
    Path("notes/talk.txt").write_text(TALK, encoding="utf-8")
    Path("questions.txt").write_text("Who is Rex?\nWho bought the Saab?\n", encoding="utf-8")
    ingest, ask = block("sh", "--batch").splitlines()
    result = localmem(*shlex.split(ingest)[1:])
    assert (result.code, result.out.splitlines()[-1]) == (1, "2 files read, 1 not")
    ask, _, _ = ask.partition(" > ")
    localmem.replies.extend(["[1] A dog.", "[1] Dilip."])
    rows = [json.loads(line) for line in localmem(*shlex.split(ask)[1:]).out.splitlines()]
    assert [row["question"] for row in rows] == ["Who is Rex?", "Who bought the Saab?"]


def test_from_python(localmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chat.txt").write_text(TALK, encoding="utf-8")
    localmem.replies.append("[1] Dilip.")
    exec(block("python", "memory.ingest"), {})
    assert "Dilip" in localmem.capture.readouterr().out
