"""What the words of a turn allow: the narrower the frame, the less a small model can get wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from localmem.tasks.context import GROUP, NOTE, SURE, Context, Part, kind_of, whens
from localmem.tasks.cues import REVISES, Cue, folded
from localmem.tasks.guards import bears, says_delete
from localmem.tasks.meant import open_words
from localmem.tasks.mentions import content
from localmem.tasks.purpose import Purpose
from localmem.tasks.reading import FRAGMENT
from localmem.tasks.subgraph import subgraph
from localmem.tasks.trim import WHOLE, Frame, Verb, names
from localmem.tasks.values import Status

STATE_TOKENS = 110
"""Of the part of the graph that the model reads, roughly."""
MOST_PARENTS = 6

_BY_CUE = {
    Verb.DELETE: (Cue.DELETE, Cue.SWAP),
    Verb.KEEP: (Cue.ONLY,),
    Verb.RESTORE: (Cue.RESTORE, Cue.BACK),
    Verb.BACK: (Cue.BACK, Cue.FIRST),
    Verb.LINK: (Cue.ALSO, Cue.ALL),
    Verb.DONE: (Cue.DONE,),
    Verb.NOTE: (Cue.ABSENT,),
    Verb.GROUP: (Cue.SPLIT,),
}
"""Words that allow a kind of line; the kinds that are not here are always allowed."""
_LIST = re.compile(r",|;|\band\b|\bund\b|\by\b|&|\+")


def frame(context: Context) -> Frame:
    """What the model may write about a turn that tells something."""
    graph, cues = context.graph, context.cues
    wanted = [m.node.id for m in context.mentions if m.node.live and (m.own or m.score >= SURE)]
    removed = [
        m.node.id
        for m in context.mentions
        if not m.node.live and m.own and (Cue.RESTORE in cues or Cue.BACK in cues or m.score >= SURE)
    ]
    if cues & {Cue.RESTORE, Cue.BACK} and not removed and not wanted:
        gone = [node for node in graph if not node.live and node.slot != NOTE]
        last = max((node.deleted.turn for node in gone), default=0)
        removed = [node.id for node in gone if node.deleted.turn == last]
    if context.tagged:
        wanted.insert(0, context.tagged.id)
    near = [id for id in context.focus if id in graph]
    root = context.root
    shown = subgraph(
        graph, [*wanted, *removed], budget=STATE_TOKENS, near=[*near, *([root.id] if root else [])]
    )
    named = names(graph, shown)
    told = context.told
    if Part.TRIM in context.ablate:
        every = {verb: _nodes(verb, context, shown) for verb in Verb}
        return Frame(
            told,
            tuple(shown),
            named,
            {v: ids for v, ids in every.items() if ids or v in (Verb.NEW, Verb.NONE)},
        )
    slot, target = _by_tag(context)
    if target is not None:
        return Frame(told, tuple(shown), named, {Verb.CHANGE: (target,)}, forced=True)
    if slot and root:
        return Frame(
            told,
            tuple(shown),
            named,
            {Verb.PART: (root.id,)},
            slot=slot,
            language=context.reading.language,
            forced=True,
        )
    verbs = {verb: _nodes(verb, context, shown) for verb in _verbs(context, shown)}
    asked = {verb: ids for verb, ids in verbs.items() if verb in _purposes_verbs(context)}
    if any(ids or verb is Verb.NEW for verb, ids in asked.items()):
        verbs = asked
    if Part.GRAPH in context.ablate:
        for verb in (Verb.BACK, Verb.RESTORE, Verb.LINK, Verb.GROUP):
            verbs.pop(verb, None)
    bare = (Verb.NEW, Verb.NONE)
    offered = {v: ids for v, ids in verbs.items() if ids or v in bare}
    slots = _shared_slots(context, offered.get(Verb.PART, ()))
    return Frame(told, tuple(shown), named, offered, language=context.reading.language, slots=slots)


def _shared_slots(context: Context, parents: Iterable[int]) -> tuple[str, ...]:
    """Slots that more than one live part of the nodes has."""
    parts = [child for id in parents for child in context.graph.children(id) if child.live and child.value]
    counts = Counter(child.slot for child in parts if child.slot not in (NOTE, GROUP))
    return tuple(
        slot for slot, count in counts.items() if count > 1 and "\n" not in slot and " = " not in slot
    )


def _by_tag(context: Context) -> tuple[str, int | None]:
    """Of a turn like "date: I'd rather go on Friday": the new slot, or the node that gets another value."""
    tag = context.reading.tag or _stated(context)
    node = context.named(tag) if tag else None
    if not tag or context.root is None:
        return "", None
    revises = context.cues & REVISES
    if revises and (
        node is None or not revises <= {Cue.DELETE, Cue.ABSENT, Cue.SWAP, Cue.ONLY} or not open_words(context)
    ):
        return "", None
    if node is None:
        return ("", None) if _LIST.search(context.told.partition(":")[2]) else (tag.lower(), None)
    if (
        any(child.live and child.slot != NOTE for child in context.graph.children(node.id))
        or not node.parents
    ):
        return "", None
    return "", node.id


_STATED = re.compile(
    r"^(?:[^,]{0,30}\b(?:wrong|correct\w*|mistaken?|mixed up|typo|falsch|vertan|mal|equivoc\w*)\b[^,]{0,20},\s+)?(?:(?:sorry|actually|and|also|oh|no|wait|to correct|correction|und|y|perdón|entschuldigung|nein),?\s+)*(?:(?:my|our|the|mein\w*|unser\w*|mi|mis|nuestr\w*|el|la|der|die|das)\s+)?(?!it\b|that\b|this\b|there\b|he\b|she\b|they\b|we\b|i\b|you\b|what\b|who\b|das\b|es\b|eso\b)(?P<slot>[^\W\d_]+(?:'s)?(?:[ -][^\W\d_]+(?:'s)?){0,3}?)\s+(?:is|are|will be|should be|ist|sind|lautet|es|son)\s+(?!at\b|in\b|on\b)\S"
)


def _stated(context: Context) -> str:
    """The slot of a plain statement: "phone" in "my phone is 555 12 34"."""
    match = _STATED.match(folded(context.told))
    if match is None or len(context.reading.clauses) != 1 or context.cues & {Cue.ABSENT, Cue.ALSO}:
        return ""
    if Cue.DONE in context.cues and not re.search(r"\b(wrong|mistaken?)\b", folded(context.told)):
        return ""
    named = context.named(match["slot"])
    rest = context.told[len(match.group()) - 1 :]
    owned = re.match(
        r"(?:[\w ]+,? )*(my|our|mein\w*|unser\w*|mi|mis|nuestr\w*)\s",
        folded(context.told[: len(match.group())]),
    )
    joined = re.search(r",|\b(and|und|y|but|aber)\b", rest)
    if (joined and not owned) or len(rest.split()) > (10 if owned else 6):
        return ""
    if named is None and not owned and kind_of(rest) == "text" and not any(c.isupper() for c in rest):
        return ""
    return "" if named is not None and not named.parents else match["slot"]


def _nodes(verb: Verb, context: Context, shown: list[int]) -> tuple[int, ...]:
    """Those of the nodes shown that the words let a line of this kind name."""
    graph = context.graph
    if verb in (Verb.NEW, Verb.NONE):
        return ()
    if verb is Verb.PART:
        return _parents(context, shown)
    if verb in (Verb.DELETE_ALL, Verb.DONE_ALL):
        return tuple(id for id in shown if any(child.live for child in graph.children(id)))
    nodes = [graph[id] for id in shown if graph[id].slot != NOTE]
    if verb is Verb.RESTORE:
        nodes = [node for node in nodes if node.status is not Status.ACTIVE]
    elif verb is Verb.BACK:
        nodes = [node for node in nodes if len(node.versions) > 1 or len(node.history) > 1]
    elif verb is not Verb.KEEP:
        nodes = [node for node in nodes if node.live]
    if verb is Verb.GROUP:
        nodes = [node for node in nodes if node.parents and kind_of(node.value) not in ("time", "date")]
        return tuple(node.id for node in nodes)
    return tuple(node.id for node in nodes if bears(verb, node, context))


_BY_PURPOSE = {
    Purpose.START: frozenset({Verb.NEW}),
    Purpose.ADD: frozenset({Verb.PART, Verb.CHANGE, Verb.LINK}),
    Purpose.CHANGE: frozenset({Verb.CHANGE, Verb.PART}),
    Purpose.DELETE: frozenset({Verb.DELETE, Verb.DELETE_ALL}),
    Purpose.ONLY: frozenset({Verb.KEEP}),
    Purpose.RESTORE: frozenset({Verb.RESTORE, Verb.BACK}),
    Purpose.BACK: frozenset({Verb.BACK, Verb.RESTORE, Verb.CHANGE}),
    Purpose.LINK: frozenset({Verb.LINK}),
    Purpose.DONE: frozenset({Verb.DONE, Verb.DONE_ALL}),
    Purpose.ABSENT: frozenset({Verb.NOTE}),
    Purpose.SPLIT: frozenset({Verb.GROUP}),
}
"""Kinds of lines that a clause of this purpose can ask for."""


def _purposes_verbs(context: Context) -> frozenset[Verb]:
    """What the clauses can ask for, where each of them is surely there for something; else empty."""
    found = [
        _BY_PURPOSE.get(clause.purpose, frozenset()) for clause in context.reading.clauses if clause.purpose
    ]
    known = len(found) == len(context.reading.clauses) and all(found)
    return frozenset().union(*found) if known else frozenset()


def _verbs(context: Context, shown: list[int]) -> frozenset[Verb]:
    graph, cues = context.graph, context.cues
    if not any(node.live for node in graph):
        back = {Verb.RESTORE} if len(graph) and cues & {Cue.RESTORE, Cue.BACK} else set()
        return frozenset({Verb.NEW, Verb.NONE} | back)
    hinted = {verb for verb, given in _BY_CUE.items() if any(cue in cues for cue in given)}
    verbs = {Verb.PART, Verb.CHANGE, *hinted}
    if Cue.START in cues and any(FRAGMENT.match(folded(c.text)) for c in context.reading.clauses):
        return frozenset({Verb.NEW})
    if not cues & REVISES and _begins_alike(context):
        return frozenset({Verb.NEW})
    if context.reading.tag and context.tagged is None and whens(context.told):
        verbs.add(Verb.NEW)  # "plumber: Thursday at 5, ask for Ines"
    if Cue.START in cues:
        verbs.add(Verb.NEW)
        if (
            not hinted - {Verb.LINK}
            and not _touches_standing(context)
            and _BEGINS.search(folded(context.told))
        ):
            return frozenset({Verb.NEW})
    if Cue.SPLIT in cues and Cue.MERGE not in cues and any(len(graph.children(id)) > 1 for id in shown):
        return frozenset({Verb.GROUP})
    if Cue.SWAP in cues and any(mention.node.live and mention.own for mention in context.mentions):
        others = hinted - ({Verb.DELETE} if not says_delete(context) else set()) - {Verb.KEEP}
        return frozenset({Verb.CHANGE, Verb.PART, *others})
    if cues & {Cue.ALL, Cue.REST}:
        verbs |= {whole for verb, whole in WHOLE.items() if verb in hinted}
    touched = any(mention.own and mention.node.live for mention in context.mentions)
    if not cues & {
        Cue.CHANGE,
        Cue.SWAP,
        Cue.BACK,
        Cue.MERGE,
        Cue.ABSENT,
        Cue.ONLY,
        Cue.ALL,
    } and not _touches_part(context):
        verbs.discard(Verb.CHANGE)
    if Cue.ADD in cues and Cue.CHANGE not in cues and not _touches_part(context):
        verbs.discard(Verb.CHANGE)
    former = [
        m
        for m in context.mentions
        if m.own and m.node.live and len({(r.slot, r.value) for r in m.node.history}) > 1
    ]
    if (
        cues & {Cue.FIRST}
        and Verb.BACK in verbs
        and len(former) == 1 == len([m for m in context.mentions if m.own and m.node.live and m.node.parents])
        and context.kinds == {"text"}
        and not _LIST.search(context.told)
    ):
        verbs.discard(Verb.CHANGE)
    if Cue.MERGE in cues and any(graph[id].slot == GROUP for id in shown):
        return frozenset({Verb.CHANGE, Verb.PART})
    parts = [m for m in context.mentions if m.own and m.node.live and m.node.parents]
    wholes = [m for m in context.mentions if m.own and m.node.live and not m.node.parents]
    if (
        Cue.ALSO in cues
        and parts
        and wholes
        and not any(w.node.id in p.node.parents for w in wholes for p in parts)
    ):
        return frozenset({Verb.LINK})
    if touched and not hinted - {Verb.LINK} and not cues & {Cue.ADD, Cue.CHANGE}:
        verbs |= {Verb.DELETE, Verb.DONE}  # a wording that no table has
    if not touched and hinted <= {Verb.DONE, Verb.RESTORE, Verb.LINK, Verb.BACK, Verb.KEEP}:
        verbs.add(Verb.NONE)
    return frozenset(verbs)


_BEGINS = re.compile(
    r"^(\w+,? ){0,3}(to \w+( \w+){0,4},|plan|schedule|organi[sz]e|create|start|set up|prepare|for (the|my|our|a|an) |help me|um .* zu|plane|organisier|erstell|para (el|la|hacer)|planea|organiza|crea|prepara)|:"
)


def _begins_alike(context: Context) -> bool:
    """Whether a turn begins as the one that began a task, about something else: "for the roof ...", "for the door ..."."""
    words = [word.strip(",.:;") for word in folded(context.told).split()][:5]
    if len(words) < 4 or _touches_standing(context):
        return False
    for root in context.graph.roots():
        if not root.live or root.history[0].turn == 0:
            continue
        first = [word.strip(",.:;") for word in folded(root.history[0].why).split()][:5]
        if len(first) < 4 or words[0] != first[0]:
            continue
        same = [one == other for one, other in zip(words, first, strict=False)]
        others = [word for word, equal in zip(words, same, strict=False) if not equal]
        if sum(same) >= 2 and others and content(others[0]) and words[0] not in _SPEAKERS:
            return True
    return False


_SPEAKERS = frozenset("i we my our you it this that ich wir mein meine unser es das mi mis yo".split())


def _touches_standing(context: Context) -> bool:
    """Whether the words name something that stands already."""
    return any(mention.node.live and mention.own and mention.score >= SURE for mention in context.mentions)


def _touches_part(context: Context) -> bool:
    """Whether the words name a part of a task."""
    return any(m.node.live and m.own and m.node.parents for m in context.mentions)


def _parents(context: Context, shown: list[int]) -> tuple[int, ...]:
    """Nodes that may get parts: those named, the task that is spoken of, the other tasks."""
    graph = context.graph
    named = [
        m.node.id
        for m in context.mentions
        if m.node.live and m.slot >= SURE and (not m.node.value or graph.children(m.node.id))
    ]
    root = [context.root.id] if context.root else []
    others = [r.id for r in reversed(graph.roots()) if r.live]
    found = [id for id in dict.fromkeys([*named, *root, *others]) if id in shown]
    return tuple(found[:MOST_PARENTS])
