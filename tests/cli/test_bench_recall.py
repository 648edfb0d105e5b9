"""`localmem bench recall` and `localmem bench answers`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bench.locomo import write
from tests.cli.conftest import CommandLine


def test_recall_prints_its_tables_and_keeps_them(localmem: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "recall.md"
    done = localmem("bench", "recall", "--data", write(tmp_path), "--out", out)
    assert done.code == 0
    assert "| multi-hop | 1 |" in done.out
    assert "conv-1: 3 questions" in done.err
    assert done.out.strip() in out.read_text("utf-8")
    assert localmem.models == []


def test_recall_as_json_is_one_value(localmem: CommandLine, tmp_path: Path) -> None:
    done = localmem("bench", "recall", "--data", write(tmp_path), "--json", "-q")
    assert json.loads(done.out)["questions"] == 3
    assert done.err == ""


def test_without_parts_and_with_refined_threads_are_two_runs(localmem: CommandLine, tmp_path: Path) -> None:
    done = localmem(
        "bench", "recall", "--data", write(tmp_path), "--ablate", "--refined", tmp_path / "x.db"
    )  # fmt: skip
    assert (done.code, done.out) == (2, "")
    assert "Run one after the other" in done.err


def test_a_file_without_answerable_questions_is_one_line(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "empty.json"
    file.write_text("[]", encoding="utf-8")
    done = localmem("bench", "recall", "--data", file)
    assert (done.code, done.out) == (1, "")
    assert "no question that a turn answers" in done.err


def test_answers_are_compared_by_system(localmem: CommandLine, tmp_path: Path) -> None:
    localmem.replies.extend(["[1] Dilip."] * 20)
    done = localmem(
        "bench", "answers", "--data", write(tmp_path), "--system", "localmem", "--system", "bm25", "--json"
    )  # fmt: skip
    assert done.code == 0
    found = json.loads(done.out)
    assert [row["system"] for row in found["rows"]] == ["localmem", "bm25"]
    assert found["rows"][0]["questions"] == 3
    assert [one["than"] for one in found["localmem_above"]] == ["bm25"]


def test_answers_as_a_table_say_how_sure_a_difference_is(localmem: CommandLine, tmp_path: Path) -> None:
    localmem.replies.extend(["[1] Dilip."] * 40)
    done = localmem("bench", "answers", "--data", write(tmp_path), "-q")
    assert done.code == 0
    assert "points of macro F1 from dense (95%: " in done.out


def test_a_system_that_is_not_there_is_wrong_usage(localmem: CommandLine, tmp_path: Path) -> None:
    done = localmem("bench", "answers", "--data", write(tmp_path), "--system", "magic")
    assert done.code == 2
    assert "There are: localmem, dense" in done.err
