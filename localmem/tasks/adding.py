"""Quantities, lists and tagged values that code understands alone."""

from __future__ import annotations

import re

from localmem.tasks.context import NOTE, Context, kind_of
from localmem.tasks.cues import REVISES, Cue, folded
from localmem.tasks.items import LISTED, UNITS, quantity
from localmem.tasks.meant import FILLERS, REASON, nodes_meant, open_words
from localmem.tasks.mentions import alike, content, within
from localmem.tasks.sentences import TOPIC
from localmem.tasks.trim import BY_CODE, Line, Verb

_NUMBER = re.compile(rf"(?<![\w.,:])\d+(?:[.,]\d+)?(?:\s?{UNITS}\b)?(?![\w:])", re.IGNORECASE)


def amount(context: Context) -> list[Line] | None:
    """One node, and another quantity for it: "flour 3 kg instead"."""
    if context.cues & {Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.ONLY, Cue.ALSO, Cue.ADD, Cue.SPLIT}:
        return None
    meant = [m for m in nodes_meant(context) if m.node.live and m.node.parents and m.slot]
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


_CLOCK = re.compile(
    r"(?<![\w.:])(?:\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\.?|uhr|h)(?!\w)|\d{1,2}[:.]\d\d(?!\d))", re.IGNORECASE
)
_MOVES = frozenset(
    "start starts begin begins meet move push shift beginnen anfangen treffen empezar empezamos quedamos".split()
)


def moved(context: Context) -> list[Line] | None:
    """One time, said to change something, and one node under the task that holds one: "move it to 4 PM"."""
    if Cue.CHANGE not in context.cues or context.root is None:
        return None
    if context.cues & {Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.SPLIT, Cue.MERGE, Cue.ALSO, Cue.SWAP}:
        return None
    times = _CLOCK.findall(context.told)
    below = [context.graph[id] for id in sorted(context.below([context.root.id]))]
    holding = [node for node in below if node.parents and node.slot != NOTE and kind_of(node.value) == "time"]
    if len(times) != 1 or len(holding) != 1:
        return None
    said = folded(times[0])
    others = [word for word in open_words(context) if word not in said and word not in _MOVES]
    if others or any(
        mention.own and mention.node.id not in (holding[0].id, context.root.id)
        for mention in context.mentions
    ):
        return None
    return [Line(Verb.CHANGE, BY_CODE, (holding[0].id,), text=times[0])]


_ADDS = re.compile(
    r"^(?:(?:and|also|please|oh|ok(?:ay)?|then|und|auch|bitte|noch|y|también|por favor),?\s+)*(?:(?:can|could) you\s+|let's\s+|(?:we|i|you)(?:'ll| will| also| still)*\s+)?(?:please\s+)?"
    r"(?:add|buy|get|need|include|pack|bring|put|append|füge?|kauf\w*|brauch\w*(?: wir| ich)?|pack\w*|nimm|añad\w*|agrega|pon|compra|necesit\w+|mete|incluye)\s+(?:in\s+|also\s+|noch\s+|auch\s+|también\s+)*(?P<items>.+?)"
    r"(?:\s+(?:to|on|in|into|onto|for|auf|zu|zur|in|a|en|para)\s+(?P<where>(?:the|my|our|it|die|der|das|den|dem|mein\w*|unser\w*|la|el|mi|nuestra)\b[^,]*)|\s+(?:too|as well|hinzu|dazu|ein|also|también|auch|please))*[.!]?$",
    re.IGNORECASE,
)


def added(context: Context) -> list[Line] | None:
    """Nothing but items, for the task that is spoken of: "add a lamp, two ropes and a bell"."""
    if context.cues & {
        Cue.DELETE,
        Cue.RESTORE,
        Cue.BACK,
        Cue.DONE,
        Cue.ONLY,
        Cue.ALSO,
        Cue.SPLIT,
        Cue.SWAP,
        Cue.ABSENT,
        Cue.CHANGE,
        Cue.ALL,
    }:
        return None
    topic = TOPIC.match(context.told)  # the root is the task that it names
    told = context.told[topic.end() :] if topic is not None else context.told
    match = _ADDS.match(folded(told))
    tasks = [word for root in context.graph.roots() if root.live for word in content(root.slot)]
    where = content(match["where"] or "") if match is not None else []
    standing = bool(where) and all(any(alike(word, one) for one in tasks) for word in where)
    if Cue.START in context.cues and not standing:
        return None
    pieces = [piece for piece in LISTED.split(context.told.strip(" .!")) if piece]
    named = any(not mention.by_number for mention in context.mentions)
    if context.root is not None and not named and pieces and all(map(quantity, pieces)):
        return [Line(Verb.PART, BY_CODE, (context.root.id,), slot=piece) for piece in pieces]
    if match is None or context.root is None:
        return None
    if not all(word in FILLERS or any(alike(word, one) for one in tasks) for word in where):
        return None  # where it goes, not which list it is for
    if re.search(r"\b(?:on|for|at|with|of them)\b", match["items"]) or REASON.search(match["items"]):
        return None
    text = (
        told[match.start("items") : match.end("items")] if len(folded(told)) == len(told) else match["items"]
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


_NOT_THAT = re.compile(r"^(?:not|nicht|no)\s.+?,?\s(?:but|sondern|sino)\s+", re.IGNORECASE)


def by_tag(context: Context) -> list[Line] | None:
    """A slot with its value, or a part with its own parts: "owner: Farid", "bed one: leeks, chard"."""
    tag, text = (
        context.reading.tag,
        " ".join(clause.text for clause in context.reading.clauses).strip(" .,;!"),
    )
    text = _NOT_THAT.sub("", text)
    named = context.named(tag)
    if (
        named is not None
        and named.parents
        and context.cues & {Cue.BACK, Cue.FIRST}
        and len({(r.slot, r.value) for r in named.history}) > 1
    ):
        return [Line(Verb.BACK, BY_CODE, (named.id,))]
    known = [] if named is None else [named.slot, *(past.value or past.slot for past in named.history)]
    revises = REVISES | {Cue.CHANGE, Cue.FIRST}
    thing = _OLD_THING.fullmatch(folded(text))
    if thing and not any(within(content(thing[1]), content(past)) for past in known):
        revises -= {Cue.BACK, Cue.FIRST}  # "place: the old pier" names a pier
    if context.cues & revises:
        return None
    if len(text.split()) > 12 or REASON.search(folded(text)) or VERBS.search(folded(text)):
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
            # "hairdresser: Friday, 3 pm, Aisha"
            or any(kind_of(piece) in ("time", "date") for piece in pieces)
            or re.match(r"(for|für|para|on the|in the|at the|auf|im|en)\b", folded(tag))
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
