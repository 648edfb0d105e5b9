"""Answers to what is taken for granted: "wasn't it Boston?", "isn't Jin coming too?", "I think it was never on the list"."""

from __future__ import annotations

from collections.abc import Sequence

from localmem.tasks import events, recalling
from localmem.tasks.mentions import alike, content, within
from localmem.tasks.naming import Namer, kind, plural
from localmem.tasks.past import Span
from localmem.tasks.phrases import lower, sentence
from localmem.tasks.signs import Sign, Want
from localmem.tasks.telling import Told
from localmem.tasks.topics import Topics, is_kind
from localmem.tasks.values import Node

_FEW = 6


def claim(namer: Namer, topics: Topics, out: Told) -> bool:
    """What somebody remembers: whether it was so."""
    question = topics.question
    if not question.has(Sign.NEGATED):
        return whether(namer, topics, out)
    found = _ever(topics)
    if found is None:
        named = question.named(topics.unknown)
        if named and (question.strong(topics.unknown) or not topics.items):
            out.add(namer.phrases.say("right_never", name=named))
            return _stands(namer, topics, out)
        return whether(namer, topics, out)
    _was(namer, topics, found, out, "was_so")
    return True


def whether(namer: Namer, topics: Topics, out: Told) -> bool:
    """Yes or no."""
    question = topics.question
    asks_event = question.has(Sign.REMOVES) or question.has(Sign.CHANGES)
    if asks_event and question.past and not topics.items and not question.strong(topics.unknown):
        wanted = topics.of_kind(topics.below([topics.whole] if topics.whole else []))
        if wanted:
            wanted.sort(key=lambda node: not topics.changed(node))
            return _did(namer, topics, wanted[:1], out)
    if question.has(Sign.FIRST) and question.past and topics.items and not topics.unknown:
        first = topics.items[0]
        line = topics.line(first)
        if len(line) > 1 and not topics.fits(line[0]):
            recalling.recall(namer, topics, first, out)
            return True
    presumes = question.has(Sign.NEGATED) or question.past or question.claims
    if topics.unknown:
        asked = question.strong(topics.unknown) or presumes or question.has(Sign.MEMBERSHIP)
        named = question.named(topics.unknown)
        if asked and named and not question.has(Sign.JUDGES):
            if not topics.hits and question.asks(_TALKED):
                return False  # recall knows all that was said
            figure = question.strong(topics.unknown) and kind(named) != "text"
            if (
                not topics.hits
                and not question.has(Sign.MEMBERSHIP)
                and not (presumes and (question.has(Sign.OWN) or figure))
            ):
                return False
            node = next((n for n in topics.items if n.live and n.value and _about_slot(topics, n)), None)
            if node is not None and not _is_name(topics, named):
                text = namer.phrases.say("first", value=node.value, **namer.words(node))
                out.add(namer.phrases.say("no", text=_small(text)), node, needed=[node.value])
                return True
            out.add(namer.phrases.say("never", name=named))
            return _stands(namer, topics, out)
        if topics.hits:
            return _neutral(namer, topics, out)
        return _none_of_it(namer, topics, out)
    if not topics.hits:
        return _none_of_it(namer, topics, out)
    if (
        (question.has(Sign.REMOVES) or question.has(Sign.CHANGES))
        and (question.past or question.has(Sign.EVER))
        and topics.items
    ):
        return _did(namer, topics, topics.items, out)
    if question.has(Sign.ALWAYS) and topics.items:
        for node in topics.items[:1]:
            recalling.everything(namer, node, topics.line(node), out)
        return True
    now = _now(topics)
    exact = _exactly_once(topics, now)
    if exact is not None:
        _was(namer, topics, exact, out, "no_longer")
        return True
    if now and not question.has(Sign.JUDGES):
        if (question.past and not question.has(Sign.NEGATED)) or question.has(Sign.EVER):
            found = _ever(topics)
            if found is not None and found.last is not None:
                _was(namer, topics, found, out, "yes")
                return True
        text = _plain(namer, now)
        out.add(namer.phrases.say("yes", text=text), *now, needed=[n.value or n.slot for n in now])
        return True
    found = _ever(topics)
    if question.has(Sign.JUDGES):
        return _neutral(namer, topics, out)
    if found is not None:
        so = question.has(Sign.EVER) or (question.past and not question.has(Sign.NEGATED))
        _was(namer, topics, found, out, "yes" if so else "no_longer")
        return True
    return _mismatch(namer, topics, out)


_TALKED = r"\b(mention\w*|talk\w*|tell|told|discuss\w*|speak|spoke|spoken|erwähnt|erzählt|gesprochen|geredet|mencion\w*|habl\w*|cont(é|amos|ado))\b"


def _none_of_it(namer: Namer, topics: Topics, out: Told) -> bool:
    whole = topics.whole
    question = topics.question
    if (
        whole is None
        or not question.has(Sign.OWN)
        or question.strong(topics.unknown)
        or len(topics.below([whole])) > _FEW
        or len(topics.roots) > 1
    ):
        return False
    out.add(namer.overview(whole), whole)
    return True


