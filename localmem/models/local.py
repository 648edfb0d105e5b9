"""Models on this machine: where they are, whether their bytes are right, and taking them away.

A model stands in ``models_dir/<id>/``. Beside its files a small record keeps the SHA-256 of each with the size and
time of change that it was computed for, so that nobody hashes a gigabyte to learn which model this is.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from localmem.errors import ModelError, ModelMissingError, UsageError
from localmem.models.entries import Backend, FileEntry, Kind, ModelEntry
from localmem.models.refs import HUB_PREFIX, ModelRef, resolve
from localmem.settings import settings

RECORD_NAME = ".files.json"
TEMPORARY_NAME = ".pull"


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model on this machine."""

    id: str
    kind: Kind
    folder: Path
    files: Mapping[str, Path]
    """By name; those that the asked backend reads."""
    path: Path
    """The main file: the .gguf, or model.onnx."""
    digest: str
    """SHA-256 of the main file when it was verified as it is now, else empty."""
    key: str
    """Names these very bytes, for caches: the digest, or else a hash of path, size and time of change."""
    context: int
    """Tokens that the model was trained for; 0: the file says."""
    chat: str
    """Name of the chat format; empty: the file says, or none."""
    licence: str


class FileStatus(StrEnum):
    """What verifying a file found."""

    OK = "ok"
    MISSING = "missing"
    DAMAGED = "damaged"
    """Its bytes are not those that they should be."""
    UNKNOWN = "unknown"
    """Nobody has said which bytes it should have."""


@dataclass(frozen=True, slots=True)
class FileCheck:
    """What verifying one file found."""

    model: str
    name: str
    path: Path
    status: FileStatus
    bytes: int
    sha256: str
    """As computed now; empty when the file is missing."""
    expected: str
    """As it should be; empty when unknown."""
    given_by: str
    """Who says so: "catalogue" or "hub"."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a file that was verified."""

    bytes: int
    mtime_ns: int
    sha256: str
    given_by: str
    """Who gave the digest: "catalogue" or "hub"."""

    def fits(self, path: Path) -> bool:
        """Whether the file is as it was when it was verified, as far as size and time of change tell."""
        try:
            stat = path.stat()
        except OSError:
            return False
        return (stat.st_size, stat.st_mtime_ns) == (self.bytes, self.mtime_ns)


@contextmanager
def _translated() -> Iterator[None]:
    """Raises errors of the operating system inside the block as `ModelError`."""
    try:
        yield
    except OSError as error:
        where = error.filename or settings().models_dir
        raise ModelError(
            f"{where}: {error.strerror or error}",
            hint="Make the models folder readable and writable for you, or name another one with LOCALMEM_MODELS_DIR.",
        ) from error


