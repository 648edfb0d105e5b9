"""`localmem stats`."""

from __future__ import annotations

import json
from pathlib import Path

from localmem.store import Store
from tests.cli.conftest import CommandLine

KEYS = {
    "path", "bytes", "schema", "transcripts", "turns", "threads", "indexed_turns", "indexed_threads",
    "refined_threads", "embedder", "dimension", "models", "files",
}  # fmt: skip


def test_stats_are_a_line_for_each_fact(filled: CommandLine) -> None:
    lines = filled("stats").out.splitlines()
    assert len(lines) == len(KEYS) - 1 + 2  # the facts, an empty line, and the one transcript
    assert [line.split()[-1] for line in lines if line.startswith("turns")] == ["3"]


def test_what_there_is_none_of_is_a_dash(localmem: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    Store.open(path).close()
    assert localmem("stats", "--memory", path).out.splitlines()[-1] == "models used      -"


def test_the_models_whose_output_is_there_are_named(filled: CommandLine) -> None:
    assert json.loads(filled("stats", "--json").out)["models"] == ["fake-hashing"]


def test_the_transcripts_are_listed_with_format_turns_and_file(filled: CommandLine, talk: Path) -> None:
    other = talk.with_name("日本.txt")
    other.write_text("Cleo: One.\nDan: Two.\nCleo: Three.\nDan: Four.\n", encoding="utf-8")
    filled("ingest", other)
    assert filled("stats").out.splitlines()[-3:] == [
        "",
        f"3 turns  plain  talk  {talk}",
        f"4 turns  plain  日本  {other}",
    ]
    assert json.loads(filled("stats", "--json").out)["files"] == [
        {"transcript": "talk", "format": "plain", "turns": 3, "file": str(talk)},
        {"transcript": "日本", "format": "plain", "turns": 4, "file": str(other)},
    ]


def test_the_size_is_in_megabytes_for_people_and_exact_in_json(filled: CommandLine) -> None:
    (shown,) = [line for line in filled("stats").out.splitlines() if line.startswith("size ")]
    assert shown.split()[1:] == [f"{json.loads(filled('stats', '--json').out)['bytes'] / 1e6:.1f}", "MB"]


def test_stats_are_json_on_demand(filled: CommandLine) -> None:
    row = json.loads(filled("stats", "--json").out)
    assert row.keys() == KEYS
    assert (row["turns"], row["transcripts"], row["embedder"]) == (3, 1, "fake-hashing")
    assert row["bytes"] > 0


def test_another_memory_has_other_stats(filled: CommandLine, talk: Path) -> None:
    talk.write_text("Cleo: One.\nDan: Two.\nCleo: Three.\nDan: Four.\n", encoding="utf-8")
    filled("ingest", talk, "--memory", "other")
    assert json.loads(filled("stats", "--memory", "other", "--json").out)["turns"] == 4
    assert json.loads(filled("stats", "--json").out)["turns"] == 3


def test_a_memory_can_be_named_by_its_path(filled: CommandLine, talk: Path) -> None:
    path = talk.with_name("here.db")
    filled("ingest", talk, "-m", path)
    assert json.loads(filled("stats", "-m", path, "--json").out)["path"] == str(path)


def test_asking_for_the_stats_of_nothing_makes_no_file(localmem: CommandLine, tmp_path: Path) -> None:
    assert localmem("stats", "-m", tmp_path / "nothing.db").code == 1
    assert list(tmp_path.iterdir()) == []
