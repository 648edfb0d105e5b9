"""`localmem export` and `localmem import`."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.cli.conftest import CommandLine


def test_a_memory_goes_into_a_file_and_comes_back_as_an_equal_one(
    filled: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "default.jsonl"
    result = filled("export", file)
    assert (result.code, result.out) == (0, "")
    assert result.err == ("Exported: 3 turns, 1 transcript, 1 thread, 0 turns of the tasks, 0 runs.\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    result = filled("import", file, "--memory", "copy")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("Imported into ")
    first, second = (
        json.loads(filled("search", "the ferry", "--json", "--memory", name).out)["units"]
        for name in ("default", "copy")
    )
    assert first == second != []


def test_standard_streams_will_do(filled: CommandLine) -> None:
    text = filled("export", "-").out
    assert json.loads(text.splitlines()[0])["format"] == "localmem-memory"
    result = filled("import", "-", "-m", "copy", "--json", typed=text)
    assert json.loads(result.out)["turns"] == 3
    assert filled("export", "-", "-m", "copy", "-q").err == ""
    assert filled("export", "-", "-m", "copy").out == text


def test_an_export_is_not_read_as_a_transcript(filled: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "default.jsonl"
    filled("export", file)
    result = filled("ingest", file, "--memory", "copy")
    assert (result.code, result.err) == (1, "")
    assert "this is an exported memory, not a transcript" in result.out
    assert "localmem import" in result.out


def test_a_file_that_is_there_is_replaced_only_if_told_so(filled: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "default.jsonl"
    file.write_text("mine", encoding="utf-8")
    result = filled("export", file)
    assert (result.code, file.read_text(encoding="utf-8")) == (1, "mine")
    assert result.err.splitlines()[1] == "  Name another file, or use --force."
    assert filled("export", file, "--force").code == 0
    assert filled("export", tmp_path, "--force").code == 1


def test_without_vectors_the_file_is_smaller(filled: CommandLine) -> None:
    small = filled("export", "-", "--no-vectors")
    assert small.err.endswith("; without vectors.\n")
    assert len(small.out) < len(filled("export", "-").out)


def test_what_cannot_be_is_one_line_and_a_hint(filled: CommandLine, talk: Path, tmp_path: Path) -> None:
    good = tmp_path / "good.jsonl"
    filled("export", good)
    for arguments in (
        ("import", talk, "-m", "new"),
        ("import", good),
        ("import", tmp_path / "nothing", "-m", "new"),
        ("import", tmp_path, "-m", "new"),
        ("export", tmp_path / "no" / "such" / "folder"),
        ("export", "-", "-m", "nothing"),
    ):
        result = filled(*arguments)
        assert (result.code, result.out) == (1, "")
        assert [line[:2] for line in result.err.splitlines()] == ["lo", "  "]
    assert "new" not in filled("stats", "-m", "none").err  # none of them made a memory
