"""An exported memory that is imported again is an equal one."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from localmem.errors import LocalmemError, StoreError, TranscriptError
from localmem.memory import Memory
from localmem.store import RunRow, StepRow, Store, SubgoalRow, shapes
from localmem.tasks import Op, Operation
from localmem.upkeep import files, transfer
from localmem.values import Turn, Usage
from tests.fakes import HashingEmbedder
from tests.upkeep.support import NOON, chatted, opened, told

ROOT = Path(__file__).parents[2]
NANS, HUGE = (
    base64.b64encode(np.full(64, value, dtype="<f4").tobytes()).decode() for value in (np.nan, 3e38)
)
ODD = ["\U0001f9e3 café\u2028日本", "tab\tand \x1b[31mred", 'quote " and \\ slash', "line\nfeed"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory that has something of everything."""
    path = tmp_path / "first" / "work.db"
    path.parent.mkdir()
    turns = [
        Turn(
            "Ann" if n % 2 else "Bob",
            f"Word{n} about topic{n // 5}.",
            NOON + n * timedelta(minutes=9),
            f"line {n}",
        )
        for n in range(60)
    ]
    turns += [Turn("Ödön", text, None, "x", "June") for text in ODD]
    turns.append(Turn("Ann", "In India.", datetime.fromisoformat("2025-03-04T17:30+05:30"), "y"))
    told(path, turns)
    chatted(
        path,
        [
            ("Make soup.", "Noted.", [Operation(Op.ADD, -1, "make soup", why="hunger")]),
            ("With celery.", "Added.", [Operation(Op.ADD, -1, "celery", "chop", parent=1)]),
        ],
    )
    with opened(path) as memory:
        memory.forget(turn=7, yes=True)  # ids are not dense any more
        memory.tasks.undo()
        store = memory._store
        store.set_meta("note", "kept")
        (reply, *_) = [id for id in store.turn_ids().tolist() if store.turns([id])[0].turn.text == "Added."]
        store.note_sources(reply, [1, 2])
        run = store.add_run(
            RunRow(0, NOON, "goal", {"kind": "memory"}, {"deep": [1, {"a": None}]}, "m", "done", 0.1)
        )
        store.add_subgoal(run, SubgoalRow(1, "look"))
        store.add_step(run, StepRow(1, 1, "action", "a", "o", True, 1 / 3, "", "{}", Usage(1, 2, 3), 9, 0.1))
        store.set_run(run, "done", ended=SubgoalRow(1, "look", True, "looked"))
    return path


def exported(path: Path, **options: Any) -> str:
    with opened(path) as memory:
        out = io.StringIO()
        memory.export(out, **options)
        return out.getvalue()


def imported(path: Path, text: str, embedder: HashingEmbedder | None = None) -> transfer.Carried:
    with opened(path, embedder=embedder) as memory:
        return memory.import_from(io.BytesIO(text.encode()))


def results(memory: Memory, question: str) -> list[tuple[int, str, float, str]]:
    workspace = memory.search(question)
    return [(unit.stored.id, unit.turn.text, unit.priority, str(unit.role)) for unit in workspace.units]


def rows(path: Path) -> dict[str, list[Any]]:
    with Store.open(path) as store:
        return {
            table: [row for rows in store.rows_of(shape) for row in rows] for table, shape in shapes().items()
        }


def test_it_gives_the_same_rows_the_same_search_results_and_the_same_task_history(
    path: Path, tmp_path: Path
) -> None:
    file, other = tmp_path / "work.jsonl", tmp_path / "second" / "copy.db"
    with opened(path) as memory:
        written = memory.export(file)
    with opened(other) as memory:
        read = memory.import_from(file)
    assert (
        (read.turns, read.task_turns, read.runs)
        == (written.turns, written.task_turns, written.runs)
        == (68, 3, 1)
    )
    assert rows(other) == rows(path)
    assert all(rows(path).values())
    with opened(path) as first, opened(other) as second:
        assert second._store.check() == []
        for question in ("What about topic3?", "café", "Who is red?", "celery"):
            assert results(second, question) == results(first, question) != []
        assert second.tasks.graph == first.tasks.graph
        assert [second.tasks.as_of(n) for n in range(4)] == [first.tasks.as_of(n) for n in range(4)]
        assert second._store.stamp("turns") != first._store.stamp("turns")


