"""Keep some pages of a site to learn it from: pages come in as they are crawled, enough of them go out when it is time.

The first pages of a crawl seldom show all that a site has. So pages that what was learned does not fit are kept too,
and when they are many the site is learned once more, from both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

FIRST = 12  # pages before a site is learned at all
_ODD = 24  # pages kept that do not fit
_ROUNDS = 5  # attempts at learning one site in one run
_SHARE = 0.04  # of the pages since the last attempt that did not fit: below, learning costs more than it saves
_PAGE_BYTES = 2_000_000  # learning takes some seconds a megabyte
_BYTES = 16_000_000  # of all pages kept

Kept = tuple[str, bytes]  # address and body


@dataclass(slots=True)
class Sample:
    """The pages kept of one site, and when they are enough."""

    is_learned: bool = False
    usual: list[Kept] = field(default_factory=list)
    odd: list[Kept] = field(default_factory=list)
    _rounds: int = 0
    _pages: int = 0  # since the last attempt
    _misfits: int = 0  # of them

    def add(self, url: str, body: bytes, *, fits: bool) -> None:
        """Take in a page that was extracted; `fits`: what was learned fits it, or nothing was learned yet."""
        self._pages += 1
        self._misfits += not fits
        if len(body) > _PAGE_BYTES or self._rounds >= _ROUNDS:
            return
        if not fits:
            self.odd.append((url, body))
            del self.odd[:-_ODD]
        elif len(self.usual) < FIRST or not self.is_learned:
            self.usual.append((url, body))
            del self.usual[: -2 * FIRST]
        while _size(self.usual) + _size(self.odd) > _BYTES:
            (self.odd or self.usual).pop(0)

    @property
    def is_due(self) -> bool:
        """Whether learning is worth an attempt now; each waits for twice as many pages as the one before."""
        wanted = FIRST << self._rounds
        if self._rounds >= _ROUNDS:
            return False
        if not self.is_learned:
            return self._pages >= wanted and len(self.usual) >= FIRST // 2
        return self._misfits >= wanted // 2 and self._misfits >= _SHARE * self._pages

    def begin(self) -> list[Kept]:
        """Return the pages to learn from, and count the attempt."""
        self._rounds += 1
        self._pages = self._misfits = 0
        return [*self.usual, *self.odd]

    def settle(self, *, learned: bool) -> None:
        """Take note of how the attempt ended; pages that fit now are usual ones."""
        self.is_learned = self.is_learned or learned
        if self._rounds >= _ROUNDS:
            self.usual, self.odd = [], []
        elif learned:
            self.usual = [*self.usual[:FIRST], *self.odd][: FIRST + _ODD // 2]
            self.odd = []


def _size(kept: Iterable[Kept]) -> int:
    return sum(len(body) for _, body in kept)
