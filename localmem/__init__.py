"""localmem: an offline assistant that remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from localmem.memory import Memory

__version__ = "0.1.0"
__all__ = ["Memory", "__version__"]


def __getattr__(name: str) -> Any:
    """Load `Memory` on first use, so that `import localmem` costs nothing."""
    if name == "Memory":
        from localmem.memory import Memory

        return Memory
    raise AttributeError(f"module 'localmem' has no attribute {name!r}")
