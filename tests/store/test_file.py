from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

import pytest

from localmem.errors import NewerSchemaError, NotAMemoryError, StoreError
from localmem.store import Store
from localmem.store import file as store_file
from localmem.store.schema import APPLICATION_ID, MIGRATIONS
from tests.store.support import begin, new_turns, texts


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def refused(path: Path, kind: type[StoreError], *, create: bool = True) -> StoreError:
    """Opening fails with one line and a hint, and leaves the folder as it was."""
    before = files(path.parent) if path.parent.is_dir() else None
    with pytest.raises(StoreError) as caught:
        Store.open(path, create=create)
    assert type(caught.value) is kind
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value) + caught.value.hint
    assert caught.value.hint
    assert (files(path.parent) if path.parent.is_dir() else None) == before
    return caught.value


def schema(path: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    finally:
        connection.close()


def test_what_was_written_is_there_after_closing(path: Path) -> None:
    with Store.open(path) as store:
        transcript = begin(store, "a", "b")
    with Store.open(path, create=False) as store:
        assert texts(store, transcript) == ["a", "b"]


def test_a_closed_memory_is_one_file_with_our_name_in_its_header(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, "a")
    [(name, content)] = files(path.parent).items()
    assert name == path.name
    assert content[68:72] == APPLICATION_ID.to_bytes(4, "big") == b"lmem"


def test_the_file_says_that_it_is_ours_as_soon_as_it_has_bytes(store: Store, path: Path) -> None:
    assert path.read_bytes()[68:72] == b"lmem"
    assert store.read_only is False


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_only_the_owner_may_read_it_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    before = os.umask(mask)
    try:
        with Store.open(folder / "memory.db") as store:
            begin(store, "a")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}


def test_missing_folders_are_made_private(tmp_path: Path) -> None:
    path = tmp_path / "some" / "folder" / "memory.db"
    Store.open(path).close()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name", ["with space.db", "a?b=c#d%20e.db", "ümläut 記憶.db", "quote'\".db", "b\udcff.db"]
)
def test_any_file_name_works(tmp_path: Path, name: str) -> None:
    with Store.open(tmp_path / name) as store:
        begin(store, "a")
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_link_leads_to_the_memory(tmp_path: Path) -> None:
    real, link = tmp_path / "real" / "memory.db", tmp_path / "link.db"
    Store.open(real).close()
    link.symlink_to(real)
    with Store.open(link) as store:
        begin(store, "a")
    with Store.open(real) as store:
        assert texts(store, 1) == ["a"]


def test_a_missing_memory_is_named_and_no_folder_is_made(tmp_path: Path) -> None:
    error = refused(tmp_path / "none" / "memory.db", StoreError, create=False)
    assert "There is no memory" in str(error)
    assert not (tmp_path / "none").exists()


def test_an_empty_file_becomes_a_memory_only_when_asked(path: Path) -> None:
    path.touch()
    refused(path, StoreError, create=False)
    with Store.open(path) as store:
        assert store.stats().turns == 0


def test_a_folder_is_not_a_memory(tmp_path: Path) -> None:
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreError, match="is a folder"):
        Store.open(tmp_path / "folder.db")


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file" / "memory.db", StoreError)


@pytest.mark.parametrize("content", [b"hello", b"x" * 5000, b"SQLite format 3\0", b"\0" * 200])
def test_a_file_that_is_not_sqlite_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    refused(path, NotAMemoryError)


