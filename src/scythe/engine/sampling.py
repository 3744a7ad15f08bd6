"""Choose and keep the pages from which a crawl learns a site.

The first pages of a crawl rarely show all layouts. Pages that no rule fits are kept too, and when there are many the
site is learned again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from urllib.parse import urlsplit

from scythe.crawl_model import Task
from scythe.limits import LIMITS
from scythe.url import url_shape

_TRAPS_DIGITS = re.compile(r"[0-9]++")
_MIXED = re.compile(r"(?=[^0-9]*+[0-9])[0-9A-Za-z_-]{8,}")
_WORD = re.compile(r"[A-Za-z]{1,20}")


def _pairs(query: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (pair.partition("=") for pair in query.split("&")) if name]


@lru_cache(maxsize=4_096)  # asked for when an address is found, visited and noted
def kinds_of(url: str) -> tuple[str, str]:
    """Return what addresses like this one have in common, strictly and coarsely taken."""
    parts = urlsplit(url)
    segments = parts.path.split("/")
    last = max((at for at, segment in enumerate(segments) if segment), default=0)
    path = "/".join(_piece(segment, at < last) for at, segment in enumerate(segments[: LIMITS.path_segments]))
    query = "&".join(sorted({f"{name}={_value(value)}" for name, value in _pairs(parts.query)})) if parts.query else ""
    return (path + "?" + query if query else path)[:500], "~" + url_shape(url)[:500]


def _piece(segment: str, is_folder: bool) -> str:
    """Write a folder as it is, as far as it is a word; of what a path ends in, what it looks like."""
    if segment.isdigit():
        return "9"
    if is_folder and not _MIXED.fullmatch(segment):
        return segment
    return url_shape("/" + segment)[1:]


def _value(value: str) -> str:
    return value if _WORD.fullmatch(value) else _TRAPS_DIGITS.sub("9", value) if len(value) < 8 else "*"


class SampleChoice:
    """Which kinds of address were asked for so far."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    def choose(self, waiting: Sequence[Task]) -> int:
        """Return the place of the next address to ask for: of the kind with the most for each one taken, its middle.

        What a site has many of is what it is read for, and a layout is learned best from several pages. Lists of
        addresses come first, as they stand, and those of one rank before those of the next.
        """
        if not waiting or waiting[0].kind != "page":
            return 0
        first = min(task.rank for task in waiting if task.kind == "page")
        places: dict[str, list[int]] = {}
        for place, task in enumerate(waiting):
            if task.kind == "page" and task.rank == first:
                places.setdefault(kinds_of(task.url)[0], []).append(place)
        kind = max(places, key=lambda kind: len(places[kind]) / (1 + self._taken[kind]) ** 2)
        self._taken[kind] += 1
        return places[kind][len(places[kind]) // 2]


FIRST = 12  # pages before a site is learned at all
_USUAL, _ODD = 24, 48  # pages kept that fit, and that do not
_OF_A_KIND = 2  # of those that fit, with addresses that look alike
_LOOKED_AT = 8  # once there are enough that fit, every so many of them are looked at for another kind
_MISFITS = 16  # pages that do not fit before the second attempt, and four times as many before each one after that
_ATTEMPTS = 6  # in one run
_SHARE = 0.02  # of the pages since the last attempt that did not fit: below, learning costs more than it saves
_OF_USUAL, _OF_ODD = 12, 12  # pages that are learned from again
_PAGE_BYTES = 2_000_000  # learning takes some seconds a megabyte
_BYTES = 16_000_000  # of all pages kept
_TROUBLES = 200  # kinds of trouble remembered
_NO_RULE = "no rule in this layout"
_DIGITS = re.compile(r"\d+")

Kept = tuple[str, bytes]  # address and body


@dataclass(slots=True)
class PageSample:
    """The pages kept of one site, and when they are enough."""

    is_learned: bool = False
    usual: list[Kept] = field(default_factory=list)
    odd: list[Kept] = field(default_factory=list)
    _attempts: int = 0
    _gains: int = 0  # attempts at learning more that were of use
    _pages: int = 0  # since the last attempt
    _misfits: int = 0  # of them
    _troubles: set[str] = field(default_factory=set)  # of these
    _hopeless: set[str] = field(default_factory=set)  # troubles that learning did not end
    _kinds: set[str] = field(default_factory=set)  # of the addresses that were learned from

    def add(self, url: str, body: bytes, trouble: str = "") -> None:
        """Take in a page that was extracted; `trouble` says what of it the rules did not fit."""
        self._pages += 1
        if self._is_over or len(body) > _PAGE_BYTES:
            return
        if not trouble:
            self._keep_usual(url, body)
        elif self._may_help(kind_of(url), trouble):
            self._misfits += 1
            self._keep(self.odd, (url, body), _ODD)

    def _keep(self, pages: list[Kept], page: Kept, most: int) -> None:
        pages.append(page)
        del pages[:-most]
        while sum(len(body) for _, body in (*self.usual, *self.odd)) > _BYTES:
            (self.odd or self.usual).pop(0)

    def _keep_usual(self, url: str, body: bytes) -> None:
        if not self.is_learned or len(self.usual) < FIRST:
            self._keep(self.usual, (url, body), _USUAL)
        elif self._pages % _LOOKED_AT == 0 and len(self.usual) < _USUAL:
            kind = kind_of(url)
            if sum(kind_of(other) == kind for other, _ in self.usual) < _OF_A_KIND:
                self._keep(self.usual, (url, body), _USUAL)

    def _may_help(self, kind: str, trouble: str) -> bool:
        """Say whether learning may end a trouble: not where it did not, though it had seen such pages."""
        name = f"{kind} {_DIGITS.sub('', trouble)}"
        if name in self._hopeless or (_NO_RULE in trouble and kind in self._kinds):
            return False
        if len(self._troubles) < _TROUBLES:
            self._troubles.add(name)
        return True

    @property
    def is_due(self) -> bool:
        """Whether learning is worth an attempt now; each that was of use lets the next wait for more pages."""
        if self._is_over:
            return False
        if not self.is_learned:
            return self._pages >= FIRST << self._attempts and len(self.usual) >= FIRST // 2
        return self._misfits >= _MISFITS * 4**self._gains and self._misfits >= _SHARE * self._pages

    def begin(self) -> list[Kept]:
        """Return the pages to learn from, of as many kinds of addresses as there are, and count the attempt."""
        self._attempts += 1
        self._pages = self._misfits = 0
        if not self.is_learned:
            return list(self.usual)
        return [*_pick(self.usual, _OF_USUAL), *_pick(self.odd, _OF_ODD)]

    def settle(self, *, learned: bool) -> None:
        """Take note of how the attempt ended."""
        pages = [*self.usual, *self.odd]
        if learned:
            self._gains += self.is_learned
            self.is_learned = True
            self._kinds |= {kind_of(url) for url, _ in pages}
            self.usual = _pick(pages, _USUAL)
        elif self.is_learned and len(self._hopeless) < _TROUBLES:
            self._hopeless |= self._troubles
        self.odd, self._troubles = [], set()
        if self._is_over:
            self.usual = []

    @property
    def _is_over(self) -> bool:
        return self._attempts >= _ATTEMPTS


def kind_of(url: str) -> str:
    """Return what pages of one kind share: the first folder of their address, as in `/shop/`, and its shape."""
    folder, _, rest = url.partition("://")[2].partition("/")[2].partition("/")
    return f"{folder if rest else ''} {url_shape(url)}"


def _pick(pages: Sequence[Kept], count: int) -> list[Kept]:
    """Return pages of all kinds of addresses in turn, the newest of each first."""
    by_kind: dict[str, list[Kept]] = {}
    for page in reversed(pages):
        by_kind.setdefault(kind_of(page[0]), []).append(page)
    turns = zip_longest(*by_kind.values())
    return [page for turn in turns for page in turn if page is not None][:count]
