"""How near an answer is to the expected one: LoCoMo's F1 of stemmed words, and BLEU-1; and how sure a difference is."""

from __future__ import annotations

import math
import re
import string
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from localmem.bench.questions import CATEGORIES

_ARTICLES = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
SAMPLES = 10_000
"""Of the bootstrap."""


def words(text: str) -> list[str]:
    """Words of an answer as LoCoMo compares them: lower case, without punctuation and articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("porter")


def stems(text: str) -> list[str]:
    """Porter stems of `words`."""
    found: list[str] = _stemmer().stemWords(words(text))
    return found


def token_f1(said: str, expected: str) -> float:
    """F1 of the stems of two texts, 0 to 1."""
    ours, theirs = Counter(stems(said)), Counter(stems(expected))
    same = sum((ours & theirs).values())
    if not same:
        return 0.0
    precision, recall = same / sum(ours.values()), same / sum(theirs.values())
    return 2 * precision * recall / (precision + recall)


def f1(said: str, expected: str, kind: str) -> float:
    """F1 of LoCoMo's evaluation: of the parts between commas for multi-hop questions.

    There each expected part counts with the part of the answer that fits it best. Of an expected answer to an open
    question, only what stands before the first semicolon counts.
    """
    if kind == CATEGORIES[3]:
        expected = expected.split(";")[0].strip()
    if kind != CATEGORIES[1]:
        return token_f1(said, expected)
    parts = [part.strip() for part in said.split(",")]
    wanted = [part.strip() for part in expected.split(",")]
    return sum(max(token_f1(part, one) for part in parts) for one in wanted) / len(wanted)


def bleu1(said: str, expected: str) -> float:
    """BLEU with single words (Papineni and others 2002): clipped precision times the brevity penalty."""
    ours, theirs = words(said), words(expected)
    if not ours or not theirs:
        return 0.0
    precision = sum((Counter(ours) & Counter(theirs)).values()) / len(ours)
    return precision * min(1.0, math.exp(1 - len(theirs) / len(ours)))


def macro(scores: Sequence[float], kinds: Sequence[str]) -> float:
    """Mean of the means by kind; nan without any."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for score, kind in zip(scores, kinds, strict=True):
        groups[kind].append(score)
    return float(np.mean([np.mean(group) for group in groups.values()])) if groups else float("nan")


def paired_interval(
    ours: Sequence[float], theirs: Sequence[float], kinds: Sequence[str], seed: int = 0
) -> tuple[float, float]:
    """The 95% interval of how much the macro mean of `ours` is above that of `theirs`, on the same questions.

    Paired percentile bootstrap (Efron and Tibshirani 1993): questions are drawn with replacement within their kind, so
    that every kind keeps its weight.
    """
    difference = np.array(ours, dtype=np.float64) - np.array(theirs, dtype=np.float64)
    if not len(difference):
        return float("nan"), float("nan")
    chance = np.random.default_rng(seed)
    means = []
    for kind in dict.fromkeys(kinds):
        part = difference[[one == kind for one in kinds]]
        means.append(part[chance.integers(0, len(part), (SAMPLES, len(part)))].mean(axis=1))
    low, high = np.percentile(np.mean(means, axis=0), [2.5, 97.5])
    return float(low), float(high)
