"""A turn through all stages: what changes nothing, where the model errs, what it reads, and parts left out."""

from __future__ import annotations

import pytest

from localmem.errors import EngineError, TruncatedError
from localmem.llm import grammar as grammars
from localmem.tasks import Op, TaskGraph
from localmem.tasks.context import Part
from localmem.tasks.pipeline import MOST_FOCUS, TRIES, Understood, focus_of, last_language, understand
from localmem.tasks.reading import read
from tests.fakes import ScriptedModel
from tests.tasks.scene import Chat, chat, graph_of, tips, understood


def no_model() -> ScriptedModel:
    raise AssertionError("the model was asked for")


# What never changes anything.


@pytest.mark.parametrize(
    "said",
    [
        "who flies first?",
        "wasn't the glue from Tilda?",
        "why did we drop the glue?",
        "what was the time at first?",
        "who had it in between?",
        "did I ever say noon?",
        "what if we dropped the twine?",
        "maybe we should drop the twine",
        "I'm not sure about the twine",
        "thanks, that's great!",
        "wer fliegt zuerst?",
        "was war die Uhrzeit am Anfang?",
        "was wäre, wenn wir twine streichen?",
        "¿quién vuela primero?",
        "¿y si quitamos twine?",
        "gracias",
    ],
)
def test_questions_doubts_and_talk_ask_no_model_and_change_nothing(said: str) -> None:
    graph = graph_of("kite day\n- time = noon\n- pilot = Ruben\n- pilot = Tilda\n- twine\n- glue (removed)")
    found = understand(graph, read(said), (), no_model)
    assert found == Understood((), (), "", False, found.usage)
    assert found.usage.calls == 0


def test_an_update_and_a_question_in_one_sentence_change_what_is_told() -> None:
    talk = chat("kite day\n- time = noon\n- glue")
    assert tips(talk.say("drop the glue and tell me when we start")) == ["kite day > time = noon"]


def test_a_question_beside_an_update_is_kept_from_the_model() -> None:
    found, model = understood(
        "kite day\n- tail = ribbon", "the tail should be wool of Tilda. Who flies first?", "change tail: wool"
    )
    assert "flies" not in model.prompts[0].messages[-1].text
    assert [operation.value for operation in found.operations] == ["wool"]


# The model, when it errs.


def test_what_the_guards_drop_cannot_be_written_again() -> None:
    found, model = understood(
        "kite day\n- tail = ribbon", "the tail hangs on the ribbon of old", "change tail: ribbon", "done tail"
    )
    assert [operation.op for operation in found.operations] == [Op.DONE]
    assert [dropped.reason for dropped in found.dropped] == ["tail = ribbon says that already"]
    assert not grammars.accepts(model.grammars[1] or "", "change tail: ribbon")


def test_what_stays_wrong_is_missed_and_changes_nothing() -> None:
    graph = graph_of("kite day\n- tail = ribbon")
    model = ScriptedModel(["change tail: ribbon"] * TRIES)
    found = understand(graph, read("the tail hangs on the ribbon of old"), (), lambda: model)
    assert found.operations == ()
    assert found.missed
    assert found.dropped


def test_none_from_the_model_is_no_miss() -> None:
    found, _ = understood("kite day\n- tail", "the rain is over", "none")
    assert (found.operations, found.missed) == ((), False)


def test_half_a_line_at_the_token_limit_is_not_taken() -> None:
    cut = TruncatedError("Too long.", hint="", text="in kite day:\n+ twine\n+ gl")
    found, _ = understood("kite day", "for the kites we want twine and glue", cut)
    assert [operation.slot for operation in found.operations] == ["twine"]


def test_an_engine_that_fails_is_not_hidden() -> None:
    with pytest.raises(EngineError):
        understood(
            "kite day", "for the kites we want twine with glue", EngineError("It broke.", hint="Try again.")
        )


def test_an_operation_that_the_graph_refuses_is_dropped_with_its_reason() -> None:
    graph = graph_of("kite day\n- frame\n- - sticks")
    model = ScriptedModel(["link frame to sticks"] * TRIES)
    found = understand(graph, read("the frame belongs to the sticks too, as a whole"), (3, 2), lambda: model)
    assert found.operations == ()
    assert "cannot be a part of" in found.dropped[0].reason


def test_what_code_reads_and_is_so_already_is_a_query() -> None:
    graph = graph_of("kite day\n- twine")
    found = understand(graph, read("add twine"), focus_of(graph, ()), no_model)
    assert [operation.op for operation in found.operations] == [Op.QUERY]
    assert not found.missed


def test_usage_counts_all_calls() -> None:
    found, model = understood("kite day\n- tail = ribbon", "the tail hangs on velvet", "change tail: velvet")
    assert found.usage.calls == len(model.prompts) == 1


def test_the_model_reads_only_a_part_of_a_large_graph() -> None:
    state = "kite day\n" + "\n".join(f"- peg {n} = {n} cm" for n in range(200))
    _, model = understood(state, "for the kites we want some sort of banner", "in kite day:\n+ banner")
    assert len(model.prompts[0].messages[-1].text) < 1500


# Parts left out.


def test_without_reading_by_code_the_model_reads_questions_too() -> None:
    _, model = understood("kite day\n- twine", "who flies first?", "none", ablate=frozenset({Part.TRIM}))
    assert "flies" in model.prompts[0].messages[-1].text


def test_without_guards_the_model_may_delete_what_nobody_named() -> None:
    found, _ = understood(
        "kite day\n- twine\n- glue",
        "drop the glue of old",
        "delete twine",
        ablate=frozenset({Part.GUARDS, Part.TRIM}),
    )
    assert [(operation.op, operation.target) for operation in found.operations] == [(Op.DELETE, 2)]


def test_without_the_graph_the_model_sees_a_flat_list() -> None:
    _, model = understood(
        "kite day\n- tail = ribbon",
        "the tail hangs on velvet",
        "change tail: velvet",
        ablate=frozenset({Part.GRAPH}),
    )
    assert "- tail" not in model.prompts[0].messages[-1].text


# What was spoken of.


def test_the_focus_is_what_changed_last_then_what_was_spoken_of() -> None:
    graph = graph_of("kite day\n- twine\n- glue\n- tail")
    assert focus_of(graph, (2,))[:2] == (4, 2)
    assert len(focus_of(graph_of("fair\n" + "\n".join(f"- peg {n}" for n in range(60))), ())) == MOST_FOCUS


def test_nothing_is_spoken_of_in_an_empty_graph() -> None:
    assert focus_of(TaskGraph(), (7,)) == ()


def test_the_language_of_an_older_chat_is_known() -> None:
    talk = Chat()
    talk.say("wir planen einen Drachentag am Sonntag", "new: Drachentag\n+ Datum = Sonntag")
    assert last_language(talk.graph) == "de"
    assert last_language(TaskGraph()) == "en"
