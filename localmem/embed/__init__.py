"""Text to vectors: the only package that imports onnxruntime or sentence-transformers.

Importing it imports neither, nor numpy: `load` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from localmem.embed.protocol import Embedder

__all__ = ["load", "load_with"]

Backend = Literal["auto", "onnx", "sentence-transformers"]


def load(spec: str, folder: Path, *, backend: Backend = "auto", threads: int | None = None) -> Embedder:
    """Load an embedder.

    Args:
        spec: the name that the user gave: a catalogue id, or a path.
        folder: where the model's files are.
        backend: `auto` takes the ONNX file where there is one that we can run, and sentence-transformers otherwise.
        threads: for the engine; None leaves the number to it.

    Raises:
        EmbedderError: files are missing or damaged, or the backend is not installed.
    """
    from localmem.embed import files

    files.check(spec, folder)
    if backend == "onnx" or (backend == "auto" and files.runs_on_onnx(folder)):
        from localmem.embed.onnx import OnnxEmbedder

        return OnnxEmbedder(files.identity(spec, folder, files.ONNX), folder, threads=threads)
    from localmem.embed.sentence import SentenceEmbedder

    return SentenceEmbedder(files.identity(spec, folder, files.WEIGHTS), folder, threads=threads)


def load_with(spec: str, folder: Path, backend: Backend, threads: int | None) -> Embedder:
    """`load` with the threads as the last argument, for `functools.partial`, which other processes can be given."""
    return load(spec, folder, backend=backend, threads=threads)
