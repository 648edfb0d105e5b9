"""What a person names, to what it means: a catalogue id, a .gguf file, or a file on the hub."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from localmem.errors import ModelMissingError, UnknownModelError
from localmem.models.entries import FILE_PATTERN, Backend, FileEntry, Kind, ModelEntry, Repository, Source
from localmem.models.entries import catalogue as shipped_catalogue

HUB_PREFIX = "hf:"
_SPLIT = re.compile(r"^(?P<stem>.+)-\d{5}-of-(?P<count>\d{5})\.gguf$")


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model that was named: either `entry` or `path` is set."""

    spec: str
    """As it was named; `localmem models pull` takes it."""
    entry: ModelEntry | None = None
    """From the catalogue, or made for a file on the hub."""
    path: Path | None = None
    """A .gguf file of the person's own."""


def resolve(spec: str) -> ModelRef:
    """What `spec` names: a catalogue id, ``hf:owner/repo/file.gguf``, or a path to a .gguf file.

    Raises:
        UnknownModelError: none of them.
        ModelMissingError: a path where no file is.
    """
    entry = shipped_catalogue().by_id.get(spec)
    if entry is not None:
        return ModelRef(spec, entry=entry)
    if spec.startswith(HUB_PREFIX):
        return ModelRef(spec, entry=_hub_entry(spec))
    if spec.lower().endswith(".gguf"):
        path = Path(spec).expanduser().absolute()
        if not path.is_file():
            raise ModelMissingError(
                f"there is no model file {path}", hint="Check the path, or see `localmem models list`."
            )
        return ModelRef(spec, path=path)
    known = list(shipped_catalogue().by_id)
    close = difflib.get_close_matches(spec, known, n=1)
    raise UnknownModelError(
        f"there is no model {spec!r}" + (f"; did you mean {close[0]!r}?" if close else ""),
        hint=f"Known: {', '.join(known)}; or a path to a .gguf file, or hf:owner/repo/file.gguf.",
    )


def _hub_entry(spec: str) -> ModelEntry:
    owner, _, rest = spec.removeprefix(HUB_PREFIX).partition("/")
    repository, _, name = rest.partition("/")
    full = f"{owner}/{repository}"
    if (
        re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*", full) is None
        or re.fullmatch(FILE_PATTERN, name) is None
        or not name.lower().endswith(".gguf")
    ):
        raise UnknownModelError(
            f"{spec!r} is not a file on the hub", hint="Write it as hf:owner/repo/file.gguf."
        )
    # A large model may be split over several files, which the engine reads from the first.
    split = _SPLIT.match(name)
    count = int(split["count"]) if split else 0
    names = [f"{split['stem']}-{i:05}-of-{count:05}.gguf" for i in range(1, count + 1)] if split else [name]
    return ModelEntry(
        id=f"{HUB_PREFIX}{full}/{names[0]}",
        what=f"{name} of {full}",
        kind=Kind.LANGUAGE,
        licence="as its repository says",
        sources=(Source.HUB,),
        hub=Repository(repository=full),
        files=tuple(FileEntry(name=n, needed_by=frozenset({Backend.LLAMA}), hub=n) for n in names),
    )
