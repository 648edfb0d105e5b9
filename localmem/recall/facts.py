"""What an answer claims that can be looked up: names and numbers, dates among them."""

from __future__ import annotations

import re

from localmem.recall.query import STOP_WORDS, words

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CAPITALISED = re.compile(r"[^\W\d_a-z][^\W_]*(?:['’][^\W_]+)?")


def facts(text: str, known_names: frozenset[str]) -> list[str]:
    """Names and numbers that an answer claims, in order.

    A capitalised word that begins a sentence counts only if it is one of `known_names` (lower case).
    """
    found: list[str] = []
    for match in re.finditer(rf"{_NUMBER.pattern}|{_CAPITALISED.pattern}", text):
        word = match.group()
        if not word[0].isdigit():
            before = text[: match.start()].rstrip(" \"'“‘(")
            begins = not before or before[-1] in ".!?:;…\n"
            lowered = plain(word)
            if lowered in STOP_WORDS or (begins and lowered not in known_names):
                continue
        found.append(word)
    return found


def stands_in(fact: str, text: str) -> bool:
    """Whether a name or number stands in a text, whatever its case and the commas in numbers."""
    if fact[0].isdigit():
        return _digits(fact) in {_digits(number) for number in _NUMBER.findall(text)}
    wanted = plain(fact)
    return any(word == wanted or (len(wanted) > 3 and word.startswith(wanted)) for word in words(text))


def plain(word: str) -> str:
    """A name as it is compared: lower case, without a genitive."""
    return re.split(r"['’]", word.lower())[0]


def _digits(number: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", number).strip(".,:")


def inner_names(text: str) -> list[str]:
    """Capitalised words within the sentences of a text."""
    return [match.group() for match in re.finditer(rf"(?<=[^\W_][ ,]) ?{_CAPITALISED.pattern}", text)]
