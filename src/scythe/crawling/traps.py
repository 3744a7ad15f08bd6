"""Detect crawler traps: endless calendars, session ids, recursive folders, combined filters.

A URL's form alone stops nothing, unless no honest URL looks like that. A kind of URL is stopped when its pages keep
repeating what others of the kind say. Seen pages are remembered in a hash table of fixed size.

Before that, kinds take turns: URLs of a kind that its own pages name wait the longer, the more of them there are beyond
those that brought something new. Nothing is lost by it; what other kinds lead to comes first.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import pairwise
from urllib.parse import SplitResult, urlsplit

from scythe.engine.sampling import _TRAPS_DIGITS, _pairs, kinds_of
from scythe.limits import LIMITS

_BUCKET = 16  # marks; with half of the table used, 4 of 1 000 buckets are full
_SIZES = (1 << 10, 1 << 14, 1 << 18)  # of the table, each used to a half: most sites are small, and there may be many


class HashSet:
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


REPEATED_PATH = "its path repeats itself"
DEEP_PATH = "its path is too long"
FAR_AHEAD = "a calendar far ahead"
SAME_AGAIN = "pages of this kind keep repeating what others said"
TOO_MANY_ALIKE = "too many pages of this kind"
COMBINATIONS = "too many combinations of query parameters"
TOO_MANY_HOSTS = "too many hosts below the site's own"
SITE_FULL = "the site has too many pages"

WINDOW = 40  # pages of one kind that are remembered as new or told before
TOLD = 36  # of these may have been told before, then it is enough
LEAST = 12  # of the window, where few pages are wanted
COARSE = 4  # times as many for kinds that only resemble each other
LITTLE_CHARS = 200  # of text: pages that say so little may well say the same, and be pages all the same
PATIENCE = 50  # times as many of them are looked at, where no limit of pages is at stake
YEARS_AHEAD = 2  # events are announced that early
NAME_SETS = 24  # different sets of parameter names on one path: filters that combine
NAME_SETS_EACH = 2  # times as many sets as names; one program for a whole site has about as many of both
_NAME_SETS_KEPT = 100
_KINDS = 20_000  # of addresses kept in mind
_TURN = 8  # addresses of a kind that its own pages name, beyond those that brought something new, before others' turn
_LAST_TURN = 1_000
_FOLDERS = 3  # below which all depths are one kind to take turns with
_BLOCK = 4  # segments that may repeat together
_TIMES = 3  # in a row
_TIMES_APART = 4  # one segment, anywhere
_DATE = re.compile(r"(?<![0-9])([12][0-9]{3})(?:[-_./]?(?:0?[1-9]|1[0-2]))?(?:[-_./]?[0-3]?[0-9])?(?![0-9])")
# a year and a month; a number of four digits alone is as likely to count pages
_DATED = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}[-_./](?:0?[1-9]|1[0-2])(?![0-9])")
_DATE_NAMES = frozenset(
    "date day month year week cal calendar start end from to startdate enddate tribe-bar-date ical mcat y m d".split()
)
_CALENDARS = frozenset(
    "calendar calendars cal events event agenda diary schedule kalender termine calendrier evenements calendario "
    "eventos eventi kalendarz takvim etkinlikler day month year week".split()
)


def why_endless(url: str, now_year: int | None = None) -> str:
    """Return why no honest address looks like this one, or an empty string."""
    parts = urlsplit(url)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > LIMITS.path_segments:
        return DEEP_PATH
    if len(segments) >= _TIMES and _repeats(segments):
        return REPEATED_PATH
    year = now_year or datetime.now(UTC).year
    return FAR_AHEAD if any(year + YEARS_AHEAD < named < 2_999 for named in _years(parts.path, parts.query)) else ""


def _repeats(segments: list[str]) -> bool:
    words = Counter(segment for segment in segments if not segment.isdigit())
    if words and max(words.values()) >= _TIMES_APART:
        return True
    for size in range(1, min(_BLOCK, len(segments) // _TIMES) + 1):
        run = 0
        for at in range(len(segments) - size):
            run = run + 1 if segments[at] == segments[at + size] else 0
            block = segments[at + 1 : at + 1 + size]
            if run >= size * (_TIMES - 1) and not all(piece.isdigit() for piece in block):
                return True
    return False


def _years(path: str, query: str) -> list[int]:
    """Return the years that an address names as dates: before a month in a calendar, or as its parameter."""
    segments = path.lower().split("/")
    found = [
        int(one)
        for one, other in pairwise(segments)
        if len(one) == 4 and one.isascii() and one.isdigit() and other.isdigit() and 0 < int(other[:3]) <= 12
    ]
    is_archive = len(segments) > 2 and len(segments[2]) == 2 and len(segments[1]) == 4  # /2049/05/
    if not is_archive and _CALENDARS.isdisjoint(segments):  # /thread/2500/2 is the second page of a thread
        found = []
    if query and not _DATE_NAMES.isdisjoint(name.lower() for name, _ in _pairs(query)):
        for name, value in _pairs(query):
            if name.lower() in _DATE_NAMES and (date := _DATE.match(value)):
                found.append(int(date[1]))
    return found


@dataclass(slots=True)
class UrlKind:
    """What is known of addresses that look alike."""

    pages: int = 0
    window: int = 0  # a bit per page, the newest lowest: told before
    full: int = 0  # pages in the window

    def note(self, told: bool, size: int) -> bool:
        """Take one more page; say whether nearly all of the last `size` were told before."""
        self.window = (self.window << 1 | told) & ((1 << size) - 1)
        self.full = min(self.full + 1, size)
        return self.full == size and self.window.bit_count() * WINDOW >= TOLD * size


def _turn_kind(url: str) -> str:
    """Return what addresses have in common that take turns together."""
    parts = urlsplit(url)
    folders = parts.path.split("/", _FOLDERS + 1)
    if len(folders) > _FOLDERS + 1:
        return folders[1]
    return kinds_of(url)[0]


def _adds_filter(url: str, named_on: str) -> bool:
    """Say whether an address is that of the page it is named on with one parameter more than that has."""
    new, old = urlsplit(url), urlsplit(named_on)
    return (new.path, new.netloc) == (old.path, old.netloc) and "&" in new.query and _names(new) > _names(old)


def _names(parts: SplitResult) -> set[str]:
    return {name for name, _ in _pairs(parts.query)}


@dataclass(slots=True)
class UrlTurns:
    """What decides on the turn of addresses that look alike."""

    named: int = 0  # by pages of their own kind
    pages: int = 0
    fresh: int = 0  # of these, that said, numbers apart, what none of their kind had said


@dataclass(slots=True)
class Traps:
    """What was seen of one site, as far as it tells where to stop; bounded."""

    limit: int | None = None  # pages wanted: with few, traps must not take the most of them
    pages: int = 0
    kinds: dict[str, UrlKind] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)  # kind -> reason
    hosts: set[str] = field(default_factory=set)
    marks: HashSet = field(default_factory=HashSet, compare=False)  # of a kind and what a page of it said
    name_sets: dict[str, set[frozenset[str]]] = field(default_factory=dict)  # path -> sets of parameter names
    turns: dict[str, UrlTurns] = field(default_factory=dict)
    year: int | None = None  # the present one; None: by the clock

    def why_trapped(self, url: str) -> str:
        """Return why an address is not to be visited, or an empty string."""
        why = why_endless(url, self.year)
        if why:
            return why
        if self.pages >= LIMITS.site_addresses:
            return SITE_FULL
        parts = urlsplit(url)
        if parts.netloc not in self.hosts and len(self.hosts) >= LIMITS.site_hosts:
            return TOO_MANY_HOSTS
        if self.stopped:
            for kind in kinds_of(url):
                if kind in self.stopped:
                    return self.stopped[kind]
        return COMBINATIONS if "&" in parts.query and self._has_filters(parts.path) else ""

    def _has_filters(self, path: str) -> bool:
        """Say whether parameters on a path are combined freely: many more sets of them than parameters."""
        sets = self.name_sets.get(path, ())
        if len(sets) <= NAME_SETS:
            return False
        return len(sets) > NAME_SETS_EACH * len(frozenset().union(*sets))

    def turn_of(self, url: str, named_on: str) -> int:
        """Return when an address has its turn: 0 is at once, and what a kind has too many of waits for the others."""
        kind = _turn_kind(url)
        if "&" in url and _adds_filter(url, named_on):
            kind = urlsplit(url).path + "?&"
            is_own = True
        else:
            is_own = kind == _turn_kind(named_on)
        turns = self._turns_of(kind)
        if turns is None:
            return 0
        turns.named += is_own
        ahead = max(turns.named - turns.fresh, 0) if is_own else 0
        return min((ahead + turns.pages - turns.fresh) // _TURN, _LAST_TURN)

    def _turns_of(self, kind: str) -> UrlTurns | None:
        turns = self.turns.get(kind)
        if turns is None and len(self.turns) < _KINDS:
            turns = self.turns[kind] = UrlTurns()
        return turns

    def note(self, url: str, title: str = "", text: str = "", other: str = "") -> str:
        """Take what the page at `url` said, and what `other` sets it apart; return why its kind ends here, or ""."""
        self.pages += 1
        parts = urlsplit(url)
        if len(self.hosts) < LIMITS.site_hosts:
            self.hosts.add(parts.netloc)
        self._note_names(parts.path, parts.query)
        dated = bool(_DATED.search(parts.path) or _years(parts.path, parts.query))
        said = f"{title}\n{text}\n{other}"
        if dated:  # an empty month is like any other, also where it links to its days
            said = _TRAPS_DIGITS.sub("", f"{title}\n{text}\n") + " ".join(
                sorted(set(_TRAPS_DIGITS.sub("", other).split()))
            )
        self._note_turn(url, said)
        judged = dated or bool(text.strip() or other)
        why = ""
        window = WINDOW if self.limit is None else min(max(self.limit // 10, LEAST), WINDOW)
        if self.limit is None and not dated and len(title) + len(text) < LITTLE_CHARS:
            window *= PATIENCE
        mark = blake2b(said.encode("utf-8", "replace"), digest_size=16).digest() if judged else b""
        for kind, size in zip(kinds_of(url), (window, window * COARSE), strict=True):
            why = self._note_kind(kind, mark, size, judged) or why
        return why

    def _note_turn(self, url: str, said: str) -> None:
        kind = _turn_kind(url)
        turns = self._turns_of(kind)
        if turns is not None:
            turns.pages += 1
            mark = f"{kind}\n{_TRAPS_DIGITS.sub('', said)}".encode("utf-8", "replace")
            turns.fresh += self.marks.is_new(int.from_bytes(blake2b(mark, digest_size=8).digest(), "little"))

    def _note_kind(self, name: str, said: bytes, size: int, judged: bool) -> str:
        kind = self.kinds.get(name)
        if kind is None:
            if len(self.kinds) >= _KINDS:
                return ""
            kind = self.kinds[name] = UrlKind()
        kind.pages += 1
        if kind.pages >= LIMITS.shape_pages:
            self.stopped[name] = TOO_MANY_ALIKE
        elif judged:
            mark = blake2b(name.encode("utf-8", "replace") + said, digest_size=8).digest()
            told = not self.marks.is_new(int.from_bytes(mark, "little"))
            if kind.note(told, size):
                self.stopped[name] = SAME_AGAIN
        return self.stopped.get(name, "")

    def _note_names(self, path: str, query: str) -> None:
        if "&" in query and (path in self.name_sets or len(self.name_sets) < _KINDS):
            sets = self.name_sets.setdefault(path, set())
            if len(sets) < _NAME_SETS_KEPT:
                sets.add(frozenset(name for name, _ in _pairs(query)))

    def to_json(self) -> dict[str, object]:
        """Return what is worth keeping between runs, as plain values."""
        return {"pages": self.pages, "stopped": dict(self.stopped)}

    @classmethod
    def from_json(cls, plain: Mapping[str, object], limit: int | None = None) -> Traps:
        """Read what `to_json` wrote; whatever else comes is left out."""
        pages, stopped = plain.get("pages"), plain.get("stopped")
        traps = cls(limit, pages if isinstance(pages, int) else 0)
        if isinstance(stopped, dict):
            traps.stopped = {str(kind): str(why) for kind, why in list(stopped.items())[:_KINDS]}
        return traps
