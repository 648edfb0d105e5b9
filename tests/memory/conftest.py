"""A place for a memory, and a file to read into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.support import TALK


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    return file
