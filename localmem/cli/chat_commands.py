"""The slash commands of a chat: one table, from which help, completion and dispatch come."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from localmem.cli.chat_session import Quit, Session
from localmem.errors import LocalmemError, UsageError

if TYPE_CHECKING:
    from localmem.values import Usage

MEMORY_UNITS = 8
"""Turns that /memory shows."""
USAGE_TURNS = 20
"""Turns that /usage shows one by one."""
KEYS = (
    ("Enter", "say it"),
    ("Alt-Enter, \\ at the end", "go on in a new line; pasted lines are one turn"),
    ("Up, Down, Ctrl-R", "what was typed before, also in earlier chats of this memory"),
    ("Tab", "complete a command and what follows it"),
    ("Ctrl-C", "stop a reply, or clear the line; twice leaves"),
    ("Ctrl-D", "leave"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command found: for programs, and for people."""

    row: Mapping[str, Any]
    show: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command."""

    argument: str
    """What follows the name; empty: nothing may."""
    help: str
    run: Callable[[Session, str], Outcome]
    choices: Callable[[Session], Iterable[str]] = field(default=lambda _: ())
    """What the argument may be, for completion."""


def run(session: Session, line: str) -> None:
    """Carry out a line that begins with a slash.

    Raises:
        Quit: it was the command to leave.
        UsageError: there is no such command, or it takes something else.
        LocalmemError: it could not be done.
    """
    from localmem.cli.output import print_json

    name, *rest = line.split(None, 1)
    command = COMMANDS.get(ALIASES.get(name, name))
    if command is None:
        raise _unknown(name)
    argument = rest[0].strip() if rest else ""
    if argument and not command.argument:
        raise UsageError(f"{name} takes nothing behind it.")
    outcome = command.run(session, argument)
    if session.manner.as_json:
        print_json({"command": name, **outcome.row}, line=True)
    else:
        outcome.show()


def _unknown(name: str) -> UsageError:
    near = [known for known in COMMANDS if known.startswith(name)] or difflib.get_close_matches(
        name, COMMANDS, n=1, cutoff=0.5
    )
    meant = f"did you mean {near[0]}?" if near else "see /help."
    return UsageError(
        f"There is no command {name}; {meant} A text that begins with a slash is typed with two."
    )


def _tasks(session: Session, argument: str) -> Outcome:
    from localmem.cli.output import note
    from localmem.cli.tasks import print_trees
    from localmem.tasks import Status, TaskGraph, render

    if argument not in ("", "all"):
        raise UsageError(
            f"/tasks shows the active tasks, /tasks all the others too; {argument!r} is neither."
        )
    everything = argument == "all"
    graph = TaskGraph() if session.fresh else session.memory.tasks.graph
    nodes = [node for node in graph if everything or node.status is Status.ACTIVE]

    def show() -> None:
        if nodes:
            print_trees(graph, everything)
        else:
            note(
                "No active tasks. See the rest with /tasks all." if len(graph) else "No tasks in this memory."
            )

    return Outcome({"tasks": [render.node_row(node) for node in nodes]}, show)


def _why(session: Session, argument: str) -> Outcome:
    from localmem.cli.chat_print import print_why, reply_row
    from localmem.cli.tasks import print_history
    from localmem.tasks import render

    if argument:
        tasks = None if session.fresh else session.memory.tasks
        if tasks is None:
            raise UsageError("There are no tasks yet.")
        past, graph = tasks.history(argument), tasks.graph
        return Outcome(
            {"history": [render.revision_row(one) for one in past]}, lambda: print_history(past, graph)
        )
    if not session.entries:
        raise UsageError("Nothing was said in this chat yet.")
    last = session.entries[-1]
    return Outcome(reply_row(last.said, last.reply, explain=True), lambda: print_why(last.said, last.reply))


def _undo(session: Session, argument: str) -> Outcome:
    from localmem.cli.chat_print import differences
    from localmem.cli.output import one_line
    from localmem.errors import TaskError

    if session.fresh:
        raise TaskError("There is nothing to undo.", hint="No turn has changed the tasks yet.")
    tasks = session.memory.tasks
    before = tasks.graph
    turn = tasks.undo()
    lines = differences(before, tasks.graph)
    heard = [node.user_response for node in before if node.history[-1].turn == turn]
    said = next((entry.said for entry in session.entries if entry.reply.turn == turn), "") or "".join(
        heard[:1]
    )

    def show() -> None:
        print(f"Turn {turn} is undone" + (f": {one_line(said)}" if said else "."))
        for line in lines:
            print(f"  {one_line(line)}")

    return Outcome({"undone": turn, "user": said, "changes": lines}, show)


def _forget(session: Session, argument: str) -> Outcome:
    from localmem.cli.chat_forget import forget
    from localmem.cli.output import one_line, shortened

    if argument not in ("", "all"):
        raise UsageError(
            f"/forget forgets the last turn, /forget all this chat; {shortened(argument, 40)!r} is neither.",
            hint="For anything else: localmem forget",
        )
    said, tasks = forget(session, argument == "all")

    def show() -> None:
        turns = "1 turn, with its reply" if len(said) == 1 else f"{len(said)} turns, with their replies"
        print(f"Forgotten: {turns}.")
        for label in tasks:
            print(f"  - {one_line(label)}")

    return Outcome({"forgotten": len(said), "tasks": tasks}, show)


def _memory(session: Session, argument: str) -> Outcome:
    from localmem.cli.ask import print_turn
    from localmem.cli.output import note, workspace_row

    if not argument:
        raise UsageError("/memory needs words to look for: /memory ferry")
    if session.fresh:
        return Outcome({"units": []}, lambda: note("Nothing in this memory yet."))
    workspace = session.memory.search(argument, budget=MEMORY_UNITS)

    def show() -> None:
        for number, unit in enumerate(workspace.units, 1):
            print_turn(f"[{number}]", unit.turn, workspace.transcripts[unit.stored.transcript])
        if not workspace.units:
            note("Nothing in this memory yet.")

    return Outcome(workspace_row(workspace), show)


def _model(session: Session, argument: str) -> Outcome:
    from localmem.cli.output import one_line

    if argument and argument != session.model:
        session.memory.change_model(argument)
        session.model, session.loaded = argument, False
    state = "loaded" if session.loaded else "loaded at the next turn"
    return Outcome(
        {"model": session.model, "loaded": session.loaded},
        lambda: print(f"{one_line(session.model)} ({state})"),
    )


def _models_here(_: Session) -> Iterable[str]:
    from contextlib import suppress

    from localmem import models

    for entry in models.catalogue().by_id.values():
        with suppress(LocalmemError):
            if entry.kind is models.Kind.LANGUAGE:
                yield models.locate(entry.id).id


def _usage(session: Session, argument: str) -> Outcome:
    from localmem.cli.output import usage_row
    from localmem.values import Usage

    replies = [entry.reply for entry in session.entries]
    total = sum((reply.usage for reply in replies), Usage())
    seconds = sum(reply.seconds for reply in replies)

    def show() -> None:
        print(f"{'turn':>7} {'prompt':>9} {'evaluated':>9} {'written':>9} {'seconds':>9}")
        if len(replies) > USAGE_TURNS:
            print(f"{'...':>7}")
        for reply in replies[-USAGE_TURNS:]:
            print(_usage_line(str(reply.turn), reply.usage, reply.seconds))
        print(_usage_line("all", total, seconds))

    turns = [
        {"turn": reply.turn, "usage": usage_row(reply.usage), "seconds": round(reply.seconds, 3)}
        for reply in replies
    ]
    return Outcome({"turns": turns, "usage": usage_row(total), "seconds": round(seconds, 3)}, show)


def _usage_line(name: str, usage: Usage, seconds: float) -> str:
    counts = (usage.prompt_tokens, usage.evaluated_tokens, usage.generated_tokens)
    return f"{name:>7} " + " ".join(f"{count:>9,}" for count in counts) + f" {seconds:>9.1f}"


def _save(session: Session, argument: str) -> Outcome:
    from localmem.cli.chat_save import save
    from localmem.cli.output import one_line

    path = save(session, argument)
    turns = len(session.entries)
    plural = "" if turns == 1 else "s"
    return Outcome(
        {"file": str(path), "turns": turns}, lambda: print(f"{turns} turn{plural} in {one_line(str(path))}")
    )


def _help(session: Session, argument: str) -> Outcome:
    from localmem.cli.output import console

    rows = [(f"{name} {command.argument}".strip(), command.help) for name, command in COMMANDS.items()]
    rows.append(("//TEXT", "a text that begins with one slash"))

    def show() -> None:
        keys = [*KEYS] if session.manner.talks else []
        width = max(len(name) for name, _ in (*rows, *keys)) + 2
        for name, text in (*rows, *keys):
            first, *more = textwrap.wrap(text, max(20, console().width - width - 2))
            print(f"  {name:{width}}{first}")
            for line in more:
                print(f"  {'':{width}}{line}")

    return Outcome({"commands": dict(rows)}, show)


def _quit(session: Session, argument: str) -> Outcome:
    raise Quit


def _slots(session: Session) -> Iterable[str]:
    return () if session.fresh else dict.fromkeys(node.slot for node in session.memory.tasks.graph)


COMMANDS: Mapping[str, Command] = {
    "/tasks": Command(
        "[all]", "the active tasks; all: done and deleted ones too", _tasks, lambda _: ("all",)
    ),
    "/why": Command(
        "[SLOT]",
        "what was understood, refused and found in the last turn; or how a task came about",
        _why,
        _slots,
    ),
    "/undo": Command(
        "", "take back what the last turn did to the tasks, as 'undo that' does; again: the one before", _undo
    ),
    "/memory": Command("TEXT", "turns in memory that have to do with a text", _memory),
    "/forget": Command(
        "[all]", "take the last turn out of the memory for good; all: this chat", _forget, lambda _: ("all",)
    ),
    "/model": Command("[ID]", "which model replies; or take another one", _model, _models_here),
    "/usage": Command("", "tokens and seconds of this chat, turn by turn", _usage),
    "/save": Command("FILE", "write this chat into a file: text, .md or .jsonl", _save),
    "/help": Command("", "this list", _help),
    "/quit": Command("", "leave", _quit),
}
ALIASES = {"/exit": "/quit", "/?": "/help"}
