"""Search by words: two FTS5 indexes over the turns' texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from localmem.errors import StoreError
from localmem.store.database import Database, listed
from localmem.store.rows import clean

_SEARCHES = {
    index: f"SELECT rowid, -rank FROM {index}_words WHERE {index}_words MATCH ? ORDER BY rank, rowid LIMIT ?"
    for index in ("turn", "window")
}


class WordIndexes(Database):
    """Methods on `turn_words` and `window_words`.

    Both read the texts from `turn` and store none. So a row must leave an index while its old text can
    still be read, and enter it again when the new text stands.
    """

    def search_words(
        self, words: Sequence[str], limit: int, *, index: Literal["turn", "window"] = "turn"
    ) -> list[tuple[int, float]]:
        """Turns that have any of `words`, as (id, BM25), best (largest) first.

        Words are compared by their Porter stems, without case and accents. Any text may stand in `words`;
        one with several words in it is looked for as a phrase.

        Args:
            words: what to look for.
            limit: at most so many turns.
            index: "turn" looks into the turn's own text, "window" also into the texts of the turn before
                and the turn after it in the same transcript.
        """
        query = " OR ".join(dict.fromkeys(map(_quoted, words)))
        if not query or limit < 1:
            return []
        return [(id, score) for id, score in self._rows((int, float), _SEARCHES[index], (query, limit))]

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
