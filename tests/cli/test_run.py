"""`localmem run`."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest

from localmem.agent.environments.pddl import domain_text
from localmem.agent.environments.problems import generate
from localmem.agent.values import Assist
from localmem.errors import EngineError
from tests.cli.conftest import CommandLine

GOAL = "What happened to the Saab?"
REPLIES = [
    "Subgoal: Find the Saab.",
    "search_memory(saab)",
    "Action: note([1] Dilip bought the Saab yesterday.)",
    "Reached: It is noted.\nSubgoal: End.",
    "finish()",
]
FOUND = "note([{}] Dilip bought the Saab.)"


@pytest.fixture
def ready(filled: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line whose model finds the Saab, with subgoals in its own words.

    The number of its turn depends on the search.
    """
    monkeypatch.setattr("localmem.agent.values.DEFAULT_ASSISTS", frozenset({Assist.STATE}))
    shown = filled("search", "saab", "--budget", "8", "--json")
    units = json.loads(shown.out)["units"]
    number = [unit["text"].startswith("Thanks! Dilip") for unit in units].index(True) + 1
    filled.replies.extend([REPLIES[0], REPLIES[1], f"Action: {FOUND.format(number)}", *REPLIES[3:]])
    return filled


def test_a_run_prints_subgoals_steps_and_notes_with_their_sources(ready: CommandLine) -> None:
    result = ready("run", GOAL)
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0:2] == ["1. Find the Saab.", "  search_memory(saab)"]
    assert lines[3:5] == ["2. End.", "  finish()"]
    assert lines[5:] == ["- Dilip bought the Saab. (line 2)"]
    assert result.err.startswith("Run 1: reached after 3 steps, 100% done; ")


def test_a_job_is_laid_out_thread_by_thread(filled: CommandLine, tmp_path: Path) -> None:
    goal = "What did Dilip buy, into saab.md"
    first = filled("run", goal, "--dry-run", "--out", tmp_path).out
    thread = re.search(r"^Thread (\d+), 2025-03-04:$", first, re.MULTILINE)
    number = re.search(r"^\[(\d)\] Bob: Thanks! Dilip", first, re.MULTILINE)
    assert thread and number
    part = f"Read thread {thread[1]} of 2025-03-04."
    filled.replies.extend(
        [
            f"Subgoal: {part}\nAction: keep([{number[1]}])",
            "Subgoal: Look for what is missing.\nAction: done()",
            "Subgoal: Write the report.\nAction: write_file(saab.md)",
            "Subgoal: End the job.\nAction: finish()",
        ]
    )
    result = filled("run", goal, "--out", tmp_path)
    assert result.code == 0
    *steps, note, file = result.out.splitlines()
    assert steps == [
        f"1. {part}", f"  keep([{number[1]}])",
        "2. Look for what is missing.", "  done()", "3. Write the report.", "  write_file(saab.md)",
        "4. End the job.", "  finish()",
    ]  # fmt: skip
    assert note.startswith("- Bob: Thanks! Dilip bought the Saab yesterday")
    assert (note.endswith("(line 2)"), file) == (True, str(tmp_path / "saab.md"))


LOOKED = ["Subgoal: Look for what is missing.\nAction: done()", "Subgoal: End the job.\nAction: finish()"]


def left(line: CommandLine, goal: str, *more: str | Path) -> list[str]:
    """Replies that keep nothing of what a dry run shows."""
    parts = re.findall(r"^Thread (\d+), (\S+):$", line("run", goal, "--dry-run", *more).out, re.MULTILINE)
    return [f"Subgoal: Read thread {thread} of {day}.\nAction: done()" for thread, day in parts]


def test_a_goal_that_nothing_is_about_is_told_so_and_fails(filled: CommandLine) -> None:
    filled.replies.extend([*left(filled, "What did Dilip buy"), *LOOKED])
    result = filled("run", "What did Dilip buy")
    assert result.code == 1
    assert "- " not in result.out
    assert result.err.splitlines()[0] == "Nothing about this was found in the memory."


