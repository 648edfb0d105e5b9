"""What is laid before the model in a job over a memory: one thread after the other, then a search, then the report.

A small model that is given all tools at once searches for the same again, or ends with the first note; and sentences that it writes about a turn say
what the goal says, not what the turn says. Here code searches for the goal, a subgoal is a thread of what was found, and
the turns that count are kept in their own words: by the model's odds for each, or, of a model that gives none, as it names them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from localmem.llm import grammar
from localmem.values import StoredTurn

LOOK = "Look for what is missing."
REPORT = "Write the report."
END = "End the job."
MOST_SEARCHES = 3
"""Of the model's own."""
MOST_CITED = 4
LONGEST_NOTE = 200
"""Characters."""
_FILE = re.compile(r"(?<![\w./\\-])\w[\w-]{0,60}\.(?:md|txt)\b(?![/\\])")


@dataclass(frozen=True, slots=True)
class Lead:
    """A thread with turns that nobody has looked at yet."""

    name: str
    turns: tuple[StoredTurn, ...]


class Guide:
    """Which part of a job comes next."""

    def __init__(self) -> None:
        self.begun = False
        """Whether the memory was searched for the goal."""
        self._leads: list[Lead] = []
        self._names: dict[str, int] = {}
        self._searches = 0
        self._enough = False

    @property
    def lead(self) -> Lead | None:
        """The thread that comes next."""
        return self._leads[0] if self._leads else None

    @property
    def waiting(self) -> list[StoredTurn]:
        """The turns of all threads that come next."""
        return [stored for lead in self._leads for stored in lead.turns]

    @property
    def looking(self) -> bool:
        """Whether the model may search with words of its own."""
        return not self._leads and not self._enough and self._searches < MOST_SEARCHES

    def begin(self, turns: Sequence[StoredTurn]) -> None:
        """Take what was found for the goal."""
        self.begun = True
        self.add(turns)

    def searched(self, new: Sequence[StoredTurn]) -> None:
        """Take what a search has found that was not shown before; if that is nothing, there are no more searches."""
        self._searches += 1
        self._enough |= not new
        self.add(new)

    def done(self) -> bool:
        """Leave the thread, or the search; False: there is nothing to leave."""
        if self._leads:
            del self._leads[0]
        elif self.looking:
            self._enough = True
        else:
            return False
        return True

    def enough(self) -> None:
        """Let the model search no more."""
        self._enough = True

    def part(self, unwritten: bool) -> str:
        """The subgoal that comes next.

        Args:
            unwritten: whether there are notes that stand in no report.
        """
        if self._leads:
            return f"Read {self._leads[0].name}."
        return LOOK if self.looking else REPORT if unwritten else END

    def add(self, turns: Sequence[StoredTurn]) -> None:
        """Take turns that nobody has looked at yet, a thread after the other."""
        by_thread: dict[int, list[StoredTurn]] = {}
        for stored in turns:
            by_thread.setdefault(stored.thread, []).append(stored)
        for thread, group in by_thread.items():
            day = f" of {group[0].turn.at:%Y-%m-%d}" if group[0].turn.at else ""
            name = f"thread {thread}{day}"
            times = self._names[name] = self._names.get(name, 0) + 1
            self._leads.append(Lead(f"{name} again" if times > 1 else name, tuple(group)))


def note_rule(numbers: Sequence[int]) -> str:
    """GBNF of a note that cites some of these turns."""
    cite = grammar.alternatives(f"[{number}]" for number in numbers)
    more = grammar.repeat(f'" " {cite}', 0, MOST_CITED - 1)
    # Without round brackets: a note that seems to be closed goes on and on.
    return f'"note(" {cite} {more} " " [^\\n\\[\\]() ] [^\\n\\[\\]()]{{1,{LONGEST_NOTE - 1}}} ")"'


def keep_rule(numbers: Sequence[int]) -> str:
    """GBNF of `keep` with some of these turns, in their order, or of `done`."""
    following = ""
    options = []
    for number in reversed(numbers):
        options.append(f'"[{number}]" {following}'.rstrip())
        following = f'(" [{number}]")? {following}'.rstrip()
    return f'("keep(" ({" | ".join(reversed(options))}) ")" | "done()")'


def named_files(goal: str) -> list[str]:
    """Reports that a goal names."""
    return _FILE.findall(goal)


def query_of(goal: str) -> str:
    """What to search for a goal: its words, without the name of the report."""
    for name in named_files(goal):
        place = goal.find(name)
        goal = f"{goal[:place].rstrip().removesuffix(' into').rstrip(' ,')} {goal[place + len(name) :]}"
    return " ".join(goal.split())
