"""How a pull tells what it does, without knowing who shows it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Hears of a pull. `begin` and `end` come in pairs; one transfer at a time."""

    def begin(self, what: str, total: int, done: int) -> None:
        """A transfer of `total` bytes starts, of which `done` are here from an earlier try."""

    def advance(self, count: int) -> None:
        """`count` bytes more are here; negative when a server made us start over."""

    def end(self) -> None:
        """The transfer is over, well or not."""

    def say(self, line: str) -> None:
        """Something that a person should know: a source that failed, another pull that is waited for."""


class Silent:
    """Hears and says nothing."""

    def begin(self, what: str, total: int, done: int) -> None:
        """Nothing."""

    def advance(self, count: int) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""

    def say(self, line: str) -> None:
        """Nothing."""
