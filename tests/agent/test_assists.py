"""What the world tells the loop besides its observations: state, goals, facts, a search, notices."""

from __future__ import annotations

from dataclasses import replace

from localmem.agent import notices
from localmem.agent.values import Actions, Assist, Mode, Part, Status, Subgoal
from localmem.llm import grammar
from tests.agent.runs import PLAIN, TWO_SUBGOALS, actions, run, shown
from tests.agent.worlds import Row


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


def test_with_free_actions_the_one_after_a_refused_one_is_held_to_what_leads_on() -> None:
    replies = ["Subgoal: Go.", "fly", "Action: right", "Action: swim", "Action: right"]
    for assists, held in ((frozenset({Assist.SEARCH}), True), (frozenset(), False)):
        _, model = run(replies, replace(PLAIN, assists=assists, actions=Actions.FREE, max_steps=4))
        free = [grammar.accepts(text or "", "Action: fly") for text in model.grammars[2:]]
        assert free == [not held, True, not held]
        assert all(grammar.accepts(text or "", "Action: right") for text in model.grammars[2:])


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
