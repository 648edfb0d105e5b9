"""Answers to questions about the tasks, in plain sentences, from the graph and its histories."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localmem.tasks import events, parting, premise, recalling
from localmem.tasks.context import GROUP
from localmem.tasks.mentions import content, within
from localmem.tasks.naming import Namer, join
from localmem.tasks.question import Question
from localmem.tasks.signs import Sign, Want
from localmem.tasks.tables import words
from localmem.tasks.telling import Told
from localmem.tasks.topics import Topics, comes, is_kind
from localmem.tasks.values import Node, Status, fold

_SMALL = 12
"""A task with no more parts than that is told whole where the words of a question fit nothing in it."""


def answer(namer: Namer, question: Question, focus: tuple[int, ...], *, supposes: bool) -> tuple[Told, bool]:
    """What a question asks for, and whether the tasks hold it.

    Args:
        namer: of the graph after the turn.
        question: what is asked.
        focus: nodes spoken of last, those of this very turn in front.
        supposes: it is only a doubt or a hypothesis.
    """
    topics = Topics(namer.graph, question, focus)
    out = Told()
    if not topics.roots and not topics.hits:
        if len(namer.graph) and question.vague(topics.unknown):
            out.add(namer.phrases.say("empty"))
        return out, bool(out.lines)
    if supposes:
        return _supposed(namer, topics, out), True
    if question.asks(_OTHERS_SAID):
        return out, False
    if question.has(Sign.PARTS) and parting.parts(namer, topics, out):
        return out, True
    if question.why:
        return out, events.why(namer, topics, out)
    if question.claims:
        return out, premise.claim(namer, topics, out)
    if not question.open and not _status(question) and not _orders(question):
        return out, premise.whether(namer, topics, out)
    if question.past and recalling.past(namer, topics, out):
        return out, True
    return out, _present(namer, topics, out)


_OTHERS_SAID = (
    r"\bwhat (did|has|have) (?!(i|we|you|it)\b)\w+( \w+){0,2} (say|said|tell|told|mention\w*|think|thought|write|written|reply|replied|answer\w*)\b|"
    r"\bwas (hat|haben) (?!(ich|wir|du)\b)\w+( \w+){0,4} (gesagt|erzählt|gemeint|erwähnt|geschrieben|geantwortet)\b|"
    r"\bqué (dijo|dijeron|ha dicho|han dicho|contó|contaron|opinó|escribió|respondió)\b"
)
"""What somebody said was said in a conversation; tasks hold only what the user plans."""


def _status(question: Question) -> bool:
    """Whether a question without a question word asks for a list: "anything left?"."""
    return question.asks(
        r"\b(anything|something|is that (all|everything)|irgendwas|etwas|noch was|algo)\b"
    ) and (question.has(Sign.UNFINISHED) or question.has(Sign.FINISHED) or question.has(Sign.LISTS))


def _orders(question: Question) -> bool:
    """Whether it tells to show something: "read me the list"."""
    return question.asks(
        r"^(so |and |ok(ay)?,? |now |please |pls |then |quick |können sie |kannst du |could you |can you |would you |y |por favor,? |puedes |podrías |und |bitte |jetzt )*"
        r"(please |bitte |mal |mir |help( me)?( to)? )*(show|list|tell|repeat|recap|read|sum|summari[sz]e|give|remind|display|print|describe|explain|generate|name|overview|status|"
        r"zeig\w*|nenn\w*|sag\w*|lies|liste|wiederhol\w*|fass\w*|gib|muestra|muéstra\w*|lista|dime|repite\w*|repíte\w*|resum\w*|resúm\w*|dame|lee\w*|léeme|recuérda\w*|overview|übersicht|resumen)\b"
    ) or (question.has(Sign.LISTS) and not question.asks(r"\?") and not question.past)


def _supposed(namer: Namer, topics: Topics, out: Told) -> Told:
    """Nothing is changed, and what stands."""
    out.add(namer.phrases.say("unchanged"))
    named = [node for node in topics.items if node.live]
    if not named and not topics.unknown and topics.whole is not None:
        named = topics.of_kind(topics.below([topics.whole]))
    for node in named[:2]:
        _tell(namer, topics, [node], out)
    return out


def _present(namer: Namer, topics: Topics, out: Told) -> bool:
    question = topics.question
    items = [node for node in topics.items if node.live and node.slot != GROUP]
    asks_value = question.wants & {Want.DATE, Want.TIME, Want.PERSON, Want.PLACE}
    status = (question.has(Sign.UNFINISHED) or question.has(Sign.FINISHED)) and not asks_value
    if status and not (items and not question.has(Sign.LISTS) and not topics.wholes):
        if question.has(Sign.UNFINISHED) and not items:
            return _open(namer, topics, out)
        if (
            question.has(Sign.FINISHED)
            and not items
            and (not question.open or question.has(Sign.SURELY_FINISHED))
        ):
            return _open(namer, topics, out)
    if question.has(Sign.UNFINISHED) and _all_of_one_slot(items) and len(items) > 1:
        return _open(namer, topics, out, items)
    if question.has(Sign.WHOLE) and topics.whole is not None and not items:
        return _overviews(namer, topics, out)
    if question.has(Sign.WHOLE) and topics.wholes and items:
        return _overviews(namer, topics, out)
    if items:
        return _items(namer, topics, items, out)
    gone = [node for node in topics.items if not node.live]
    if gone and not topics.wholes:
        for node in gone[:2]:
            events.ending(namer, topics, node, out)
        return bool(out.lines)
    inside = topics.below(topics.wholes or ([topics.whole] if topics.whole else []))
    if Want.NUMBER in question.wants and (counted := _counted(namer, topics, inside)):
        return _count(namer, topics, counted, out)
    wanted = topics.of_kind(inside)
    if question.has(Sign.MEMBERSHIP):
        wanted = _themselves(wanted)
    if wanted and (topics.wholes or question.vague(topics.unknown)):
        if Want.NUMBER in question.wants and len(question.wants) == 1:
            return _count(namer, topics, inside, out)
        if _lacks(topics, wanted) and topics.whole is not None and len(inside) <= _SMALL:
            return _overviews(namer, topics, out)  # a place may stand there without being called one
        return _tell(namer, topics, wanted, out)
    if (
        topics.wholes
        or question.has(Sign.LISTS)
        or question.has(Sign.UNFINISHED)
        or question.has(Sign.FINISHED)
    ):
        return _overviews(namer, topics, out)
    return _perhaps(namer, topics, out)


def _perhaps(namer: Namer, topics: Topics, out: Told) -> bool:
    """The overview of a small task, for a question whose words fit nothing but that may be about it."""
    whole = topics.whole
    question = topics.question
    if whole is None or not question.has(Sign.OWN) or question.strong(topics.unknown) or _foreign(topics):
        return False
    roots = topics.roots if len(topics.below(topics.roots)) <= _SMALL else [whole]
    if len(topics.below(roots)) > _SMALL:
        return False
    for root in roots:
        out.add(namer.overview(root), root, needed=_needed(namer, namer.parts(root)))
    return True


_OWNED = r"\b(my|our|mein\w*|unser\w*|mis?|nuestr[oa]s?) (\w+)"
_HOLDERS = words(
    """
    list plan plans agenda menu basket cart bag suitcase backpack schedule itinerary calendar trip journey tour party event meeting
    project order shopping task tasks things stuff day week weekend evening notes liste plan pläne korb wagen tasche koffer rucksack
    kalender reise fahrt feier fest treffen projekt einkauf aufgabe aufgaben sachen woche wochenende abend notizen lista plan planes
    agenda menú cesta carrito bolsa maleta mochila calendario viaje fiesta reunión proyecto compra tarea tareas cosas semana notas
    """
)
"""What a task is called in general; no other owned thing is one of the tasks unless they name it."""


def _foreign(topics: Topics) -> bool:
    """Whether a question is about something that the tasks never named: "my dentist"; or what was, and not of them."""
    question = topics.question
    owned = {found.group(2) for found in re.finditer(_OWNED, question.text)} - _HOLDERS
    return bool(owned & {*topics.unknown}) or (question.past and bool(topics.unknown))


def _items(namer: Namer, topics: Topics, items: Sequence[Node], out: Told) -> bool:
    """Named parts: their values, or beside them what the question word wants."""
    question = topics.question
    by_slot = [node for node in items if node.value and _in_slot(topics, node)]
    misses = question.asks(_WHEN_OR_WHERE) and not question.past and not topics.of_kind(items)
    if question.wants and (misses or not by_slot) and not topics.of_kind(items):
        near = topics.of_kind([*topics.below(items), *topics.below(topics.wholes)])
        near = near or topics.of_kind([other for node in items for other in topics.beside(node)])
        if near:
            items, by_slot, misses = [*items, *near], [], False
    if misses and topics.unknown:
        return False  # "where does Rosa live?" is not about the party that Rosa comes to
    named = [
        node for node in items if len(topics.hits.get(node.id, ())) == len(topics.hits.get(items[0].id, ()))
    ]
    chosen = by_slot if by_slot and not question.has(Sign.LISTS) and not topics.wholes else list(items)
    if Want.NUMBER in question.wants and len(named) > 1 and _all_of_one_slot(named):
        return _count(namer, topics, named, out)
    told = _tell(namer, topics, chosen, out)
    if misses and told and question.asks(_WHEN):
        out.add(namer.phrases.say("no_more"))
        out.wordable = False  # a place in the words of "when" would be told as a time
    return told


_WHEN = r"\b(when|wann|cuándo)\b"
_WHEN_OR_WHERE = r"\b(when|where|wann|wo|cuándo|dónde)\b"


def _in_slot(topics: Topics, node: Node) -> bool:
    return bool(within(topics.words, content(node.slot)))


def _all_of_one_slot(nodes: Sequence[Node]) -> bool:
    return len({fold(node.slot) for node in nodes}) == 1


def _tell(namer: Namer, topics: Topics, nodes: Sequence[Node], out: Told) -> bool:
    """Parts with their values: "The cake is lemon", or as a list."""
    nodes = list(dict.fromkeys(nodes))
    out.wordable = True
    together = len(nodes) > 1 and any(node.live for node in topics.wholes)
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(fold(node.slot), []).append(node)
    for same in groups.values():
        node = same[0]
        alone = len(same) == 1 and namer.says_is(node) and not together
        if alone and not _noted(namer, topics, node):
            out.add(
                namer.phrases.say("first", value=node.value, **namer.words(node)), node, needed=[node.value]
            )
    rest = [node for node in nodes if node.id not in out.about]
    for whole in dict.fromkeys(_above(namer, node) for node in rest):
        here = [node for node in rest if _above(namer, node) == whole]
        if here:
            above = namer.graph[whole]
            noted = any(_noted(namer, topics, node) for node in here)
            out.wordable = out.wordable and not noted  # who "comes" and who "can't" must not get mixed up
            items = namer.listing(here, noted=noted)
            if above.id in {node.id for node in here}:
                out.add(namer.overview(above), *here, needed=_needed(namer, here))
            else:
                out.add(
                    namer.phrases.say(
                        "stands", name=above.value if above.slot == GROUP else above.slot, items=items
                    ),
                    *here,
                    needed=_needed(namer, here),
                )
    return bool(out.lines)


def _noted(namer: Namer, topics: Topics, node: Node) -> bool:
    """Whether the notes of a node belong to the answer."""
    notes = namer.notes(node)
    comes = topics.question.has(Sign.MEMBERSHIP) and is_kind(node, Want.PERSON)
    return bool(notes) and (
        comes
        or topics.question.asks(_ABLE)
        or any(within(topics.words, content(note.value)) for note in notes)
    )


_EACH = {
    r"\b(where|wo|dónde)\b": (Want.PLACE,),
    r"\b(who|wer|quién(es)?)\b": (Want.PERSON,),
    r"\b(when|wann|cuándo)\b": (Want.DATE, Want.TIME),
}


def _lacks(topics: Topics, nodes: Sequence[Node]) -> bool:
    """Whether one of several question words is left without an answer: "where is it, and who comes?"."""
    asked = [kinds for pattern, kinds in _EACH.items() if topics.question.asks(pattern)]
    return any(not any(is_kind(node, kind) for node in nodes for kind in kinds) for kinds in asked)


def _themselves(nodes: Sequence[Node]) -> list[Node]:
    """People without what only says what one of them does: Tom, but not the music that is Tom's."""
    slots = {fold(node.slot) for node in nodes}
    return [node for node in nodes if not node.value or fold(node.value) not in slots]


