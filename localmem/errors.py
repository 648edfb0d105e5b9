"""Every error that localmem raises on purpose.

    LocalmemError                what went wrong, and `hint`: how to mend it
    |- UsageError                wrong arguments (exit code 2)
    |- SettingsError             a setting that cannot be
    |- ModelError
    |  |- UnknownModelError      no such model in the catalogue
    |  |- ModelMissingError      known, but not on this machine
    |  |- DownloadError          no source could give it
    |  |- DigestError            a source gave other bytes
    |- EngineError               llama.cpp could not do it
    |  |- GrammarError           a grammar that does not compile
    |  |- TruncatedError         the reply hit its token limit
    |  |- ContextOverflowError   the prompt does not fit
    |- EmbedderError
    |  |- EmbedderMismatchError  vectors of another model in this memory
    |- StoreError
    |  |- NotAMemoryError        a file that is not ours
    |  |- PassphraseError        an encrypted memory, and no passphrase or another one
    |  |- NewerSchemaError       written by a newer localmem
    |- TranscriptError           a file that cannot be read as a transcript
    |- TaskError                 an operation that the task graph refuses
    |- AgentError                a run, or the world that it acts in, that cannot be
    |- BenchError                a case or a result of a benchmark that cannot be read

The command line prints the message and the hint, one line each, and exits with `exit_code`. Anything
else that escapes (a TypeError, say) is a bug and shows its traceback.
"""

from __future__ import annotations


class LocalmemError(Exception):
    """What went wrong in one line, and how to mend it in another."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(LocalmemError):
    """Arguments that make no sense."""

    exit_code = 2


class SettingsError(LocalmemError):
    """A setting that cannot be."""


class ModelError(LocalmemError):
    """Something about a model file."""


class UnknownModelError(ModelError):
    """The name is not in the catalogue, no path, and no hub address."""


class ModelMissingError(ModelError):
    """The model is known but not on this machine."""


class DownloadError(ModelError):
    """No source could give the file."""


class DigestError(ModelError):
    """A source gave bytes with another SHA-256."""


class EngineError(LocalmemError):
    """The engine could not load or run the model."""


class GrammarError(EngineError):
    """A grammar that does not compile, or output that does not match it."""


class TruncatedError(EngineError):
    """The reply reached its token limit: a failure, not a result. What was written is in `text`."""

    def __init__(self, message: str, *, text: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.text = text


class ContextOverflowError(EngineError):
    """The prompt does not fit the context, even after planning."""


class EmbedderError(LocalmemError):
    """The embedder could not load or run."""


class EmbedderMismatchError(EmbedderError):
    """The memory holds vectors of another embedder."""


class StoreError(LocalmemError):
    """The memory file could not be opened, read or written."""


class NotAMemoryError(StoreError):
    """The file is not a localmem memory."""


class PassphraseError(StoreError):
    """An encrypted memory, and no passphrase or another one."""


class NewerSchemaError(StoreError):
    """The file was written by a newer localmem."""


class TranscriptError(LocalmemError):
    """A file that cannot be read as a transcript; the message names line and reason."""


class TaskError(LocalmemError):
    """An operation that the task graph refuses, or a task that is not there; nothing was changed."""


class BenchError(LocalmemError):
    """A case or a result of a benchmark that cannot be read; the message names file, place and reason."""


class AgentError(LocalmemError):
    """A run that is not there or cannot go on, or a world that cannot be read."""
