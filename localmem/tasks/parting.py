"""Answers about parts that stand apart: "why are there two sessions?", "are we still two groups?"."""

from __future__ import annotations

from localmem.tasks.context import GROUP, NOTE
from localmem.tasks.naming import Namer, join
from localmem.tasks.phrases import lower
from localmem.tasks.signs import Sign
from localmem.tasks.telling import Told
from localmem.tasks.topics import Topics


def parts(namer: Namer, topics: Topics, out: Told) -> bool:
    """Whether something stands in several parts; False: it never did, and the question is another one."""
    groups = [node for node in topics.graph if node.slot == GROUP]
    standing = [node for node in groups if node.live]
    if standing:
        items = "; ".join(namer.item(node) for node in standing)
        out.add(namer.phrases.say("parts_now", number=len(standing), items=items), *standing)
        return True
    whole = topics.whole
    if whole is None:
        return False
    removed = [node for node in topics.below([whole], live=False) if not node.live and node.slot != NOTE]
    if not groups and not (removed and topics.question.why):
        return False
    if groups:
        whole = (
            topics.root(next((topics.graph[id] for id in groups[-1].parents if topics.graph[id].live), whole))
            or whole
        )
    shown = namer.parts(whole)
    text = namer.listing(shown) or whole.slot
    first = namer.phrases.say("one_now", items=text)
    asks = not topics.question.open
    if groups and asks and topics.question.past and not topics.question.has(Sign.NEGATED):
        turn = groups[-1].deleted.turn
        items = join([node.value for node in groups if node.deleted.turn == turn], namer.phrases)
        out.add(
            namer.phrases.say("yes", text=lower(namer.phrases.part("were_joined", items=items, turn=turn)))
        )
        out.add(first, whole, *shown)
        return True
    line = namer.phrases.say("no", text=lower(first)) if asks else first
    out.add(line, whole, *shown, needed=[node.value or node.slot for node in shown])
    if groups:
        turn = groups[-1].deleted.turn
        items = join([node.value for node in groups if node.deleted.turn == turn], namer.phrases)
        out.add(namer.phrases.say("were_joined", items=items, turn=turn))
    return True
