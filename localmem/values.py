"""The values that flow between the parts: frozen, typed, without behaviour that needs an engine.

A parser yields `Turn`; the store gives it an id and a place (`StoredTurn`); recall groups turns into
`Thread`s, selects `Unit`s into a `Workspace`, and an `Answer` cites them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from localmem.errors import TranscriptError


class Role(StrEnum):
    """What a unit does for one question; the same turn gets another role for another question."""

    ANCHOR = "anchor"
    """Answers directly."""
    BRIDGE = "bridge"
    """Leads to what answers."""
    CONTEXT = "context"
    """Makes the others readable."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as a parser read it."""

    speaker: str
    text: str
    at: datetime | None
    """When it was said; naive means local time of the writer, None means that the file does not say."""
    source: str
    """The id in the original file: "D1:3", a cue number, a message id, or "line 12"."""
    session: str = ""
    """Label of the sitting that the turn belongs to; a change is a thread border."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn in a memory."""

    id: int
    transcript: int
    position: int
    """Order within the transcript; ascending, not necessarily dense."""
    thread: int
    turn: Turn


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation in a memory."""

    id: int
    name: str
    format: str
    path: str
    """The file it was last read from, as it was given."""
    turns: int


@dataclass(frozen=True, slots=True)
class Thread:
    """A contiguous run of turns about one event, and its short head."""

    id: int
    transcript: int
    first: int
    """Position of the first turn."""
    last: int
    """Position of the last turn (inclusive)."""
    head: str
    started: datetime | None
    turns: int
    refined: bool = False
    """Whether a model made it; else code did."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A turn selected into a workspace."""

    stored: StoredTurn
    role: Role
    priority: float
    """Share of the priority mass over all candidates, 0 to 1."""
    gain: float
    """How much the unit added to the coverage when it was chosen."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Score of every stage, by name, for `--explain`."""

    @property
    def turn(self) -> Turn:
        """The turn itself."""
        return self.stored.turn


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that was just not chosen."""

    unit: Unit
    """Its gain is what it would have added after all that were chosen."""
    reason: str
    """For people: "the budget of 16 turns was full"."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """What was chosen to answer one question."""

    query: str
    units: tuple[Unit, ...]
    """In order of time, thread by thread."""
    threads: tuple[Thread, ...]
    """The threads of the units, in the same order."""
    candidates: int
    """How many turns the selector chose from."""
    coverage: float
    """F(S) of the selection, 0 to 1: how much of the priority mass the units stand for."""
    demands: Mapping[str, float] = field(default_factory=dict)
    """What the question asks for, by name, 0 to 1."""
    transcripts: Mapping[int, Transcript] = field(default_factory=dict)
    """The transcripts of the units, by id."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Time of every stage, by name."""
    left_out: tuple[LeftOut, ...] = ()
    """The next best by gain, best first, where they were asked for."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call, or several, cost the model."""

    prompt_tokens: int = 0
    """Tokens in the prompts."""
    evaluated_tokens: int = 0
    """Prompt tokens that the model really read, not served from a kept prefix."""
    generated_tokens: int = 0
    dropped_units: int = 0
    """Units left out because the context was full."""
    calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Sum of two usages, field by field."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.evaluated_tokens + other.evaluated_tokens,
            self.generated_tokens + other.generated_tokens,
            self.dropped_units + other.dropped_units,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """A turn that an answer rests on."""

    number: int
    """The number in the answer's text: [number]."""
    stored: StoredTurn
    transcript: Transcript


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with the turns it rests on."""

    question: str
    text: str
    citations: tuple[Citation, ...]
    found: bool
    """False: the memory does not hold the answer, and the text says so."""
    supported: bool
    """False: a name, number or date of the text occurs in no cited turn."""
    workspace: Workspace
    usage: Usage
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One thing that a user turn asked of the tasks, as it was carried out."""

    intent: str
    """ "new", "update" or "check"."""
    op: str
    """Name of a `localmem.tasks.Op`: "add", "set", "replace", "delete", ..., "query"."""
    slot: str
    """Of the node, as it is after the turn; empty for a question about no single node."""
    value: str
    path: str
    """From the root: "make soup > prepare mushrooms"; empty where slot is."""
    node: int | None
    """Its id."""
    former: str = ""
    """What the node said before: "destination = Seattle"; empty if nothing of it changed."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that the model wrote and a guard refused."""

    written: str
    reason: str
    """For people: "the words touch no node named celery"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came of one turn of a chat."""

    text: str
    turn: int
    """Number of the turn in the task memory."""
    operations: tuple[TaskStep, ...] = ()
    """What changed, and what was asked; empty for small talk."""
    dropped: tuple[Dropped, ...] = ()
    facts: tuple[str, ...] = ()
    """What code found in the task graph and its history, on which the text rests."""
    plain: bool
    """The text is the facts as they are: the model's wording did not pass its check."""
    asks: bool = False
    """The turn was not understood, or only in part: the text asks the user back."""
    citations: tuple[Citation, ...] = ()
    """Turns of the recall memory that the text rests on."""
    workspace: Workspace | None = None
    """What recall found; None if it was not asked."""
    usage: Usage
    """Of all calls."""
    reply_usage: Usage
    """Of those that worded the reply."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Skipped:
    """A piece of a transcript file that became no turn."""

    where: str
    """"line 12", "message 7"."""
    reason: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one conversation of one file in an ingest."""

    path: str
    format: str
    transcript: str
    """Name of the transcript in the memory."""
    added: int
    known: int
    skipped: tuple[Skipped, ...]
    """The first hundred; `skipped_count` has all."""
    skipped_count: int
    threads: int
    """Threads of the transcript after this ingest."""
    seconds: float
    warnings: tuple[str, ...] = ()
    error: str | None = None
    """File, line and reason when it could not be read (to the end); what was read before it is kept."""
    hint: str = ""
    """How to mend the error."""
    conversations: int = 1
    """How many the file holds; each has a report."""
    details: tuple[str, ...] = ()
    """For those who ask: why it was read as this format, that its times have no zone."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of every file of an ingest, in order."""

    files: tuple[FileReport, ...]

    @property
    def failed(self) -> bool:
        """Whether any file could not be read."""
        return any(report.error for report in self.files)

    def raise_for_failure(self) -> None:
        """Do nothing if all files were read to their end.

        Raises:
            TranscriptError: why the first one that was not could not be read.
        """
        for report in self.files:
            if report.error:
                raise TranscriptError(report.error, hint=report.hint)


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Size of a memory."""

    path: str
    bytes: int
    """Of the file, with its write-ahead log and caches."""
    schema: int
    transcripts: int
    turns: int
    threads: int
    indexed_turns: int
    """Turns that have a vector."""
    indexed_threads: int
    """Threads that have a head vector."""
    refined_threads: int
    """Threads that a model has made; see `localmem refine`."""
    embedder: str
    dimension: int
    models: tuple[str, ...]
    """Models whose output the memory holds."""
