"""A user turn to clauses, and what each of them is there for.

Code decides what may change the tasks at all: a question, a doubt, a hypothesis or small talk never does. What is
left, the clauses that tell something, is what the model reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from localmem.store.rows import clean
from localmem.tasks.cues import Cue, cues, find, folded, has, language_of
from localmem.tasks.moods import ACTS, ASIDE, ORDERS, Mood, clause_cues, mood_of, orders
from localmem.tasks.purpose import Purpose
from localmem.tasks.sentences import colon, corrected, lines_of, sentences, stretches

__all__ = ["FRAGMENT", "Clause", "Mood", "Reading", "read"]


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a turn with one mood."""

    text: str
    mood: Mood
    cues: frozenset[Cue]
    tag: str = ""
    """A word or two in front of a colon: "date" in "date: make it Friday"; else empty."""
    purpose: Purpose | None = None
    """What it is surely there for, as the states of the model have it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A user turn, read by code."""

    text: str
    """The whole turn on one line."""
    language: str
    clauses: tuple[Clause, ...]

    def of(self, *moods: Mood) -> tuple[Clause, ...]:
        """The clauses with one of these moods."""
        return tuple(clause for clause in self.clauses if clause.mood in moods)

    @property
    def all_told(self) -> Reading:
        """The same turn as if every clause told something."""
        return replace(self, clauses=tuple(replace(clause, mood=Mood.TELL) for clause in self.clauses))

    @property
    def tag(self) -> str:
        """The tag of the first clause."""
        return self.clauses[0].tag if self.clauses else ""

    @property
    def told(self) -> str:
        """The clauses that may change something, as one text, each with its tag in front."""
        texts = []
        last = ""
        for clause in self.of(Mood.TELL):
            texts.append(f"{clause.tag}: {clause.text}" if clause.tag != last and clause.tag else clause.text)
            last = clause.tag
        return " ".join(texts)

    def only(self, clauses: Sequence[Clause]) -> Reading:
        """The same turn with these clauses alone."""
        return replace(self, clauses=tuple(clauses))

    @property
    def asked(self) -> str:
        """The clauses that ask, and those whose claims or doubts they are about."""
        return " ".join(clause.text for clause in self.of(Mood.ASK, Mood.SUPPOSE))

    @property
    def cues(self) -> frozenset[Cue]:
        """All cues of the clauses that tell something."""
        return frozenset(cue for clause in self.of(Mood.TELL) for cue in clause.cues)


_JOINT = re.compile(
    r"\s*(?:,\s*(?:and |but |so |und |aber |also |y |pero |así que )?\s*|\s+(?:and|but|so|und|aber|y|pero)\s+)(?:then |dann |luego |después )?",
    re.IGNORECASE,
)


def read(text: str, last_language: str = "en") -> Reading:
    """Split a turn into clauses and tell what each is there for.

    Args:
        text: what the user typed.
        last_language: of the turns before, for a turn that does not tell.
    """
    rows = lines_of(clean(text))
    whole = " ".join(rows)
    language = language_of(whole, last_language)
    clauses: list[Clause] = []
    tag = ""
    for sentence in sentences("\n".join(map(colon, rows))):
        for tagged, piece in stretches(sentence):
            if not re.search(r"\w", piece):
                tagged, piece = "", tagged  # a tag of nothing is what is said
            if not piece:
                continue
            tag = tagged or tag
            for part in _parts(piece, language):
                mood = mood_of(part, language)
                back = clause_cues(part, language) & {Cue.BACK, Cue.FIRST}
                if tag and back and mood is Mood.ASK and not part.endswith("?"):
                    mood = Mood.TELL
                if mood is Mood.TELL and _ASKING_TAG.search(folded(tag)):
                    mood = Mood.ASK
                found = clause_cues(part, language)
                if _NO_TAG.match(folded(tag)) and not _OTHER_TAG.match(folded(tag)):
                    found |= {Cue.ADD}
                if _OTHER_TAG.match(folded(tag)):
                    found |= {Cue.START}
                clauses.append(Clause(part, mood, found, "" if _NO_TAG.match(folded(tag)) else tag))
    return Reading(whole, language, tuple(_settled(clauses)))


_ASKING_TAG = re.compile(
    r"\b(recap|summary|status|overview|questions?|check|frage|übersicht|zusammenfassung|stand|resumen|pregunta)$"
)


_OTHER_TAG = re.compile(
    r"^(other|another|separate|different|unrelated|second|andere\w*|zweite\w*|otr[oa]|segund[oa]|"
    r"(?:new|next|neue|nächste|nuev[oa]) (?:task|project|topic|list|plan|aufgabe|projekt|thema|liste|tarea|proyecto|tema|lista))\b"
)


_NO_TAG = re.compile(
    r"^((other|another|separate|different|unrelated|second|new|next|one more|last|first|quick|andere\w*|neue\w*|noch|otr[oa]|nuev[oa]|una)\b.*\b(thing|one|topic|task|item|note|update|things|question|recap|sache|punkt|frage|cosa|tema)s?|"
    r"(ps|note|update|edit|fyi|correction|reminder|also|and|so|ok|hey|hi|listen|okay|nachtrag|korrektur|hinweis|nota|ojo))$"
)


_BECAUSE = re.compile(
    r"^(because|since|as(?! for\b| regards\b)|given that|now that|seeing that|weil|da|nachdem|como|ya que|dado que|puesto que)\s+[^,]{6,}?,\s+(?=\S+\s+\S)",
    re.IGNORECASE,
)


_IF = re.compile(
    r"^[¿\s]*(?:(?:and|but|so|und|aber|y|pero)\s+)?(?:what if|if|suppose|supposing|imagine|wenn|falls|angenommen|si|supongamos)\b"
)


