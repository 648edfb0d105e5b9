"""Turns that code understands alone: one kind of change, and nothing said but the nodes that it is about.

"Remove the lamp and the rope" leaves nothing to decide once the nodes are found. The model reads the rest.
"""

from __future__ import annotations

import re
from dataclasses import replace

from localmem.tasks.adding import added, amount, by_tag, moved
from localmem.tasks.context import GROUP, SURE, Context
from localmem.tasks.cues import Cue, folded
from localmem.tasks.cues import cues as cues_of
from localmem.tasks.grouping import groups, note, only_merges
from localmem.tasks.meant import REASON, nodes_meant, open_words
from localmem.tasks.mentions import Mention, alike, content, mentions
from localmem.tasks.moods import forbids_removal
from localmem.tasks.purpose import Purpose, sure
from localmem.tasks.trim import BY_CODE, Line, Verb
from localmem.tasks.values import Status

_OTHERS = (Cue.ABSENT, Cue.SPLIT, Cue.MERGE)


def direct(context: Context) -> list[Line] | None:
    """The lines of a clause that leaves nothing open; None: the model has to read it."""
    lines = _whole(context)
    if lines is None and len(context.reading.clauses) == 1 and not context.reading.tag:
        clause = context.reading.clauses[0]
        head, comma, tail = clause.text.partition(",")
        if (
            comma
            and len(head.split()) > 1
            and len(tail.split()) > 1
            and REASON.search(folded(tail))
            and not _MORE.match(folded(tail))
        ):
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


_MORE = re.compile(
    r"^(and|plus|but|also|instead|then|so|und|dafür|noch|aber|auch|stattdessen|y|pero|además|en su lugar)\b"
)


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


_SAYS_ALL = (Purpose.DELETE, Purpose.RESTORE, Purpose.DONE)
"""What leaves nothing open once its nodes are found, whatever else the clause says."""


def _whole(context: Context) -> list[Line] | None:
    cues = context.cues
    if sure(context.reading.clauses, Purpose.STAY):
        gone = tuple(m.node.id for m in nodes_meant(context) if not m.node.live)
        return [Line(Verb.RESTORE, BY_CODE, gone)] if gone else []
    if Cue.ABSENT in cues and not cues & {Cue.SWAP, Cue.DELETE} and not context.reading.tag:
        return note(context)
    if context.reading.tag:
        return by_tag(context)
    if (all_but := _excepted(context)) is not None:
        return all_but
    if Cue.SPLIT in cues and Cue.MERGE not in cues:
        return groups(context)
    if Cue.MERGE in cues and any(node.live and node.slot == GROUP for node in context.graph):
        return [] if only_merges(context) else None  # the plan brings groups together without a line
    if any(cue in cues for cue in _OTHERS):
        return None
    back = _back(context)
    if back is not None:
        return back
    items = amount(context) or moved(context) or added(context)
    if items is not None:
        return items
    if not context.mentions:
        return None
    if Cue.SWAP in cues and not cues & {Cue.DELETE, Cue.RESTORE, Cue.ONLY}:
        return None
    says_all = sure(context.reading.clauses, *_SAYS_ALL) and "," not in context.told
    if open_words(context) and not says_all:
        return None
    removed = [m for m in nodes_meant(context) if not m.node.live]
    live = [m for m in nodes_meant(context) if m.node.live]
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
    if Cue.DELETE in cues and live and not removed and forbids_removal(context.told):
        return []  # it stays
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


_EVERYTHING = re.compile(
    r"\b(all|every\w*|no one|nobody|none|nothing|whole|alle\w*|alles|niemand|keine\w*|nichts|tod[oa]s?|nadie|nada|ningun[oa]?)\b"
)


def _excepted(context: Context) -> list[Line] | None:
    """What is excepted stays, whatever the verb: "all the plants but the fern can go"."""
    told = folded(context.told)
    match = _EXCEPT.search(told)
    if match is None or not _EVERYTHING.search(told) or context.cues & {Cue.DONE, Cue.SPLIT}:
        return None
    named = {m.node.id for m in mentions(context.graph, match[2].split(",")[0], deleted=True)}
    kept = [m.node.id for m in nodes_meant(context) if m.node.id in named and m.node.parents]
    return [Line(Verb.KEEP, BY_CODE, tuple(kept))] if kept else None


def _back(context: Context) -> list[Line] | None:
    """One node that goes back to what it was, whatever else is said about why."""
    cues = context.cues
    if Cue.BACK not in cues or cues & {Cue.DELETE, Cue.DONE, Cue.ALSO, Cue.SPLIT, Cue.MERGE}:
        return None
    meant = [
        m
        for m in nodes_meant(context)
        if m.node.live and m.node.parents and (m.slot >= SURE or m.value >= SURE)
    ]
    changed = [m for m in meant if len({(r.slot, r.value) for r in m.node.history}) > 1]
    # What follows "and" or "plus" may be something new.
    more = re.search(
        r"(?:\band\b|\bplus\b|\bund\b|\by\b|,)\s+(?!i\b|we\b|he\b|she\b|it\b|they\b|don't\b|sie\b|er\b|es\b|ich\b|wir\b)(.*)",
        folded(context.told),
    )
    if (
        more
        and not REASON.search(more[1])
        and [
            w for w in content(more[1]) if not any(alike(w, o) for m in meant for o in content(m.node.label))
        ]
    ):
        return None
    if len(meant) != 1 or len(changed) != 1 or any(not m.node.live and m.own for m in context.mentions):
        return None
    return [Line(Verb.BACK, BY_CODE, (changed[0].node.id,))]


def _negated(context: Context) -> bool:
    return re.search(r"\b(don't|do not|not|never|nicht|no)\b", folded(context.told)) is not None


def _link(live: list[Mention]) -> list[Line] | None:
    whole = [m for m in live if not m.node.parents]
    parts = [m for m in live if m.node.parents and m.node.status is not Status.INACTIVE]
    if len(whole) != 1 or not parts or any(whole[0].node.id in m.node.parents for m in parts):
        return None
    return [Line(Verb.LINK, BY_CODE, (*(m.node.id for m in parts), whole[0].node.id))]
