"""Runs that are kept in a memory: begun, killed, resumed, shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from localmem.agent import worlds
from localmem.agent.agent import Agent
from localmem.agent.values import Assist, Options, Part, Status, Step, Subgoal
from localmem.agent.worlds import MemoryWorld, PddlWorld
from localmem.errors import AgentError, EngineError, UsageError
from localmem.llm import grammar
from localmem.store import Store
from tests.agent.shelf import SAID, Shelf
from tests.fakes import ScriptedModel

GOAL = "What happened to the Saab?"
REPLIES = [
    "Subgoal: Find the Saab.",
    "search_memory(saab)",
    "Action: note([1] Dilip bought the Saab.)",
    "Reached: It is noted.\nSubgoal: End.",
    "finish()",
]
FREELY = Options(assists=frozenset({Assist.STATE}))
"""Subgoals in the model's own words."""
GUIDED = [
    "Subgoal: Read thread 5 of 2025-03-04.\nAction: keep([2])",
    "Subgoal: Look for what is missing.\nAction: search_memory(says)",
    "Subgoal: Read thread 6 of 2025-03-04.\nAction: keep([3])",
    "Subgoal: Look for what is missing.\nAction: search_memory(bring)",
    "Subgoal: Read thread 6 of 2025-03-04 again.\nAction: done()",
    "Subgoal: Look for what is missing.\nAction: done()",
    "Subgoal: End the job.\nAction: finish()",
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "memory.db")


def agent(store: Store, replies: Iterable[str | Exception]) -> tuple[Agent, ScriptedModel]:
    model = ScriptedModel(replies)
    return Agent(store, Shelf(), lambda: model), model


def test_a_run_is_stored_and_shown(store: Store) -> None:
    mine, _ = agent(store, REPLIES)
    told: list[tuple[int, int]] = []
    job = mine.plan(GOAL, MemoryWorld(), FREELY)
    made = job.run(on_step=lambda subgoal, step: told.append((subgoal.number, step.number)))
    assert (made.status, told) == (Status.REACHED, [(1, 1), (1, 2), (2, 3)])
    assert job.id is not None
    row, shown = mine.show(job.id)
    assert shown == made
    assert (row.goal, row.model, row.status, row.progress, row.steps) == (
        GOAL,
        "fake-scripted",
        "reached",
        1.0,
        3,
    )
    assert [row.id for row in mine.runs()] == [job.id]


def test_nothing_is_stored_before_a_run_begins(store: Store) -> None:
    mine, model = agent(store, [])
    job = mine.plan(GOAL, MemoryWorld(), FREELY)
    assert job.first_prompt().endswith(f"Goal: {GOAL}\nTranscripts: talk (4 turns, 2025-03-04).")
    assert (mine.runs(), model.prompts) == ([], [])


@pytest.mark.parametrize("after", range(1, len(REPLIES)))
def test_a_run_that_was_broken_off_anywhere_goes_on_as_if_nothing_had_been(store: Store, after: int) -> None:
    whole, unbroken = agent(store, REPLIES)
    expected = whole.plan(GOAL, MemoryWorld(), FREELY).run()
    first, _ = agent(store, [*REPLIES[:after], EngineError("broken")])
    job = first.plan(GOAL, MemoryWorld(), FREELY)
    with pytest.raises(EngineError):
        job.run()
    assert job.id is not None
    assert first.show(job.id)[1].status is Status.STOPPED
    stored = first.show(job.id)[1]
    second, model = agent(store, REPLIES[after:])
    made = second.resume(job.id).run()
    assert [step.action for step in made.steps] == [step.action for step in expected.steps]
    assert made.status is Status.REACHED
    assert model.prompts == unbroken.prompts[after:]
    assert len(stored.steps) < len(made.steps)


@pytest.mark.parametrize("after", range(1, len(GUIDED)))
def test_a_guided_job_that_was_broken_off_anywhere_goes_on_as_if_nothing_had_been(
    store: Store, after: int
) -> None:
    goal = "the Saab"
    whole, unbroken = agent(store, GUIDED)
    expected = whole.plan(goal, MemoryWorld(), Options()).run()
    assert (expected.status, len(expected.steps)) == (Status.REACHED, len(GUIDED))
    assert all(
        grammar.accepts(text or "", reply) for text, reply in zip(unbroken.grammars, GUIDED, strict=True)
    )
    first, _ = agent(store, [*GUIDED[:after], EngineError("broken")])
    job = first.plan(goal, MemoryWorld(), Options())
    with pytest.raises(EngineError):
        job.run()
    second, model = agent(store, GUIDED[after:])
    resumed = second.resume(job.id or 0)
    made = resumed.run()
    assert made.status is Status.REACHED
    assert model.prompts == unbroken.prompts[after:]
    assert model.grammars == unbroken.grammars[after:]
    assert [text for text, _ in resumed.findings] == [f"Bob: {SAID[place][1]}" for place in (1, 3)]


