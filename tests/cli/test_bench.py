"""`localmem bench tasks` with a chat that is written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.talks import FERRY, Played, played, write
from tests.cli.conftest import CommandLine

__all__ = ["played"]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write(tmp_path / "cases", FERRY)


def test_a_row_has_the_turns_that_were_right(localmem: CommandLine, cases: Path, played: Played) -> None:
    result = localmem("bench", "tasks", "--cases", cases)
    assert result.code == 0, result.err
    assert "2/2" in result.out
    assert result.err.startswith("localmem, seed 0, ferry: 2 of 2 turns right, 0 s\n")


def test_json_has_every_figure(localmem: CommandLine, cases: Path, played: Played) -> None:
    row = json.loads(localmem("bench", "tasks", "--cases", cases, "--json", "-q").out)["rows"][0]
    assert {name: row[name] for name in ("turns", "right", "confusions", "hallucinations", "consistent")} == {
        "turns": 2,
        "right": 2,
        "confusions": 0,
        "hallucinations": 0,
        "consistent": 1,
    }
    assert row["reply_tokens"] == {"prompt": 120, "evaluated": 24, "fixed": 0, "written": 12, "calls": 2}


def test_a_failed_turn_is_told_with_what_was_wrong(
    localmem: CommandLine, cases: Path, played: Played
) -> None:
    played.says = lambda text, ablate: "Jura!"
    result = localmem("bench", "tasks", "--cases", cases, "-v")
    assert "  WRONG reply_not: jura unless not; found: Jura!" in result.err.splitlines()


def test_each_ablation_is_a_row_beside_the_whole(localmem: CommandLine, cases: Path, played: Played) -> None:
    result = localmem(
        "bench", "tasks", "--cases", cases, "--ablate", "guards", "--ablate", "trim", "--json", "-q"
    )
    assert [row["ablation"] for row in json.loads(result.out)["rows"]] == ["", "guards", "trim"]
    assert [set(options["ablate"]) for _, options in played.calls[::2]] == [set(), {"guards"}, {"trim"}]


@pytest.mark.parametrize(
    ("arguments", "warmth"), [((), 0.0), (("--seeds", "2"), 0.3), (("--temperature", "0.7"), 0.7)]
)
def test_several_seeds_are_warm(
    localmem: CommandLine, cases: Path, played: Played, arguments: tuple[str, ...], warmth: float
) -> None:
    assert localmem("bench", "tasks", "--cases", cases, *arguments).code == 0
    assert {options["temperature"] for _, options in played.calls} == {warmth}


def test_a_bad_case_is_one_line_and_a_hint(localmem: CommandLine, tmp_path: Path) -> None:
    folder = write(tmp_path / "bad", {"name": "x", "turns": [{"user": "a"}, {"user": "b", "repyl": ["c"]}]})
    result = localmem("bench", "tasks", "--cases", folder)
    assert result.code == 1
    assert (
        result.err.splitlines()[0] == f"localmem: {folder / 'x.json'}: turn 2, repyl: there is no such field."
    )
    assert len(result.err.splitlines()) == 2


def test_a_folder_that_is_not_there_is_wrong_usage(localmem: CommandLine, tmp_path: Path) -> None:
    assert localmem("bench", "tasks", "--cases", tmp_path / "none").code == 2


def test_several_models_stand_in_one_table(localmem: CommandLine, cases: Path, played: Played) -> None:
    result = localmem("bench", "tasks", "--cases", cases, "--model", "small", "--model", "large", "-q")
    assert result.code == 0, result.err
    assert localmem.models == ["small", "large"]


def test_a_run_goes_on_from_its_file(
    localmem: CommandLine, cases: Path, played: Played, tmp_path: Path
) -> None:
    arguments = ("bench", "tasks", "--cases", cases, "--out", tmp_path / "out.jsonl")
    first = localmem(*arguments)
    second = localmem(*arguments)
    assert first.out == second.out
    assert "ferry: 2 of 2 turns right, 0 s, from the file" in second.err
    assert len(played.calls) == 2


def test_a_baseline_is_noted_below_its_row(localmem: CommandLine, cases: Path, played: Played) -> None:
    localmem.replies.extend(
        ["Islay.", "intent: new\ncrossing = Islay\n", "No.", "intent: check\ncrossing = Islay\n"]
    )
    result = localmem("bench", "tasks", "--cases", cases, "--system", "localmem", "--system", "flat")
    assert result.code == 0, result.err
    assert [line.split()[:2] for line in result.out.splitlines()[-2:]] == [
        ["localmem", "2/2"],
        ["flat", "2/2"],
    ]
    assert "The baselines hold no graph." in result.err


def test_a_made_form_has_a_table_of_its_own(localmem: CommandLine, cases: Path, played: Played) -> None:
    localmem.replies.extend(["x", "intent: none\n"] * 7)
    arguments = ("--form-turns", "5", "--system", "localmem", "--system", "flat", "--json", "-q")
    result = json.loads(localmem("bench", "tasks", "--cases", cases, *arguments).out)
    assert [row["turns"] for row in result["rows"]] == [2, 2]
    assert [(row["case"], row["turns"], row["reply"]) for row in result["forms"]] == [("form-5", 5, 330)]


@pytest.mark.parametrize(
    "arguments",
    [("--form-turns", "9"), ("--system", "flat", "--ablate", "trim"), ("--seeds", "0")],
    ids=" ".join,
)
def test_options_that_make_no_sense_together_are_wrong_usage(
    localmem: CommandLine, cases: Path, arguments: tuple[str, ...]
) -> None:
    result = localmem("bench", "tasks", "--cases", cases, *arguments)
    assert (result.code, result.out) == (2, "")


def test_what_people_typed_is_no_markup(localmem: CommandLine, tmp_path: Path, played: Played) -> None:
    folder = write(tmp_path / "odd", {**FERRY, "name": "[red]x\x1b[31m"[:6] + "y"})
    played.says = lambda text, ablate: "[bold]Jura[/bold]\x1b[2J"
    result = localmem("bench", "tasks", "--cases", folder, "-v")
    assert "[red]xy: 0 of 2 turns right" in result.err
    assert "replied [bold]Jura[/bold]" in result.err
    assert "\x1b" not in result.err + result.out
