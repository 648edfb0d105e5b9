"""No prompt holds words of a case."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from localmem.bench.leaks import leaks, runs
from localmem.errors import BenchError
from tests.bench.talks import write

ROOT = Path(__file__).parents[2]


def shared(tmp_path: Path, said: str, prompt: str) -> list[str]:
    write(tmp_path / "cases" / "tune", {"name": "x", "turns": [{"user": said}]})
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "trim.toml").write_text(prompt, encoding="utf-8")
    return [str(leak) for leak in leaks(tmp_path / "cases", tmp_path / "prompts")]


@pytest.mark.parametrize(
    "prompt",
    [
        "Paint the boat red, today",
        "please PAINT: the\n\tboat (red) today!",
        'said = "Paint the boat\\nred today"',
    ],
)
def test_a_run_of_five_words_is_found_whatever_its_case_and_marks(tmp_path: Path, prompt: str) -> None:
    assert shared(tmp_path, "So paint the boat red today", prompt) == [
        "tune/x.json and trim.toml: paint the boat red today"
    ]


def test_four_words_are_no_leak(tmp_path: Path) -> None:
    assert shared(tmp_path, "So paint the boat red", "Please paint the boat red") == []


def test_an_apostrophe_hides_nothing() -> None:
    assert runs("It isn't the red one") & runs("it isn’t the RED one")
    assert runs("it isnt the red one") & runs("It isn't the red one")


def test_texts_of_a_case_are_not_joined(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "x.json").write_text(
        json.dumps({"turns": [{"user": "paint the boat"}, {"user": "red today"}]})
    )
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.j2").write_text("paint the boat red today")
    assert leaks(tmp_path / "cases", tmp_path / "prompts") == []


@pytest.mark.parametrize("empty", ["cases", "prompts"])
def test_nothing_to_compare_is_no_success(tmp_path: Path, empty: str) -> None:
    shared(tmp_path, "So paint the boat red today", "Quite another text stands here")
    (tmp_path / "none").mkdir()
    folders = {"cases": tmp_path / "cases", "prompts": tmp_path / "prompts", empty: tmp_path / "none"}
    with pytest.raises(BenchError, match="nothing to compare"):
        leaks(folders["cases"], folders["prompts"])


def test_prompts_share_no_run_of_words_with_our_cases() -> None:
    own = ROOT / "scripts" / "cases" / "tasks"
    if not own.is_dir():
        pytest.skip("no cases in scripts/cases/tasks")
    assert list(map(str, leaks(own, ROOT / "prompts"))) == []


def test_prompts_share_no_run_of_words_with_the_published_cases() -> None:
    named = os.environ.get("LOCALMEM_TEST_TASK_CASES")
    if not named:
        pytest.skip("no published cases: set LOCALMEM_TEST_TASK_CASES to their folder")
    assert list(map(str, leaks(Path(named), ROOT / "prompts"))) == []