def test_a_killed_run_stands_as_running_and_can_go_on(store: Store) -> None:
    first, _ = agent(store, [*REPLIES[:3], EngineError("broken")])
    job = first.plan(GOAL, MemoryWorld(), FREELY)
    with pytest.raises(EngineError):
        job.run()
    assert job.id is not None
    store.set_run(job.id, "running")  # as a kill leaves it
    assert agent(store, REPLIES[3:])[0].resume(job.id).run().status is Status.REACHED


def test_a_stopped_run_says_so(store: Store) -> None:
    mine, _ = agent(store, REPLIES)
    made = mine.plan(GOAL, MemoryWorld(), FREELY)
    steps: list[Step] = []

    def on_step(_: Subgoal, step: Step) -> None:
        steps.append(step)

    assert made.run(on_step=on_step, stop=lambda: len(steps) == 1).status is Status.STOPPED
    assert mine.runs()[0].status == "stopped"


def test_a_run_that_is_over_is_not_resumed(store: Store) -> None:
    mine, _ = agent(store, REPLIES)
    job = mine.plan(GOAL, MemoryWorld(), FREELY)
    job.run()
    with pytest.raises(AgentError, match="Run 1 is over: reached"):
        mine.resume(1)


def test_a_run_that_is_out_of_steps_goes_on_with_more(store: Store) -> None:
    mine, _ = agent(store, REPLIES)
    mine.plan(GOAL, MemoryWorld(), replace(FREELY, max_steps=1)).run()
    with pytest.raises(AgentError, match="has made its 1 steps"):
        mine.resume(1)
    assert mine.resume(1, max_steps=9, max_tokens=10**6).run().status is Status.REACHED
    assert (mine.runs()[0].options["max_steps"], mine.runs()[0].options["max_tokens"]) == (9, 10**6)


def test_ended_subgoals_come_back_as_ended_without_a_verdict(store: Store) -> None:
    options = replace(FREELY, without=frozenset({Part.SUMMARY}), max_steps=3)
    mine, _ = agent(store, [*REPLIES[:3], "Subgoal: End.", "list_transcripts()"])
    made = mine.plan(GOAL, MemoryWorld(), options).run()
    _, shown = mine.show(1)
    assert [(one.ended, one.reached) for one in shown.subgoals] == [(True, None), (False, None)]
    assert shown == made


def test_a_planning_problem_is_kept_with_its_run(store: Store) -> None:
    pytest.importorskip("jupyddl")
    world = PddlWorld.made("gripper", seed=1, size=1)
    mine, _ = agent(store, ["Subgoal: Move.", "move from rooma to roomb"])
    job = mine.plan("", world, Options(max_steps=1, assists=frozenset()))
    first = job.environment.reset()
    job.run()
    again = mine.resume(1, max_steps=5)
    assert (again.world, again.environment.reset()) == (world, first)


def test_an_empty_goal_is_wrong_usage(store: Store) -> None:
    with pytest.raises(UsageError, match="The goal is empty"):
        agent(store, [])[0].plan(" \n", MemoryWorld(), FREELY)


def test_a_removed_run_is_gone(store: Store) -> None:
    mine, _ = agent(store, REPLIES)
    mine.plan(GOAL, MemoryWorld(), FREELY).run()
    mine.remove(1)
    assert mine.runs() == []
    for call in (mine.show, mine.resume, mine.remove):
        with pytest.raises(AgentError, match="There is no run 1"):
            call(1)


@pytest.mark.parametrize("found", [{}, {"world": "moon"}, {"world": "memory", "where": 1}, {"world": "pddl"}])
def test_a_world_that_is_not_known_is_one_clear_line(found: dict[str, object]) -> None:
    with pytest.raises(AgentError, match="cannot be read"):
        worlds.of(found)


def test_worlds_come_back_from_their_rows(tmp_path: Path) -> None:
    for world in (MemoryWorld(str(tmp_path), True), PddlWorld("p", "d", "q")):
        assert worlds.of(worlds.row(world)) == world
