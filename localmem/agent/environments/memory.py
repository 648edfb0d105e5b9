"""Your own memory as a world: search it, read it, take notes that cite turns, write them into a report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from localmem.agent.environments import claims, report
from localmem.agent.environments.guide import (
    END,
    LOOK,
    MOST_CITED,
    REPORT,
    Guide,
    keep_rule,
    named_files,
    note_rule,
    query_of,
)
from localmem.agent.environments.library import Library
from localmem.agent.environments.protocol import Outcome, Route
from localmem.agent.environments.report import Note
from localmem.errors import AgentError, LocalmemError
from localmem.llm import grammar
from localmem.values import StoredTurn, Transcript

LONGEST_TURN = 400
"""Characters of a turn that are shown."""
MOST_TURNS = 24
"""Turns of a thread that are shown."""
MOST_LISTED = 20
"""Transcripts, and notes, that are listed."""
FOR_GOAL = 16
"""Turns that are searched for the goal itself."""
FOR_SEARCH = 8
"""Turns that a search of the model shows."""
SEARCH_RULE = '"search_memory(" [^\\n() ] [^\\n()]{0,79} ")"'
NOTHING = "Nothing was found."
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\.?\s*", re.DOTALL)
_CITED = re.compile(r"\s*((?:\[\d{1,6}\][\s,]*)+)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Call:
    """An action, taken apart."""

    name: str
    argument: str


class MemoryEnvironment:
    """A job over a memory.

    Args:
        library: the memory.
        goal: what is to be done, in the person's words.
        out: folder for reports; None: notes only.
        overwrite: whether files in it may be replaced.
    """

    kind = "memory"
    tells_all = False

    def __init__(
        self, library: Library, goal: str, *, out: Path | None = None, overwrite: bool = False
    ) -> None:
        self._library = library
        self._goal = goal
        self._out = out
        self._overwrite = overwrite
        self._tools: Mapping[str, Callable[[str], Outcome]] = {
            "search_memory": self._search,
            "read_thread": self._read,
            "list_transcripts": self._list,
            "note": self._note,
            "keep": self._keep,
            "done": self._done,
            **({"write_file": self._write} if out is not None else {}),
            "finish": self._finish,
        }
        self._clear()

    def _clear(self) -> None:
        self._turns: dict[int, StoredTurn] = {}  # that were shown, in the order of their numbers
        self._numbers: dict[int, int] = {}  # turn to number, from 1
        self._threads: dict[int, None] = {}  # that were seen in a search
        self._queries: dict[str, None] = {}
        self.notes: list[Note] = []
        self.files: list[str] = []
        self._unwritten = 0  # notes that stand in no file
        self._finished = False
        self._guide = Guide()
        self._begun: list[int] = []  # turns found for the goal that no step has written down yet

    @property
    def goal(self) -> str:
        """The person's words."""
        return " ".join(self._goal.split())

    @property
    def done(self) -> bool:
        """Whether the job was finished."""
        return self._finished

    def cited(self) -> dict[int, StoredTurn]:
        """The turns that the notes rest on, by id."""
        return {turn: self._turns[turn] for note in self.notes for turn in note.turns}

    def reset(self) -> str:
        """Begin with no notes; the transcripts that there are."""
        self._clear()
        return self._listed()

    def step(self, action: str) -> Outcome:
        """Use a tool."""
        call = _read_call(action)
        tool = self._tools.get(call.name)
        if tool is None:
            return Outcome(f"There is no such tool. The tools are: {', '.join(self._tools)}.", False)
        try:
            outcome = tool(call.argument)
        except AgentError as error:
            return Outcome(f"{error} {error.hint}", False)
        if self._begun:
            data = {"begun": self._begun, **json.loads(outcome.data or "{}")}
            outcome, self._begun = replace(outcome, data=json.dumps(data)), []
        return outcome

    def restore(self, steps: Sequence[tuple[str, Outcome]]) -> None:
        """Take up notes and what was shown; nothing is searched or written again.

        Raises:
            AgentError: the memory has changed, so that turns that were shown are gone.
        """
        for _, outcome in steps:
            try:
                self._take_up(json.loads(outcome.data) if outcome.data else {})
            except (LocalmemError, ValueError, KeyError, TypeError):
                raise AgentError(
                    "The run cannot go on: turns that it read are not in the memory any more.",
                    hint="Start it anew.",
                ) from None

    def _take_up(self, data: Mapping[str, Any]) -> None:
        """What one step had changed."""
        if "begun" in data:
            self._clear()
            self._begin(self._library.turns(data["begun"]))
            self._begun = []
        shown = self._library.turns(data.get("shown", []))
        self._show(shown)
        self._threads |= dict.fromkeys(data.get("threads", []))
        if "query" in data:
            self._queries[data["query"]] = None
            self._guide.searched(shown)
        if "note" in data:
            self._add(Note(data["note"], tuple(data["cites"])))
        if "kept" in data:
            self._keep_turns(data["kept"])
        if "done" in data:
            self._guide.done()
        if "file" in data:
            self.files.append(data["file"])
            self._unwritten = 0
        self._finished |= data.get("finished", False)

    def valid_actions(self) -> tuple[str, ...]:
        """The tools that can be used now, with their forms."""
        forms = ["search_memory(<words>)", "list_transcripts()"]
        if self._threads:
            forms.append("read_thread(<number>)")
        if self._turns:
            forms.append("note([<turn>] <what it says>)")
        if self._out is not None and self._unwritten:
            forms.append("write_file(<name>)")
        return (*forms, "finish()") if self._may_finish() else tuple(forms)

    def grammar(self) -> str:
        """Calls that can be carried out: known threads and turns only."""
        calls = [SEARCH_RULE, '"list_transcripts()"']
        if self._threads:
            calls.append(f'"read_thread(" {grammar.alternatives(map(str, self._threads))} ")"')
        if self._turns:
            calls.append(note_rule(list(self._numbers.values())))
        if self._out is not None and self._unwritten:
            calls.append(self._write_rule())
        if self._may_finish():
            calls.append('"finish()"')
        return f"({' | '.join(calls)})"

    def progress(self) -> float:
        """1 for a finished job with notes, half for notes."""
        return (1.0 if self._finished else 0.5) if self.notes else 0.0

    def state(self) -> str:
        """What was found, noted and written."""
        left = self._guide.part(bool(self._unwritten)) if self._guide.begun else ""
        return f"{len(self._turns)} {len(self.notes)} {len(self.files)} {self._finished} {left}".rstrip()

    def now(self) -> str:
        """The notes so far."""
        if not self.notes:
            return f"No notes yet. Searched: {', '.join(self._queries) or 'nothing'}."
        shown = self.notes[-MOST_LISTED:]
        lines = [f"- {note.text} {self._marks(note.turns)}" for note in shown]
        files = f" Written: {', '.join(self.files)}." if self.files else ""
        return f"{len(self.notes)} notes.{files}\n" + "\n".join(lines)

    def missing(self) -> tuple[str, ...]:
        """Nothing that code can tell."""
        return ()

    def gains(self, action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Nothing that code can tell."""
        return (), ()

    def route(self) -> Route:
        """What comes next in the job, as `Guide` has it, and only what belongs to it."""
        if not self._guide.begun:
            found = list(self._library.search(query_of(self.goal), FOR_GOAL))
            self._begin(found)
            self._begun = [stored.id for stored in found]
        part = self._guide.part(self._out is not None and bool(self._unwritten))
        if lead := self._guide.lead:
            shown = f"{len(self.notes)} notes so far.\n{self._lines(lead.turns)}"
            numbers = [self._numbers[stored.id] for stored in lead.turns]
            return Route((part,), now=shown, grammar=keep_rule(numbers))
        rules = {
            LOOK: f'({SEARCH_RULE} | "done()")',
            REPORT: self._write_rule() if self._out is not None else "",
            END: '"finish()"',
        }
        return Route((part,), now=self.now(), grammar=rules[part])

    def peek(self, action: str) -> str | None:
        """What a search finds is not known before."""
        return None

    def _search(self, words: str) -> Outcome:
        query = " ".join(words.strip("\"' ").split())
        if not query:
            return Outcome("A search needs words.", False)
        found = list(self._library.search(query, FOR_SEARCH))
        self._queries[query] = None
        new = self._show(found)
        self._guide.searched([stored for stored in found if stored.id in new])
        threads = list(dict.fromkeys(stored.thread for stored in found))
        self._threads |= dict.fromkeys(threads)
        data = json.dumps({"shown": new, "threads": threads, "query": query})
        return Outcome(self._lines(found) or NOTHING, True, data)

    def _read(self, argument: str) -> Outcome:
        found = re.fullmatch(r"\s*(?:thread\s*)?(\d{1,15})\s*", argument)
        turns = list(self._library.thread(int(found[1]))) if found else []
        if not turns:
            known = ", ".join(map(str, self._threads)) or "none yet"
            return Outcome(f"There is no such thread. Threads that were found: {known}.", False)
        left_out = f"\n({len(turns) - MOST_TURNS} more turns)" if len(turns) > MOST_TURNS else ""
        new = self._show(turns[:MOST_TURNS])
        return Outcome(self._lines(turns[:MOST_TURNS]) + left_out, True, json.dumps({"shown": new}))

    def _list(self, _: str) -> Outcome:
        return Outcome(self._listed(), True)

    def _note(self, argument: str) -> Outcome:
        found = _CITED.fullmatch(argument)
        text = " ".join(found[2].strip("\"' ").split()) if found else ""
        if not found or not text:
            return Outcome("A note begins with the numbers of its turns: note([3] What turn 3 says.)", False)
        numbers = [int(number) for number in re.findall(r"\d+", found[1])]
        by_number = {number: turn for turn, number in self._numbers.items()}
        unknown = [number for number in numbers if number not in by_number]
        if unknown:
            return Outcome(f"Not noted: no turn [{unknown[0]}] was shown.", False)
        cites = tuple(by_number[number] for number in dict.fromkeys(numbers))[:MOST_CITED]
        said = [self._turns[turn] for turn in cites]
        known = f"{self.goal} {' '.join(stored.turn.speaker for stored in self._turns.values())}"
        wrong = claims.unsupported(
            text, ((s.turn.speaker, self._library.text(s), s.turn.at) for s in said), known
        )
        if wrong:
            return Outcome(f"Not noted: {wrong[0]} stands in none of the turns {self._marks(cites)}.", False)
        if not claims.adds(text, " ".join(map(self._library.text, said)), known):
            return Outcome(
                f"Not noted: {self._marks(cites)} has nothing of it but the goal's own words.", False
            )
        if any(note.text.casefold() == text.casefold() for note in self.notes):
            return Outcome("Not noted: this is noted already.", False)
        self._add(Note(text, cites))
        data = json.dumps({"note": text, "cites": cites})
        return Outcome(f"Noted as {len(self.notes)}.", True, data)

    def _write(self, argument: str) -> Outcome:
        name = argument.strip("\"' ")
        if not self._unwritten or self._out is None:
            return Outcome("There are no new notes to write.", False)
        notes = self.notes[-self._unwritten :]
        transcripts = {transcript.id: transcript for transcript in self._library.transcripts()}
        text = report.report(
            self.goal, notes, self._turns, transcripts, markdown=name.casefold().endswith(".md")
        )
        report.write(self._out, name, text, overwrite=self._overwrite)
        self.files.append(name)
        self._unwritten = 0
        return Outcome(f"{name} is written, with {len(notes)} notes.", True, json.dumps({"file": name}))

    def _finish(self, _: str) -> Outcome:
        if not self._may_finish():
            why = "write your notes into a file" if self._queries else "search the memory"
            return Outcome(f"Not finished: {why} first.", False)
        self._finished = True
        return Outcome("The job is finished.", True, json.dumps({"finished": True}))

    def _keep(self, argument: str) -> Outcome:
        """Note turns of the thread in their own words, and leave it."""
        lead = self._guide.lead
        asked = {int(number) for number in re.findall(r"\[(\d{1,6})\]", argument)}
        turns = [stored.id for stored in lead.turns if self._numbers[stored.id] in asked] if lead else []
        if not turns:
            return Outcome("Nothing is kept: name turns of this thread, keep([3] [4]).", False)
        self._keep_turns(turns)
        return Outcome(f"Kept; {len(self.notes)} notes.", True, json.dumps({"kept": turns}))

    def _keep_turns(self, turns: Sequence[int]) -> None:
        for turn in turns:
            stored = self._turns[turn]
            text = self._library.text(stored)
            shown = text if len(text) <= LONGEST_TURN else f"{text[:LONGEST_TURN].rstrip()}…"
            self._add(Note(f"{' '.join(stored.turn.speaker.split())}: {shown}", (turn,)))
        self._guide.done()

    def _done(self, _: str) -> Outcome:
        if not self._guide.done():
            return Outcome("There is nothing to be done with here.", False)
        return Outcome("Done.", True, json.dumps({"done": True}))

    def _add(self, note: Note) -> None:
        self.notes.append(note)
        self._unwritten += 1

    def _begin(self, found: Sequence[StoredTurn]) -> None:
        """Take what was found for the goal."""
        self._show(found)
        self._threads |= dict.fromkeys(stored.thread for stored in found)
        self._queries[query_of(self.goal)] = None
        self._guide.begin(found)

    def _write_rule(self) -> str:
        named = [name for name in named_files(self._goal) if name not in self.files]
        name = grammar.alternatives(named) if named else '[a-z0-9] [a-z0-9-]{0,39} ".md"'
        return f'"write_file(" {name} ")"'

    def _may_finish(self) -> bool:
        return bool(self._queries) and not (self._out is not None and self._unwritten)

    def _show(self, turns: Iterable[StoredTurn]) -> list[int]:
        """Give numbers to turns; the ids of those that had none."""
        new = [stored for stored in turns if stored.id not in self._turns]
        for stored in new:
            self._turns[stored.id] = stored
            self._numbers[stored.id] = len(self._numbers) + 1
        return [stored.id for stored in new]

    def _lines(self, turns: Sequence[StoredTurn]) -> str:
        lines = []
        thread = None
        for stored in turns:
            if stored.thread != thread:
                thread = stored.thread
                day = f", {stored.turn.at:%Y-%m-%d}" if stored.turn.at else ""
                lines.append(f"Thread {thread}{day}:")
            text = self._library.text(stored)
            shown = text if len(text) <= LONGEST_TURN else f"{text[:LONGEST_TURN].rstrip()}…"
            lines.append(f"[{self._numbers[stored.id]}] {' '.join(stored.turn.speaker.split())}: {shown}")
        return "\n".join(lines)

    def _listed(self) -> str:
        transcripts = self._library.transcripts()
        if not transcripts:
            return "The memory is empty."
        named = [self._named(one) for one in transcripts[:MOST_LISTED]]
        more = f" and {len(transcripts) - MOST_LISTED} more" if len(transcripts) > MOST_LISTED else ""
        return f"Transcripts: {', '.join(named)}{more}."

    def _named(self, transcript: Transcript) -> str:
        days = [f"{at:%Y-%m-%d}" for at in self._library.span(transcript.id) if at]
        said = f", {' to '.join(dict.fromkeys(days))}" if days else ""
        return f"{' '.join(transcript.name.split())} ({transcript.turns} turns{said})"

    def _marks(self, turns: Iterable[int]) -> str:
        return " ".join(f"[{self._numbers[turn]}]" for turn in turns)


def _read_call(action: str) -> _Call:
    found = _CALL.fullmatch(action)
    return _Call(found[1].lower(), found[2]) if found else _Call("", "")
