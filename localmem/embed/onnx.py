"""The built-in embedder: onnxruntime and tokenizers, no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from localmem.embed import files, telemetry
from localmem.embed.text import clean
from localmem.errors import EmbedderError

telemetry.opt_out()  # it is read when the engine is imported
import onnxruntime  # noqa: E402

_BATCH_TOKENS = 1024
"""Tokens in a batch, padding included: measured, see scripts/results/bench_embed.md."""
_LONGEST_WORD = 100
"""Characters of the longest word that WordPiece splits; a longer one is a single unknown token."""


class OnnxEmbedder:
    """A BERT-like encoder with mean pooling, from an ONNX file.

    The file keeps its weights as int8 and computes in float32, so a vector does not depend on what else is in its
    batch, but for the last bits of float32.

    Raises:
        EmbedderError: a file is missing, damaged, or of a model that pools otherwise.
    """

    def __init__(self, id: str, folder: Path, *, threads: int | None = None) -> None:
        if not files.pools_by_mean(folder):
            raise EmbedderError(
                f"{folder} is not a model with mean pooling", hint="Use the sentence-transformers backend."
            )
        length = files.read_json(folder, files.SHAPE).get("max_seq_length") or 512
        for name in (files.TOKENIZER, files.ONNX):
            if not (folder / name).is_file():
                raise EmbedderError(f"{folder / name} is missing", hint=f"localmem models pull {folder.name}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or 0
        options.log_severity_level = 3  # errors; they are raised as well
        # Threads that spin while they wait take the processor from the model of language.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / files.TOKENIZER))
            self._tokenizer.enable_truncation(length)
            self._tokenizer.no_padding()
            # Bytes instead of a path: onnxruntime on Windows is particular about non-ASCII ones.
            self._session = onnxruntime.InferenceSession(
                (folder / files.ONNX).read_bytes(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            # Both libraries raise plain Exception or their own classes without a public base.
            raise EmbedderError(
                f"The embedder in {folder} cannot be loaded: {_first_line(error)}",
                hint=f"localmem models verify {folder.name}",
            ) from error
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name
        self._characters = length * _LONGEST_WORD
        self._id = id
        self._dimension = int(self._session.get_outputs()[0].shape[-1])

    @property
    def id(self) -> str:
        """See `localmem.embed.protocol.Embedder`."""
        return self._id

    @property
    def dimension(self) -> int:
        """See `localmem.embed.protocol.Embedder`."""
        return self._dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `localmem.embed.protocol.Embedder`. Texts are cut at the model's length (256 tokens)."""
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        encodings = self._tokenizer.encode_batch([clean(text, self._characters) for text in texts])
        by_length = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        start = 0
        while start < len(by_length):
            stop = start + 1
            while (
                stop < len(by_length)
                and len(encodings[by_length[stop]].ids) * (stop + 1 - start) <= _BATCH_TOKENS
            ):
                stop += 1
            batch = by_length[start:stop]
            vectors[batch] = self._run([encodings[i] for i in batch])
            start = stop
        return vectors

    def _run(self, encodings: list[Encoding]) -> NDArray[np.float32]:
        shape = (len(encodings), len(encodings[-1].ids))
        ids = np.zeros(shape, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            (tokens,) = self._session.run(
                [self._output], {name: value for name, value in feed.items() if name in self._inputs}
            )
        except Exception as error:
            raise EmbedderError(f"The embedder failed: {_first_line(error)}") from error
        weights = mask[:, :, None].astype(np.float32)
        pooled = (tokens * weights).sum(axis=1) / weights.sum(axis=1)
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), dtype=np.float32)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
