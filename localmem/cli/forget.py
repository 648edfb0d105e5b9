"""`localmem forget`: take turns out of a memory for good."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from localmem.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from localmem.memory import Memory
    from localmem.upkeep.forget import Forgotten

NAME = "forget"
EXAMPLE = (
    "Examples: localmem forget --speaker Bob; localmem forget --before 2024-06-01 --yes;"
    " localmem forget --transcript talk --speaker Bob --yes"
)
TEXT_CHARACTERS = 80
TASKS_SHOWN = 5
READING = "Another localmem is reading this memory: bytes of what was forgotten leave the disk when it ends."
AGAIN = "So bytes of what was forgotten may still be in the file; try again with: localmem forget --wipe"


def command(
    transcript: Annotated[
        str | None, typer.Option("--transcript", metavar="NAME", help="Its turns: name, file or number.")
    ] = None,
    thread: Annotated[
        int | None,
        typer.Option(
            "--thread", metavar="ID", min=1, help="Its turns; `localmem search --json` has the ids."
        ),
    ] = None,
    turn: Annotated[
        int | None, typer.Option("--turn", metavar="ID", min=1, help="This one; the ids are there too.")
    ] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="What they said.")] = None,
    before: Annotated[
        str | None,
        typer.Option(
            "--before", metavar="DATE", help="What was said before it: 2024-06-01, 2024-06-01T18:00."
        ),
    ] = None,
    tasks: Annotated[
        bool,
        typer.Option(
            "--tasks", help="In a chat: also what the turns made of the tasks, not only their words."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without it nothing is changed.")] = False,
    wipe: Annotated[
        bool, typer.Option("--wipe", help="Forget nothing new: only rewrite the file, if that failed before.")
    ] = False,
    memory: options.Memory = None,
    as_json: options.Json = False,
) -> None:
    """Take turns out of a memory for good, with all that was made of them; first see what that would be.

    Several conditions: the turns that meet them all. Nothing notes what was forgotten: reading the same file again
    brings it back. Copies, exports and backups are left alone.
    """
    from localmem.cli.output import print_json
    from localmem.memory import Memory

    moment = _moment(before)
    with Memory.open(memory, create=False) as opened:
        if wipe:
            _wipe(opened, [transcript, thread, turn, speaker, before], as_json)
            return
        report = opened.forget(
            transcript=transcript,
            thread=thread,
            turn=turn,
            speaker=speaker,
            before=moment,
            tasks=tasks,
            yes=yes,
        )
        path = opened.path
    if report.done and (report.task_turns or any(one.format == "chat" for one in report.transcripts)):
        drop_typed(path)
    if as_json:
        print_json(_row(report))
    else:
        _print(report)


def _wipe(memory: Memory, conditions: list[object], as_json: bool) -> None:
    from localmem.cli.output import note, print_json
    from localmem.errors import UsageError

    if any(one is not None for one in conditions):
        raise UsageError("--wipe forgets nothing new.", hint="Leave out what to forget, or leave out --wipe.")
    wiped = memory.wipe()
    if as_json:
        print_json({"wiped": wiped})
    else:
        note("The file was rewritten." if wiped else READING)


def drop_typed(memory: Path) -> None:
    """What was typed in the chats of a memory, and is kept for the arrow keys, has the words too."""
    from contextlib import suppress

    from localmem.cli.chat_prompt import history_path
    from localmem.settings import settings

    with suppress(OSError):
        history_path(memory, settings()).unlink(missing_ok=True)


def _moment(text: str | None) -> datetime | None:
    from localmem.errors import UsageError

    try:
        return None if text is None else datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text!r} is no date.", hint="For example: --before 2024-06-01") from None


def _row(report: Forgotten) -> dict[str, Any]:
    return {
        "done": report.done,
        "turns": report.turns,
        "threads": report.threads,
        "transcripts": [
            {"id": one.id, "transcript": one.name, "file": one.path, "emptied": one in report.emptied}
            for one in report.transcripts
        ],
        "without_time": report.timeless,
        "task_turns": report.task_turns,
        "tasks": list(report.tasks),
        "tasks_blanked": report.tasks_blanked,
        "replies": report.replies,
        "runs": list(report.runs),
        "wiped": report.wiped,
        "unwiped": report.unwiped,
    }


def _print(report: Forgotten) -> None:
    from localmem.cli.output import note, one_line, shortened, time_text

    if not report.turns and not report.task_turns:
        print("Nothing in the memory is meant by that; nothing was changed.")
    else:
        print(f"{'Forgotten' if report.done else 'To be forgotten'}: {_counts(report)}.")
    for one in report.transcripts:
        all_of_it = "all of it" if one in report.emptied else "parts of it"
        print(f"  {one_line(one.name)} (number {one.id}, {one_line(one.path) or 'no file'}): {all_of_it}")
    if not report.done:
        for stored in report.first:
            text = shortened(one_line(stored.turn.text), TEXT_CHARACTERS)
            print(f"    {stored.id}  {time_text(stored.turn.at)} {one_line(stored.turn.speaker)}: {text}")
        if report.turns > len(report.first):
            print(f"    ... and {report.turns - len(report.first):,} more")
    if report.tasks:
        named = ", ".join(one_line(label) for label in report.tasks[:TASKS_SHOWN])
        more = ", ..." if len(report.tasks) > TASKS_SHOWN else ""
        fate = "go too" if report.tasks_blanked else "stay (--tasks takes them along)"
        print(f"  Tasks that these turns made {fate}: {named}{more}")
    if report.replies:
        print(
            f"  {_number(report.replies, 'reply', 'replies')} of chats among them, which came from the others"
        )
    for goal in report.runs:
        print(f"  A run of the agent that came from them: {shortened(one_line(goal), TEXT_CHARACTERS)}")
    if report.timeless:
        note(f"{_number(report.timeless, 'turn')} without a time stay{'s' * (report.timeless == 1)}.")
    if not report.done and (report.turns or report.task_turns):
        note("Nothing was changed. Do it with: --yes")
    if report.done and not report.wiped:
        note(f"{report.unwiped} {AGAIN}" if report.unwiped else READING)


def _counts(report: Forgotten) -> str:
    parts = [_number(report.turns, "turn"), _number(report.threads, "thread") + " cut anew or gone"]
    if report.task_turns:
        parts.append("the words of " + _number(report.task_turns, "turn") + " of the tasks")
    return ", ".join(parts)


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
