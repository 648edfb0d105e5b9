"""A turn that takes the last change back: how it is known, and what the reply says of it."""

from __future__ import annotations

import dataclasses
import re

from localmem.tasks.cues import folded
from localmem.tasks.events import with_words
from localmem.tasks.graph import TaskGraph
from localmem.tasks.naming import Namer
from localmem.tasks.phrases import phrases
from localmem.tasks.telling import Told, told
from localmem.tasks.values import Change, Node, Op, Status

_LEADS = {
    "en": r"no|nope|oh|oops|ah|hm+|wait|stop|sorry|ok|okay|well|actually|please|pls|just|my mistake|can you|could you|would you|"
    r"will you|i want to|i'd like to|let's",
    "de": r"nein|nee|oh|ups|halt|stopp?|moment|sorry|entschuldigung|ok|okay|doch|bitte|mal|kannst du|könntest du|können sie|"
    r"könnten sie|ich möchte|ich will|lass uns",
    "es": r"no(?=\W*[,.;:!…])|ay|uy|oh|espera|perdón|perdona|ok|vale|bueno|por favor|puedes|podrías|puede|podría|quiero|quisiera|"
    r"hay que|vamos a",
}
"""What may stand in front. A Spanish "no" without a comma forbids."""
_TRAILS = {
    "en": r"again|please|pls|for me|will you|would you|then|now|thanks|thank you|ok|okay",
    "de": r"bitte|danke|wieder",
    "es": r"por favor|gracias|otra vez|ya",
}
_WHAT = {
    "en": r"(that|this|it|((the|my|that|this) )?(very )?(last|latest|previous) (change|turn|step|edit|update|message|one|thing)|"
    r"(the|my|that|this) (change|edit|update)|"
    r"what (i|you) just (did|said))",
    "de": r"(das|dies|es|das letzte|((die|meine) )?letzte (änderung|nachricht)|(die|meine) änderung|den letzten schritt)",
    "es": r"(eso|esto|(ese|este) cambio|lo último|((el|mi) )?[úu]ltimo (cambio|mensaje|paso)|(el|mi) cambio|la [úu]ltima cosa)",
}
_ORDERS = {
    "en": rf"undo( {_WHAT['en']})?|(revert|take back|roll back) {_WHAT['en']}|(take|roll) {_WHAT['en']} back",
    "de": rf"(mache?|machen sie)?( {_WHAT['de']})?( bitte| mal| doch)*( wieder)? ?(rückgängig|rueckgaengig)( machen)?|"
    rf"(nimm|nehmen sie) {_WHAT['de']}( bitte| doch)*( wieder)? zurück|{_WHAT['de']}( bitte)?( wieder)? zurücknehmen",
    "es": rf"(deshaz|deshacer|deshaga|revierte|revertir)( {_WHAT['es']})?|(deshaz|deshacer|deshága|reviérte|revertir)lo|"
    rf"anular? {_WHAT['es']}",
}
_BARE = "undo"
"""Typed in every language."""


def asks_undo(text: str, language: str) -> str | None:
    """The language of a turn that says only that the last change is to be taken back; None: it says more, or else.

    Args:
        text: the turn.
        language: of the turns before.
    """
    for code, order in _ORDERS.items():
        plain = folded(text)
        while (led := re.match(rf"\W*({_LEADS[code]})\b", plain)) is not None:
            plain = plain[led.end() :]
        plain = " ".join(re.sub(r"[^\w\s']", " ", plain).split())
        plain = re.sub(rf"( ({_TRAILS[code]}))+$", "", plain)
        if re.fullmatch(order, plain.strip()) or re.fullmatch(order, f" {plain}"):
            return language if plain == _BARE else code
    return None


def undone(before: TaskGraph, after: TaskGraph) -> tuple[TaskGraph, tuple[Change, ...]]:
    """What an undo did, as if operations had: the graph with what is no more as deleted, and the changes.

    Args:
        before: with the turn that is undone.
        after: without it.
    """
    graph = after.copy()
    gone = [node for node in before if node.id not in after]
    while gone:  # a part may be older than what it was put in
        ready = [node for node in gone if all(id in graph for id in node.parents)]
        for node in ready:
            graph.put(_deleted(node, after.turn))
        gone = [node for node in gone if node not in ready]
    former = {node.id: node for node in before}
    changes = []
    for node in graph:
        old = former.get(node.id)
        if old is None or _state(old) != _state(node):
            changes.append(Change(_op(old, node), old, node))
    return graph, tuple(changes)


def _state(node: Node) -> tuple[object, ...]:
    return node.slot, node.value, node.status, node.parents, node.dependencies


def _deleted(node: Node, turn: int) -> Node:
    last = dataclasses.replace(node.history[-1], turn=turn, op=Op.DELETE, status=Status.INACTIVE)
    return dataclasses.replace(node, status=Status.INACTIVE, dependencies=(), history=(*node.history, last))


def _op(old: Node | None, new: Node) -> Op:
    if old is None or (new.live and not old.live):
        return Op.RESTORE
    if old.live and not new.live:
        return Op.DELETE
    if (old.slot, old.value) != (new.slot, new.value):
        return Op.ROLL_BACK
    if old.status is not new.status:
        return Op.DONE if new.status is Status.DONE else Op.RESTORE
    return Op.LINK


def told_undone(
    before: TaskGraph, graph: TaskGraph, changes: tuple[Change, ...], turn: int, said: str, language: str
) -> Told:
    """The sentences of the reply.

    Args:
        before: with the turn that is undone.
        graph: what `undone` gave.
        changes: what it gave with it.
        turn: number of the undone turn.
        said: what the user said in it.
        language: of the reply.
    """
    words = phrases(language)
    out = Told()
    line = words.say("undone", turn=turn)
    out.add(with_words(line, said, words) if said else line)
    rest = told(Namer(graph, words), before, changes, frozenset())
    out.lines += rest.lines
    out.about += [id for id in rest.about if id not in out.about]
    return out


def nothing_to_undo(language: str) -> str:
    """That no turn has changed anything yet, in the user's language."""
    return phrases(language).say("none_undone")
