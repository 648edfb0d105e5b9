"""Any sentence-transformers model, for those who install the extra."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from localmem.embed.offline import offline
from localmem.embed.text import clean
from localmem.errors import EmbedderError

_BATCH = 32
_CHARACTERS = 1_000_000
"""More than any model reads; tokenizing all of a longer text would be work for nothing."""


class SentenceEmbedder:
    """A local sentence-transformers model.

    Raises:
        EmbedderError: the extra is not installed, or the folder holds no such model.
    """

    def __init__(self, id: str, folder: Path, *, threads: int | None = None) -> None:
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # read by the hub's client when it is imported
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise EmbedderError(
                f"sentence-transformers is not installed: {error}",
                hint="pip install 'localmem[sentence-transformers]'",
            ) from None
        logging.disable_progress_bar()
        if threads:
            torch.set_num_threads(threads)
        try:
            with offline():
                self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
                self._dimension = int(self._model.encode([""], show_progress_bar=False).shape[1])
        except Exception as error:
            # Whatever the model's own code raises: OSError, ValueError, KeyError, safetensors' own.
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise EmbedderError(
                f"The embedder in {folder} cannot be loaded: {reason}",
                hint="The folder must hold a sentence-transformers model.",
            ) from error
        self._id = id

    @property
    def id(self) -> str:
        """See `localmem.embed.protocol.Embedder`."""
        return self._id

    @property
    def dimension(self) -> int:
        """See `localmem.embed.protocol.Embedder`."""
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `localmem.embed.protocol.Embedder`. Texts are cut at the model's length."""
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        try:
            vectors = self._model.encode(
                [clean(text, _CHARACTERS) for text in texts],
                batch_size=_BATCH,
                normalize_embeddings=True,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        except Exception as error:
            raise EmbedderError(f"The embedder failed: {error}") from error
        return np.asarray(vectors, dtype=np.float32)
