"""What a question demands and what a candidate offers, to the role that the candidate can play.

Everything here can be read off the words: no model. The table `TABLE` says how much each feature of a
candidate speaks for each role under each demand; `--explain` shows the result. How much a candidate's features
raise its priority is fitted (`weights.ROLE`). Closeness and reach count there already, as affinity and reach; links
and adjacency say which role a candidate plays, but a turn is no likelier to be needed for them
(`scripts/LOG.md`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from localmem.recall.query import READ_CHARACTERS
from localmem.recall.weights import ROLE
from localmem.values import Role


class Demand(StrEnum):
    """What a question asks for."""

    FACT = "fact"
    TIME = "time"
    RELATION = "relation"
    LIST = "list"
    PREFERENCE = "preference"
    JUDGEMENT = "judgement"


class Feature(StrEnum):
    """What a candidate offers, each 0 to 1."""

    CLOSENESS = "closeness"
    """To the query, by relevance."""
    REACH = "reach"
    """Activation of its thread."""
    SHARED = "shared"
    """Names shared with the query."""
    LINKS = "links"
    """Names shared with close candidates that the query itself does not have."""
    TIME = "time"
    """Has a time expression."""
    ADJACENCY = "adjacency"
    """Stands next to a close candidate."""


# English, German and Spanish forms; a demand is a hint for weights, so a miss costs little.
_DEMAND_PATTERNS: Mapping[Demand, str] = {
    Demand.TIME: r"\b(when|what (time|date|day|month|year)|which (day|month|year|week)|how (long|often|recently)|since"
    r"|until|wann|seit|wie lange|cu[aá]ndo|desde|hasta)\b",
    Demand.RELATION: r"\b(why|because|after|before|both|between|relationship|related|cause[ds]?|led|reason|how did"
    r"|warum|wieso|nachdem|bevor|beide|por qu[eé]|despu[eé]s|antes|ambos)\b",
    Demand.LIST: r"\b(list|all|every|how many|which .+s\b|what (are|were|kinds?|types?|other|else)|what \w+s (has|have|did"
    r"|do|does|are|were)|names of|alle|wie viele|welche|todos|todas|cu[aá]nt[oa]s|cu[aá]les)\b",
    Demand.PREFERENCE: r"\b(favou?rite|prefer\w*|likes?|loves?|enjoys?|hates?|dislikes?|fan of|hobb\w+|lieblings\w+|mag"
    r"|bevorzug\w+|gusta\w*|favorit\w+|prefier\w+)\b",
    Demand.JUDGEMENT: r"\b(would|could|might|likely|probably|should|think|consider\w*|seem\w*|opinion|würde\w*|könnte\w*"
    r"|wahrscheinlich|probable\w*|podría\w*|debería\w*)\b",
}
_DEMANDS = {demand: re.compile(pattern, re.IGNORECASE) for demand, pattern in _DEMAND_PATTERNS.items()}

_TIME_EXPRESSION = re.compile(
    r"\b(\d{1,2}[:.]\d{2}|\d{4}|yesterday|today|tonight|tomorrow|morning|evening|weekend|week|month|year|ago|last|next"
    r"|(mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|gestern|heute|morgen|woche|monat|jahr|ayer|hoy|mañana|semana|mes|año)s?\b",
    re.IGNORECASE,
)

_F = Feature
TABLE: Mapping[Demand, Mapping[Role, Mapping[Feature, float]]] = {
    Demand.FACT: {
        Role.ANCHOR: {_F.CLOSENESS: 0.8, _F.SHARED: 0.2},
        Role.BRIDGE: {_F.LINKS: 0.5, _F.REACH: 0.2},
        Role.CONTEXT: {_F.ADJACENCY: 0.5, _F.REACH: 0.1},
    },
    Demand.TIME: {
        Role.ANCHOR: {_F.CLOSENESS: 0.75, _F.TIME: 0.15, _F.SHARED: 0.1},
        Role.BRIDGE: {_F.LINKS: 0.4, _F.REACH: 0.1, _F.TIME: 0.1},
        Role.CONTEXT: {_F.ADJACENCY: 0.5, _F.TIME: 0.1},
    },
    Demand.RELATION: {
        Role.ANCHOR: {_F.CLOSENESS: 0.7, _F.SHARED: 0.2},
        Role.BRIDGE: {_F.LINKS: 0.6, _F.REACH: 0.3},
        Role.CONTEXT: {_F.ADJACENCY: 0.6, _F.REACH: 0.1},
    },
    Demand.LIST: {
        Role.ANCHOR: {_F.CLOSENESS: 0.9, _F.SHARED: 0.2},
        Role.BRIDGE: {_F.LINKS: 0.5, _F.REACH: 0.3},
        Role.CONTEXT: {_F.ADJACENCY: 0.4},
    },
    Demand.PREFERENCE: {
        Role.ANCHOR: {_F.CLOSENESS: 0.9, _F.SHARED: 0.1},
        Role.BRIDGE: {_F.LINKS: 0.4, _F.REACH: 0.2},
        Role.CONTEXT: {_F.ADJACENCY: 0.4, _F.REACH: 0.1},
    },
    Demand.JUDGEMENT: {
        Role.ANCHOR: {_F.CLOSENESS: 0.7, _F.SHARED: 0.2},
        Role.BRIDGE: {_F.LINKS: 0.5, _F.REACH: 0.4},
        Role.CONTEXT: {_F.ADJACENCY: 0.5, _F.REACH: 0.3},
    },
}

CLOSE = 0.5
"""Closeness from which a candidate lends its names and its neighbours weight."""


@dataclass(frozen=True, slots=True, eq=False)
class Roles:
    """The role of each of n candidates."""

    role: tuple[Role, ...]
    fit: NDArray[np.float64]
    """How much its features speak for it, in (0, 1], shape (n,): a factor of the priority."""


def demands(question: str) -> dict[Demand, float]:
    """What a question asks for; weights sum to 1. Every question asks for a fact at least a little."""
    found = [demand for demand, pattern in _DEMANDS.items() if pattern.search(question)]
    weight = 1.0 / (len(found) + 0.5)
    return {Demand.FACT: 0.5 * weight} | dict.fromkeys(found, weight)


def has_time(text: str) -> bool:
    """Whether the beginning of a text names a time."""
    return _TIME_EXPRESSION.search(text, 0, READ_CHARACTERS) is not None


def candidate_features(
    closeness: NDArray[np.float64],
    reach: NDArray[np.float64],
    names: Sequence[frozenset[str]],
    texts: Sequence[str],
    follows: NDArray[np.bool_],
    asked: frozenset[str],
) -> dict[Feature, NDArray[np.float64]]:
    """Features of n candidates, each of shape (n,) and within 0 to 1.

    Args:
        closeness: 0 to 1, shape (n,).
        reach: activation of each candidate's thread, 0 to 1, shape (n,).
        names: entities that each candidate names or whose speaker it has.
        texts: what was said.
        follows: whether a candidate comes right after the one before it, shape (n,).
        asked: entities of the question.
    """
    n = len(closeness)
    shared = np.array([len(own & asked) / len(asked) if asked else 0.0 for own in names])
    close: dict[str, float] = {}
    for own, value in zip(names, closeness.tolist(), strict=True):
        if value >= CLOSE:
            for name in own - asked:
                close[name] = max(close.get(name, 0.0), value)
    links = np.array([max((close.get(name, 0.0) for name in own - asked), default=0.0) for own in names])
    # A close candidate is linked to itself by its own names; that leads nowhere.
    links = links * (1.0 - closeness)
    adjacency = np.zeros(n)
    if n > 1:
        adjacency[1:] = np.maximum(adjacency[1:], closeness[:-1] * follows[1:])
        adjacency[:-1] = np.maximum(adjacency[:-1], closeness[1:] * follows[1:])
    return {
        Feature.CLOSENESS: closeness,
        Feature.REACH: reach,
        Feature.SHARED: shared,
        Feature.LINKS: links,
        Feature.TIME: np.array([has_time(text) for text in texts], dtype=np.float64),
        Feature.ADJACENCY: adjacency,
    }


def assign(wanted: Mapping[Demand, float], offered: Mapping[Feature, NDArray[np.float64]]) -> Roles:
    """The role that each candidate plays best, and how much its features raise its priority."""
    names = list(Role)
    n = len(next(iter(offered.values())))
    part = np.zeros((len(names), n))
    for demand, share in wanted.items():
        for row, role in enumerate(names):
            for feature, weight in TABLE[demand][role].items():
                part[row] += share * weight * offered[feature]
    pull = np.zeros(n)
    for name, weight in ROLE.items():
        pull += weight * (offered[Feature(name)] - (weight > 0))
    return Roles(tuple(names[row] for row in part.argmax(axis=0).tolist()), np.exp(pull))
