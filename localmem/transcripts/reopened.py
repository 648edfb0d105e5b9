"""An input that can be read from its beginning several times, whatever it is."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from io import UnsupportedOperation
from pathlib import Path
from typing import IO, BinaryIO, Self

from localmem.errors import TranscriptError
from localmem.formats import DateOrder, Format
from localmem.transcripts.events import Conversation, Event, Note
from localmem.transcripts.expand import STDIN
from localmem.transcripts.reader import read, read_stream

IN_MEMORY = 1 << 24
"""Bytes of a pipe that are kept in memory; more go to a temporary file without a name."""


class Reopened:
    """A file, or what can be read only once: standard input and pipes, which are kept.

    Args:
        path: the file; "-" is standard input.
        format: None: found by content.
        conversation: only the one of this name; None: all.
        date_order: how dates such as 4/3/2025 are read; None: as the dates of the file show.
    """

    def __init__(
        self,
        path: Path,
        format: Format | None = None,
        conversation: str | None = None,
        date_order: DateOrder | None = None,
    ) -> None:
        self.name = str(path)
        self._path = path
        self._format = format
        self._conversation = conversation
        self._date_order = date_order
        self._kept: IO[bytes] | None = None
        self._error: TranscriptError | None = None

    @property
    def lasting(self) -> bool:
        """Whether its name will mean the same tomorrow, as a file's does and a pipe's does not."""
        return self._kept is None and not self.name.startswith(("/dev/", "/proc/"))

    def __enter__(self) -> Self:
        try:
            if self._path == STDIN:
                self._keep_stdin()
            else:
                self._keep_pipe()
        except TranscriptError as error:
            self._error = error
        except OSError as error:
            self._error = TranscriptError(
                f"{self.name}: {error.strerror or error}",
                hint="A pipe is kept until it has been read; check that it is open and the disk has room.",
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._kept is not None:
            self._kept.close()

    def events(self) -> Iterator[Event]:
        """What it holds, from the beginning.

        Raises:
            TranscriptError: as `read`; it is a device, or could not be kept; there is no such conversation.
        """
        events = self._all()
        return events if self._conversation is None else _only(events, self._conversation, self.name)

    def _all(self) -> Iterator[Event]:
        if self._error is not None:
            raise self._error
        if self._kept is None:
            return read(self._path, format=self._format, date_order=self._date_order)
        self._kept.seek(0)
        kept: BinaryIO = self._kept  # type: ignore[assignment]
        return read_stream(kept, self.name, format=self._format, date_order=self._date_order)

    def _keep_stdin(self) -> None:
        if sys.stdin is None:  # somebody has closed it
            raise TranscriptError(f"{self.name}: standard input is closed", hint="Name a file instead.")
        with suppress(UnsupportedOperation):  # it has been replaced by one without a descriptor
            descriptor = sys.stdin.fileno()
            if not sys.stdin.isatty():
                self._refuse_device(os.fstat(descriptor))
        self._keep(sys.stdin.buffer)

    def _keep_pipe(self) -> None:
        try:
            status = self._path.stat()
        except OSError:
            return  # reading says why
        self._refuse_device(status)
        if stat.S_ISFIFO(status.st_mode):
            with self._path.open("rb", buffering=0) as pipe:
                self._keep(pipe)

    def _refuse_device(self, status: os.stat_result) -> None:
        """Some devices never end. The empty one is read like an empty file."""
        kinds = stat.S_ISCHR, stat.S_ISBLK, stat.S_ISSOCK
        if any(kind(status.st_mode) for kind in kinds) and status.st_rdev != Path(os.devnull).stat().st_rdev:
            raise TranscriptError(
                f"{self.name}: this is a device or a socket, not a file",
                hint="Name a file, or - for standard input.",
            )

    def _keep(self, stream: BinaryIO) -> None:
        self._kept = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        shutil.copyfileobj(stream, self._kept)


def _only(events: Iterator[Event], conversation: str, file: str) -> Iterator[Event]:
    """Events of one conversation, and notes about the file."""
    names: dict[str, None] = {}
    chosen = False
    for event in events:
        if isinstance(event, Conversation):
            chosen = event.name == conversation
            names[event.name] = None
        if chosen or isinstance(event, Note):
            yield event
    if conversation not in names:
        raise TranscriptError(
            f"{file}: there is no conversation {conversation!r} in it",
            hint=f"It has: {', '.join(list(names)[:20])}.",
        )
