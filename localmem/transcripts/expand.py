"""From arguments to files."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from localmem.errors import TranscriptError, UsageError
from localmem.transcripts.bundle import is_export

STDIN = Path("-")

_BINARY_KINDS = {
    "archives": (".7z", ".bz2", ".gz", ".jar", ".rar", ".tar", ".tgz", ".xz", ".zst"),
    "documents": (".doc", ".docx", ".odt", ".pdf", ".ppt", ".pptx", ".xls", ".xlsx"),
    "images": (".bmp", ".gif", ".heic", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp"),
    "sound": (".aac", ".flac", ".m4a", ".mp3", ".ogg", ".opus", ".wav"),
    "video": (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".webm"),
    "programs": (".bin", ".dll", ".dylib", ".exe", ".o", ".pyc", ".so", ".ttf", ".wasm", ".woff", ".woff2"),
    "data": (".faiss", ".gguf", ".npy", ".npz", ".onnx", ".safetensors", ".sqlite", ".sqlite3"),
    "memories": (".db", ".db-journal", ".db-shm", ".db-wal", ".index"),
}
BINARY_ENDINGS = frozenset(ending for endings in _BINARY_KINDS.values() for ending in endings)
"""Left out of folders; a file that is named itself is tried whatever its ending."""


Refused = Callable[[str, TranscriptError], None]
"""Told of a folder inside that cannot be read, and why."""


def expand(paths: Sequence[str], refused: Refused | None = None) -> list[Path]:
    """Files of the arguments, each once, in their order; "-" stays "-".

    A folder gives its files and those of the folders inside, sorted by path, without hidden ones and known
    binary ones; one that is an export of many files is given itself. Links to folders are not followed. A path
    that does not exist and has `*`, `?` or `[` in it gives what it matches, `**` folders of any depth.

    Args:
        paths: as they were given.
        refused: None: a folder inside that cannot be read is an error; else it is told, and the rest is found.

    Raises:
        UsageError: an empty path, which is not the current folder.
        TranscriptError: a path does not exist, or a folder cannot be read or has no file to read.
    """
    found: dict[Path, None] = {}
    for given in paths:
        if not given:
            raise UsageError("An empty path is no file.", hint="The current folder is written as a dot: .")
        path = Path(given)
        try:
            is_folder, exists = path.is_dir(), path == STDIN or path.exists()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise TranscriptError(f"{given}: {reason}", hint="Check the path.") from None
        if is_folder and path != STDIN:
            found.update(dict.fromkeys(_files(path, refused)))
        elif exists:
            found[path] = None
        elif matched := _matched(given):
            found.update(dict.fromkeys(expand(matched, refused)))
        else:
            raise TranscriptError(
                f"{given}: no such file or folder",
                hint="Check the spelling; a relative path starts at the current folder.",
            )
    return list(found)


def _matched(given: str) -> list[str]:
    """Existing paths that a pattern matches, without hidden ones, in the order of their names."""
    if not glob.has_magic(given):
        return []
    # Path.glob takes no absolute patterns.
    names = glob.iglob(given, recursive=True)  # noqa: PTH207
    return sorted(name for name in names if name and os.path.lexists(name))


def _files(folder: Path, refused: Refused | None) -> list[Path]:
    unreadable: list[str] = []

    def refuse(error: OSError) -> None:
        place = str(error.filename)
        if place in unreadable:
            return
        unreadable.append(place)
        reason = TranscriptError(
            f"{place}: {error.strerror or error}", hint="Check that you may read the folder."
        )
        if refused is None:
            raise reason
        refused(place, reason)

    files = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        if is_export(Path(parent)):
            folders.clear()
            files.append(Path(parent))
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(parent, name)
            try:
                if not name.startswith(".") and path.suffix.lower() not in BINARY_ENDINGS and path.is_file():
                    files.append(path)
            except OSError as error:  # a folder whose names may be read, but not its files
                refuse(type(error)(error.errno, error.strerror, parent))
    if not files and not unreadable:
        raise TranscriptError(
            f"{folder}: no file to read in this folder", hint="Hidden and binary files are left out."
        )
    return sorted(files)