def model_folder(entry: ModelEntry) -> Path:
    """Where the model's files stand, or would."""
    return settings().models_dir.expanduser().absolute() / entry.folder


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_records(folder: Path) -> dict[str, Record]:
    """The records of a folder; none when there is no record or it cannot be read, which only costs a hash."""
    try:
        raw = json.loads((folder / RECORD_NAME).read_text(encoding="utf-8"))
        return {name: Record(**fields) for name, fields in raw.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def write_record(folder: Path, name: str, record: Record) -> None:
    """Keep the record of a file, in one step."""
    records = {key: asdict(value) for key, value in (read_records(folder) | {name: record}).items()}
    temporary = folder / f"{RECORD_NAME}.{os.getpid()}"
    temporary.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(folder / RECORD_NAME)


@_translated()
def locate(spec: str, *, backend: Backend | None = None, kind: Kind | None = None) -> LocalModel:
    """The model's files on this machine, without reading them and without any connection.

    Args:
        spec: catalogue id, path to a .gguf file, or ``hf:owner/repo/file.gguf``.
        backend: ask only for the files that it reads; None: for all.
        kind: what the model must do; None: anything.

    Raises:
        UnknownModelError: `spec` names nothing.
        ModelMissingError: a file is missing or has the wrong size; the hint says how to get it.
        ModelError: the folder cannot be read, a file of the person's own is empty, or the model is of another kind.
    """
    ref = resolve(spec)
    if kind is not None:
        _require_kind(ref, kind)
    if ref.path is not None:
        stat = ref.path.stat()
        if not stat.st_size:
            raise ModelError(f"{ref.path} is empty", hint="Copy or download it again.")
        key = _stat_key(ref.path, stat)
        files = {ref.path.name: ref.path}
        return LocalModel(
            str(ref.path), Kind.LANGUAGE, ref.path.parent, files, ref.path, "", key, 0, "", "unknown"
        )
    entry = _entry(ref)
    folder = model_folder(entry)
    wanted = entry.files_for(backend)
    for file in wanted:
        _require(entry, folder, file)
    main = folder / wanted[0].name
    record = read_records(folder).get(wanted[0].name)
    digest = record.sha256 if record is not None and record.fits(main) else ""
    return LocalModel(
        id=entry.id,
        kind=entry.kind,
        folder=folder,
        files={file.name: folder / file.name for file in wanted},
        path=main,
        digest=digest,
        key=digest or _stat_key(main, main.stat()),
        context=entry.context,
        chat=entry.chat,
        licence=entry.licence,
    )


@_translated()
def verify(spec: str) -> list[FileCheck]:
    """Read every file of a model and compare its SHA-256.

    Raises:
        UnknownModelError: `spec` names nothing.
        ModelMissingError: nothing of it is on this machine.
        ModelError: the folder cannot be read.
    """
    ref = resolve(spec)
    if ref.path is not None:
        actual = sha256_of(ref.path)
        size = ref.path.stat().st_size
        return [FileCheck(spec, ref.path.name, ref.path, FileStatus.UNKNOWN, size, actual, "", "")]
    entry = _entry(ref)
    folder = model_folder(entry)
    if not any((folder / file.name).is_file() for file in entry.files):
        raise _missing(entry, f"{entry.id} is not on this machine")
    return [check_file(entry, folder, file) for file in entry.files]


def check_file(entry: ModelEntry, folder: Path, file: FileEntry) -> FileCheck:
    """Compare one file, and keep what was found in the record."""
    path = folder / file.name
    known = read_records(folder).get(file.name)
    expected, given_by = expectation(file, known)
    if not path.is_file():
        return FileCheck(entry.id, file.name, path, FileStatus.MISSING, 0, "", expected, given_by)
    stat = path.stat()
    actual = sha256_of(path)
    status = FileStatus.UNKNOWN if not expected else FileStatus.OK
    if expected and actual != expected:
        status = FileStatus.DAMAGED
    if expected:
        # Damaged bytes may have the old size and time; 0 is a time that no file of ours has.
        mtime = stat.st_mtime_ns if status is FileStatus.OK else 0
        with suppress(OSError):  # in a read-only folder the check is worth no less
            write_record(folder, file.name, Record(stat.st_size, mtime, expected, given_by))
    return FileCheck(entry.id, file.name, path, status, stat.st_size, actual, expected, given_by)


def expectation(file: FileEntry, known: Record | None) -> tuple[str, str]:
    """The SHA-256 that the file should have and who says so; two empty strings when nobody does."""
    if file.sha256 is not None:
        return file.sha256, "catalogue"
    return (known.sha256, known.given_by) if known is not None else ("", "")


@_translated()
def require_removable(spec: str) -> ModelEntry:
    """The model, of which something is on this machine.

    Raises:
        UnknownModelError: `spec` names nothing.
        UsageError: `spec` is a file of the person's own.
        ModelMissingError: nothing of it is here.
    """
    ref = resolve(spec)
    if ref.path is not None:
        raise UsageError(f"{ref.path} is a file of your own", hint="Remove it as you remove other files.")
    entry = _entry(ref)
    folder = model_folder(entry)
    names = (TEMPORARY_NAME, *(file.name for file in entry.files))
    if not any((folder / name).exists() for name in names):
        raise ModelMissingError(f"{entry.id} is not on this machine", hint="There is nothing to remove.")
    return entry


@_translated()
def remove(spec: str) -> int:
    """Take a model, and what is there of an unfinished pull, off this machine.

    Returns:
        Bytes freed.

    Raises:
        UsageError: `spec` is a file of the person's own.
        ModelMissingError: nothing of it is here.
        ModelError: it is being pulled, or cannot be removed.
    """
    entry = require_removable(spec)
    folder = model_folder(entry)
    with locked(entry):
        try:
            return _remove(entry, folder)
        except OSError as error:
            raise ModelError(
                f"{folder} cannot be removed: {error.strerror}", hint="Check who owns it."
            ) from error


def _remove(entry: ModelEntry, folder: Path) -> int:
    before = _bytes_below(folder)
    shutil.rmtree(folder / TEMPORARY_NAME, ignore_errors=True)
    for file in entry.files:
        (folder / file.name).unlink(missing_ok=True)
    # The files of other models stay: a hub repository has many in one folder.
    records = {name: asdict(value) for name, value in read_records(folder).items()}
    left = {name: fields for name, fields in records.items() if (folder / name).is_file()}
    if left:
        (folder / RECORD_NAME).write_text(json.dumps(left, indent=1) + "\n", encoding="utf-8")
        return before - _bytes_below(folder)
    shutil.rmtree(folder)
    return before


@_translated()
def pulled_from_hub() -> list[str]:
    """The specs ``hf:owner/repo/file`` of files on this machine that the catalogue does not name."""
    found = []
    root = settings().models_dir.expanduser()
    for folder in sorted(root.glob("hf--*--*")):
        owner, _, repository = folder.name.removeprefix("hf--").partition("--")
        found += [f"{HUB_PREFIX}{owner}/{repository}/{name}" for name in sorted(read_records(folder))]
    return found


@contextmanager
def locked(entry: ModelEntry, *, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the model's lock, so that pulls and removals take turns.

    Args:
        entry: the model.
        on_wait: called once when another process holds the lock, which is then waited for; None: do not wait.

    Raises:
        ModelError: another process holds it, and `on_wait` is None.
    """
    from filelock import FileLock, Timeout

    locks = settings().models_dir.expanduser().absolute() / ".locks"
    locks.mkdir(parents=True, exist_ok=True)
    lock = FileLock(locks / f"{entry.folder}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if on_wait is None:
            raise ModelError(
                f"another process is busy with {entry.id}", hint="Try again when it is done."
            ) from None
        on_wait()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _entry(ref: ModelRef) -> ModelEntry:
    assert ref.entry is not None  # a ref has either a path or an entry
    return ref.entry


def _require_kind(ref: ModelRef, kind: Kind) -> None:
    actual = ref.entry.kind if ref.entry is not None else Kind.LANGUAGE
    if actual is kind:
        return
    does = "makes vectors, not answers" if actual is Kind.EMBEDDER else "makes answers, not vectors"
    setting = "LOCALMEM_EMBEDDER" if kind is Kind.EMBEDDER else "--model or LOCALMEM_MODEL"
    raise ModelError(f"{ref.spec} {does}", hint=f"Name another with {setting}; see: localmem models list")


def _require(entry: ModelEntry, folder: Path, file: FileEntry) -> None:
    try:
        size = (folder / file.name).stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        partly = " (a pull of it was begun)" if (folder / TEMPORARY_NAME).is_dir() else ""
        what = entry.id if len(entry.files) == 1 else f"{file.name} of {entry.id}"
        raise _missing(entry, f"{what} is not on this machine{partly}") from None
    known = read_records(folder).get(file.name)
    expected = file.bytes if file.sha256 is not None else known.bytes if known is not None else size
    if size != expected:
        raise _missing(entry, f"{file.name} of {entry.id} has {size} bytes instead of {expected}")


def _missing(entry: ModelEntry, what: str) -> ModelMissingError:
    return ModelMissingError(what, hint=f"Get it with `localmem models pull {entry.id}`.")


def _stat_key(path: Path, stat: os.stat_result) -> str:
    text = f"{path.resolve()}\n{stat.st_size}\n{stat.st_mtime_ns}"
    return "stat-" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
