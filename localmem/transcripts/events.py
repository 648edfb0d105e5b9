"""What reading a transcript yields, besides the turns and skipped pieces of `localmem.values`."""

from __future__ import annotations

from dataclasses import dataclass

from localmem.values import Skipped, Turn


@dataclass(frozen=True, slots=True)
class Conversation:
    """Starts a conversation: the turns that follow belong to it.

    Every file yields one before its first turn. The same name again reopens that conversation: files that
    interleave several are read as a stream, and whoever stores the turns groups them by name.
    """

    name: str
    """From the file: the sample id of LoCoMo, the conversation column, else the file's name without ending."""
    format: str


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about the file: a guessed encoding, times that could not be read."""

    text: str
    minor: bool = False
    """Told only to those who ask: why it is of this format, that its times have no zone."""


Event = Conversation | Turn | Skipped | Note
