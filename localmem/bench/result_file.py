"""Results of a benchmark as they come: one JSON line each, so that a run that was cut off goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Self, TextIO, TypeVar

from localmem.errors import BenchError

T = TypeVar("T")


class ResultFile(Generic[T]):
    """A file of results; each line is on disk when `_write` returns. Use it as a context manager.

    Args:
        path: JSON lines, made if missing; None: nothing is kept.
        result: makes a result of the value of a line; a KeyError, TypeError, ValueError or AttributeError says
            that it is none.
        start: what every line begins with, by which one that a killed run has left unfinished is known.

    Raises:
        BenchError: the file holds something else, or cannot be read or written.
    """

    def __init__(self, path: Path | None, result: Callable[[Any], T], *, start: str) -> None:
        self._kept: list[T] = []
        self._file: TextIO | None = None
        if path is None:
            return
        try:
            kept = path.read_bytes() if path.exists() else b""
            self._kept = _read(kept, path, result, start)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", encoding="utf-8")
            if kept and not kept.endswith(b"\n"):  # it was cut off within a line
                self._file.write("\n")
        except OSError as error:
            raise BenchError(
                f"{path} cannot be used: {error.strerror}.", hint="Name another file with --out."
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, row: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._file.flush()


def _read(kept: bytes, path: Path, result: Callable[[Any], T], start: str) -> list[T]:
    found = []
    for number, line in enumerate(kept.decode("utf-8", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(result(json.loads(line)))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            # A run that was killed has left the beginning of a line; a later one went on after it.
            if isinstance(error, json.JSONDecodeError) and start.startswith(line[: len(start)]):
                continue
            raise BenchError(
                f"{path}, line {number}: that is no result of this benchmark.",
                hint="Name another file with --out.",
            ) from None
    return found
