"""Turns that code understands alone: one kind of change, and nothing said but the nodes that it is about.

"Remove the lamp and the rope" leaves nothing to decide once the nodes are found. The model reads the rest.
"""

from __future__ import annotations

import re
from dataclasses import replace

from localmem.tasks.context import GROUP, NOTE, SURE, Context, kind_of
from localmem.tasks.cues import LANGUAGES, Cue, folded, has, pattern
from localmem.tasks.mentions import Mention, alike, content
from localmem.tasks.items import LISTED
from localmem.tasks.trim import Line, Verb
from localmem.tasks.values import Status

_FAMILIES = {
    Cue.DELETE: Verb.DELETE,
    Cue.ONLY: Verb.KEEP,
    Cue.RESTORE: Verb.RESTORE,
    Cue.DONE: Verb.DONE,
    Cue.BACK: Verb.BACK,
    Cue.ALSO: Verb.LINK,
}
_OTHERS = (Cue.ABSENT, Cue.SPLIT, Cue.MERGE)
_FILLERS = frozenset(
    """thing things stuff bit item items task tasks step steps point entry please pls thanks really sure fine ok day today tonight guess think
    way help like know list plan lot kind whole two three four thing idea actually anymore longer after use using used have having want need needs wants well
    bitte danke ding sache punkt heute liste mehr gar brauchen brauche wir
    favor gracias cosa lista hoy""".split()
)


def direct(context: Context) -> list[Line] | None:
    """The lines of a clause that leaves nothing open; None: the model has to read it."""
    cues = context.cues
    if Cue.ABSENT in cues and not cues & {Cue.SWAP, Cue.DELETE} and not context.reading.tag:
        return _note(context)
    if context.reading.tag:
        return _by_tag(context)
    if Cue.SPLIT in cues and Cue.MERGE not in cues:
        return _groups(context)
    if any(cue in cues for cue in _OTHERS) or not context.mentions:
        return None
    if Cue.SWAP in cues and not cues & {Cue.DELETE, Cue.RESTORE, Cue.ONLY}:
        return None
    if open_words(context):
        return None
    removed = [m for m in _meant(context) if not m.node.live]
    live = [m for m in _meant(context) if m.node.live]
    ids = tuple(m.node.id for m in live)
    written = "(by code)"
    if Cue.RESTORE in cues and removed and not cues & {Cue.ONLY}:
        if Cue.DELETE in cues and not _negated(context):
            return None
        return [Line(Verb.RESTORE, written, tuple(m.node.id for m in removed))]
    if Cue.ONLY in cues and not cues & {Cue.DONE, Cue.BACK} and (live or removed):
        kept = [m.node.id for m in (*live, *removed) if m.node.parents]
        excepted = re.search(r"\b(except|but|apart from|other than|aside from|außer|bis auf|menos|excepto|salvo)\b", folded(context.told))
        if kept and (not cues & {Cue.ALL} or excepted or Cue.DELETE not in cues):
            return [Line(Verb.KEEP, written, tuple(kept))]
        return None
    if Cue.REST in cues or (Cue.ALL in cues and not re.search(r"\b(both|beide\w*|amb[oa]s|las dos|los dos)\b", folded(context.told))):
        return None
    if Cue.ALSO in cues and not cues & {Cue.DELETE, Cue.DONE, Cue.BACK}:
        return _link(live)
    if Cue.DELETE in cues and live and not removed and not cues & {Cue.RESTORE, Cue.BACK, Cue.DONE}:
        return [Line(Verb.DELETE, written, ids)]
    if Cue.DONE in cues and live and not cues & {Cue.DELETE, Cue.BACK, Cue.RESTORE}:
        return [Line(Verb.DONE, written, ids)]
    if Cue.BACK in cues and live and not removed and not cues & {Cue.DELETE, Cue.DONE}:
        changed = [m for m in live if len(m.node.versions) > 1 or len({(r.slot, r.value) for r in m.node.history}) > 1]
        if changed:
            return [Line(Verb.BACK, written, tuple(m.node.id for m in changed[:1]))]
    return None


_EVENT = re.compile(
    r"\b(party|trip|meeting|workshop|dinner|lunch|concert|exam|appointment|project|list|sale|wedding|tour|visit|course|class|game|match|call|interview|"
    r"feier|reise|treffen|termin|kurs|ausflug|liste|projekt|fiesta|viaje|reunión|cena|lista|curso|proyecto|excursión|taller)\b"
)
_VERBS = re.compile(
    r"\b(i|we|you|he|she|they|it|ich|wir|du|er|sie|yo|nosotros|is|are|was|will|should|can|let's|make|set|change|find|search|ask|use|take|please|ist|sind|wird|soll|es|son|que|brings?|does|do|has|have)\b"
)


