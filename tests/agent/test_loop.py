"""The loop: what is asked, what can be written, when it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from localmem.agent import notices
from localmem.agent.environments import Outcome
from localmem.agent.values import Actions, Assist, Mode, Options, Part, Status, Subgoal
from localmem.errors import EngineError, TruncatedError
from localmem.llm import grammar
from tests.agent.runs import PLAIN, TWO_SUBGOALS, actions, loop, run
from tests.agent.worlds import Lines, Row


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


def test_options_come_back_from_their_row() -> None:
    options = Options(
        Mode.STANDARD, Actions.FREE, frozenset({Part.SUMMARY}), frozenset({Assist.STATE}), 7, 900
    )
    assert Options.of(options.row()) == options


def test_an_outcome_says_nothing_more_by_default() -> None:
    assert Outcome("x", True).data == ""
