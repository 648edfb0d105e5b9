"""The script to copy: what it says when it is called in another way than it should be."""

from __future__ import annotations

import runpy
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from localmem import llm, models
from localmem.models import FileStatus
from tests.fakes import ScriptedModel

SCRIPT = Path(__file__).parent.parent / "scripts" / "download_and_run.py"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """Run it in this process; what it exits with."""
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    return ended.value.code


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_is_printed_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    assert run(monkeypatch, option) is None
    shown = capsys.readouterr().out
    assert shown.startswith("usage: ")
    assert "hf:owner/repo/file.gguf" in shown


def test_too_few_arguments_are_told_the_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, "smollm2-135m") == f'usage: {SCRIPT} MODEL "prompt"'


def test_an_error_is_told_with_its_hint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "own.gguf"
    file.touch()
    assert run(monkeypatch, str(file), "Hello") == f"{file} is empty\nCopy or download it again."


class Loaded(ScriptedModel):
    """A model that is closed at the end, as the engine is."""

    def __enter__(self) -> Loaded:
        return self

    def __exit__(self, *_: object) -> None:
        done.append("closed")


done: list[str] = []


@pytest.mark.parametrize("status", list(FileStatus))
def test_a_model_is_pulled_verified_and_replies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, status: FileStatus
) -> None:
    """The README's third use, with a scripted model in place of the one that is pulled."""
    done.clear()
    local = SimpleNamespace(path=tmp_path / "tiny.gguf", id="tiny", digest="")
    check = SimpleNamespace(name="tiny.gguf", status=status)
    monkeypatch.setattr(models, "pull", lambda name, **_: done.append(f"pulled {name}"))
    monkeypatch.setattr(models, "locate", lambda name, **_: local)
    monkeypatch.setattr(models, "verify", lambda name, **_: [check])
    monkeypatch.setattr(llm, "load", lambda path, **_: Loaded(["Hello to you."]))
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), "smollm2-135m", "Hello"])
    with pytest.raises(SystemExit) if status is FileStatus.DAMAGED else nullcontext():
        runpy.run_path(str(SCRIPT), run_name="__main__")
    out, err = capsys.readouterr()
    assert f"tiny.gguf: {status}" in err
    if status is FileStatus.DAMAGED:
        assert (out, done) == ("", ["pulled smollm2-135m"])
    else:
        assert (out, done) == ("Hello to you.\n", ["pulled smollm2-135m", "closed"])


def test_an_interruption_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def pull(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "pull", pull)
    assert run(monkeypatch, "smollm2-135m", "Hello") == 130


def test_another_python_is_told_which_one_to_use(tmp_path: Path) -> None:
    """-S: without the packages of this one."""
    result = subprocess.run(
        [sys.executable, "-E", "-S", str(SCRIPT), "smollm2-135m", "Hello"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.endswith(".venv/bin/python.")