def _parts(piece: str, language: str) -> list[str]:
    """A sentence in parts where "and" or a comma leads from telling to asking: "make it two and tell me the rest"."""
    parts: list[str] = []
    while True:
        piece = corrected(piece)
        part, rest = _in_two(piece, language)
        parts += [part] if part else []
        if not rest:
            return parts
        piece = rest


def _in_two(piece: str, language: str) -> tuple[str, str]:
    """The first part of a sentence, and the rest of it, which may be empty."""
    if _IF.match(folded(piece)) and mood_of(piece, language) is Mood.SUPPOSE:
        return piece, ""  # "if we moved it, would it fit?" is one thought
    if (reason := _BECAUSE.match(piece)) is not None:
        rest = piece[reason.end() :]
        absent = Cue.ABSENT in cues(reason.group(), language)
        return (reason.group().strip(" ,"), rest) if absent else (rest, "")
    for joint in islice(_JOINT.finditer(piece), _MOST_JOINTS):
        before, after = piece[: joint.start()].strip(), piece[joint.end() :].strip()
        short = len(after.split()) < 2 and not has(Cue.ABSENT, before, language)
        if len(before.split()) < 2 or short or ASIDE.match(folded(before)):
            continue
        moods = mood_of(before, language), mood_of(after, language)
        if moods == (Mood.TELL, Mood.TELL) and _stands_alone(joint.group(), before, after, language):
            return before, after
        if moods[1] is Mood.ASK and moods[0] is Mood.TELL and _asks_by_itself(after, language, joint.group()):
            return before, after
        if moods[0] is Mood.ASK and moods[1] is Mood.TELL and not piece.endswith("?") and orders(after):
            return before, after
    return piece, ""


_MOST_JOINTS = 40
"""Of a sentence that are looked at; what has more is a list."""


def _asks_by_itself(text: str, language: str, joint: str) -> bool:
    """Whether a part that may be a list's last item, or a relative clause, is surely a question: "and what is left"."""
    joined = _JOINED.search(joint) is not None
    asks = find(Cue.ASK, text, language)
    begins = asks is not None and asks.start() == 0
    if text.rstrip().endswith("?"):
        return begins or joined
    return begins and joined and _BARE_AUXILIARY.match(folded(text)) is None


_JOINED = re.compile(r"\b(and|but|then|also|und|aber|y|pero)\b", re.IGNORECASE)


_BARE_AUXILIARY = re.compile(
    r"^(is|are|was|were|do|does|did|has|have|had|ist|sind|war|hat|es|son|está|están)\b"
)


def _stands_alone(joint: str, before: str, after: str, language: str) -> bool:
    """Whether two parts that tell something are two orders: "keep the lamp and drop the rope"."""
    first, second = clause_cues(before, language), clause_cues(after, language)
    if ORDERS.search(folded(after)) is not None:
        return bool(first & ACTS)
    if Cue.ABSENT in first:
        led = re.search(r"\b(so|also|así que)\b", joint)
        return (
            bool(led)
            or re.match(
                r"(mejor|lieber|rather|better|then|dann|so|let's|use|take|nimm\w*|nehm\w*|usa\w*)\b",
                folded(after),
            )
            is not None
        )
    if Cue.ABSENT in second and "," in joint and first & ACTS:
        return True
    return bool(second & {Cue.RESTORE, Cue.DELETE} and "so" in joint and first)


FRAGMENT = re.compile(r"^(?:and|und|y|plus|then|also)\s+(?:an?|eine?n?|una?|the|some)\s+\w+(?:\s\w+)?[.!]?$")


_TAKES = re.compile(
    r"\b(take|takes|use|uses|using|go with|get|buy|does it|owns it|owns|nimm\w*|nehm\w*|benutz\w*|usa\w*|tom(a|amos|emos)|pon(emos|gamos)?)\b"
)


def _settled(clauses: list[Clause]) -> list[Clause]:
    """Moods and cues that depend on the neighbours: a claim before "can you check?", what is taken where another is out."""
    for place in range(1, len(clauses)):
        if (
            Cue.ABSENT in clauses[place - 1].cues
            and clauses[place].mood is Mood.TELL
            and Cue.ABSENT not in clauses[place].cues
        ):
            clauses[place] = replace(clauses[place], cues=clauses[place].cues | {Cue.CHANGE})
        if FRAGMENT.match(folded(clauses[place - 1].text)) and clauses[place].mood is Mood.TELL:
            clauses[place - 1] = replace(clauses[place - 1], cues=clauses[place - 1].cues | {Cue.START})
    out = any(Cue.ABSENT in clause.cues for clause in clauses)
    if out:
        clauses = [
            replace(clause, cues=clause.cues | {Cue.SWAP})
            if clause.mood is Mood.TELL and _TAKES.search(folded(clause.text))
            else clause
            for clause in clauses
        ]
    moods = [clause.mood for clause in clauses]
    checks = re.compile(
        r"double-?\s?check|\b(right|correct|true|is that so|am i right|stimmt das|richtig|verdad|cierto|correcto)\b\s*\??$|check (that|again|it)|is that (right|correct|true)|confirm|überprüf|prüf|comprueb"
    )
    for place, clause in enumerate(clauses):
        if place and clause.mood is Mood.ASK and checks.search(folded(clause.text)):
            before = clauses[place - 1]
            past = re.search(
                r"\b(was|were|never|had|did|didn't|wasn't|weren't|said|told|war|waren|nie|hatte|wurde|era|nunca|fue|había)\b",
                folded(before.text),
            )
            if before.mood is Mood.TELL and past:
                moods[place - 1] = Mood.SUPPOSE
    return [replace(clause, mood=mood) for clause, mood in zip(clauses, moods, strict=True)]
