"""`localmem search`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localmem.store import Store
from tests.cli.conftest import CommandLine

NASTY = "[red]alarm[/red] \x1b[2J\x1b]0;title\x07 \u202eevil\u202c :smile: [link=x]y[/link] ferry"


def test_the_turns_are_shown_with_time_speaker_role_and_place(filled: CommandLine) -> None:
    result = filled("search", "When does the ferry to Ullapool leave?")
    assert (result.code, result.err) == (0, "")
    shown = " ".join(result.out.split())
    for part in ("2025-03-04 18:32", "Ann", "anchor", "leaves at nine.", "line 1", "talk"):
        assert part in shown
    assert "3 of 3 candidate turns, from 1 thread; coverage 1.00" in shown


def test_the_workspace_is_json_on_demand(filled: CommandLine) -> None:
    row = json.loads(filled("search", "ferry", "--json").out)
    assert row.keys() == {
        "query", "candidates", "coverage", "demands", "threads", "units", "left_out", "seconds",
    }  # fmt: skip
    assert row["query"] == "ferry"
    assert [unit["source"] for unit in row["units"]] == ["line 1", "line 2", "line 3"]
    assert {"relevance", "reach", "fit", "dense", "words_window"} <= row["units"][0]["scores"].keys()


def test_the_budget_limits_the_turns(filled: CommandLine) -> None:
    assert len(json.loads(filled("search", "ferry", "--budget", "2", "--json").out)["units"]) == 2


def test_tokens_limit_the_turns(filled: CommandLine) -> None:
    assert len(json.loads(filled("search", "ferry", "--tokens", "25", "--json").out)["units"]) == 1


def test_the_scores_of_every_stage_are_shown_on_demand(filled: CommandLine) -> None:
    plain, explained = filled("search", "ferry").out, filled("search", "ferry", "--explain").out
    for part in ("The question asks for: fact 1.00", "priority", "gain", "relevance", "Time: embed"):
        assert part in explained
        assert part not in plain


@pytest.mark.parametrize("options", [(), ("--explain",)])
def test_what_people_said_is_shown_as_it_is_and_harmless(
    localmem: CommandLine, tmp_path: Path, options: tuple[str, ...]
) -> None:
    file = tmp_path / "talk.jsonl"
    rows = [{"speaker": f"A[bold]{n}\x1b[1m", "text": f"{n} {NASTY}", "id": f"[i]{n}"} for n in range(4)]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert localmem("ingest", file).code == 0
    result = localmem("search", "ferry", *options)
    assert result.code == 0
    assert not {"\x1b", "\x07", "\u202e", "\u202c"} & set(result.out)
    shown = "".join(result.out.split())
    assert "[red]alarm[/red]" in shown
    assert ":smile:" in shown
    assert "[i]2" in shown


def test_a_turn_as_long_as_a_book_is_shown_by_its_beginning(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"speaker": "Ann", "text": "word " * 20_000}), encoding="utf-8")
    assert localmem("ingest", file).code == 0
    shown = localmem("search", "word").out
    assert len(shown) < 10_000
    assert "(99,999 characters)" in " ".join(shown.split())
    assert len(json.loads(localmem("search", "word", "--json").out)["units"][0]["text"]) == 99_999


def test_json_holds_what_people_said_to_the_letter(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"speaker": "Ann", "text": "a [red] :smile: \u202e日本"}), encoding="utf-8")
    assert localmem("ingest", file).code == 0
    (unit,) = json.loads(localmem("search", "x", "--json").out)["units"]
    assert unit["text"].startswith("a [red] :smile:")
    assert unit["text"].endswith("日本")


def test_an_empty_memory_is_said_on_stderr(localmem: CommandLine, tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db").close()
    result = localmem("search", "ferry", "-m", tmp_path / "new.db")
    assert (result.code, result.out) == (0, "")
    assert "localmem ingest" in result.err


def test_a_budget_that_no_turn_fits_is_said_on_stderr(filled: CommandLine) -> None:
    result = filled("search", "ferry", "--tokens", "1")
    assert (result.code, result.out, result.err) == (0, "", "No turn fits 1 tokens.\n")


def test_an_empty_memory_is_json_on_demand(localmem: CommandLine, tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db").close()
    assert json.loads(localmem("search", "ferry", "--json", "-m", tmp_path / "new.db").out)["units"] == []


def test_a_missing_memory_is_an_error_and_none_is_made(localmem: CommandLine, tmp_path: Path) -> None:
    result = localmem("search", "ferry", "-m", tmp_path / "nothing.db")
    assert (result.code, result.out) == (1, "")
    assert list(tmp_path.iterdir()) == []


def test_no_model_of_language_is_made(filled: CommandLine) -> None:
    filled("search", "ferry")
    assert filled.models == []


def test_a_query_may_begin_with_a_dash(filled: CommandLine) -> None:
    assert filled("search", "--", "--ferry").code == 0


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_is_wrong_usage(filled: CommandLine, query: str) -> None:
    result = filled("search", query)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("localmem: The question is empty.\n  For example: ")


def test_roles_and_coverage_are_explained_on_demand(filled: CommandLine) -> None:
    for arguments in (("search", "--help"), ("search", "ferry", "--explain")):
        shown = " ".join(filled(*arguments).out.split())
        assert "a bridge leads to what answers" in shown
        assert "coverage is the share" in shown


def test_transcripts_of_one_name_are_told_apart_by_their_files(filled: CommandLine, tmp_path: Path) -> None:
    assert "talk · " in filled("search", "ferry").out
    other = tmp_path / "other" / "talk.txt"
    other.parent.mkdir()
    other.write_text("Cleo: A ferry.\nDan: Which ferry?\nCleo: The ferry to Skye.\n", encoding="utf-8")
    assert filled("ingest", other).code == 0
    shown = "".join(filled("search", "ferry").out.split())
    assert "other/talk.txt" in shown


@pytest.mark.parametrize("speaker", ["日本太郎", "🧥🧥🧥"])
def test_wide_letters_of_a_name_stay_on_one_line(localmem: CommandLine, tmp_path: Path, speaker: str) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(json.dumps({"speaker": speaker, "text": "ferry"}), encoding="utf-8")
    assert localmem("ingest", file).code == 0
    assert speaker in localmem("search", "ferry").out


@pytest.mark.parametrize("query", ["?", "\x1b[31m", "日本"])
def test_any_query_is_searched_for(filled: CommandLine, query: str) -> None:
    result = filled("search", query)
    assert result.code in (0, 2)
    assert "\x1b" not in result.out + result.err


def test_what_was_just_left_out_is_explained_with_its_reason(filled: CommandLine) -> None:
    shown = " ".join(filled("search", "ferry", "--budget", "1", "--explain").out.split())
    assert "Just left out, the next best by gain:" in shown
    assert "the budget of 1 turn was full" in shown
    assert "Dilip bought the Saab" in shown


def test_json_holds_what_was_left_out_only_when_it_is_explained(filled: CommandLine) -> None:
    found = json.loads(filled("search", "ferry", "--budget", "1", "--explain", "--json").out)
    assert [left["reason"] for left in found["left_out"]] == ["the budget of 1 turn was full"] * 2
    assert json.loads(filled("search", "ferry", "--budget", "1", "--json").out)["left_out"] == []
