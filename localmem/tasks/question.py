"""What a question asks for: its kind, its words, and the kind of value that it wants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from localmem.tasks.cues import Cue, folded, has
from localmem.tasks.mentions import content
from localmem.tasks.naming import kind
from localmem.tasks.reading import Mood, Reading
from localmem.tasks.signs import EMPTY, PAST, QUESTION_WORDS, SIGNS, WANTS, Sign, Want


@dataclass(frozen=True)
class Question:
    """What is asked in one turn."""

    text: str
    """Folded."""
    raw: str
    language: str
    words: tuple[str, ...]
    """Content words, folded, those of the tag too, without what questions are made of."""
    every: tuple[str, ...]
    """With them."""
    wants: frozenset[Want]
    open: bool
    """Has a question word: it asks for something, not whether."""
    claims: bool
    """Says what was so, and may ask to check it."""

    def has(self, sign: Sign) -> bool:
        """Whether it hints at that."""
        return self.asks(SIGNS[sign])

    def asks(self, pattern: str) -> bool:
        """Whether the expression stands in it."""
        return _compiled(pattern).search(self.text) is not None

    @property
    def past(self) -> bool:
        """Whether it speaks of what was."""
        return self.asks(PAST.get(self.language, PAST["en"]))

    @property
    def most(self) -> str:
        """The superlative, if there is one."""
        found = _compiled(SIGNS[Sign.MOST]).search(self.text) or _compiled(SIGNS[Sign.LEAST]).search(
            self.text
        )
        return found.group() if found else ""

    @property
    def why(self) -> bool:
        """Whether it asks for a reason."""
        return has(Cue.WHY, self.text, self.language)

    def named(self, unknown: Sequence[str]) -> str:
        """The words that no node has, as they were typed: a name or a figure, or else the last run of them."""
        pieces = re.findall(r"[^\s,;:.!?¿¡()]+(?:[.:]\d+)?", self.raw)
        runs: list[list[tuple[str, bool]]] = []
        last = -2
        for place, piece in enumerate(pieces):
            inside = content(piece)
            if inside and all(word in unknown for word in inside):
                if place != last + 1:
                    runs.append([])
                runs[-1].append((piece, place > 0 and (piece[0].isupper() or kind(piece) != "text")))
                last = place
        if not runs:
            return ""
        figure = runs[-1][-1][0]
        after = pieces[pieces.index(figure) + 1 :][:1]
        if figure.isdigit() and after and kind(f"{figure}. {after[0]}") == "date":
            mark = "." if f"{figure}." in self.raw else ""
            return f"{figure}{mark} {after[0]}"
        strong = [run for run in runs if any(mark for _, mark in run)]
        if strong and self.language != "de":
            return " ".join(piece for piece, mark in strong[-1] if mark)
        return " ".join(piece for piece, _ in (strong or runs)[-1])

    def vague(self, unknown: Sequence[str]) -> bool:
        """Whether words that no node has say little: none, or one that is neither a name nor a German noun."""
        pieces = re.findall(r"[^\s,;:.!?¿¡()]+", self.raw)
        nouns = {word for piece in pieces[1:] if piece[0].isupper() for word in content(piece)}
        return len(unknown) <= 1 and not self.strong(unknown) and not nouns & set(unknown)

    def strong(self, unknown: Sequence[str]) -> bool:
        """Whether a word that no node has is a name, a figure or a date: something that could have been noted."""
        for place, piece in enumerate(re.findall(r"[^\s,;:.!?¿¡()]+", self.raw)):
            named = place > 0 and piece[0].isupper() and self.language != "de"
            if (named or kind(piece) != "text") and any(word in unknown for word in content(piece)):
                return True
        return False


def question(reading: Reading, *, all: bool = False) -> Question | None:
    """What a turn asks; None: nothing.

    Args:
        reading: the turn.
        all: what it tells belongs to the question: "and the flowers, what had we chosen?"
    """
    clauses = reading.of(Mood.ASK, Mood.SUPPOSE)
    if not clauses:
        return None
    spoken = reading.of(Mood.ASK, Mood.SUPPOSE, Mood.TELL) if all else clauses
    raw = " ".join(clause.text for clause in spoken)
    if reading.tag and _compiled(SIGNS[Sign.LISTS]).search(folded(reading.tag)):
        raw = f"{reading.tag}: {raw}"
    text = folded(raw)
    language = reading.language
    tagged = f"{reading.tag} {raw}" if reading.tag else raw
    every = tuple(dict.fromkeys(content(tagged)))
    tag = content(reading.tag)
    words = tuple(word for word in every if word not in EMPTY or word in tag)
    wants = frozenset(want for want, pattern in WANTS.items() if _compiled(pattern).search(text))
    bare = re.sub(
        r"^(so |and |ok(ay)? |und |aber |y |pero |hey |wait )*", "", re.sub(r"[^\w\s'¿-]", "", text)
    )
    claims = any(clause.mood is Mood.SUPPOSE and Cue.SUPPOSE not in clause.cues for clause in clauses) or any(
        Cue.CLAIM in clause.cues for clause in clauses
    )
    asks_open = _compiled(QUESTION_WORDS.get(language, QUESTION_WORDS["en"])).search(bare) is not None
    if language == "en" and re.match(
        r"(is|are|was|were|am|do|does|did|have|has|had|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|haven't|hasn't|hadn't)\b",
        bare,
    ):
        asks_open = False
    elif not asks_open and "?" not in raw and not claims and not reading.of(Mood.SUPPOSE):
        asks_open = True  # "quick recap: owner and date"
    return Question(text, raw, language, words, every, wants, asks_open, claims)


@lru_cache(maxsize=128)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
