"""What a Z-machine's memory says of the game: place, score, objects, words.

After the Z-Machine Standards Document 1.1, sections 3 (text), 6.2 (globals), 8.2 (status line), 11 (header), 12
(objects) and 13 (dictionary). In versions 1 to 3 the first three globals are what the status line shows.
"""

from __future__ import annotations

from dataclasses import dataclass

_A0 = "abcdefghijklmnopqrstuvwxyz"
_A1 = _A0.upper()
_A2 = " \n0123456789.,!?_#'\"/\\-:()"
_MOST_OBJECTS = 2000


@dataclass(frozen=True, slots=True)
class Picture:
    """A machine's memory at one moment.

    Args:
        data: the whole story, its dynamic part as it is now.
    """

    data: bytes

    @property
    def version(self) -> int:
        """Of the machine, 1 to 8."""
        return self.data[0]

    @property
    def status_line(self) -> bool:
        """Whether place and score stand where the standard says."""
        return self.version <= 3

    @property
    def place(self) -> int:
        """Number of the object that is the place."""
        return self._global(0)

    @property
    def score(self) -> int:
        """The score, which may be negative."""
        value = self._global(1)
        return value - 0x10000 if value & 0x8000 else value

    def objects(self) -> bytes:
        """Attributes and places of all objects: equal bytes mean that nothing was moved or changed."""
        start, size = self._objects()
        tree = size - 2  # without the address of the properties, which never changes
        return b"".join(
            self.data[start + number * size : start + number * size + tree] for number in range(self._count())
        )

    def name(self, number: int) -> str:
        """Short name of an object; empty if there is no such object."""
        start, size = self._objects()
        if not 1 <= number <= self._count():
            return ""
        properties = self._word(start + number * size - 2)
        return self._text(properties + 1) if self._byte(properties) else ""

    def words(self) -> frozenset[str]:
        """The dictionary; words are cut to 6 characters, from version 4 on to 9."""
        table = self._word(0x08)
        table += 1 + self._byte(table)
        length, count = self._byte(table), self._word(table + 1)
        return frozenset(self._text(table + 3 + place * length, self.word_bytes) for place in range(count))

    @property
    def word_bytes(self) -> int:
        """Bytes of a word's text in the dictionary; three characters take two."""
        return 4 if self.version <= 3 else 6

    def _global(self, number: int) -> int:
        return self._word(self._word(0x0C) + 2 * number)

    def _byte(self, address: int) -> int:
        return int.from_bytes(self.data[address : address + 1], "big")  # 0 behind the end of a broken story

    def _word(self, address: int) -> int:
        return int.from_bytes(self.data[address : address + 2], "big")

    def _objects(self) -> tuple[int, int]:
        """Address of the first object, and bytes of each."""
        old = self.version <= 3
        return self._word(0x0A) + (62 if old else 126), 9 if old else 14

    def _count(self) -> int:
        """How many objects there are: the table ends where the first properties begin."""
        start, size = self._objects()
        end = len(self.data)
        number = 0
        while number < _MOST_OBJECTS and start + (number + 1) * size <= end:
            end = min(end, self._word(start + (number + 1) * size - 2))
            number += 1
        return number

    def _text(self, address: int, length: int | None = None, inside: bool = False) -> str:
        """The encoded text at an address; `length`: bytes that it has at most."""
        codes: list[int] = []
        end = len(self.data) if length is None else min(address + length, len(self.data))
        while address + 2 <= end:
            word = self._word(address)
            codes += [word >> 10 & 31, word >> 5 & 31, word & 31]
            address += 2
            if word & 0x8000:
                break
        return self._decoded(codes, inside)

    def _decoded(self, codes: list[int], inside: bool) -> str:
        text = ""
        alphabet = 0
        place = 0
        while place < len(codes):
            code = codes[place]
            place += 1
            shift, alphabet = alphabet, 0
            if code == 0:
                text += " "
            elif code in (1, 2, 3):
                if place < len(codes) and not inside:  # an abbreviation holds none itself
                    entry = self._word(0x18) + 2 * (32 * (code - 1) + codes[place])
                    text += self._text(2 * self._word(entry), inside=True)
                place += 1
            elif code in (4, 5):
                alphabet = code - 3
            elif shift == 2 and code == 6:
                if place + 1 < len(codes):
                    text += chr(codes[place] << 5 | codes[place + 1])
                place += 2
            else:
                text += (_A0, _A1, _A2)[shift][code - 6]
        return text