def test_an_export_of_the_first_version_is_read(path: Path, tmp_path: Path) -> None:
    """It had no sources of replies."""
    found = [row for row in lines(exported(path)) if row["row"] != "reply_source"]
    found[0]["version"] = 1
    del found[-1]["counts"]["reply_source"]
    imported(tmp_path / "copy.db", "".join(json.dumps(row) + "\n" for row in found))
    expected = rows(path) | {"reply_source": []}
    assert rows(tmp_path / "copy.db") == expected


def test_a_second_export_is_equal_to_the_first(path: Path, tmp_path: Path) -> None:
    text = exported(path)
    imported(tmp_path / "copy.db", text)
    assert exported(tmp_path / "copy.db") == text


def test_it_goes_on_as_the_first_one_would(path: Path, tmp_path: Path) -> None:
    imported(tmp_path / "copy.db", exported(path))
    more = [Turn("Ann", "Something new.", NOON, "z")]
    told(tmp_path / "copy.db", more, "more")
    with opened(tmp_path / "copy.db") as memory:
        assert memory.search("Something new").units
        memory.tasks.apply(None, [Operation(Op.SET, 1, value="leek")])
        assert memory.tasks.paths() == ["make soup = leek"]
        assert memory._store.check() == []


def test_without_vectors_they_are_made_anew(path: Path, tmp_path: Path) -> None:
    text = exported(path, vectors=False)
    assert '"vector": ' not in text
    imported(tmp_path / "copy.db", text)
    with Store.open(path) as first, Store.open(tmp_path / "copy.db") as second:
        np.testing.assert_array_equal(first.all_vectors()[1], second.all_vectors()[1])
        np.testing.assert_allclose(first.head_vectors()[1], second.head_vectors()[1], atol=1e-6)


def test_without_vectors_another_embedder_can_be_taken(path: Path, tmp_path: Path) -> None:
    other = HashingEmbedder(32, id="other")
    imported(tmp_path / "copy.db", exported(path, vectors=False), other)
    with opened(tmp_path / "copy.db", embedder=other) as memory:
        assert (memory.stats().embedder, memory.stats().dimension) == ("other", 32)
        assert memory.search("topic3").units


def test_an_empty_memory_can_be_carried(tmp_path: Path) -> None:
    Store.open(tmp_path / "a.db").close()
    assert imported(tmp_path / "b.db", exported(tmp_path / "a.db")).turns == 0


def test_an_export_holds_nothing_of_another_memory(path: Path, tmp_path: Path) -> None:
    told(tmp_path / "first" / "other.db", [Turn("Eve", "A whisper of quinces.", NOON, "1")])
    assert "quinces" not in exported(path)
    assert "topic" not in exported(tmp_path / "first" / "other.db")


def test_the_file_is_for_its_owner_and_is_not_replaced_unasked(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "work.jsonl"
    with opened(path) as memory:
        memory.export(file)
        before = file.read_bytes()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        with pytest.raises(LocalmemError) as raised:
            memory.export(file)
        assert "there already" in str(raised.value)
        memory.tasks.apply(None, [], said="more")
        assert file.read_bytes() == before
        memory.export(file, replace=True)
        assert file.read_bytes() != before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["first", "work.jsonl"]


@pytest.mark.parametrize("name", [file.name for file in files.of_memory(Path("work.db"))])
@pytest.mark.parametrize("link", [False, True])
def test_no_file_of_the_memory_is_replaced_or_made_by_its_export(
    path: Path, tmp_path: Path, name: str, link: bool
) -> None:
    target = path.with_name(name.replace("work", path.stem))
    file = tmp_path / "link" if link else target
    if link:
        file.symlink_to(target)
    with opened(path) as memory, pytest.raises(LocalmemError, match="a file of the memory itself"):
        memory.export(file, replace=True)
    assert target.exists() == (target == path)
    with opened(path) as memory:
        assert memory.stats().turns


def test_another_memory_is_never_replaced_by_an_export(path: Path, tmp_path: Path) -> None:
    told(tmp_path / "other.db", [Turn("Eve", "A whisper.", NOON, "1")])
    with opened(path) as memory, pytest.raises(LocalmemError, match="is a database"):
        memory.export(tmp_path / "other.db", replace=True)
    assert b"A whisper." in (tmp_path / "other.db").read_bytes()


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("folder", "is a folder"),
        ("pipe", "a pipe, a socket or a device"),
        ("loop", "a link that leads to itself"),
    ],
)
def test_what_is_no_file_is_told_and_not_replaced(path: Path, tmp_path: Path, what: str, said: str) -> None:
    target = tmp_path / what
    if what == "folder":
        target.mkdir()
    elif what == "loop":
        target.symlink_to("again")
        target.with_name("again").symlink_to(what)
    else:
        os.mkfifo(target)
    for replace in (False, True):
        with opened(path) as memory, pytest.raises(LocalmemError, match=said) as raised:
            memory.export(target, replace=replace)
        assert "--force" not in raised.value.hint
    assert os.path.lexists(target)