def test_a_report_says_that_nothing_was_found(filled: CommandLine, tmp_path: Path) -> None:
    goal, out = "What did Dilip buy, into saab.md", tmp_path / "out"
    filled.replies.extend(
        [
            *left(filled, goal, "--out", out),
            LOOKED[0],
            "Subgoal: Write the report.\nAction: write_file(saab.md)",
            LOOKED[1],
        ]
    )
    result = filled("run", goal, "--out", out)
    assert (result.code, result.out.splitlines()[-1]) == (1, str(out / "saab.md"))
    told = (out / "saab.md").read_text(encoding="utf-8")
    assert told == f"# {goal}\n\nNothing about this was found in the memory.\n"


@pytest.mark.parametrize(
    ("out", "why"), [(".", "saab.md exists already."), ("saab.md", "saab.md is no folder.")]
)
def test_a_report_that_could_not_be_written_is_refused_before_the_run(
    filled: CommandLine, tmp_path: Path, out: str, why: str
) -> None:
    (tmp_path / "saab.md").write_text("mine", encoding="utf-8")
    result = filled("run", "What did Dilip buy, into saab.md", "--out", tmp_path / out)
    assert (result.code, result.out, filled.models) == (1, "", [])
    assert result.err.splitlines()[0].endswith(why)
    assert json.loads(filled("run", "list", "--json").out) == []
    assert (tmp_path / "saab.md").read_text(encoding="utf-8") == "mine"


def test_a_run_goes_on_over_a_file_when_that_is_allowed_then(filled: CommandLine, tmp_path: Path) -> None:
    goal, out = "What did Dilip buy, into saab.md", tmp_path / "out"
    filled.replies.extend([*left(filled, goal, "--out", out), LOOKED[0]])
    steps = len(filled.replies)
    assert filled("run", goal, "--out", out, "--max-steps", str(steps)).code == 1
    out.mkdir()
    (out / "saab.md").write_text("mine", encoding="utf-8")
    write = "Subgoal: Write the report.\nAction: write_file(saab.md)"
    filled.replies.append(write)
    refused = filled("run", "--resume", "1", "--max-steps", "30")
    assert refused.code == 1
    assert "saab.md exists already." in refused.err and "localmem run --resume 1" in refused.err
    filled.replies.extend([write, LOOKED[1]])
    assert filled("run", "--resume", "1", "--max-steps", "30", "--overwrite").code == 1  # nothing was found
    assert "Nothing about this" in (out / "saab.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("limit", "way"), [(("--max-steps", "1"), "--max-steps 31"), (("--max-tokens", "1"), "--max-tokens ")]
)
def test_a_run_that_has_used_what_it_had_names_a_command_that_lets_it_go_on(
    ready: CommandLine, limit: tuple[str, str], way: str
) -> None:
    told = ready("run", GOAL, *limit).err
    command = told.splitlines()[-1].partition("localmem ")[2]
    assert command.startswith(f"run --resume 1 {way}")
    again = ready("run", "--resume", "1")
    assert again.code == 1
    assert f"Let it go on with: localmem {command}" in again.err
    assert ready(*command.split(), "-q").code == 0


def test_start_is_the_default_and_can_be_named(ready: CommandLine) -> None:
    assert ready("run", "start", GOAL, "-q").out == "- Dilip bought the Saab. (line 2)\n"


def test_quietly_only_what_was_noted_is_told(ready: CommandLine) -> None:
    result = ready("run", GOAL, "-q")
    assert (result.out, result.err) == ("- Dilip bought the Saab. (line 2)\n", "")


def test_observations_are_shown_when_asked_for(ready: CommandLine) -> None:
    out = ready("run", GOAL, "-v").out
    assert "Dilip bought the Saab yesterday" in out
    assert "tokens read" in out


def test_every_step_is_a_line_of_json_and_the_end_too(ready: CommandLine) -> None:
    result = ready("run", GOAL, "--json")
    *steps, end = map(json.loads, result.out.splitlines())
    assert [(row["run"], row["subgoal"], row["step"], row["valid"]) for row in steps] == [
        (1, 1, 1, True), (1, 1, 2, True), (1, 2, 3, True),
    ]  # fmt: skip
    assert steps[0].keys() >= {
        "text",
        "kind",
        "action",
        "observation",
        "progress",
        "context",
        "usage",
        "seconds",
    }
    assert (end["status"], end["notes"], end["files"]) == (
        "reached",
        [{"text": "Dilip bought the Saab.", "sources": ["line 2"]}],
        [],
    )
    assert result.err == ""


