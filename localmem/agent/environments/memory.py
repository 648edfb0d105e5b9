"""Your own memory as a world: search it, read it, take notes that cite turns, write them into a report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from localmem.agent.environments import claims, judging, listing, report
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
from localmem.agent.environments.notebook import Notebook
from localmem.agent.environments.protocol import Decision, Outcome, Route
from localmem.agent.environments.report import Note
from localmem.errors import AgentError, LocalmemError
from localmem.llm import grammar
from localmem.llm.protocol import JudgeModel
from localmem.values import StoredTurn, Usage

MOST_TURNS = 24
"""Turns of a thread that are shown."""
FOR_GOAL = 16
"""Turns that are searched for the goal itself."""
FOR_SEARCH = 8
"""Turns that a search of the model shows, and one for a turn that was kept."""
NEAR = 3
"""Places from a turn that was kept to others that are looked at for it."""
MOST_FOLLOWED = 40
"""Turns that are looked at; no more are added for those that were kept."""
SEARCH_RULE = '"search_memory(" [^\\n() ] [^\\n()]{0,79} ")"'
NOTHING = "Nothing was found."
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\.?\s*", re.DOTALL)
_CITED = re.compile(r"\s*((?:\[\d{1,6}\][\s,]*)+)(.*)", re.DOTALL)


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
        self._book = Notebook(self._library)
        self._threads: dict[int, None] = {}  # that were seen in a search
        self._queries: dict[str, None] = {}
        self._finished = False
        self._guide = Guide()
        self._judged = judging.Judgements(self._library, query_of(self.goal))
        self._begun: list[int] = []  # turns found for the goal that no step has written down yet

    @property
    def goal(self) -> str:
        """The person's words."""
        return " ".join(self._goal.split())

    @property
    def notes(self) -> list[Note]:
        """What was noted, in the order of noting."""
        return self._book.notes

    @property
    def files(self) -> list[str]:
        """Names of the reports that were written."""
        return self._book.files

    @property
    def done(self) -> bool:
        """Whether the job was finished."""
        return self._finished

    def findings(self) -> list[tuple[str, tuple[StoredTurn, ...]]]:
        """What was noted, in the order of the turns that it rests on, and these."""
        ordered = self._book.in_order(self.notes)
        return [(note.text, tuple(self._book.turns[turn] for turn in note.turns)) for note in ordered]

    def reset(self) -> str:
        """Begin with no notes; the transcripts that there are."""
        self._clear()
        return listing.listed(self._library)

    def step(self, action: str) -> Outcome:
        """Use a tool."""
        call = _CALL.fullmatch(action)
        tool = self._tools.get(call[1].lower()) if call else None
        if call is None or tool is None:
            return Outcome(f"There is no such tool. The tools are: {', '.join(self._tools)}.", False)
        try:
            outcome = tool(call[2])
        except AgentError as error:
            if self._guide.begun:  # in a job that is laid out the same name would come again
                raise
            return Outcome(f"{error} {error.hint}", False)
        odds = self._judged.rows()
        new = {**({"begun": self._begun} if self._begun else {}), **({"odds": odds} if odds else {})}
        if new:
            outcome = replace(outcome, data=json.dumps({**new, **json.loads(outcome.data or "{}")}))
            self._begun = []
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
        if "odds" in data:
            self._judged.take(data["odds"])
        shown = self._library.turns(data.get("shown", []))
        self._book.show(shown)
        self._threads |= dict.fromkeys(data.get("threads", []))
        if "query" in data:
            self._queries[data["query"]] = None
            self._guide.searched(shown)
        if "note" in data:
            self._book.add(Note(data["note"], tuple(data["cites"])))
        if "kept" in data:
            self._keep_turns(data["kept"])
        if "followed" in data:
            followed = self._library.turns(data["followed"])
            self._book.show(followed)
            self._guide.add(followed)
        if "done" in data:
            self._guide.done()
        if "file" in data:
            self._book.wrote(data["file"])
        self._finished |= data.get("finished", False)

    def valid_actions(self) -> tuple[str, ...]:
        """The tools that can be used now, with their forms."""
        forms = ["search_memory(<words>)", "list_transcripts()"]
        if self._threads:
            forms.append("read_thread(<number>)")
        if self._book.turns:
            forms.append("note([<turn>] <what it says>)")
        if self._out is not None and self._book.unwritten:
            forms.append("write_file(<name>)")
        return (*forms, "finish()") if self._may_finish() else tuple(forms)

    def grammar(self) -> str:
        """Calls that can be carried out: known threads and turns only."""
        calls = [SEARCH_RULE, '"list_transcripts()"']
        if self._threads:
            calls.append(f'"read_thread(" {grammar.alternatives(map(str, self._threads))} ")"')
        if self._book.turns:
            calls.append(note_rule(list(self._book.numbers.values())))
        if self._out is not None and self._book.unwritten:
            calls.append(self._write_rule())
        if self._may_finish():
            calls.append('"finish()"')
        return f"({' | '.join(calls)})"

    def progress(self) -> float:
        """1 for a finished job with notes, half for notes."""
        return (1.0 if self._finished else 0.5) if self.notes else 0.0

    def state(self) -> str:
        """What was found, noted and written."""
        left = self._guide.part(self._unreported()) if self._guide.begun else ""
        return f"{len(self._book.turns)} {len(self.notes)} {len(self.files)} {self._finished} {left}".rstrip()

    def now(self) -> str:
        """The notes so far."""
        return self._book.now(self._queries)

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
        part = self._guide.part(self._unreported())
        if lead := self._guide.lead:
            shown = f"{len(self.notes)} notes so far.\n{self._book.lines(lead.turns)}"
            numbers = [self._book.numbers[stored.id] for stored in lead.turns]
            return Route((part,), now=shown, grammar=keep_rule(numbers))
        rules = {
            LOOK: f'({SEARCH_RULE} | "done()")',
            REPORT: self._write_rule() if self._out is not None else "",
            END: '"finish()"',
        }
        return Route((part,), now=self.now(), grammar=rules[part])

    def decide(self, model: JudgeModel) -> Decision | None:
        """Which turns of the thread are kept, by the model's odds; the report and the end, where there is no choice."""
        self.route()
        if lead := self._guide.lead:
            # All that was found for the goal, before anything is kept; then what the next thread has.
            usage, longest = self._judged.ask(model, lead.turns if self._judged else self._guide.waiting)
            marks = self._book.marks(self._judged.counting(lead.turns))
            return Decision(f"keep({marks})" if marks else "done()", usage, longest)
        if self._guide.looking:
            return None
        if self._out is None or not self._unreported():
            return Decision("finish()", Usage())
        named = self._names_left()
        return Decision(f"write_file({named[0] if named else report.free_name(self._out)})", Usage())

    def preview(self) -> str:
        """What would be read of the first turn, and which turns were found."""
        part = self.route()
        lead = self._guide.lead
        if lead is None:
            return f"{NOTHING} {part.parts[0]}"
        read = judging.preview(self._library, query_of(self.goal), lead.turns[0])
        found = self._book.lines([self._book.turns[turn] for turn in self._begun])
        return f"{read}\n\nThe same of each of {len(self._begun)} turns:\n{found}"

    def peek(self, action: str) -> str | None:
        """What a search finds is not known before."""
        return None

    def _search(self, words: str) -> Outcome:
        query = " ".join(words.strip("\"' ").split())
        if not query:
            return Outcome("A search needs words.", False)
        found = list(self._library.search(query, FOR_SEARCH))
        self._queries[query] = None
        new = self._book.show(found)
        self._guide.searched([stored for stored in found if stored.id in new])
        threads = list(dict.fromkeys(stored.thread for stored in found))
        self._threads |= dict.fromkeys(threads)
        data = json.dumps({"shown": new, "threads": threads, "query": query})
        return Outcome(self._book.lines(found) or NOTHING, True, data)

    def _read(self, argument: str) -> Outcome:
        found = re.fullmatch(r"\s*(?:thread\s*)?(\d{1,15})\s*", argument)
        turns = list(self._library.thread(int(found[1]))) if found else []
        if not turns:
            known = ", ".join(map(str, self._threads)) or "none yet"
            return Outcome(f"There is no such thread. Threads that were found: {known}.", False)
        left_out = f"\n({len(turns) - MOST_TURNS} more turns)" if len(turns) > MOST_TURNS else ""
        new = self._book.show(turns[:MOST_TURNS])
        return Outcome(self._book.lines(turns[:MOST_TURNS]) + left_out, True, json.dumps({"shown": new}))

    def _list(self, _: str) -> Outcome:
        return Outcome(listing.listed(self._library), True)

    def _note(self, argument: str) -> Outcome:
        found = _CITED.fullmatch(argument)
        text = " ".join(found[2].strip("\"' ").split()) if found else ""
        if not found or not text:
            return Outcome("A note begins with the numbers of its turns: note([3] What turn 3 says.)", False)
        numbers = [int(number) for number in re.findall(r"\d+", found[1])]
        by_number = {number: turn for turn, number in self._book.numbers.items()}
        unknown = [number for number in numbers if number not in by_number]
        if unknown:
            return Outcome(f"Not noted: no turn [{unknown[0]}] was shown.", False)
        cites = tuple(by_number[number] for number in dict.fromkeys(numbers))[:MOST_CITED]
        cited = [self._book.turns[turn] for turn in cites]
        said = [(stored.turn.speaker, self._library.text(stored), stored.turn.at) for stored in cited]
        known = f"{self.goal} {' '.join(stored.turn.speaker for stored in self._book.turns.values())}"
        if why := claims.refusal(text, said, known, self._book.marks(cites)):
            return Outcome(f"Not noted: {why}", False)
        if any(note.text.casefold() == text.casefold() for note in self.notes):
            return Outcome("Not noted: this is noted already.", False)
        self._book.add(Note(text, cites))
        data = json.dumps({"note": text, "cites": cites})
        return Outcome(f"Noted as {len(self.notes)}.", True, data)

    def _write(self, argument: str) -> Outcome:
        name = argument.strip("\"' ")
        if self._out is None or not self._unreported():
            return Outcome("There are no new notes to write.", False)
        told = self._book.write(self._out, name, self.goal, overwrite=self._overwrite)
        return Outcome(told, True, json.dumps({"file": name}))

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
        turns = [stored.id for stored in lead.turns if self._book.numbers[stored.id] in asked] if lead else []
        if not turns:
            return Outcome("Nothing is kept: name turns of this thread, keep([3] [4]).", False)
        self._keep_turns(turns)
        followed = self._follow(turns) if self._judged else []
        data = json.dumps({"kept": turns, **({"followed": followed} if followed else {})})
        return Outcome(f"Kept; {len(self.notes)} notes.", True, data)

    def _follow(self, turns: Sequence[int]) -> list[int]:
        """Look at turns around those that were kept, and at those that a search for goal and turn finds."""
        found: dict[int, StoredTurn] = {}
        for stored in map(self._book.turns.__getitem__, turns):
            words = f"{query_of(self.goal)} {self._library.text(stored)}"
            near = self._library.near(stored, NEAR)
            found |= {one.id: one for one in (*near, *self._library.search(words, FOR_SEARCH))}
        room = max(MOST_FOLLOWED - len(self._book.turns), 0)
        new = [one for one in found.values() if one.id not in self._book.turns][:room]
        new.sort(key=lambda one: (one.transcript, one.position))
        self._guide.add(new)
        return self._book.show(new)

    def _keep_turns(self, turns: Sequence[int]) -> None:
        self._book.keep(turns)
        self._guide.done()
        if self._judged:  # what a search in other words would find was looked for around what is kept
            self._guide.enough()

    def _done(self, _: str) -> Outcome:
        if not self._guide.done():
            return Outcome("There is nothing to be done with here.", False)
        return Outcome("Done.", True, json.dumps({"done": True}))

    def _begin(self, found: Sequence[StoredTurn]) -> None:
        """Take what was found for the goal."""
        self._book.show(found)
        self._threads |= dict.fromkeys(stored.thread for stored in found)
        self._queries[query_of(self.goal)] = None
        self._guide.begin(found)

    def _names_left(self) -> list[str]:
        """Reports that the goal names and that are not written yet."""
        return [name for name in named_files(self._goal) if name not in self.files]

    def _write_rule(self) -> str:
        named = self._names_left()
        name = grammar.alternatives(named) if named else '[a-z0-9] [a-z0-9-]{0,39} ".md"'
        return f'"write_file(" {name} ")"'

    def _unreported(self) -> bool:
        """Whether a report is due: there are notes that stand in none, or nothing was found and none says so."""
        if self._out is None:
            return False
        return bool(self._book.unwritten) or (self._guide.begun and not self.notes and not self.files)

    def _may_finish(self) -> bool:
        return bool(self._queries) and not (self._out is not None and self._book.unwritten)
