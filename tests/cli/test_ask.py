"""`localmem ask`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localmem.errors import EngineError, ModelMissingError
from localmem.recall.answer import NOT_IN_MEMORY
from localmem.store import Store
from tests.cli.conftest import CommandLine

WHEN = "When does the ferry leave?"
KEYS = {"question", "answer", "found", "supported", "citations", "usage", "seconds"}


def test_an_answer_is_followed_by_the_turns_it_cites(filled: CommandLine, talk: Path) -> None:
    filled.replies.append("[1] At nine.")
    result = filled("ask", WHEN)
    assert result.code == 0
    assert result.out.splitlines() == [
        "At nine.",
        "",
        "[1] 2025-03-04 18:32 Ann: The ferry to Ullapool leaves at nine.",
        f"    {talk}, line 1",
    ]


def test_the_cost_is_told_on_stderr_when_asked_for(filled: CommandLine) -> None:
    filled.replies += ["[1] At nine.", "[1] At nine."]
    assert filled("ask", WHEN).err == ""
    result = filled("ask", WHEN, "-v")
    assert "prompt tokens" in result.err
    assert "prompt tokens" not in result.out


def test_quietly_only_the_answer_is_told(filled: CommandLine) -> None:
    filled.replies.append("[1] At nine.")
    result = filled("ask", WHEN, "-q")
    assert result.err == ""
    assert result.out.startswith("At nine.\n")


def test_without_streaming_the_output_is_the_same(filled: CommandLine) -> None:
    filled.replies.extend(["[1] It leaves early. At nine.", "At nine."] * 2)
    assert filled("ask", WHEN, "--no-stream", "-q").out == filled("ask", WHEN, "-q").out


def test_an_answer_is_json_on_demand(filled: CommandLine, talk: Path) -> None:
    filled.replies.append("[1] At nine.")
    result = filled("ask", WHEN, "--json")
    row = json.loads(result.out)
    assert (row.keys(), row["question"], row["answer"]) == (KEYS, WHEN, "At nine.")
    assert row["citations"][0] == {
        "number": 1,
        "speaker": "Ann",
        "at": "2025-03-04T18:32:00",
        "text": "The ferry to Ullapool leaves at nine.",
        "source": "line 1",
        "transcript": "talk",
        "file": str(talk),
    }
    assert result.out.count("\n") == 1


def test_what_memory_does_not_hold_is_said_and_is_no_failure(filled: CommandLine) -> None:
    filled.replies.append("[0] Not in memory.")
    result = filled("ask", "Who won the cup?", "-q")
    assert (result.code, result.out) == (0, f"{NOT_IN_MEMORY}\n")


def test_what_was_nearest_is_shown_beside_a_refusal(filled: CommandLine, talk: Path) -> None:
    filled.replies.append("[0] Not in memory.")
    lines = filled("ask", "Who won the cup?").out.splitlines()
    assert lines[:3] == [NOT_IN_MEMORY, "", "The nearest turns (all with: localmem search):"]
    assert [line for line in lines[3:] if line.startswith(" -  ")]
    assert f"    {talk}, line 1" in lines


def test_an_empty_memory_says_how_to_fill_it(localmem: CommandLine, tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db").close()
    result = localmem("ask", WHEN, "-m", tmp_path / "new.db")
    assert result.out == f"{NOT_IN_MEMORY}\n"
    assert "localmem ingest" in result.err


def test_an_unsupported_answer_is_marked(filled: CommandLine) -> None:
    filled.replies.extend(["[1] At 7:45.", "[1] At 8:45."])
    result = filled("ask", WHEN, "--no-stream", "-q")
    assert "At 8:45.\n(unsupported: " in result.out


def test_an_unsupported_answer_is_marked_in_json(filled: CommandLine) -> None:
    filled.replies.extend(["[1] At 7:45.", "[1] At 8:45."])
    assert json.loads(filled("ask", WHEN, "--json").out)["supported"] is False


def test_questions_come_from_standard_input(filled: CommandLine) -> None:
    filled.replies.extend(["[1] At nine.", "[2] Dilip."])
    result = filled("ask", "-q", typed=f"{WHEN}\n\nWho bought the Saab?\n")
    assert result.code == 0
    lines = result.out.splitlines()
    assert [line for line in lines if line.startswith(">")] == [f"> {WHEN}", "> Who bought the Saab?"]
    assert lines[1] == "At nine."
    assert "Dilip." in lines


@pytest.mark.parametrize("dash", [(), ("-",)])
def test_every_question_of_standard_input_is_one_line_of_json(
    filled: CommandLine, dash: tuple[str, ...]
) -> None:
    filled.replies.extend(["[1] At nine.", "[0] Not in memory.", "[2] Dilip."])
    result = filled("ask", *dash, "--json", typed="\ufeffone?\r\n two? \n\n\nthree?")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert [row["question"] for row in rows] == ["one?", "two?", "three?"]
    assert [row["found"] for row in rows] == [True, False, True]
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_questions_of_a_file_are_answered_whatever_its_encoding(
    filled: CommandLine, tmp_path: Path, encoding: str
) -> None:
    file = tmp_path / "questions.txt"
    file.write_bytes("Wann fährt sie?\r\n\n Who bought it?".encode(encoding))
    error = EngineError("out of memory", hint="Close something.")
    filled.replies.extend([error, "[2] Dilip."])
    result = filled("ask", "--batch", file, "--json", "--model", "tiny")
    first, second = map(json.loads, result.out.splitlines())
    assert (result.code, filled.models) == (1, ["tiny"])
    assert (first["question"], first["error"]) == ("Wann fährt sie?", "out of memory")
    assert (second["question"], second["answer"]) == ("Who bought it?", "Dilip.")


def test_the_questions_of_a_batch_may_be_typed(filled: CommandLine) -> None:
    filled.replies.append("[2] Dilip.")
    assert "Dilip." in filled("ask", "--batch", "-", typed="Who bought the Saab?\n").out


def test_a_batch_that_is_not_there_is_wrong_usage(filled: CommandLine, tmp_path: Path) -> None:
    result = filled("ask", "--batch", tmp_path / "gone.txt")
    assert (result.code, result.out) == (2, "")
    assert "gone.txt: No such file or directory" in result.err


def test_a_question_beside_a_batch_is_wrong_usage(filled: CommandLine, talk: Path) -> None:
    result = filled("ask", "Who?", "--batch", talk)
    assert (result.code, result.out) == (2, "")
    assert "exclude each other" in result.err


def test_the_model_is_made_once_for_all_questions(filled: CommandLine) -> None:
    filled.replies.extend(["[1] At nine."] * 3)
    filled("ask", "--json", "--model", "tiny", typed="a?\nb?\nc?\n")
    assert filled.models == ["tiny"]


def test_a_question_that_fails_does_not_stop_the_rest(filled: CommandLine) -> None:
    error = EngineError("out of memory", hint="Close something.")
    filled.replies.extend(["[1] At nine.", error, "[2] Dilip."])
    result = filled("ask", "--json", typed="one?\ntwo?\nthree?\n")
    assert result.code == 1
    first, second, third = map(json.loads, result.out.splitlines())
    assert (first["answer"], third["answer"]) == ("At nine.", "Dilip.")
    assert (second.keys(), second["question"]) == ({"question", "error", "hint"}, "two?")


def test_a_question_that_fails_is_told_on_stderr(filled: CommandLine) -> None:
    filled.replies.extend([EngineError("out of memory", hint="Close something."), "[2] Dilip."])
    result = filled("ask", "-q", typed="one?\ntwo?\n")
    assert result.code == 1
    assert result.err == "not answered: out of memory (Close something.)\n"
    assert "Dilip." in result.out


def test_a_single_question_that_fails_is_an_error(filled: CommandLine) -> None:
    filled.replies.append(EngineError("out of memory", hint="Close something."))
    result = filled("ask", WHEN)
    assert (result.code, result.out) == (1, "")
    assert result.err == "localmem: out of memory\n  Close something.\n"


def test_a_missing_model_ends_the_batch_at_once(filled: CommandLine) -> None:
    filled.replies.extend([ModelMissingError("not here", hint="localmem models pull x"), "[1] never asked"])
    result = filled("ask", "--json", typed="one?\ntwo?\n")
    assert (result.code, result.out) == (1, "")
    assert result.err == "localmem: not here\n  localmem models pull x\n"


def test_an_interruption_exits_with_130(filled: CommandLine) -> None:
    filled.replies.append("[1] At nine.")
    filled.patch.setattr("tests.fakes.ScriptedModel.generate", interrupt)
    assert filled("ask", WHEN).code == 130


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("question", ["", "  ", "\n"])
def test_an_empty_question_is_wrong_usage(filled: CommandLine, question: str) -> None:
    result = filled("ask", question)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("localmem: The question is empty.\n  ")


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_no_question_at_a_terminal_is_wrong_usage(filled: CommandLine, arguments: tuple[str, ...]) -> None:
    result = filled("ask", *arguments)
    assert (result.code, result.out) == (2, "")


def test_no_question_in_standard_input_is_nothing_to_do(filled: CommandLine) -> None:
    result = filled("ask", "--json", typed="\n\n")
    assert (result.code, result.out, filled.models) == (0, "", [])


def test_questions_that_are_no_text_are_asked_all_the_same(filled: CommandLine) -> None:
    filled.replies.append("[1] At nine.")
    result = filled("ask", "--json", typed=b"caf\xe9?\n")
    assert (result.code, json.loads(result.out)["question"]) == (0, "caf\ufffd?")


def test_an_empty_memory_is_asked_without_a_model(localmem: CommandLine, tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db").close()
    result = localmem("ask", WHEN, "-q", "-m", tmp_path / "new.db")
    assert (result.code, result.out, localmem.models) == (0, f"{NOT_IN_MEMORY}\n", [])


def test_what_people_said_is_shown_harmlessly(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    said = "ferry [red]x[/red] \x1b[2J\x07 \u202eevil :smile:"
    file.write_text(json.dumps({"speaker": "A\x1b[1m", "text": said}), encoding="utf-8")
    assert localmem("ingest", file).code == 0
    localmem.replies.append("[1] \x1b[mred\x07 [bold]:smile:")
    result = localmem("ask", "ferry?")
    assert result.code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(result.out + result.err)
    assert "[red]x[/red]" in result.out
    assert "[bold]:smile:" in result.out
