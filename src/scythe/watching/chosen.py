"""The lists of a page that somebody chose to watch: regions come in, what they are known again by goes out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import Any

from scythe.archive.identity import identify_each
from scythe.errors import BadInput
from scythe.model import Region
from scythe.watching.identity import Known, describe

MOST = 40  # lists of one page that can be chosen, and others that are kept in mind; a news front has some 20
_KEYS = 40  # records kept of a list: its newest; a fifth of them is proof enough
_TEXTS = ("columns", "shapes", "keys")


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

    def known(self) -> Known:
        """Return it as a list that was seen before."""
        rank = max(self.place - 1, 0)
        return Known(0, self.pattern, self.kind, self.columns, self.shapes, self.keys, rank, 0, self.shown)

    @classmethod
    def named(cls, text: str) -> Chosen:
        """Read what people write: a number, or a kind. Raises BadInput."""
        wanted = text.strip()
        if wanted.isascii() and wanted.isdigit():
            return cls(place=min(int(wanted), 1_000_000))
        return cls(kind=wanted.lower()[:80])

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Chosen:
        """Read what `asdict` gave. Raises TypeError, ValueError, BadInput where it is damaged."""
        names = {each.name for each in fields(cls)}
        known = {name: value for name, value in plain.items() if name in names}
        texts = {name: tuple(map(str, known[name])) for name in _TEXTS if name in known}
        return cls(**(known | texts))


def describe_list(region: Region, keys: Iterable[str], place: int) -> Chosen:
    """Return what a list is known again by. `place` counts from 1 on."""
    ours = tuple(dict.fromkeys(keys))
    shapes = describe(region)
    return Chosen(region.kind, place, region.pattern, region.columns, shapes, ours[:_KEYS], len(ours))


def describe_lists(regions: Sequence[Region]) -> list[Chosen]:
    """Return what the lists of one page, best first, are known again by."""
    keys: list[list[str]] = [[] for _ in regions]
    for one in identify_each(regions):
        keys[one.region].append(one.hash.hex())
    return [describe_list(region, ours, n) for n, (region, ours) in enumerate(zip(regions, keys, strict=True), 1)]


def choose_places(regions: Sequence[Region], places: Iterable[int]) -> tuple[tuple[Chosen, ...], tuple[Chosen, ...]]:
    """Return the lists at some places, from 1 on, and the others, as `ListOptions` keeps them. Raises BadInput."""
    described, wanted = describe_lists(regions), set(places)
    strange = sorted(wanted - set(range(1, len(described) + 1)))
    if strange:
        raise BadInput(f"the page has {len(described)} lists, and no list {strange[0]}")
    chosen = tuple(one for one in described if one.place in wanted)
    return chosen, tuple(one for one in described if one.place not in wanted)[:MOST]
