"""One chat: turns and commands go in, what came of them is printed."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localmem.errors import LocalmemError
    from localmem.memory import Memory
    from localmem.values import Reply

FIRST = "thinking (the very first turn with a model takes a minute: it reads its instructions, once)"
"""Shown while the first turn of a chat is worked on."""
_SURROGATES = re.compile("[\ud800-\udfff]")


class Quit(Exception):
    """The person wants to leave."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a chat replies and what it shows."""

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False
    explain: bool = False
    talks: bool = False
    """With a person at a terminal: what was understood is shown under a reply."""
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One turn of this chat."""

    at: datetime
    said: str
    reply: Reply


class Session:
    """What a chat knows while it runs.

    Args:
        memory: an open memory.
        model: as it was named; for showing only.
        manner: how to show things.
        confirm: asks the person something and says whether they agree.
    """

    def __init__(
        self, memory: Memory, model: str, manner: Manner, confirm: Callable[[str], bool] = lambda _: False
    ) -> None:
        self.memory = memory
        self.model = model
        self.manner = manner
        self.confirm = confirm
        self.forgotten: Callable[[str], None] = lambda _: None
        """Told each text that was forgotten."""
        self.before = 0 if self.fresh else memory.newest_turn
        """Id of the last turn before this chat; times would not tell where the clock is set back."""
        self.said: list[str] = []
        """What the memory was told, also where the reply was stopped."""
        self.entries: list[Entry] = []
        self.loaded = False
        """Whether the model is."""
        self.failed = False
        """Whether anything was refused."""

    @property
    def fresh(self) -> bool:
        """Whether there is no memory file yet; looking into it would make one."""
        return not os.path.lexists(self.memory.path)

    def line(self, text: str) -> None:
        """Carry out what was typed: a turn, or a command.

        Raises:
            Quit: it was the command to leave.
            KeyboardInterrupt: it was stopped.
            LocalmemError: it could not be done.
        """
        from localmem.cli import chat_commands

        text = _SURROGATES.sub("\ufffd", text).strip("\ufeff").strip()
        if text.startswith("/") and not text.startswith("//"):
            chat_commands.run(self, text)
        elif text:
            self.say(text[1:] if text.startswith("//") else text)

    def attempt(self, text: str) -> None:
        """As `line`, but an error is told and the chat goes on."""
        from localmem.errors import LocalmemError

        try:
            self.line(text)
        except LocalmemError as error:
            self.tell(error)

    def tell(self, error: LocalmemError) -> None:
        """Print an error: as an object among the others, or to stderr as every command does."""
        from localmem.cli.output import note, one_line, print_json

        self.failed = True
        if self.manner.as_json:
            print_json({"error": str(error), "hint": error.hint}, line=True)
        else:
            note(f"localmem: {one_line(str(error))}" + (f"\n  {one_line(error.hint)}" if error.hint else ""))

    def say(self, said: str) -> None:
        """One turn: tell it to the memory and show the reply, as it is written."""
        from localmem.cli.output import print_json, printable

        shown: list[str] = []
        waiting = contextlib.ExitStack()

        def on_text(piece: str) -> None:
            waiting.close()
            shown.append(piece)
            print(printable(piece), end="", flush=True)

        before = self._turns() if self.manner.talks else 0
        self.said.append(said)
        try:
            self._load()
            waiting.enter_context(self._status("thinking" if self.entries else FIRST, plain=False))
            with waiting:
                reply = self.memory.chat(
                    said,
                    on_text=None if self.manner.as_json else on_text,
                    temperature=self.manner.temperature,
                    seed=self.manner.seed,
                )
        except BaseException as error:
            if shown:
                print(flush=True)
            if isinstance(error, KeyboardInterrupt) and self.manner.talks:
                self._stopped(before)
            raise
        self.entries.append(Entry(datetime.now().astimezone(), said, reply))
        if self.manner.as_json:
            from localmem.cli.chat_print import reply_row

            print_json(reply_row(said, reply, explain=self.manner.explain), line=True)
            return
        written = "".join(shown)
        if reply.text.startswith(written):
            print(printable(reply.text[len(written) :]))
        elif written.strip() == reply.text.strip():
            print()
        else:  # something else counts than what was written at first
            print(f"\n{printable(reply.text)}")
        self._show_rest(said, reply)

    def _show_rest(self, said: str, reply: Reply) -> None:
        """What stands below a reply."""
        import sys

        from localmem.cli.chat_print import print_citations, print_dim, print_why, understood, usage_text
        from localmem.cli.output import note

        print_citations(reply)
        if self.manner.explain:
            print()
            print_why(said, reply)
        elif self.manner.talks and not self.manner.quiet:
            for line in understood(reply):
                print_dim(line)
        if not self.manner.talks and (reply.citations or self.manner.explain):
            print()  # where the next reply begins
        sys.stdout.flush()
        if self.manner.verbose:
            note(usage_text(reply.usage, reply.seconds))

    def _load(self) -> None:
        """Load the model, which takes a moment, and say so."""
        if not self.loaded:
            with self._status(f"loading {self.model}"):
                self.model = self.memory.model.id
            self.loaded = True

    @contextmanager
    def _status(self, text: str, *, plain: bool = True) -> Iterator[None]:
        """Say on stderr what takes its time; where that is no terminal only if `plain`."""
        from localmem.cli.output import console, note, printable

        err = console(stderr=True)
        if self.manner.quiet or self.manner.as_json:
            yield
        elif err.is_terminal:
            from rich.text import Text

            with err.status(Text(f"{printable(text)} ...")):
                yield
        else:
            if plain:
                note(f"{text} ...")
            yield

    def _turns(self) -> int:
        """Turns that the memory was told; to see whether one was kept."""
        return 0 if self.fresh else self.memory.tasks.next_turn

    def _stopped(self, before: int) -> None:
        from localmem.cli.output import note
        from localmem.errors import LocalmemError

        kept = None
        with contextlib.suppress(LocalmemError):
            kept = self._turns() != before
        note(
            {
                None: "Stopped.",
                True: "Stopped; the turn is kept.",
                False: "Stopped; nothing of the turn is kept.",
            }[kept]
        )