@pytest.mark.parametrize("application_id", [0, 1234])
def test_a_database_of_someone_else_is_left_alone(path: Path, application_id: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {application_id}")
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()
    refused(path, NotAMemoryError)


def test_the_log_of_someone_else_is_not_folded_in(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    try:
        refused(path, NotAMemoryError)
    finally:
        connection.close()


def test_a_newer_schema_is_left_alone(path: Path) -> None:
    Store.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    assert "Upgrade" in refused(path, NewerSchemaError).hint


def test_the_log_of_a_newer_localmem_is_not_folded_in(path: Path, tmp_path: Path) -> None:
    """As its killed process left them: the file, and a log beside it."""
    Store.open(path).close()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO meta VALUES ('colour', 'red')")
    left = tmp_path / "left" / "memory.db"
    left.parent.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
    connection.close()
    refused(left, NewerSchemaError)


def logs(folder: Path, kind: str) -> Path:
    """A log as the killed process of someone else leaves it beside its database."""
    theirs = folder / "theirs" / "other.db"
    theirs.parent.mkdir()
    connection = sqlite3.connect(theirs, isolation_level=None)
    connection.execute("PRAGMA page_size = 1024" if kind == "pages of another size" else "SELECT 1")
    if kind == "journal":
        connection.execute("CREATE TABLE theirs (x)")
        connection.execute("PRAGMA cache_size = 1")  # writes and syncs the journal early
        connection.execute("BEGIN")
        connection.execute("PRAGMA user_version = 7")
        rows = ((b"x" * 3000,) for _ in range(50))
        connection.executemany("INSERT INTO theirs VALUES (?)", rows)
    else:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE theirs (x)")
    suffix = "-journal" if kind == "journal" else "-wal"
    copy = folder / f"left{suffix}"
    shutil.copy(f"{theirs}{suffix}", copy)
    connection.close()
    assert copy.stat().st_size > 1000
    return copy


@pytest.mark.parametrize("kind", ["log", "pages of another size", "journal"])
def test_a_log_of_another_database_beside_a_memory_is_never_folded_in(
    tmp_path: Path, path: Path, kind: str
) -> None:
    with Store.open(path) as store:
        begin(store, "a", "b")
    stray = logs(tmp_path, kind)
    log = stray.rename(f"{path}{stray.name.removeprefix('left')}")
    before = path.read_bytes(), log.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreError, match="belongs to another database; nothing was changed") as caught:
            Store.open(path)
        assert f"Move {log}" in caught.value.hint
        assert (path.read_bytes(), log.read_bytes()) == before
    log.rename(tmp_path / "elsewhere")
    with Store.open(path) as store:
        assert texts(store, 1) == ["a", "b"]
        assert store.check() == []


def test_the_log_of_another_memory_is_never_folded_in(tmp_path: Path, path: Path) -> None:
    with Store.open(path) as store:
        begin(store, "a", "b")
    log = Path(f"{path}-wal")
    with Store.open(tmp_path / "other.db") as other:
        begin(other, "c", "d")
        shutil.copy(f"{other.path}-wal", log)
    before = path.read_bytes(), log.read_bytes()
    with pytest.raises(StoreError, match="belongs to another database; nothing was changed"):
        Store.open(path)
    assert (path.read_bytes(), log.read_bytes()) == before


def test_an_empty_file_beside_the_log_of_another_database_becomes_a_new_memory(
    tmp_path: Path, path: Path
) -> None:
    logs(tmp_path, "log").rename(f"{path}-wal")
    with Store.open(path) as store:
        begin(store, "a")
        assert store.check() == []


def test_the_log_of_a_killed_process_is_folded_in(path: Path, tmp_path: Path) -> None:
    left = tmp_path / "left.db"
    with Store.open(path) as store:
        begin(store, "a", "b")
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{left}{suffix}")
    with Store.open(left) as store:
        assert texts(store, 1) == ["a", "b"]


def test_what_a_killed_process_had_not_finished_making_is_taken_back(path: Path) -> None:
    """Its header says that it is a memory, and its journal that it is none yet."""
    whole = path.with_name("whole.db")
    connection = sqlite3.connect(whole, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")  # pages go to the file before the end of the transaction
    connection.execute("BEGIN")
    for statement in (*MIGRATIONS[0], "PRAGMA user_version = 1"):
        connection.execute(statement)
    connection.executemany("INSERT INTO meta VALUES (?, ?)", ((f"{n}", "x" * 900) for n in range(50)))
    shutil.copy(f"{whole}-journal", f"{path}-journal")
    connection.execute("COMMIT")
    connection.close()
    shutil.copy(whole, path)
    with Store.open(path) as store:
        assert store.check() == []
        assert store.meta("1") is None


def test_a_file_whose_end_is_missing_is_refused_before_anything_is_written(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, *(f"turn {n}" for n in range(500)))
    size = path.stat().st_size
    for left in (size - 1, size - 4096, 4096, 200):
        os.truncate(path, left)
        error = refused(path, StoreError)
        assert f"it is damaged: {size - left:,} bytes are missing" in str(error)


@pytest.mark.parametrize("place", [16, 18, 19, 20, 21, 44, 56])
def test_a_damaged_header_is_told_as_damage(path: Path, place: int) -> None:
    Store.open(path).close()
    content = bytearray(path.read_bytes())
    content[place] ^= 0x55
    path.write_bytes(content)
    assert "it is damaged" in str(refused(path, StoreError))


def test_a_pipe_or_a_device_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    for path in (tmp_path / "pipe.db", Path(os.devnull)):
        with pytest.raises(StoreError, match="a pipe, a socket or a device") as caught:
            Store.open(path)
        assert caught.value.hint


def test_an_empty_file_that_becomes_a_memory_is_private_from_then_on(path: Path) -> None:
    path.touch(mode=0o644)
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_damaged_file_is_told(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, *(f"turn {n}" for n in range(500)))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))
    with pytest.raises(StoreError, match="damaged") as caught, Store.open(path) as store:
        store.turns([1])
    assert caught.value.hint


