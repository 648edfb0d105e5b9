"""`localmem chat` at a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from localmem.cli import chat_prompt
from localmem.cli.chat_prompt import PrivateHistory, SlashCompleter, history, history_path
from localmem.cli.chat_session import Manner, Session
from localmem.errors import EngineError
from localmem.memory import Memory
from localmem.settings import Settings, settings
from localmem.tasks import Op, Operation
from tests.cli.chat_support import SEATTLE, WHOLE, Chat, chat, reply
from tests.cli.conftest import CommandLine, Outcome

__all__ = ["chat"]
ENTER, ALT_ENTER, CTRL_C, CTRL_D, UP = "\r", "\x1b\r", "\x03", "\x04", "\x1b[A"
LINE_FEED_PASTED = "\x1b[200~first\nsecond\r\nthird\x1b[201~"


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    """The keyboard; nothing is drawn."""
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=DummyOutput()):
        yield keyboard


@pytest.fixture
def type_in(localmem: CommandLine, keys: PipeInput) -> Callable[..., Outcome]:
    """Types keys into a chat that is quiet."""

    def type_in(typed: str, *arguments: str | Path) -> Outcome:
        keys.send_text(typed)
        return localmem("chat", "-q", *arguments)

    return type_in


TypeIn = Callable[..., Outcome]


def stop(*_: Any) -> Any:
    """Ctrl-C while a reply is written."""
    signal.raise_signal(signal.SIGINT)


def stop_twice(*_: Any) -> Any:
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.raise_signal(signal.SIGINT)


def test_lines_are_turns_until_ctrl_d(type_in: TypeIn, chat: Chat) -> None:
    result = type_in(f"Hello.{ENTER}{ENTER}Oslo, please.{ENTER}{CTRL_D}")
    assert (result.code, result.out, result.err) == (0, "1: Hello.\n\n2: Oslo, please.\n\n", "")


def test_quit_leaves(type_in: TypeIn, chat: Chat) -> None:
    assert (type_in(f"/quit{ENTER}").code, chat.said) == (0, [])


def test_a_turn_may_have_several_lines(type_in: TypeIn, chat: Chat) -> None:
    type_in(f"one{ALT_ENTER}two\\{ENTER}three{ENTER}{LINE_FEED_PASTED}{ENTER}{CTRL_D}")
    assert chat.said == ["one\ntwo\nthree", "first\nsecond\nthird"]


def test_a_backslash_within_a_line_is_text(type_in: TypeIn, chat: Chat) -> None:
    type_in(f"a\\b{ENTER}{CTRL_D}")
    assert chat.said == ["a\\b"]


def test_what_was_understood_stands_below_a_reply(localmem: CommandLine, keys: PipeInput, chat: Chat) -> None:
    chat.replies.append(WHOLE)
    keys.send_text(f"Seattle.{ENTER}{CTRL_D}")
    result = localmem("chat", "--model", "tiny")
    lines = result.out.splitlines()
    assert re.fullmatch(
        r"localmem \S+, memory default, model tiny. /help shows commands, Ctrl-D leaves.", lines[0]
    )
    assert lines[1:] == [
        "Seattle it is. [1]",
        "",
        "[1] 2025-03-04 18:32 Ann: The ferry leaves at nine.",
        "    talk.txt, line 1",
        "+ destination = Seattle",
        "(1 not taken; see /why)",
        "",
    ]
    assert "loading tiny ..." in result.err


def test_quietly_it_does_not(type_in: TypeIn, chat: Chat) -> None:
    chat.replies.append(reply("Noted.", operations=(SEATTLE,)))
    result = type_in(f"Seattle.{ENTER}{CTRL_D}")
    assert (result.out, result.err) == ("Noted.\n\n", "")


def test_json_at_a_terminal_is_an_object_a_turn(type_in: TypeIn, chat: Chat) -> None:
    assert type_in(f"a{ENTER}{ENTER}b{ENTER}{CTRL_D}", "--json").out.count("\n") == 2


def test_ctrl_c_stops_a_reply_and_the_chat_goes_on(
    type_in: TypeIn, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_prompt, "TWICE_SECONDS", 0.0)

    def half(on_text: Any) -> Any:
        on_text("Half of ")
        return stop()

    chat.replies.append(half)
    result = type_in(f"one{ENTER}two{ENTER}{CTRL_D}")
    assert (result.code, result.out) == (0, "Half of \n2: two\n\n")
    assert result.err == "Stopped; nothing of the turn is kept.\n"


def test_a_stopped_turn_that_was_kept_is_told(type_in: TypeIn, chat: Chat, localmem: CommandLine) -> None:
    def late(memory: Memory, text: str, **given: Any) -> Any:
        memory.tasks.apply(None, [Operation(Op.ADD, None, "trip")], said=text)
        stop()

    localmem.patch.setattr(Memory, "chat", late)
    assert type_in(f"one{ENTER}{CTRL_D}").err == "Stopped; the turn is kept.\n"


def test_ctrl_c_while_the_model_loads_is_told_too(
    type_in: TypeIn, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_prompt, "TWICE_SECONDS", 0.0)
    monkeypatch.setattr("tests.fakes.ScriptedModel.__init__", stop)
    result = type_in(f"one{ENTER}/usage{ENTER}{CTRL_D}")
    assert (result.code, result.err, chat.said) == (0, "Stopped; nothing of the turn is kept.\n", [])


def test_ctrl_c_twice_within_a_second_leaves(type_in: TypeIn, chat: Chat) -> None:
    chat.replies.append(stop_twice)
    result = type_in(f"one{ENTER}never{ENTER}")
    assert (result.code, chat.said) == (130, ["one"])


def test_ctrl_c_after_a_stopped_reply_leaves(
    type_in: TypeIn, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_prompt, "TWICE_SECONDS", 60.0)
    chat.replies.append(stop)
    assert type_in(f"one{ENTER}{CTRL_C}never{ENTER}").code == 130


def test_ctrl_c_in_an_empty_line_twice_leaves(
    type_in: TypeIn, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_prompt, "TWICE_SECONDS", 0.0)
    result = type_in(f"{CTRL_C}{CTRL_C}never{ENTER}")
    assert (result.code, chat.said) == (130, [])
    assert result.err.startswith("Ctrl-C again leaves, and so does Ctrl-D.\n")


def test_ctrl_c_clears_a_line(type_in: TypeIn, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_prompt, "TWICE_SECONDS", 0.0)
    result = type_in(f"wrong{CTRL_C}{CTRL_C}right{ENTER}{CTRL_C}more{CTRL_C}{CTRL_D}")
    assert (result.code, chat.said) == (0, ["right"])


def test_the_former_handler_of_ctrl_c_comes_back(type_in: TypeIn, chat: Chat) -> None:
    type_in(CTRL_D)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_does_not_end_the_chat(type_in: TypeIn, chat: Chat) -> None:
    chat.replies.append(EngineError("out of memory", hint="Close something."))
    result = type_in(f"one{ENTER}/tsks{ENTER}two{ENTER}{CTRL_D}")
    assert (result.code, chat.said) == (0, ["one", "two"])
    assert result.err.startswith(
        "localmem: out of memory\n  Close something.\nlocalmem: There is no command /tsks"
    )


@pytest.mark.parametrize(("answer", "kept"), [("y\r", False), ("\r", True), ("no\r", True), (CTRL_D, True)])
def test_a_file_is_replaced_if_the_person_agrees(
    type_in: TypeIn, chat: Chat, tmp_path: Path, answer: str, kept: bool
) -> None:
    file = tmp_path / "chat.txt"
    file.write_text("precious", encoding="utf-8")
    type_in(f"one{ENTER}/save {file}{ENTER}{answer}two{ENTER}{CTRL_D}")
    assert (file.read_text(encoding="utf-8") == "precious") is kept
    assert chat.said == ["one", "two"]


def test_what_was_typed_is_there_in_the_next_chat_of_the_memory(
    type_in: TypeIn, chat: Chat, tmp_path: Path
) -> None:
    type_in(f"one{ALT_ENTER}more{ENTER}/usage{ENTER}{CTRL_D}")
    type_in(f"{UP}{UP}{UP}{ENTER}{CTRL_D}")
    assert chat.said == ["one\nmore", "one\nmore"]
    type_in(f"{UP}other{ENTER}{CTRL_D}", "-m", tmp_path / "other.db")
    assert chat.said[-1] == "other"


def test_what_was_typed_is_for_its_owner_only(type_in: TypeIn, chat: Chat) -> None:
    type_in(f"secret{ENTER}{CTRL_D}")
    (file,) = (settings().state_dir / "chat").iterdir()
    assert "secret" in file.read_text(encoding="utf-8")
    assert file == history_path(settings().memories_dir / "default.db", settings())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_was_typed_is_not_kept_on_demand(
    type_in: TypeIn, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALMEM_CHAT_HISTORY", "false")
    type_in(f"secret{ENTER}{CTRL_D}")
    assert not settings().state_dir.exists()
    past = history(Path("x.db"), Settings(chat_history=False))
    past.append_string("one")
    past.forget("one")
    assert past.get_strings() == []


def test_a_history_that_cannot_be_kept_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    past = PrivateHistory(tmp_path / "file" / "below")
    past.store_string("x")
    (tmp_path / "folder").mkdir()
    assert list(PrivateHistory(tmp_path / "folder").load_history_strings()) == []


def test_what_was_forgotten_is_not_typed_again_by_the_arrow_keys(tmp_path: Path) -> None:
    file = tmp_path / "history"
    past = PrivateHistory(file)
    for typed in ("one", "//etc\nis", "two", " one ", "three"):
        past.append_string(typed)
    past.forget("one")
    past.forget("/etc\nis")
    past.forget("never said")
    assert past.get_strings() == ["two", "three"]
    assert list(PrivateHistory(file).load_history_strings()) == ["three", "two"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(("answer", "kept"), [("y", False), ("n", True)])
def test_a_whole_chat_is_forgotten_if_the_person_agrees(
    type_in: TypeIn, chat: Chat, answer: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one transaction, so that no half of it stays."""
    asked: list[bool] = []
    forget = Memory.forget

    def counted(memory: Memory, **given: Any) -> Any:
        asked.append(given["yes"])
        return forget(memory, **given)

    monkeypatch.setattr(Memory, "forget", counted)
    chat.remembers = True
    result = type_in(f"Zanzibar.{ENTER}Lisbon.{ENTER}/forget all{ENTER}{answer}{ENTER}{CTRL_D}")
    assert ("Forgotten: 2 turns, with their replies." in result.out) is not kept
    assert asked == ([] if kept else [True])
    (file,) = (settings().state_dir / "chat").iterdir()
    assert ("Zanzibar" in file.read_text(encoding="utf-8")) is kept
    with Memory.open() as memory:
        assert bool(memory.transcripts()) is kept


