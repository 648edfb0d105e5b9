"""What is in a model's folder, without any engine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from localmem.errors import EmbedderError

ONNX = "model.onnx"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
SHAPE = "sentence_bert_config.json"
POOLING = Path("1_Pooling") / "config.json"


def check(spec: str, folder: Path) -> None:
    """Raise an EmbedderError unless `folder` is there."""
    if not folder.is_dir():
        raise EmbedderError(
            f"The embedder {spec} is not on this machine: no folder {folder}",
            hint=f"localmem models pull {spec}",
        )


def read_json(folder: Path, name: str | Path) -> dict[str, Any]:
    """A configuration file of the model.

    Raises:
        EmbedderError: it is missing or no JSON object.
    """
    try:
        value = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EmbedderError(f"{folder / name} cannot be read: {error}", hint=_AGAIN) from None
    if not isinstance(value, dict):
        raise EmbedderError(f"{folder / name} is no JSON object", hint=_AGAIN)
    return value


def pools_by_mean(folder: Path) -> bool:
    """Whether a sentence's vector is the mean of its tokens' vectors, and nothing is added to it."""
    pooling = read_json(folder, POOLING)
    if "pooling_mode" in pooling:  # sentence-transformers 5 and later
        return bool(pooling["pooling_mode"] == "mean")
    on = [name for name, value in pooling.items() if name.startswith("pooling_mode_") and value is True]
    return on == ["pooling_mode_mean_tokens"]


def runs_on_onnx(folder: Path) -> bool:
    """Whether the ONNX path can run this model: all its files are there, and it pools by mean."""
    return all((folder / name).is_file() for name in (ONNX, TOKENIZER, SHAPE, POOLING)) and pools_by_mean(
        folder
    )


def identity(spec: str, folder: Path, weights: str) -> str:
    """The id to store with vectors.

    A catalogue id names verified bytes, so it is the id; its ONNX and full-precision vectors are close enough
    to stand in one index (see scripts/results/bench_embed.md). A folder can hold anything, so its id has a
    digest of the weights.
    """
    if Path(spec).name == spec and Path(spec).resolve() != folder.resolve():
        return spec
    file = folder / weights
    if not file.is_file():
        # Older and sharded models; their configuration tells them apart less surely, but names the architecture.
        file = next((path for path in sorted(folder.glob("*.safetensors"))), folder / "config.json")
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"{file} cannot be read: {error}", hint=_AGAIN) from None
    return f"{folder.resolve().name}@{digest[:12]}"


_AGAIN = "localmem models verify shows which files are damaged; localmem models pull fetches them again."