def test_a_truncated_file_is_told(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, *(f"turn {n}" for n in range(500)))
    os.truncate(path, 8192)
    with pytest.raises(StoreError, match="damaged"), Store.open(path) as store:
        texts(store, 1)


def test_a_sound_file_has_no_faults_and_a_changed_one_has(store: Store) -> None:
    begin(store, "alpha", "beta")
    assert store.check() == []
    store._run("UPDATE turn SET text = 'gamma' WHERE id = 1")
    assert [fault.split()[3] for fault in store.check()] == ["turn_words", "window_words"]


def test_a_closed_store_says_so(path: Path) -> None:
    store = Store.open(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.stats()


# Migrations

NEXT = (
    *MIGRATIONS,
    ("ALTER TABLE transcript ADD COLUMN colour TEXT", "CREATE INDEX by_name ON transcript (name)"),
)


def test_a_migrated_file_has_the_schema_of_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for count in range(1, len(NEXT) + 1):
        monkeypatch.setattr(store_file, "MIGRATIONS", NEXT[:count])
        Store.open(tmp_path / "step by step.db").close()
    Store.open(tmp_path / "fresh.db").close()
    assert schema(tmp_path / "step by step.db") == schema(tmp_path / "fresh.db")
    assert any("colour" in (sql or "") for _, sql in schema(tmp_path / "fresh.db"))


def test_a_migration_keeps_what_is_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path) as store:
        transcript = begin(store, "a", "b")
    monkeypatch.setattr(store_file, "MIGRATIONS", NEXT)
    with Store.open(path) as store:
        assert texts(store, transcript) == ["a", "b"]
        assert store.check() == []


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(path).close()
    before = schema(path)
    broken = (*MIGRATIONS, ("ALTER TABLE transcript ADD COLUMN colour TEXT", "CREATE NONSENSE"))
    with monkeypatch.context() as patch:
        patch.setattr(store_file, "MIGRATIONS", broken)
        with pytest.raises(StoreError):
            Store.open(path)
    assert schema(path) == before
    Store.open(path).close()


def test_many_may_open_a_new_memory_at_once(path: Path) -> None:
    def use(number: int) -> int:
        with Store.open(path) as store:
            return store.add_transcript(f"talk {number}", "plain", "")

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(use, range(8))) == list(range(1, 9))


# A file or folder that cannot be written. Permissions do not bind root, so it becomes someone else first.

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


def test_an_older_file_that_is_read_only_says_why_it_cannot_be_used(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(path).close()
    monkeypatch.setattr(store_file, "MIGRATIONS", NEXT)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match="older localmem and is read-only"):
        Store.open(path)


# A full disk


def test_a_full_disk_is_told_and_nothing_is_changed(store: Store) -> None:
    transcript = begin(store, "a", "b")
    pages = store._value("PRAGMA page_count")
    store._run(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="no room left") as caught:
        store.add_turns(transcript, new_turns(*(f"turn {n}" for n in range(2000))), after=None)
    assert caught.value.hint
    store._run("PRAGMA max_page_count = 1000000")
    assert texts(store, transcript) == ["a", "b"]
    assert store.check() == []
    store.add_turns(transcript, new_turns("c"), after=None)
    assert texts(store, transcript) == ["a", "b", "c"]


def test_a_transaction_undone_by_a_full_disk_cannot_go_on(store: Store) -> None:
    transcript = begin(store, "a")
    store._run(f"PRAGMA max_page_count = {store._value('PRAGMA page_count') + 2}")
    with pytest.raises(StoreError, match="undid the whole transaction"), store.transaction():
        store.set_meta("colour", "red")
        with pytest.raises(StoreError, match="no room left"):
            store.add_turns(transcript, new_turns(*(f"turn {n}" for n in range(2000))), after=None)
        store.set_meta("shape", "round")
    assert (store.meta("colour"), store.meta("shape")) == (None, None)
    assert texts(store, transcript) == ["a"]


UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
from localmem.errors import StoreError
from localmem.store import Store
from tests.store.support import new_turns
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
try:
    with Store.open(Path(sys.argv[1])) as store:
        store.add_turns(1, new_turns(*(f"turn {n}" for n in range(5000))), after=None)
except StoreError as error:
    print(error, "|", error.hint)
"""


def test_a_file_that_may_not_grow_is_told_and_keeps_what_it_has(path: Path) -> None:
    with Store.open(path) as store:
        begin(store, "a", "b")
    run = subprocess.run(
        [sys.executable, "-c", UNDER_A_LIMIT, str(path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert run.stderr == ""
    assert "the disk could not be read or written; nothing was changed" in run.stdout
    with Store.open(path) as store:
        assert texts(store, 1) == ["a", "b"]
        assert store.check() == []
