"""Which of the turns that the model read give an answer, and what of it stands in none of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from localmem.recall.answer_changes import stems
from localmem.recall.answer_evidence import Evidence
from localmem.recall.answer_text import parts
from localmem.recall.calendar_days import WEEKDAYS
from localmem.recall.facts import facts, inner_names, plain, stands_in
from localmem.recall.query import MONTHS, STOP_WORDS, words
from localmem.values import Turn

_DATE_WORDS = frozenset(name.lower() for name in (*MONTHS, *WEEKDAYS))


@dataclass(frozen=True, slots=True)
class Ground:
    """What an answer to a question can rest on."""

    question: str
    shown: Sequence[Evidence]
    """All that the model read."""
    speakers: frozenset[str]
    """Words of the names of people who speak, lower case."""
    names: frozenset[str]
    """Those, and names within the turns, lower case."""

    @classmethod
    def of(cls, question: str, shown: Sequence[Evidence], speakers: Iterable[str]) -> Ground:
        """From the turns that the model read and the people who speak."""
        speakers = list(speakers)
        spoken = frozenset(word for speaker in speakers for word in words(speaker))
        named = [*speakers, *(name for one in shown for name in inner_names(one.text))]
        return cls(question, shown, spoken, frozenset(plain(word) for name in named for word in words(name)))

    def missing(self, text: str) -> list[str]:
        """Facts of an answer that stand in no turn that was shown, nor in the question."""
        everything = " ".join([self.question, *(one.searchable for one in self.shown)])
        return [fact for fact in facts(text, self.names) if not stands_in(fact, everything)]

    def support(self, text: str, cited: Sequence[Evidence]) -> list[Evidence]:
        """The evidence of an answer, the turn that says most of it first.

        The model picks the right words more surely than the right number. So the turn that shares most words
        with the answer (then with the question, then the one of the highest priority) comes first, if it was
        cited or shares words with the question too; cited turns that share none are left out, unless none
        shares any. For each fact, and each part of a list, that stands in no turn so far comes the best turn
        that has it.
        """
        asked = content(self.question) - self.speakers
        claimed = content(text) - asked
        if not claimed:
            return list(cited)

        def says(one: Evidence) -> tuple[int, int, float]:
            there = set(words(one.searchable))
            return (len(claimed & there), len(asked & there), one.unit.priority)

        best = max((one for one in self.shown if one in cited or says(one)[1]), key=says)
        support = list(cited)
        if says(best)[0]:
            others = [one for one in cited if one is not best and says(one)[0]]
            support = [best, *sorted(others, key=says, reverse=True)]
        for fact in facts(text, self.names):
            if any(stands_in(fact, one.searchable) for one in support) or stands_in(fact, self.question):
                continue
            having = [one for one in self.shown if stands_in(fact, one.searchable)]
            if having:
                support.append(max(having, key=says))
        for part in parts(text):
            named = content(part) - asked
            having = [one for one in self.shown if named <= set(words(one.searchable))]
            if named and having and not any(one in having for one in support):
                support.append(max(having, key=says))
        return support

    def shared(self, turns: Iterable[Turn]) -> float:
        """Share of the question's words that stand in turns, by their beginnings; 0 if it has none of its own."""
        asked = stems(self.question, self.speakers)
        said = {stem for turn in turns for stem in stems(f"{turn.speaker} {turn.text}")}
        return len(asked & said) / len(asked) if asked else 0.0

    def about_who_was_asked(self, turns: Iterable[Turn]) -> bool:
        """Whether any name of the question, other than those of the people who speak, stands in the turns.

        Dates are no names: they say when, and a turn need not.
        """
        named = {plain(name.strip()) for name in inner_names(self.question)} - self.speakers - _DATE_WORDS
        said = " ".join(turn.text for turn in turns)
        return not named or any(stands_in(name, said) for name in named)


def content(text: str) -> set[str]:
    """Words of a text that tell something, lower case."""
    return {word for word in words(text) if word not in STOP_WORDS}
