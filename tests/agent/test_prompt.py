"""Instructions and examples: they are shown as a run is, and the examples are true."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest

from localmem import resources
from localmem.agent import prompt
from localmem.agent.environments import pddl
from localmem.agent.environments.wording import DOMAINS
from localmem.agent.lines import grammar_for, read, retrieved, with_retrieve
from localmem.agent.values import Actions, Mode, Options, Part
from localmem.llm import grammar
from localmem.llm.protocol import Speaker

KINDS = sorted(
    file.stem.removeprefix("subgoal-") for file in resources.path("prompts").glob("subgoal-*.toml")
)


def test_every_domain_has_its_instructions() -> None:
    assert {*DOMAINS, prompt.ANY_PDDL} <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("without", [frozenset(), frozenset({Part.SUMMARY}), frozenset({Part.MEMORY})])
def test_an_example_alternates_and_its_lines_are_of_the_grammar(
    kind: str, mode: Mode, without: frozenset[Part]
) -> None:
    opening = prompt.opening(kind, Options(mode, without=without, assists=frozenset()))
    speakers = [message.speaker for message in opening.fixed]
    assert speakers == [Speaker.SYSTEM, *[Speaker.USER, Speaker.ASSISTANT] * (len(speakers) // 2)]
    written = [message.text for message in opening.fixed if message.speaker is Speaker.ASSISTANT]
    summaries = mode is Mode.HIAGENT and not without
    assert any(text.startswith("Reached: ") for text in written) == summaries
    written = [text for text in written if "Action: " in text]
    assert written
    assert any("Subgoal: " in text for text in written) == (mode is Mode.HIAGENT)
    for text in written:
        *first, action = text.splitlines()
        assert grammar.accepts(grammar_for("action"), action)
        assert not first or grammar.accepts(grammar_for("subgoal | ended"), "\n".join(first))


@pytest.mark.parametrize("mode", Mode)
def test_two_ways_of_working_have_prompts_of_their_own(mode: Mode) -> None:
    assert prompt.opening("gripper", Options(mode, assists=frozenset())).name == f"{mode}-gripper"


@pytest.mark.parametrize("kind", DOMAINS)
def test_an_example_is_what_the_world_really_answers(kind: str) -> None:
    pytest.importorskip("jupyddl")
    example = tomllib.loads(resources.text("prompts", f"subgoal-{kind}.toml"))["example"]
    world = pddl.PddlEnvironment.of(pddl.domain_text(kind), example["problem"])
    assert (world.reset(), world.goal) == (example["start"], example["goal"])
    for subgoal in example["subgoals"]:
        for step in subgoal["steps"]:
            assert world.step(step["action"]).observation == step["observation"]
        assert subgoal.get("now", world.now()) == world.now()
    assert world.done


@pytest.mark.parametrize("kind", DOMAINS)
def test_an_example_by_parts_is_what_the_world_really_answers(kind: str) -> None:
    pytest.importorskip("jupyddl")
    file = tomllib.loads(resources.text("prompts", f"subgoal-{kind}.toml"))
    example = file["parts"]
    problem = example.get("problem", file["example"]["problem"])
    world = pddl.PddlEnvironment.of(pddl.domain_text(kind), problem)
    world.reset()
    assert world.goal == example["goal"]
    for action in example["before"]:
        assert world.step(action).valid
    assert world.route().now == example["now"]
    assert world.missing() == (example["subgoal"],)
    assert not set(example["finished"]) & set(world.missing())
    for step in example["steps"]:
        assert step["action"] == world.route().actions[0]
        assert world.step(step["action"]).changes == step["observation"]
    assert world.done


@pytest.mark.parametrize("kind", [*DOMAINS, prompt.ANY_PDDL])
def test_an_example_shows_one_subgoal_in_full(kind: str) -> None:
    plain = Options(assists=frozenset())
    whole = prompt.opening(kind, replace(plain, without=frozenset({Part.MEMORY}))).fixed
    working = prompt.opening(kind, plain).fixed
    assert len(working) <= len(whole)
    assert working[-1].text.startswith("Reached: ")
    assert "\nSubgoal: " in working[-1].text
    assert sum("Subgoal: " in message.text for message in working[1:]) == 2


@pytest.mark.parametrize("kind", [*DOMAINS, prompt.ANY_PDDL])
@pytest.mark.parametrize("actions", Actions)
def test_where_subgoals_are_parts_of_the_goal_the_example_has_one(kind: str, actions: Actions) -> None:
    opening = prompt.opening(kind, Options(actions=actions))
    written = [message.text for message in opening.fixed if message.speaker is Speaker.ASSISTANT]
    root = grammar_for('subgoal "\\n" action')
    assert grammar.accepts(root, written[0])
    assert all(grammar.accepts(grammar_for("action"), text) for text in written[1:])
    assert "Finished subgoals:\n1. " in opening.fixed[1].text
    told = actions is Actions.FREE
    assert opening.name == f"hiagent-{kind}-parts{'-told' if told else ''}"
    for seen, wrote in zip(opening.fixed[1::2], written, strict=True):
        action = wrote.splitlines()[-1].removeprefix("Action: ")
        assert seen.text.endswith(f"\nNext: {action}") is told


def test_the_example_by_parts_is_the_shorter_one() -> None:
    def length(kind: str, options: Options) -> int:
        return sum(len(message.text) for message in prompt.opening(kind, options).fixed)

    for kind in DOMAINS:
        plain = Options(assists=frozenset())
        assert length(kind, Options()) < 0.75 * length(kind, plain)


def test_a_job_over_a_memory_is_told_of_nothing_that_its_grammar_refuses() -> None:
    system = prompt.opening("memory", Options()).fixed[0].text
    assert "retrieve" not in system
    assert "retrieve" in prompt.opening("gripper", Options()).fixed[0].text
    for tool in ("keep(", "done(", "search_memory(", "write_file(", "finish("):
        assert tool in system


def test_a_finished_part_needs_no_verdict() -> None:
    assert prompt.finished_line(1, "b3 is on b2.", True, "") == "1. b3 is on b2."
    assert prompt.finished_line(1, "Free b3.", True, "It is.") == "1. Free b3. (reached) It is."
    assert prompt.finished_line(2, "Free b3.", False, "") == "2. Free b3. (not reached)"


def test_a_reply_is_taken_apart() -> None:
    line = read("Not reached: the box is locked.\nSubgoal: Find a key.")
    assert (line.reached, line.summary, line.subgoal, line.action) == (
        False, "the box is locked.", "Find a key.", "",
    )  # fmt: skip
    assert read("Action: go: north").action == "go: north"
    assert read("nonsense") == read("")


@pytest.mark.parametrize(
    ("action", "numbers"),
    [
        ("retrieve(1)", [1]),
        ("Retrieve ( 1, 2 ).", [1, 2]),
        ("retrieve(1,2,3,4)", [1, 2, 3]),
        ("retrieve", None),
        ("retrieve()", None),
        ("retrieve(x)", None),
        ("retrieve(1) and go", None),
        ("retrieve(,)", []),
    ],
)
def test_a_retrieval_is_known_by_its_form(action: str, numbers: list[int] | None) -> None:
    assert retrieved(action) == numbers


def test_retrievals_stand_beside_the_actions() -> None:
    act = with_retrieve(grammar.alternatives(["go"]), [1, 12])
    text = grammar_for("act", act)
    assert [line for line in ("go", "retrieve(1)", "retrieve(12, 1)", "retrieve(2)", "retrieve()") if grammar.accepts(text, line)] == [
        "go", "retrieve(1)", "retrieve(12, 1)",
    ]  # fmt: skip
    assert with_retrieve(None, [1]) is None