def test_a_turn_whose_reply_was_stopped_is_forgotten_too(
    type_in: TypeIn, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_prompt, "TWICE_SECONDS", 0.0)
    chat.remembers = True
    chat.stops_after_keeping = "Lisbon."
    result = type_in(f"Zanzibar.{ENTER}Lisbon.{ENTER}/forget{ENTER}{CTRL_D}")
    assert "Stopped; the turn is kept." in result.err
    with Memory.open() as memory:
        (transcript,) = memory.transcripts()
        assert [one.turn.text for one in memory.recent(transcript.id, 9)] == ["Zanzibar.", "1: Zanzibar."]


def completions(session: Session, text: str) -> list[str]:
    found = SlashCompleter(session).get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in found]


def test_commands_and_what_follows_them_are_completed(
    localmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    with Memory.open() as memory:
        session = Session(memory, "tiny", Manner())
        assert completions(session, "/why ") == []
        memory.tasks.apply(
            None, [Operation(Op.ADD, None, "Destination"), Operation(Op.ADD, None, "da\x1bte")]
        )
        assert completions(session, "/u") == ["/undo", "/usage"]
        assert completions(session, "/why de") == ["/why Destination"]
        assert completions(session, "/why d") == ["/why Destination", "/why date"]
        assert completions(session, "/tasks ") == ["/tasks all"]
        assert completions(session, "/save no") == ["/save notes.txt"]
        assert completions(session, "/model ") == []
        for text in ("hello", "//u", "/u\nx", "/nothing x", "/undo ", ""):
            assert completions(session, text) == []


def test_models_on_this_machine_are_completed(localmem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    class Here:
        id = "smollm2-135m"

    def locate(spec: str) -> Here:
        if spec != "smollm2-135m":
            raise EngineError("not here")
        return Here()

    monkeypatch.setattr("localmem.models.locate", locate)
    with Memory.open() as memory:
        assert completions(Session(memory, "tiny", Manner()), "/model s") == ["/model smollm2-135m"]


SLOW = """
import sys, time
from localmem.cli.app import main
from localmem.memory import Memory
from tests.fakes import ScriptedModel
from tests.cli.chat_support import reply

def chat(self, text, *, on_text=None, **_):
    if text == "quick":
        return reply("Done.")
    for n in range(600):
        on_text(f"word{n} ")
        time.sleep(0.05)

Memory.chat = chat
Memory.model = ScriptedModel()
main(["chat"])
"""


class Terminal:
    """A process at a terminal of its own."""

    def __init__(self, code: str, environment: dict[str, str]) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm", **environment},
            cwd=Path(__file__).parents[2],
            start_new_session=True,
            preexec_fn=lambda: own_terminal(slave),
        )
        os.close(slave)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def expect(self, text: str, seconds: float = 30.0) -> None:
        """Read until `text` was shown after what was expected before."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} was not shown, but {self.seen!r}"
            self._read()
        self.seen = self.seen.partition(text)[2]

    def ended(self, seconds: float = 30.0) -> int:
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, self.seen
            self._read()
        return self.process.returncode

    def _read(self) -> None:
        if select.select([self.master], [], [], 0.1)[0]:
            try:
                data = os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:  # the other end is closed
                data = ""
            self.seen += data
            if "\x1b[6n" in data:  # the line editor asks where the cursor is
                self.type("\x1b[1;1R")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def own_terminal(slave: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal(SLOW, {})
    yield opened
    opened.close()


@pytest.mark.slow
def test_at_a_real_terminal_ctrl_c_stops_the_reply_and_ctrl_d_leaves(terminal: Terminal) -> None:
    terminal.expect("Ctrl-D leaves.")
    terminal.expect(">")
    terminal.type("slow\r")
    terminal.expect("word3")
    terminal.type(CTRL_C)
    terminal.expect("Stopped; nothing of the turn is kept.")
    terminal.expect(">")
    terminal.type("quick\r")
    terminal.expect("Done.")
    terminal.expect(">")
    terminal.type(CTRL_D)
    assert terminal.ended() == 0
    assert "Traceback" not in terminal.seen


@pytest.mark.slow
def test_at_a_real_terminal_ctrl_c_twice_leaves(terminal: Terminal) -> None:
    terminal.expect(">")
    terminal.type("slow\r")
    terminal.expect("word1")
    terminal.type(CTRL_C)
    terminal.expect("Stopped")
    terminal.type(CTRL_C)
    assert terminal.ended() == 130
    assert "Traceback" not in terminal.seen
