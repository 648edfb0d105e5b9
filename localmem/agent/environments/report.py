"""Notes that cite their turns, and the report that they become."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from localmem.errors import AgentError
from localmem.values import StoredTurn, Transcript

NAME = re.compile(r"\w[\w .-]{0,79}\.(?:md|txt)")
"""Of a report: a file name and no path."""
LONGEST_SOURCE = 1000
"""Characters of a turn below a report."""
ALLOW = "Choose another name, or allow it with --overwrite."
NOTHING = "Nothing about this was found in the memory."
"""All that is said of a job that has noted nothing."""
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKUP = re.compile(r"([\\`*_\[\]<>|#!~])")


@dataclass(frozen=True, slots=True)
class Note:
    """A line of a report."""

    text: str
    turns: tuple[int, ...]
    """Ids of the turns that it rests on; at least one."""


def report(
    title: str,
    notes: Sequence[Note],
    turns: Mapping[int, StoredTurn],
    transcripts: Mapping[int, Transcript],
    *,
    markdown: bool,
) -> str:
    """The text of a report: a line for each note with numbers of its turns, and the turns below.

    What people said stays text: in Markdown its characters are escaped, so that it can neither format nor load
    anything.
    """

    def plain(text: str) -> str:
        line = " ".join(_CONTROLS.sub(" ", text).split())
        return _MARKUP.sub(r"\\\1", line) if markdown else line

    number = {turn: place for place, turn in enumerate(dict.fromkeys(t for n in notes for t in n.turns), 1)}
    lines = [f"# {plain(title)}" if markdown else plain(title), ""]
    lines += [
        f"- {plain(note.text)} {' '.join(f'[{number[turn]}]' for turn in note.turns)}" for note in notes
    ]
    if not notes:
        return "\n".join([*lines, NOTHING]) + "\n"
    lines += ["", "## Sources" if markdown else "Sources", ""]
    for turn, place in number.items():
        stored = turns[turn]
        said = stored.turn
        when = f"{said.at.isoformat(' ', 'minutes')[:16]} " if said.at else ""
        text = said.text if len(said.text) <= LONGEST_SOURCE else f"{said.text[:LONGEST_SOURCE]}…"
        where = f"{transcripts[stored.transcript].name}, {said.source}"
        lines.append(
            f"[{place}] {plain(f'{when}{said.speaker}: {text}')} ({plain(where)}){'  ' if markdown else ''}"
        )
    return "\n".join(lines) + "\n"


def free_name(folder: Path) -> str:
    """A name for a report that nobody has named, which is not taken in this folder."""
    names = (f"report{'' if number == 1 else f'-{number}'}.md" for number in count(1))
    return next(name for name in names if not os.path.lexists(folder / name))


def check(folder: Path, names: Sequence[str], *, overwrite: bool) -> None:
    """Refuse early what `write` would refuse at the end of a long job. Makes nothing.

    Args:
        folder: where reports go.
        names: of the files.
        overwrite: whether existing files may be replaced.

    Raises:
        AgentError: a file is there, or the folder cannot be made or written into.
    """
    there = next(one for one in (folder, *folder.parents) if os.path.lexists(one))
    if not there.is_dir():
        raise AgentError(f"{there} is no folder.", hint="Choose another folder.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise AgentError(f"{there} cannot be written into.", hint="Choose another folder.")
    for name in names:
        if not overwrite and os.path.lexists(folder / name):
            raise AgentError(f"{folder / name} exists already.", hint=ALLOW)


def write(folder: Path, name: str, text: str, *, overwrite: bool) -> None:
    """Write a report into a folder, which is made if it is missing.

    The file is made or replaced through the opened folder, and links are not followed: whatever stands or comes
    to stand in the folder, nothing outside of it is written.

    Args:
        folder: where reports go.
        name: of the file.
        text: what to write.
        overwrite: whether an existing file may be replaced; one that has this very text counts as written.

    Raises:
        AgentError: no file name, it exists, or it cannot be written.
    """
    if not NAME.fullmatch(name):
        raise AgentError(
            f"{name!r} is no name for a report.", hint="Use a name without a folder that ends in .md or .txt."
        )
    data = text.encode("utf-8", "replace")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise AgentError(
            f"{folder} cannot be written into: {error.strerror}.", hint="Choose another folder."
        ) from None
    try:
        if _holds(opened, name, data):
            return
        temporary = f".{name}.{os.getpid()}.part"
        _make(opened, temporary if overwrite else name, data)
        if overwrite:
            _replace(opened, temporary, name)
    except FileExistsError:
        raise AgentError(f"{name} exists already.", hint=ALLOW) from None
    except OSError as error:
        raise AgentError(
            f"{name} cannot be written: {error.strerror}.", hint="Choose another folder."
        ) from None
    finally:
        os.close(opened)


def _holds(folder: int, name: str, data: bytes) -> bool:
    """Whether the file is there with this content: a run that was killed right after writing it."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return False
    with os.fdopen(file, "rb") as stream:
        return stat.S_ISREG(os.fstat(file).st_mode) and stream.read(len(data) + 1) == data


def _make(folder: int, name: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    file = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
    except BaseException:  # half a report is none
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


def _replace(folder: int, temporary: str, name: str) -> None:
    """Put the file in the place of another one; a link there is replaced itself, not what it leads to."""
    try:
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
