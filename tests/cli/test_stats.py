"""`localmem stats`."""

from __future__ import annotations

import json
from pathlib import Path

from localmem.store import Store
from tests.cli.conftest import CommandLine

KEYS = {
    "path", "bytes", "schema", "transcripts", "turns", "threads", "indexed_turns", "indexed_threads",
    "embedder", "dimension", "models",
}  # fmt: skip


def test_stats_are_a_line_for_each_fact(filled: CommandLine) -> None:
    lines = filled("stats").out.splitlines()
    assert len(lines) == len(KEYS)
    assert [line.split()[-1] for line in lines if line.startswith("turns")] == ["3"]


def test_what_there_is_none_of_is_a_dash(localmem: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    Store.open(path).close()
    assert localmem("stats", "--memory", path).out.splitlines()[-1].split() == ["models", "-"]


def test_the_models_whose_output_is_there_are_named(filled: CommandLine) -> None:
    assert json.loads(filled("stats", "--json").out)["models"] == ["fake-hashing"]


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
