"""A file or folder that cannot be written. Permissions do not bind root, so it becomes someone else first."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from localmem.store import Store
from localmem.store import file as store_file
from tests.store.support import begin

AS_SOMEONE_ELSE = """
import os, sys
from pathlib import Path
from localmem.errors import StoreError
from localmem.store import Store
from tests.store.support import begin, texts
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
path = Path(sys.argv[1])
try:
    with Store.open(path) as store:
        print(store.read_only, texts(store, 1), store.search_words(["alpha"], 1)[0][0], store.check())
        begin(store, "more")
except StoreError as error:
    print(str(error).replace(str(path), "FILE"), "|", error.hint)
"""


def as_someone_else(path: Path) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", AS_SOMEONE_ELSE, str(path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert run.stderr == ""
    return run.stdout.splitlines()


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    """A readable folder outside the private ones of pytest; to be filled and then locked by the test."""
    folder = Path(mkdtemp())
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)


READS_ONLY = ["True ['alpha', 'beta'] 1 []", "FILE: it is read-only. | " + store_file.READ_ONLY_HINT]


def lock(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)


def test_a_read_only_folder_can_be_read(locked_folder: Path) -> None:
    path = locked_folder / "memory.db"
    with Store.open(path) as store:
        begin(store, "alpha", "beta")
    lock(locked_folder)
    assert as_someone_else(path) == READS_ONLY
    assert [file.name for file in locked_folder.iterdir()] == ["memory.db"]


def test_a_read_only_folder_can_be_read_while_its_owner_writes(locked_folder: Path) -> None:
    path = locked_folder / "memory.db"
    with Store.open(path) as store:
        begin(store, "alpha", "beta")
        lock(locked_folder)
        assert as_someone_else(path) == READS_ONLY


def test_a_log_that_cannot_be_read_is_never_passed_over(locked_folder: Path) -> None:
    path, copy = locked_folder / "memory.db", locked_folder / "copy.db"
    with Store.open(path) as store:
        begin(store, "alpha", "beta")
        shutil.copy(path, copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")
    lock(locked_folder)
    [line] = as_someone_else(copy)
    assert "its latest changes are in copy.db-wal" in line


def test_nothing_can_be_made_in_a_read_only_folder(locked_folder: Path) -> None:
    lock(locked_folder)
    [line] = as_someone_else(locked_folder / "memory.db")
    assert line.startswith("FILE: Permission denied.")
