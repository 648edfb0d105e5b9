"""Evaluated prefixes on disk, so that a new process does not read them again.

A file is a header (magic, token count, state size, SHA-256 of what follows), the tokens, and the engine's
state of the sequence. The engine only ever sees a state whose checksum is right.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import struct
import tempfile
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

LIMIT = 1 << 30
"""Bytes that all files may take together; the least recently used go first."""
_MAGIC = b"LMPREFX1"
_HEADER = struct.Struct("<8sQQ32s")
_SUFFIX = ".prefix"

log = logging.getLogger(__name__)


def prefix_key(identity: str, tokens: Sequence[int]) -> str:
    """Name of a prefix: `identity` says which model, engine and settings its state is good for."""
    digest = hashlib.sha256(identity.encode("utf-8"))
    digest.update(b"\0" + array("i", tokens).tobytes())
    return digest.hexdigest()


class PrefixStore:
    """A folder of evaluated prefixes. What cannot be read or written is logged and counts as absent."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self._folder = folder
        self._limit = limit

    def load(self, key: str, tokens: Sequence[int]) -> bytes | None:
        """The state kept under `key` if it is whole and belongs to `tokens`; a damaged file is deleted."""
        path = self._folder / (key + _SUFFIX)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        state = _unpack(raw, tokens)
        if state is None:
            log.warning("The kept prefix %s is damaged; it is evaluated again.", path.name)
            self.delete(key)
            return None
        try:
            os.utime(path)
        except OSError as error:
            log.info("Cannot mark %s as used: %s", path.name, error)
        return state

    def save(self, key: str, tokens: Sequence[int], state: bytes) -> None:
        """Keep a state; the file appears whole or not at all, readable by its owner only."""
        body = array("i", tokens).tobytes() + state
        header = _HEADER.pack(_MAGIC, len(tokens), len(state), hashlib.sha256(body).digest())
        temporary: str | None = None
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp gives mode 0600 from the start.
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".", suffix=".tmp")
            with os.fdopen(handle, "wb") as file:
                file.write(header)
                file.write(body)
            Path(temporary).replace(self._folder / (key + _SUFFIX))
        except OSError as error:
            log.warning("Cannot keep a prefix on disk: %s", error)
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)
            return
        self._make_room()

    def delete(self, key: str) -> None:
        """Forget what is kept under `key`."""
        try:
            (self._folder / (key + _SUFFIX)).unlink(missing_ok=True)
        except OSError as error:
            log.warning("Cannot delete a kept prefix: %s", error)

    def _make_room(self) -> None:
        hour_ago = time.time() - 3600
        for path in self._folder.glob(".*.tmp"):
            with contextlib.suppress(OSError):  # another process deleted it
                if path.stat().st_mtime < hour_ago:
                    path.unlink()
        files = []
        for path in self._folder.glob("*" + _SUFFIX):
            try:
                status = path.stat()
            except OSError:
                continue  # another process deleted it
            files.append((status.st_mtime_ns, status.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files)[:-1]:
            if total <= self._limit:
                break
            path.unlink(missing_ok=True)
            total -= size


def _unpack(raw: bytes, tokens: Sequence[int]) -> bytes | None:
    if len(raw) < _HEADER.size:
        return None
    magic, count, size, checksum = _HEADER.unpack_from(raw)
    body = memoryview(raw)[_HEADER.size :]
    wanted = array("i", tokens).tobytes()
    if magic != _MAGIC or count != len(tokens) or len(body) != len(wanted) + size:
        return None
    if body[: len(wanted)] != wanted or hashlib.sha256(body).digest() != checksum:
        return None
    return bytes(body[len(wanted) :])
