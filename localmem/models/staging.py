"""The place within a model's folder where files grow, and the step that gives them their name."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from localmem.errors import DigestError, DownloadError
from localmem.models.entries import FileEntry, ModelEntry
from localmem.models.local import TEMPORARY_NAME, Record, sha256_of, write_record
from localmem.models.progress import Progress

SLACK = 16 << 20
"""Bytes that stay free: a disk that is filled to the brim breaks other programs."""


@dataclass(frozen=True, slots=True)
class Staging:
    """One pull of one model, under the model's lock."""

    entry: ModelEntry
    folder: Path
    progress: Progress

    def temporary(self, name: str) -> Path:
        """Where a piece of this pull stands; the same in the next process, so that it can go on."""
        below = self.folder / TEMPORARY_NAME
        below.mkdir(parents=True, exist_ok=True)
        return below / name.replace("/", "--")

    def part(self, file: FileEntry, sha256: str) -> Path:
        """Where a file grows. The digest is in its name, so that only the same bytes are gone on with."""
        return self.temporary(f"{file.name}.{sha256[:12]}.part")

    def require_space(self, needed: int) -> None:
        """Refuse to begin what the disk cannot hold.

        Raises:
            DownloadError: fewer than `needed` bytes are free.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.folder).free
        if free < needed + SLACK:
            raise DownloadError(
                f"pulling {self.entry.id} needs {readable(needed + SLACK)} in {self.folder}, "
                f"where {readable(free)} are free",
                hint="Free some space, or set LOCALMEM_MODELS_DIR to a folder on another disk.",
            )

    def deliver(
        self,
        file: FileEntry,
        part: Path,
        *,
        sha256: str,
        given_by: str,
        source: str,
        actual: str | None = None,
    ) -> None:
        """Give a finished file its name, if its bytes are right.

        Args:
            file: which.
            part: where it grew.
            sha256: as it must be.
            given_by: who says so, "catalogue" or "hub".
            source: who gave the bytes, for the error.
            actual: its SHA-256 when that is computed already.

        Raises:
            DigestError: the bytes are wrong; they are removed.
        """
        actual = actual or sha256_of(part)
        if actual != sha256:
            part.unlink()
            raise DigestError(
                f"{source} gave other bytes for {file.name} (SHA-256 {actual[:12]}… instead of "
                f"{sha256[:12]}…); they were removed",
                hint="Try another --source, or look for a newer localmem.",
            )
        sync(part)
        target = self.folder / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        part.replace(target)
        sync(target.parent)
        stat = target.stat()
        write_record(self.folder, file.name, Record(stat.st_size, stat.st_mtime_ns, actual, given_by))

    def clear(self) -> None:
        """Take away what is left of the pull."""
        shutil.rmtree(self.folder / TEMPORARY_NAME, ignore_errors=True)


def sync(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk now."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def readable(count: int) -> str:
    """Bytes for people: "1.1 GB"."""
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
