"""The notation of grammars, and what is refused before the engine sees it."""

import pytest

from localmem.errors import GrammarError
from localmem.llm import gbnf, grammar


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no rule 'root'"),
        ('a ::= "b"', "no rule 'root'"),
        ("root ::= foo", "'foo', which is not defined"),
        ('root ::= root "a" | "b"', "starts with itself"),
        ('root ::= x "a"\nx ::= "q"? root | "b"', "starts with itself"),
        ("root ::= a\na ::= b\nb ::= a", "starts with itself"),
        ('root ::= ("a"?)*', "may be empty without limit"),
        ('root ::= x+\nx ::= "a" | ', "may be empty without limit"),
        ('root ::= ("a"?){2,}', "may be empty without limit"),
        ('root ::= "a"{0,100000}', "more than 1000 repetitions"),
        ('root ::= "a"{99999999999999999999999}', "more than 1000 repetitions"),
        ('root ::= "a"{3,2}', "ends before it starts"),
        ('root ::= "a"{,2}', "expected {m}, {m,} or {m,n}"),
        ('root ::= ("a"{0,100}){0,100}', "give the inner one a rule of its own"),
        ("root ::= *", "nothing to repeat"),
        ('root ::= ""?', "nothing to repeat"),
        ('root ::= "a"+*', "nothing to repeat"),
        ('root ::= "a', "does not end on its line"),
        ("root ::= [a", "does not end on its line"),
        ("root ::= []", "a class is empty"),
        ("root ::= [z-a]", "ends before it starts"),
        ('root ::= "\\q"', "unknown escape"),
        ('root ::= "\\x4"', "unknown escape"),
        ('root ::= "\\ud800"', "is no character"),
        ('root ::= "\\x00"', "is no character"),
        ('root ::= ("a"', "expected )"),
        ("root ::= " + "(" * 5000, "parentheses in each other"),
        ('root ::= "a"\nroot ::= "b"', "line 2: rule 'root' is defined twice"),
        ('root ::= "a"\n | "b"', "line 2: expected a rule name"),
        ('root : "a"', "expected ::="),
        ('root ::= "a" <think>', "expected the end of the line, found '<'"),
        ('root ::= "a\0"', "NUL"),
        ('root ::= "\ud800"', "surrogate"),
    ],
)
def test_a_wrong_grammar_is_refused_with_its_problem(text: str, problem: str) -> None:
    with pytest.raises(GrammarError) as caught:
        grammar.compile(text)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "accepted", "refused"),
    [
        ('root ::= "a" "b" | "c"', ["ab", "c"], ["", "a", "abc", "b"]),
        ('root ::= "ab"*', ["", "ab", "abab"], ["a", "abb"]),
        ('root ::= "ab" +', ["ab", "abab"], ["", "abb"]),
        ('root ::= ("a" | "b")?', ["", "a", "b"], ["ab"]),
        ('root ::= "a"{2}', ["aa"], ["a", "aaa"]),
        ('root ::= "a"{0} "b"', ["b"], ["ab"]),
        ('root ::= "a"{2,}', ["aa", "aaaa"], ["", "a"]),
        ("root ::= [a-c]{1,3}", ["a", "abc"], ["", "d", "aaaa"]),
        ("root ::= [^a-c\\n]", ["d", "é", "🙂"], ["a", "\n", "", "de"]),
        ("root ::= .", ["a", "\n", "🙂"], ["", "ab"]),
        ("root ::= [a-] [-b]", ["a-", "-b", "--"], ["ab-", "c-"]),
        ('root ::= "\\"\\\\\\n\\t\\x41\\u00e9\\U0001F600[]"', ['"\\\n\tAé😀[]'], ["A"]),
        ('root ::= "" "a"', ["a"], [""]),
        ("root ::= ", [""], ["a"]),
        ('root ::= "a" |', ["a", ""], ["b"]),
        ('root ::= "a" | # comment\n  "b" (\n "c"\n )\n# end', ["a", "bc"], ["b"]),
        ('root ::= x\r\nx ::= "b"\r\n', ["b"], ["b\r"]),
        ('root ::= "(" root? ")"', ["()", "((()))"], ["", "(()", "())"]),
        ('root ::= item ("," item)*\nitem ::= [0-9]+', ["1", "1,22,3"], ["", "1,", ",1"]),
        ('root ::= a b\na ::= "x"?\nb ::= a "y"? a', ["", "x", "xxyx"[:3], "xyx"], ["yy", "xxxx"]),
    ],
)
def test_the_matcher_knows_the_notation(text: str, accepted: list[str], refused: list[str]) -> None:
    compiled = grammar.compile(text)
    assert [case for case in accepted if not compiled.accepts(case)] == []
    assert [case for case in refused if compiled.accepts(case)] == []


def test_rules_that_may_be_empty_are_found_through_others() -> None:
    rules = gbnf.parse('root ::= a a\na ::= b?\nb ::= "x"\nc ::= a | b')
    assert gbnf.nullable_rules(rules) == {"root", "a", "c"}
