"""What is kept in the prompt of the loop, and what of it is read again."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from localmem.agent.loop import LINE_TOKENS, Loop, first_prompt
from localmem.agent.values import Actions, Kind, Mode, Part, Status
from localmem.errors import ContextOverflowError
from localmem.llm import grammar
from localmem.llm.protocol import Generation, Prompt, Speaker
from tests.agent.runs import PLAIN, TWO_SUBGOALS, loop, run, shown
from tests.agent.worlds import Row
from tests.fakes import ScriptedModel


def test_only_the_current_subgoal_stands_in_the_prompt_in_full() -> None:
    _, model = run(TWO_SUBGOALS)
    assert shown(model.prompts[3]) == [
        "Goal: Be at the last place.\nYou are at place 0.",
        "Subgoal: Go to place 2.\nAction: right",
        "You are at place 1.",
        "Action: right",
        "You are at place 2.",
    ]
    assert shown(model.prompts[4]) == [
        "Goal: Be at the last place.\nYou are at place 0.\n"
        "Finished subgoals:\n1. Go to place 2. (reached) I am at place 2."
    ]
    assert model.prompts[4].start == "Subgoal: Go to the end.\nAction: "


def test_a_prompt_grows_at_its_end_within_a_subgoal() -> None:
    _, model = run(
        ["Subgoal: Go.", "wait", "Action: wait", "Action: right", "Action: wait"], replace(PLAIN, max_steps=4)
    )
    prompts = [[*prompt.messages] for prompt in model.prompts]
    for before, after in pairwise(prompts):
        assert after[: len(before)] == before
        assert len(after) - len(before) in (0, 2)


def test_finished_subgoals_only_append_to_the_first_message() -> None:
    replies = ["Subgoal: A.", "wait"]
    for name in "BCD":
        replies += [f"Reached: done.\nSubgoal: {name}.", "wait"]
    _, model = run(replies, replace(PLAIN, max_steps=4))
    tasks = [shown(prompt)[0] for prompt in model.prompts if prompt.start]
    assert len(tasks) == 4
    for before, after in pairwise(tasks):
        assert after.startswith(before)


def test_the_standard_way_keeps_all_pairs_and_has_no_subgoals() -> None:
    made, model = run(["Action: right"] * 3, replace(PLAIN, mode=Mode.STANDARD))
    assert made.status is Status.REACHED
    assert shown(model.prompts[2])[1:] == [
        "Action: right", "You are at place 1.", "Action: right", "You are at place 2.",
    ]  # fmt: skip
    assert not any("ubgoal" in message.text for prompt in model.prompts for message in prompt.messages)
    assert not any(grammar.accepts(text or "", "Subgoal: Go.") for text in model.grammars)


def test_finished_subgoals_can_be_opened_until_the_next_one() -> None:
    replies = [*TWO_SUBGOALS[:4], "retrieve(1)", "Action: wait", "Reached: ok.\nSubgoal: The rest.", "right"]
    made, model = run(replies)
    assert [step.kind for step in made.steps] == [Kind.ACT, Kind.ACT, Kind.RETRIEVE, Kind.ACT, Kind.ACT]
    assert shown(model.prompts[5])[1:] == [
        "Subgoal: Go to the end.\nAction: retrieve(1)",
        "1. Go to place 2.\nAction: right\nYou are at place 1.\nAction: right\nYou are at place 2.",
    ]
    assert len(shown(model.prompts[7])) == 1


def test_only_finished_subgoals_can_be_opened_and_each_once() -> None:
    replies = [*TWO_SUBGOALS[:4], "retrieve(1)", "Action: right"]
    _, model = run(replies)
    opens = [
        grammar.accepts(text or "", "retrieve(1)") or grammar.accepts(text or "", "Action: retrieve(1)")
        for text in model.grammars
    ]
    assert opens == [False, False, False, False, True, False]
    assert not any(grammar.accepts(text or "", "retrieve(2)") for text in model.grammars)


def test_opening_takes_no_step_of_the_world() -> None:
    made, _ = run([*TWO_SUBGOALS[:4], "retrieve(1)", "Action: right"], replace(PLAIN, max_steps=3))
    assert (made.status, len(made.acts), len(made.steps)) == (Status.REACHED, 3, 4)


def test_opening_what_is_not_there_is_an_invalid_action() -> None:
    made, _ = run(
        ["Subgoal: Go.", "retrieve(4)", *["Action: right"] * 3], replace(PLAIN, actions=Actions.FREE)
    )
    assert (made.steps[0].kind, made.steps[0].valid) == (Kind.ACT, False)


def test_without_retrieval_nothing_can_be_opened() -> None:
    _, model = run(TWO_SUBGOALS, replace(PLAIN, without=frozenset({Part.RETRIEVAL})))
    assert not any(grammar.accepts(text or "", "retrieve(1)") for text in model.grammars)
    assert not any("retrieve" in message.text for message in model.prompts[0].messages)


def test_without_summaries_the_last_observation_stands_for_one() -> None:
    replies = [*TWO_SUBGOALS[:3], "Subgoal: Go to the end.", "right"]
    made, model = run(replies, replace(PLAIN, without=frozenset({Part.SUMMARY})))
    assert (made.subgoals[0].reached, made.subgoals[0].summary) == (None, "You are at place 2.")
    assert shown(model.prompts[4])[0].endswith("1. Go to place 2. You are at place 2.")
    assert not grammar.accepts(model.grammars[3] or "", "Reached: x.\nSubgoal: y")


def test_without_working_memory_all_steps_stay() -> None:
    replies = [*TWO_SUBGOALS[:3], "Subgoal: Go to the end.", "right"]
    _, model = run(replies, replace(PLAIN, without=frozenset({Part.MEMORY})))
    assert shown(model.prompts[4])[1:] == [
        "Subgoal: Go to place 2.\nAction: right", "You are at place 1.", "Action: right", "You are at place 2.",
    ]  # fmt: skip


class Prefixed(ScriptedModel):
    """Reads, of each prompt, what is not a prefix that it has read before: as the engine does."""

    def generate(self, prompt: Prompt, **more: Any) -> Generation:
        words = [f"{message.speaker} {message.text} end" for message in prompt.messages]
        tokens = " ".join(words).split() + prompt.start.split()
        before: list[str] = getattr(self, "read", [])
        same = next(
            (at for at, pair in enumerate(zip(tokens, before, strict=False)) if len(set(pair)) > 1), None
        )
        shared = min(len(tokens), len(before)) if same is None else same
        made = super().generate(prompt, **more)
        self.read = tokens
        return replace(made, usage=replace(made.usage, evaluated_tokens=len(tokens) - shared))


def test_within_a_subgoal_only_the_newest_pair_is_read() -> None:
    model = Prefixed(["Subgoal: Go.", "wait", *["Action: wait"] * 14])
    made = Loop(Row(), model, replace(PLAIN, max_steps=15)).run()
    read = [step.usage.evaluated_tokens for step in made.steps[6:]]  # from there on, circles are told of
    assert (len(read), set(read)) == (9, {read[0]})
    assert read[0] < 30


def test_a_new_subgoal_reads_its_line_and_no_finished_one_again() -> None:
    replies = ["Subgoal: A.", "wait"]
    for name in "BCDEFGH":
        replies += [f"Reached: done.\nSubgoal: {name}.", "wait"]
    made = Loop(Row(), Prefixed(replies), replace(PLAIN, max_steps=8)).run()
    read = [step.usage.evaluated_tokens for step in made.steps[5:]]
    assert (len(read), set(read)) == (3, {read[0]})


def test_when_the_context_is_full_the_oldest_steps_are_left_out() -> None:
    probe, model = loop([])
    fixed = model.count_prompt(Prompt("", (), 0)) + sum(
        model.count(message.text) + 4 for message in probe._opening.fixed
    )
    made, model = run(
        ["Subgoal: Go.", "wait", *["Action: wait"] * 29],
        replace(PLAIN, max_steps=30),
        context=fixed + LINE_TOKENS + 200,
    )
    assert made.status is Status.STEPS
    assert made.usage.dropped_units > 0
    assert all(model.count_prompt(prompt) + LINE_TOKENS <= model.context for prompt in model.prompts)
    assert shown(model.prompts[-1])[1].startswith("Subgoal: Go.\nAction: wait")


def test_a_goal_that_does_not_fit_is_one_clear_line() -> None:
    with pytest.raises(ContextOverflowError, match="tokens of context") as refused:
        run(["never asked"], context=200)
    assert refused.value.hint


def test_speakers_alternate() -> None:
    replies = [*TWO_SUBGOALS[:4], "retrieve(1)", "Action: right"]
    for options in (
        PLAIN,
        replace(PLAIN, without=frozenset({Part.MEMORY, Part.SUMMARY})),
        replace(PLAIN, mode=Mode.STANDARD),
    ):
        given = ["Action: right"] * 3 if options.mode is Mode.STANDARD else replies
        if options.without:
            given = [*TWO_SUBGOALS[:3], "Subgoal: Go on.", "right"]
        _, model = run(given, options)
        for prompt in model.prompts:
            speakers = [message.speaker for message in prompt.messages]
            assert speakers[0] is Speaker.SYSTEM
            assert speakers[1:] == [Speaker.USER, Speaker.ASSISTANT] * (len(speakers) // 2 - 1) + [
                Speaker.USER
            ]


def test_the_first_prompt_can_be_shown_without_a_model() -> None:
    text = first_prompt(Row(), PLAIN)
    assert text.startswith("[system]\nYou act in a world")
    assert text.endswith("[user]\nGoal: Be at the last place.\nYou are at place 0.")
