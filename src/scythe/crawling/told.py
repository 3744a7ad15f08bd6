"""Remember which addresses were named before: an address comes in, whether it is news goes out, in fixed memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable

_SLOTS = 1 << 20  # 8 MB; a site of more addresses has some named twice, which costs time and nothing else


class Told:
    """A table of hashes, each in the one place it can stand. What it says is new may be old, never the other way."""

    def __init__(self, slots: int = _SLOTS) -> None:
        self._mask = slots - 1
        self._hashes = array("q", bytes(8 * slots))
        self._asked = 0

    def ask_for(self, site: str) -> Callable[[str, bool], bool]:
        """Return a function that says whether an address of a site was not seen before, or so long ago that it is lost.

        An address that is not to be followed is another one: the next page may say otherwise. Every function begins
        with nothing seen: what was said to a run that ended need not have been stored.
        """
        self._asked += 1
        hashes, mask = self._hashes, self._mask
        salts = (hash((site, self._asked, False)), hash((site, self._asked, True)))

        def is_news(url: str, is_nofollow: bool) -> bool:
            number = hash(url) ^ salts[is_nofollow]
            at = number & mask
            if hashes[at] == number:
                return False
            hashes[at] = number
            return True

        return is_news
