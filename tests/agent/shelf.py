"""A small memory to work on, without a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from localmem.errors import StoreError
from localmem.values import StoredTurn, Transcript, Turn

SAID = [
    ("Ann", "The ferry to Ullapool leaves at nine."),
    ("Bob", "Dilip bought the Saab for 1,050 pounds."),
    ("Ann", "Bring a coat, it is cold."),
    ("Bob", "[photo](http://x) <b>Deal</b> *done*, says Dilip's grandmother."),
]
BEGAN = datetime(2025, 3, 4, 18, 30)


class Shelf:
    """Four turns in two threads; a search finds turns that share a word with the query."""

    def __init__(self) -> None:
        self.all = [
            StoredTurn(
                10 + place,
                1,
                place,
                5 + place // 2,
                Turn(who, text, BEGAN + timedelta(minutes=place), f"line {place + 1}"),
            )
            for place, (who, text) in enumerate(SAID)
        ]
        self.queries: list[str] = []

    def search(self, query: str, turns: int) -> Sequence[StoredTurn]:
        self.queries.append(query)
        words = set(query.lower().split())
        return [turn for turn in self.all if words & set(turn.turn.text.lower().replace(".", "").split())]

    def thread(self, id: int) -> Sequence[StoredTurn]:
        return [turn for turn in self.all if turn.thread == id]

    def near(self, stored: StoredTurn, distance: int) -> Sequence[StoredTurn]:
        return [turn for turn in self.all if abs(turn.position - stored.position) <= distance]

    def turns(self, ids: Sequence[int]) -> Sequence[StoredTurn]:
        by_id = {turn.id: turn for turn in self.all}
        if not set(ids) <= by_id.keys():
            raise StoreError("There is no turn.", hint="It was replaced.")
        return [by_id[id] for id in ids]

    def transcripts(self) -> Sequence[Transcript]:
        return [Transcript(1, "talk", "plain", "talk.txt", len(self.all))]

    def span(self, transcript: int) -> tuple[datetime | None, datetime | None]:
        times = [turn.turn.at for turn in self.all]
        return (times[0], times[-1]) if times else (None, None)

    def text(self, stored: StoredTurn) -> str:
        return " ".join(stored.turn.text.split())

    def likeness(self, query: str, turns: Sequence[StoredTurn]) -> Sequence[float]:
        return [0.5] * len(turns)
