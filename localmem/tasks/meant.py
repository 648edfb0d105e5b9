"""Which nodes the words of a turn mean, and what words are left."""

from __future__ import annotations

import re

from localmem.tasks.context import GROUP, NOTE, SURE, Context
from localmem.tasks.cues import LANGUAGES, Cue, folded, pattern
from localmem.tasks.mentions import Mention, alike, content
from localmem.tasks.tables import words

FILLERS = words(
    """
    thing things stuff bit item items task tasks step steps point entry please pls thanks really sure fine ok
    day today tonight guess think way help like know list plan lot kind whole two three four out idea put goes
    go gets kommt kommen gehört gehören va van lleva actually anymore longer after use using used have having
    want need needs wants well bitte danke ding sache punkt heute liste mehr gar brauchen brauche wir favor
    gracias cosa lista hoy
    """
)


REASON = re.compile(
    r"\b(i|we|you|he|she|they|it|him|her|them|his|their|us|me|is|are|was|were|has|have|had|don't|doesn't|didn't|can't|won't|isn't|because|since|as|ich|wir|er|sie|es|ihr|ihm|ihn|ist|sind|war|hat|haben|weil|da|"
    r"yo|él|ella|ellos|le|les|se|es|son|está|están|tiene|porque|ya)\b|\b[a-z]+s (?:his|her|the|a|it|them)\b"
)


def gives_reason(text: str) -> bool:
    """Whether a clause is a sentence of its own, with somebody who does or is something."""
    return REASON.search(folded(text)) is not None


def nodes_meant(context: Context) -> list[Mention]:
    """The nodes that the words name: those with a word of their own, without the whole that they are named as parts of."""
    own = [m for m in context.mentions if (m.own or m.score >= 0.99) and m.node.slot not in (NOTE, GROUP)]
    named = {m.node.id for m in own}
    above = {parent for m in own for parent in m.node.parents}
    found = []
    for mention in own:
        if mention.node.id in above and mention.words <= {
            word for other in own if mention.node.id in other.node.parents for word in other.words
        } | set(content(mention.node.slot)):
            continue
        weaker = [
            other
            for other in own
            if other.node.id != mention.node.id
            and mention.words < other.words
            and mention.node.live == other.node.live
        ]
        if not weaker:
            found.append(mention)
    live = [m for m in found if m.node.live]
    # A removed node counts only where no live one has the same words.
    return (
        [m for m in found if m.node.live or not any(m.words <= other.words for other in live)]
        if named
        else []
    )


def open_words(context: Context) -> list[str]:
    """Words with a meaning that belong to no node named and to no cue."""
    language = context.reading.language
    text = folded(context.told)
    for cue in LANGUAGES[language].cues:
        if cue in (Cue.ASK, Cue.TALK, Cue.ADD, Cue.START, Cue.EVER, Cue.LIST, Cue.CLAIM, Cue.SUPPOSE):
            continue
        text = pattern(language, cue).sub(" ", text)
    surely = {
        word
        for mention in context.mentions
        if mention.own or mention.score >= SURE
        for word in [*content(mention.node.slot), *content(mention.node.value)]
    }
    named = surely | {
        word for m in context.mentions for p in m.node.parents for word in content(context.graph[p].slot)
    }
    return [
        word
        for word in content(text)
        if word not in FILLERS and not any(alike(word, other) for other in named)
    ]