def test_a_name_as_long_as_can_be_is_taken(path: Path, tmp_path: Path) -> None:
    with opened(path) as memory:
        memory.export(tmp_path / ("e" * 255))
    assert len((tmp_path / ("e" * 255)).read_bytes()) > 1000


@pytest.mark.parametrize(
    ("data", "hint"),
    [(gzip.compress(b"{}"), "gzip -dc"), (b"SQLite format 3\0" + bytes(range(256)), "localmem export")],
)
def test_what_people_give_in_place_of_an_export_is_named(tmp_path: Path, data: bytes, hint: str) -> None:
    (tmp_path / "given").write_bytes(data)
    with opened(tmp_path / "new.db") as memory, pytest.raises(TranscriptError) as raised:
        memory.import_from(tmp_path / "given")
    assert hint in raised.value.hint
    assert not (tmp_path / "new.db").exists()


def test_an_export_that_fails_leaves_no_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(transfer, "_carried", failing)
    with opened(path) as memory, pytest.raises(StoreError):
        memory.export(tmp_path / "work.jsonl")
    assert [one.name for one in tmp_path.iterdir()] == ["first"]


def test_a_memory_that_holds_something_is_left_as_it_is(path: Path, tmp_path: Path) -> None:
    told(tmp_path / "other.db", [Turn("Eve", "A whisper.", NOON, "1")])
    before = rows(tmp_path / "other.db")
    with pytest.raises(StoreError, match="holds something already"):
        imported(tmp_path / "other.db", exported(path))
    assert rows(tmp_path / "other.db") == before


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]


def _where(kind: str, change: Callable[[dict[str, Any]], object]) -> Callable[[list[dict[str, Any]]], object]:
    def apply(found: list[dict[str, Any]]) -> object:
        return change(next(row for row in found if row["row"] == kind))

    return apply


