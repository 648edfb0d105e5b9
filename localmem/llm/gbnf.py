"""Parses GBNF, llama.cpp's grammar notation, and refuses what the engine would refuse or die of.

Rules are `name ::= alternatives`; items are "literals", [classes], `.`, names and (groups), each with
`* + ? {m} {m,} {m,n}`; `#` starts a comment. A rule goes on after `|` and inside parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from localmem.errors import GrammarError

MOST_REPEATS = 1000
"""Largest number in a repetition; the engine's own limit is 2000."""
_MOST_RULES = 1999
"""Rules that the engine lets one repetition make: those inside it, times its number."""
_DEEPEST = 50
_MAX_CODE_POINT = 0x10FFFF
_NAME = re.compile(r"[a-zA-Z0-9-]+")
_REPEAT = re.compile(r"\{\s*(\d+)\s*(,?)\s*(\d*)\s*\}")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "[": "[", "]": "]"}
_HEX = {"x": 2, "u": 4, "U": 8}


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of ranges of code points (both ends inclusive), or out of all others."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False

    def matches(self, character: str) -> bool:
        """Whether the character is one of them."""
        point = ord(character)
        return any(low <= point <= high for low, high in self.ranges) is not self.negated


@dataclass(frozen=True, slots=True)
class Literal:
    """Exactly this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Ref:
    """What another rule matches."""

    name: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """All items, one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item, `least` to `most` times; `most` None has no limit."""

    item: Node
    least: int
    most: int | None


Node = Chars | Literal | Ref | Sequence | Choice | Repeat


def parse(text: str) -> dict[str, Node]:
    """The rules of a grammar by name, checked: `root` exists, and every name, bound and recursion is sound.

    Raises:
        GrammarError: names the problem, with its line or rule.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _error("it holds half a surrogate pair") from None
    if "\0" in text:
        raise _error("it holds a NUL character")
    rules = _Parser(text).rules()
    _check(rules)
    return rules


def nullable_rules(rules: dict[str, Node]) -> set[str]:
    """Names of the rules that match the empty text."""
    found: set[str] = set()
    while True:
        more = {name for name, node in rules.items() if name not in found and _nullable(node, found)}
        if not more:
            return found
        found |= more


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def rules(self) -> dict[str, Node]:
        rules: dict[str, Node] = {}
        self._skip(newlines=True)
        while self._at < len(self._text):
            name = self._name()
            self._skip()
            if not self._text.startswith("::=", self._at):
                raise self._wrong(f"expected ::= after {name!r}")
            if name in rules:
                raise self._wrong(f"rule {name!r} is defined twice")
            self._at += 3
            self._skip(newlines=True)
            rules[name] = self._choice(nested=False)
            if self._peek() not in ("\n", ""):
                raise self._wrong(f"expected the end of the line, found {self._peek()!r}")
            self._skip(newlines=True)
        return rules

    def _choice(self, nested: bool) -> Node:
        options = [self._sequence(nested)]
        while self._peek() == "|":
            self._at += 1
            self._skip(newlines=True)
            options.append(self._sequence(nested))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self, nested: bool) -> Node:
        items: list[Node] = []
        repeatable = False
        while True:
            character = self._peek()
            if character in ("*", "+", "?", "{"):
                # The engine loses count of what a second repetition, or one of "", would be about.
                if not repeatable:
                    raise self._wrong(f"{character!r} has nothing to repeat")
                items[-1] = self._repeat(items[-1])
                repeatable = False
            else:
                item = self._item()
                if item is None:
                    return items[0] if len(items) == 1 else Sequence(tuple(items))
                items.append(item)
                repeatable = character != '"' or item != Literal("")
            self._skip(newlines=nested)

    def _item(self) -> Node | None:
        character = self._peek()
        if character == '"':
            return Literal(self._literal())
        if character == "[":
            return self._class()
        if character == "(":
            return self._group()
        if character == ".":
            self._at += 1
            return Chars((), negated=True)
        return Ref(self._name()) if _NAME.match(character) else None

    def _group(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong(f"more than {_DEEPEST} parentheses in each other")
        self._at += 1
        self._skip(newlines=True)
        node = self._choice(nested=True)
        if self._peek() != ")":
            raise self._wrong("expected )")
        self._at += 1
        self._depth -= 1
        return node

    def _repeat(self, item: Node) -> Node:
        character = self._peek()
        if character != "{":
            self._at += 1
            return Repeat(item, 1 if character == "+" else 0, 1 if character == "?" else None)
        match = _REPEAT.match(self._text, self._at)
        if match is None:
            raise self._wrong("expected {m}, {m,} or {m,n}")
        if any(len(number) > 6 for number in match.group(1, 3)):
            raise self._wrong(f"more than {MOST_REPEATS} repetitions")
        least = int(match[1])
        most = int(match[3]) if match[3] else None if match[2] else least
        if most is not None and most < least:
            raise self._wrong(f"repetition {match[0]} ends before it starts")
        if max(least, most or 0) > MOST_REPEATS:
            raise self._wrong(f"more than {MOST_REPEATS} repetitions")
        self._at = match.end()
        return Repeat(item, least, most)

    def _literal(self) -> str:
        self._at += 1
        text = []
        while self._peek() != '"':
            text.append(chr(self._character("literal")))
        self._at += 1
        return "".join(text)

    def _class(self) -> Chars:
        self._at += 1
        negated = self._peek() == "^"
        self._at += negated
        ranges: list[tuple[int, int]] = []
        while self._peek() != "]":
            low = high = self._character("class")
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._at += 1
                high = self._character("class")
                if high < low:
                    raise self._wrong("a range in a class ends before it starts")
            ranges.append((low, high))
        if not ranges:
            raise self._wrong("a class is empty")
        self._at += 1
        return Chars(tuple(ranges), negated)

    def _character(self, where: str) -> int:
        character = self._peek()
        if character in ("", "\n"):
            raise self._wrong(f"a {where} does not end on its line")
        self._at += 1
        if character != "\\":
            return ord(character)
        kind = self._peek()
        self._at += 1
        if kind in _ESCAPES:
            return ord(_ESCAPES[kind])
        digits = self._text[self._at : self._at + _HEX.get(kind, 0)]
        if kind not in _HEX or not re.fullmatch(f"[0-9a-fA-F]{{{_HEX[kind]}}}", digits):
            raise self._wrong(f"unknown escape \\{kind}")
        self._at += len(digits)
        point = int(digits, 16)
        if not 0 < point <= _MAX_CODE_POINT or 0xD800 <= point <= 0xDFFF:
            raise self._wrong(f"\\{kind}{digits} is no character")
        return point

    def _name(self) -> str:
        match = _NAME.match(self._text, self._at)
        if match is None:
            raise self._wrong(f"expected a rule name of letters, digits and -, found {self._peek()!r}")
        self._at = match.end()
        return match[0]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, newlines: bool = False) -> None:
        while self._at < len(self._text):
            character = self._text[self._at]
            if character == "#":
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif character in " \t\r" or (newlines and character == "\n"):
                self._at += 1
            else:
                break

    def _wrong(self, problem: str) -> GrammarError:
        return _error(f"line {self._text.count(chr(10), 0, self._at) + 1}: {problem}")


