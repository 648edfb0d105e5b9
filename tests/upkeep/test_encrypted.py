"""Encrypted memories: nothing lies in the clear, and only the passphrase opens one."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
import unicodedata
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from localmem.errors import LocalmemError, NotAMemoryError, PassphraseError, StoreError, UsageError
from localmem.index import cachefile
from localmem.memory import Memory, open_store
from localmem.settings import load, settings
from localmem.store import Store, cipher, file, owning
from localmem.tasks import Op, Operation
from localmem.upkeep import passphrase as passphrases
from tests.fakes import HashingEmbedder, ScriptedModel
from tests.upkeep.support import bytes_of, chatted, opened, said_in, told
from tests.upkeep.test_forget import SECRET, TALK

ROOT = Path(__file__).parents[2]
WORDS = "correct horse battery 'staple' ü"


@pytest.fixture
def library() -> None:
    pytest.importorskip(
        "sqlcipher3", reason="the wheel of SQLCipher is not installed: pip install 'localmem[encrypted]'"
    )


@pytest.fixture
def path(library: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty encrypted memory, whose passphrase is in the environment."""
    monkeypatch.setenv("LOCALMEM_PASSPHRASE", WORDS)
    monkeypatch.setattr(passphrases, "ask", None)  # the command line of another test may have set it
    folder = tmp_path / "memory"
    return Memory.new(folder / "diary.db", passphrase=WORDS)


def unlocked(path: Path) -> Memory:
    store = open_store(path, settings(), create=True)
    return Memory(store, embedder=HashingEmbedder, model=ScriptedModel)


def ingested(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text("".join(f"{turn.speaker}: {turn.text}\n" for turn in TALK), encoding="utf-8")
    with unlocked(path) as memory:
        memory.ingest(file).raise_for_failure()
    file.unlink()


def test_no_plain_text_of_a_turn_lies_in_any_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cachefile, "WORTHWHILE", 1)
    ingested(path, tmp_path)
    with unlocked(path) as memory:
        assert SECRET in " ".join(unit.turn.text for unit in memory.search("What is the password?").units)
        memory.tasks.apply(None, [Operation(Op.ADD, -1, "quinces", "peel")], said="Peel the quinces.")
        # While it is open there is a log beside it.
        assert (path.with_name("diary.db-wal")).stat().st_size > 0
        raw = bytes_of(path)
    for everything in (raw, bytes_of(path)):
        for word in (SECRET, "Ullapool", "Dilip", "quinces", "Cleo", "talk.txt", "SQLite", "CREATE TABLE"):
            assert word.encode() not in everything
            assert word.encode("utf-16-le") not in everything
    assert [file.name for file in path.parent.iterdir()] == ["diary.db"]  # no cache either


