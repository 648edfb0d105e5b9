"""Names of the conversations of a file, or of the files of an archive."""

from __future__ import annotations

_SHORT = 8
"""Characters of an id that tell two conversations of one name apart."""


class Names:
    """Gives every conversation a name of its own; the same id always gets the same one."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}
        self._taken: dict[str, int] = {}

    def name(self, wanted: str, id: str = "") -> str:
        """The name of a conversation.

        Args:
            wanted: what its file calls it.
            id: what no other conversation has; empty: it is one of its own.
        """
        if id and id in self._of:
            return self._of[id]
        name = wanted
        if name in self._taken and id:
            name = f"{wanted} ({id[:_SHORT]})"
        while name in self._taken:
            self._taken[wanted] = self._taken.get(wanted, 1) + 1
            name = f"{wanted} ({self._taken[wanted]})"
        self._taken[name] = 1
        if id:
            self._of[id] = name
        return name
