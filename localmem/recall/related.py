"""Words that mean something alike: "cities" and Rome, "exercise" and yoga.

The vector of a whole turn says little about one word in it, and the word index knows equal stems only. So a table of
word vectors ships with the package (`scripts/make_related_words.py` says how it was made): the embedder's own
vocabulary, each word encoded alone. A question of several hops mostly names the kind of thing that it asks for, and
the turns that answer name the things.

The table is English. Other words count where they are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TABLE = Path(__file__).with_name("related.npz")
FLOOR = 0.3
"""Cosine up to which two words have nothing to do with each other."""
_MOST_PIECES = 3
"""Pieces of a word that is not in the vocabulary; one of more is no English word, and their mean means nothing."""
_LEAST_WEIGHT = 0.3
"""Of a word that all turns have."""


@cache
def table() -> tuple[dict[str, int], NDArray[np.float32]]:
    """Rows of words and word pieces ("##ing"), and unit vectors, shape (rows, dimensions)."""
    with np.load(TABLE, allow_pickle=False) as file:
        tokens = file["tokens"].tobytes().decode("ascii").split("\n")
        vectors = file["vectors"].astype(np.float32)
    return {token: row for row, token in enumerate(tokens)}, vectors / np.linalg.norm(
        vectors, axis=1, keepdims=True
    )


def likeness(words: Sequence[str], asked: Sequence[str]) -> NDArray[np.float32]:
    """How alike each of n different words is to each of m, 0 to 1, shape (n, m); 1 for equal ones."""
    alike = np.maximum(_vectors(words) @ _vectors(asked).T - FLOOR, 0.0) / (1.0 - FLOOR)
    place = {word: row for row, word in enumerate(words)}
    for column, word in enumerate(asked):
        if word in place:
            alike[place[word], column] = 1.0
    return np.asarray(np.minimum(alike, 1.0), dtype=np.float32)


def overlap(turns: Sequence[Sequence[str]], asked: Sequence[str]) -> NDArray[np.float64]:
    """Share of the asked words that each of n turns has, or has words like, 0 to 1, shape (n,).

    A word that few turns have counts more (by its inverse document frequency among these turns).

    Args:
        turns: the different words of each turn, lower case.
        asked: the different words of the question, lower case.
    """
    total = np.zeros(len(turns))
    if not asked or not any(turns):
        return total
    row: dict[str, int] = {}
    flat = [row.setdefault(word, len(row)) for words in turns for word in words]
    alike = likeness(list(row), asked)
    having = np.bincount(flat, minlength=len(row))
    weight = np.array(
        [
            max(np.log((len(turns) + 1) / (having[row[word]] + 0.5 if word in row else 0.5)), _LEAST_WEIGHT)
            for word in asked
        ]
    )
    filled = [place for place, words in enumerate(turns) if words]
    starts = np.cumsum([0, *(len(turns[place]) for place in filled[:-1])])
    best = np.maximum.reduceat(alike[flat], starts, axis=0)
    total[filled] = best @ (weight / weight.sum())
    return total


def _vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of words, shape (n, dimensions); 0 for a word that the table cannot spell."""
    rows, vectors = table()
    out = np.zeros((len(words), vectors.shape[1]), dtype=np.float32)
    for place, word in enumerate(words):
        if word in rows:
            out[place] = vectors[rows[word]]
        elif spelled := _pieces(word, rows):
            mean = vectors[spelled].sum(axis=0)
            out[place] = mean / np.linalg.norm(mean)
    return out


def _pieces(word: str, rows: dict[str, int]) -> list[int]:
    """Rows of the longest pieces that spell a word (WordPiece: Schuster and Nakajima 2012); empty if none do."""
    found: list[int] = []
    start = 0
    while start < len(word):
        if len(found) == _MOST_PIECES or not word.isascii():
            return []
        prefix = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in rows), None)
        if end is None:
            return []
        found.append(rows[prefix + word[start:end]])
        start = end
    return found