def _neutral(namer: Namer, topics: Topics, out: Told) -> bool:
    """What stands, without a yes or no: the question asks for more than is noted."""
    live = [node for node in topics.items if node.live] or [node for node in topics.wholes if node.live]
    if not live:
        for node in topics.items[:2]:
            events.ending(namer, topics, node, out)
        return bool(out.lines)
    for node in live[:2]:
        if topics.is_whole(node):
            out.add(namer.overview(node), node)
        else:
            above = topics.graph.live_parents(node)
            name = above[0].slot if above else node.slot
            out.add(namer.phrases.say("stands", name=name, items=namer.item(node)), node)
    out.add(namer.phrases.say("no_more"))
    return True


def _about_slot(topics: Topics, node: Node) -> bool:
    return bool(within(topics.words, content(node.slot)))


def _is_name(topics: Topics, named: str) -> bool:
    return kind(named) == "text" and named[:1].isupper() and topics.question.language != "de"


def _small(text: str) -> str:
    """A sentence as it stands behind a colon."""
    head = text.split(" ")[0]
    return text[0].lower() + text[1:] if head in ("The", "At", "It", "There") else text


def _stands(namer: Namer, topics: Topics, out: Told) -> bool:
    """What stands where something else was thought to stand: of the same slot or kind, or the task."""
    question = topics.question
    kinds = {kind(word.strip("?!.,;:¿")) for word in question.raw.split()} - {"text", "number"}
    whole = topics.whole
    about = [node for node in topics.items if node.live and node.value and _about_slot(topics, node)]
    if not about and kinds and whole is not None:
        inside = topics.below([whole])
        about = [node for node in inside if kind(node.value) in kinds]
        near = [node for node in topics.items if node.live]
        close = [node for item in near for node in [item, *topics.beside(item)] if kind(node.value) in kinds]
        about = close or about
    if (
        not about
        and whole is not None
        and _is_name(topics, question.named(topics.unknown))
        and not topics.items
    ):
        people = [
            node for node in topics.below([whole]) if is_kind(node, Want.PERSON) and (node.slot, node.value)
        ]
        about = people if len(people) > 1 else []
    if about:
        if len(about) == 1:
            out.add(sentence(_plain(namer, about)), *about)
        else:
            name = whole.slot if whole is not None else about[0].slot
            out.add(namer.phrases.say("stands", name=name, items=namer.listing(about[:_FEW])), *about[:_FEW])
    elif topics.items and any(node.live for node in topics.items):
        node = next(node for node in topics.items if node.live)
        out.add(namer.phrases.say("stands", name=_above(topics, node), items=namer.item(node)), node)
    elif whole is not None and len(namer.parts(whole)) <= _FEW:
        out.add(namer.overview(whole), whole)
    return True


def _above(topics: Topics, node: Node) -> str:
    above = topics.graph.live_parents(node)
    return above[0].slot if above else node.slot


def _plain(namer: Namer, nodes: Sequence[Node]) -> str:
    """Nodes as a short text: "the owner is Farid", "eggs 10"."""
    if len(nodes) == 1 and namer.says_is(nodes[0]):
        return _small(namer.phrases.say("first", value=nodes[0].value, **namer.words(nodes[0])))
    text = namer.listing(nodes)
    return text if text.endswith(".") else f"{text}."


def _now(topics: Topics) -> list[Node]:
    """Live nodes that have all words of the question, with what is above them; all of them where each has some."""
    wanted = topics.words
    live = [node for node in topics.items if node.live]
    for node in live:
        above = [topics.graph[id] for id in _live_above(topics, node)]
        words = [word for one in [node, *above] for word in [*content(one.slot), *content(one.value)]]
        if len(within(wanted, words)) == len(wanted):
            return [node]
    bare = [
        node
        for node in live
        if not node.value or not _about_slot(topics, node) or within(wanted, content(node.value))
    ]
    words = [
        word
        for node in [*bare, *topics.wholes]
        if node.live
        for word in [*content(node.slot), *content(node.value)]
    ]
    slots = {node.slot for node in bare if node.value}
    by_value = not any(_about_slot(topics, node) for node in bare)
    if len(bare) > 1 and (len(slots) <= 1 or by_value) and len(within(wanted, words)) == len(wanted):
        return bare
    wholes = [node for node in topics.wholes if node.live]
    if not topics.items and wholes:
        words = [word for node in wholes for word in [*content(node.slot), *content(node.value)]]
        if len(within(wanted, words)) == len(wanted):
            return wholes[:1]
    return []


def _exactly_once(topics: Topics, now: Sequence[Node]) -> Span | None:
    """The span whose value is just what is asked, and is past, where what stands only has it among other words."""
    if len(now) != 1 or len(content(now[0].value)) < 2 * len(topics.words):
        return None
    for node in topics.items:
        for span in topics.places(node):
            words = content(span.value)
            if (
                span.last is not None
                and words
                and len(within(topics.words, words)) == len(words)
                and node.id != now[0].id
            ):
                return span
    return None


