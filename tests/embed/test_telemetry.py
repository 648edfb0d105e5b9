"""No engine reports to its maker, nor leaves anything in the user's folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from localmem.embed.telemetry import OPT_OUT
from localmem.upkeep import doctor

LOAD = "from localmem.embed import load; import sys; load('all-minilm-l6-v2', __import__('pathlib').Path(sys.argv[1]))"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder; nothing says yet that an engine is to be silent."""
    for name in [*OPT_OUT, *(name for name in os.environ if name.startswith("XDG_"))]:
        monkeypatch.delenv(name, raising=False)
    # In continuous integration, and in tests, the engine keeps silent by itself.
    for name in ("CI", "GITHUB_ACTIONS", "TF_BUILD"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.mark.engine
def test_the_embedder_leaves_nothing_in_the_home_folder(home: Path, embedder_path: Path) -> None:
    subprocess.run([sys.executable, "-c", LOAD, str(embedder_path)], check=True)
    assert list(home.rglob("*")) == []


@pytest.mark.engine
def test_the_doctor_leaves_nothing_in_the_home_folder(home: Path) -> None:
    for module in doctor.ENGINES:
        assert doctor._start(module) is None
    assert [path for path in home.rglob("*") if "onnx" in path.name or "DeveloperTools" in path.name] == []


def test_the_opt_out_stands_before_the_engine_is_imported() -> None:
    code = "import localmem.embed.onnx, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
