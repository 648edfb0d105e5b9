"""Grammars: files in `prompts/`, parts made for one call, and a matcher that needs no model.

A reply is written under a grammar by llama.cpp and checked again here, so that neither of the two
implementations is trusted alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from localmem.errors import GrammarError
from localmem.llm import gbnf
from localmem.llm.gbnf import Chars, Choice, Literal, Node, Ref, Repeat, Sequence

CASE_SEPARATOR = "---"
"""A line of its own between two examples of an example file."""


class Grammar:
    """A compiled grammar. `text` is its GBNF."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._productions = _Productions(gbnf.parse(text))

    def accepts(self, text: str) -> bool:
        """Whether the whole text matches the rule `root`."""
        return self._productions.match(text)


@lru_cache(maxsize=64)
def compile(text: str) -> Grammar:
    """Check a GBNF text; no model is needed.

    Raises:
        GrammarError: the engine would refuse it, or not survive it; the message names the problem.
    """
    return Grammar(text)


def accepts(grammar: str, text: str) -> bool:
    """Whether the whole text matches the grammar's rule `root`."""
    return compile(grammar).accepts(text)


def load(name: str) -> str:
    """GBNF text of `prompts/NAME.gbnf`."""
    from localmem import resources

    return resources.text("prompts", f"{name}.gbnf")


def with_rule(grammar: str, name: str, body: str) -> str:
    """The grammar with another body for one of its one-line rules: what is known only when it is used.

    Raises:
        GrammarError: it has no such rule.
    """
    lines = grammar.splitlines()
    places = [place for place, line in enumerate(lines) if line.startswith(f"{name} ::=")]
    if len(places) != 1:
        raise GrammarError(f"The grammar has {len(places)} rules {name}", hint="Name one of its rules.")
    lines[places[0]] = f"{name} ::= {body}"
    return "\n".join(lines) + "\n"


def cases(text: str) -> list[str]:
    """The examples of an example file: between lines that are `---`, without the line break before these."""
    found: list[list[str]] = [[]]
    for line in text.removesuffix("\n").split("\n"):
        if line == CASE_SEPARATOR:
            found.append([])
        else:
            found[-1].append(line)
    return ["\n".join(lines) for lines in found]


def literal(text: str) -> str:
    """GBNF that matches exactly this text.

    Raises:
        GrammarError: a NUL or half a surrogate pair, which no grammar can hold.
    """
    escaped = []
    for character in text:
        point = ord(character)
        if point == 0 or 0xD800 <= point <= 0xDFFF:
            raise GrammarError(f"A grammar cannot hold the character U+{point:04X}", hint="Remove it.")
        if character in '"\\':
            escaped.append("\\" + character)
        elif point < 0x20 or point == 0x7F:
            escaped.append(f"\\x{point:02X}")
        else:
            escaped.append(character)
    return '"' + "".join(escaped) + '"'


def alternatives(texts: Iterable[str]) -> str:
    """GBNF that matches exactly one of the texts, for enumerations made for one call.

    Raises:
        GrammarError: no text at all, or one that no grammar can hold.
    """
    options = [literal(text) for text in dict.fromkeys(texts)]
    if not options:
        raise GrammarError("A grammar with no alternative matches nothing", hint="Give at least one text.")
    return "(" + " | ".join(options) + ")"


def repeat(item: str, least: int, most: int) -> str:
    """GBNF for `least` to `most` times the item.

    Raises:
        GrammarError: bounds that cannot be.
    """
    if not 0 <= least <= most <= gbnf.MOST_REPEATS:
        raise GrammarError(f"{least} to {most} is no repetition", hint=f"At most {gbnf.MOST_REPEATS} times.")
    return f"({item}){{{least},{most}}}"


_Production = tuple[Chars | int, ...]
"""What a symbol is made of: characters and other symbols."""


