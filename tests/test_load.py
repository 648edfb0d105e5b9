"""`scripts/load.py`, for a moment: several processes on one memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_readers_and_writers_lose_nothing(tmp_path: Path) -> None:
    command = [
        "--seconds",
        "2",
        "--readers",
        "2",
        "--writers",
        "2",
        "--ingests",
        "20",
        "--out",
        tmp_path / "load.txt",
    ]
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "load.py", *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["wrong"] == []
    assert result["alone"]["descriptors_last"] <= result["alone"]["descriptors_first"] + 2
