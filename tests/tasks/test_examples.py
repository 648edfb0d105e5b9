"""Examples that a turn gets beside the fixed ones: what they hold, and which of them it gets."""

from __future__ import annotations

from itertools import pairwise

import pytest

from localmem.llm import grammar as grammars
from localmem.llm.protocol import Speaker
from localmem.tasks import examples, trim
from localmem.tasks.context import Context, Part
from localmem.tasks.cues import LANGUAGES
from localmem.tasks.examples import Example, bank, chosen, parse, ranked
from localmem.tasks.pipeline import understand
from localmem.tasks.reading import read
from localmem.tasks.trim import Frame, Verb, names
from tests.fakes import ScriptedModel
from tests.tasks.scene import graph_of

BARE = (Verb.NEW, Verb.NONE)
ALL = [(language, example) for language in LANGUAGES for example in bank(language).examples]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bank_has_examples_of_every_kind_of_line_and_no_two_alike(language: str) -> None:
    found = bank(language).examples
    assert len(found) >= 200
    assert len({example.said for example in found}) == len(found)
    begins = "\n".join(example.reply for example in found)
    for verb in Verb:
        assert any(line.startswith(verb) for line in begins.split("\n")), verb


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_an_example_writes_can_be_written_about_its_list(language: str) -> None:
    wrong = []
    for example in bank(language).examples:
        graph = graph_of(example.state)
        shown = tuple(node.id for node in graph)
        verbs = {verb: () if verb in BARE else shown for verb in (Verb if shown else BARE)}
        slots = tuple({node.slot for node in graph})
        frame = Frame(example.said, shown, names(graph, shown), verbs, language=language, slots=slots)
        if not grammars.accepts(trim.grammar(frame), example.reply):
            wrong.append(example.said)
    assert not wrong


def test_a_turn_is_most_like_the_example_with_its_own_words() -> None:
    for language, example in ALL[:: len(ALL) // 40]:
        score, nearest = ranked(example.said, example.state, language)[0]
        assert nearest == example
        assert score == pytest.approx(1)


def test_what_things_are_called_does_not_matter_only_how_it_is_said() -> None:
    one = examples.features("swap the harp for a drum at 10", "fair\n- harp")
    other = examples.features("swap the rope for a drum at 11", "fair\n- rope")
    assert one == other
    assert one != examples.features("the harp stays, a drum at 10", "fair\n- harp")


def test_a_turn_gets_few_examples_the_most_like_it_last() -> None:
    for language, example in ALL[:: len(ALL) // 40]:
        taken = chosen(example.said, example.state, language)
        scores = {one: score for score, one in ranked(example.said, example.state, language)}
        assert 0 < len(taken) <= examples.MOST
        assert sum(one.cost for one in taken) <= examples.TOKENS
        assert all(scores[one] <= scores[other] for one, other in pairwise(taken))


def test_a_turn_that_is_like_none_gets_none() -> None:
    assert chosen("zzyzx", "", "en") == ()
    assert chosen("anything", "", "xx") == ()


def test_a_file_is_read_in_blocks_and_notes_are_left_out() -> None:
    text = "# a note\n\nfair\n- harp\nsaid: no harp: it is broken\ndelete harp\n\n\n(nothing yet)\nsaid: hi\nnone\n"
    assert parse(text) == (
        Example("fair\n- harp", "no harp: it is broken", "delete harp"),
        Example("(nothing yet)", "hi", "none"),
    )


@pytest.mark.parametrize(
    "block", ["said: hi\nnone", "fair\nsaid: hi", "fair\nnone", "a\nsaid: b\nsaid: c\nnone"]
)
def test_a_block_without_its_parts_is_no_example(block: str) -> None:
    with pytest.raises(ValueError, match="no example"):
        parse(block)


@pytest.mark.parametrize("without", [False, True])
def test_the_model_reads_them_between_the_fixed_ones_and_the_question(without: bool) -> None:
    graph = graph_of("fair\n- harp\n- rope")
    reading = read("swap the harp for a drum")
    model = ScriptedModel(["change harp: drum"])
    understand(graph, reading, (), lambda: model, ablate=frozenset([Part.EXAMPLES] if without else []))
    (prompt,) = model.prompts
    added = prompt.messages[prompt.fixed : -1]
    expected = [] if without else chosen(reading.told, "fair\n- harp\n- rope", "en")
    assert [message.text for message in added if message.speaker is Speaker.ASSISTANT] == [
        one.reply for one in expected
    ]
    assert all(one.said in message.text for one, message in zip(expected, added[::2], strict=True))
    assert Context(graph, reading, ()).told in prompt.messages[-1].text
