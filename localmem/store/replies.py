"""Which turns the replies of chats rest on."""

from __future__ import annotations

from collections.abc import Collection

from localmem.store.database import Database, listed


class ReplyTables(Database):
    """Methods on the table `reply_source`."""

    def note_sources(self, reply: int, turns: Collection[int]) -> None:
        """Note that a turn is a reply that rests on other ones; those that are not there any more are left out.

        Raises:
            StoreError: there is no such reply, or the memory cannot be written.
        """
        with self.transaction():
            self._run(
                "INSERT OR IGNORE INTO reply_source (reply, turn) SELECT ?, id FROM turn"
                " WHERE id IN (SELECT value FROM json_each(?))",
                (reply, listed(turns)),
            )

    def replies_from(self, turns: Collection[int]) -> set[int]:
        """The replies that rest on any of these turns."""
        rows = self._rows(
            (int,),
            "SELECT DISTINCT reply FROM reply_source WHERE turn IN (SELECT value FROM json_each(?))",
            (listed(turns),),
        )
        return {reply for (reply,) in rows}
