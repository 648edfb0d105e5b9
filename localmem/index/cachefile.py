"""The cache file: our header, then FAISS bytes that nothing reads before their checksum is right.

FAISS reads lengths from the bytes and trusts them: damaged ones make it allocate terabytes or crash.

    offset  size  field
    0       8     magic
    8       8     version of this layout
    16      8     length of what follows the header
    24      32    SHA-256 of the stamp
    56      32    SHA-256 of the first 56 bytes and of what follows the header

All numbers are little-endian.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import struct
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WORTHWHILE = 2000
"""Vectors from which reading the cache beats reading the memory file and building (scripts/bench_embed.py)."""
STALE = 0.02
"""Share of the vectors that may be missing in a cache, or be too many, before it is written again."""
MOST_STALE = 20_000
"""Vectors that may be, however large the cache is."""
_MAGIC = b"lmindex\n"
_VERSION = 1
_FIELDS = struct.Struct("<8sQQ32s")
_HEADER = _FIELDS.size + 32
_ABANDONED_SECONDS = 600.0


def _digest(*parts: bytes | memoryview) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def read(path: Path, stamp: str) -> NDArray[np.uint8] | None:
    """The payload of a sound cache file with this stamp, else None."""
    payload, current = read_any(path, stamp)
    return payload if current else None


def read_any(path: Path, stamp: str) -> tuple[NDArray[np.uint8] | None, bool]:
    """The payload of a sound cache file, or None, and whether it has this stamp."""
    try:
        if not path.is_file():  # opening a pipe would wait for its other end
            return None, False
        with path.open("rb") as file:
            header = file.read(_HEADER)
            if len(header) < _HEADER:
                return None, False
            magic, version, length, stamped = _FIELDS.unpack_from(header)
            if (magic, version) != (_MAGIC, _VERSION):
                return None, False
            if length != os.fstat(file.fileno()).st_size - _HEADER:
                return None, False
            payload = np.fromfile(file, dtype=np.uint8, count=length)
    except OSError:
        return None, False
    if header[_FIELDS.size :] != _digest(header[: _FIELDS.size], payload.data):
        return None, False
    return payload, stamped == _digest(stamp.encode())


def write(path: Path, stamp: str, payload: NDArray[np.uint8]) -> None:
    """Put a cache file in place, whole or not at all, readable by its owner alone."""
    fields = _FIELDS.pack(_MAGIC, _VERSION, payload.nbytes, _digest(stamp.encode()))
    # A folder that cannot be written, or a full disk: the next process builds the index again.
    with contextlib.suppress(OSError):
        _sweep(path)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(fields + _digest(fields, payload.data))
                file.write(payload.data)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def remove(path: Path, *, unfinished: bool = False) -> None:
    """Delete a cache that no longer stands for anything: it may hold vectors of forgotten turns.

    Args:
        path: of the cache.
        unfinished: what others are just writing too; they go on without a cache.
    """
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        if unfinished:
            _sweep(path, 0.0)


def _sweep(path: Path, seconds: float = _ABANDONED_SECONDS) -> None:
    """Delete what killed writers left behind, if it is that old."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        if time.time() - left.stat().st_mtime >= seconds:
            left.unlink(missing_ok=True)
