"""A chat as a file: text that `localmem ingest` reads, Markdown, or JSON lines."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from localmem.errors import LocalmemError, UsageError

if TYPE_CHECKING:
    from localmem.cli.chat_session import Entry, Session
    from localmem.values import Reply

YOU, WE = "You", "localmem"


def save(session: Session, name: str) -> Path:
    """Write the chat so far into a file, in the format that its name asks for.

    A file that is there is replaced only if the person agrees, and then at once or not at all.

    Raises:
        UsageError: no name, nothing said yet, or the file is there and is to stay.
        LocalmemError: the file cannot be written.
    """
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"":
        name = name[1:-1]
    if not name:
        raise UsageError("/save needs the name of a file: /save chat.md")
    if "\0" in name:
        raise UsageError(f"{name!r} is no name of a file.")
    if not session.entries:
        raise UsageError("Nothing was said in this chat yet.")
    try:
        path = Path(name).expanduser()
        there = os.path.lexists(path)
        if path.is_dir():
            raise UsageError(f"{path} is a folder.", hint="Name a file in it.")
    except RuntimeError:
        raise UsageError(f"There is no home folder for {name}.", hint="Write the whole path.") from None
    if there and not session.confirm(f"{path} is there already. Replace it?"):
        raise UsageError(f"{path} is there already and was not replaced.", hint="Choose another name.")
    text = _FORMATS.get(path.suffix.lower(), _text)(session.entries)
    try:
        _write(path, text)
    except OSError as error:
        raise LocalmemError(
            f"{path} cannot be written: {error.strerror or error}", hint="Choose another place."
        ) from None
    return path


def _write(path: Path, text: str) -> None:
    """A file beside it takes its place when it is whole; only its owner can read it, as with a memory."""
    target = path.resolve()  # of a link: what it points to
    number, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _text(entries: Iterable[Entry]) -> str:
    """A line with its time for each message; what goes on below is indented, so that it begins no other message."""
    from localmem.cli.output import printable, time_text

    lines = []
    for entry in entries:
        for speaker, text in ((YOU, entry.said), (WE, entry.reply.text)):
            first, *more = printable(text).splitlines() or [""]
            lines.append(f"[{time_text(entry.at)}] {speaker}: {first}")
            lines += [f"    {line}" for line in (*more, *(_cited(entry.reply) if speaker == WE else ()))]
    return "\n".join([*lines, ""])


def _markdown(entries: Iterable[Entry]) -> str:
    from localmem.cli.output import printable, time_text

    blocks = []
    for entry in entries:
        blocks.append(f"**{YOU}** ({time_text(entry.at)}):")
        blocks.append("\n".join(f"> {line}" for line in printable(entry.said).splitlines()))
        blocks.append(f"**{WE}**:")
        blocks.append("\n".join(f"> {line}" for line in printable(entry.reply.text).splitlines()))
        blocks += [f"- {line}" for line in _cited(entry.reply)]
    return "\n\n".join(blocks) + "\n"


def _json_lines(entries: Iterable[Entry]) -> str:
    """The objects that `--json` prints, with the time."""
    from localmem.cli.chat_print import reply_row

    rows = [{"at": entry.at.isoformat(), **reply_row(entry.said, entry.reply)} for entry in entries]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _cited(reply: Reply) -> list[str]:
    from localmem.cli.output import one_line, time_text

    return [
        one_line(
            f"[{one.number}] {time_text(one.stored.turn.at)} {one.stored.turn.speaker}: {one.stored.turn.text}"
            f" ({one.transcript.path or one.transcript.name}, {one.stored.turn.source})"
        )
        for one in reply.citations
    ]


_FORMATS: Mapping[str, Callable[[Iterable[Entry]], str]] = {".md": _markdown, ".jsonl": _json_lines}
