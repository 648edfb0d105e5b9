"""When numba is loaded, and what a broken compilation cache does. Each in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import localmem

PACKAGE = Path(localmem.__file__).parent
RUN = """
from tests.select.build import candidates
from localmem.select import Budget, Mix, select
print(select(candidates(30), Budget(units=3), Mix(), implementation="numba").order.tolist())
"""


def run(code: str, root: Path | None = None, **environment: str) -> str:
    paths = os.pathsep.join(str(path) for path in (root, PACKAGE.parent) if path)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        cwd=root or PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_small_selection_in_a_fresh_process_does_not_load_numba():
    code = RUN.replace(', implementation="numba"', "") + "import sys; print('numba' in sys.modules)"
    assert run(code).splitlines()[-1] == "False"


@pytest.mark.slow
def test_a_process_that_has_the_kernel_goes_on_using_it():
    code = RUN + (
        "from localmem.select import reference; reference.greedy = None\n"
        "print(len(select(candidates(30), Budget(units=3), Mix()).order))"
    )
    assert run(code).splitlines()[-1] == "3"


@pytest.mark.slow
def test_a_damaged_compilation_cache_costs_a_compilation_and_nothing_else(tmp_path):
    cache = tmp_path / "cache"
    expected = run(RUN, NUMBA_CACHE_DIR=str(cache))
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert files
    for path in files:
        path.write_bytes(b"\x80\x05garbage")
    assert run(RUN, NUMBA_CACHE_DIR=str(cache)) == expected
    assert not [path for path in files if path.exists() and b"garbage" in path.read_bytes()]


@pytest.mark.slow
def test_it_runs_where_no_folder_for_the_compilation_cache_can_be_made(tmp_path):
    # A file where the folder should be stops even root, whom permissions do not.
    root = tmp_path / "site"
    shutil.copytree(PACKAGE, root / "localmem", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "localmem" / "select" / "__pycache__").write_text("")
    (root / "home").write_text("")
    home = {"HOME": str(root / "home"), "XDG_CACHE_HOME": str(root / "home")}
    code = "import localmem; print(localmem.__file__)" + RUN
    output = run(code, root, PYTHONDONTWRITEBYTECODE="1", LOCALAPPDATA=str(root / "home"), **home)
    assert output.splitlines()[0].startswith(str(root))
    assert output.splitlines()[1] == run(RUN)


@pytest.mark.slow
def test_a_read_only_installation_keeps_its_compilation_cache_in_the_users_folder(tmp_path):
    root = tmp_path / "site"
    shutil.copytree(PACKAGE, root / "localmem", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "localmem" / "select" / "__pycache__").write_text("")
    home = tmp_path / "home"
    home.mkdir()
    run(RUN, root, PYTHONDONTWRITEBYTECODE="1", HOME=str(home), XDG_CACHE_HOME=str(home / ".cache"))
    assert list(home.rglob("kernel.greedy*.nbi"))
