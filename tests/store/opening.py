"""Opening what cannot be opened, for the tests of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from localmem.errors import StoreError
from localmem.store import Store


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def refused(path: Path, kind: type[StoreError], *, create: bool = True) -> StoreError:
    """Opening fails with one line and a hint, and leaves the folder as it was."""
    before = files(path.parent) if path.parent.is_dir() else None
    with pytest.raises(StoreError) as caught:
        Store.open(path, create=create)
    assert type(caught.value) is kind
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value) + caught.value.hint
    assert caught.value.hint
    assert (files(path.parent) if path.parent.is_dir() else None) == before
    return caught.value
