"""Recognise the lists of a page on later visits, also after a redesign.

A list that still shows known records is the same one. Otherwise tag tree (paper 004, Figure 5), URL shapes, columns,
kind, size and place count; all lists are assigned together, the surest first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from urllib.parse import urlsplit

from scythe.archive.stored_records import identify_each
from scythe.errors import BadInput
from scythe.model import RecordList
from scythe.reading.lists.own_link import own_links
from scythe.reading.lists.pattern import Pattern, parse, similarity
from scythe.reading.lists.tree_alignment import ALIKE
from scythe.url import fold, url_shape

SHAPES = 8  # kept of one region
_SAME_RECORDS = 0.2  # of the smaller list: so many prove that it is the same
_SAME_SHAPES = 0.4  # of the addresses, where neither records nor tags are the same
_SAME_COLUMNS = 0.5
_NEAR = 10  # places a region may have moved on its page if its tags changed, too: comparing trees takes some time
_LIKE_SHAPES = 0.1  # needed where the tags are the same: a site builds all its lists alike


@dataclass(frozen=True, slots=True)
class KnownList:
    """A region as it was last seen."""

    number: int
    pattern: str
    kind: str
    columns: tuple[str, ...]
    shapes: tuple[str, ...]
    keys: tuple[str, ...]  # its newest records
    rank: int  # place among the regions of its page
    missing: int = 0  # visits in a row without it
    shown: int = 0  # records it showed; 0: as many as it has keys


@dataclass(frozen=True, slots=True)
class _Found:
    """A region as it is now, with the keys of its records."""

    region: RecordList
    keys: frozenset[str]
    shapes: tuple[str, ...]
    rank: int


def know_again(
    found: Sequence[RecordList], keys: Sequence[Sequence[str]], known: Sequence[KnownList]
) -> list[int | None]:
    """Return for each region found which of the known ones it is, by index; None: it was never seen before.

    `keys` has the keys of the records of each region found. No two regions found are the same known one.
    """
    now = [
        _Found(region, frozenset(ours), describe(region) if known else (), rank)
        for rank, (region, ours) in enumerate(zip(found, keys, strict=True))
    ]
    before = [frozenset(one.keys) for one in known]
    weights = _weigh_keys([one.keys for one in now], before)
    pairs = [
        (score, -old, -new)
        for new, one in enumerate(now)
        for old, other in enumerate(known)
        if (score := _compare(one, other, before[old], weights)) > 0.0
    ]
    answer: list[int | None] = [None] * len(found)
    taken: set[int] = set()
    for _, old, new in sorted(pairs, reverse=True):
        if answer[-new] is None and -old not in taken:
            answer[-new] = -old
            taken.add(-old)
    return answer


def _weigh_keys(*sides: Sequence[Collection[str]]) -> dict[str, float]:
    """Return what a record says about its region: less, the more regions of either side show it."""
    weights: dict[str, float] = {}
    for side in sides:
        for key, count in Counter(key for keys in side for key in keys).items():
            weights[key] = weights.get(key, 1.0) / count
    return weights


def _compare(one: _Found, other: KnownList, keys: frozenset[str], weights: dict[str, float]) -> float:
    """Return how much speaks for a region found being a known one; 0 where too little does."""
    both = one.keys & keys
    smaller, shown = min(len(one.keys), len(keys)), other.shown or len(keys)
    tags = float(one.region.pattern == other.pattern != "")
    if not tags and abs(one.rank - other.rank) <= _NEAR:
        tags = compare_patterns(one.region.pattern, other.pattern)
    shapes = _compare_shapes(one.shapes, other.shapes)
    columns = _overlap(_plain_names(one.region.columns), _plain_names(other.columns))
    is_kin = one.region.kind == other.kind
    shares_records = bool(both) and (len(both) >= _SAME_RECORDS * smaller or shapes >= _SAME_SHAPES)
    is_built_alike = tags >= ALIKE and (shapes >= _LIKE_SHAPES or not (one.shapes and other.shapes))
    leads_alike = shapes >= _SAME_SHAPES and (is_kin or columns >= _SAME_COLUMNS)
    if not (shares_records or is_built_alike or leads_alike):
        return 0.0
    score = 12 * sum(weights[key] for key in both) / (len(one.keys) + shown) if both else 0.0
    score += 2 * tags if tags >= ALIKE else 0.0  # below, it says nothing: two lists of a new design may resemble
    score += 2 * shapes + columns + 0.5 * is_kin + min(len(one.keys), shown) / max(len(one.keys), shown, 1)
    return score + 1.0 / (1 + abs(one.rank - other.rank)) - 0.05 * min(other.missing, 10) + 0.5


def describe(region: RecordList) -> tuple[str, ...]:
    """Return what the own addresses of a region's records look like: host, folder and shape, the commonest first.

    A folder that few records share says nothing about the region and is left out.
    """
    places = [_place(url) for url in own_links(region) if url]
    folders = Counter(folder for folder, _ in places)
    often = max(2, len(places) // 10)
    shapes = Counter(f"{folder if folders[folder] >= often else ''} {shape}" for folder, shape in places)
    return tuple(shape for shape, _ in sorted(shapes.items(), key=lambda item: (-item[1], item[0]))[:SHAPES])


def _place(url: str) -> tuple[str, str]:
    """Return host and first folder of an address, and its shape."""
    key = fold(url)
    parts = urlsplit(key)
    first, slash, _ = parts.path[1:].partition("/")
    return f"{parts.netloc}/{first[:40] if slash else ''}", url_shape(key)[:80]


def _compare_shapes(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Return how alike the addresses of two regions are, 0 to 1: whole, by folder alone and by shape alone."""
    if not ours or not theirs:
        return 0.0
    whole = _ranked_overlap(ours, theirs)
    folders = _ranked_overlap(*([shape.partition(" ")[0] for shape in side] for side in (ours, theirs)))
    shapes = _ranked_overlap(*([shape.partition(" ")[2] for shape in side] for side in (ours, theirs)))
    return 0.5 * whole + 0.3 * folders + 0.2 * shapes


