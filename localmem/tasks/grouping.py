"""Who stands together, and who cannot, where code understands it alone."""

from __future__ import annotations

import re
from dataclasses import replace

from localmem.tasks.context import Context, kind_of, whens
from localmem.tasks.cues import Cue, cues, folded, has, pattern
from localmem.tasks.meant import nodes_meant, open_words
from localmem.tasks.mentions import alike, content
from localmem.tasks.tables import words
from localmem.tasks.trim import BY_CODE, Line, Verb


def groups(context: Context) -> list[Line] | None:
    """Who stands together, and what holds for them: "Ana and Bo at two, the rest at four"."""
    lines = []
    segments = [
        one for clause in context.reading.clauses for one in re.split(r"[,;:.]\s+|\s[-–—]\s|—", clause.text)
    ]
    for segment in segments:
        here = replace(
            context, reading=context.reading.only([replace(context.reading.clauses[0], text=segment, tag="")])
        )
        members = [
            m
            for m in nodes_meant(here)
            if m.node.live
            and m.node.parents
            and kind_of(m.node.value) not in ("time", "date")
            and not m.by_number
        ]
        rest = has(Cue.REST, segment, context.reading.language)
        named = {word for m in members for word in m.words}
        words = segment.split()
        left = [
            word
            for word in words
            if not any(alike(one, other) for one in content(word) for other in named)
            and not (rest and pattern(context.reading.language, Cue.REST).search(folded(word)))
        ]
        while left and folded(left[0]).strip(".,:;") in _JOINERS:
            left.pop(0)
        if (members or rest) and left and any(c.isalnum() for c in " ".join(left)):
            ids = () if rest else tuple(m.node.id for m in members)
            lines.append(Line(Verb.GROUP, BY_CODE, ids, text=" ".join(left).strip(" .,;:!")))
    return lines if len(lines) > 1 else None


_GROUPS = "group team part session meeting split gruppe teil treffen grupo parte equipo".split()


_JOINERS = words(
    """
    and und y the of rest others other joins join is are comes come then 's der die den el la los las
    """
)


_JOINT = re.compile(r"[,;.:]\s+|\s(?:and|but|so|und|aber|also|y|pero|así que)\s")


_NAME = re.compile(r"(?<=\s)(?!I\b)[A-ZÁÉÍÓÚÑ]\w+")
"""A word with a capital: a name, where not every noun has one."""


_ASKS_FOR = frozenset({Cue.ADD, Cue.CHANGE, Cue.SWAP, Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.ALSO})


def note(context: Context) -> list[Line] | None:
    """What somebody cannot, as a note: the clause without the name."""
    meant = [
        m
        for m in nodes_meant(context)
        if m.node.live and m.node.parents and kind_of(m.node.value or m.node.slot) == "text"
    ]
    if len(meant) != 1 or _says_more(context.told, context.reading.language):
        return None
    words = context.told.split()
    places = [
        p for p, word in enumerate(words) if any(alike(w, o) for w in content(word) for o in meant[0].words)
    ]
    rest = words[places[-1] + 1 :] if places and places[-1] + 2 < len(words) else words
    return [Line(Verb.NOTE, BY_CODE, (meant[0].node.id,), text=" ".join(rest).strip(" .,;!"))]


def _says_more(text: str, language: str) -> bool:
    """Whether something stands behind a comma or "and" that may be an order: when else, how many, who instead."""
    return any(
        len(part.split()) > 1
        and (whens(part) or cues(part, language) & _ASKS_FOR or (language != "de" and _NAME.search(part)))
        for part in _JOINT.split(text)[1:]
    )


def only_merges(context: Context) -> bool:
    """Whether nothing is said but that groups come together again."""
    more = [word for word in open_words(context) if not any(alike(word, one) for one in _GROUPS)]
    return context.kinds == {"text"} and not more
