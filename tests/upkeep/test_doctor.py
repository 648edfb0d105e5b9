"""What the doctor finds, and how it says to mend it."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from localmem.errors import ModelMissingError
from localmem.index import cachefile
from localmem.memory import examine
from localmem.models import FileCheck, FileStatus, LocalModel
from localmem.settings import Settings
from localmem.store import Store
from localmem.tasks import Op, Operation
from localmem.upkeep import doctor
from localmem.upkeep.doctor import Finding, State
from localmem.values import Turn
from tests.upkeep.support import opened, told
from tests.upkeep.test_forget import TALK


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where all is well: folder of a memory `work.db`, with engines and models that are there."""
    for name in ("memories", "models", "prefixes", "state"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(f"LOCALMEM_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("LOCALMEM_EMBEDDER", "fake-hashing")
    monkeypatch.setattr(doctor, "_start", lambda module: None)
    monkeypatch.setattr(doctor.models, "locate", lambda spec, **_: SimpleNamespace(digest="ab" * 32))
    monkeypatch.setattr(doctor.models, "verify", lambda spec: [check(spec, FileStatus.OK)])
    told(tmp_path / "memories" / "work.db", TALK)
    return tmp_path / "memories"


def check(spec: str, status: FileStatus) -> FileCheck:
    digest = hashlib.sha256(spec.encode()).hexdigest()
    return FileCheck(spec, "model.gguf", Path("/models") / spec, status, 9, digest, digest, "catalogue")


def found(name: str = "work", **options: Any) -> list[Finding]:
    return list(examine(name, **options))


def faults(findings: Iterable[Finding]) -> list[Finding]:
    bad = [one for one in findings if one.state is State.FAULT]
    assert all(one.mend for one in bad)
    return bad


def test_where_all_is_well_nothing_is_wrong(world: Path) -> None:
    findings = found()
    assert faults(findings) == []
    assert {one.what for one in findings} >= {
        "engine", "model", "threads", "memory", "integrity", "recall", "tasks", "embedder", "index", "file mode", "disk",
    }  # fmt: skip


def test_a_memory_that_is_not_there_is_a_fault_if_it_was_named(world: Path) -> None:
    assert [one.what for one in faults(found("nothing"))] == ["memory"]
    assert faults(examine(None)) == []
    assert sorted(file.name for file in world.iterdir()) == ["work.db"]


def test_an_engine_that_does_not_load_is_named_with_the_package_that_brings_it(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_start", lambda module: "no such file" if module == "faiss" else None)
    (fault,) = faults(found())
    assert "no such file" in fault.text
    assert fault.mend.endswith("faiss-cpu")


def test_an_engine_is_loaded_in_a_process_of_its_own() -> None:
    assert doctor._start("json") is None
    assert (
        doctor._start("no_such_module_at_all")
        == "ModuleNotFoundError: No module named 'no_such_module_at_all'"
    )


def test_an_engine_that_ends_its_process_is_told_from_one_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deadly.py").write_text(
        "import os, signal; os.kill(os.getpid(), signal.SIGILL)", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert doctor._start("deadly") == "it was ended by signal 4; it may be built for another processor"


def test_a_model_that_is_missing_or_damaged_is_a_fault(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.models, "verify", lambda spec: [check(spec, FileStatus.DAMAGED)])
    assert [one.mend.split()[:3] for one in faults(found())] == [["localmem", "models", "pull"]] * 2
    assert faults(found(digests=False)) == []

    def missing(spec: str, **_: object) -> LocalModel:
        raise ModelMissingError(f"{spec} is not on this machine", hint=f"localmem models pull {spec}")

    monkeypatch.setattr(doctor.models, "locate", missing)
    assert [one.what for one in faults(found())] == ["model", "model"]


@pytest.mark.parametrize("suffix", ["", "-turns.index"])
def test_a_file_that_others_can_read_is_a_fault(world: Path, suffix: str) -> None:
    file = world / f"work.db{suffix}"
    file.touch()
    file.chmod(0o644)
    (fault,) = faults(found())
    assert (fault.what, fault.mend) == ("file mode", f"chmod 600 {file}")


def test_a_folder_that_others_can_write_is_a_fault(world: Path) -> None:
    for folder in (world, world.parent / "models"):
        folder.chmod(0o777)
    assert [one.mend for one in faults(found())] == [
        f"chmod go-w {world}", f"chmod go-w {world.parent / 'models'}",
    ]  # fmt: skip


def test_what_was_typed_in_chats_is_for_its_owner_only(world: Path) -> None:
    typed = world.parent / "state" / "chat" / "work-0"
    typed.parent.mkdir()
    typed.write_text("+hello\n", encoding="utf-8")
    typed.chmod(0o644)
    (fault,) = faults(found())
    assert fault.mend == f"chmod 600 {typed}"


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("DELETE FROM turn_vector WHERE turn = 2", "no vector"),
        ("UPDATE turn SET position = 77 WHERE id = 2", "lacks a turn"),
        ("UPDATE turn SET text = 'other words' WHERE id = 2", "word index"),
        ("PRAGMA foreign_keys = OFF; DELETE FROM transcript", "refers to nothing"),
    ],
)
def test_damage_inside_is_found(world: Path, damage: str, says: str) -> None:
    connection = sqlite3.connect(world / "work.db")
    connection.executescript(damage)
    connection.commit()
    connection.close()
    assert any(says in one.text for one in faults(found()))


def test_a_file_that_cannot_be_opened_is_one_fault(world: Path) -> None:
    (world / "work.db").write_bytes(b"no memory at all")
    assert [one.what for one in faults(found())] == ["memory"]


@pytest.mark.parametrize("what", ["folder", "pipe", "loop", "dangling", "empty"])
def test_what_stands_in_the_place_of_a_memory_is_one_fault(world: Path, what: str) -> None:
    path = world / "work.db"
    path.unlink()
    {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "loop": lambda: path.symlink_to(path.name),
        "dangling": lambda: path.symlink_to("nothing.db"),
        "empty": lambda: path.touch(mode=0o600),
    }[what]()
    (fault,) = faults(found())
    assert (fault.what, bool(fault.mend)) == ("memory", True)


def test_tasks_that_cannot_be_read_are_a_fault(world: Path) -> None:
    with opened(world / "work.db") as memory:
        memory.tasks.apply(None, [Operation(Op.ADD, -1, "soup")])
        memory._store._run("UPDATE task_operation SET op = 'explode'")
    assert any("the tasks cannot be read" in one.text for one in faults(found()))


def test_another_embedder_than_that_of_the_settings_is_a_fault(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALMEM_EMBEDDER", "all-minilm-l6-v2")
    (fault,) = faults(found())
    assert fault.mend.startswith("Set LOCALMEM_EMBEDDER=fake-hashing")


def test_a_cache_of_another_state_is_said_and_no_fault(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cachefile, "WORTHWHILE", 1)
    with opened(world / "work.db") as memory:
        memory.search("ferry")
    assert [one.text for one in found() if one.what == "index"] == [
        "turns: a cache that fits", "threads: a cache that fits",
    ]  # fmt: skip
    told(world / "work.db", [Turn("Dan", "New.", None, "1")], "more")
    assert "next search" in next(one.text for one in found() if one.what == "index")
    assert faults(found()) == []


def test_a_full_disk_is_a_fault(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    assert {one.what for one in faults(found())} == {"disk"}


def test_more_threads_than_cores_is_a_note(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "physical_cores", lambda: 2)
    monkeypatch.setenv("LOCALMEM_THREADS", "64")
    assert [one.what for one in found() if one.state is State.NOTE] == ["threads"]


def test_it_changes_no_byte_of_a_memory(world: Path) -> None:
    before = (world / "work.db").read_bytes()
    found()
    assert (world / "work.db").read_bytes() == before
    assert [file.name for file in world.iterdir()] == ["work.db"]


def test_no_setting_is_needed() -> None:
    assert (
        faults(one for one in examine(None, settings=Settings(), digests=False) if one.what == "file mode")
        == []
    )


def test_a_sound_store_has_no_disorder(tmp_path: Path) -> None:
    with Store.open(tmp_path / "new.db") as store:
        assert store.disorder() == []
