"""Which transcript a conversation continues: what two have in common, and whether that is enough.

A turn with a time is hardly ever said twice: a few of them tell that two files are of one chat. A turn without
a time may be said in any chat ("hi", "Got it!"), and two chats with one assistant share a good part of their
turns. So without times the two must agree nearly everywhere where both are: the turns in common come in the same
order, one after the other, and reach from an end of one side to an end of one side, as they do when an export is
longer, or cut, or of another window. Two chats that begin alike and then go on differently are two.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from localmem.recall.turns import rising

FEW = 3
"""Fewer turns in common prove nothing, unless they are all that there is."""
SUBSTANCE = 64
"""Characters of a common beginning of a few different turns that say more than hello."""
MANY = 6
"""Different turns without times that are not said in the same order by chance."""
AMPLE_TURNS = 20
AMPLE_CHARACTERS = 400
"""Of different turns in common: then an export may have been edited heavily, but not begin or end differently."""
DIFFERENT = 1 / 9
"""Turns that differ, for each in common, in a lightly edited export: nine of ten agree ..."""
HEAVILY = 1 / 3
"""... and in a heavily edited one."""


@dataclass(slots=True)
class Outline:
    """A conversation of a file, as far as it matters here."""

    name: str
    characters: array[int] = field(default_factory=lambda: array("I"))
    """Of each turn's text; 0 when an equal turn comes before it, which says nothing new."""
    timed: bytearray = field(default_factory=bytearray)
    """1 for each turn that has a time, else 0."""
    repeated: bytearray = field(default_factory=bytearray)
    """1 for each turn that equals another one, else 0; a window of a chat does not tell which of those it has."""

    @property
    def turns(self) -> int:
        """How many turns it has."""
        return len(self.timed)


@dataclass(slots=True)
class Shared:
    """What a transcript has of the turns of a conversation, by rising place in the conversation."""

    transcript: int
    name: str
    """The transcript's."""
    turns: int
    """How many turns the transcript has."""
    kin: bool = False
    """Whether it has the name of the conversation and was read from the same file; a pipe is never the same."""
    places: array[int] = field(default_factory=lambda: array("q"))
    """Of the turns in the conversation, from 0."""
    positions: array[int] = field(default_factory=lambda: array("q"))
    """Of the same turns in the transcript."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """Turns in common that follow each other closely on both sides."""

    places: tuple[int, ...]
    begins: bool
    """Whether they are the beginning of both sides."""
    inside: int
    """Turns between them that differ."""
    outside: int
    """Turns before and after them that differ: those that both sides have there."""


def continued(conversation: Outline, candidates: Iterable[Shared]) -> Shared | None:
    """The candidate that the conversation continues, or None when it is a new one.

    Of several it is the one that most of the smaller side is known of; then the one of the same file; then the
    one with more turns in common; then the oldest.
    """
    size = conversation.turns
    if not size:
        return None

    def share(shared: Shared) -> float:
        return len(shared.places) / max(1, min(size, shared.turns))  # a damaged memory may count none

    def order(shared: Shared) -> tuple[float, bool, int, int]:
        return share(shared), shared.kin, len(shared.places), -shared.transcript

    there = [shared for shared in candidates if shared.places]
    for shared in sorted(there, key=order, reverse=True):
        if _by_times(conversation, shared) or _by_order(conversation, shared):
            return shared
    return None


def _by_times(conversation: Outline, shared: Shared) -> bool:
    """Whether turns with times prove it: most of the smaller side, or all of a side however short."""
    known = len(shared.places)
    timed = sum(conversation.timed[place] for place in shared.places)
    mostly = timed >= FEW and known * 2 > min(conversation.turns, shared.turns)
    return mostly or (timed == known and known in (conversation.turns, shared.turns))


def _by_order(conversation: Outline, shared: Shared) -> bool:
    """Whether the order of the turns in common proves it."""
    ordered = _in_order(shared)
    known = len(ordered)
    sides = conversation.turns, shared.turns
    if sides == (known, known) and (known > 1 or shared.kin or conversation.name == shared.name):
        return True  # the very same
    if shared.kin:
        return known * 2 > min(sides) and (known >= FEW or known in sides)
    return _lightly_edited(conversation, _chain(ordered, [0] * (sides[0] + 1), *sides)) or _heavily_edited(
        conversation, shared
    )


def _lightly_edited(conversation: Outline, chain: _Chain) -> bool:
    timed = sum(conversation.timed[place] for place in chain.places)
    said = [size for place in chain.places if (size := conversation.characters[place])]
    if chain.inside + chain.outside > len(said) * DIFFERENT:
        return False
    telling = chain.begins and len(said) >= FEW and sum(said) >= SUBSTANCE
    return timed >= FEW or len(said) >= MANY or telling


def _heavily_edited(conversation: Outline, shared: Shared) -> bool:
    """Whether the turns that the conversation has once prove it, whatever the others are taken for."""
    once = Shared(shared.transcript, shared.name, shared.turns)
    for place, position in zip(shared.places, shared.positions, strict=True):
        if not conversation.repeated[place]:
            once.places.append(place)
            once.positions.append(position)
    if len(once.places) < AMPLE_TURNS:
        return False
    unclear = [0, *accumulate(conversation.repeated)]
    chain = _chain(_in_order(once), unclear, conversation.turns, shared.turns)
    turns = len(chain.places)
    said = sum(conversation.characters[place] for place in chain.places)
    ample = turns >= AMPLE_TURNS and said >= AMPLE_CHARACTERS
    return ample and chain.outside <= turns * DIFFERENT and chain.inside + chain.outside <= turns * HEAVILY


def _in_order(shared: Shared) -> list[tuple[int, int]]:
    """As many of the turns in common as come in the same order on both sides: places and positions."""
    kept = iter(rising(shared.positions))
    next_kept = next(kept, None)
    found = []
    for place, position in zip(shared.places, shared.positions, strict=True):
        if position == next_kept:
            found.append((place, position))
            next_kept = next(kept, None)
    return found


def _chain(ordered: Sequence[tuple[int, int]], unclear: Sequence[int], turns: int, others: int) -> _Chain:
    """The part of the turns in common that has most of them for the gaps between them (Kadane's algorithm).

    A "Thanks!" that another "Thanks!" was taken for lies far from the rest, or is missing.

    Args:
        ordered: places and positions of the turns in common.
        unclear: how many turns before each place, and before the end, do not count as different.
        turns: of the conversation.
        others: turns of the transcript.
    """

    def gap(index: int) -> int:
        """Turns before one in common that differ, on the side that has more of them."""
        (place, position), (place_before, position_before) = ordered[index], ordered[index - 1]
        longer = max(place - place_before, position - position_before) - 1
        return max(0, longer - (unclear[place] - unclear[place_before + 1]))

    best = (0, 0, 0)
    score = start = 0
    for index in range(len(ordered)):
        score -= gap(index) if index else 0
        if score <= 0:
            score, start = 0, index
        score += 1
        best = max(best, (score, start, index + 1), key=lambda found: found[0])
    _, first, end = best
    (place, position), (last_place, last_position) = ordered[first], ordered[end - 1]
    before = min(place - unclear[place], position)
    behind = turns - 1 - last_place - (unclear[-1] - unclear[last_place + 1])
    outside = before + min(behind, others - 1 - last_position)
    inside = sum(map(gap, range(first + 1, end)))
    return _Chain(tuple(place for place, _ in ordered[first:end]), place == position == 0, inside, outside)