_ABLE = r"\b(can|can't|cannot|available|free|notes?|when|kann|können|verfügbar|notiz\w*|zeit|wann|puede\w*|libre|disponible|notas?|cuándo)\b"


def _above(namer: Namer, node: Node) -> int:
    above = namer.graph.live_parents(node)
    return above[0].id if above else node.id


_PEOPLE = r"\b(people|persons?|guests?|participants?|attendees|leute|personen|gäste|teilnehmer\w*|gente|personas?|invitad\w*|participantes?)\b"
_TASKS = r"\b(tasks?|plans|lists|projects|aufgaben|pläne|listen|projekte|tareas|planes|listas|proyectos)\b"


def _counted(namer: Namer, topics: Topics, inside: Sequence[Node]) -> list[Node]:
    """What is to be counted where no part is named: the people, or all parts of a named whole."""
    if topics.question.asks(_PEOPLE):
        return [node for node in inside if is_kind(node, Want.PERSON)]
    return namer.parts(topics.wholes[0]) if topics.wholes and topics.wholes[0].live else []


def _count(namer: Namer, topics: Topics, nodes: Sequence[Node], out: Told) -> bool:
    """How many: a figure that a node holds, or how many nodes there are."""
    question = topics.question
    people = [node for node in nodes if is_kind(node, Want.PERSON)]
    listed = [node for node in nodes if _in_slot(topics, node)] or (
        people if question.has(Sign.MEMBERSHIP) and people else list(nodes)
    )
    figures = [
        node for node in nodes if is_kind(node, Want.NUMBER) and (_in_slot(topics, node) or len(nodes) == 1)
    ]
    if figures:
        return _tell(namer, topics, figures, out)
    out.wordable = True
    items = namer.listing(listed)
    out.add(namer.phrases.say("count", number=len(listed), items=items), *listed, needed=[str(len(listed))])
    return True


