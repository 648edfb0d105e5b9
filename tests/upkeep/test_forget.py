"""What is forgotten is gone: from searches, from tables, and from the bytes of every file."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.errors import StoreError, UsageError
from localmem.index import cachefile
from localmem.memory import Memory
from localmem.recall.log import ChatLog
from localmem.store import RunRow, StepRow, Store, SubgoalRow
from localmem.store import forget as store_forget
from localmem.tasks import Op, Operation
from localmem.values import Turn, Usage
from tests.fakes import HashingEmbedder, ScriptedModel
from tests.recall.support import stored_threads
from tests.upkeep.support import NOON, bytes_of, chatted, opened, said_in, told

SECRET = "quetzalcoatlus"
TALK = [
    Turn("Ann", "The ferry to Ullapool leaves at nine.", NOON, "line 1"),
    Turn("Bob", f"My password is {SECRET} now.", NOON + timedelta(minutes=1), "line 2"),
    Turn("Ann", "Dilip bought the Saab.", NOON + timedelta(minutes=2), "line 3"),
    Turn("Bob", "Bring a coat, it is cold.", NOON + timedelta(days=2), "line 4"),
    Turn("Cleo", "Nobody knows when I say this.", None, "line 5"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    file = folder / "work.db"
    told(file, TALK)
    return file


def sound(memory: Memory) -> None:
    store = memory._store
    assert store.check() == []
    stats = store.stats()
    assert (stats.indexed_turns, stats.indexed_threads) == (stats.turns, stats.threads)
    for transcript in memory.transcripts():
        stored_threads(store, transcript.id)  # every turn is in exactly one thread


def found(memory: Memory, question: str) -> list[str]:
    return [unit.turn.text for unit in memory.search(question).units]


def test_a_dry_run_says_what_would_go_and_changes_nothing(path: Path) -> None:
    before = bytes_of(path)
    with opened(path) as memory:
        report = memory.forget(speaker="Bob")
        assert (report.done, report.turns, [one.name for one in report.transcripts]) == (False, 2, ["talk"])
        assert [stored.turn.text for stored in report.first] == [TALK[1].text, TALK[3].text]
        assert said_in(memory) == [turn.text for turn in TALK]
    assert bytes_of(path) == before


def test_a_forgotten_turn_cannot_be_found_and_the_others_can(path: Path) -> None:
    with opened(path) as memory:
        (unit,) = [unit for unit in memory.search("password").units if SECRET in unit.turn.text]
        report = memory.forget(turn=unit.stored.id, yes=True)
        assert (report.done, report.turns, report.wiped) == (True, 1, True)
        assert SECRET not in " ".join(found(memory, f"What is the password {SECRET}?"))
        assert TALK[0].text in found(memory, "When does the ferry leave?")
        assert memory._store.search_words([SECRET], 10, index="window") == []
        sound(memory)


def test_no_byte_of_a_forgotten_text_is_left_in_any_file(path: Path) -> None:
    assert SECRET.encode() in bytes_of(path)
    with opened(path) as memory:
        memory.search("password")
        assert memory.forget(speaker="Bob", yes=True).wiped
        # While it is open there is a log beside it, which must not have it either.
        assert SECRET.encode() not in bytes_of(path)
    assert SECRET.encode() not in bytes_of(path)
    assert b"coat" not in bytes_of(path)
    assert b"Ullapool" in bytes_of(path)


def test_bytes_in_the_log_of_an_open_memory_go_too(path: Path) -> None:
    with opened(path) as memory, Store.open(path) as other:
        other.set_meta("open", "yes")
        memory.forget(speaker="Bob", yes=True)
        assert SECRET.encode() not in bytes_of(path)


def test_a_reader_that_holds_the_log_is_told_of_and_still_reads_what_it_saw(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_forget, "_TRIES", 2)
    monkeypatch.setattr(store_forget, "_TRY_MILLISECONDS", 1)
    with Store.open(path) as reader, opened(path) as memory:
        with reader.snapshot():
            assert reader.stats().turns == 5
            report = memory.forget(speaker="Bob", yes=True)
            assert (report.done, report.wiped) == (True, False)
            assert reader.stats().turns == 5
        assert reader.stats().turns == 3
    assert SECRET.encode() not in bytes_of(path)


def test_index_caches_go_and_what_others_are_just_writing_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cachefile, "WORTHWHILE", 1)
    with opened(path) as memory:
        memory.search("ferry")
        (path.parent / f".{path.name}-turns.index.abc.tmp").write_bytes(b"half")
        assert len(list(path.parent.glob("*.index"))) == 2
        memory.forget(speaker="Bob", yes=True)
        assert [file for file in path.parent.iterdir() if ".index" in file.name] == []
        assert "coat" not in " ".join(found(memory, "Bring a coat"))


def test_a_speaker_is_found_without_case_and_an_unknown_one_is_an_error_that_names_near_ones(
    path: Path,
) -> None:
    with opened(path) as memory:
        assert memory.forget(speaker="bob").turns == 2
        with pytest.raises(StoreError) as raised:
            memory.forget(speaker="Bobb")
        assert raised.value.hint == "Did you mean: Bob?"


def test_two_speakers_that_differ_in_case_are_two(path: Path) -> None:
    told(path, [Turn("bob", "I write myself small.", NOON, "line 1")], "other")
    with opened(path) as memory:
        assert (memory.forget(speaker="Bob").turns, memory.forget(speaker="bob").turns) == (2, 1)
        assert memory.forget(speaker="BOB").turns == 3


def test_a_transcript_goes_with_its_name(path: Path) -> None:
    told(path, [Turn("Dan", "About the harbour.", NOON, "line 1")], "whisperings")
    with opened(path) as memory:
        report = memory.forget(transcript="whisperings", yes=True)
        assert report.emptied == report.transcripts
        assert [one.name for one in memory.transcripts()] == ["talk"]
        sound(memory)
    assert b"whisperings" not in bytes_of(path)


@pytest.mark.parametrize("named", ["talk", "talk.txt", "1", 1])
def test_a_transcript_is_named_by_name_file_or_number(path: Path, named: str | int) -> None:
    with opened(path) as memory:
        assert memory.forget(transcript=named).turns == 5


def test_all_of_a_memory_can_be_forgotten_and_it_takes_turns_again(path: Path) -> None:
    with opened(path) as memory:
        memory.forget(transcript="talk", yes=True)
        assert (memory.empty, memory.search("ferry").units) == (True, ())
    told(path, TALK)
    with opened(path) as memory:
        assert said_in(memory) == [turn.text for turn in TALK]
        sound(memory)


def test_a_thread_goes_as_a_whole(path: Path) -> None:
    with opened(path) as memory:
        (thread, *_) = memory._store.threads_of(1)
        report = memory.forget(thread=thread.id, yes=True)
        assert report.turns == thread.turns
        assert len(said_in(memory)) == len(TALK) - thread.turns
        sound(memory)


def test_before_a_day_takes_what_is_older_and_tells_what_has_no_time(path: Path) -> None:
    with opened(path) as memory:
        report = memory.forget(before=date(2025, 3, 5), yes=True)
        assert (report.turns, report.timeless) == (3, 1)
        assert said_in(memory) == [TALK[3].text, TALK[4].text]


def test_times_with_and_without_a_zone_are_compared_as_moments(tmp_path: Path) -> None:
    path = tmp_path / "zones.db"
    naive = datetime(2025, 3, 4, 12, 0)
    told(
        path,
        [
            Turn("Ann", "Naive and before.", naive - timedelta(seconds=1), "1"),
            Turn("Ann", "In India at that moment.", datetime.fromisoformat("2025-03-04T17:30+05:30"), "2"),
            Turn("Ann", "At the very end of time.", datetime.max, "3"),
            Turn("Ann", "At its beginning.", datetime.min, "4"),
        ],
    )
    with opened(path) as memory:
        report = memory.forget(before=naive.astimezone(), yes=True)
        gone = {"Naive and before.", "At its beginning."}
        if datetime.fromisoformat("2025-03-04T17:30+05:30") < naive.astimezone():
            gone.add("In India at that moment.")
        assert report.turns == len(gone)
        assert not gone & set(said_in(memory))


def test_several_conditions_mean_the_turns_that_meet_all(path: Path) -> None:
    with opened(path) as memory:
        assert memory.forget(speaker="Bob", before=date(2025, 3, 5)).turns == 1


@pytest.mark.parametrize("given", [{"transcript": "tale"}, {"thread": 99}, {"turn": 99}])
def test_what_is_not_there_is_an_error_and_nothing_changes(path: Path, given: dict[str, int]) -> None:
    before = bytes_of(path)
    with opened(path) as memory, pytest.raises(StoreError):
        memory.forget(**given, yes=True)  # type: ignore[arg-type]
    assert bytes_of(path) == before


def test_several_turns_can_be_named_at_once(path: Path) -> None:
    with opened(path) as memory:
        assert memory.forget(turn=[1, 3], yes=True).turns == 2
        assert said_in(memory) == [TALK[1].text, TALK[3].text, TALK[4].text]
        assert memory.forget(turn=[]).turns == 0
        with pytest.raises(StoreError):
            memory.forget(turn=[2, 99], yes=True)


def test_no_condition_is_an_error(path: Path) -> None:
    with opened(path) as memory, pytest.raises(UsageError):
        memory.forget(yes=True)


def test_reading_the_file_again_brings_it_back(path: Path) -> None:
    with opened(path) as memory:
        memory.forget(turn=2, yes=True)
    told(path, TALK)
    with opened(path) as memory:
        assert said_in(memory) == [turn.text for turn in TALK]
        sound(memory)


def test_a_full_disk_while_rewriting_keeps_the_turns_forgotten(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Store) -> bool:
        raise StoreError("no room")

    monkeypatch.setattr(Store, "wipe", full)
    with opened(path) as memory:
        report = memory.forget(turn=2, yes=True)
        assert (report.done, report.wiped, report.unwiped) == (True, False, "no room")
        assert SECRET not in " ".join(said_in(memory))
        sound(memory)


def test_a_large_file_is_rewritten_beside_itself_and_nowhere_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_forget, "_IN_MEMORY", 0)
    monkeypatch.setenv("TMPDIR", "/nowhere")
    with opened(path) as memory:
        assert memory.forget(speaker="Bob", yes=True).wiped
        assert memory._store._value("PRAGMA temp_store") == 2
    assert "SQLITE_TMPDIR" not in os.environ
    assert SECRET.encode() not in bytes_of(path)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(1, 40)), st.integers(0, 3))
def test_whatever_turns_go_the_memory_stays_sound(
    tmp_path_factory: pytest.TempPathFactory, gone: set[int], seed: int
) -> None:
    path = tmp_path_factory.mktemp("some") / "work.db"
    every = timedelta(minutes=5, hours=3 * (seed % 2))
    turns = [
        Turn("Ann", f"Word{n} about topic{n // 5 + seed}.", NOON + n * every, f"line {n}") for n in range(40)
    ]
    told(path, turns)
    with Store.open(path) as store:
        from localmem.recall import forget

        forget.forget(store, sorted(gone))
        assert store.check() == []
        left = [turn for n, turn in enumerate(turns, 1) if n not in gone]
        assert [stored.turn.text for stored in store.turns_between(1, 0, 99)] == [turn.text for turn in left]
        if left:
            stored_threads(store, 1)
            windows = {id for id, _ in store.search_words(["about"], 99, index="window")}
            assert windows == set(store.turn_ids().tolist())


SOUP = [
    ("I want to make soup.", "Noted: make soup.", [Operation(Op.ADD, -1, "make soup")]),
    (
        f"It needs {SECRET}, chopped.",
        f"Added {SECRET}.",
        [Operation(Op.ADD, -1, SECRET, "chopped", parent=1)],
    ),
    ("What did I plan?", f"Soup with {SECRET}.", []),
]


def test_what_was_said_in_a_chat_goes_from_the_tasks_with_its_reply(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    chatted(path, SOUP)
    with opened(path) as memory:
        report = memory.forget(turn=3, yes=True)
        assert (report.turns, report.replies, report.task_turns) == (3, 1, 2)
        assert report.tasks == (f"{SECRET} = chopped",)
        assert [turn.said for turn in memory._store.task_turns()] == [SOUP[0][0], "", SOUP[2][0]]
        # The last reply has a word that only the forgotten turn had.
        assert [turn.reply for turn in memory._store.task_turns()] == [SOUP[0][1], "", ""]
        assert memory.tasks.paths() == ["make soup", f"make soup > {SECRET} = chopped"]


def test_a_whole_chat_goes_with_the_tasks_if_they_are_to_go_too(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    chatted(path, SOUP)
    with opened(path) as memory:
        assert memory.forget(transcript="chat", tasks=True, yes=True).task_turns == 3
        assert memory.tasks.paths() == []
        assert memory.tasks.paths(all=True) == [
            "forgotten 1 (inactive)", "forgotten 1 > forgotten 2 = forgotten 3 (inactive)",
        ]  # fmt: skip
        assert SECRET.encode() not in bytes_of(path)
    for word in (SECRET, "soup", "chopped", "Noted"):
        assert word.encode() not in bytes_of(path)


def test_what_a_chat_writes_is_what_forgetting_looks_for(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    model = ScriptedModel([f"{SECRET} is a fine word."] * 20)
    with opened(path, model=model) as memory:
        memory.chat(f"Hello, my name is {SECRET}.")
        memory.chat("Hello!")
        assert SECRET.encode() in bytes_of(path)
        report = memory.forget(turn=1, tasks=True, yes=True)
        assert (report.turns, report.task_turns) == (2, 1)
        assert SECRET.encode() not in bytes_of(path)
        assert [turn.said for turn in memory._store.task_turns()][:2] == ["", "Hello!"]
        sound(memory)


def test_a_reply_that_came_from_a_forgotten_transcript_goes(path: Path) -> None:
    chatted(
        path,
        [
            ("When does the ferry leave?", "At nine.", []),
            ("What is Bob's password?", f"It is {SECRET}.", []),
            ("And what should I bring?", "Bring a coat, it is cold.", []),
            ("Is it quetzal?", "I don't have that in memory.", []),
        ],
    )
    with opened(path) as memory:
        report = memory.forget(speaker="Bob", yes=True)
        assert (report.turns, report.replies, report.task_turns) == (4, 2, 2)
        assert [turn.reply for turn in memory._store.task_turns()] == [
            "At nine.", "", "", "I don't have that in memory.",
        ]  # fmt: skip
        assert SECRET.encode() not in bytes_of(path)
        sound(memory)


def test_a_reply_without_words_of_its_own_goes_with_the_turns_that_it_rests_on(path: Path) -> None:
    """Also what rests on that reply; nothing that rests on others."""
    with opened(path) as memory:
        log = ChatLog(memory._store, HashingEmbedder)
        sources = {"Does Bob bring a coat?": 4, "Do you know it?": 1, "Sure?": 7}
        for place, (said, source) in enumerate(sources.items()):
            at = NOON + timedelta(days=3, minutes=place)
            turns = log.turns(said, "Yes.", at)
            log.add(turns, log.vectors(turns), [source, 10**6])
            memory.tasks.apply(None, [], said=said, reply="Yes.", at=at)
        report = memory.forget(turn=4, yes=True)
        assert (report.turns, report.replies, report.task_turns) == (3, 2, 2)
        assert said_in(memory)[4:] == ["Does Bob bring a coat?", "Do you know it?", "Yes.", "Sure?"]
        assert [turn.reply for turn in memory._store.task_turns()] == ["", "Yes.", ""]
        sound(memory)


def test_a_reply_of_a_chat_goes_with_the_turn_that_it_cites(tmp_path: Path) -> None:
    path = tmp_path / "work.db"
    told(path, TALK)
    with opened(path, model=ScriptedModel(["[1] At nine."] * 3)) as memory:
        reply = memory.chat("When does the ferry to Ullapool leave?")
        (cited,) = reply.citations
        report = memory.forget(turn=cited.stored.id)
        assert (report.turns, report.replies) == (2, 1)


def test_what_all_replies_say_is_not_what_one_of_them_came_from(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    chatted(path, [(f"Task number {n}.", "Noted, it stands in the list now.", []) for n in range(3)])
    with opened(path) as memory:
        assert (memory.forget(turn=1).turns, memory.forget(turn=2).turns) == (2, 1)


def test_forgetting_only_a_reply_leaves_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    chatted(path, SOUP)
    with opened(path) as memory:
        assert (memory.forget(turn=6).turns, memory.forget(turn=6).task_turns) == (1, 1)
        memory.forget(turn=6, yes=True)
        last = memory._store.task_turns()[-1]
        assert (last.said, last.reply) == (SOUP[2][0], "")


def test_of_equal_words_those_of_that_moment_go(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    chatted(path, [("Yes.", "Fine.", []), ("Yes.", "Fine.", [])])
    with opened(path) as memory:
        memory.forget(turn=3, yes=True)
        assert [(turn.said, turn.reply) for turn in memory._store.task_turns()] == [
            ("Yes.", "Fine."),
            ("", ""),
        ]


def test_old_turns_of_the_tasks_go_by_their_own_time(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    chatted(path, SOUP)
    with opened(path) as memory:
        memory.forget(transcript="chat", yes=True)
        memory.tasks.apply(None, [], said="Said without a chat.", at=NOON + timedelta(hours=1))
        report = memory.forget(before=NOON + timedelta(days=1), tasks=True, yes=True)
        assert report.task_turns == 3  # of the three before, one has nothing left
    for word in (SECRET, "soup", "without a chat"):
        assert word.encode() not in bytes_of(path)


def test_a_transcript_that_is_no_chat_touches_no_task(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    chatted(path, SOUP)
    told(path, [Turn("You", SOUP[1][0], NOON, "line 1")], "copy")
    with opened(path) as memory:
        assert memory.forget(transcript="copy").task_turns == 0


@pytest.mark.parametrize(
    ("data", "goes"),
    [
        ('{"shown": [2, 5], "query": "x"}', True),
        ('{"note": "a", "cites": [2]}', True),
        ('{"shown": [3]}', False),
        ("[2]", False),
        ("2", False),
        ("no json", False),
    ],
)
def test_runs_of_the_agent_that_were_shown_a_forgotten_turn_go(path: Path, data: str, goes: bool) -> None:
    with opened(path) as memory:
        store = memory._store
        run = store.add_run(RunRow(0, NOON, "write a report", {"kind": "memory"}, {}, "m", "done", 1.0))
        store.add_subgoal(run, SubgoalRow(1, "look"))
        store.add_step(run, StepRow(1, 1, "action", "search", "-", True, 0.0, "", data, Usage(), 9, 0.1))
        memory.forget(turn=2, yes=True)
        assert len(store.runs()) == (not goes)


@pytest.mark.parametrize(
    ("observation", "quotes"),
    [
        (f'[2] Bob: "my password is {SECRET} now"', True),
        ("[4] Bob: Bring a coat, it's cold.", False),
        ("[3] Dilip bought the Saab", True),
        ("nothing at all", False),
    ],
)
def test_runs_of_the_agent_that_quote_a_forgotten_turn_go(path: Path, observation: str, quotes: bool) -> None:
    with opened(path) as memory:
        store = memory._store
        run = store.add_run(RunRow(0, NOON, "write a report", {"kind": "memory"}, {}, "m", "done", 1.0))
        store.add_subgoal(run, SubgoalRow(1, "look"))
        store.add_step(
            run, StepRow(1, 1, "action", "search", observation, True, 0.0, "", "", Usage(), 9, 0.1)
        )
        report = memory.forget(before=NOON + timedelta(hours=1), yes=True)
        assert report.runs == (("write a report",) if quotes else ())
        assert len(store.runs()) == (not quotes)
        assert observation.encode() not in bytes_of(path) or not quotes


def test_every_table_of_a_memory_is_known_to_forgetting() -> None:
    """Whoever adds a table decides what becomes of it when something is forgotten, exported and imported."""
    from localmem.store.schema import MIGRATIONS

    connection = sqlite3.connect(":memory:")
    for statements in MIGRATIONS:
        for statement in statements:
            connection.execute(statement)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    shadows = {name for name in names if name.startswith(("turn_words_", "window_words_"))}
    assert names - shadows - {"sqlite_sequence"} == {
        "meta", "stamp", "transcript", "turn", "turn_vector", "thread", "thread_vector",
        "turn_words", "window_words", "reply_source", "task_turn", "task_operation", "run", "run_subgoal", "run_step",
    }  # fmt: skip


KILLED = """
import sys
from pathlib import Path
from tests.upkeep.support import opened
with opened(Path(sys.argv[1])) as memory:
    print("begins", flush=True)
    memory.forget(speaker="Bob", yes=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_killed_forget_has_forgotten_all_or_nothing(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "work.db"
    names = ("Ann", "Bob")
    told(path, [Turn(names[n % 2], f"Word{n} about topic{n // 5}.", NOON, f"line {n}") for n in range(1000)])
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    for _ in range(random.Random(seed).randrange(0, 20_000)):
        path.exists()
    process.kill()
    process.communicate()
    with opened(path) as memory:
        assert len(said_in(memory)) in (500, 1000)
        sound(memory)
        memory.forget(speaker="Bob", yes=True) if len(said_in(memory)) == 1000 else memory.wipe()
    assert b"Word1 " not in bytes_of(path)
