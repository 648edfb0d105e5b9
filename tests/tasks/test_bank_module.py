"""Which examples of the bank stand before a turn."""

from __future__ import annotations

import pytest

from localmem.tasks.bank import _bank, nearest
from localmem.tasks.cues import Cue
from localmem.tasks.trim import Verb

EVERY = tuple(Verb)


def test_as_many_examples_as_asked_for() -> None:
    assert nearest("drop the oars", "en", EVERY, 0) == []
    assert len(nearest("drop the oars", "en", EVERY, 3)) == 3


def test_only_examples_whose_lines_the_turn_may_have() -> None:
    for example in nearest("drop the oars", "en", (Verb.DELETE,), 50):
        assert example.verbs == {"delete"}


def test_no_kinds_of_lines_have_no_examples() -> None:
    assert nearest("drop the oars", "en", (), 5) == []


def test_the_most_like_comes_last() -> None:
    example = next(one for one in _bank() if Verb.DELETE in one.verbs)
    assert nearest(example.said, example.language, EVERY, 4)[-1] == example


@pytest.mark.parametrize("language", ["de", "es"])
def test_a_turn_gets_examples_in_its_language(language: str) -> None:
    example = next(one for one in _bank() if one.language == language)
    found = nearest(example.said, language, EVERY, 3)
    assert found[-1].language == language


def test_the_same_turn_gets_the_same_examples() -> None:
    assert nearest("the oars are packed", "en", EVERY, 5) == nearest("the oars are packed", "en", EVERY, 5)


def test_every_example_names_the_kinds_of_its_lines() -> None:
    known = {str(verb) for verb in Verb}
    for example in _bank():
        assert example.verbs
        assert example.verbs <= known


def test_a_removal_is_most_like_a_removal() -> None:
    found = nearest("please remove the oars from the boat", "en", EVERY, 2)
    assert all(Cue.DELETE in example.cues for example in found)
