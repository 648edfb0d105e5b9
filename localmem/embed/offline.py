"""The hub's libraries, kept from asking the hub while a model of this machine is loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def offline() -> Iterator[None]:
    """Let every request of the hub's client fail inside the block, of all threads; afterwards it is as it was before.

    The client reads HF_HUB_OFFLINE once, when it is imported, and keeps it. So the variable would come too late for a
    client that is there already, and would keep one that is new from ever pulling a model in this process. What is
    changed here is what it has kept. The client must be imported; transformers does that.
    """
    constants: Any = sys.modules["huggingface_hub.constants"]
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
