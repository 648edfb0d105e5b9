"""The loop: what is asked, what is kept in the prompt, when it ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from localmem.agent import notices
from localmem.agent.environments import Outcome
from localmem.agent.loop import LINE_TOKENS, Loop, first_prompt
from localmem.agent.values import Actions, Assist, Kind, Mode, Options, Part, Status, Subgoal, Trajectory
from localmem.errors import ContextOverflowError, EngineError, TruncatedError
from localmem.llm import grammar
from localmem.llm.protocol import Generation, Prompt, Speaker
from tests.agent.worlds import Lines, Row
from tests.fakes import ScriptedModel

PLAIN = Options(assists=frozenset())
TWO_SUBGOALS = [
    "Subgoal: Go to place 2.",
    "right",
    "Action: right",
    "Reached: I am at place 2.\nSubgoal: Go to the end.",
    "right",
]


def loop(
    replies: Iterable[str | Exception], options: Options = PLAIN, **more: Any
) -> tuple[Loop, ScriptedModel]:
    model = ScriptedModel(replies, context=more.pop("context", 4096))
    return Loop(more.pop("world", None) or Row(), model, options, **more), model


def run(
    replies: Iterable[str | Exception], options: Options = PLAIN, **more: Any
) -> tuple[Trajectory, ScriptedModel]:
    made, model = loop(replies, options, **more)
    return made.run(), model


def shown(prompt: Prompt) -> list[str]:
    """What follows the fixed part."""
    return [message.text for message in prompt.messages[prompt.fixed :]]


def actions(trajectory: Trajectory) -> list[str]:
    return [step.action for step in trajectory.steps]


def test_a_goal_is_reached_over_two_subgoals() -> None:
    made, model = run(TWO_SUBGOALS)
    assert (made.status, made.progress, actions(made)) == (Status.REACHED, 1.0, ["right"] * 3)
    assert [(one.text, one.reached) for one in made.subgoals] == [
        ("Go to place 2.", True),
        ("Go to the end.", True),
    ]
    assert made.subgoals[0].summary == "I am at place 2."
    assert not model.replies


def test_everything_is_logged_as_it_happens() -> None:
    log = Lines()
    run(TWO_SUBGOALS, log=log)
    assert log.told == [
        "subgoal 1 Go to place 2.",
        "step 1 of 1: right",
        "step 2 of 1: right",
        "ended 1 True I am at place 2.",
        "subgoal 2 Go to the end.",
        "step 3 of 2: right",
        "reached True",
    ]


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


def test_a_subgoal_gets_a_valid_action_before_it_may_end() -> None:
    _, model = run(
        ["Subgoal: Go.", "jump", "Action: jump", "Action: right", "Action: wait"],
        replace(PLAIN, actions=Actions.FREE, max_steps=4),
    )
    may_end = [grammar.accepts(text or "", "Reached: yes.\nSubgoal: next") for text in model.grammars]
    assert may_end == [False, False, False, False, True]


def test_two_subgoals_never_follow_each_other() -> None:
    _, model = run(TWO_SUBGOALS)
    for text, prompt in zip(model.grammars, model.prompts, strict=True):
        assert text is not None
        assert not grammar.accepts(text, "Subgoal: one\nSubgoal: two")
        if prompt.start:
            assert not grammar.accepts(text, "Subgoal: two")


def test_only_valid_actions_can_be_written() -> None:
    _, model = run(["Subgoal: Go.", "right", "Action: right", "Action: right"])
    first, second = model.grammars[1:3]
    assert [word for word in ("right", "wait", "left", "fly") if grammar.accepts(first or "", word)] == [
        "right",
        "wait",
    ]
    assert grammar.accepts(second or "", "Action: left")
    assert not grammar.accepts(second or "", "Action: fly")


def test_with_free_actions_any_line_can_be_written() -> None:
    made, model = run(
        ["Subgoal: Go.", "fly away", *["Action: right"] * 3], replace(PLAIN, actions=Actions.FREE)
    )
    assert [step.valid for step in made.steps] == [False, True, True, True]
    assert made.steps[0].observation == "You cannot fly away."
    assert not any(grammar.accepts(text or "", "two\nlines") for text in model.grammars)


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


def test_a_new_subgoal_begins_with_how_things_stand() -> None:
    _, model = run(TWO_SUBGOALS, replace(PLAIN, assists=frozenset({Assist.STATE})))
    assert shown(model.prompts[4]) == [
        "Goal: Be at the last place.\n"
        "Finished subgoals:\n1. Go to place 2. (reached) I am at place 2.\n"
        "Now: You are at place 2."
    ]


def test_what_of_the_goal_became_true_is_told() -> None:
    made, _ = run(TWO_SUBGOALS, replace(PLAIN, assists=frozenset({Assist.GOALS})))
    assert made.steps[-1].observation == "You are at place 3. Reached: You are at the last place."
    assert notices.about_goal(["a."], ["a.", "b."]) == ["Undone: b."]


def test_an_action_that_would_reach_a_part_of_the_goal_is_told() -> None:
    made, _ = run(TWO_SUBGOALS, replace(PLAIN, assists=frozenset({Assist.AHEAD})))
    assert [step.observation for step in made.steps] == [
        "You are at place 1.",
        'You are at place 2. "right" would reach: You are at the last place.',
        "You are at place 3.",
    ]


class Two(Row):
    """Two goals, one after the other."""

    goal = "Be at places 1 and 3, one after the other."

    def missing(self) -> tuple[str, ...]:
        return (*(() if self.best >= 1 else ("1.",)), *(() if self.done else ("3.",)))


BY_PARTS = ["Subgoal: 1.\nAction: right", "Subgoal: 3.\nAction: right", "Action: right"]
FACTS = replace(PLAIN, assists=frozenset({Assist.FACTS}))


def test_a_subgoal_can_be_a_missing_part_of_the_goal_and_ends_when_it_is_reached() -> None:
    made, model = run(BY_PARTS, FACTS, world=Two())
    assert (made.status, [(one.text, one.reached) for one in made.subgoals]) == (
        Status.REACHED,
        [("1.", True), ("3.", True)],
    )
    first, second, last = (text or "" for text in model.grammars)
    assert grammar.accepts(first, "Subgoal: 1.\nAction: wait")
    assert grammar.accepts(first, "Subgoal: 3.\nAction: wait")
    assert not grammar.accepts(first, "Subgoal: Go.\nAction: wait")
    assert not grammar.accepts(first, "Subgoal: 1.")
    assert not grammar.accepts(second, "Subgoal: 1.\nAction: wait")
    assert not grammar.accepts(second, "Action: wait")
    assert grammar.accepts(last, "Action: wait")
    assert not grammar.accepts(last, "Subgoal: 3.\nAction: wait")


def test_the_next_part_is_chosen_after_what_was_finished_and_nothing_else() -> None:
    _, model = run(BY_PARTS, FACTS, world=Two())
    goal = "Goal: Be at places 1 and 3, one after the other.\nYou are at place 0."
    assert shown(model.prompts[1]) == [f"{goal}\nFinished subgoals:\n1. 1."]
    assert shown(model.prompts[2]) == [
        f"{goal}\nFinished subgoals:\n1. 1.",
        "Subgoal: 3.\nAction: right",
        "You are at place 2.",
    ]
    assert [step.usage.calls for step in run(BY_PARTS, FACTS, world=Two())[0].steps] == [1, 1, 1]


def test_without_summaries_a_finished_part_has_the_last_observation() -> None:
    _, model = run(BY_PARTS, replace(FACTS, without=frozenset({Part.SUMMARY})), world=Two())
    assert shown(model.prompts[1])[0].endswith("\n1. 1. (reached) You are at place 1.")


def test_a_part_that_was_begun_without_a_step_is_gone_on_with() -> None:
    made, model = run(["right", *BY_PARTS[1:]], FACTS, world=Two(), past=[Subgoal(1, "1.")])
    assert made.status is Status.REACHED
    assert model.prompts[0].start == "Subgoal: 1.\nAction: "


def test_a_run_by_parts_goes_on_where_it_was_left() -> None:
    options = replace(FACTS, assists=frozenset(Assist), actions=Actions.FREE)
    first, _ = run(BY_PARTS[:2], replace(options, max_steps=2), world=Two())
    made, model = run(BY_PARTS[2:], options, world=Two(), past=first.subgoals)
    whole, all_of_it = run(BY_PARTS, options, world=Two())
    assert actions(made) == actions(whole)
    assert model.prompts == all_of_it.prompts[2:]


def test_a_search_leaves_only_what_leads_on_to_be_written() -> None:
    _, model = run(BY_PARTS, replace(FACTS, assists=frozenset({Assist.FACTS, Assist.SEARCH})), world=Two())
    assert not grammar.accepts(model.grammars[2] or "", "Action: wait")
    assert grammar.accepts(model.grammars[2] or "", "Action: right")
    assert not any("Next: " in text for prompt in model.prompts for text in shown(prompt))


def test_with_free_actions_what_leads_on_is_told() -> None:
    assists = frozenset({Assist.FACTS, Assist.SEARCH, Assist.STATE, Assist.CHANGES})
    options = replace(PLAIN, assists=assists, actions=Actions.FREE)
    _, model = run(BY_PARTS, options, world=Two())
    assert shown(model.prompts[0])[0].endswith("You are at place 0.\nNext: right")
    assert shown(model.prompts[2]) == [
        "Goal: Be at places 1 and 3, one after the other.\n"
        "Finished subgoals:\n1. 1.\nNow: Place 1.\nNext: right",
        "Subgoal: 3.\nAction: right",
        "Now 2.\nNext: right",
    ]
    assert grammar.accepts(model.grammars[2] or "", "Action: fly")


def test_a_search_can_help_the_standard_way_too() -> None:
    options = replace(
        PLAIN, mode=Mode.STANDARD, assists=frozenset({Assist.SEARCH, Assist.CHANGES}), actions=Actions.FREE
    )
    _, model = run(["Action: right"] * 3, options)
    assert shown(model.prompts[1]) == [
        "Goal: Be at the last place.\nYou are at place 0.\nNext: right",
        "Action: right",
        "You are at place 1.\nNext: right",
    ]


def test_only_what_leads_to_a_new_state_stands_beside_the_surest_action() -> None:
    world = Row()
    text = f"root ::= {notices.leading_on(world, ['right', 'wait'], {'place 0': 0, 'place 1': 1})}"
    assert grammar.accepts(text, "right")
    assert not grammar.accepts(text, "wait")


def test_actions_that_only_lead_back_are_left_out() -> None:
    _, model = run(
        ["Subgoal: Go.", "right", "Action: right", "Action: right"],
        replace(PLAIN, assists=frozenset({Assist.LOOKAHEAD})),
    )
    assert [
        word
        for word in ("left", "right", "wait")
        if grammar.accepts(model.grammars[2] or "", f"Action: {word}")
    ] == ["right"]


def test_where_everything_leads_back_all_valid_actions_are_open() -> None:
    world = Row(9)
    seen = {f"place {place}": place for place in range(9)}
    world.place = 4
    assert notices.without_known(world, seen) is None


def test_a_state_that_was_seen_before_is_told() -> None:
    made, _ = run(["Subgoal: Go.", "right", "Action: left", "Action: right"], replace(PLAIN, max_steps=3))
    assert [step.observation for step in made.steps[1:]] == [
        "You are at place 0. You were here before, at the beginning.",
        "You are at place 1. You were here before, after step 1.",
    ]


def test_a_failure_that_is_repeated_is_told() -> None:
    made, _ = run(["Subgoal: Go.", "fly", "Action: fly"], replace(PLAIN, actions=Actions.FREE, max_steps=2))
    assert made.steps[1].observation == "You cannot fly. You tried this before, in step 1."


def test_an_action_that_changes_nothing_again_is_told() -> None:
    made, _ = run(["Subgoal: Go.", "wait", "Action: wait"], replace(PLAIN, max_steps=2))
    assert made.steps[1].observation.endswith("You have done this before, and nothing has changed.")


def test_going_in_circles_is_told() -> None:
    replies = ["Subgoal: Go.", "right", *["Action: left", "Action: right"] * 3]
    made, _ = run(replies, replace(PLAIN, max_steps=7))
    told = [notices.CIRCLES in step.observation for step in made.steps]
    assert told == [False] * 5 + [True] * 2


def test_a_dead_end_is_told_and_ends_the_run() -> None:
    log = Lines()
    made, _ = run(["Subgoal: Go.", "right", "Action: right"], world=Row(5, pit=2), log=log)
    assert made.status is Status.DEAD_END
    assert made.steps[-1].observation == f"You are at place 2. {notices.DEAD_END}"
    assert log.told[-1] == "dead end False"


def test_a_run_ends_when_its_steps_are_used_up() -> None:
    made, model = run(["Subgoal: Go.", "wait", "Action: wait", "never asked"], replace(PLAIN, max_steps=2))
    assert (made.status, len(made.acts), len(model.replies)) == (Status.STEPS, 2, 1)


def test_a_run_ends_when_its_tokens_are_used_up() -> None:
    made, _ = run(["Subgoal: Go.", "wait", "Action: wait", "never asked"], replace(PLAIN, max_tokens=10))
    assert (made.status, len(made.acts)) == (Status.TOKENS, 1)


def test_a_run_can_be_stopped_after_a_step() -> None:
    asked = iter([False, True])
    made, _ = run(["Subgoal: Go.", "right", "never asked"], stop=lambda: next(asked))
    assert (made.status, actions(made)) == (Status.STOPPED, ["right"])


def test_a_line_that_hit_the_token_limit_is_taken_as_far_as_it_goes() -> None:
    cut = TruncatedError("cut", text="Subgoal: Go to the pla")
    made, _ = run([cut, "right", "Action: right", "Action: right"])
    assert (made.subgoals[0].text, made.status) == ("Go to the pla", Status.REACHED)


def test_an_engine_that_fails_leaves_all_steps_in_the_log() -> None:
    log = Lines()
    made, _ = loop(["Subgoal: Go.", "right", EngineError("broken")], log=log)
    with pytest.raises(EngineError):
        made.run()
    assert log.told == ["subgoal 1 Go.", "step 1 of 1: right"]


def test_a_run_goes_on_where_it_was_left() -> None:
    first, _ = run(TWO_SUBGOALS[:4], replace(PLAIN, max_steps=2))
    begun = (*first.subgoals[:-1], first.subgoals[-1])
    made, model = run(TWO_SUBGOALS[3:], past=begun)
    assert (made.status, [step.number for step in made.steps]) == (Status.REACHED, [1, 2, 3])
    _, whole = run(TWO_SUBGOALS)
    assert model.prompts == whole.prompts[3:]
    assert model.grammars == whole.grammars[3:]


def test_a_run_goes_on_with_a_subgoal_that_has_no_step_yet() -> None:
    made, model = run(["right", "Action: right", "Action: right"], past=[Subgoal(1, "Go.")])
    assert made.status is Status.REACHED
    assert model.prompts[0].start == "Subgoal: Go.\nAction: "


def test_usage_is_counted_for_each_step() -> None:
    made, model = run(TWO_SUBGOALS)
    assert [step.usage.calls for step in made.steps] == [2, 1, 2]
    assert made.usage.calls == len(model.prompts)
    assert [step.context for step in made.steps] == [
        max(model.count_prompt(model.prompts[place]) for place in places) for places in ((0, 1), (2,), (3, 4))
    ]


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


def test_options_come_back_from_their_row() -> None:
    options = Options(
        Mode.STANDARD, Actions.FREE, frozenset({Part.SUMMARY}), frozenset({Assist.STATE}), 7, 900
    )
    assert Options.of(options.row()) == options


def test_an_outcome_says_nothing_more_by_default() -> None:
    assert Outcome("x", True).data == ""
