"""Turns that code understands alone: one kind of change, and nothing said but the nodes that it is about.

"Remove the lamp and the rope" leaves nothing to decide once the nodes are found. The model reads the rest.
"""

from __future__ import annotations

import re
from dataclasses import replace

from localmem.tasks.context import GROUP, NOTE, SURE, Context, kind_of
from localmem.tasks.cues import LANGUAGES, Cue, folded, has, pattern
from localmem.tasks.cues import cues as cues_of
from localmem.tasks.items import LISTED, UNITS, quantity
from localmem.tasks.mentions import Mention, alike, content, mentions, within
from localmem.tasks.trim import BY_CODE, Line, Verb
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
    [
        "thing",
        "things",
        "stuff",
        "bit",
        "item",
        "items",
        "task",
        "tasks",
        "step",
        "steps",
        "point",
        "entry",
        "please",
        "pls",
        "thanks",
        "really",
        "sure",
        "fine",
        "ok",
        "day",
        "today",
        "tonight",
        "guess",
        "think",
        "way",
        "help",
        "like",
        "know",
        "list",
        "plan",
        "lot",
        "kind",
        "whole",
        "two",
        "three",
        "four",
        "out",
        "thing",
        "idea",
        "put",
        "goes",
        "go",
        "gets",
        "kommt",
        "kommen",
        "gehört",
        "gehören",
        "va",
        "van",
        "lleva",
        "actually",
        "anymore",
        "longer",
        "after",
        "use",
        "using",
        "used",
        "have",
        "having",
        "want",
        "need",
        "needs",
        "wants",
        "well",
        "bitte",
        "danke",
        "ding",
        "sache",
        "punkt",
        "heute",
        "liste",
        "mehr",
        "gar",
        "brauchen",
        "brauche",
        "wir",
        "favor",
        "gracias",
        "cosa",
        "lista",
        "hoy",
    ]
)


def direct(context: Context) -> list[Line] | None:
    """The lines of a clause that leaves nothing open; None: the model has to read it."""
    lines = _whole(context)
    if lines is None and len(context.reading.clauses) == 1 and not context.reading.tag:
        clause = context.reading.clauses[0]
        head, comma, tail = clause.text.partition(",")
        if comma and len(head.split()) > 1 and len(tail.split()) > 1 and _REASON.search(folded(tail)) and not _MORE.match(folded(tail)):
            language = context.reading.language
            reason = replace(
                context,
                reading=context.reading.only(
                    [replace(clause, text=tail.strip(), cues=cues_of(tail, language))]
                ),
            )
            if not reason.cues & ASKS_FOR and not any(
                m.own and m.node.live and m.node.parents for m in reason.mentions
            ):
                first = replace(clause, text=head, cues=clause.cues & (cues_of(head, language)))
                lines = _whole(replace(context, reading=context.reading.only([first])))
    return lines


_MORE = re.compile(r"^(and|plus|but|also|instead|then|so|und|dafür|noch|aber|auch|stattdessen|y|pero|además|en su lugar)\b")
_REASON = re.compile(
    r"\b(i|we|you|he|she|they|it|him|her|them|his|their|us|me|is|are|was|were|has|have|had|don't|doesn't|didn't|can't|won't|isn't|because|since|as|ich|wir|er|sie|es|ihr|ihm|ihn|ist|sind|war|hat|haben|weil|da|"
    r"yo|él|ella|ellos|le|les|se|es|son|está|están|tiene|porque|ya)\b|\b[a-z]+s (?:his|her|the|a|it|them)\b"
)
def gives_reason(text: str) -> bool:
    """Whether a clause is a sentence of its own, with somebody who does or is something."""
    return _REASON.search(folded(text)) is not None


ASKS_FOR = frozenset(
    {
        Cue.DELETE,
        Cue.RESTORE,
        Cue.CHANGE,
        Cue.ADD,
        Cue.DONE,
        Cue.BACK,
        Cue.SWAP,
        Cue.ONLY,
        Cue.ALSO,
        Cue.SPLIT,
        Cue.MERGE,
        Cue.START,
        Cue.REST,
        Cue.ALL,
    }
)


