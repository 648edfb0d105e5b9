"""What a chat shows of a turn: the reply, what was understood, why, and the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from localmem.tasks import TaskGraph
    from localmem.values import Reply, TaskStep, Usage

MARKS: Mapping[str, tuple[str, str]] = {
    "add": ("+", ""),
    "set": ("~", ""),
    "replace": ("~", ""),
    "delete": ("-", ""),
    "restore": ("+", "back again"),
    "roll_back": ("~", "as it was"),
    "link": ("~", "linked"),
    "done": ("~", "done"),
    "query": ("?", ""),
}
"""For each `localmem.tasks.Op`: the mark before it, and a word behind it."""
FOUND_CHARACTERS = 300
"""Of a turn that recall found, on the terminal."""


def step_line(step: TaskStep) -> str:
    """What one operation did: "+ destination = Seattle", "~ destination = Boston (was Seattle)"."""
    mark, word = MARKS.get(step.op, ("~", step.op))
    mark = "+" if step.intent == "new" else mark
    what = step.path or step.slot
    if step.op == "delete":
        return f"{mark} {step.former or what}"
    if step.op == "query":
        return f"{mark} {what}"
    said = f"{mark} {what} = {step.value}" if step.value else f"{mark} {what}"
    former = step.former.removeprefix(f"{step.slot} = ")
    notes = [word] if word else []
    if former and former != step.slot:
        notes.append(f"was {former}")
    return f"{said} ({', '.join(notes)})" if notes else said


def understood(reply: Reply) -> list[str]:
    """The dim lines under a reply: what was done and asked, and how much was not taken."""
    lines = [step_line(step) for step in reply.operations if step.slot]
    if reply.dropped:
        lines.append(f"({len(reply.dropped)} not taken; see /why)")
    return lines


def print_dim(text: str) -> None:
    """A line that stands back, where the terminal can; never markup."""
    from rich.text import Text

    from localmem.cli.output import console, one_line

    console().print(Text(one_line(text), style="dim"))


def print_citations(reply: Reply) -> None:
    """The turns that a reply rests on, as `localmem ask` prints them."""
    from localmem.cli.ask import print_turn

    if reply.citations:
        print()
    for citation in reply.citations:
        print_turn(f"[{citation.number}]", citation.stored.turn, citation.transcript)


def print_why(said: str, reply: Reply) -> None:
    """What was understood in a turn, what was not taken and why, and what the reply rests on."""
    from localmem.cli.output import one_line, shortened

    print(f"Turn {reply.turn}: {shortened(one_line(said), FOUND_CHARACTERS)}")
    for label, text in _reasons(reply):
        print(f"  {label:12} {one_line(text)}")
    _print_found(reply)


def _reasons(reply: Reply) -> Iterator[tuple[str, str]]:
    """Label and text of each line; a label stands before the first of its lines only."""
    done = [f"{step_line(step)} [{step.intent}]" for step in reply.operations]
    groups = {
        "understood": done or ["nothing that concerns the tasks"],
        "not taken": [f"{dropped.written}: {dropped.reason}" for dropped in reply.dropped],
        "facts": list(reply.facts),
    }
    for label, lines in groups.items():
        for place, line in enumerate(lines):
            yield "" if place else label, line
    if reply.asks:
        yield "reply", "a question back: the turn was not understood, or only in part"
    elif reply.plain and reply.reply_usage.calls:
        yield "reply", "the facts as they are: the wording of the model did not pass its check"
    elif reply.plain:
        yield "reply", "the facts as they are"


def _print_found(reply: Reply) -> None:
    """What recall found, in order of time; with the number of those that the reply cites."""
    from localmem.cli.output import one_line, shortened, time_text

    if reply.workspace is None:
        return
    numbers = {citation.stored.id: citation.number for citation in reply.citations}
    units = reply.workspace.units
    print(f"  {'found':12} {len(units)} of {reply.workspace.candidates} candidate turns in memory")
    for unit in units:
        turn = unit.turn
        number = numbers.get(unit.stored.id)
        mark = f"[{number}]" if number is not None else " - "
        said = one_line(f"{time_text(turn.at)} {turn.speaker}: {turn.text}")
        print(f"    {mark} {unit.role}, {shortened(said, FOUND_CHARACTERS)}")
        transcript = reply.workspace.transcripts[unit.stored.transcript]
        print(f"        {one_line(transcript.path or transcript.name)}, {one_line(turn.source)}")


def reply_row(said: str, reply: Reply, *, explain: bool = False) -> dict[str, Any]:
    """A turn of a chat as JSON; `explain`: with what recall found."""
    from localmem.cli.output import citation_row, usage_row, workspace_row

    found = workspace_row(reply.workspace) if reply.workspace is not None else None
    return {
        "turn": reply.turn,
        "user": said,
        "reply": reply.text,
        "operations": [_step_row(step) for step in reply.operations],
        "dropped": [asdict(dropped) for dropped in reply.dropped],
        "facts": list(reply.facts),
        "asks": reply.asks,
        "plain": reply.plain,
        "citations": [citation_row(citation) for citation in reply.citations],
        "usage": usage_row(reply.usage),
        "reply_usage": usage_row(reply.reply_usage),
        "seconds": round(reply.seconds, 3),
        **({"workspace": found} if explain else {}),
    }


def _step_row(step: TaskStep) -> dict[str, str]:
    return {name: getattr(step, name) for name in ("intent", "op", "slot", "value", "path", "former")}


def usage_text(usage: Usage, seconds: float) -> str:
    """What a turn cost, as a line."""
    dropped = f"; {usage.dropped_units} turns did not fit" if usage.dropped_units else ""
    return (
        f"({seconds:.1f} s; {usage.prompt_tokens} prompt tokens, {usage.evaluated_tokens} of them read,"
        f" {usage.generated_tokens} written{dropped})"
    )


def differences(before: TaskGraph, after: TaskGraph) -> list[str]:
    """What is otherwise in one graph than in another, a line for each node."""
    from localmem.tasks.render import marked

    lines = []
    for id in sorted({node.id for node in before} | {node.id for node in after}):
        old = before[id] if id in before and before[id].live else None
        new = after[id] if id in after and after[id].live else None
        if old is not None and new is not None:
            if marked(old) != marked(new):
                lines.append(f"~ {marked(new)} (was {marked(old)})")
            elif (old.parents, old.dependencies) != (new.parents, new.dependencies):
                lines.append(f"~ {marked(new)} (linked as before)")
        elif new is not None:
            lines.append(f"+ {marked(new)}")
        elif old is not None:
            lines.append(f"- {marked(old)}")
    return lines
