"""A job over a memory whose turns are judged one by one: which are kept, where that leads, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localmem.agent.agent import Agent
from localmem.agent.environments import judging
from localmem.agent.environments.guide import END, LOOK, REPORT
from localmem.agent.environments.memory import FOR_GOAL, MOST_FOLLOWED, MemoryEnvironment
from localmem.agent.environments.protocol import Deciding
from localmem.agent.environments.report import NOTHING
from localmem.agent.loop import Loop
from localmem.agent.values import Actions, Assist, Options, Status
from localmem.agent.worlds import MemoryWorld
from localmem.errors import AgentError, EngineError
from localmem.store import Store
from tests.agent.judges import Judge
from tests.agent.shelf import SAID, Shelf
from tests.fakes import ScriptedModel

GOAL = "What was said about the Saab and the deal, into saab.md"
SAAB = "Bob: Dilip bought the Saab for 1,050 pounds."


def likes(*words: str) -> Judge:
    """A judge that says yes to turns with one of the words."""
    return Judge(lambda turn: 2.0 if any(word in turn for word in words) else -1.0)


def run(model: ScriptedModel, out: Path | None = None, options: Options | None = None) -> MemoryEnvironment:
    world = MemoryEnvironment(Shelf(), GOAL, out=out)
    Loop(world, model, options or Options(max_steps=30)).run()
    return world


def test_each_turn_is_judged_once_and_those_above_the_threshold_are_kept(tmp_path: Path) -> None:
    model = likes("Saab", "Deal")
    world = run(model, tmp_path)
    assert sorted(model.judged) == sorted(f"{who}: {text}" for who, text in SAID)
    assert [note.turns for note in world.notes] == [(11,), (13,)]
    assert (world.done, world.files, model.prompts) == (True, ["saab.md"], [])


def test_the_goal_stands_before_the_turn_and_without_its_file() -> None:
    asked = judging.prompt("What was said", "Bob: Hm.", "Ann: Yes.")
    assert asked.messages[-1].text == "Wanted: What was said.\nBefore: Bob: Hm.\nTurn: Ann: Yes."
    assert asked.fixed == len(asked.messages) - 1
    model = likes("Saab")
    run(model)
    assert all(
        prompt.messages[-1].text.startswith("Wanted: What was said about the Saab and the deal.\n")
        for prompt in model.asked
    )


def test_a_short_turn_is_judged_with_the_one_before_it_and_a_long_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = likes("Saab")
    run(model)
    assert f"Before: Ann: {SAID[0][1]}\nTurn: {SAAB}" in model.asked[1].messages[-1].text
    monkeypatch.setattr(judging, "ALONE", 3)
    alone = likes("Saab")
    run(alone)
    assert not any("Before:" in prompt.messages[-1].text for prompt in alone.asked)


def threshold(*odds: float) -> judging.Threshold:
    return judging.Threshold(
        tuple(judging.Judgement(turn, one, 0.1 * (turn % 2)) for turn, one in enumerate(odds))
    )


@pytest.mark.parametrize(
    ("found", "odds", "passes"),
    [
        ([-3.0, -1.0] * 4, -0.1, False),  # yes must be likelier than no, whatever the others have
        ([-3.0, -1.0] * 4, 0.1, True),
        ([1.0, 3.0] * 4, 2.4, False),  # a goal to which yes is said to nearly all
        ([1.0, 3.0] * 4, 2.6, True),
        ([3.0] * (judging.FEWEST - 1), 0.1, True),  # too few to tell
        ([3.0] * judging.FEWEST, 3.0, False),
    ],
)
def test_a_turn_must_exceed_what_was_found_for_the_goal(
    found: list[float], odds: float, passes: bool
) -> None:
    assert threshold(*found).passes(judging.Judgement(99, odds, 0.05)) is passes


def test_of_turns_with_the_same_odds_the_one_that_is_like_the_goal_is_kept() -> None:
    high = threshold(*[1.0, 3.0] * 4)
    assert high.passes(judging.Judgement(99, 2.4, 0.2))
    assert not high.passes(judging.Judgement(99, 2.4, 0.0))


def test_turns_around_a_kept_one_are_judged_too_even_if_no_search_finds_them() -> None:
    class Narrow(Shelf):
        def search(self, query: str, turns: int) -> list:  # type: ignore[type-arg]
            self.queries.append(query)
            return [self.all[1]]

    shelf = Narrow()
    world = MemoryEnvironment(shelf, GOAL)
    model = likes("Saab", "coat")
    Loop(world, model, Options(max_steps=30)).run()
    assert [note.turns for note in world.notes] == [(11,), (12,)]
    assert set(model.judged) == {f"{who}: {text}" for who, text in SAID}
    assert shelf.queries[1] == f"What was said about the Saab and the deal {SAID[1][1]}"


def test_turns_are_followed_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_FOLLOWED > FOR_GOAL
    monkeypatch.setattr("localmem.agent.environments.memory.MOST_FOLLOWED", 0)
    model = likes("Saab")
    shelf = Shelf()
    found = len(shelf.search("What was said about the Saab and the deal", 24))
    run(model)
    assert len(model.judged) == found


def test_where_nothing_counts_the_model_searches_with_its_own_words(tmp_path: Path) -> None:
    model = likes("coat")
    model.replies.extend([f"Subgoal: {LOOK}\nAction: search_memory(bring)"])
    world = MemoryEnvironment(Shelf(), "Where is the ferry", out=tmp_path)
    made = Loop(world, model, Options(max_steps=30)).run()
    assert [note.turns for note in world.notes] == [(12,)]
    assert made.status is Status.REACHED


def test_a_goal_that_nothing_is_about_is_reported_so_and_not_reached(tmp_path: Path) -> None:
    model = likes("unicorn")
    model.replies.append(f"Subgoal: {LOOK}\nAction: done()")
    world = MemoryEnvironment(Shelf(), GOAL, out=tmp_path)
    made = Loop(world, model, Options(max_steps=30)).run()
    assert (made.status, world.notes) == (Status.ENDED, [])
    assert (tmp_path / "saab.md").read_text(encoding="utf-8") == f"# {GOAL}\n\n{NOTHING}\n"


def test_a_report_without_a_name_gets_one_that_is_free(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("mine", encoding="utf-8")
    world = MemoryEnvironment(Shelf(), "About the Saab", out=tmp_path)
    Loop(world, likes("Saab"), Options(max_steps=30)).run()
    assert world.files == ["report-2.md"]
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == "mine"


def test_a_report_is_in_the_order_of_its_turns(tmp_path: Path) -> None:
    class Backwards(Shelf):
        def search(self, query: str, turns: int) -> list:  # type: ignore[type-arg]
            return list(reversed(self.all))

    world = MemoryEnvironment(Backwards(), GOAL, out=tmp_path)
    Loop(world, likes("Saab", "ferry", "coat"), Options(max_steps=30)).run()
    assert [turns[0].id for _, turns in world.findings()] == [10, 11, 12]
    lines = [line for line in (tmp_path / "saab.md").read_text("utf-8").splitlines() if line[:2] == "- "]
    assert [line.split()[1] for line in lines] == ["Ann:", "Bob:", "Ann:"]


def test_tokens_of_the_judging_are_those_of_the_step() -> None:
    model = likes("Saab")
    world = MemoryEnvironment(Shelf(), GOAL)
    made = Loop(world, model, Options(max_steps=30)).run()
    read = sum(model.count(prompt.messages[-1].text) for prompt in model.asked)
    assert made.usage.evaluated_tokens == read
    assert made.usage.calls == len(model.asked)
    assert max(step.context for step in made.steps) == max(map(model.count_prompt, model.asked))


@pytest.mark.parametrize(
    "options",
    [
        Options(assists=frozenset({Assist.STATE})),
        Options(actions=Actions.FREE),
        Options(assists=frozenset({Assist.FACTS})),
    ],
)
def test_nothing_is_judged_where_code_may_not_choose(options: Options) -> None:
    model = likes("Saab")
    model.replies.append(EngineError("the model was to write"))
    with pytest.raises(EngineError):
        run(model, None, options)
    assert model.asked == []


def test_planning_problems_decide_nothing_by_odds() -> None:
    from localmem.agent.environments.game import GameEnvironment
    from localmem.agent.environments.pddl import PddlEnvironment

    assert issubclass(MemoryEnvironment, Deciding)
    assert not issubclass(PddlEnvironment, Deciding) and not issubclass(GameEnvironment, Deciding)


def agent(tmp_path: Path, model: ScriptedModel) -> Agent:
    return Agent(Store.open(tmp_path / "memory.db"), Shelf(), lambda: model)


@pytest.mark.parametrize("after", range(1, 6))
def test_a_run_that_was_stopped_anywhere_ends_as_one_that_was_not(tmp_path: Path, after: int) -> None:
    whole = run(likes("Saab", "coat"), tmp_path / "whole")
    first, second = likes("Saab", "coat"), likes("Saab", "coat")
    world = MemoryWorld(out=str(tmp_path / "out"))
    mine = agent(tmp_path, first)
    job = mine.plan(GOAL, world, Options(max_steps=30))
    made = job.run(stop=lambda: len(made_steps) >= after, on_step=lambda _, step: made_steps.append(step))
    if not made.status.over:
        job = agent(tmp_path, second).resume(1)
        made = job.run()
    assert made.status is Status.REACHED
    assert [text for text, _ in job.findings] == [text for text, _ in whole.findings()]
    assert (tmp_path / "out" / "saab.md").read_bytes() == (tmp_path / "whole" / "saab.md").read_bytes()
    assert sorted(first.judged + second.judged) == sorted(f"{who}: {text}" for who, text in SAID)


made_steps: list[object] = []


@pytest.fixture(autouse=True)
def none_made() -> None:
    made_steps.clear()


def test_the_odds_are_kept_with_the_run(tmp_path: Path) -> None:
    mine = agent(tmp_path, likes("Saab"))
    mine.plan(GOAL, MemoryWorld(), Options(max_steps=30)).run()
    _, made = mine.show(1)
    assert [11, 2.0, 0.5] in json.loads(made.steps[0].data)["odds"]


def test_a_report_that_cannot_be_written_stops_the_run_which_then_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = likes("Saab")
    mine = agent(tmp_path, model)
    job = mine.plan(GOAL, MemoryWorld(out=str(out)), Options(max_steps=30))
    out.mkdir()
    (out / "saab.md").write_text("came meanwhile", encoding="utf-8")
    with pytest.raises(AgentError, match="exists already"):
        job.run()
    assert mine.show(1)[0].status == "stopped"
    with pytest.raises(AgentError, match="exists already"):
        mine.resume(1).run()
    assert (out / "saab.md").read_text(encoding="utf-8") == "came meanwhile"
    judged = len(model.judged)
    assert mine.resume(1, overwrite=True).run().status is Status.REACHED
    assert len(model.judged) == judged
    assert SAAB.partition(": ")[2] in (out / "saab.md").read_text(encoding="utf-8")


def test_a_run_can_go_on_into_another_folder(tmp_path: Path) -> None:
    mine = agent(tmp_path, likes("Saab"))
    job = mine.plan(GOAL, MemoryWorld(out=str(tmp_path / "one")), Options(max_steps=1))
    assert job.run().status is Status.STEPS
    resumed = mine.resume(1, max_steps=30, out=str(tmp_path / "two"))
    assert resumed.run().status is Status.REACHED
    assert resumed.files == [tmp_path / "two" / "saab.md"]
    assert not (tmp_path / "one").exists()


def test_a_run_without_a_folder_cannot_overwrite(tmp_path: Path) -> None:
    mine = agent(tmp_path, likes("Saab"))
    mine.plan(GOAL, MemoryWorld(), Options(max_steps=1)).run()
    with pytest.raises(AgentError, match="writes no reports"):
        mine.resume(1, max_steps=9, overwrite=True)


def test_what_could_not_be_written_at_the_end_is_refused_at_the_beginning(tmp_path: Path) -> None:
    mine = agent(tmp_path, likes("Saab"))
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "saab.md").write_text("mine", encoding="utf-8")
    for out, why in ((tmp_path, "exists already"), (tmp_path / "file" / "below", "is no folder")):
        with pytest.raises(AgentError, match=why):
            mine.plan(GOAL, MemoryWorld(out=str(out)), Options())
    assert mine.plan(GOAL, MemoryWorld(out=str(tmp_path), overwrite=True), Options())
    assert mine.plan(GOAL, MemoryWorld(out=str(tmp_path / "new" / "below")), Options())
    assert not (tmp_path / "new").exists()
    assert mine.runs() == []


def test_a_folder_that_may_not_be_written_into_is_refused_at_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = agent(tmp_path, likes("Saab"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(AgentError, match="cannot be written into"):
        mine.plan(GOAL, MemoryWorld(out=str(tmp_path / "out")), Options())


def test_a_memory_without_conversations_is_told_before_a_run(tmp_path: Path) -> None:
    class Empty(Shelf):
        def transcripts(self) -> list:  # type: ignore[type-arg]
            return []

    mine = Agent(Store.open(tmp_path / "memory.db"), Empty(), lambda: likes("Saab"))
    with pytest.raises(AgentError, match="nothing in this memory yet"):
        mine.plan(GOAL, MemoryWorld(), Options())


def test_a_run_that_has_used_its_tokens_says_how_it_goes_on(tmp_path: Path) -> None:
    mine = agent(tmp_path, likes("Saab"))
    made = mine.plan(GOAL, MemoryWorld(), Options(max_steps=30, max_tokens=1)).run()
    assert made.status is Status.TOKENS
    with pytest.raises(AgentError, match="has used its tokens") as told:
        mine.resume(1)
    spent = made.usage.evaluated_tokens
    assert told.value.hint == f"Let it go on with: localmem run --resume 1 --max-tokens {spent + 5000}"
    assert mine.resume(1, max_tokens=spent + 5000).run().status is Status.REACHED


def test_what_would_be_read_first_is_shown(tmp_path: Path) -> None:
    told = agent(tmp_path, likes("Saab")).plan(GOAL, MemoryWorld(), Options()).first_prompt()
    assert told.startswith("[system]\nYou judge turns of a conversation.")
    assert "[user]\nWanted: What was said about the Saab and the deal.\nTurn: Ann: The ferry" in told
    assert told.endswith(
        f"The same of each of 2 turns:\nThread 5, 2025-03-04:\n[1] Ann: {SAID[0][1]}\n[2] {SAAB}"
    )


def test_parts_come_in_their_order(tmp_path: Path) -> None:
    world = MemoryEnvironment(Shelf(), GOAL, out=tmp_path)
    made = Loop(world, likes("Saab"), Options(max_steps=30)).run()
    assert [subgoal.text for subgoal in made.subgoals][-2:] == [REPORT, END]
    assert LOOK not in [subgoal.text for subgoal in made.subgoals]
