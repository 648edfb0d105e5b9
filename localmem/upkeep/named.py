"""What people call a transcript: its name, its file or its number."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence

from localmem.errors import StoreError
from localmem.store import Store


def transcripts(store: Store, named: str | int) -> tuple[int, ...]:
    """Ids of the transcripts of this name or file, or the one of this number.

    Raises:
        StoreError: there is none.
    """
    there = store.transcripts()
    text = str(named)
    found = [one.id for one in there if text in (one.name, one.path)]
    if not found:  # some systems take the letters of names of files apart
        found = [one.id for one in there if _composed(text) in (_composed(one.name), _composed(one.path))]
    found = found or [one.id for one in there if text == str(one.id)]
    if not found:
        hint = near(text, [one.name for one in there]) or "See: localmem stats"
        raise StoreError(f"There is no transcript {text!r} in {store.path}.", hint=hint)
    return tuple(found)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def near(text: str, names: Sequence[str]) -> str:
    """A hint at the names that are spelled nearly so; empty if none is."""
    folded = {name.casefold(): name for name in names}
    found = difflib.get_close_matches(text.casefold(), folded, n=3)
    return f"Did you mean: {', '.join(folded[name] for name in found)}?" if found else ""
