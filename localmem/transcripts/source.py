"""One input being read: its text as a stream, its beginning as a sample, its name for messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import PurePath
from typing import BinaryIO

from localmem.errors import TranscriptError
from localmem.formats import DateOrder
from localmem.transcripts.decoding import decode
from localmem.transcripts.events import Conversation, Note
from localmem.transcripts.naming import Names
from localmem.transcripts.text import clean_line
from localmem.transcripts.times import Order, find_date, has_two_readings, order_of, parse_time

SAMPLE = 256 * 1024
"""Characters that detection, and every decision over the whole file, may look at."""

MAX_LINE = 2_000_000
"""Characters of one line that are kept; JSON escapes can double the text of a message."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a text."""

    text: str
    name: str
    """Name of the file, with its ending."""
    complete: bool
    """Whether it is the whole text."""

    def lines(self) -> list[str]:
        """Its whole lines; a last one that is cut off is left out."""
        lines = self.text.split("\n")
        return lines if self.complete or len(lines) == 1 else lines[:-1]


SAY_ORDER = "one date with a day over 12 would tell; or say it with --date-order dmy or mdy"

_ORDERS = {DateOrder.DMY: Order(True), DateOrder.MDY: Order(False), DateOrder.YMD: Order(None)}


class Source:
    """An input for a parser. It is read once, from `lines` or `chunks`."""

    def __init__(
        self,
        stream: BinaryIO,
        label: str,
        *,
        date_order: DateOrder | None = None,
        names: Names | None = None,
    ) -> None:
        """Read the sample.

        Args:
            stream: the bytes; only `read` is called.
            label: path, as it shows up in errors; its stem names the conversation; "-" is stdin.
            date_order: how dates such as 4/3/2025 are read; None: as the dates of the file show.
            names: of the conversations of the archive that it is in.
        """
        self.label = label
        self.date_order = date_order
        self.names = names or Names()
        """Keeps apart conversations of one name."""
        self.name = clean_line(PurePath(label).stem) if label != "-" else "stdin"
        self.format = ""
        """Set when it is known."""
        self.notes: list[str] = []
        """Warnings that the reader has not handed out yet."""
        self.details: list[str] = []
        """Notes for those who ask, not handed out yet."""
        self._unreadable = 0
        self._first_unreadable = ""
        self._rest = decode(stream, self.notes.append)
        head: list[str] = []
        size = 0
        for chunk in self._rest:
            head.append(chunk)
            size += len(chunk)
            if size >= SAMPLE:
                break
        text = "".join(head)
        self.sample = Sample(text[:SAMPLE], PurePath(label).name, size < SAMPLE)
        self._order = order_of(self.sample.text) if date_order is None else _ORDERS[date_order]
        self._two_readings = 0
        self._first_two_readings = ""
        self._guessed = ""
        self._head = text

    def chunks(self) -> Iterator[str]:
        """The text in pieces, newlines normalised."""
        head, self._head = self._head, ""
        return chain([head], self._rest)

    def lines(self, limit: int = MAX_LINE) -> Iterator[tuple[int, str | None]]:
        """Number, from 1, and text of every line without its newline; None for a line over the limit."""
        number = 0
        pending = ""
        too_long = False
        for chunk in self.chunks():
            first, *others = chunk.split("\n")
            pending = "" if too_long else pending + first
            too_long = too_long or len(pending) > limit
            for line in others:
                number += 1
                yield number, None if too_long else pending
                pending = line
                too_long = len(line) > limit
        if pending or too_long:
            yield number + 1, None if too_long else pending

    def conversation(self, name: str = "") -> Conversation:
        """The event that starts a conversation, named like the file unless it has its own name."""
        return Conversation(name or self.name or "transcript", self.format)

    def error(self, reason: str, line: int | None = None, *, hint: str = "") -> TranscriptError:
        """The error to raise: path, line and reason."""
        where = f"{self.label}: line {line}" if line is not None else self.label
        return TranscriptError(f"{where}: {reason}", hint=hint)

    def time(self, value: object, where: str) -> datetime | None:
        """Time of a field that is not empty. One that cannot be read is counted; `finish` says it once.

        Dates such as 4/3/2025 are read in the order that the dates of the sample show.
        """
        at = parse_time(value, day_first=self._order.day_first)
        two_readings = isinstance(value, str) and has_two_readings(value[:100])
        if at is not None:
            if two_readings and self._order.why:
                self._guessed = self._guessed or f"{clean_line(str(value))!r} at {where}"
            return at
        first = f"{clean_line(str(value)[:60])!r} at {where}"
        if two_readings and self._order.day_first is None:
            self._two_readings += 1
            self._first_two_readings = self._first_two_readings or first
        else:
            self._unreadable += 1
            self._first_unreadable = self._first_unreadable or first
        return None

    def set_order(self, order: Order) -> None:
        """Say how dates such as 4/3/2025 are read, by more of the file than its sample."""
        self._order = order

    def date(self, text: str) -> tuple[datetime, str] | None:
        """`times.find_date`, in the order of day and month that the sample shows."""
        return find_date(text, day_first=self._order.day_first)

    def told(self) -> Iterator[Note]:
        """The notes that were not handed out yet."""
        while self.notes:
            yield Note(self.notes.pop(0))
        while self.details:
            yield Note(self.details.pop(0), minor=True)

    def finish(self) -> None:
        """Add the notes that need the whole file."""
        if self._unreadable:
            kind = "time" if self._unreadable == 1 else "times"
            self.notes.append(
                f"{self._unreadable:,} {kind} could not be read as a date, first {self._first_unreadable}"
            )
        if self._two_readings:
            kind = "time" if self._two_readings == 1 else "times"
            self.notes.append(
                f"{self._two_readings:,} {kind} left out: day/month or month/day, first {self._first_two_readings};"
                f" {SAY_ORDER}"
            )
        if self._guessed:
            order = "day/month" if self._order.day_first else "month/day"
            self.notes.append(f"dates are read as {order}, since {self._order.why}, first {self._guessed}")
