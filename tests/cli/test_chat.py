"""`localmem chat` from a pipe and with a single turn."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from localmem.cli import chat_print
from localmem.cli.chat_commands import COMMANDS
from localmem.errors import EngineError, ModelMissingError
from localmem.tasks import Op
from localmem.values import Dropped, TaskStep
from tests.cli.chat_support import CITED, SEATTLE, WHOLE, Chat, chat, reply
from tests.cli.conftest import CommandLine
from tests.test_layout import HEAVY, loaded_after

__all__ = ["chat"]
ROW = {
    "turn", "user", "reply", "operations", "dropped", "facts", "asks", "plain", "citations", "usage",
    "reply_usage", "seconds",
}  # fmt: skip


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_every_line_of_a_pipe_is_a_turn(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", "-q", typed="\ufeffHello.\r\n\n  \n  Oslo, please. \n")
    assert (result.code, result.out, result.err) == (0, "1: Hello.\n2: Oslo, please.\n", "")
    assert chat.said == ["Hello.", "Oslo, please."]


def test_a_dash_is_standard_input(localmem: CommandLine, chat: Chat) -> None:
    assert localmem("chat", "-", "-q", typed="Hello.\n").out == "1: Hello.\n"


def test_nothing_from_a_pipe_is_nothing_to_do(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", typed="\n\n")
    assert (result.code, result.out, result.err, localmem.models) == (0, "", "", [])


def test_a_single_turn_is_an_argument(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", "Hello.")
    assert (result.code, result.out) == (0, "1: Hello.\n")
    assert "loading" in result.err


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_text_is_wrong_usage(localmem: CommandLine, chat: Chat, text: str) -> None:
    result = localmem("chat", text)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("localmem: The text is empty.\n  ")


def test_temperature_and_seed_reach_the_memory(localmem: CommandLine, chat: Chat) -> None:
    localmem("chat", "Hello.", "--temperature", "0.3", "--seed", "7")
    assert chat.given == [{"temperature": 0.3, "seed": 7}]
    assert localmem("chat", "Hello.", "--temperature", "-1").code == 2


def test_the_model_is_loaded_once_and_at_the_first_turn_only(localmem: CommandLine, chat: Chat) -> None:
    localmem("chat", "--model", "tiny", typed="/tasks\n/help\n/usage\n/model\n")
    assert localmem.models == []
    result = localmem("chat", "--model", "tiny", typed="/tasks\nHello.\nAgain.\n")
    assert localmem.models == ["tiny"]
    assert result.err.count("loading tiny ...") == 1


def test_a_reply_is_followed_by_the_turns_it_cites(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.append(WHOLE)
    assert localmem("chat", "-q", typed="Seattle.\nThanks.\n").out.splitlines() == [
        "Seattle it is. [1]",
        "",
        "[1] 2025-03-04 18:32 Ann: The ferry leaves at nine.",
        "    talk.txt, line 1",
        "",
        "2: Thanks.",
    ]


def test_what_was_not_streamed_is_printed_at_the_end(localmem: CommandLine, chat: Chat) -> None:
    def other(on_text: Any) -> Any:
        on_text("First ")
        return reply("Second thoughts.")

    chat.replies.extend([lambda _: reply("All at once."), other])
    assert localmem("chat", "-q", typed="a\nb\n").out == "All at once.\nFirst \nSecond thoughts.\n"


def test_every_turn_is_one_object_on_a_line(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.append(WHOLE)
    result = localmem("chat", "--json", typed="Seattle.\nThanks.\n")
    first, second = rows(result.out)
    assert (first.keys(), second.keys(), result.code, result.err) == (ROW, ROW, 0, "")
    assert (first["turn"], first["user"], first["reply"]) == (1, "Seattle.", "Seattle it is. [1]")
    assert first["operations"] == [
        {
            "intent": "new",
            "op": "add",
            "slot": "destination",
            "value": "Seattle",
            "path": "destination",
            "former": "",
        }
    ]
    assert first["dropped"] == [{"written": "celery", "reason": "the words touch no node named celery"}]
    assert (first["facts"], first["asks"], first["plain"]) == (["destination = Seattle"], False, False)
    assert first["citations"][0]["source"] == "line 1"
    assert (first["usage"]["prompt_tokens"], first["reply_usage"]["prompt_tokens"]) == (100, 60)
    assert (first["seconds"], second["turn"]) == (1.5, 2)


def test_an_error_of_a_turn_is_an_object_and_does_not_stop_the_rest(
    localmem: CommandLine, chat: Chat
) -> None:
    chat.replies.extend([EngineError("out of memory", hint="Close something."), reply("Fine.")])
    result = localmem("chat", "--json", typed="one\ntwo\n")
    first, second = rows(result.out)
    assert first == {"error": "out of memory", "hint": "Close something."}
    assert (second["reply"], result.code, result.err) == ("Fine.", 1, "")


def test_an_error_of_a_turn_is_told_on_stderr(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.append(EngineError("out of memory", hint="Close something."))
    result = localmem("chat", "-q", typed="one\ntwo\n")
    assert (result.code, result.out) == (1, "2: two\n")
    assert result.err == "localmem: out of memory\n  Close something.\n"


def test_a_single_turn_that_fails_is_an_error(localmem: CommandLine, chat: Chat) -> None:
    error = EngineError("out of memory", hint="Close something.")
    chat.replies.extend([error, error])
    result = localmem("chat", "one", "-q")
    assert (result.code, result.err) == (1, "localmem: out of memory\n  Close something.\n")
    result = localmem("chat", "one", "--json")
    assert (result.code, rows(result.out)[0]["error"], result.err) == (1, "out of memory", "")


def test_a_missing_model_is_an_error_of_each_turn(localmem: CommandLine, chat: Chat) -> None:
    def missing() -> None:
        raise ModelMissingError("not here", hint="localmem models pull x")

    localmem.patch.setattr("tests.fakes.ScriptedModel.__init__", lambda *_, **__: missing())
    result = localmem("chat", "--json", typed="one\n/usage\ntwo\n")
    assert [row.get("error") for row in rows(result.out)] == ["not here", None, "not here"]
    assert result.code == 1


def test_an_interruption_of_a_pipe_exits_with_130(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.extend([reply("Fine."), KeyboardInterrupt()])
    result = localmem("chat", "-q", typed="one\ntwo\nthree\n")
    assert (result.code, result.out) == (130, "Fine.\n")
    assert chat.said == ["one", "two"]


def test_a_text_with_two_slashes_has_one(localmem: CommandLine, chat: Chat) -> None:
    localmem("chat", "-q", typed="//tasks is a command\n")
    localmem("chat", "//etc")
    assert chat.said == ["/tasks is a command", "/etc"]


def test_text_that_is_no_text_is_told_all_the_same(localmem: CommandLine, chat: Chat) -> None:
    assert localmem("chat", "-q", typed=b"caf\xe9\n").code == 0
    assert localmem("chat", "-q", "caf\udce9").code == 0
    assert chat.said == ["caf\ufffd", "caf\ufffd"]


def test_nothing_that_is_said_moves_the_cursor_or_is_markup(localmem: CommandLine, chat: Chat) -> None:
    evil = "\x1b[2J[red]x[/red]\x07\r\x9b1m\u202e:smile:"
    step = TaskStep("update", "set", evil, evil, evil, 1, former=evil)
    turn = CITED.stored.turn.__class__(evil, evil, None, evil)
    cited = CITED.__class__(1, CITED.stored.__class__(7, 1, 0, 1, turn), CITED.transcript)
    whole = reply(evil, dropped=(Dropped(evil, evil),), facts=(evil,), citations=(cited,))
    assert chat_print.understood(reply(operations=(step,)))
    chat.replies.append(whole)
    chat.replies.append(EngineError(evil, hint=evil))
    result = localmem(
        "chat", "--explain", typed=f"{evil}\n{evil}\n/why\n/{evil}\n/why {evil}\n/memory {evil}\n"
    )
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(result.out + result.err)
    assert "[red]x[/red]" in result.out
    assert ":smile:" in result.out


def test_what_was_understood_is_no_part_of_a_plain_reply(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.append(reply("Noted.", operations=(SEATTLE,)))
    assert localmem("chat", "-q", typed="Seattle.\n").out == "Noted.\n"


def test_the_reasons_are_shown_after_each_turn_on_demand(localmem: CommandLine, chat: Chat) -> None:
    chat.replies.append(WHOLE)
    assert localmem("chat", "Seattle.", "--explain", "-q").out.splitlines()[5:] == [
        "Turn 1: Seattle.",
        "  understood   + destination = Seattle [new]",
        "  not taken    celery: the words touch no node named celery",
        "  facts        destination = Seattle",
        "",
    ]
    assert rows(localmem("chat", "Seattle.", "--explain", "--json").out)[0]["workspace"] is None


def test_what_a_turn_cost_is_told_on_demand(localmem: CommandLine, chat: Chat) -> None:
    result = localmem("chat", "Hello.", "-q", "-v")
    assert result.err.splitlines()[-1] == "(1.5 s; 100 prompt tokens, 40 of them read, 10 written)"


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (SEATTLE, "+ destination = Seattle"),
        (
            TaskStep("update", "set", "date", "Friday", "trip > date", 2, "date = Monday"),
            "~ trip > date = Friday (was Monday)",
        ),
        (TaskStep("new", "set", "date", "Friday", "trip > date", 2, "date"), "+ trip > date = Friday"),
        (
            TaskStep("update", "replace", "oats", "sift", "bread > oats", 2, "flour = sift"),
            "~ bread > oats = sift (was flour = sift)",
        ),
        (TaskStep("update", "delete", "date", "", "trip > date", 2, "date = Friday"), "- date = Friday"),
        (TaskStep("update", "delete", "date", "", "trip > date", 2), "- trip > date"),
        (TaskStep("update", "restore", "date", "Friday", "date", 2), "+ date = Friday (back again)"),
        (
            TaskStep("update", "roll_back", "date", "Monday", "date", 2, "date = Friday"),
            "~ date = Monday (as it was, was Friday)",
        ),
        (TaskStep("update", "done", "milk", "", "milk", 2), "~ milk (done)"),
        (TaskStep("check", "query", "date", "", "trip > date", 2), "? trip > date"),
    ],
)
def test_what_was_understood_is_a_line(step: TaskStep, line: str) -> None:
    assert chat_print.step_line(step) == line


def test_every_operation_has_a_mark() -> None:
    assert set(chat_print.MARKS) == {str(op) for op in Op}


def test_what_was_not_taken_is_counted(chat: Chat) -> None:
    assert chat_print.understood(WHOLE) == ["+ destination = Seattle", "(1 not taken; see /why)"]
    assert chat_print.understood(reply(operations=(TaskStep("check", "query", "", "", "", None),))) == []


def test_help_loads_nothing_heavy() -> None:
    code = """
