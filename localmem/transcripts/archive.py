"""Exports of many files: a zip, or the folder that somebody unpacked it to. Nothing is ever extracted.

A zip is checked as a whole before anything in it is read: a path that climbs out, an encrypted file, too many files
and sizes that no transcript has are one error, and nothing of it is taken. A file in it is read as a stream and
never gives more bytes than the zip's directory says.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Protocol, cast

from localmem.errors import TranscriptError
from localmem.formats import DateOrder
from localmem.transcripts.naming import Names
from localmem.transcripts.source import Source
from localmem.transcripts.text import clean_line

MAX_MEMBERS = 200_000
"""Files in an archive, pictures and sound included."""
MAX_BYTES = 64 << 30
"""Of all texts of an archive, unpacked."""
MAX_RATIO = 250
"""Unpacked bytes for each packed one; JSON has up to 30, a bomb of zeros 1,030."""
MAX_BYTES_UNRATED = 8 << 20
"""A text of up to so many bytes is no bomb, whatever its ratio."""

SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
"""First bytes of a zip, and of one without files."""

_TEXTS = frozenset((".txt", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".vtt", ".srt", ".log", ".md", ""))
_DRIVE = re.compile(r"[A-Za-z]:")
_ERRORS = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, IndexError, KeyError, NotImplementedError, OSError, OverflowError, RuntimeError, ValueError),
)
"""What the standard library raises for a damaged zip."""


class Archive(Protocol):
    """Texts by their names, with slashes between folders."""

    label: str

    def names(self) -> list[str]:
        """Of the texts in it, in the order of their numbers and letters; hidden ones left out."""

    def source(self, name: str) -> Source:
        """One of them, opened; closed with the archive, or by opening the next."""


class Zip:
    """A zip archive.

    Args:
        stream: its bytes; must be seekable.
        label: path, as it shows up in errors.
        date_order: as for `Source`.

    Raises:
        TranscriptError: it is broken, encrypted, or made to do harm.
    """

    def __init__(self, stream: BinaryIO, label: str, date_order: DateOrder | None = None) -> None:
        self.label = label
        self._date_order = date_order
        self._shared = Names()
        with _translated(label):
            self._zip = zipfile.ZipFile(stream)
            infos = self._zip.infolist()
        if len(infos) > MAX_MEMBERS:
            raise _harmful(label, f"it has {len(infos):,} files")
        for info in infos:
            if _climbs(info.filename):
                raise _harmful(label, f"the path {clean_line(info.filename)[:80]!r} leads out of it")
        self._texts = {info.filename: info for info in infos if _is_text(info.filename)}
        self._check()

    def _check(self) -> None:
        texts = self._texts.values()
        if any(info.flag_bits & 0x1 for info in texts):
            raise TranscriptError(
                f"{self.label}: the zip is encrypted",
                hint="Unpack it with its password, and give the files that were in it.",
            )
        if (size := sum(info.file_size for info in texts)) > MAX_BYTES:
            raise _harmful(self.label, f"unpacked it has {size / 1e9:,.0f} GB of text")
        for info in texts:
            ratio = info.file_size / max(1, info.compress_size)
            if info.file_size > MAX_BYTES_UNRATED and ratio > MAX_RATIO:
                raise _harmful(self.label, f"{clean_line(info.filename)[:80]!r} grows {ratio:,.0f} times")

    def names(self) -> list[str]:
        """As in `Archive`."""
        return sorted(self._texts, key=natural)

    def source(self, name: str) -> Source:
        """As in `Archive`."""
        label = f"{self.label}/{clean_line(name)}"
        with _translated(label):
            opened = self._zip.open(self._texts[name])
        packed = cast(BinaryIO, _Packed(opened, label))
        return Source(packed, label, date_order=self._date_order, names=self._shared)


class Folder:
    """A folder that is one export."""

    def __init__(self, path: Path, date_order: DateOrder | None = None) -> None:
        self.label = str(path)
        self._path = path
        self._date_order = date_order
        self._shared = Names()
        self._opened: io.FileIO | None = None

    def names(self) -> list[str]:
        """As in `Archive`."""
        found = []
        for parent, _, names in os.walk(self._path):
            inside = Path(parent).relative_to(self._path).as_posix()
            found += [name if inside == "." else f"{inside}/{name}" for name in names]
        return sorted((name for name in found if _is_text(name)), key=natural)

    def source(self, name: str) -> Source:
        """As in `Archive`. Raises TranscriptError when it cannot be opened."""
        self.close()
        path = self._path / name
        try:
            self._opened = path.open("rb", buffering=0)  # closed by the next, or `close`
            return Source(
                cast(BinaryIO, self._opened), str(path), date_order=self._date_order, names=self._shared
            )
        except OSError as error:
            raise TranscriptError(
                f"{path}: {error.strerror or error}", hint="Check that you may read the file."
            ) from None

    def close(self) -> None:
        """Close the file that was opened last."""
        if self._opened is not None:
            self._opened.close()


def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts `part 10.json` behind `part 9.json`, and both behind `part.json`."""
    parts = re.split(r"([0-9]{1,18})", name.removesuffix(PurePosixPath(name).suffix))
    return [(0, int(part), "") if place % 2 else (1, 0, part) for place, part in enumerate(parts)]


def seekable(stream: BinaryIO) -> bool:
    """Whether a zip can be read from a stream as it is."""
    try:
        return stream.seekable()
    except AttributeError:
        return False


class _Packed(io.RawIOBase):
    """A file of a zip, whose damage is an error of ours."""

    def __init__(self, stream: IO[bytes], label: str) -> None:
        self._stream = stream
        self._label = label

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        with _translated(self._label):
            return self._stream.read(size)

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def _translated(label: str) -> Iterator[None]:
    try:
        yield
    except _ERRORS as error:
        reason = str(error).split("\n", 1)[0][:100] or type(error).__name__
        raise TranscriptError(
            f"{label}: the zip is broken: {clean_line(reason)}",
            hint="Export or download it again; what could be read before is kept.",
        ) from None


def _harmful(label: str, why: str) -> TranscriptError:
    return TranscriptError(
        f"{label}: the zip was not read: {why}",
        hint="No program exports such a zip. If you trust it, unpack it yourself and give the files.",
    )


def _climbs(name: str) -> bool:
    path = name.replace("\\", "/")
    return path.startswith("/") or ".." in path.split("/") or _DRIVE.match(path) is not None


def _is_text(name: str) -> bool:
    if not name or name.endswith("/"):
        return False
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
    return not hidden and path.suffix.lower() in _TEXTS