def _by_tag(context: Context) -> list[Line] | None:
    """ "owner: Farid" and "bed one: leeks, chard": a slot with its value, or a part with its own parts."""
    tag, text = context.reading.tag, " ".join(clause.text for clause in context.reading.clauses).strip(" .,;!")
    if context.cues & {Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.ABSENT, Cue.SWAP, Cue.ONLY, Cue.SPLIT, Cue.MERGE, Cue.CHANGE, Cue.FIRST}:
        return None
    if len(text.split()) > 12 or _VERBS.search(folded(text)):
        return None
    node, written = context.named(tag), "(by code)"
    pieces = [piece for piece in LISTED.split(text) if piece]
    listed = len(pieces) > 1 and all(len(piece.split()) <= 4 for piece in pieces) and kind_of(text) not in ("time", "date")
    if node is not None:
        parts = [child for child in context.graph.children(node.id) if child.live and child.slot != NOTE]
        if parts or not node.parents or (listed and not node.value):
            return [Line(Verb.PART, written, (node.id,), slot=piece) for piece in pieces]
        return [Line(Verb.CHANGE, written, (node.id,), text=text)]
    root = context.root
    if listed:
        own = root is None or _EVENT.search(folded(tag)) or kind_of(tag) == "date" or Cue.START in context.cues
        first = Line(Verb.NEW, written, (-1,), text=tag) if own or root is None else Line(Verb.PART, written, (root.id,), slot=tag, within=True)
        return [first, *(Line(Verb.PART, written, (-1,), slot=piece) for piece in pieces)]
    if root is None:
        return None
    return [Line(Verb.PART, written, (root.id,), slot=tag.lower(), text=text)]


def _groups(context: Context) -> list[Line] | None:
    """ "Ana and Bo at two, the rest at four": who stands together, and what holds for them."""
    lines = []
    for segment in re.split(r"[,;:.]\s+|\s[-–—]\s|—", context.reading.told):
        here = replace(context, reading=context.reading.only([replace(context.reading.clauses[0], text=segment, tag="")]))
        members = [m for m in _meant(here) if m.node.live and m.node.parents and kind_of(m.node.value) not in ("time", "date")]
        rest = has(Cue.REST, segment, context.reading.language)
        named = {word for m in members for word in m.words}
        words = segment.split()
        left = [
            word for word in words
            if not any(alike(one, other) for one in content(word) for other in named)
            and not (rest and pattern(context.reading.language, Cue.REST).search(folded(word)))
        ]
        while left and folded(left[0]).strip(".,:;") in _JOINERS:
            left.pop(0)
        if (members or rest) and left and any(c.isalnum() for c in " ".join(left)):
            ids = () if rest else tuple(m.node.id for m in members)
            lines.append(Line(Verb.GROUP, "(by code)", ids, text=" ".join(left).strip(" .,;:!")))
    return lines if len(lines) > 1 else None


_JOINERS = frozenset("and und y the of rest others other joins join is are comes come then 's der die den el la los las".split())


def _note(context: Context) -> list[Line] | None:
    """What somebody cannot, as a note: the clause without the name."""
    meant = [m for m in _meant(context) if m.node.live and m.node.parents and kind_of(m.node.label) == "text"]
    if len(meant) != 1:
        return None
    words = context.told.split()
    places = [p for p, word in enumerate(words) if any(alike(w, o) for w in content(word) for o in meant[0].words)]
    rest = words[places[-1] + 1 :] if places and places[-1] + 2 < len(words) else words
    return [Line(Verb.NOTE, "(by code)", (meant[0].node.id,), text=" ".join(rest).strip(" .,;!"))]


def _negated(context: Context) -> bool:
    return re.search(r"\b(don't|do not|not|never|nicht|no)\b", folded(context.told)) is not None


def _meant(context: Context) -> list[Mention]:
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
            other for other in own if other.node.id != mention.node.id and mention.words < other.words and mention.node.live == other.node.live
        ]
        if not weaker:
            found.append(mention)
    live = [m for m in found if m.node.live]
    # A removed node counts only where no live one has the same words.
    return [m for m in found if m.node.live or not any(m.words <= other.words for other in live)] if named else []


def _link(live: list[Mention]) -> list[Line] | None:
    whole = [m for m in live if not m.node.parents]
    parts = [m for m in live if m.node.parents and m.node.status is not Status.INACTIVE]
    if len(whole) != 1 or not parts or any(whole[0].node.id in m.node.parents for m in parts):
        return None
    return [Line(Verb.LINK, "(by code)", (*(m.node.id for m in parts), whole[0].node.id))]


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
    named = surely | {word for m in context.mentions for p in m.node.parents for word in content(context.graph[p].slot)}
    return [
        word
        for word in content(text)
        if word not in _FILLERS and not any(alike(word, other) for other in named)
    ]
