"""The slash commands of a chat."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from localmem.cli.chat_commands import COMMANDS
from localmem.errors import EngineError
from localmem.memory import Memory
from localmem.values import TaskStep
from tests.cli.chat_support import SEATTLE, WHOLE, Chat, chat, reply
from tests.cli.conftest import CommandLine, Outcome
from tests.fakes import HashingEmbedder

__all__ = ["chat"]
BOSTON = TaskStep("update", "set", "destination", "Boston", "destination", 1, "destination = Seattle")


def last_row(result: Outcome) -> dict[str, Any]:
    row = json.loads(result.out.splitlines()[-1])
    assert isinstance(row, dict)
    return row


def after(result: Outcome, turns: int = 1) -> list[str]:
    """What was printed after so many replies of one line."""
    return result.out.splitlines()[turns:]


@pytest.fixture
def moved(localmem: CommandLine, chat: Chat) -> CommandLine:
    """A chat whose first two turns are a destination and another one."""
    chat.replies.extend([reply("Noted.", operations=(SEATTLE,)), reply("Boston.", operations=(BOSTON,))])
    return localmem


TWO = "Seattle.\nNo, Boston.\n"


def test_tasks_are_shown(moved: CommandLine) -> None:
    result = moved("chat", "-q", typed=TWO + "/tasks\n")
    assert (result.code, after(result, 2)) == (0, ["destination = Boston"])


def test_deleted_tasks_are_shown_on_demand(localmem: CommandLine, chat: Chat) -> None:
    gone = TaskStep("update", "delete", "destination", "", "destination", 1)
    chat.replies.extend([reply(operations=(SEATTLE,)), reply(operations=(gone,))])
    result = localmem("chat", "-q", typed="a\nb\n/tasks\n/tasks all\n/tasks most\n")
    assert after(result, 2) == ["destination = Seattle (inactive)"]
    assert "No active tasks. See the rest with /tasks all." in result.err
    assert result.code == 1


def test_tasks_are_json_too(moved: CommandLine) -> None:
    row = last_row(moved("chat", "--json", typed=TWO + "/tasks\n"))
    assert (row["command"], row["tasks"][0]["value"]) == ("/tasks", "Boston")


def test_a_memory_without_tasks_says_so(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", typed="/tasks\n")
    assert (result.code, result.out, result.err) == (0, "", "No tasks in this memory.\n")


def test_undo_takes_back_the_last_turn_that_changed_tasks_and_says_what(moved: CommandLine) -> None:
    result = moved("chat", "-q", typed=TWO + "Thanks.\n/undo\n/undo\n/undo\n")
    assert after(result, 3) == [
        "Turn 2 is undone: No, Boston.",
        "  ~ destination = Seattle (was destination = Boston)",
        "Turn 1 is undone: Seattle.",
        "  - destination = Seattle",
    ]
    assert result.err.startswith("localmem: There is nothing to undo.\n")
    assert result.code == 1


def test_undo_knows_what_was_said_in_an_earlier_chat(moved: CommandLine) -> None:
    moved("chat", "-q", typed=TWO)
    row = last_row(moved("chat", "--json", typed="/undo\n"))
    assert (row["undone"], row["user"]) == (2, "No, Boston.")
    assert row["changes"] == ["~ destination = Seattle (was destination = Boston)"]


def test_nothing_to_undo_in_a_new_memory_is_an_error(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", typed="/undo\n")
    assert (result.code, result.err.splitlines()[0]) == (1, "localmem: There is nothing to undo.")


def test_the_last_turn_is_forgotten_with_what_it_made(moved: CommandLine, chat: Chat, tmp_path: Path) -> None:
    chat.remembers = True
    chat.replies.popleft()
    chat.replies.appendleft(reply("Lisbon it is.", operations=(SEATTLE,)))
    chat.replies[1] = reply("Hm.")
    typed = f"Zanzibar, Seattle.\nThanks.\n/forget\n/usage\n/forget\n/save {tmp_path}/x.txt\n/forget\n"
    result = moved("chat", "-q", typed=typed)
    lines = after(result, 2)
    assert lines[0] == lines[-2] == "Forgotten: 1 turn, with its reply."
    assert lines[-1] == "  - destination = Seattle"
    assert [line.split()[0] for line in lines[1:4]] == ["turn", "1", "all"]
    assert [line for line in result.err.splitlines() if line.startswith("localmem: ")] == [
        "localmem: Nothing was said in this chat yet.",
        "localmem: Nothing of this chat is in the memory.",
    ]
    with Memory.open() as memory:
        assert (memory.transcripts(), memory.tasks.paths()) == ([], [])
        assert b"Zanzibar" not in memory.path.read_bytes()


def test_only_this_chat_is_forgotten(localmem: CommandLine, chat: Chat) -> None:
    chat.remembers = True
    localmem("chat", "-q", typed="Zanzibar.\n")
    result = localmem("chat", "-q", typed="/forget\nLisbon.\n/forget\n/forget\n/forget all\n/forget me\n")
    assert (result.code, result.out) == (1, "2: Lisbon.\nForgotten: 1 turn, with its reply.\n")
    with Memory.open() as memory:
        (transcript,) = memory.transcripts()
        assert [one.turn.text for one in memory.recent(transcript.id, 9)] == ["Zanzibar.", "1: Zanzibar."]


def test_nobody_in_a_pipe_agrees_to_forget_a_whole_chat(localmem: CommandLine, chat: Chat) -> None:
    chat.remembers = True
    result = localmem("chat", "--json", typed="Zanzibar.\n/forget all\n/forget\n")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert rows[1]["error"] == "Nothing was forgotten."
    assert rows[2] == {"command": "/forget", "forgotten": 1, "tasks": []}


def test_why_tells_what_was_understood_last(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.extend([WHOLE, EngineError("no")])
    lines = localmem("chat", "-q", typed="Seattle.\nagain\n/why\n").out.splitlines()
    assert lines[-4:] == [
        "Turn 1: Seattle.",
        "  understood   + destination = Seattle [new]",
        "  not taken    celery: the words touch no node named celery",
        "  facts        destination = Seattle",
    ]


def test_why_tells_how_the_reply_was_made(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.extend([reply(plain=True), reply(asks=True)])
    out = localmem("chat", "-q", typed="a\n/why\nb\n/why\n").out
    assert "  understood   nothing that concerns the tasks\n" in out
    assert "  reply        the facts as they are" in out
    assert "  reply        a question back" in out


def test_why_shows_what_was_found_in_memory(filled: CommandLine, chat: Chat, talk: Path) -> None:
    from localmem.values import Citation

    with Memory.open() as memory:
        workspace = memory.search("When does the ferry leave?")
    unit = next(unit for unit in workspace.units if "ferry" in unit.turn.text)
    cited = Citation(1, unit.stored, workspace.transcripts[unit.stored.transcript])
    chat.replies.extend([reply("At nine. [1]", workspace=workspace, citations=(cited,))] * 2)
    lines = filled("chat", "-q", typed="When?\n/why\n").out.splitlines()
    (found,) = [place for place, line in enumerate(lines) if line.startswith("  found")]
    assert lines[found] == "  found        3 of 3 candidate turns in memory"
    assert re.fullmatch(r"    \[1\] \w+, 2025-03-04 18:32 Ann: The ferry to Ullapool .*", lines[found + 1])
    assert lines[found + 2] == f"        {talk}, line 1"
    assert lines[found + 3].startswith("     -  ")
    row = last_row(filled("chat", "--json", typed="When?\n/why\n"))
    assert len(row["workspace"]["units"]) == 3


def test_what_was_found_in_a_chat_is_named_by_the_chat(
    localmem: CommandLine, chat: Chat, tmp_path: Path
) -> None:
    from localmem.recall.log import ChatLog
    from localmem.values import Citation

    at = datetime(2025, 3, 4, 18, 32).astimezone()
    with Memory.open() as memory:
        log = ChatLog(memory._store, HashingEmbedder)
        turns = log.turns("The ferry leaves at nine.", "Noted.", at)
        log.add(turns, log.vectors(turns))
        workspace = memory.search("When does the ferry leave?")
    unit = workspace.units[0]
    cited = Citation(1, unit.stored, workspace.transcripts[unit.stored.transcript])
    chat.replies.append(reply("At nine. [1]", workspace=workspace, citations=(cited,)))
    result = localmem("chat", "-q", typed=f"When?\n/why\n/save {tmp_path}/x.txt\n")
    assert "        chat 2025-03-04 18:32:00, turn 1" in result.out.splitlines()
    assert "(chat 2025-03-04 18:32:00, turn 1)" in (tmp_path / "x.txt").read_text(encoding="utf-8")


def test_why_with_a_slot_tells_how_it_came_about(moved: CommandLine) -> None:
    result = moved("chat", "-q", typed=TWO + "/why destination\n/why nothing\n")
    assert [line.split()[-2:] for line in after(result, 2)[1:]] == [
        ["Seattle", "Seattle."],
        ["No,", "Boston."],
    ]
    assert "There is no task named 'nothing'" in result.err


def test_why_before_anything_was_said_is_an_error(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", typed="/why\n")
    assert (result.code, result.err) == (1, "localmem: Nothing was said in this chat yet.\n")


def test_memory_is_searched_without_a_model(filled: CommandLine, chat: Chat, talk: Path) -> None:
    result = filled("chat", typed="/memory the ferry\n/memory\n")
    lines = result.out.splitlines()
    assert "[1] 2025-03-04 18:32 Ann: The ferry to Ullapool leaves at nine." in lines
    assert f"    {talk}, line 1" in lines
    assert filled.models == []
    assert result.err.startswith("localmem: /memory needs words to look for")


def test_usage_counts_every_turn(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", "-q", typed="a\nb\n/usage\n")
    assert [line.split() for line in after(result, 2)] == [
        ["turn", "prompt", "evaluated", "written", "seconds"],
        ["1", "100", "40", "10", "1.5"],
        ["2", "100", "40", "10", "1.5"],
        ["all", "200", "80", "20", "3.0"],
    ]
    row = last_row(localmem("chat", "--json", typed="a\nb\n/usage\n"))
    assert (row["usage"]["calls"], row["seconds"], len(row["turns"])) == (4, 3.0, 2)


def test_usage_of_a_long_chat_shows_the_last_turns(localmem: CommandLine, chat: Chat) -> None:
    lines = after(localmem("chat", "-q", typed="a\n" * 30 + "/usage\n"), 30)
    assert lines[1].strip() == "..."
    assert (lines[2].split()[0], lines[-1].split()[:2]) == ("11", ["all", "3,000"])


def test_the_model_is_changed(localmem: CommandLine, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("localmem.memory.Memory.change_model", lambda _, model: asked.append(model))
    result = localmem("chat", "--model", "tiny", typed="/model\n/model other\n/model other\n")
    assert result.out.splitlines() == [
        "tiny (loaded at the next turn)",
        "other (loaded at the next turn)",
        "other (loaded at the next turn)",
    ]
    assert (asked, localmem.models) == (["other"], [])


def test_a_loaded_model_is_shown_as_such(localmem: CommandLine, chat: Chat) -> None:
    assert after(localmem("chat", "-q", typed="a\n/model\n")) == ["fake-scripted (loaded)"]


def test_an_unknown_model_leaves_the_present_one(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", "-q", typed="a\n/model qwen2.5-coder-1.5\n/model\n")
    assert after(result) == ["fake-scripted (loaded)"]
    assert "did you mean 'qwen2.5-coder-1.5b'?" in result.err


def test_a_chat_is_saved_as_text_that_can_be_ingested(
    localmem: CommandLine, chat: Chat, tmp_path: Path
) -> None:
    file = tmp_path / "my chat.txt"
    chat.replies.extend([WHOLE, reply("One\nTom: two")])
    result = localmem("chat", "-q", typed=f"Seattle.\nThanks.\n/save '{file}'\n")
    assert result.out.splitlines()[-1] == f"2 turns in {file}"
    text = re.sub(r"\[\d{4}-\d\d-\d\d \d\d:\d\d\] (?=You|localmem)", "", file.read_text(encoding="utf-8"))
    assert text == (
        "You: Seattle.\nlocalmem: Seattle it is. [1]\n"
        "    [1] 2025-03-04 18:32 Ann: The ferry leaves at nine. (talk.txt, line 1)\n"
        "You: Thanks.\nlocalmem: One\n    Tom: two\n"
    )
    assert localmem("ingest", file, "--json").code == 0


def test_a_chat_is_saved_as_markdown(localmem: CommandLine, chat: Chat, tmp_path: Path) -> None:
    chat.replies.append(WHOLE)
    localmem("chat", "-q", typed=f"Seattle.\n/save {tmp_path}/chat.MD\n")
    text = (tmp_path / "chat.MD").read_text(encoding="utf-8")
    assert re.sub(r"\(\d.*?\)", "(T)", text, count=1) == (
        "**You** (T):\n\n> Seattle.\n\n**localmem**:\n\n> Seattle it is. [1]\n\n"
        "- [1] 2025-03-04 18:32 Ann: The ferry leaves at nine. (talk.txt, line 1)\n"
    )


def test_a_chat_is_saved_as_json_lines(localmem: CommandLine, chat: Chat, tmp_path: Path) -> None:
    localmem("chat", "-q", typed=f"a\nb\n/save {tmp_path}/chat.jsonl\n")
    lines = (tmp_path / "chat.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["user"] for line in lines] == ["a", "b"]
    assert {"at", "turn", "reply"} < json.loads(lines[0]).keys()


def test_a_file_that_is_there_is_not_replaced_without_asking(
    localmem: CommandLine, chat: Chat, tmp_path: Path
) -> None:
    file = tmp_path / "chat.txt"
    file.write_text("precious", encoding="utf-8")
    result = localmem("chat", "-q", typed=f"a\n/save {file}\n")
    assert (result.code, file.read_text(encoding="utf-8")) == (1, "precious")
    assert "is there already and was not replaced." in result.err


@pytest.mark.parametrize("name", ["", "{tmp}", "{tmp}/no/such/folder.txt", "~nobody-of-that-name/x", "a\0b"])
def test_a_file_that_cannot_be_is_an_error(
    localmem: CommandLine, chat: Chat, tmp_path: Path, name: str
) -> None:
    result = localmem("chat", "-q", typed=f"a\n/save {name.format(tmp=tmp_path)}\nb\n")
    assert (result.code, result.out) == (1, "1: a\n2: b\n")
    assert result.err.startswith("localmem: ")
    assert list(tmp_path.iterdir()) == []


def test_a_chat_in_which_nothing_was_said_is_not_saved(
    localmem: CommandLine, chat: Chat, tmp_path: Path
) -> None:
    assert localmem("chat", typed=f"/save {tmp_path}/x.txt\n").code == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("/tsks", "/tasks"), ("/und", "/undo"), ("/mem x", "/memory"), ("/q", "/quit"), ("/TASKS", None)],
)
def test_an_unknown_command_is_one_line_with_the_nearest(
    localmem: CommandLine, chat: Chat, typed: str, meant: str | None
) -> None:
    result = localmem("chat", typed=f"{typed}\n")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert f"There is no command {typed.split()[0]}; " in result.err
    assert (f"did you mean {meant}?" if meant else "see /help.") in result.err
    assert chat.said == []


def test_a_command_that_takes_nothing_says_so(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", typed="/undo everything\n")
    assert (result.code, result.err) == (1, "localmem: /undo takes nothing behind it.\n")


def test_an_unknown_command_is_an_object_in_json(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", "--json", typed="/tsks\n")
    assert last_row(result).keys() == {"error", "hint"}
    assert result.code == 1


@pytest.mark.parametrize("leave", ["/quit", "/exit"])
def test_nothing_after_quit_is_read(localmem: CommandLine, chat: Chat, leave: str) -> None:
    result = localmem("chat", "-q", typed=f"a\n{leave}\nb\n")
    assert (result.code, chat.said) == (0, ["a"])


def test_help_shows_every_command(localmem: CommandLine, chat: Chat) -> None:
    lines = localmem("chat", "/help").out.splitlines()
    assert [line.split()[0] for line in lines if line[2] != " "] == [*COMMANDS, "//TEXT"]
    assert max(map(len, lines)) <= 80
    assert last_row(localmem("chat", "/help", "--json"))["command"] == "/help"


def test_every_command_is_in_the_readme() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(/\w+)", text, re.MULTILINE)
    assert named == list(COMMANDS)


def test_a_command_can_be_a_single_turn(moved: CommandLine) -> None:
    moved("chat", "Seattle.")
    assert moved("chat", "/tasks").out == "destination = Seattle\n"
    assert moved("chat", "/quit").code == 0
