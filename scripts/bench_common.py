"""What the benchmark scripts share: facts about the machine, and how a result is written."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def sha256(path: Path) -> str:
    """SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def machine() -> dict[str, Any]:
    """Date and processor."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": f"{model}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
    }


def write_result(path: Path, facts: dict[str, Any], lines: list[str], result: dict[str, Any]) -> None:
    """Print facts, table and the final JSON line, and keep them in a file."""
    text = "\n".join(
        [
            *(f"{key}: {value}" for key, value in facts.items()),
            "",
            *lines,
            "",
            json.dumps({**result, **facts}),
        ]
    )
    print(text)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
