"""What an owner does with a memory, as methods of `localmem.Memory`. None of them loads an engine without need."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import IO, TYPE_CHECKING

from localmem import arguments

if TYPE_CHECKING:
    from localmem.embed.protocol import Embedder
    from localmem.llm.protocol import LanguageModel
    from localmem.recall.refine import Planned, Progress, Refined
    from localmem.store import Store
    from localmem.upkeep.forget import Forgotten
    from localmem.upkeep.transfer import Carried


class Owned:
    """Methods of a memory that has a `_store`, an `embedder` and a `model`, all opened at first use."""

    if TYPE_CHECKING:

        @property
        def _store(self) -> Store: ...

        @property
        def embedder(self) -> Embedder:
            """Makes the vectors."""

        @property
        def model(self) -> LanguageModel:
            """Writes."""

    def refine(
        self,
        *transcripts: str | int,
        limit: int | None = None,
        progress: Progress | None = None,
        on_transcript: Callable[[Refined], None] | None = None,
    ) -> list[Refined]:
        """Let the model cut threads and write their heads, where that was not done yet; what is done is kept at any end.

        Args:
            transcripts: name, file or number of each; none: all.
            limit: turns after which to end, with the window of some 14 turns in which they are reached; None: go on
                to the end.
            progress: told of the transcript at hand, the turns that are done and all that are to do, after each window.
            on_transcript: told of each transcript when it is done.

        Returns:
            What became of each transcript that had something left to do.

        Raises:
            UsageError: a limit below 1.
            StoreError: there is no such transcript, or the memory cannot be written.
            ModelMissingError: the model or the embedder was not pulled yet.
            EmbedderMismatchError: the memory holds vectors of another embedder.
            EngineError: the model cannot run.
            KeyboardInterrupt: Ctrl-C.
        """
        from localmem.recall import refine

        if limit is not None:
            arguments.number("limit", limit, 1)
        return refine.refine(
            self._store,
            [id for id in self._named(transcripts) if self._store.unrefined_turns(id)],
            lambda: self.embedder,
            lambda: self.model,
            limit=limit,
            progress=progress,
            on_transcript=on_transcript,
        )

    def refine_plan(self, *transcripts: str | int) -> list[Planned]:
        """What `refine` would have to do. Loads no engine.

        Raises:
            StoreError: there is no such transcript, or the memory cannot be read.
        """
        from localmem.recall import refine

        return refine.plan(self._store, self._named(transcripts))

    def _named(self, transcripts: Iterable[str | int]) -> list[int]:
        from localmem.upkeep import named

        found = [id for one in transcripts for id in named.transcripts(self._store, one)]
        return list(dict.fromkeys(found or [one.id for one in self._store.transcripts()]))

    def forget(
        self,
        *,
        transcript: str | int | None = None,
        thread: int | None = None,
        turn: int | Iterable[int] | None = None,
        speaker: str | None = None,
        before: date | None = None,
        tasks: bool = False,
        yes: bool = False,
    ) -> Forgotten:
        """Forget turns and all that was made of them, or say what that would be. Loads no engine.

        The turns that meet every given condition are meant; `localmem.upkeep.forget` says what goes with them.

        Args:
            transcript: name, file or number of one.
            thread: number of one, as `Workspace.threads` has it.
            turn: number of one, as `Unit.stored` has it, or several numbers.
            speaker: who said it.
            before: what was said before that moment or day; without a zone it is local time.
            tasks: in a chat: also what the turns made of the tasks, not only their words.
            yes: do it; False: nothing is changed.

        Raises:
            UsageError: no condition, or one that cannot be.
            StoreError: there is no such transcript, thread, turn or speaker; or the memory cannot be written, and
                nothing is changed.
        """
        from localmem.upkeep import forget

        moment = arguments.moment("before", before)
        turns = (turn,) if isinstance(turn, int) else None if turn is None else tuple(turn)
        selection = forget.Selection(transcript, thread, turns, speaker, moment)
        return forget.forget(self._store, selection, blank_tasks=tasks, yes=yes)

    def wipe(self) -> bool:
        """Rewrite the file without what was forgotten, where `forget` could not: the disk was full, somebody was reading.

        Returns:
            Whether no byte of it is left.

        Raises:
            StoreError: it cannot be rewritten now either.
        """
        from localmem.upkeep import forget

        return forget.wipe(self._store)

    def remove(self) -> None:
        """Delete this memory, with its caches and its passphrase in the keyring; it cannot be used any more. Loads no engine.

        Raises:
            StoreError: it is read-only, or open elsewhere; nothing is deleted then.
        """
        from localmem.upkeep import remove

        remove.remove(self._store)

    def change_passphrase(self, passphrase: str) -> None:
        """Encrypt an encrypted memory anew. A keyring that knows the old passphrase is told the new one.

        Raises:
            StoreError: it is not encrypted, read-only, or open elsewhere; nothing is changed then.
            UsageError: a passphrase that cannot be one.
            PassphraseError: the passphrase is changed, but the keyring does not take it.
        """
        from localmem.upkeep import passphrase as passphrases

        self._store.change_passphrase(passphrase)
        if passphrases.kept(self._store.path) is not None:
            passphrases.keep(self._store.path, passphrase)

    def export(self, file: str | Path | IO[str], *, vectors: bool = True, replace: bool = False) -> Carried:
        """Write all of the memory as JSON lines, in plain text; docs/export.md describes them. Loads no engine.

        Args:
            file: path of a file, which only its owner can read, or an open text stream.
            vectors: False leaves them out, so that importing makes them anew.
            replace: whether a file that is there may go.

        Raises:
            StoreError: the memory cannot be read.
            LocalmemError: the file is there already, or cannot be written.
        """
        from localmem.upkeep import files, transfer

        if not isinstance(file, str | Path):
            return transfer.export(self._store, file.write, vectors=vectors)
        with files.written(Path(file), replace=replace, kept=files.of_memory(self._store.path)) as opened:
            return transfer.export(self._store, opened.write, vectors=vectors)

    def import_from(
        self, file: str | Path | IO[bytes], *, progress: Callable[[int], None] | None = None
    ) -> Carried:
        """Fill this memory, which must be empty, with what was exported from one: all of it, or nothing.

        Args:
            file: path of the file, or an open binary stream.
            progress: told how many lines are in, now and then.

        Raises:
            TranscriptError: it is no export, or a part of one; nothing is changed.
            StoreError: the memory holds something already, or cannot be written; nothing is changed.
            ModelMissingError: the vectors were left out, and the embedder was not pulled yet.
            LocalmemError: the file cannot be read.
        """
        from localmem.upkeep import files, transfer

        def load(opened: IO[bytes], name: str) -> Carried:
            return transfer.load(
                lambda: self._store, opened, name, embedder=lambda: self.embedder, progress=progress
            )

        if not isinstance(file, str | Path):
            return load(file, "the export")
        with files.read(Path(file)) as opened:
            return load(opened, str(file))