class _Productions:
    """Rules written out as productions, and Earley's algorithm on them (doi:10.1145/362007.362035).

    Repetitions become left recursive counters, on which the algorithm takes linear time. Rules that match
    the empty text are stepped over when they are predicted (Aycock and Horspool, doi:10.1093/comjnl/45.6.620).
    """

    def __init__(self, rules: dict[str, Node]) -> None:
        self._of: list[list[_Production]] = []
        self._names = {name: self._symbol() for name in rules}
        for name, node in rules.items():
            self._of[self._names[name]] = self._options(node)
        self._nullable = self._find_nullable()
        self._matches: dict[tuple[Chars, str], bool] = {}

    def match(self, text: str) -> bool:
        """Whether the whole text can be made from the rule `root`."""
        root = self._names["root"]
        # An item: symbol, production, place of the dot, where it began.
        items = {(root, number, 0, 0) for number in range(len(self._of[root]))}
        waiting: list[dict[int, list[tuple[int, int, int, int]]]] = []
        for at in range(len(text) + 1):
            if not items:
                return False
            character = text[at : at + 1]
            here: dict[int, list[tuple[int, int, int, int]]] = {}
            waiting.append(here)
            following: set[tuple[int, int, int, int]] = set()
            queue = list(items)
            while queue:
                symbol, number, dot, origin = item = queue.pop()
                production = self._of[symbol][number]
                found: list[tuple[int, int, int, int]] = []
                if dot == len(production):
                    if origin < at:
                        found = [(s, n, d + 1, o) for s, n, d, o in waiting[origin].get(symbol, ())]
                elif isinstance(part := production[dot], Chars):
                    if character and self._fits(part, character):
                        following.add((symbol, number, dot + 1, origin))
                else:
                    if part not in here:
                        here[part] = []
                        found = [(part, n, 0, at) for n in range(len(self._of[part]))]
                    here[part].append(item)
                    if part in self._nullable:
                        found.append((symbol, number, dot + 1, origin))
                for new in found:
                    if new not in items:
                        items.add(new)
                        queue.append(new)
            if not character:
                return any(s == root and o == 0 and d == len(self._of[s][n]) for s, n, d, o in items)
            items = following
        return False

    def _fits(self, chars: Chars, character: str) -> bool:
        key = (chars, character)
        known = self._matches.get(key)
        if known is None:
            known = self._matches[key] = chars.matches(character)
        return known

    def _symbol(self) -> int:
        self._of.append([])
        return len(self._of) - 1

    def _options(self, node: Node) -> list[_Production]:
        if isinstance(node, Choice):
            return [self._flat(option) for option in node.options]
        return [self._flat(node)]

    def _flat(self, node: Node) -> _Production:
        match node:
            case Chars():
                return (node,)
            case Literal(text):
                return tuple(Chars(((ord(character), ord(character)),)) for character in text)
            case Ref(name):
                return (self._names[name],)
            case Sequence(items):
                return tuple(part for item in items for part in self._flat(item))
            case Choice():
                symbol = self._symbol()
                self._of[symbol] = self._options(node)
                return (symbol,)
            case Repeat(item, least, most):
                return self._repeated(self._flat(item), least, most)

    def _repeated(self, item: _Production, least: int, most: int | None) -> _Production:
        if most is None:
            star = self._symbol()
            self._of[star] = [(), (star, *item)]
            return (*item * least, star)
        last: _Production = ()
        counters: list[_Production] = [last] if least == 0 else []
        for count in range(1, most + 1):
            symbol = self._symbol()
            self._of[symbol] = [(*last, *item)]
            last = (symbol,)
            if count >= least:
                counters.append(last)
        chosen = self._symbol()
        self._of[chosen] = counters or [()]
        return (chosen,)

    def _find_nullable(self) -> set[int]:
        found: set[int] = set()
        grown = True
        while grown:
            grown = False
            for symbol, productions in enumerate(self._of):
                if symbol not in found and any(all(part in found for part in p) for p in productions):
                    found.add(symbol)
                    grown = True
        return found
