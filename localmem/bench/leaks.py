"""Whether words of a case stand in a prompt: then the figures measure memory of the model's instructions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from localmem.errors import BenchError

RUN = 5
"""Words in a row that may not be the same."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A run of words that a case and a prompt share."""

    case: str
    """File of the case, from its folder."""
    prompt: str
    """File of the prompt, from its folder."""
    words: str

    def __str__(self) -> str:
        return f"{self.case} and {self.prompt}: {self.words}"


def leaks(cases_dir: Path | str, prompts_dir: Path | str) -> list[Leak]:
    """Every run of `RUN` words of any text in a case that stands in a file of the prompts too.

    Words are compared without case and marks, over the ends of lines; "wasn't" is one word as well as two.

    Args:
        cases_dir: folder of JSON files, those below it too.
        prompts_dir: folder whose files are all read.

    Raises:
        BenchError: a case is no JSON, or there is none; there is no prompt.
    """
    cases_dir, prompts_dir = Path(cases_dir), Path(prompts_dir)
    held: dict[tuple[str, ...], str] = {}
    for file in sorted(path for path in prompts_dir.rglob("*") if path.is_file()):
        for run in runs(re.sub(r"\\[nrt]", " ", file.read_text(encoding="utf-8", errors="replace"))):
            held.setdefault(run, str(file.relative_to(prompts_dir)))
    files = sorted(cases_dir.rglob("*.json"))
    for folder, found in ((prompts_dir, bool(held)), (cases_dir, bool(files))):
        if not found:
            raise BenchError(f"{folder} has nothing to compare.", hint="Name the folder with the files.")
    shared: dict[Leak, None] = {}
    for file in files:
        try:
            row = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BenchError(f"{file}: no JSON: {error}.", hint="A case is one JSON object a file.") from None
        for text in _texts(row):
            for run in sorted(runs(text)):
                if run in held:
                    shared[Leak(str(file.relative_to(cases_dir)), held[run], " ".join(run))] = None
    return list(shared)


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of `RUN` words of a text."""
    folded = re.sub("[\u2019\u02bc]", "'", text.casefold())
    found: set[tuple[str, ...]] = set()
    for written in (folded, folded.replace("'", "")):
        words = re.findall(r"[^\W_]+", written)
        found |= {tuple(words[place : place + RUN]) for place in range(len(words) - RUN + 1)}
    return found


def _texts(row: object) -> Iterator[str]:
    if isinstance(row, str):
        yield row
    elif isinstance(row, dict):
        for value in row.values():
            yield from _texts(value)
    elif isinstance(row, list):
        for value in row:
            yield from _texts(value)
