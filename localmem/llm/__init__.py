"""Prompt and grammar to text: the only package that imports llama.cpp."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel
    from localmem.settings import Settings

__all__ = ["load"]


def load(
    path: Path,
    *,
    id: str | None = None,
    digest: str | None = None,
    settings: Settings | None = None,
    template: str | None = None,
) -> LlamaModel:
    """A model ready to generate; close it, or use it as a context manager.

    Args:
        path: a GGUF file.
        id: name of the model; by default the file's name and the start of its digest.
        digest: SHA-256 of the file in hex, where it is known; by default a fingerprint of sampled blocks.
        settings: by default those of the environment.
        template: chat template (Jinja) to use instead of the model's own; `localmem.llm.chat.CHATML` is one.

    Raises:
        EngineError: the file is missing, damaged or no chat model, or it does not fit the memory.
    """
    from localmem.llm.engine import LlamaModel

    return LlamaModel(path, id=id, digest=digest, settings=settings, template=template)