def test_a_report_is_written_into_its_folder(ready: CommandLine, tmp_path: Path) -> None:
    ready.replies[4] = "write_file(saab.md)"
    ready.replies.append("Action: finish()")
    result = ready("run", f"{GOAL} Into saab.md", "--out", tmp_path / "reports", "-q")
    assert result.code == 0
    assert result.out.splitlines()[-1] == str(tmp_path / "reports" / "saab.md")
    assert "- Dilip bought the Saab. [1]" in (tmp_path / "reports" / "saab.md").read_text(encoding="utf-8")


def test_a_report_that_has_no_folder_is_told_of(ready: CommandLine) -> None:
    told = "Notes will be printed; no file is written without --out DIR."
    assert ready("run", f"{GOAL} Into saab.md").err.splitlines()[0] == told
    assert told not in ready("run", f"{GOAL} Into saab.md", "--dry-run", "-q").err


def test_a_run_that_does_not_reach_its_goal_fails_and_says_how_it_goes_on(ready: CommandLine) -> None:
    result = ready("run", GOAL, "--max-steps", "1")
    assert result.code == 1
    assert "Run 1: out of steps after 1 step," in result.err
    assert "localmem run --resume 1" in result.err
    assert (
        ready("run", "--resume", "1", "--max-steps", "9", "-q").out == "- Dilip bought the Saab. (line 2)\n"
    )


def test_an_engine_that_fails_is_one_line_and_the_way_on(ready: CommandLine) -> None:
    ready.replies.insert(2, EngineError("out of memory", hint="Close something."))
    result = ready("run", GOAL)
    assert result.code == 1
    assert result.err == (
        "Run 1 can go on: localmem run --resume 1\nlocalmem: out of memory\n  Close something.\n"
    )
    assert ready("run", "--resume", "1", "-q").code == 0


