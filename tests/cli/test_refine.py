"""`localmem refine`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localmem.errors import TruncatedError
from tests.cli.conftest import CommandLine

WHOLE = "1-3 Ann says the ferry to Ullapool leaves at nine"
HEAD = "Ann says the ferry to Ullapool leaves at nine (Bob, 4 March 2025)"


def test_each_transcript_has_its_line(filled: CommandLine) -> None:
    filled.replies.append(WHOLE)
    result = filled("refine")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("talk: 3 turns refined, 1 thread in place of 1; ")
    assert len(result.out.splitlines()) == 1


def test_search_shows_the_heads(filled: CommandLine) -> None:
    filled.replies.append(WHOLE)
    filled("refine", "talk")
    assert json.loads(filled("search", "When is the ferry?", "--json").out)["threads"][0]["head"] == HEAD


def test_the_result_is_json_on_demand(filled: CommandLine, talk: Path) -> None:
    filled.replies.append(WHOLE)
    row = json.loads(filled("refine", "--json", "1").out)
    assert row["memory"].endswith("default.db")
    (one,) = row["transcripts"]
    assert one.pop("seconds") >= 0
    assert one.pop("usage")["calls"] == 1
    assert one == {
        "transcript": "talk", "file": str(talk), "turns": 3, "threads_before": 1, "threads": 1, "heads_again": 0,
        "heads_quoted": 0, "failed": 0, "remaining": 0,
    }  # fmt: skip


def test_a_dry_run_tells_what_there_is_to_do_and_loads_no_model(filled: CommandLine, talk: Path) -> None:
    result = filled("refine", "--dry-run")
    assert result.out.startswith("talk: 3 of 3 turns to refine, in 1 step; about ")
    assert "tokens a second" in result.err
    (one,) = json.loads(filled("refine", "--dry-run", "--json").out)["transcripts"]
    assert one.pop("tokens") > 0
    assert one == {"transcript": "talk", "file": str(talk), "turns": 3, "remaining": 3, "windows": 1}
    assert filled.models == []


def test_what_is_done_is_not_done_again(filled: CommandLine) -> None:
    filled.replies.append(WHOLE)
    filled("refine")
    again = filled("refine")
    assert (again.code, again.out) == (0, "")
    assert again.err == "Nothing to do: the model has made all threads.\n"
    assert filled("refine", "--dry-run").out == "talk: all 3 turns are refined\n"
    assert filled("refine", "--dry-run").err == ""
    assert filled.models == [None]


def test_another_model_can_do_it(filled: CommandLine) -> None:
    filled.replies.append(WHOLE)
    filled("refine", "--model", "qwen2.5-coder-0.5b")
    assert filled.models == ["qwen2.5-coder-0.5b"]


def test_a_head_that_is_quoted_from_a_turn_is_told(filled: CommandLine) -> None:
    filled.replies.append("1-3 Ann says the ferry to Oban leaves at nine")
    assert "; 1 head quoted from a turn; " in filled("refine").out


def test_what_the_model_cannot_manage_is_told(filled: CommandLine) -> None:
    filled.replies.append(TruncatedError("no end"))
    result = filled("refine")
    assert result.code == 0
    assert result.out.splitlines()[1:] == ["  3 turns stay as they were: the model came to no end with them"]


def test_ctrl_c_loses_nothing_and_says_how_to_go_on(filled: CommandLine, talk: Path) -> None:
    other = talk.with_name("other.txt")
    other.write_text("Cleo: The bus comes.\nDan: Two of them.\nCleo: Run then!\n", encoding="utf-8")
    filled("ingest", other)
    filled.replies.extend([WHOLE, KeyboardInterrupt()])
    stopped = filled("refine")
    assert stopped.code == 130
    assert stopped.out.startswith("talk: 3 turns refined")
    assert stopped.err.splitlines() == [
        "localmem: Interrupted.",
        "  What was refined is kept; the same command goes on where it stopped.",
    ]
    filled.replies.append("1-3 Cleo says the bus comes for Dan")
    assert filled("refine").out.startswith("other: 3 turns refined")


def test_a_limit_says_that_there_is_more(filled: CommandLine, tmp_path: Path) -> None:
    long = tmp_path / "long.txt"
    long.write_text("".join(f"Ann: Word{n} and so on.\nBob: Yes {n}.\n" for n in range(10)), encoding="utf-8")
    filled("ingest", long)
    filled.replies.append(WHOLE)
    assert "left" not in filled("refine", "talk", "--limit", "3").out
    filled.replies.extend(["no thread at all"])
    text = filled("refine", "--limit", "1").out
    assert "stay as they were" in text
    assert "turns are left; the same command goes on" in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("tolk",), 1, "There is no transcript 'tolk'"),
        (("--limit", "0"), 2, "limit"),
        (("--memory", "nothing"), 1, "There is no memory"),
    ],
)
def test_what_cannot_be_is_an_error(
    filled: CommandLine, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = filled("refine", *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err