def test_a_wrong_passphrase_is_one_clear_line_and_changes_nothing(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ingested(path, tmp_path)
    before = bytes_of(path)
    monkeypatch.setenv("LOCALMEM_PASSPHRASE", "another one")
    with pytest.raises(PassphraseError) as raised:
        unlocked(path)
    assert str(raised.value) == f"The passphrase does not open {path}."
    assert raised.value.hint
    assert bytes_of(path) == before
    assert capfd.readouterr() == ("", "")  # the library does not write to the terminal


def test_the_person_is_asked_where_nothing_knows_the_passphrase(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCALMEM_PASSPHRASE")
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(PassphraseError, match="there is no passphrase"):
        unlocked(path)
    monkeypatch.setattr(passphrases, "ask", lambda asked: WORDS if asked == path else "")
    with unlocked(path) as memory:
        assert memory.encrypted


def test_the_keyring_is_looked_into(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[tuple[str, str], str] = {}
    monkeypatch.delenv("LOCALMEM_PASSPHRASE")
    monkeypatch.setitem(sys.modules, "keyring", keyring_of(kept))
    passphrases.keep(path, WORDS)
    assert kept == {("localmem", str(path)): WORDS}
    unlocked(path).close()


def test_a_keyring_that_fails_is_none_and_says_so_when_it_is_to_keep_something(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: str) -> None:
        raise RuntimeError("No recommended\nbackend was available.")

    monkeypatch.delenv("LOCALMEM_PASSPHRASE")
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=failing, set_password=failing))
    with pytest.raises(PassphraseError, match="there is no passphrase"):
        unlocked(path)
    with pytest.raises(PassphraseError) as raised:
        passphrases.keep(path, WORDS)
    assert "\n" not in str(raised.value)


def test_everything_works_in_it_as_in_another(path: Path, tmp_path: Path) -> None:
    ingested(path, tmp_path)
    ingested(tmp_path / "plain.db", tmp_path)
    with unlocked(path) as memory, unlocked(tmp_path / "plain.db") as other:
        for question in ("ferry", "Who bought the Saab?"):
            assert [unit.turn.text for unit in memory.search(question).units] == [
                unit.turn.text for unit in other.search(question).units
            ]
        assert memory.forget(speaker="Bob", yes=True).wiped
        assert memory._store.check() == []
        assert SECRET not in " ".join(said_in(memory))
        with unlocked(path) as second:  # a second connection, while one is open
            assert len(said_in(second)) == 3
    assert not (path.stat().st_mode & 0o077)


def test_a_memory_in_plain_text_becomes_an_encrypted_one(path: Path, tmp_path: Path) -> None:
    told(tmp_path / "plain.db", TALK)
    chatted(tmp_path / "plain.db", [("Hello.", "Hi.", [])])
    with unlocked(tmp_path / "plain.db") as memory:
        memory.export(tmp_path / "plain.jsonl")
    with unlocked(path) as memory:
        memory.import_from(tmp_path / "plain.jsonl")
        assert len(said_in(memory)) == len(TALK) + 2


def test_an_export_never_replaces_one(path: Path, tmp_path: Path) -> None:
    told(tmp_path / "plain.db", TALK)
    before = path.read_bytes()
    with opened(tmp_path / "plain.db") as memory, pytest.raises(LocalmemError, match="is a database"):
        memory.export(path, replace=True)
    with unlocked(path) as memory, pytest.raises(LocalmemError, match="of the memory itself"):
        memory.export(path, replace=True)
    assert path.read_bytes() == before


def test_making_one_never_replaces_anything(path: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there already"):
        Memory.new(path, passphrase="other")
    unlocked(path).close()


def test_a_making_that_fails_leaves_nothing_that_is_taken_for_a_plain_memory(
    library: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def full(_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(file, "migrate", full)
    with pytest.raises(StoreError):
        Memory.new(tmp_path / "diary.db", passphrase=WORDS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", ["", "   ", "a\0b", "a\nb", "\ud800"])
def test_a_passphrase_that_cannot_be_typed_is_refused(tmp_path: Path, words: str) -> None:
    with pytest.raises(UsageError):
        Memory.new(tmp_path / "diary.db", passphrase=words)
    assert list(tmp_path.iterdir()) == []


def test_a_changed_passphrase_opens_it_and_the_old_one_does_not(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingested(path, tmp_path)
    before = path.read_bytes()
    with unlocked(path) as memory:
        memory.change_passphrase("another 'one' ü")
        assert len(said_in(memory)) == len(TALK)
        memory.tasks.apply(None, [Operation(Op.ADD, -1, "quinces")], said="Peel the quinces.")
    with pytest.raises(PassphraseError):
        unlocked(path)
    monkeypatch.setenv("LOCALMEM_PASSPHRASE", "another 'one' ü")
    with unlocked(path) as memory:
        assert (len(said_in(memory)), memory.tasks.paths()) == (len(TALK), ["quinces"])
        assert memory._store.check() == []
    pages = {before[start : start + 4096] for start in range(0, len(before), 4096)}
    after = path.read_bytes()
    assert not any(after[start : start + 4096] in pages for start in range(0, len(after), 4096))
    assert SECRET.encode() not in bytes_of(path)
    assert [file.name for file in path.parent.iterdir()] == ["diary.db"]


REKEYED_ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from localmem.errors import StoreError
from localmem.memory import Memory
memory = Memory.open(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    memory.change_passphrase("another one")
except StoreError as error:
    print(error)
    print(error.hint)
memory.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_a_change_that_a_full_disk_stops_leaves_the_old_passphrase(
    path: Path, tmp_path: Path, share: float
) -> None:
    ingested(path, tmp_path)
    room = int(path.stat().st_size * share)
    run = subprocess.run(
        [sys.executable, "-c", REKEYED_ON_A_FULL_DISK, str(path), str(room)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LOCALMEM_PASSPHRASE": WORDS},
        cwd=ROOT,
    )
    message, hint = run.stdout.splitlines()
    assert message == f"{path} could not be encrypted anew; it has its old passphrase."
    assert "room for a second copy" in hint
    with unlocked(path) as memory:
        assert (len(said_in(memory)), memory._store.check()) == (len(TALK), [])
        memory.change_passphrase("another one")
    assert [file.name for file in path.parent.iterdir()] == ["diary.db"]


def test_nobody_gets_in_while_the_passphrase_is_changed(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingested(path, tmp_path)
    rekey, tried = cipher.rekey, []

    def with_a_visitor(connection: Any, passphrase: str, where: Path) -> None:
        with monkeypatch.context() as patch, pytest.raises(StoreError, match="another process"):
            patch.setattr(file, "BUSY_SECONDS", 0.01)
            tried.append(unlocked(path))
        rekey(connection, passphrase, where)

    monkeypatch.setattr(cipher, "rekey", with_a_visitor)
    with unlocked(path) as memory:
        memory.change_passphrase("another one")
        monkeypatch.setenv("LOCALMEM_PASSPHRASE", "another one")
        with unlocked(path) as other:  # and then they do, beside the first
            assert len(said_in(other)) == len(said_in(memory)) == len(TALK)
    assert tried == []


def test_a_passphrase_opens_it_however_its_letters_are_put_together(
    library: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart, together = (unicodedata.normalize(form, "fünf süße Äpfel") for form in ("NFD", "NFC"))
    for made, typed in ((apart, together), (together, apart)):
        path = Memory.new(tmp_path / f"{len(made)}.db", passphrase=made)
        monkeypatch.setenv("LOCALMEM_PASSPHRASE", typed)
        Memory.open(path).close()


def test_a_memory_that_is_open_elsewhere_keeps_its_passphrase(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owning, "_PATIENCE_MILLISECONDS", 1)
    ingested(path, tmp_path)
    with unlocked(path) as memory, unlocked(path) as other:
        assert len(said_in(other)) == len(TALK)
        for act in (lambda: memory.change_passphrase("another"), memory.remove):
            with pytest.raises(StoreError, match="in use by another"):
                act()
        assert len(said_in(other)) == len(said_in(memory)) == len(TALK)
    unlocked(path).close()


def test_a_memory_in_plain_text_has_no_passphrase_to_change(tmp_path: Path) -> None:
    told(tmp_path / "plain.db", TALK)
    with opened(tmp_path / "plain.db") as memory, pytest.raises(StoreError, match="not encrypted"):
        memory.change_passphrase(WORDS)


@pytest.mark.parametrize("words", ["", "a\nb"])
def test_a_new_passphrase_that_cannot_be_typed_changes_nothing(path: Path, words: str) -> None:
    with unlocked(path) as memory, pytest.raises(UsageError):
        memory.change_passphrase(words)
    unlocked(path).close()


@pytest.mark.parametrize("known", [True, False])
def test_a_keyring_that_knows_the_old_passphrase_is_told_the_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    kept = {("localmem", str(path)): WORDS} if known else {}
    monkeypatch.setitem(sys.modules, "keyring", keyring_of(kept))
    with unlocked(path) as memory:
        memory.change_passphrase("another")
    assert kept == ({("localmem", str(path)): "another"} if known else {})


def keyring_of(kept: dict[tuple[str, str], str]) -> SimpleNamespace:
    return SimpleNamespace(
        get_password=lambda *name: kept.get(name),
        set_password=lambda service, user, words: kept.update({(service, user): words}),
        delete_password=lambda *name: kept.pop(name),
    )


KILLED = """
import sys
from pathlib import Path
from localmem.store import Store
store = Store.open(Path(sys.argv[1]), passphrase=lambda: sys.argv[2])
print("begins", flush=True)
store.change_passphrase("another")
print("done", flush=True)
"""


@pytest.mark.slow
def test_a_killed_change_leaves_one_of_the_two_passphrases_and_all_turns(path: Path, tmp_path: Path) -> None:
    with unlocked(path) as memory:
        memory._store.set_meta("large", "x" * 8_000_000)
    whole = path.read_bytes()
    ended = set()
    for seed in range(4):
        path.write_bytes(whole)
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path), WORDS], stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        journal = path.with_name("diary.db-journal")
        while process.poll() is None and not (journal.exists() and journal.stat().st_size > seed << 20):
            time.sleep(0.001)
        process.kill()
        process.communicate()
        fitting = []
        for words in (WORDS, "another"):
            with suppress(PassphraseError), Store.open(path, passphrase=lambda words=words: words) as store:
                assert len(store.meta("large") or "") == 8_000_000
                assert store.check() == []
                fitting.append(words)
        assert len(fitting) == 1
        ended |= {*fitting}
    assert WORDS in ended


def test_what_was_removed_is_gone_with_its_caches_and_its_entry_in_the_keyring(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cachefile, "WORTHWHILE", 1)
    plain = path.parent / "plain.db"
    kept = {("localmem", str(path)): WORDS, ("localmem", "other"): "x"}
    monkeypatch.setitem(sys.modules, "keyring", keyring_of(kept))
    for one in (path, plain):
        ingested(one, tmp_path)
        link = path.parent / "link.db"
        link.symlink_to(one)
        with unlocked(link) as memory:
            memory.search("ferry")
            memory.remove()
        assert not one.exists()
        assert not link.is_symlink()
    assert list(path.parent.iterdir()) == []
    assert kept == {("localmem", "other"): "x"}


def test_an_encrypted_database_of_somebody_else_is_left_alone(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    module = cipher.library(other)
    connection = module.connect(str(other))
    connection.execute("PRAGMA key = 'theirs'")
    connection.execute("CREATE TABLE mine (a)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(NotAMemoryError):
        Store.open(other, passphrase=lambda: "theirs")
    assert other.read_bytes() == before


def test_random_bytes_are_no_memory_and_are_left_alone(library: None, tmp_path: Path) -> None:
    noise = tmp_path / "noise.db"
    noise.write_bytes(os.urandom(4096))
    before = noise.read_bytes()
    with pytest.raises(PassphraseError, match="does not open"):
        Store.open(noise, passphrase=lambda: WORDS)
    assert noise.read_bytes() == before
    noise.write_bytes(before[:4000])
    with pytest.raises(NotAMemoryError):
        Store.open(noise, passphrase=lambda: WORDS)


def test_without_the_wheel_the_error_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sqlcipher3", None)
    (tmp_path / "diary.db").write_bytes(os.urandom(4096))
    for act in (
        lambda: Store.open(tmp_path / "diary.db", passphrase=lambda: WORDS),
        lambda: Memory.new(tmp_path / "new.db", passphrase=WORDS),
    ):
        with pytest.raises(StoreError) as raised:
            act()
        assert raised.value.hint == "Install it with: pip install 'localmem[encrypted]'"
    assert not (tmp_path / "new.db").exists()


def test_a_damaged_page_is_noticed(path: Path, tmp_path: Path) -> None:
    ingested(path, tmp_path)
    data = bytearray(path.read_bytes())
    data[4096 * 4 : 4096 * 4 + 64] = bytes(64)
    path.write_bytes(data)
    with pytest.raises(StoreError), unlocked(path) as memory:
        assert memory._store.check() == []
        raise AssertionError("the damage went unnoticed")


def test_the_passphrase_is_in_no_text_of_the_settings() -> None:
    assert "horse" not in repr(load({"LOCALMEM_PASSPHRASE": WORDS}))
