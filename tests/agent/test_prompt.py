"""Instructions and examples: they are shown as a run is, and the examples are true."""

from __future__ import annotations

import re
import tomllib

import pytest

from localmem import resources
from localmem.agent import prompt
from localmem.agent.environments import pddl
from localmem.agent.environments.wording import DOMAINS
from localmem.agent.lines import grammar_for, read, retrieved, with_retrieve
from localmem.agent.values import Mode, Options, Part
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
    opening = prompt.opening(kind, Options(mode, without=without))
    speakers = [message.speaker for message in opening.fixed]
    assert speakers == [Speaker.SYSTEM, *[Speaker.USER, Speaker.ASSISTANT] * (len(speakers) // 2)]
    written = [message.text for message in opening.fixed if message.speaker is Speaker.ASSISTANT]
    summaries = mode is Mode.HIAGENT and not without
    assert any(text.startswith("Reached: ") for text in written) == summaries
    assert any("Subgoal: " in text for text in written) == (mode is Mode.HIAGENT)
    for text in written:
        *first, action = text.splitlines()
        assert grammar.accepts(grammar_for("action"), action)
        assert not first or grammar.accepts(grammar_for("subgoal | ended"), "\n".join(first))


@pytest.mark.parametrize("mode", Mode)
def test_two_ways_of_working_have_prompts_of_their_own(mode: Mode) -> None:
    assert prompt.opening("gripper", Options(mode)).name == f"{mode}-gripper"


@pytest.mark.parametrize("kind", DOMAINS)
def test_an_example_is_what_the_world_really_answers(kind: str) -> None:
    pytest.importorskip("jupyddl")
    example = tomllib.loads(resources.text("prompts", f"subgoal-{kind}.toml"))["example"]
    steps = [step for subgoal in example["subgoals"] for step in subgoal["steps"]]
    world = replayed(kind, example["start"], example["goal"])
    assert (world.reset(), world.goal) == (example["start"], example["goal"])
    assert [world.step(step["action"]).observation for step in steps] == [
        step["observation"] for step in steps
    ]


def replayed(kind: str, start: str, goal: str) -> pddl.PddlEnvironment:
    """The world that an example tells of, found in the words of its beginning."""
    words, rules = DOMAINS[kind], pddl.domain_text(kind)
    listed, rest = start.removeprefix("There are: ").split(". ", 1)
    objects = {}
    for part in listed.split("; "):
        type, names = part.split(" ", 1)
        objects |= dict.fromkeys(names.split(", "), type)
    facts = [f"{type} {name}" for name, type in objects.items() if type in words.kinds]
    for predicate, pattern in words.facts.items():
        expression = re.sub(r"\\\{(\d)\\\}", r"(?P<a\1>[^\\s.]+)", re.escape(pattern))
        for found in re.finditer(rf"(?:^|(?<=\. )){expression}(?= |$)", rest):
            arguments = [found[f"a{place}"] for place in range(len(found.groups()))]
            if all(argument in objects for argument in arguments):
                facts.append(" ".join([predicate, *arguments]))
    wanted = goal.split("conditions: ")[1].rstrip(".").split("., ")
    goals = [fact for one in wanted for fact in facts_of(words.facts, f"{one}.", objects)]
    typed = "" if kind in ("blocksworld", "gripper") else " - {}"
    constants = ("jack", "pump", "wrench")
    named = " ".join(name + typed.format(type) for name, type in objects.items() if name not in constants)
    made = " ".join(f"({fact})" for fact in facts)
    conditions = " ".join(f"({fact})" for fact in goals)
    return pddl.PddlEnvironment.of(
        rules,
        f"(define (problem p) (:domain {kind}) (:objects {named}) (:init {made}) (:goal (and {conditions})))",
    )


def facts_of(patterns: object, sentence: str, objects: dict[str, str]) -> list[str]:

    assert isinstance(patterns, dict)
    found = []
    for predicate, pattern in patterns.items():
        expression = re.sub(r"\\\{(\d)\\\}", r"(?P<a\1>\\S+?)", re.escape(pattern))
        match = re.fullmatch(expression, sentence)
        if match and all(name in objects for name in match.groups()):
            found.append(" ".join([predicate, *(match[f"a{place}"] for place in range(len(match.groups())))]))
    return found


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
