"""Makes localmem/recall/related.npz: which words mean something alike, for `localmem/recall/related.py`.

    python scripts/make_related_words.py

Every word and word piece of the embedder's own vocabulary that is written in a to z is encoded alone; the vectors
are turned to their first principal directions (not centred, so that cosines stay what they are), cut to
`DIMENSIONS`, made unit vectors again and kept as signed bytes. Half a minute. The vocabulary is the same for
everybody, so the file holds nothing of anybody's transcripts. The last line is JSON.
"""

from __future__ import annotations

import json
import re

import numpy as np
from bench_common import machine, sha256

from localmem import embed, models
from localmem.models import Backend, Kind
from localmem.recall import related

EMBEDDER = "all-minilm-l6-v2"
DIMENSIONS = 96
"""Of 384. With 64 the share of gold turns falls by half a point, with 128 it does not rise (scripts/LOG.md)."""


def main() -> None:
    local = models.locate(EMBEDDER, backend=Backend.ONNX, kind=Kind.EMBEDDER)
    vocabulary = json.loads((local.folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    tokens = [token for token in sorted(vocabulary, key=vocabulary.get) if re.fullmatch("(##)?[a-z]+", token)]
    vectors = embed.load(local.id, local.folder).encode([token.removeprefix("##") for token in tokens])
    directions = np.linalg.svd(vectors.astype(np.float64), full_matrices=False)[2][:DIMENSIONS]
    short = vectors @ directions.T
    short /= np.abs(short).max(axis=1, keepdims=True)
    np.savez(
        related.TABLE,
        tokens=np.frombuffer("\n".join(tokens).encode("ascii"), dtype=np.uint8),
        vectors=np.round(short * 127).astype(np.int8),
    )
    size = related.TABLE.stat().st_size
    print(
        json.dumps(
            {"tokens": len(tokens), "bytes": size, "embedder_sha256": sha256(local.folder / "model.onnx")}
            | machine()
        )
    )


if __name__ == "__main__":
    main()
