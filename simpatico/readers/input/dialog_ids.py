"""Which dialogs there were already, in little memory."""

from __future__ import annotations

from array import array

EMPTY = 2**64 - 1


class Seen:
    """A set of texts by their 64-bit hashes, in 16 to 32 bytes each."""

    def __init__(self) -> None:
        self._slots = array("Q", [EMPTY]) * 1024
        self._n = 0

    def add(self, text: str) -> bool:
        """Whether the text is new."""
        new = self._put(hash(text) % EMPTY)
        self._n += new
        if 2 * self._n > len(self._slots):
            old = self._slots
            self._slots = array("Q", [EMPTY]) * (2 * len(old))
            for value in old:
                if value != EMPTY:
                    self._put(value)
        return new

    def _put(self, value: int) -> bool:
        slots, mask = self._slots, len(self._slots) - 1
        at = value & mask
        while (there := slots[at]) != EMPTY:
            if there == value:
                return False
            at = (at + 1) & mask
        slots[at] = value
        return True
