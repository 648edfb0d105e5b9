"""Case files: what is read, and what is said of a bad one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from localmem.bench.cases import load, parse
from localmem.errors import BenchError, UsageError
from tests.bench.talks import FERRY, write

ROOT = Path(__file__).parents[2]
OWN = ROOT / "scripts" / "cases" / "tasks"


def test_folders_below_are_read_too(tmp_path: Path) -> None:
    write(tmp_path / "tune", {**FERRY, "half": "tune"})
    write(tmp_path / "check", {**FERRY, "name": "boat", "half": "check"})
    assert [(case.name, case.half) for case in load(tmp_path)] == [("boat", "check"), ("ferry", "tune")]


def test_the_wanted_cases_come_in_the_wanted_order(tmp_path: Path) -> None:
    write(tmp_path, FERRY, {**FERRY, "name": "boat"}, {**FERRY, "name": "car"})
    assert [case.name for case in load(tmp_path, ["ferry", "boat", "ferry"])] == ["ferry", "boat"]


def test_one_file_is_enough(tmp_path: Path) -> None:
    assert len(load(write(tmp_path, FERRY) / "ferry.json")) == 1


def test_a_case_without_a_name_has_that_of_its_file() -> None:
    assert parse({"turns": [{"user": "x"}]}, "somewhere/boat.json", "boat").name == "boat"


def test_a_result_outlives_new_expectations_but_not_new_words() -> None:
    first, expects, says = (
        parse({"turns": [turn]}, "x", "x").digest
        for turn in ({"user": "a"}, {"user": "a", "reply": ["b"]}, {"user": "b"})
    )
    assert first == expects != says


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ({"user": "b", "repyl": ["c"]}, "turn 2, repyl: there is no such field."),
        ({"intent": [["new"]]}, "turn 2, user: it is missing."),
        ({"user": "b", "intent": [["delete"]]}, "turn 2, intent.1.1: Input should be 'new', 'update' or 'check'."),
        ({"user": "b", "intent": ["new"]}, "turn 2, intent.1: Input should be a valid list."),
        ({"user": "b", "active": ["c"]}, 'turn 2, active.1: an entry is a list of words, or {"all": [...], "none": [...]}.'),
        ({"user": "b", "active": [[]]}, "turn 2, active.1: an entry without words matches everything."),
        ({"user": "b", "reply": ["(c"]}, "turn 2, reply.1: '(c' is no regular expression: missing ), unterminated subpattern at position 0."),
        ({"user": "b", "reply_not": [{"unless": "c"}]}, "turn 2, reply_not.1.re: it is missing."),
        ({"user": "b", "reply_not": [3]}, 'turn 2, reply_not.1: it is a regular expression, or {"re": ..., "unless": ...}.'),
        ({"user": "b", "unchanged": "yes"}, "turn 2, unchanged: Input should be a valid boolean."),
    ],
)  # fmt: skip
def test_a_bad_turn_is_one_line_with_its_place(turn: dict[str, Any], reason: str) -> None:
    with pytest.raises(BenchError) as caught:
        parse({"turns": [{"user": "a"}, turn]}, "cases/x.json", "x")
    assert str(caught.value) == f"cases/x.json: {reason}"


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"turns": []}', '{"turns": [{"user": "a"}], "half": "third"}', "\xff"]
)
def test_a_file_that_is_no_case_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(BenchError, match=r"x\.json: "):
        load(tmp_path)


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", FERRY)
    write(tmp_path / "b", FERRY)
    with pytest.raises(BenchError, match="the name 'ferry' is also that of"):
        load(tmp_path)


def test_a_folder_without_cases_and_a_name_without_a_case_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no \.json file"):
        load(tmp_path)
    with pytest.raises(UsageError, match="no case 'boat'"):
        load(write(tmp_path, FERRY), ["boat"])


def test_our_own_cases_can_be_read() -> None:
    if not OWN.is_dir():
        pytest.skip("no cases in scripts/cases/tasks")
    assert all(case.half and case.kinds for case in load(OWN))


def test_the_published_cases_can_be_read() -> None:
    named = os.environ.get("LOCALMEM_TEST_TASK_CASES")
    if not named:
        pytest.skip("no published cases: set LOCALMEM_TEST_TASK_CASES to their folder")
    assert sum(len(case.turns) for case in load(Path(named), ["trip", "cooking", "meeting", "cart"])) == 28
