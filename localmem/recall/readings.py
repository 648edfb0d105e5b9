"""The two readings of a file: what is in it, and the same turns again, in batches.

A file can change in between. Every turn of the second reading is compared with its content key of the first
one, so that no turn goes where another one was expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from localmem.errors import TranscriptError
from localmem.recall.continuation import Outline
from localmem.recall.turns import KEY_BYTES, Identifier, content_key, repeated
from localmem.transcripts import Conversation, Event, Note
from localmem.values import Skipped, Turn

BATCH = 128
"""Turns of a transaction: a few seconds of work that a kill can cost."""
REPORTED_SKIPS = 100
KEYS_AT_ONCE = 20_000

Events = Callable[[], Iterator[Event]]
"""Reads a file from the beginning, each time it is called."""


@dataclass
class Survey:
    """What the first reading found of one conversation."""

    name: str
    format: str
    outline: Outline
    keys: bytearray = field(default_factory=bytearray)
    """Content keys of the turns, end to end."""
    repeated: set[bytes] = field(default_factory=set)
    """Those that occur more than once."""
    skipped: list[Skipped] = field(default_factory=list)
    skipped_count: int = 0

    @property
    def turns(self) -> int:
        """How many turns the conversation has."""
        return len(self.keys) // KEY_BYTES

    def add(self, turn: Turn) -> None:
        """The next turn."""
        self.keys += content_key(turn)
        self.outline.characters.append(len(turn.text))
        self.outline.timed.append(turn.at is not None)

    def skip(self, piece: Skipped) -> None:
        """A piece that became no turn."""
        self.skipped_count += 1
        if len(self.skipped) < REPORTED_SKIPS:
            self.skipped.append(piece)

    def contents(self, start: int, count: int) -> list[bytes]:
        """Content keys of at most `count` turns from `start` on."""
        part = bytes(self.keys[start * KEY_BYTES : (start + count) * KEY_BYTES])
        return [part[at : at + KEY_BYTES] for at in range(0, len(part), KEY_BYTES)]

    def finish(self) -> None:
        """Note which turns are equal; called once, after the last."""
        self.repeated = repeated(self.keys)
        self.outline.repeated = bytearray(self.turns)
        seen: set[bytes] = set()
        for place in range(self.turns if self.repeated else 0):
            content = bytes(self.keys[place * KEY_BYTES : (place + 1) * KEY_BYTES])
            if content in self.repeated:
                self.outline.repeated[place] = 1
                if content in seen:
                    self.outline.characters[place] = 0
                seen.add(content)

    def chunks(self) -> Iterator[list[bytes]]:
        """The keys of the turns, in order, some at a time."""
        identifier = Identifier(self.repeated)
        for start in range(0, self.turns, KEYS_AT_ONCE):
            yield [identifier.key(content) for content in self.contents(start, KEYS_AT_ONCE)]


@dataclass
class First:
    """The first reading."""

    surveys: dict[str, Survey] = field(default_factory=dict)
    """Conversations by name, in order of appearance."""
    notes: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    """Notes that only those who ask are told."""
    error: TranscriptError | None = None
    """Why it broke off, if it did."""

    @property
    def turns(self) -> int:
        """How many turns it found."""
        return sum(survey.turns for survey in self.surveys.values())


def first(events: Events) -> First:
    """Read a file for the first time."""
    found = First()
    current: Survey | None = None
    try:
        for event in events():
            if isinstance(event, Conversation):
                new = Survey(event.name, event.format, Outline(event.name))
                current = found.surveys.setdefault(event.name, new)
            elif isinstance(event, Note):
                (found.details if event.minor else found.notes).append(event.text)
            elif current is None:
                raise AssertionError("a reader yields a conversation before anything in it")
            elif isinstance(event, Skipped):
                current.skip(event)
            else:
                current.add(event)
    except TranscriptError as error:
        found.error = error
    for survey in found.surveys.values():
        survey.finish()
    return found


@dataclass
class Second:
    """The second reading."""

    events: Events
    surveys: Mapping[str, Survey]
    read: dict[str, int] = field(default_factory=dict)
    """Turns of each conversation that were the same as at the first reading, up to the first that was not."""
    grown: bool = False
    """Whether there was more at the end than the first time."""
    error: TranscriptError | None = None
    """Why it broke off, if it did."""
    _changed: set[str] = field(default_factory=set)
    """Conversations with a turn that is not what it was."""
    _cut: set[str] = field(default_factory=set)
    """Those of them where it is the last turn of the first reading."""

    def batches(self) -> Iterator[tuple[str, list[Turn], list[bytes]]]:
        """Name, turns and content keys of one conversation, `BATCH` at a time or all that are left of it.

        A conversation that is mixed with others has batches as large as one that is not: a kill must leave enough
        of it, or nothing, so that it is known again. Ends where the file breaks off.
        """
        self.read = dict.fromkeys(self.surveys, 0)
        waiting: dict[str, list[Turn]] = {}
        left = {name: survey.turns for name, survey in self.surveys.items()}
        name = ""
        try:
            for event in self.events():
                if isinstance(event, Conversation):
                    name = event.name
                elif not isinstance(event, Turn):
                    continue
                elif not left.get(name):
                    self.grown = True
                else:
                    waiting.setdefault(name, []).append(event)
                    left[name] -= 1
                    if len(waiting[name]) == BATCH or not left[name]:
                        yield from self._same(name, waiting.pop(name))
        except TranscriptError as error:
            self.error = error
        for name, turns in waiting.items():  # the file has become shorter
            yield from self._same(name, turns)

    def lost(self, name: str) -> int:
        """Turns of a conversation that were there, or were what they are, at the first reading only."""
        return self.surveys[name].turns - self.read[name] - (name in self._cut)

    def _same(self, name: str, turns: list[Turn]) -> Iterator[tuple[str, list[Turn], list[bytes]]]:
        """The turns up to the first one that is not what it was; none after it, in later batches either."""
        if name in self._changed:
            return
        survey, start = self.surveys[name], self.read[name]
        contents = [content_key(turn) for turn in turns]
        expected = survey.contents(start, len(turns))
        pairs = enumerate(zip(contents, expected, strict=True))
        same = next((place for place, (one, other) in pairs if one != other), len(turns))
        self.read[name] += same
        if same < len(turns):
            self._changed.add(name)
            if 0 < self.read[name] == survey.turns - 1:  # its writer was in the middle of it
                self._cut.add(name)
                self.grown = True
        if same:
            yield name, turns[:same], contents[:same]