def test_ctrl_c_stops_after_the_step(ready: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    from localmem.agent.environments.memory import MemoryEnvironment

    search = MemoryEnvironment._search

    def interrupted(self: MemoryEnvironment, words: str) -> object:
        self._tools = {**self._tools}
        os.kill(os.getpid(), signal.SIGINT)
        return search(self, words)

    monkeypatch.setattr(MemoryEnvironment, "_search", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    result = ready("run", GOAL)
    assert result.code == 130
    assert "Run 1: stopped after 1 step," in result.err
    assert signal.getsignal(signal.SIGINT) is handler
    monkeypatch.setattr(MemoryEnvironment, "_search", search)
    assert ready("run", "--resume", "1", "-q").code == 0


def test_ctrl_c_again_stops_at_once(ready: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    from localmem.agent.environments.memory import MemoryEnvironment

    def twice(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(MemoryEnvironment, "_search", twice)
    result = ready("run", GOAL)
    assert result.code == 130
    assert "Run 1 can go on: localmem run --resume 1" in result.err
    assert json.loads(ready("run", "list", "--json").out)[0]["status"] == "stopped"


def test_nothing_is_done_in_a_dry_run(ready: CommandLine, tmp_path: Path) -> None:
    result = ready("run", GOAL, "--dry-run", "--out", tmp_path / "reports")
    assert result.code == 0
    assert result.out.startswith("[system]\nYou act in a world")
    assert result.out.endswith(f"Goal: {GOAL}\nTranscripts: talk (3 turns, 2025-03-04).\n")
    assert ready.models == []
    assert not (tmp_path / "reports").exists()
    assert json.loads(ready("run", "list", "--json").out) == []


def test_a_dry_run_of_a_problem_needs_no_memory(localmem: CommandLine, tmp_path: Path) -> None:
    pytest.importorskip("jupyddl")
    result = localmem("run", "--world", "gripper", "--size", "1", "--dry-run", "-m", tmp_path / "new.db")
    assert (result.code, "ball1 is at room" in result.out) == (0, True)
    assert not (tmp_path / "new.db").exists()


def test_runs_are_listed_and_shown(ready: CommandLine) -> None:
    ready("run", GOAL, "-q")
    listed = ready("run", "list").out.splitlines()
    assert listed[0].split() == ["run", "begun", "status", "steps", "done", "goal"]
    assert listed[1].split()[3:6] == ["reached", "3", "100%"]
    shown = ready("run", "show", "1").out.splitlines()
    assert shown[:3] == [f"Run 1: {GOAL}", "1. Find the Saab.", "  search_memory(saab)"]
    assert shown[4] == "  reached: It is noted."
    row = json.loads(ready("run", "show", "1", "--json").out)
    assert [len(subgoal["steps"]) for subgoal in row["subgoals"]] == [2, 1]
    assert (row["options"]["mode"], row["world"]) == ("hiagent", "memory")


def test_no_runs_are_no_failure(filled: CommandLine) -> None:
    result = filled("run", "list")
    assert (result.code, result.out, result.err) == (0, "", "No runs in this memory.\n")


def test_a_run_can_be_removed(ready: CommandLine) -> None:
    ready("run", GOAL, "-q")
    assert ready("run", "remove", "1").out == "Run 1 is removed.\n"
    result = ready("run", "show", "1")
    assert (result.code, "There is no run 1" in result.err) == (1, True)


def test_a_problem_is_solved_in_a_memory_of_its_own(localmem: CommandLine, tmp_path: Path) -> None:
    pytest.importorskip("jupyddl")
    (tmp_path / "domain.pddl").write_text(domain_text("gripper"), encoding="utf-8")
    problem = generate("gripper", seed=7, size=2)
    (tmp_path / "p.pddl").write_text(problem, encoding="utf-8")
    localmem.replies.extend(
        [
            "Subgoal: Take it.",
            "pick up ball2 at rooma with arm left",
            "Action: move from rooma to roomb",
            "Action: drop ball2 at roomb with arm left",
        ]
    )
    result = localmem(
        "run", "--world", "pddl", "--file", tmp_path / "p.pddl", "-m", tmp_path / "new.db", "--plain"
    )
    assert result.code == 0
    assert result.out.splitlines()[-1] == "  drop ball2 at roomb with arm left"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", ""),
        ("run", " ", "--dry-run"),
        ("run", GOAL, "--resume", "1"),
        ("run", "--resume", "1", "--dry-run"),
        ("run", GOAL, "--overwrite"),
        ("run", "--world", "gripper", "--out", "x"),
        ("run", "--world", "pddl"),
        ("run", "--world", "game"),
        ("run", "--world", "gripper", "--size", "99"),
        ("run", GOAL, "--max-steps", "0"),
        ("run", GOAL, "--mode", "other"),
        ("run", GOAL, "more"),
        ("run", "show", "x"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(filled: CommandLine, arguments: tuple[str, ...]) -> None:
    result = filled(*arguments)
    assert result.code == (0 if arguments == ("run",) and "Usage" in result.out else 2)
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "arguments", [("run", GOAL), ("run", "list"), ("run", "show", "1"), ("run", "--resume", "1")]
)
def test_a_memory_that_is_not_there_is_one_clear_line(
    localmem: CommandLine, arguments: tuple[str, ...]
) -> None:
    result = localmem(*arguments)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("localmem: There is no memory at ")


@pytest.mark.parametrize("name", ["missing.pddl", "."])
def test_a_problem_that_cannot_be_read_is_one_clear_line(
    localmem: CommandLine, tmp_path: Path, name: str
) -> None:
    result = localmem("run", "--world", "pddl", "--file", tmp_path / name)
    assert result.code == 1
    assert "cannot be read" in result.err


def test_what_people_and_models_write_is_shown_harmlessly(ready: CommandLine) -> None:
    ready.replies[0] = "Subgoal: \x1b[2J[red]x[/red] :smile: \u202e"
    result = ready("run", GOAL)
    assert not {"\x1b", "\u202e"} & set(result.out + result.err)
    assert result.out.startswith("1. [2J[red]x[/red] :smile:")
    assert not {"\x1b", "\u202e"} & set(ready("run", "show", "1").out)