def _open(namer: Namer, topics: Topics, out: Told, nodes: Sequence[Node] | None = None) -> bool:
    """What is still to be done, and what is done."""
    from localmem.tasks.plan import _ATTRIBUTES

    whole = topics.whole
    wholes = [whole] if whole is not None and (topics.wholes or topics.focus) else topics.roots
    if nodes is None:
        inside = [node for node in topics.below(wholes) if not namer.parts(node)]
        facts = [n for n in inside if n.value and (_ATTRIBUTES.match(fold(n.slot)) or is_kind(n, Want.PLACE))]
        todo = [node for node in inside if node not in facts]
        things = [node for node in todo if not _is_somebody(node)]
        nodes = things or todo or inside
    waiting = [node for node in nodes if node.status is Status.ACTIVE]
    finished = [node for node in nodes if node.status is Status.DONE]
    only_done = topics.question.has(Sign.SURELY_FINISHED) and not topics.question.has(Sign.UNFINISHED)
    if only_done and finished:
        pass
    elif waiting:
        items = namer.listing(waiting, deep=False)
        out.add(namer.phrases.say("open", items=items), *waiting, needed=_needed(namer, waiting))
    else:
        out.add(namer.phrases.say("none_open"))
    if finished:
        plain = join([namer.label(node) for node in finished], namer.phrases)
        out.add(namer.phrases.say("finished", items=plain), *finished)
    elif topics.question.has(Sign.FINISHED) and not topics.question.has(Sign.UNFINISHED):
        out.add(namer.phrases.say("none_finished"))
    return True


def _is_somebody(node: Node) -> bool:
    """Whether a part is a person, whom nobody does."""
    return is_kind(node, Want.PERSON) and (bool(node.value) or comes(node))


def _overviews(namer: Namer, topics: Topics, out: Told) -> bool:
    """Everything that a task holds, or all tasks."""
    wholes = [node for node in topics.wholes if node.live]
    if wholes:
        tops = [w for w in wholes if not any(other.id in topics.ever_above(w) for other in wholes)]
        chosen = tops
    elif topics.items and topics.whole is not None:
        chosen = [topics.whole]
    elif topics.question.has(Sign.WHOLE) or not topics.focus or topics.question.asks(_TASKS):
        chosen = topics.roots
    else:
        chosen = [topics.whole] if topics.whole is not None else topics.roots
    if not chosen:
        out.add(namer.phrases.say("empty"))
    for node in chosen:
        out.add(namer.overview(node), node, *namer.parts(node), needed=_needed(namer, namer.parts(node)))
    return True


def _needed(namer: Namer, nodes: Sequence[Node]) -> list[str]:
    return [namer.needed(node) for node in nodes]