def _whole(context: Context) -> list[Line] | None:
    cues = context.cues
    if Cue.ABSENT in cues and not cues & {Cue.SWAP, Cue.DELETE} and not context.reading.tag:
        return _note(context)
    if context.reading.tag:
        return _by_tag(context)
    if (all_but := _excepted(context)) is not None:
        return all_but
    if Cue.SPLIT in cues and Cue.MERGE not in cues:
        return _groups(context)
    if Cue.MERGE in cues and any(node.live and node.slot == GROUP for node in context.graph):
        more = [word for word in open_words(context) if not any(alike(word, one) for one in _GROUPS)]
        # The plan brings groups together without a line.
        return [] if context.kinds == {"text"} and not more else None
    if any(cue in cues for cue in _OTHERS):
        return None
    back = _back(context)
    if back is not None:
        return back
    amount = _amount(context) or _added(context)
    if amount is not None:
        return amount
    if not context.mentions:
        return None
    if Cue.SWAP in cues and not cues & {Cue.DELETE, Cue.RESTORE, Cue.ONLY}:
        return None
    if open_words(context):
        return None
    removed = [m for m in _meant(context) if not m.node.live]
    live = [m for m in _meant(context) if m.node.live]
    ids = tuple(m.node.id for m in live)
    if Cue.RESTORE in cues and removed and not cues & {Cue.ONLY}:
        if Cue.DELETE in cues and not _negated(context):
            return None
        return [Line(Verb.RESTORE, BY_CODE, tuple(m.node.id for m in removed))]
    if Cue.ONLY in cues and not cues & {Cue.DONE, Cue.BACK} and (live or removed):
        kept = [m.node.id for m in (*live, *removed) if m.node.parents]
        excepted = re.search(
            r"\b(except|but|apart from|other than|aside from|besides|exception|ausser|bis auf|menos|excepto|salvo)\b",
            folded(context.told),
        )
        if kept and (not cues & {Cue.ALL} or excepted or Cue.DELETE not in cues):
            return [Line(Verb.KEEP, BY_CODE, tuple(kept))]
        return None
    if Cue.REST in cues or (
        Cue.ALL in cues
        and not re.search(r"\b(both|beide\w*|amb[oa]s|las dos|los dos)\b", folded(context.told))
    ):
        return None
    if Cue.ALSO in cues and not cues & {Cue.DELETE, Cue.DONE, Cue.BACK}:
        return _link(live)
    if Cue.DELETE in cues and live and not removed and not cues & {Cue.RESTORE, Cue.BACK, Cue.DONE}:
        return [Line(Verb.DELETE, BY_CODE, ids)]
    if Cue.DONE in cues and live and not cues & {Cue.DELETE, Cue.BACK, Cue.RESTORE}:
        return [Line(Verb.DONE, BY_CODE, ids)]
    if Cue.BACK in cues and live and not removed and not cues & {Cue.DELETE, Cue.DONE}:
        changed = [
            m
            for m in live
            if len(m.node.versions) > 1 or len({(r.slot, r.value) for r in m.node.history}) > 1
        ]
        if changed:
            return [Line(Verb.BACK, BY_CODE, tuple(m.node.id for m in changed[:1]))]
    return None


_EXCEPT = re.compile(
    r"\b(except(?: for)?|but|apart from|other than|aside from|besides|bar|save for|with the exception of|ausser|bis auf|mit ausnahme von|menos|excepto|salvo)\s+(.*)"
)
_EVERYTHING = re.compile(r"\b(all|every\w*|no one|nobody|none|nothing|whole|alle\w*|alles|niemand|keine\w*|nichts|tod[oa]s?|nadie|nada|ningun[oa]?)\b")


def _excepted(context: Context) -> list[Line] | None:
    """ "all the plants but the fern can go": what is excepted stays, whatever the verb."""
    told = folded(context.told)
    match = _EXCEPT.search(told)
    if match is None or not _EVERYTHING.search(told) or context.cues & {Cue.DONE, Cue.SPLIT}:
        return None
    named = {m.node.id for m in mentions(context.graph, match[2].split(",")[0], deleted=True)}
    kept = [m.node.id for m in _meant(context) if m.node.id in named and m.node.parents]
    return [Line(Verb.KEEP, BY_CODE, tuple(kept))] if kept else None


def _back(context: Context) -> list[Line] | None:
    """One node that goes back to what it was, whatever else is said about why."""
    cues = context.cues
    if Cue.BACK not in cues or cues & {Cue.DELETE, Cue.DONE, Cue.ALSO, Cue.SPLIT, Cue.MERGE}:
        return None
    meant = [
        m for m in _meant(context) if m.node.live and m.node.parents and (m.slot >= SURE or m.value >= SURE)
    ]
    changed = [m for m in meant if len({(r.slot, r.value) for r in m.node.history}) > 1]
    # What follows "and" or "plus" may be something new.
    more = re.search(r"(?:\band\b|\bplus\b|\bund\b|\by\b|,)\s+(?!i\b|we\b|he\b|she\b|it\b|they\b|don't\b|sie\b|er\b|es\b|ich\b|wir\b)(.*)", folded(context.told))
    if more and not _REASON.search(more[1]) and [w for w in content(more[1]) if not any(alike(w, o) for m in meant for o in content(m.node.label))]:
        return None
    if len(meant) != 1 or len(changed) != 1 or any(not m.node.live and m.own for m in context.mentions):
        return None
    return [Line(Verb.BACK, BY_CODE, (changed[0].node.id,))]


