"""Forgetting what was said in this chat, also by the arrow keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from localmem.errors import UsageError

if TYPE_CHECKING:
    from localmem.cli.chat_session import Session
    from localmem.values import StoredTurn

T = TypeVar("T")

FORMAT = "chat"
"""Of the transcripts that chats write."""
WE = "localmem"
"""Who replies in them."""


def forget(session: Session, everything: bool) -> tuple[list[str], list[str]]:
    """Forget the last turn of this chat for good, or all of them, with what they made of the tasks.

    Args:
        session: the chat.
        everything: all turns; the person is asked first.

    Returns:
        What was said in the turns that are gone, and what they had made of the tasks.

    Raises:
        UsageError: nothing of this chat is in the memory, or the person does not agree.
        StoreError: the memory cannot be read or written.
    """
    kept = [] if session.fresh else _kept(session)
    if not kept:
        raise UsageError("Nothing of this chat is in the memory.")
    gone = kept if everything else kept[-1:]
    if everything:
        plural = "" if len(gone) == 1 else "s"
        question = f"Forget {len(gone)} turn{plural} of this chat for good, and what came of them?"
        if not session.confirm(question):
            raise UsageError("Nothing was forgotten.", hint="Somebody at the terminal must agree to that.")
    report = session.memory.forget(turn=[stored.id for stored in gone], tasks=True, yes=True)
    for stored in reversed(gone):
        _drop(session, stored.turn.text)
    return [stored.turn.text for stored in gone], list(dict.fromkeys(report.tasks))


def _kept(session: Session) -> list[StoredTurn]:
    """What the person said in this chat, as far as the memory has it: also a turn whose reply was stopped."""
    said = {_words(text) for text in session.said}
    found: list[list[StoredTurn]] = [[]]
    for transcript in session.memory.transcripts():
        if transcript.format == FORMAT:
            turns = session.memory.recent(transcript.id, 2 * len(session.said))
            found.append([one for one in turns if _is_ours(one, session, said)])
    return max(found, key=len)  # another chat may be running


def _is_ours(stored: StoredTurn, session: Session, said: set[str]) -> bool:
    turn = stored.turn
    return turn.speaker != WE and stored.id > session.before and _words(turn.text) in said


def _drop(session: Session, text: str) -> None:
    """Take a turn out of what this chat knows: /save and /why must not bring it back, nor the arrow keys."""
    words = _words(text)
    session.forgotten(text)
    session.said = _without_last(session.said, [_words(one) for one in session.said], words)
    session.entries = _without_last(session.entries, [_words(one.said) for one in session.entries], words)


def _without_last(items: Sequence[T], keys: Sequence[str], key: str) -> list[T]:
    for place in range(len(items) - 1, -1, -1):
        if keys[place] == key:
            return [*items[:place], *items[place + 1 :]]
    return [*items]


def _words(text: str) -> str:
    return " ".join(text.split())
