"""The figures that localmem promises, each measured against a baseline in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from localmem.memory import Memory

pytestmark = [pytest.mark.engine, pytest.mark.slow]

ROOT = Path(__file__).parent.parent


@pytest.fixture
def locomo() -> Path:
    named = os.environ.get("LOCALMEM_TEST_LOCOMO")
    if not named or not Path(named).exists():
        pytest.skip("no LoCoMo data: set LOCALMEM_TEST_LOCOMO to a LoCoMo file")
    return Path(named)


def fastest(command: list[str], environment: dict[str, str], times: int) -> float:
    best = float("inf")
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        best = min(best, time.perf_counter() - begun)
    return best


def test_recall_on_a_locomo_conversation_is_above_three_quarters_and_every_baseline(
    locomo: Path, embedder_path: Path, tmp_path: Path
) -> None:
    out = subprocess.run(
        [
            sys.executable,
            ROOT / "scripts" / "bench_recall.py",
            "--data",
            locomo,
            "--conversations",
            "conv-30",
            "--out",
            tmp_path / "recall.md",
        ],
        env=os.environ | {"LOCALMEM_MODELS_DIR": str(embedder_path.parent)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    figures = json.loads(out.splitlines()[-1])
    assert figures["localmem"] >= 0.75
    assert figures["localmem"] > max(figures["dense"], figures["bm25"], figures["rrf"])
    assert figures["units"] <= 16


def test_a_whole_search_takes_a_quarter_of_importing_sentence_transformers_at_most(
    embedder_path: Path, tmp_path: Path
) -> None:
    pytest.importorskip("sentence_transformers")
    chat = tmp_path / "chat.txt"
    lines = (ROOT / "samples" / "two-friends.txt").read_text("utf-8").splitlines()
    turns = [line for line in lines if line.startswith("[")]
    more = [line.replace("Ines", "Jo").replace("2025-", "2024-") for line in turns]
    again = [line.replace("Ruben", "Max").replace("2025-", "2023-") for line in turns]
    chat.write_text("\n".join([*turns, *more, *again]), encoding="utf-8")
    environment = os.environ | {"LOCALMEM_MODELS_DIR": str(embedder_path.parent)}
    memory = tmp_path / "memory.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCALMEM_MODELS_DIR", str(embedder_path.parent))
        with Memory.open(memory) as opened:
            opened.ingest(chat)
            assert opened.stats().turns >= 600
    search = [sys.executable, "-m", "localmem.cli.app", "search", "Who bought the Saab?", "-m", str(memory)]
    importing = [sys.executable, "-c", "import sentence_transformers"]
    assert fastest(search, environment, 3) * 4 <= fastest(importing, environment, 2)