SPOILED: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "the end is missing": lambda all: all.pop(),
    "a line is missing": lambda all: all.pop(9),
    "a line is there twice": lambda all: all.insert(9, all[9]),
    "another kind": _where("turn", lambda row: row.update(row="turns")),
    "a field too much": _where("turn", lambda row: row.update(colour="red")),
    "a field too little": _where("turn", lambda row: row.pop("speaker")),
    "a number for a text": _where("turn", lambda row: row.update(text=7)),
    "a text for a number": _where("turn", lambda row: row.update(position="7")),
    "true for a number": _where("turn", lambda row: row.update(position=True)),
    "a huge number": _where("turn", lambda row: row.update(position=1 << 70)),
    "a position that lies outside": _where("turn", lambda row: row.update(position=1 << 30)),
    "no time": _where("turn", lambda row: row.update(at="yesterday")),
    "no base64": _where("turn_vector", lambda row: row.update(vector="#")),
    "a short vector": _where("turn_vector", lambda row: row.update(vector="AAAA")),
    "a vector of no numbers": _where("turn_vector", lambda row: row.update(vector=NANS)),
    "a vector of huge numbers": _where("turn_vector", lambda row: row.update(vector=HUGE)),
    "a short key": _where("turn", lambda row: row.update(key="AAAA")),
    "a thread that is not there": _where("turn", lambda row: row.update(thread=999)),
    "a transcript that is not there": _where("thread", lambda row: row.update(transcript=999)),
    "a thread with other turns": _where("thread", lambda row: row.update(last=0, turns=1)),
    "a method that is none": _where("thread", lambda row: row.update(method="magic")),
    "operations that cannot be": _where("task_operation", lambda row: row.update(op="explode")),
    "an operation on no node": _where(
        "task_operation", lambda row: row.update(op="set", arguments={"target": 9})
    ),
    "a list for an object": _where("task_operation", lambda row: row.update(arguments=[])),
    "a turn that undoes a later one": _where("task_turn", lambda row: row.update(undoes=3)),
    "another format": lambda all: all[0].update(format="csv"),
    "no version": lambda all: all[0].update(version="1"),
    "a newer version": lambda all: all[0].update(version=transfer.VERSION + 1),
    "a dimension of nothing": lambda all: all[0].update(dimension=None),
    "another dimension": lambda all: all[0].update(dimension=63),
    "the first line again": lambda all: all.insert(1, all[0]),
    "something after the end": lambda all: all.append(all[-1]),
    "a note of the first line": _where("meta", lambda row: row.update(name="embedder")),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_export_is_one_line_of_error_and_changes_nothing(
    path: Path, tmp_path: Path, how: str
) -> None:
    found = lines(exported(path))
    SPOILED[how](found)
    with pytest.raises(TranscriptError) as raised:
        imported(tmp_path / "copy.db", "\n".join(map(json.dumps, found)))
    assert "\n" not in str(raised.value)
    assert raised.value.hint
    if (tmp_path / "copy.db").exists():
        with Store.open(tmp_path / "copy.db") as store:
            assert store.blank
            assert store.check() == []


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"[]", b"{}", b"[" * 100_000, b"Ann: hello\nBob: hi\n", b'{"row": 1}']
)
def test_what_is_no_export_makes_no_memory(tmp_path: Path, data: bytes) -> None:
    with opened(tmp_path / "copy.db") as memory, pytest.raises(TranscriptError):
        memory.import_from(io.BytesIO(data))
    assert list(tmp_path.iterdir()) == []


def test_any_cut_of_an_export_is_refused(path: Path, tmp_path: Path) -> None:
    text = exported(path)
    for seed in range(20):
        cut = random.Random(seed).randrange(1, len(text) - 1)
        with pytest.raises(LocalmemError):
            imported(tmp_path / "copy.db", text[:cut])
    imported(tmp_path / "copy.db", text)


def test_half_characters_and_nul_come_in_as_replacement_characters(path: Path, tmp_path: Path) -> None:
    found = lines(exported(path))
    next(row for row in found if row["row"] == "turn")["text"] = "a\ud800b\0c"
    imported(tmp_path / "copy.db", "\n".join(map(json.dumps, found)))
    with Store.open(tmp_path / "copy.db") as store:
        assert store.turns([1])[0].turn.text == "a\ufffdb\ufffdc"


KILLED = """
import sys
from pathlib import Path
from tests.upkeep.support import opened
with opened(Path(sys.argv[1])) as memory:
    memory.import_from(sys.argv[2], progress=lambda lines: print(lines, flush=True))
"""


@pytest.mark.slow
def test_a_killed_import_leaves_an_empty_memory_that_takes_it_again(tmp_path: Path) -> None:
    turns = [Turn("Ann", f"Word{n} about topic{n // 5}.", NOON, f"line {n}") for n in range(3000)]
    told(tmp_path / "work.db", turns)
    file, copy = tmp_path / "work.jsonl", tmp_path / "copy.db"
    file.write_text(exported(tmp_path / "work.db"), encoding="utf-8")
    command = [sys.executable, "-c", KILLED, str(copy), str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "1000\n"
    process.kill()
    process.communicate()
    with Store.open(copy, create=False) as store:
        assert store.blank
        assert store.check() == []
    with opened(copy) as memory:
        assert memory.import_from(file).turns == 3000


def test_the_documentation_names_every_kind_and_field() -> None:
    text = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    for shape in shapes().values():
        (line,) = [line for line in text.splitlines() if line.startswith(f"| `{shape.table}` |")]
        assert [name for name in shape.columns if f"`{name}`" not in line] == []
    assert f'"version": {transfer.VERSION}' in text
