"""Search by words: two FTS5 indexes over the turns' texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from localmem.errors import StoreError
from localmem.store.database import Database, listed
from localmem.store.rows import clean

MOST_RANKED = 20_000
"""Turns that one search ranks. BM25 takes about a microsecond for each turn that has a word, and in a memory of a million
turns "like" is in 70,000 of them, or in the windows of 190,000."""

Index = Literal["turn", "window"]

_SEARCHES = {
    index: f"SELECT rowid, -rank FROM {index}_words WHERE {index}_words MATCH ? ORDER BY rank, rowid LIMIT ?"
    for index in ("turn", "window")
}
_NEWEST = {
    index: f"SELECT rowid, -bm25({index}_words) FROM {index}_words WHERE {index}_words MATCH ?"
    " ORDER BY rowid DESC LIMIT ?"
    for index in ("turn", "window")
}
# Without a rank, a list of turns is only walked: a million in 30 ms.
_COUNTS = {
    index: f"SELECT count(*) FROM (SELECT 1 FROM {index}_words WHERE {index}_words MATCH ? LIMIT ?)"
    for index in ("turn", "window")
}


class WordIndexes(Database):
    """Methods on `turn_words` and `window_words`.

    Both read the texts from `turn` and store none. So a row must leave an index while its old text can
    still be read, and enter it again when the new text stands.
    """

    def search_words(
        self, words: Sequence[str], limit: int, *, index: Index = "turn"
    ) -> list[tuple[int, float]]:
        """Turns that have any of `words`, as (id, BM25), best (largest) first.

        Words are compared by their Porter stems, without case and accents. Any text may stand in `words`;
        one with several words in it is looked for as a phrase.

        If more than `MOST_RANKED` turns would be ranked, words that fewer turns have go before those that more
        have, which tell little. Where even the rarest is too common, only the turns that have the two rarest are
        ranked; and if they are too many, or there is one word only, the newest are.

        Args:
            words: what to look for.
            limit: at most so many turns.
            index: "turn" looks into the turn's own text, "window" also into the texts of the turn before
                and the turn after it in the same transcript.
        """
        phrases = list(dict.fromkeys(map(_quoted, words)))
        if not phrases or limit < 1:
            return []
        newest = self._value("SELECT coalesce(max(id), 0) FROM turn")
        if newest <= MOST_RANKED:
            return self._ranked(index, " OR ".join(phrases), limit)
        counts = {phrase: self._matches(index, phrase) for phrase in phrases}
        by_rarity = sorted((phrase for phrase in phrases if counts[phrase]), key=counts.__getitem__)
        if not by_rarity:
            return []
        sums = accumulate(counts[phrase] for phrase in by_rarity)
        if rare := [phrase for phrase, sum in zip(by_rarity, sums, strict=True) if sum <= MOST_RANKED]:
            return self._ranked(index, " OR ".join(rare), limit)
        both = " AND ".join(by_rarity[:2])
        found = self._matches(index, both)
        if 0 < found <= MOST_RANKED:
            return self._ranked(index, both, limit)
        rows = self._rows((int, float), _NEWEST[index], (both if found else by_rarity[0], limit))
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def _ranked(self, index: Index, query: str, limit: int) -> list[tuple[int, float]]:
        return [(id, score) for id, score in self._rows((int, float), _SEARCHES[index], (query, limit))]

    def _matches(self, index: Index, query: str) -> int:
        """How many turns match, but at most one more than are ranked."""
        return self._value(_COUNTS[index], (query, MOST_RANKED + 1))

    def _add_words(self, transcript: int, first: int, last: int) -> None:
        """Index the new turns at these positions, and the windows of their neighbours again."""
        self._run(
            "INSERT INTO turn_words (rowid, text) SELECT id, text FROM turn"
            " WHERE transcript = ? AND position BETWEEN ? AND ?",
            (transcript, first, last),
        )
        self._run(
            "INSERT INTO window_words (rowid, text) SELECT id, text FROM turn_window"
            " WHERE transcript = ? AND position BETWEEN ? AND ?",
            (transcript, first - 1, last + 1),
        )

    def _drop_windows(self, ids: Sequence[int]) -> None:
        """Take turns out of the window index, before a neighbour of theirs changes."""
        self._run("DELETE FROM window_words WHERE rowid IN (SELECT value FROM json_each(?))", (listed(ids),))

    def _word_faults(self) -> list[str]:
        """Word indexes that do not match the texts. SQLite writes for this check, so a read-only file has none."""
        faults = []
        for name in () if self.read_only else ("turn_words", "window_words"):
            try:
                self._run(f"INSERT INTO {name} ({name}, rank) VALUES ('integrity-check', 1)")
            except StoreError:
                faults.append(f"the word index {name} does not match the texts")
        return faults


def _quoted(word: str) -> str:
    """`word` as a string of the FTS5 query language: no character in it is an operator."""
    return '"' + clean(word).replace('"', '""') + '"'
