"""Prompts do not leak: no example shares a run of words with what the figures are measured on."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PROMPTS = ROOT / "prompts"
RUN = 5
"""Words in a row that may not be the same."""


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of `RUN` words of a text, whatever its case and marks."""
    found = re.findall(r"[^\W_]+", text.lower().replace("’", "'").replace("'", ""))
    return {tuple(found[place : place + RUN]) for place in range(len(found) - RUN + 1)}


def in_prompts() -> dict[tuple[str, ...], str]:
    """Runs of every file of `prompts/`, with the file."""
    files = sorted(path for path in PROMPTS.rglob("*") if path.is_file() and path.suffix != ".md")
    assert len(files) > 3
    return {run: path.name for path in files for run in runs(path.read_text(encoding="utf-8"))}


def leaks(texts: Iterator[str]) -> set[str]:
    held = in_prompts()
    return {f"{held[run]}: {' '.join(run)}" for text in texts for run in runs(text) if run in held}


def locomo_texts(samples: list[dict[str, Any]]) -> Iterator[str]:
    """Questions, answers and every turn: any of them may be gold."""
    for sample in samples:
        for question in sample["qa"]:
            yield str(question["question"])
            yield str(question.get("answer", ""))
        for name, session in sample["conversation"].items():
            if re.fullmatch(r"session_\d+", name):
                for turn in session:
                    yield str(turn.get("text", ""))
                    yield str(turn.get("blip_caption", ""))


def sample_texts() -> Iterator[str]:
    for path in (ROOT / "samples").iterdir():
        if path.suffix == ".json":
            yield from (question["question"] for question in json.loads(path.read_text("utf-8"))["questions"])
        else:
            yield from path.read_text(encoding="utf-8").splitlines()


def test_runs_are_found_whatever_the_marks_between() -> None:
    assert runs("It's ONE, two-three four!") & runs("its one (two) three; four") == {
        ("its", "one", "two", "three", "four")
    }


def test_a_leak_would_be_found() -> None:
    line = next(
        line
        for path in PROMPTS.glob("*.toml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if runs(line)
    )
    assert leaks(iter([f"Before that: {line.upper()}"]))


def test_prompts_share_no_run_of_words_with_the_sample() -> None:
    assert leaks(sample_texts()) == set()


def test_prompts_share_no_run_of_words_with_locomo() -> None:
    named = os.environ.get("LOCALMEM_TEST_LOCOMO")
    if not named or not Path(named).exists():
        pytest.skip("no evaluation data: set LOCALMEM_TEST_LOCOMO to a LoCoMo JSON file")
    assert leaks(locomo_texts(json.loads(Path(named).read_text(encoding="utf-8")))) == set()
