"""The benchmark of kept prefixes, on the small model: it runs, and prefixes are kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.engine
@pytest.mark.slow
def test_kept_prefixes_are_not_evaluated_again(small_model_path: Path, tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "bench_prefixes.py"
    options = ["--rounds", "2", "--fixed", "150", "--results", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, str(script), str(small_model_path), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["fixed_tokens"] >= 3 * 150
    assert result["evaluated_share_after_first_round"] < 0.05
    assert result["times_faster"] > 1
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == [done.stdout]
