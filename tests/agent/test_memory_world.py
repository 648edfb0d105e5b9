"""Your own memory as a world: tools, notes that must cite, reports that stay in their folder."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from localmem.agent.environments import claims, report
from localmem.agent.environments.memory import NOTHING, MemoryEnvironment
from localmem.agent.lines import grammar_for
from localmem.errors import AgentError
from localmem.llm import grammar
from tests.agent.shelf import Shelf

GOAL = "Write down what happened to the Saab, into saab.md"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "reports"


@pytest.fixture
def world(out: Path) -> MemoryEnvironment:
    made = MemoryEnvironment(Shelf(), GOAL, out=out)
    made.reset()
    return made


def can(world: MemoryEnvironment, action: str) -> bool:
    return grammar.accepts(grammar_for("act", world.grammar()), action)


def noted(world: MemoryEnvironment) -> MemoryEnvironment:
    assert world.step("search_memory(saab)").valid
    assert world.step("note([1] Dilip bought the Saab for 1050 pounds.)").valid
    return world


def test_the_beginning_lists_the_transcripts(world: MemoryEnvironment) -> None:
    assert world.reset() == "Transcripts: talk (4 turns, 2025-03-04)."
    assert world.step("list_transcripts()").observation == world.reset()


def test_a_search_shows_turns_with_numbers_under_their_threads(world: MemoryEnvironment) -> None:
    outcome = world.step("search_memory(the ferry saab)")
    assert outcome.observation == (
        "Thread 5, 2025-03-04:\n[1] Ann: The ferry to Ullapool leaves at nine.\n"
        "[2] Bob: Dilip bought the Saab for 1,050 pounds."
    )


def test_a_turn_keeps_its_number(world: MemoryEnvironment) -> None:
    world.step("search_memory(saab)")
    assert "[1] Bob: Dilip bought" in world.step("read_thread(5)").observation
    assert "[2] Ann: The ferry" in world.step("search_memory(ferry)").observation


@pytest.mark.parametrize("words", ["unicorn", "'unicorn'"])
def test_a_search_that_finds_nothing_says_so(world: MemoryEnvironment, words: str) -> None:
    assert world.step(f"search_memory({words})").observation == NOTHING


def test_what_a_search_asks_is_the_words_alone() -> None:
    shelf = Shelf()
    MemoryEnvironment(shelf, GOAL).step('search_memory( "the  Saab" )')
    assert shelf.queries == ["the Saab"]


@pytest.mark.parametrize(
    "action",
    [
        "", "fly", "search_memory()", "search_memory", "read_thread(x)", "read_thread(99)", "note(hello)", "note([1])",
        "note([1] nothing was shown yet)", "write_file(a.md)", "finish()", "delete_everything()",
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told_and_changes_nothing(world: MemoryEnvironment, action: str) -> None:
    before = world.state()
    outcome = world.step(action)
    assert (outcome.valid, bool(outcome.observation)) == (False, True)
    assert (world.state(), world.notes) == (before, [])


def test_a_note_cites_turns_that_were_shown(world: MemoryEnvironment) -> None:
    noted(world)
    assert [(note.text, note.turns) for note in world.notes] == [
        ("Dilip bought the Saab for 1050 pounds.", (11,))
    ]
    assert world.step("note([7] Dilip bought it.)").observation == "Not noted: no turn [7] was shown."


@pytest.mark.parametrize(
    "claim", ["Dilip paid 1,150 pounds.", "Then Tamsin bought the Saab.", "He paid on 5 March."]
)
def test_a_note_whose_facts_stand_in_none_of_its_turns_is_refused(
    world: MemoryEnvironment, claim: str
) -> None:
    world.step("search_memory(saab)")
    outcome = world.step(f"note([1] {claim})")
    assert (outcome.valid, world.notes) == (False, [])
    assert "stands in none of the turns [1]" in outcome.observation


def test_the_same_note_is_taken_once(world: MemoryEnvironment) -> None:
    noted(world)
    assert not world.step("note([1] dilip bought the saab for 1050 pounds.)").valid


def test_a_search_again_changes_no_state(world: MemoryEnvironment) -> None:
    world.step("search_memory(saab)")
    before = world.state()
    world.step("search_memory(the saab dilip)")
    assert world.state() != "" and world.step("search_memory(saab)").valid
    assert before == "1 0 0 False"


def test_the_grammar_holds_numbers_to_what_was_shown(world: MemoryEnvironment) -> None:
    assert can(world, "search_memory(who bought the car)")
    assert not any(
        can(world, line) for line in ("note([1] x y)", "read_thread(5)", "finish()", "write_file(saab.md)")
    )
    world.step("search_memory(saab)")
    lines = ["note([1] He sold it.)", "note([2] He sold it.)", "read_thread(5)", "read_thread(6)", "finish()"]
    assert [line for line in lines if can(world, line)] == [
        "note([1] He sold it.)",
        "read_thread(5)",
        "finish()",
    ]


def test_notes_must_be_written_before_the_end(world: MemoryEnvironment) -> None:
    noted(world)
    assert not can(world, "finish()")
    assert not world.step("finish()").valid
    assert (can(world, "write_file(saab.md)"), can(world, "write_file(other.md)")) == (True, False)
    assert world.step("write_file(saab.md)").valid
    assert world.step("finish()").valid
    assert (world.done, world.progress()) == (True, 1.0)


def test_valid_actions_are_patterns(world: MemoryEnvironment) -> None:
    assert world.valid_actions() == ("search_memory(<words>)", "list_transcripts()")
    noted(world)
    assert "write_file(<name>)" in world.valid_actions()


def test_without_a_folder_nothing_is_written() -> None:
    world = noted(MemoryEnvironment(Shelf(), GOAL))
    assert not world.step("write_file(saab.md)").valid
    assert not can(world, "write_file(saab.md)")
    assert world.step("finish()").valid


def test_a_job_without_notes_ends_without_success(world: MemoryEnvironment) -> None:
    world.step("search_memory(unicorn)")
    world.step("finish()")
    assert (world.done, world.progress()) == (True, 0.0)


def test_every_line_of_a_report_cites_its_turns(world: MemoryEnvironment, out: Path) -> None:
    noted(world)
    world.step("search_memory(deal)")
    world.step("read_thread(6)")
    world.step("note([2] [1] There was a cold day.)")
    world.step("write_file(saab.md)")
    assert (out / "saab.md").read_text(encoding="utf-8") == (
        "# Write down what happened to the Saab, into saab.md\n"
        "\n"
        "- Dilip bought the Saab for 1050 pounds. [1]\n"
        "- There was a cold day. [2] [1]\n"
        "\n"
        "## Sources\n"
        "\n"
        "[1] 2025-03-04 18:31 Bob: Dilip bought the Saab for 1,050 pounds. (talk, line 2)  \n"
        "[2] 2025-03-04 18:32 Ann: Bring a coat, it is cold. (talk, line 3)  \n"
    )
    assert (out / "saab.md").stat().st_mode & 0o777 == 0o600


def test_what_people_said_is_no_markup_in_a_report(world: MemoryEnvironment, out: Path) -> None:
    world.step("read_thread(6)")
    world.step("search_memory(cold coat)")
    world.step("read_thread(6)")
    world.step("note([2] A <script> \x1b deal.)")
    assert world.step("write_file(saab.md)").valid
    text = (out / "saab.md").read_text(encoding="utf-8")
    assert r"\[photo\](http://x) \<b\>Deal\</b\> \*done\*" in text
    assert r"A \<script\> " in text
    assert "\x1b" not in text


def test_a_second_file_has_the_new_notes_only(world: MemoryEnvironment, out: Path) -> None:
    noted(world).step("write_file(one.txt)")
    world.step("search_memory(ferry)")
    world.step("note([2] The ferry leaves at nine.)")
    world.step("write_file(two.txt)")
    lines = (out / "two.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("- ")] == ["- The ferry leaves at nine. [1]"]


@pytest.mark.parametrize(
    "name",
    [
        "../saab.md", "/tmp/saab.md", "a/b.md", "..", "saab", "saab.html", ".md", ".hidden.md", "", "a\0.md",
        "a" * 99 + ".md", "con\n.md",
    ],
)  # fmt: skip
def test_a_name_that_leads_elsewhere_is_refused(world: MemoryEnvironment, out: Path, name: str) -> None:
    assert not noted(world).step(f"write_file({name})").valid
    assert not out.exists() or list(out.iterdir()) == []


def test_an_existing_file_is_left_alone(world: MemoryEnvironment, out: Path) -> None:
    out.mkdir()
    (out / "saab.md").write_text("mine", encoding="utf-8")
    outcome = noted(world).step("write_file(saab.md)")
    assert (outcome.valid, outcome.observation) == (
        False,
        "saab.md exists already. Choose another name, or allow it with --overwrite.",
    )
    assert (out / "saab.md").read_text(encoding="utf-8") == "mine"


def test_an_existing_file_is_replaced_when_allowed(out: Path) -> None:
    out.mkdir()
    (out / "saab.md").write_text("old", encoding="utf-8")
    world = noted(MemoryEnvironment(Shelf(), GOAL, out=out, overwrite=True))
    assert world.step("write_file(saab.md)").valid
    assert "Dilip" in (out / "saab.md").read_text(encoding="utf-8")
    assert [file.name for file in out.iterdir()] == ["saab.md"]


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("target", ["there.txt", "not there.txt"])
def test_links_are_not_followed(out: Path, tmp_path: Path, overwrite: bool, target: str) -> None:
    out.mkdir()
    (tmp_path / "there.txt").write_text("secret", encoding="utf-8")
    (out / "saab.md").symlink_to(tmp_path / target)
    world = noted(MemoryEnvironment(Shelf(), GOAL, out=out, overwrite=overwrite))
    assert world.step("write_file(saab.md)").valid is overwrite
    assert (tmp_path / "there.txt").read_text(encoding="utf-8") == "secret"
    assert not (tmp_path / "not there.txt").exists()
    assert (out / "saab.md").is_symlink() is not overwrite


def test_a_folder_in_the_place_of_the_report_is_left_alone(out: Path) -> None:
    (out / "saab.md").mkdir(parents=True)
    world = noted(MemoryEnvironment(Shelf(), GOAL, out=out, overwrite=True))
    assert not world.step("write_file(saab.md)").valid
    assert [file.name for file in out.iterdir()] == ["saab.md"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    world = noted(MemoryEnvironment(Shelf(), GOAL, out=tmp_path / "file"))
    outcome = world.step("write_file(saab.md)")
    assert (outcome.valid, "cannot be written into" in outcome.observation) == (False, True)


def test_a_pipe_in_the_place_of_the_report_does_not_hang(out: Path) -> None:
    out.mkdir()
    os.mkfifo(out / "saab.md")
    assert not noted(MemoryEnvironment(Shelf(), GOAL, out=out)).step("write_file(saab.md)").valid


def test_a_report_that_a_killed_run_had_written_counts_as_written(out: Path) -> None:
    for _ in range(2):
        world = noted(MemoryEnvironment(Shelf(), GOAL, out=out))
        assert world.step("write_file(saab.md)").valid


def test_a_run_is_taken_up_without_searching_or_writing_again(out: Path) -> None:
    shelf = Shelf()
    world = MemoryEnvironment(shelf, GOAL, out=out)
    world.reset()
    actions = [
        "search_memory(saab)",
        "fly",
        "note([1] Dilip bought it.)",
        "write_file(saab.md)",
        "search_memory(ferry)",
        "note([2] It leaves at nine.)",
    ]
    steps = [(action, world.step(action)) for action in actions]
    (out / "saab.md").unlink()
    again = MemoryEnvironment(Shelf(), GOAL, out=out)
    again.reset()
    again.restore(steps)
    assert (again.state(), again.now(), again.notes, again.files) == (
        world.state(),
        world.now(),
        world.notes,
        ["saab.md"],
    )
    assert again._library.queries == []  # type: ignore[attr-defined]
    assert not (out / "saab.md").exists()
    assert "[2] Ann: The ferry" in again.step("read_thread(5)").observation


def test_a_run_whose_turns_are_gone_is_not_taken_up(world: MemoryEnvironment) -> None:
    steps = [("search_memory(saab)", world.step("search_memory(saab)"))]
    shelf = Shelf()
    shelf.all = []
    again = MemoryEnvironment(shelf, GOAL)
    with pytest.raises(AgentError, match="not in the memory any more"):
        again.restore(steps)


def test_how_things_stand_are_the_notes(world: MemoryEnvironment) -> None:
    world.step("search_memory(saab)")
    assert world.now() == "No notes yet. Searched: saab."
    noted(world)
    assert world.now() == "1 notes.\n- Dilip bought the Saab for 1050 pounds. [1]"


AT = datetime(2025, 4, 14, 21, 11)


@pytest.mark.parametrize(
    ("note", "missing"),
    [
        ("Dilip bought the Saab.", []),
        ("The Saab went to Dilip's grandmother for 1050 pounds on 14 April 2025.", []),
        ("Bob said so at 21:11 on Monday.", []),
        ("It cost 1,050.", []),
        ("It cost 1,051 on 14th April.", ["1,051"]),
        ("Then Éric sold it in May.", ["Éric", "May"]),
        ("I think so.", []),
        ("", []),
    ],
)
def test_names_numbers_and_dates_are_held_against_the_turns(note: str, missing: list[str]) -> None:
    said = [("Bob", "Dilip bought the Saab for 1,050 pounds, with his grandmother.", AT)]
    assert claims.unsupported(note, said) == missing


@pytest.mark.parametrize("name", ["saab.md", "Saab decisions 2025-06.txt", "überblick.md"])
def test_names_of_reports(name: str) -> None:
    assert report.NAME.fullmatch(name)