def _check(rules: dict[str, Node]) -> None:
    if "root" not in rules:
        raise _error("it has no rule 'root'")
    for name, node in rules.items():
        for inner in _walk(node):
            if isinstance(inner, Ref) and inner.name not in rules:
                raise _error(f"rule {name!r} uses {inner.name!r}, which is not defined")
    nullable = nullable_rules(rules)
    for name, node in rules.items():
        for inner in _walk(node):
            if not isinstance(inner, Repeat):
                continue
            if inner.most is None and _nullable(inner.item, nullable):
                raise _error(f"rule {name!r} repeats something that may be empty without limit")
            if _made(inner.item) * (inner.most or inner.least) > _MOST_RULES:
                raise _error(
                    f"rule {name!r} has repetitions in each other; give the inner one a rule of its own"
                )
    _check_left_recursion(rules, nullable)


def _check_left_recursion(rules: dict[str, Node], nullable: set[str]) -> None:
    first = {name: set(_leftmost(node, nullable)) for name, node in rules.items()}
    for name in rules:
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            for following in first[waiting.pop()] - reached:
                reached.add(following)
                waiting.append(following)
        if name in reached:
            raise _error(f"rule {name!r} starts with itself (left recursion)")


def _leftmost(node: Node, nullable: set[str]) -> Iterator[str]:
    """Rules that may begin what the node matches."""
    match node:
        case Ref(name):
            yield name
        case Sequence(items):
            for item in items:
                yield from _leftmost(item, nullable)
                if not _nullable(item, nullable):
                    break
        case Choice(options):
            for option in options:
                yield from _leftmost(option, nullable)
        case Repeat(item, _, most):
            if most != 0:
                yield from _leftmost(item, nullable)
        case Chars() | Literal():
            pass


def _nullable(node: Node, nullable: set[str]) -> bool:
    match node:
        case Chars():
            return False
        case Literal(text):
            return not text
        case Ref(name):
            return name in nullable
        case Sequence(items):
            return all(_nullable(item, nullable) for item in items)
        case Choice(options):
            return any(_nullable(option, nullable) for option in options)
        case Repeat(item, least, _):
            return least == 0 or _nullable(item, nullable)


def _made(item: Node) -> int:
    """Rules that the engine makes of an item that is repeated, at most."""
    inner = 1
    for node in _walk(item):
        match node:
            case Ref() | Choice() | Sequence() if node is not item:
                inner += 1
            case Repeat(_, least, most):
                inner += max(most - least, 1) if most is not None else 1
            case _:
                pass
    return inner


def _walk(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _walk(part)
        case Repeat(item, _, _):
            yield from _walk(item)
        case _:
            pass


def _error(problem: str) -> GrammarError:
    return GrammarError(f"The grammar does not compile: {problem}", hint="Mend the grammar.")
