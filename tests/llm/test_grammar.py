"""Grammars against a reference, parts made for one call, and every shipped grammar against its examples."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem import resources
from localmem.errors import GrammarError
from localmem.llm import grammar

# Pairs of GBNF and the same as a regular expression.
leaves = st.sampled_from(
    [('"a"', "a"), ('"ab"', "ab"), ("[a-b]", "[a-b]"), ("[^a]", "[^a]"), ('""', ""), (".", "(?s:.)")]
)


def extend(inner: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    def several(gbnf: str, regex: str) -> st.SearchStrategy[tuple[str, str]]:
        return st.lists(inner, min_size=1, max_size=3).map(
            lambda parts: (f"({gbnf.join(g for g, _ in parts)})", f"(?:{regex.join(r for _, r in parts)})")
        )

    def bounded(part: tuple[str, str], least: int, more: int) -> tuple[str, str]:
        bounds = f"{{{least},{least + more}}}"
        return f"({part[0]}){bounds}", f"(?:{part[1]}){bounds}"

    return (
        several(" ", "")
        | several(" | ", "|")
        | st.builds(bounded, inner, st.integers(0, 2), st.integers(0, 2))
    )


@given(st.recursive(leaves, extend, max_leaves=8), st.lists(st.text("abc", max_size=6), max_size=20))
def test_the_matcher_agrees_with_regular_expressions(pair: tuple[str, str], texts: list[str]) -> None:
    gbnf, regex = pair
    compiled = grammar.Grammar(f"root ::= {gbnf}")
    for text in texts:
        assert compiled.accepts(text) == (re.fullmatch(regex, text) is not None)


@given(st.lists(leaves, min_size=1, max_size=3), st.lists(st.text("abc", max_size=8), max_size=10))
def test_unlimited_repetition_agrees_with_regular_expressions(
    parts: list[tuple[str, str]], texts: list[str]
) -> None:
    gbnf = " ".join(f"({g})*" for g, _ in parts if g != '""')
    regex = "".join(f"(?:{r})*" for _, r in parts)
    compiled = grammar.Grammar(f"root ::= {gbnf}")
    for text in texts:
        assert compiled.accepts(text) == (re.fullmatch(regex, text) is not None)


def test_long_texts_take_linear_time() -> None:
    compiled = grammar.compile('root ::= [a-z ]{0,1000} ("," root)? | [a-z ]+')
    assert compiled.accepts("abcd " * 4000)
    assert not compiled.accepts("abcd " * 4000 + "1")


plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(plain, plain)
def test_a_literal_matches_its_text_alone(text: str, other: str) -> None:
    compiled = grammar.Grammar(f"root ::= {grammar.literal(text)}")
    assert compiled.accepts(text)
    assert compiled.accepts(other) == (text == other)


@given(st.lists(plain, min_size=1, max_size=5), plain)
def test_alternatives_match_the_texts_alone(texts: list[str], other: str) -> None:
    compiled = grammar.Grammar(f"root ::= {grammar.alternatives(texts)}")
    assert all(compiled.accepts(text) for text in texts)
    assert compiled.accepts(other) == (other in texts)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_what_no_grammar_can_hold_is_refused(text: str) -> None:
    with pytest.raises(GrammarError, match="cannot hold the character"):
        grammar.alternatives(["fine", text])


def test_no_alternative_is_an_error() -> None:
    with pytest.raises(GrammarError, match="no alternative"):
        grammar.alternatives([])


def test_a_rule_can_get_another_body() -> None:
    text = grammar.with_rule(
        'root ::= "[" number "]"\nnumber ::= [0-9]\n', "number", grammar.alternatives(["17", "4"])
    )
    assert [n for n in ("17", "4", "5") if grammar.accepts(text, f"[{n}]")] == ["17", "4"]
    with pytest.raises(GrammarError, match="has 0 rules digit"):
        grammar.with_rule(text, "digit", "[0-9]")


def test_a_repetition_has_bounds() -> None:
    compiled = grammar.Grammar(f"root ::= {grammar.repeat('[0-9] [a-z]', 1, 2)}")
    assert [text for text in ("", "1a", "1a2b", "1a2b3c") if compiled.accepts(text)] == ["1a", "1a2b"]
    for least, most in ((-1, 2), (2, 1), (0, 100_000)):
        with pytest.raises(GrammarError, match="is no repetition"):
            grammar.repeat("[a-z]", least, most)


def test_examples_stand_between_separators_and_may_have_several_lines() -> None:
    assert grammar.cases("one\n---\ntwo\nlines\n---\n\n---\nlast\n") == ["one", "two\nlines", "", "last"]


def shipped() -> list[Path]:
    return sorted(resources.path("prompts").glob("*.gbnf"))


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_a_shipped_grammar_accepts_and_refuses_its_examples(path: Path) -> None:
    compiled = grammar.compile(grammar.load(path.stem))
    accepted = grammar.cases(path.with_suffix(".accept.txt").read_text(encoding="utf-8"))
    refused = grammar.cases(path.with_suffix(".reject.txt").read_text(encoding="utf-8"))
    assert [case for case in accepted if not compiled.accepts(case)] == []
    assert [case for case in refused if compiled.accepts(case)] == []


def test_every_example_file_belongs_to_a_grammar() -> None:
    examples = {
        name
        for path in resources.path("prompts").iterdir()
        for name in re.findall(r"^(.*)\.(?:accept|reject)\.txt$", path.name)
    }
    assert examples <= {path.stem for path in shipped()}
