"""Remember which addresses were named before: an address comes in, whether it is news goes out, in fixed memory."""

from __future__ import annotations

from array import array

_SLOTS = 1 << 20  # 8 MB; a site of more addresses has some named twice, which costs time and nothing else


class Told:
    """A table of hashes, each in the one place it can stand. What it says is new may be old, never the other way."""

    def __init__(self, slots: int = _SLOTS) -> None:
        self._mask = slots - 1
        self._hashes = array("q", bytes(8 * slots))

    def is_news(self, site: str, url: str) -> bool:
        """Say whether an address of a site was not seen before, or so long ago that it was forgotten."""
        number = hash(url) ^ hash(site)
        at = number & self._mask
        if self._hashes[at] == number:
            return False
        self._hashes[at] = number
        return True