def _ranked_overlap(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Compare two lists whose first entries matter most."""
    mine, others = ({name: 1 / (1 + at) for at, name in reversed(list(enumerate(side)))} for side in (ours, theirs))
    shared = sum(min(weight, others.get(name, 0.0)) for name, weight in mine.items())
    return shared / (sum(mine.values()) + sum(others.values()) - shared)


def _plain_names(columns: Iterable[str]) -> set[str]:
    """Return the names of columns without the numbers of those that repeat."""
    return {name.rstrip("0123456789").rstrip("_") for name in columns}


def _overlap(one: Iterable[str], other: Iterable[str]) -> float:
    ours, theirs = set(one), set(other)
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def is_redesigned(before: str, now: str) -> bool:
    """Say whether the records of a region are built of other tags than before."""
    return bool(before and now) and compare_patterns(before, now) < ALIKE


@lru_cache(maxsize=4_096)
def compare_patterns(one: str, other: str) -> float:
    """Return how similar the tag trees of two regions are, 0 to 1; 0 where one has none."""
    if not one or not other:
        return 0.0
    if one == other:
        return 1.0
    ours, theirs = _parse(one), _parse(other)
    if ours is None or theirs is None:
        return 0.0
    # no more nodes match than have the same tags: most pairs need no closer look
    most = (Counter(ours.labels) & Counter(theirs.labels)).total()
    bound = 2 * most / (len(ours.labels) + len(theirs.labels))
    return similarity(ours, theirs) if bound >= 0.5 else 0.0


@lru_cache(maxsize=1_024)
def _parse(pattern: str) -> Pattern | None:
    try:
        return parse(pattern)
    except BadInput:
        return None


MOST = 40  # lists of one page that can be chosen, and others that are kept in mind; a news front has some 20
_KEYS = 40  # records kept of a list: its newest; a fifth of them is proof enough


@dataclass(frozen=True, slots=True)
class Chosen:
    """One list of a page: by its place or its kind, or by what it looked like when it was chosen."""

    kind: str = ""  # products, articles, table ...; empty: whatever it is
    place: int = 0  # among the lists of its page, best first, from 1 on; 0: the first of its kind
    pattern: str = ""
    columns: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()  # of its records' own addresses
    keys: tuple[str, ...] = ()  # of its newest records
    shown: int = 0  # records

    def __post_init__(self) -> None:
        """Raise BadInput where it names nothing."""
        if self.place < 0 or not (self.place or self.kind):
            raise BadInput("a list is chosen by its number, from 1 on, or by its kind")

    @property
    def is_described(self) -> bool:
        """Whether it is known what it looked like: then its place does not matter."""
        return bool(self.pattern or self.columns)

    @property
    def name(self) -> str:
        """What to call it."""
        return f"{self.kind or 'list'} {self.place}" if self.place else self.kind

    @property
    def code(self) -> str:
        """What tells this choice from others in the notes of a watch."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode(errors="replace")).hexdigest()[:16]

    def known(self) -> KnownList:
        """Return it as a list that was seen before."""
        rank = max(self.place - 1, 0)
        return KnownList(0, self.pattern, self.kind, self.columns, self.shapes, self.keys, rank, 0, self.shown)

    @classmethod
    def named(cls, text: str) -> Chosen:
        """Read what people write: a number, or a kind. Raises BadInput."""
        wanted = text.strip()
        if wanted.isascii() and wanted.isdigit():
            return cls(place=min(int(wanted), 1_000_000))
        return cls(kind=wanted.lower()[:80])


def describe_list(region: RecordList, keys: Iterable[str], place: int) -> Chosen:
    """Return what a list is known again by. `place` counts from 1 on."""
    ours = tuple(dict.fromkeys(keys))
    shapes = describe(region)
    return Chosen(region.kind, place, region.pattern, region.columns, shapes, ours[:_KEYS], len(ours))


def describe_lists(regions: Sequence[RecordList]) -> list[Chosen]:
    """Return what the lists of one page, best first, are known again by."""
    keys: list[list[str]] = [[] for _ in regions]
    for one in identify_each(regions):
        keys[one.listed].append(one.hash.hex())
    return [describe_list(region, ours, n) for n, (region, ours) in enumerate(zip(regions, keys, strict=True), 1)]


def choose_places(
    regions: Sequence[RecordList], places: Iterable[int]
) -> tuple[tuple[Chosen, ...], tuple[Chosen, ...]]:
    """Return the lists at some places, from 1 on, and the others, as `ListOptions` keeps them. Raises BadInput."""
    described, wanted = describe_lists(regions), set(places)
    strange = sorted(wanted - set(range(1, len(described) + 1)))
    if strange:
        raise BadInput(f"the page has {len(described)} lists, and no list {strange[0]}")
    chosen = tuple(one for one in described if one.place in wanted)
    return chosen, tuple(one for one in described if one.place not in wanted)[:MOST]