_NUMBER = re.compile(rf"(?<![\w.,:])\d+(?:[.,]\d+)?(?:\s?{UNITS}\b)?(?![\w:])", re.IGNORECASE)


def _amount(context: Context) -> list[Line] | None:
    """ "flour 3 kg instead": one node, and another quantity for it."""
    if context.cues & {Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.ONLY, Cue.ALSO, Cue.ADD, Cue.SPLIT}:
        return None
    meant = [m for m in _meant(context) if m.node.live and m.node.parents and m.slot]
    if len(meant) != 1 or any(child.live for child in context.graph.children(meant[0].node.id)):
        return None
    numbers = _NUMBER.findall(context.told)
    if len(numbers) == 1 and (unit := re.search(rf"{re.escape(numbers[0])}\s+([^\W\d_]+)", context.told)):
        own = content(meant[0].node.value)
        if any(alike(folded(unit[1]), word) for word in own if not word.isdigit()):
            numbers = [unit.group()]  # "5 tubes", where the value is "2 tubes"
    open_ones = [
        word for word in open_words(context) if not any(word in folded(number) for number in numbers)
    ]
    if len(numbers) != 1 or open_ones or not any(c.isdigit() for c in meant[0].node.value):
        return None
    if kind_of(meant[0].node.value) in ("time", "date"):
        return None
    return [Line(Verb.CHANGE, BY_CODE, (meant[0].node.id,), text=numbers[0].strip())]


_ADDS = re.compile(
    r"^(?:(?:and|also|please|oh|ok(?:ay)?|then|und|auch|bitte|noch|y|también|por favor),?\s+)*(?:(?:can|could) you\s+|let's\s+|(?:we|i|you)(?:'ll| will| also| still)*\s+)?(?:please\s+)?"
    r"(?:add|buy|get|need|include|pack|bring|put|append|füge?|kauf\w*|brauch\w*(?: wir| ich)?|pack\w*|nimm|añad\w*|agrega|pon|compra|necesit\w+|mete|incluye)\s+(?:in\s+|also\s+|noch\s+|auch\s+|también\s+)*(?P<items>.+?)"
    r"(?:\s+(?:to|on|in|into|onto|for|auf|zu|zur|in|a|en|para)\s+(?P<where>(?:the|my|our|it|die|der|das|den|dem|mein\w*|unser\w*|la|el|mi|nuestra)\b[^,]*)|\s+(?:too|as well|hinzu|dazu|ein|also|también|auch|please))*[.!]?$",
    re.IGNORECASE,
)


def _added(context: Context) -> list[Line] | None:
    """ "add a lamp, two ropes and a bell": nothing but items, for the task that is spoken of."""
    if context.cues & {
        Cue.DELETE,
        Cue.RESTORE,
        Cue.BACK,
        Cue.DONE,
        Cue.ONLY,
        Cue.ALSO,
        Cue.SPLIT,
        Cue.SWAP,
        Cue.START,
        Cue.ABSENT,
        Cue.CHANGE,
        Cue.ALL,
    }:
        return None
    match = _ADDS.match(folded(context.told))
    pieces = [piece for piece in LISTED.split(context.told.strip(" .!")) if piece]
    named = any(not mention.by_number for mention in context.mentions)
    if context.root is not None and not named and pieces and all(map(quantity, pieces)):
        return [Line(Verb.PART, BY_CODE, (context.root.id,), slot=piece) for piece in pieces]
    if match is None or context.root is None:
        return None
    tasks = [word for root in context.graph.roots() if root.live for word in content(root.slot)]
    if not all(word in _FILLERS or any(alike(word, one) for one in tasks) for word in content(match["where"] or "")):
        return None  # where it goes, not which list it is for
    if re.search(r"\b(?:on|for|at|with|of them)\b", match["items"]) or _REASON.search(match["items"]):
        return None
    text = (
        context.told[match.start("items") : match.end("items")]
        if len(folded(context.told)) == len(context.told)
        else match["items"]
    )
    pieces = [piece for piece in LISTED.split(text.strip(" .!")) if piece]
    if not pieces or any(len(piece.split()) > 4 or VERBS.search(folded(piece)) for piece in pieces):
        return None
    return [Line(Verb.PART, BY_CODE, (context.root.id,), slot=piece) for piece in pieces]


_EVENT = re.compile(
    r"\b(party|trip|meeting|workshop|dinner|lunch|concert|exam|appointment|project|list|sale|wedding|tour|visit|course|class|game|match|call|interview|"
    r"feier|reise|treffen|termin|kurs|ausflug|liste|projekt|fiesta|viaje|reunión|cena|lista|curso|proyecto|excursión|taller)\b"
)
VERBS = re.compile(
    r"\b(i|we|you|he|she|they|it|ich|wir|du|er|sie|yo|nosotros|is|are|was|will|should|can|let's|make|set|change|find|search|ask|use|take|please|ist|sind|wird|soll|es|son|que|brings?|does|do|has|have)\b"
)


