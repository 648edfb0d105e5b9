"""The line editor of a chat: several lines, what was typed before, completion, Ctrl-C."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Self

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output

from localmem.cli.chat_commands import COMMANDS
from localmem.cli.chat_session import Quit, Session
from localmem.errors import LocalmemError
from localmem.settings import Settings

SIGN = "> "
TWICE_SECONDS = 1.0
"""Within which a second Ctrl-C leaves."""


def talk(session: Session, settings: Settings) -> bool:
    """Talk with the person at the terminal until they leave; whether they left by Ctrl-C."""
    from localmem.cli.output import note

    # What is said in an encrypted memory is not to lie in the clear beside it.
    past = PrivateHistory(None) if session.memory.encrypted else history(session.memory.path, settings)
    editor = Editor(session, past)
    session.confirm = editor.confirm
    session.forgotten = past.forget
    warned = False
    with Interrupts() as interrupts:
        while True:
            reading = True
            try:
                text = editor.read()
                reading = warned = False
                session.attempt(text)
                if text.strip() and session.manner.talks:
                    print()
            except (EOFError, Quit):
                return False
            except KeyboardInterrupt:
                interrupts.note()
                empty = reading and not editor.text.strip()
                if interrupts.twice or (empty and warned):
                    return True
                warned = empty
                if empty:
                    note("Ctrl-C again leaves, and so does Ctrl-D.")


class Editor:
    """Reads what a person types."""

    def __init__(self, session: Session, past: History) -> None:
        # A person who sends the replies into a file still types at the terminal.
        elsewhere = not sys.stdout.isatty() and sys.stderr.isatty()
        self._prompt: PromptSession[str] = PromptSession(
            SIGN,
            multiline=True,
            prompt_continuation="  ",
            key_bindings=_keys(),
            completer=SlashCompleter(session),
            complete_while_typing=Condition(lambda: _is_command(self.text)),
            history=past,
            enable_suspend=True,
            output=create_output(stdout=sys.stderr) if elsewhere else None,
        )

    @property
    def text(self) -> str:
        """What stands in the line, also after Ctrl-C."""
        return self._prompt.default_buffer.text

    def read(self) -> str:
        """One turn, of one line or several.

        Raises:
            EOFError: Ctrl-D in an empty line.
            KeyboardInterrupt: Ctrl-C.
        """
        return self._prompt.prompt()

    def confirm(self, question: str) -> bool:
        """Whether the person agrees; anything but a yes is a no."""
        from localmem.cli.output import one_line

        asking: PromptSession[str] = PromptSession(output=self._prompt.output, input=self._prompt.input)
        with suppress(EOFError, KeyboardInterrupt):
            return asking.prompt(f"{one_line(question)} [y/N] ").strip().lower() in ("y", "yes")
        return False


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def accept(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.is_cursor_at_the_end and buffer.text.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def go_on(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _is_command(text: str) -> bool:
    return text.startswith("/") and not text.startswith("//")


class SlashCompleter(Completer):
    """Commands, and what may follow them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What the line may go on with; nothing where it is no command."""
        text = document.text_before_cursor
        if not _is_command(text) or "\n" in text:
            return
        name, space, rest = text.partition(" ")
        if not space:
            for known, command in COMMANDS.items():
                if known.startswith(name):
                    yield Completion(known, -len(name), display_meta=command.help)
        elif name == "/save":
            yield from self._paths.get_completions(Document(rest), complete_event)
        elif name in COMMANDS:
            yield from self._choices(name, rest)

    def _choices(self, name: str, rest: str) -> Iterable[Completion]:
        from localmem.cli.output import one_line

        with suppress(LocalmemError):  # a memory that cannot be read is told when the command runs
            for choice in COMMANDS[name].choices(self._session):
                if choice.casefold().startswith(rest.lstrip().casefold()):
                    yield Completion(one_line(choice), -len(rest.lstrip()))


def history(memory: Path, settings: Settings) -> PrivateHistory:
    """What was typed in the chats of that memory; each has a file of its own, so that none shows in another."""
    return PrivateHistory(history_path(memory, settings) if settings.chat_history else None)


def history_path(memory: Path, settings: Settings) -> Path:
    """The file with what was typed in the chats of a memory."""
    whole = memory.expanduser().resolve()
    digest = hashlib.sha256(os.fsencode(whole)).hexdigest()[:12]
    return settings.state_dir.expanduser() / "chat" / f"{whole.stem}-{digest}"


class PrivateHistory(FileHistory):
    """A file that only its owner can read. Where it cannot be written, what is typed is kept for this chat only.

    Args:
        path: of the file; None: everything is for this chat only.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(str(path))
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """What was typed, the newest first."""
        try:
            return [] if self._path is None else super().load_history_strings()
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        """Add what was typed."""
        if self._path is None:
            return
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))
            super().store_string(string)

    def forget(self, said: str) -> None:
        """Take out what was typed to say that."""
        words = said.split()

        def stays(typed: str) -> bool:
            return words not in (typed.split(), typed.replace("//", "/", 1).split())

        typed = [*self.load_history_strings()]  # another chat may have added to it
        self._loaded_strings = [one for one in self._loaded_strings if stays(one)]
        if self._path is None or all(map(stays, typed)):
            return
        with suppress(OSError):
            self._path.unlink()
            for one in reversed(typed):
                if stays(one):
                    self.store_string(one)


class Interrupts:
    """When Ctrl-C was pressed: the second of two may come while the first is still being carried out."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._former: Any = None

    def __enter__(self) -> Self:
        former = signal.getsignal(signal.SIGINT)

        def interrupt(number: int, frame: FrameType | None) -> None:
            self._add()
            if callable(former):
                former(number, frame)

        self._former = former
        self._signals = 0
        signal.signal(signal.SIGINT, interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._former)

    def _add(self) -> None:
        self._signals += 1
        self._times = [*self._times[-1:], time.monotonic()]

    def note(self) -> None:
        """One has arrived: as a signal, which is known already, or as a key in the line editor."""
        if not self._signals:
            self._add()
        self._signals = 0

    @property
    def twice(self) -> bool:
        """Whether the last two came right after each other."""
        return len(self._times) == 2 and self._times[1] - self._times[0] < TWICE_SECONDS
