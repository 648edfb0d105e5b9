"""The engine's grammars and our matcher are two implementations that must agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localmem.errors import GrammarError
from localmem.llm import grammar
from localmem.llm.constraint import NativeGrammar
from tests.llm.test_grammar import extend, leaves

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel

pytestmark = pytest.mark.engine


def engine_accepts(model: LlamaModel, text: str, reply: str) -> bool:
    """Whether the engine lets the reply be written and ended."""
    constraint = NativeGrammar(model._lib, model._vocabulary, text)
    try:
        for token in model._vocabulary.data(reply):
            if not constraint.allows(np.array([token], dtype=np.int32))[0]:
                return False
            constraint.accept(token)
        return bool(constraint.allows(np.array(sorted(model._vocabulary.end), dtype=np.int32)).any())
    finally:
        constraint.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.recursive(leaves, extend, max_leaves=8), st.lists(st.text("abcé", max_size=6), max_size=10))
def test_engine_and_matcher_accept_the_same(
    model: LlamaModel, pair: tuple[str, str], replies: list[str]
) -> None:
    text = f"root ::= {pair[0]}"
    compiled = grammar.compile(text)
    for reply in replies:
        assert engine_accepts(model, text, reply) == compiled.accepts(reply)


PARTS = [
    "root",
    "a",
    " ::= ",
    " | ",
    "(",
    ")",
    "*",
    "+",
    "?",
    "{2}",
    "{0,3}",
    "{2,}",
    '"a"',
    '"',
    "[a-c]",
    "[^a]",
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=500)
@given(st.lists(st.sampled_from([*PARTS, ".", "\n", " ", "#", "\\", "a ::= ", "root ::= "]), max_size=14))
def test_the_engine_takes_every_grammar_that_compiles(model: LlamaModel, parts: list[str]) -> None:
    text = "root ::= " + "".join(parts)
    try:
        grammar.compile(text)
    except GrammarError:
        return
    NativeGrammar(model._lib, model._vocabulary, text).close()
