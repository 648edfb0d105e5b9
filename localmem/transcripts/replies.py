"""What a message answers that was said long before it."""

from __future__ import annotations

from collections import OrderedDict

NEAR = 10
"""Messages back that people still have before their eyes, so that no quote is needed."""
KEPT = 5_000
"""Messages that can be quoted."""
QUOTED = 80
"""Characters of the quote."""


class Replies:
    """Keeps the beginnings of messages, for the answers to them."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, tuple[int, str, str]] = OrderedDict()
        self._count = 0

    def add(self, id: str, speaker: str, text: str) -> None:
        """The next message."""
        self._count += 1
        line = " ".join(text[: 2 * QUOTED].split())
        self._said[id] = (
            self._count,
            speaker,
            line if len(line) <= QUOTED else f"{line[:QUOTED].rstrip()} …",
        )
        if len(self._said) > KEPT:
            self._said.popitem(last=False)

    def mark(self, id: str) -> str:
        """What stands before an answer: "[reply to Anna: Shall we go?] "; empty where the message is near or not known."""
        number, speaker, line = self._said.get(id, (self._count, "", ""))
        return f"[reply to {speaker}: {line}] " if self._count - number >= NEAR else ""