_OLD_THING = re.compile(
    r"(?:the|der|die|das|el|la) (?:old|first|last|alte\w*|erste\w*|antigu[oa]|primera?) (?!one\b|value\b|way\b|plan\b)(\w+)"
)


def _by_tag(context: Context) -> list[Line] | None:
    """ "owner: Farid" and "bed one: leeks, chard": a slot with its value, or a part with its own parts."""
    tag, text = (
        context.reading.tag,
        " ".join(clause.text for clause in context.reading.clauses).strip(" .,;!"),
    )
    named = context.named(tag)
    if (
        named is not None
        and named.parents
        and context.cues & {Cue.BACK, Cue.FIRST}
        and len({(r.slot, r.value) for r in named.history}) > 1
    ):
        return [Line(Verb.BACK, BY_CODE, (named.id,))]
    known = [] if named is None else [named.slot, *(past.value or past.slot for past in named.history)]
    revises = {
        Cue.DELETE,
        Cue.RESTORE,
        Cue.BACK,
        Cue.DONE,
        Cue.ABSENT,
        Cue.SWAP,
        Cue.ONLY,
        Cue.SPLIT,
        Cue.MERGE,
        Cue.CHANGE,
        Cue.FIRST,
    }
    thing = _OLD_THING.fullmatch(folded(text))
    if thing and not any(within(content(thing[1]), content(past)) for past in known):
        revises -= {Cue.BACK, Cue.FIRST}  # "place: the old pier" names a pier
    if context.cues & revises:
        return None
    if len(text.split()) > 12 or _REASON.search(folded(text)) or VERBS.search(folded(text)):
        return None
    node = context.named(tag)
    pieces = [piece for piece in LISTED.split(text) if piece]
    listed = (
        len(pieces) > 1
        and all(len(piece.split()) <= 4 for piece in pieces)
        and kind_of(text) not in ("time", "date")
    )
    if node is not None:
        parts = [child for child in context.graph.children(node.id) if child.live and child.slot != NOTE]
        if parts or not node.parents or (listed and not node.value):
            return [Line(Verb.PART, BY_CODE, (node.id,), slot=piece) for piece in pieces]
        return [Line(Verb.CHANGE, BY_CODE, (node.id,), text=text)]
    root = context.root
    if listed:
        own = (
            root is None
            or _EVENT.search(folded(tag))
            or kind_of(tag) == "date"
            or re.match(r"(for|für|para)\b", folded(tag))
            or Cue.START in context.cues
        )
        first = (
            Line(Verb.NEW, BY_CODE, (-1,), text=tag)
            if own or root is None
            else Line(Verb.PART, BY_CODE, (root.id,), slot=tag, within=True)
        )
        return [first, *(Line(Verb.PART, BY_CODE, (-1,), slot=piece) for piece in pieces)]
    if root is None:
        return None
    return [Line(Verb.PART, BY_CODE, (root.id,), slot=tag.lower(), text=text)]


def _groups(context: Context) -> list[Line] | None:
    """ "Ana and Bo at two, the rest at four": who stands together, and what holds for them."""
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
            for m in _meant(here)
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
_JOINERS = frozenset(
    [
        "and",
        "und",
        "y",
        "the",
        "of",
        "rest",
        "others",
        "other",
        "joins",
        "join",
        "is",
        "are",
        "comes",
        "come",
        "then",
        "'s",
        "der",
        "die",
        "den",
        "el",
        "la",
        "los",
        "las",
    ]
)


def _note(context: Context) -> list[Line] | None:
    """What somebody cannot, as a note: the clause without the name."""
    meant = [m for m in _meant(context) if m.node.live and m.node.parents and kind_of(m.node.value or m.node.slot) == "text"]
    if len(meant) != 1:
        return None
    words = context.told.split()
    places = [
        p for p, word in enumerate(words) if any(alike(w, o) for w in content(word) for o in meant[0].words)
    ]
    rest = words[places[-1] + 1 :] if places and places[-1] + 2 < len(words) else words
    return [Line(Verb.NOTE, BY_CODE, (meant[0].node.id,), text=" ".join(rest).strip(" .,;!"))]


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


def _link(live: list[Mention]) -> list[Line] | None:
    whole = [m for m in live if not m.node.parents]
    parts = [m for m in live if m.node.parents and m.node.status is not Status.INACTIVE]
    if len(whole) != 1 or not parts or any(whole[0].node.id in m.node.parents for m in parts):
        return None
    return [Line(Verb.LINK, BY_CODE, (*(m.node.id for m in parts), whole[0].node.id))]


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
        if word not in _FILLERS and not any(alike(word, other) for other in named)
    ]
