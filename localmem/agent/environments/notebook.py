"""What a job over a memory has seen and noted so far, and the reports made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from localmem.agent.environments import listing, report
from localmem.agent.environments.library import Library
from localmem.agent.environments.report import Note
from localmem.values import StoredTurn


class Notebook:
    """Turns with the numbers under which they were shown, notes, and files that they stand in.

    Args:
        library: the memory.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self.turns: dict[int, StoredTurn] = {}
        """That were shown, by id, in the order of their numbers."""
        self.numbers: dict[int, int] = {}
        """Turn to number, from 1."""
        self.notes: list[Note] = []
        self.files: list[str] = []
        self.unwritten = 0
        """Notes that stand in no file."""

    def show(self, turns: Iterable[StoredTurn]) -> list[int]:
        """Give numbers to turns; the ids of those that had none."""
        new = [stored for stored in turns if stored.id not in self.turns]
        for stored in new:
            self.turns[stored.id] = stored
            self.numbers[stored.id] = len(self.numbers) + 1
        return [stored.id for stored in new]

    def lines(self, turns: Sequence[StoredTurn]) -> str:
        """Turns with their numbers, under their threads."""
        return listing.lines(self._library, turns, self.numbers)

    def marks(self, turns: Iterable[int]) -> str:
        """Numbers of turns as they are cited."""
        return " ".join(f"[{self.numbers[turn]}]" for turn in turns)

    def add(self, note: Note) -> None:
        """Take a note."""
        self.notes.append(note)
        self.unwritten += 1

    def keep(self, turns: Iterable[int]) -> None:
        """Note turns in their own words."""
        for turn in turns:
            self.add(Note(listing.line(self._library, self.turns[turn]), (turn,)))

    def wrote(self, name: str) -> None:
        """All notes stand in a file now."""
        self.files.append(name)
        self.unwritten = 0

    def in_order(self, notes: Sequence[Note]) -> list[Note]:
        """Notes in the order of their turns."""

        def place(note: Note) -> tuple[int, int]:
            first = self.turns[note.turns[0]]
            return first.transcript, first.position

        return sorted(notes, key=place)

    def now(self, queries: Iterable[str]) -> str:
        """The newest notes, or what was searched in vain."""
        if not self.notes:
            return f"No notes yet. Searched: {', '.join(queries) or 'nothing'}."
        lines = [f"- {note.text} {self.marks(note.turns)}" for note in self.notes[-listing.MOST_LISTED :]]
        files = f" Written: {', '.join(self.files)}." if self.files else ""
        return f"{len(self.notes)} notes.{files}\n" + "\n".join(lines)

    def write(self, folder: Path, name: str, title: str, *, overwrite: bool) -> str:
        """Write the notes that stand in no file into one; what was done, as a sentence.

        Raises:
            AgentError: it cannot be written.
        """
        notes = self.in_order(self.notes[len(self.notes) - self.unwritten :])
        transcripts = {transcript.id: transcript for transcript in self._library.transcripts()}
        text = report.report(title, notes, self.turns, transcripts, markdown=name.casefold().endswith(".md"))
        report.write(folder, name, text, overwrite=overwrite)
        self.wrote(name)
        told = f"with {len(notes)} notes" if notes else "to say that nothing was found"
        return f"{name} is written, {told}."