def _live_above(topics: Topics, node: Node) -> set[int]:
    found: set[int] = set()
    waiting = [node]
    while waiting:
        for parent in topics.graph.live_parents(waiting.pop()):
            if parent.id not in found:
                found.add(parent.id)
                waiting.append(parent)
    return found


def _ever(topics: Topics) -> Span | None:
    """The latest span in which a node had all words of the question, it or what was above it."""
    wanted = topics.words
    found: list[Span] = []
    for node in topics.items:
        for span in topics.places(node):
            above = [topics.graph[id] for id in span.parents if id in topics.graph]
            above += [topics.graph[id] for one in list(above) for id in topics.ever_above(one)]
            words = [*content(span.slot), *content(span.value)]
            own = within(wanted, words)
            words += [word for one in above for word in [*content(one.slot), *content(one.value)]]
            # Words of a name that all spans share do not tell this one from the others.
            if own and len(within([w for w in wanted if w not in topics.unknown], words)) == len(
                wanted
            ) - len(topics.unknown):
                before = found[-1] if found else None
                if before and before.node.id == node.id and before.last == span.first:
                    found.pop()  # it had them already, and has them still
                found.append(span)
    ended = [span for span in found if span.last is not None]
    return (ended or found)[-1] if found else None


def _was(namer: Namer, topics: Topics, span: Span, out: Told, phrase: str) -> None:
    """What was so, from when until when, and what stands in its place."""
    above = next(
        (topics.graph[id] for id in span.parents if topics.graph[id].id in {w.id for w in topics.wholes}),
        None,
    )
    name = namer.label(span.node, slot=span.slot, value=span.value)
    if span.last is None:
        text = f"{name}, {namer.phrases.part('since', turn=span.first)}"
        out.add(namer.phrases.say("was_so" if phrase == "was_so" else "yes", text=text), span.node)
        return
    words = {"name": name, "was_were": "were" if plural(span.slot) and name.startswith(span.slot) else "was"}
    first = _since(topics, span, above)
    if above is not None:
        text = namer.phrases.part("was_part", whole=above.slot, first=first, last=span.last, **words)
    else:
        text = namer.phrases.part("was_part_gone", first=first, last=span.last, **words)
    if phrase == "no_longer":
        told = Told()
        events.ending(namer, topics, span.node, told, words=[*content(span.value), *content(span.slot)])
        if told.lines:
            out.add(namer.phrases.say(phrase, text=lower(told.lines[0])), span.node, needed=told.needed)
            return
    out.add(namer.phrases.say(phrase, text=text), span.node)
    before = len(out.lines)
    turn = events.ending(namer, topics, span.node, out, words=[*content(span.value), *content(span.slot)])
    if turn is None and len(out.lines) == before:
        _stands(namer, topics, out)


def _since(topics: Topics, span: Span, above: Node | None) -> int:
    """The turn from which on it was so without a break, wherever else it was as well."""
    first = span.first
    for past in reversed(topics.places(span.node)):
        same = (past.slot, past.value, past.last) == (span.slot, span.value, first)
        if same and (above is None or above.id in past.parents):
            first = past.first
    return first


def _did(namer: Namer, topics: Topics, nodes: Sequence[Node], out: Told) -> bool:
    """Whether something was removed or changed, and in which turn."""
    for node in nodes[:2]:
        line = topics.line(node)
        words = None if node in topics.items else [word for span in line[:-1] for word in content(span.text)]
        turn = events.ending(namer, topics, node, out, words)
        if turn is None:
            node_text = namer.label(node)
            phrase = "not_removed" if topics.question.has(Sign.REMOVES) else "not_changed"
            text = lower(namer.phrases.say(phrase, name=node_text, turn=topics.line(node)[-1].first))
            out.add(namer.phrases.say("no", text=text), node)
        else:
            if topics.question.has(Sign.REMOVES) != node.live:
                out.lines[-1] = namer.phrases.say("yes", text=lower(out.lines[-1]))
            events.because(namer, node, turn, out)
    return bool(out.lines)


def _mismatch(namer: Namer, topics: Topics, out: Told) -> bool:
    """The words stand, but not together: "didn't Farid review it?"."""
    live = [node for node in topics.items if node.live]
    if not live:
        for node in topics.items[:2]:
            events.ending(namer, topics, node, out)
        return bool(out.lines)
    if topics.wholes:
        outside = [n for n in live if not any(w.id in topics.ever_above(n) for w in topics.wholes)]
        if outside and topics.whole is not None:
            items = namer.listing(namer.parts(topics.whole))
            text = namer.phrases.say("stands", name=topics.whole.slot, items=items)
            out.add(namer.phrases.say("no", text=text), topics.whole)
            return True
    slot = [node for node in topics.items if node.live and node.value and _about_slot(topics, node)]
    if slot and not any(alike(w, v) for n in slot for w in topics.words for v in content(n.value)):
        out.add(namer.phrases.say("no", text=_plain(namer, slot[:1])), slot[0], needed=[slot[0].value])
        return True
    return _neutral(namer, topics, out)
