"""A job over a memory that code lays out: threads that were found for the goal, a search, the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from localmem.agent.environments import claims
from localmem.agent.environments.guide import END, LOOK, MOST_SEARCHES, REPORT, Guide, query_of
from localmem.agent.environments.memory import MemoryEnvironment
from localmem.agent.lines import grammar_for
from localmem.llm import grammar
from tests.agent.shelf import Shelf

GOAL = "What was said about the Saab and the deal, into saab.md"


@pytest.fixture
def world(tmp_path: Path) -> MemoryEnvironment:
    made = MemoryEnvironment(Shelf(), GOAL, out=tmp_path)
    made.reset()
    return made


def can(world: MemoryEnvironment, action: str) -> bool:
    return grammar.accepts(grammar_for("act", world.route().grammar), action)


def test_the_memory_is_searched_for_the_goal_once_and_without_the_files_name() -> None:
    shelf = Shelf()
    world = MemoryEnvironment(shelf, GOAL)
    world.reset()
    assert world.route() == world.route()
    assert shelf.queries == ["What was said about the Saab and the deal"]


@pytest.mark.parametrize(
    ("goal", "query"),
    [
        ("List it, into a.md", "List it"),
        ("List it into a.md please", "List it please"),
        ("Write a.md about  Bob", "Write about Bob"),
        ("List it", "List it"),
    ],
)
def test_a_query_is_the_goal_without_its_file(goal: str, query: str) -> None:
    assert query_of(goal) == query


def test_a_thread_is_shown_with_its_turns_and_only_these_can_be_noted(world: MemoryEnvironment) -> None:
    route = world.route()
    assert route.parts == ("Read thread 5 of 2025-03-04.",)
    assert route.now == (
        "0 notes so far.\nThread 5, 2025-03-04:\n[1] Ann: The ferry to Ullapool leaves at nine.\n"
        "[2] Bob: Dilip bought the Saab for 1,050 pounds."
    )
    offered = ("keep([1])", "keep([2])", "keep([1] [2])", "keep([2] [1])", "keep([3])", "keep()", "done()")
    assert [action for action in offered if can(world, action)] == [
        "keep([1])",
        "keep([2])",
        "keep([1] [2])",
        "done()",
    ]
    assert not can(world, "search_memory(x)")
    assert not can(world, "finish()")


def test_turns_are_kept_in_their_own_words_and_the_thread_is_left(world: MemoryEnvironment) -> None:
    world.route()
    assert world.step("keep([1] [2])").observation == "Kept; 2 notes."
    assert [(note.text, note.turns) for note in world.notes] == [
        ("Ann: The ferry to Ullapool leaves at nine.", (10,)),
        ("Bob: Dilip bought the Saab for 1,050 pounds.", (11,)),
    ]
    assert world.route().parts == (LOOK,)


@pytest.mark.parametrize("action", ["keep()", "keep([7])", "keep(all)"])
def test_what_is_no_turn_of_the_thread_is_not_kept(world: MemoryEnvironment, action: str) -> None:
    part = world.route().parts
    assert not world.step(action).valid
    assert (world.route().parts, world.notes) == (part, [])


def test_a_thread_is_left_when_nothing_in_it_counts(world: MemoryEnvironment) -> None:
    world.route()
    assert world.step("done()").valid
    assert world.route().parts == (LOOK,)


def test_a_note_ends_with_its_bracket(world: MemoryEnvironment) -> None:
    world.step("search_memory(saab)")
    rule = grammar_for("act", world.grammar())
    assert grammar.accepts(rule, "note([1] Dilip bought it.)")
    assert not grammar.accepts(rule, "note([1] Dilip bought it). Note that Dilip bought it.)")


def looking(world: MemoryEnvironment) -> MemoryEnvironment:
    world.route()
    world.step("keep([2])")
    return world


def test_what_a_search_finds_is_the_next_thread_but_nothing_twice(world: MemoryEnvironment) -> None:
    looking(world)
    assert can(world, "search_memory(bring)") and can(world, "done()") and not can(world, "keep([1])")
    world.step("search_memory(bring the)")
    assert world.route().parts == ("Read thread 6 of 2025-03-04.",)
    assert "Ferry" not in world.route().now and "[3] Ann: Bring a coat" in world.route().now
    world.step("done()")
    world.step("search_memory(says)")
    assert world.route().parts == ("Read thread 6 of 2025-03-04 again.",)


def test_searches_come_to_an_end(world: MemoryEnvironment) -> None:
    looking(world)
    world.step("search_memory(unicorn)")
    assert world.route().parts == (REPORT,)
    guide = Guide()
    guide.begin([])
    for turn in Shelf().all[:MOST_SEARCHES]:
        assert guide.looking
        guide.searched([turn])
        guide.done()
    assert not guide.looking


def test_then_the_report_is_written_and_the_job_ends(world: MemoryEnvironment, tmp_path: Path) -> None:
    looking(world)
    world.step("done()")
    assert world.route().parts == (REPORT,)
    assert can(world, "write_file(saab.md)") and not can(world, "write_file(other.md)")
    world.step("write_file(saab.md)")
    assert world.route().parts == (END,)
    assert can(world, "finish()") and not can(world, "done()")
    world.step("finish()")
    assert (world.done, world.progress(), (tmp_path / "saab.md").exists()) == (True, 1.0, True)


def test_a_job_without_findings_or_a_folder_ends_without_a_report() -> None:
    for goal in ("unicorn", GOAL):
        world = MemoryEnvironment(Shelf(), goal)
        world.reset()
        while world.route().parts[0] not in (LOOK, END):
            world.step("done()")
        if world.route().parts == (LOOK,):
            world.step("done()")
        assert world.route().parts == (END,)


def test_there_is_nothing_to_leave_at_the_end() -> None:
    guide = Guide()
    guide.begin([])
    assert guide.done()
    assert not guide.done()


def test_who_asks_and_who_speaks_need_no_evidence() -> None:
    said = [("Ines", "I have invited you and Lotte.", None)]
    assert claims.unsupported("Then Ines invited Ruben and Lotte in June.", said) == ["Ruben", "June"]
    assert claims.unsupported("Then Ines invited Ruben and Lotte in June.", said, "party in June Ruben") == []


@pytest.mark.parametrize(
    ("note", "adds"),
    [
        ("Ines invited Ines to the party in June.", False),
        ("Ines invited you to her party.", False),
        ("Ines invited Lotte to her party.", True),
        ("It is on the 27th.", True),
        ("Her landlord comes.", False),
    ],
)
def test_a_note_says_more_than_the_goal(note: str, adds: bool) -> None:
    said = "Small party on the 27th, I have invited you and Lotte, and Ines said yes."
    assert claims.adds(note, said, "List whom Ines has invited to her party in June") is adds


def test_a_note_that_only_repeats_the_goal_is_refused() -> None:
    world = MemoryEnvironment(Shelf(), "Who bought the Saab")
    world.reset()
    world.route()
    told = world.step("note([2] Somebody bought the Saab.)")
    assert (told.valid, world.notes) == (False, [])
    assert "nothing of it but the goal's own words" in told.observation