from localmem.cli.app import main
try:
    main(["chat", "--help"])
except SystemExit as end:
    assert not end.code
"""
    assert loaded_after(code) & HEAVY - {"pydantic"} == set()  # typer itself reads numbers with it


def test_no_memory_is_made_before_something_is_said(
    localmem: CommandLine, chat: Chat, tmp_path: Path
) -> None:
    path = tmp_path / "new.db"
    typed = "".join(
        f"{name} {'x' if command.argument == 'TEXT' else ''}\n" for name, command in COMMANDS.items()
    )
    localmem("chat", "-m", path, typed=typed)
    assert not path.exists()
    localmem("chat", "-m", path, "Hello.")
    assert path.exists()


def test_a_saved_chat_is_for_its_owner_only(localmem: CommandLine, chat: Chat, tmp_path: Path) -> None:
    localmem("chat", typed=f"Hello.\n/save {tmp_path / 'chat.txt'}\n")
    assert stat.S_IMODE((tmp_path / "chat.txt").stat().st_mode) == 0o600


def test_commands_from_a_pipe_load_no_engine_and_no_line_editor() -> None:
    code = """
import io
from localmem.cli.app import main
sys.stdin = io.StringIO("/tasks\\n/help\\n/usage\\n/model\\n/undo\\n")
try:
    main(["chat", "-q"])
except SystemExit as end:
    assert end.code == 1  # there is nothing to undo
"""
    engines = {"faiss", "llama_cpp", "numba", "onnxruntime", "prompt_toolkit", "tokenizers", "torch"}
    loaded = loaded_after(code)
    assert loaded & engines == set()
    assert "networkx" in loaded
