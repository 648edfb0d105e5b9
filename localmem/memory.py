"""The one place that joins the parts: a memory file, an embedder and a model of language.

    with Memory.open("work") as memory:
        memory.ingest("chat.txt")
        print(memory.ask("When does the ferry leave?").text)

Engines are loaded at first use: `stats` loads none, `search` only the embedder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from localmem import arguments
from localmem.embed.protocol import Embedder
from localmem.engines import Engines, embedder_loader, load_model
from localmem.formats import DateOrder, Format
from localmem.llm.protocol import LanguageModel
from localmem.opening import examine, locate, make_store, open_store
from localmem.recall import answer, bulk
from localmem.recall.ingest import Ingest
from localmem.recall.neighbourhood import Limits
from localmem.recall.pipeline import Recall, cache_path
from localmem.recall.workspace import Options
from localmem.select import Budget
from localmem.settings import Settings
from localmem.settings import settings as environment_settings
from localmem.store import Store
from localmem.upkeep.owned import Owned
from localmem.values import (
    Answer,
    FileReport,
    IngestReport,
    MemoryStats,
    Reply,
    StoredTurn,
    Transcript,
    Workspace,
)

if TYPE_CHECKING:
    from localmem.agent.agent import Agent
    from localmem.conversation import Conversation
    from localmem.recall.view import View
    from localmem.tasks import Tasks

__all__ = ["Memory", "examine", "locate", "open_store"]


class Memory(Engines, Owned):
    """Everything that was said in some transcripts, and answers about it.

    Use `open`; the constructor takes the parts, for tests and for other engines.

    A memory is for one thread, the first that uses its file; another one gets a `StoreError` and opens its own.

    Args:
        store: the memory file; a path: it is opened, and made if it is missing, at first use.
        embedder: makes the embedder, at first use.
        model: makes the model of language, at first use.
    """

    def __init__(
        self, store: Store | Path, *, embedder: Callable[[], Embedder], model: Callable[[], LanguageModel]
    ) -> None:
        super().__init__(embedder=embedder, model=model)
        self._path = store if isinstance(store, Path) else store.path
        if isinstance(store, Store):
            self._store = store

    @classmethod
    def open(
        cls,
        memory: str | Path | None = None,
        *,
        create: bool = True,
        model: str | None = None,
        settings: Settings | None = None,
    ) -> Self:
        """Open a memory, or make it, as soon as there is something to write into it.

        Args:
            memory: a name, or the path of a .db file; None: the memory of the settings. Text with a slash is
                a path and ends in .db; a `Path` may end as it likes.
            create: False: a memory that is not there is an error.
            model: catalogue id, path of a .gguf, or hf:owner/repo/file.gguf; None: the model of the settings.
            settings: None: those of the environment.

        Raises:
            UsageError: a name or path that cannot be one, or something else.
            StoreError: the file is missing, not a memory, or cannot be opened.
        """
        chosen = settings or environment_settings()

        def make_embedder() -> Embedder:
            return embedder_loader(chosen)(chosen.threads)

        def make_model() -> LanguageModel:
            return load_model(model or chosen.model, chosen)

        opened = cls(open_store(memory, chosen, create=create), embedder=make_embedder, model=make_model)
        opened._settings = chosen
        return opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and free the engines."""
        self._close_model()
        if "_store" in self.__dict__:
            self._store.close()

    @property
    def path(self) -> Path:
        """The memory file."""
        return self._path

    @classmethod
    def new(
        cls, memory: str | Path, *, passphrase: str | None = None, settings: Settings | None = None
    ) -> Path:
        """Make an empty memory; its path.

        Args:
            memory: as for `open`.
            passphrase: for an encrypted one; None: it is in plain text.
            settings: None: those of the environment.

        Raises:
            UsageError: a name, path or passphrase that cannot be one.
            StoreError: there is something already, it cannot be made, or SQLCipher is not installed.
        """
        return make_store(memory, settings or environment_settings(), passphrase=passphrase)

    @property
    def encrypted(self) -> bool:
        """Whether a passphrase protects the file. One that is not there yet is none."""
        return os.path.lexists(self._path) and self._store.encrypted

    @property
    def empty(self) -> bool:
        """Whether nothing was said in it yet."""
        return not self._store.transcripts()

    @cached_property
    def _store(self) -> Store:
        return Store.open(self._path)

    @cached_property
    def _recall(self) -> Recall:
        return Recall(self._store, lambda: self.embedder)

    def ingest(
        self,
        *paths: str | Path,
        format: Format | str | None = None,
        conversation: str | None = None,
        date_order: DateOrder | str | None = None,
        jobs: int = 1,
        on_plan: Callable[[list[Path]], None] | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        on_file: Callable[[FileReport], None] | None = None,
    ) -> IngestReport:
        """Read transcript files and add what is new in them. No file is made for a memory that stays empty.

        A file that cannot be read does not stop the rest; `IngestReport.raise_for_failure` makes it an error.

        Args:
            paths: files, folders, or "-" for standard input.
            format: one of `Format`, or its name; None: found by content.
            conversation: read only the conversation of this name, of a file that holds several.
            date_order: one of `DateOrder`, or its name: how 4/3/2025 is read; None: as the dates of the file show.
            jobs: processes that read files ahead of the one that writes, and as many that make vectors, each with a
                model of its own; they import the script that asks for them, so what it does stands under
                `if __name__ == "__main__":`. An embedder that was given to the constructor stays in this process.
            on_plan: called once with all files, before the first is read.
            progress: called with file, turns done and turns in all, after each batch.
            on_file: called with each report as soon as the file is done.

        Raises:
            UsageError: an empty path, something that is no path, an unknown format.
            ModelMissingError: the embedder was not pulled yet.
            EmbedderMismatchError: the memory holds vectors of another embedder.
            StoreError: the memory cannot be written. What was added before it is kept.
        """
        wanted = arguments.paths(paths)
        chosen, order = arguments.format(format), arguments.date_order(date_order)
        arguments.number("jobs", jobs, 1, arguments.MOST_JOBS)
        there = "_store" in self.__dict__
        pool = self._pool(jobs) if jobs > 1 else None
        ingest = Ingest(
            self._store if there else lambda: self._store, self.embedder if pool is None else pool, ahead=pool
        )
        items = bulk.plan(wanted)
        if on_plan is not None:
            on_plan([item for item in items if isinstance(item, Path)])
        reading = bulk.Reading(chosen, conversation, order)
        looked_at = None if pool is None else ingest.prepare
        with pool or nullcontext(), closing(bulk.opened(items, reading, jobs, looked_at)) as opened:
            return bulk.write(opened, ingest, progress=progress, on_file=on_file)

    def search(
        self, query: str, *, budget: int = 16, hops: int = 2, tokens: int | None = None, left_out: int = 0
    ) -> Workspace:
        """The turns that a question needs. No model of language is loaded.

        Args:
            query: the question.
            budget: turns at most.
            hops: links of the thread graph that activation may walk.
            tokens: tokens at most, by a rough count; None: no limit.
            left_out: so many of the turns that were just not chosen are told, with the reason.

        Raises:
            UsageError: an empty question, a budget or tokens below 1, hops below 0 or above 8, left_out below 0.
            StoreError: the memory cannot be read.
        """
        arguments.question(query)
        arguments.number("budget", budget, 1)
        arguments.number("hops", hops, 0, arguments.MOST_HOPS)
        if tokens is not None:
            arguments.number("tokens", tokens, 1)
        arguments.number("left_out", left_out, 0)
        options = Options(budget=Budget(units=budget, tokens=tokens), left_out=left_out)
        return self._recall.search(query, options=options, limits=Limits(hops=hops))

    def view(self, workspace: Workspace | None = None) -> View:
        """What a picture of the memory shows. Loads no embedder.

        Args:
            workspace: what a question found; its threads and their neighbours are the graph then.

        Raises:
            StoreError: the memory cannot be read.
        """
        from localmem.recall.view import view

        return view(self._store, self._recall.links, workspace)

    def ask(
        self,
        question: str,
        *,
        budget: int = 16,
        hops: int = 2,
        on_text: Callable[[str], None] | None = None,
    ) -> Answer:
        """Answer a question from the memory, citing the turns that the answer rests on.

        Args:
            question: the question.
            budget: turns at most that the model reads.
            hops: as for `search`.
            on_text: called with each piece of the answer as it is written.

        Raises:
            UsageError: as for `search`.
            ModelMissingError: the model or the embedder was not pulled yet.
            StoreError: the memory cannot be read.
            EngineError: the model cannot run.
        """
        started = time.perf_counter()
        workspace = self.search(question, budget=budget, hops=hops)
        return answer.answer(
            question,
            workspace,
            lambda: self.model,
            before=self._recall.before,
            started=started,
            on_text=on_text,
        )

    def chat(
        self,
        text: str,
        *,
        on_text: Callable[[str], None] | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        ablate: Collection[str] = (),
    ) -> Reply:
        """Take a turn of a chat: the tasks follow it, and the reply rests on them, or on what was said before.

        The turn is written into the tasks and into a transcript of this chat in one transaction. After Ctrl-C while
        the reply is worded it is kept, with the plain facts as its reply; before that, nothing of it is.

        Args:
            text: what the user says.
            on_text: called with each piece of the reply that has passed its checks.
            temperature: 0 takes the likeliest token.
            seed: for temperatures above 0.
            ablate: parts that are left out ("trim", "graph", "guards"), to measure what they are good for.

        Raises:
            UsageError: no text, or a part that there is not.
            ModelMissingError: the model or the embedder was not pulled yet.
            EmbedderMismatchError: the memory holds vectors of another embedder.
            StoreError: the memory cannot be read or written.
            EngineError: the model cannot run.
            KeyboardInterrupt: Ctrl-C.
        """
        arguments.question(text)
        return self._conversation.say(
            text, on_text=on_text, temperature=temperature, seed=seed, ablate=ablate
        )

    @cached_property
    def _conversation(self) -> Conversation:
        from localmem.conversation import Conversation
        from localmem.recall.log import ChatLog

        def recalled(question: str, on_text: Callable[[str], None] | None) -> Answer | None:
            return None if self.empty else self.ask(question, on_text=on_text)

        log = ChatLog(self._store, lambda: self.embedder)
        return Conversation(self._store, self.tasks, log, lambda: self.model, recalled)

    @cached_property
    def tasks(self) -> Tasks:
        """What is being done, and how it changed. Loads no engine."""
        from localmem.tasks import Tasks

        return Tasks(self._store)

    @cached_property
    def agent(self) -> Agent:
        """Long jobs, over this memory or in another world; their runs are kept here. Loads no engine."""
        from localmem.agent.agent import Agent
        from localmem.agent.environments.library import StoreLibrary
        from localmem.recall.dates import annotate

        def search(query: str, turns: int) -> list[StoredTurn]:
            return [unit.stored for unit in self.search(query, budget=turns).units]

        def text(stored: StoredTurn) -> str:
            return annotate(" ".join(stored.turn.text.split()), stored.turn.at)

        def likeness(query: str, turns: Sequence[StoredTurn]) -> list[float]:
            vectors = self._store.vectors([stored.id for stored in turns])
            return [float(value) for value in vectors @ self.embedder.encode([query])[0]]

        library = StoreLibrary(self._store, search, text, likeness)
        return Agent(self._store, library, lambda: self.model)

    def transcripts(self) -> list[Transcript]:
        """The transcripts in the memory, in the order in which they came. Loads no engine."""
        return self._store.transcripts()

    def recent(self, transcript: int, turns: int) -> list[StoredTurn]:
        """The last turns of a transcript, in order. Loads no engine.

        Args:
            transcript: its id.
            turns: how many, at most.

        Raises:
            StoreError: the memory cannot be read.
        """
        last = self._store.last_position(transcript)
        return [] if last is None else self._store.turns_between(transcript, max(0, last - turns + 1), last)

    @property
    def newest_turn(self) -> int:
        """Id of the turn that was added last; 0: there is none. Later ones have higher ids. Loads no engine."""
        return self._store.newest_turn()

    def stats(self) -> MemoryStats:
        """Size of the memory, its index caches included. Loads no engine."""
        from dataclasses import replace

        stats = self._store.stats()
        caches = [cache_path(self.path.resolve(), what) for what in ("turns", "threads")]
        return replace(stats, bytes=stats.bytes + sum(c.stat().st_size for c in caches if c.exists()))
