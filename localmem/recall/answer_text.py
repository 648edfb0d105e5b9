"""What a model wrote, as it is judged and shown: its citations, its dates, and where it repeats itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime

from localmem.recall.answer_changes import stems
from localmem.recall.calendar_days import MONTHS, short_day
from localmem.recall.dates import resolve
from localmem.recall.query import READ_CHARACTERS, STOP_WORDS, words
from localmem.values import Turn

DRAFT_WORDS = 24
"""An answer that goes on is checked after so many words, or its first sentence, and streamed from there."""

SHORT = 2
"""Words beside a relative date up to which an answer is nothing but this date: "just yesterday"."""

_MONTH = "|".join(name.capitalize() for name in MONTHS)
_DATE = re.compile(
    rf"(?:(?:[Tt]he |[Aa]bout |[Ss]ince )?(?:(?:week|weekend) (?:of|before|after) )?(?:\b[A-Z][a-z]+day )?"
    rf"(?:\b\d{{1,2}} )?\b(?:{_MONTH}) \d{{4}}\b)"
)
_FIGURES = re.compile(
    r"\b\d[\d:.,/-]*(?:st|nd|rd|th)?(?: ?[ap]\.?m\b)?(?: [^\W\d_]+(?: \d{4}\b| [^\W\d_]+)?)?"
)
_TELLING = re.compile(
    r"\d|n't\b|n’t\b|\b(?:not|no|never|formerly|before|after|until|till|by|from|between|around)\b",
    re.IGNORECASE,
)
"""Beside a date, what would be lost with it."""
_WHEN = re.compile(r"^\W*(?:when|(?:on )?(?:what|which) (?:day|date|month|year))\b", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"^\W*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|might|may)\b",
    re.IGNORECASE,
)
_NO_VERDICT = re.compile(r"\b(?:you|i|we|wh\w+|how|any\w*|some\w*|tell|know|else)\b", re.IGNORECASE)
"""In what looks like a question for yes or no, what asks for more: "Do you know where it is?", "Is there anything ...?"."""
_CHOICE = re.compile(r"\b(?:or|between|whether|which of|oder|zwischen|ob|entre)\b|\bo\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"^\W*(?:(?:in|on|at|to|for|with|from|of) )?(?!\w+ (?:kind|type|sort) of\b)"
    r"(?:(?:what|which)(?: [\w+/'’-]+){0,3}? (?:[\w+/'’-]*[^\W_su]s|people|children)"
    r" (?:has|have|had|did|do|does|are|were|is|was|can|could|would|will)\b"
    r"|(?:what|where) (?:has|have)\b"
    r"|what (?:are|were)\b.*\bnames\b|what (?:kinds|types|sorts|all|else)\b|(?:what|who|which)\b.*\b(?:list|invited|bring)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"(?<=\w),? (?:because|since|as (?:he|she|they|it)|so)\b.*|(?<=\w)[,;] (?:he|she|they|it|his|her|their|this|that)\b.*",
    re.DOTALL,
)
_RESTATED = re.compile(r"(.{1,100}?) (?:is|was|are|were) (?:that |when |because )?(\S.*)", re.DOTALL)

TIMES = 400
"""That an answer may choose from; a pasted log has thousands."""

_CITED = re.compile(r"\A((?:\[\d+\] ?)+)")
_SENTENCE_END = re.compile(r"[.!?…]['\"’”)]*\s")


_LOOP = re.compile(r"\b(\w+\b(?:\W{1,9}\w+\b){1,7}?)(?:\W{1,9}\1\b){2}(?=\W)", re.IGNORECASE)
_LIKELY = re.compile(
    r"\b(?:would|might|likely|probably|würden?|wahrscheinlich|vermutlich|probablemente|podrían?|probablement)\b",
    re.IGNORECASE,
)


def asks_for_likely(question: str) -> bool:
    """Whether a question is about what somebody would do or be, which no turn says."""
    return _LIKELY.search(question) is not None


def verdicts(question: str) -> tuple[str, ...]:
    """All that a question for yes or no, in English, can be answered with; empty: anything."""
    if not _YES_OR_NO.match(question) or _CHOICE.search(question) or _NO_VERDICT.search(question):
        return ()
    return ("Likely yes", "Likely no") if asks_for_likely(question) else ("Yes", "No")


def asks_for_several(question: str) -> bool:
    """Whether a question asks for a list, in English: "Which books has Ann read?", "Where has she been?"."""
    return _SEVERAL.search(question) is not None


def asks_for_time(question: str) -> bool:
    """Whether a question begins by asking for a day, a month or a year."""
    return _WHEN.match(question) is not None


def times(texts: Iterable[str]) -> list[str]:
    """What a time that is written with figures can be, of all that stands in texts: "4 March 2025", "10 years ago"."""
    found: dict[str, None] = {}
    for text in texts:
        for match in _FIGURES.finditer(text[:READ_CHARACTERS]):
            beginning = ""
            for part in re.findall(r"\s*\S+", match.group()):
                beginning += part
                found[beginning] = None
    return list(found)[:TIMES]


def split(reply: str) -> tuple[list[int], str]:
    """Cited numbers and text of a reply."""
    match = _CITED.match(reply)
    if match is None:
        return [], reply
    return [int(number) for number in re.findall(r"\d+", match.group())], reply[match.end() :].lstrip()


def says_unknown(text: str) -> bool:
    """Whether an answer that cites turns says that they hold none."""
    return (
        re.fullmatch(r"\W*(?:it is |it's |this is |that is )?not in (?:the )?memory\W*", text, re.IGNORECASE)
        is not None
    )


def echoes(question: str, text: str) -> bool:
    """Whether an answer only says words of the question: "writing" to "What does she write?" tells nothing.

    A question that lets choose, or that yes or no answers, may be answered with its own words.
    """
    if _YES_OR_NO.match(question) or _CHOICE.search(question):
        return False
    said = stems(text)
    return bool(said) and said <= stems(question)


def can_be_judged(text: str) -> bool:
    """Whether a growing answer has said enough for a check: a sentence, or many words."""
    return _SENTENCE_END.search(text) is not None or text.count(" ") >= DRAFT_WORDS


def repeats(text: str) -> int | None:
    """Where an answer begins to say the same again, as a small model does without an end; None: nowhere.

    In a list that is a part that stands there already, elsewhere the same two to eight words for the third time on end. The
    last part may still grow, so it counts only when a comma, or in a run what is no letter, has ended it.
    """
    seen: set[str] = set()
    at = 0
    for part in text.split(",")[:-1]:
        plain = part.strip(" \"'“”.").lower()
        if plain in seen:
            return at - 1
        seen.add(plain)
        at += len(part) + 1
    for loop in _LOOP.finditer(text):
        if any(map(str.isalpha, loop[1])):  # "12 12 12 12 12 12" may be a number
            return loop.end(1)
    return None


def parts(text: str) -> list[str]:
    """What stands between the commas, and around the last "and", of a list; nothing for a text without one."""
    found = [part for part in re.split(r",(?!\d)|\band\b|[.!?;]\s", text) if part.strip()]
    return found if len(found) > 1 else []


def dated(text: str, said: datetime | None) -> str:
    """An answer with what its relative dates meant when its turn was said.

    An answer that is nothing but such a date becomes the date: "last week" the week before 4 March 2025. In a longer one
    the date stands behind the words, unless it does already.

    Args:
        text: the answer.
        said: when the turn was said that the answer is from.
    """
    for one in reversed(resolve(text, said)):
        words, rest = text[one.start : one.end], text[one.end :]
        known = re.match(rf" ?\(?{re.escape(one.meaning)}\)?", rest)
        if known is not None:
            rest = rest[known.end() :]
        elif rest.startswith(" ("):  # the model says what it meant; whether that stands anywhere is checked
            continue
        around = len(re.findall(r"\w+", text[: one.start] + rest))
        shown = one.meaning if around <= SHORT else f"{words} ({one.meaning})"
        text = text[: one.start] + shown + rest
    return text


def as_told(text: str, turn: Turn) -> str:
    """A date as its turn tells it: with the weekday or the week that was said, and not the day on which it was told.

    A small model takes the date above a turn, or the end of one that stands in it: "16 June 2025" where the turn has "last
    week (the week before 16 June 2025)". A turn with just one relative date did not mean the day on which it was said.

    Args:
        text: an answer to a question for a time.
        turn: that the answer is from.
    """
    date = text.strip(" .")
    if turn.at is None or not _DATE.fullmatch(date):
        return text
    meanings = list(dict.fromkeys(one.meaning for one in resolve(turn.text, turn.at)))
    for meaning in meanings:
        if meaning.endswith(f" {date}"):
            return meaning
    return meanings[0] if len(meanings) == 1 and date == short_day(turn.at.date()) else text


def concise(question: str, text: str, names: Collection[str] = ()) -> str:
    """An answer without the question said over: "Ann's job is nurse" to "What is Ann's job?" becomes "nurse".

    To a question for a time, a sentence with one date in it becomes the date. What is likely stands without the reason.
    What answers yes or no stays as it is.

    Args:
        question: what was asked.
        text: the answer.
        names: of people, lower case, who may be called she or he.
    """
    if _YES_OR_NO.match(question):
        return text
    known = set(words(question)) | STOP_WORDS | set(names)
    found = list(_DATE.finditer(text)) if asks_for_time(question) else []
    if len(found) == 1:
        rest = text[: found[0].start()] + text[found[0].end() :]
        beside = [word for word in words(rest) if word not in known]
        if len(beside) <= SHORT and not _TELLING.search(rest):
            return found[0].group()
    if asks_for_likely(question):
        text = _REASON.sub("", text) or text
    match = _RESTATED.match(text)
    if match is None or "," in match[1]:
        return text
    before = set(words(match[1]))
    return match[2] if before <= known and before & (set(words(question)) - STOP_WORDS) else text
