"""Remember which marks were seen: numbers of 64 bits come in, whether each came before goes out.

The table is one array, with room for a quarter of a million marks in two megabytes. A set of so many would take twelve,
and grow for hours. Where there is no room left, the oldest marks of the same bucket are forgotten.
"""

from __future__ import annotations

from array import array

_BUCKET = 16  # marks; with half of the table used, 4 of 1 000 buckets are full
_SIZES = (1 << 10, 1 << 14, 1 << 18)  # of the table, each used to a half: most sites are small, and there may be many


class Marks:
    """Marks that were seen, newest first in each bucket; 0 stands for none."""

    def __init__(self, sizes: tuple[int, ...] = _SIZES) -> None:
        self._sizes = sizes
        self._slots = _empty(sizes[0])
        self._count = 0

    def __len__(self) -> int:
        """Return how many places there are, used or not."""
        return len(self._slots)

    def is_new(self, mark: int) -> bool:
        """Take a mark; say whether it is new, as far as is remembered."""
        mark = mark or 1
        first = mark % (len(self._slots) // _BUCKET) * _BUCKET
        if mark in self._slots[first : first + _BUCKET]:
            return False
        if len(self._slots) < self._sizes[-1] and self._count >= len(self._slots) // 2:
            self._widen()
        self._put(mark)
        return True

    def _put(self, mark: int) -> None:
        first = mark % (len(self._slots) // _BUCKET) * _BUCKET
        last = first + _BUCKET - 1
        self._slots[first + 1 : last + 1] = self._slots[first:last]
        self._slots[first] = mark
        self._count += 1

    def _widen(self) -> None:
        before = self._slots
        self._slots = _empty(next(size for size in self._sizes if size > len(before)))
        self._count = 0
        for mark in reversed(before):  # the newest of a bucket last, that it is first again
            if mark:
                self._put(mark)


def _empty(size: int) -> array[int]:
    return array("Q", bytes(8 * size))
