"""What makes a record itself: the regions of one page come in, a hash for each record goes out.

A record is its own link, so that neither a changed price nor a new link to its author makes it another. Where no link
is sure to be its own, it is all of its links; where these lead several records to one place, links and texts; without
links, its texts. To take two records for one would lose one of them, to take one for two only stores it twice: in
doubt they are two.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scythe.archive.hashes import digest_text
from scythe.model import Record, Region
from scythe.page.own_links import find_own_links, title_of

LONG_TEXT = 20  # characters from which a text says by itself which one it is, wherever it stands
RELATED = 0.3  # of the words of the shorter text that two texts about one thing share
_WORD = re.compile(r"[^\W_]{4,}")
_REMARKS = "posts"  # the kind of regions whose records may lead to what they are about


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a record itself."""

    hash: bytes
    told_by: str  # links, fields, both
    fields_hash: bytes
    kind: str
    columns: tuple[str, ...]
    record: Record
    region: int = 0  # of the page, and its place there
    place: int = 0
    old_hash: bytes = b""  # by which archives knew it when all of its links made it itself; empty: the same


class _Row(NamedTuple):
    """A record with what it could be told by."""

    region: Region
    record: Record
    at: tuple[int, int]
    key: str  # its own link, or else its links
    is_own: bool
    links: str
    said: str


def identify(regions: Iterable[Region]) -> list[Identity]:
    """Return the records of one page, each once."""
    known: dict[bytes, Identity] = {}
    for one in identify_each(regions):
        known.setdefault(one.hash, one)
    return list(known.values())


def identify_each(regions: Iterable[Region]) -> list[Identity]:
    """Return all records of one page in its order, those that are shown twice twice."""
    rows: list[_Row] = []
    for number, region in enumerate(regions):
        for place, (record, own) in enumerate(zip(region.records, find_own_links(region), strict=True)):
            links = list_links(record)
            said = say(region, record)
            rows.append(_Row(region, record, (number, place), own.key or links, bool(own.key), links, said))
    unclear, shared = _find_unclear(rows), _find_shared(rows)
    return [
        _identity(row, is_clear=number not in unclear, is_shared=row.links in shared) for number, row in enumerate(rows)
    ]


def _identity(row: _Row, *, is_clear: bool, is_shared: bool) -> Identity:
    if not row.key:
        told_by, own, old = "fields", f"fields\n{_tell(row.record)}", f"fields\n{row.said}"
    else:
        told_by = "links" if is_clear else "both"
        own = f"links\n{row.key}" if is_clear else f"both\n{row.key}\n{_tell(row.record)}"
        old = f"both\n{row.links}\n{row.said}" if is_shared else f"links\n{row.links}"
    return Identity(
        digest_text(own),
        told_by,
        digest_text(row.said),
        row.region.kind,
        row.region.columns,
        row.record,
        *row.at,
        old_hash=b"" if old == own else digest_text(old),
    )


def _find_shared(rows: Sequence[_Row]) -> set[str]:
    """Return the sets of links that records with different texts have."""
    if len({row.links for row in rows}) == len(rows):
        return set()
    texts: dict[str, str] = {}
    return {row.links for row in rows if texts.setdefault(row.links, row.said) != row.said}


def _find_unclear(rows: Sequence[_Row]) -> set[int]:
    """Return the records that share their key with others but are not the same thing, as far as anybody can tell."""
    if len({row.key for row in rows}) == len(rows):
        return set()
    holders: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row.key:
            holders[row.key].append(number)
    unclear: set[int] = set()
    for numbers in holders.values():
        if len(numbers) > 1 and len({rows[number].said for number in numbers}) > 1:
            unclear |= _split(rows, numbers)
    return unclear


def _split(rows: Sequence[_Row], numbers: Sequence[int]) -> set[int]:
    """Return those of the records with one key that must be told apart by their texts too."""
    inside: dict[int, list[int]] = defaultdict(list)
    for number in numbers:
        inside[rows[number].at[0]].append(number)
    unclear = {n for ours in inside.values() if not _are_one(rows, ours) for n in ours}
    first = next((number for number in numbers if number not in unclear), None)
    if first is None:
        return unclear
    # what the page is about comes first and keeps the link as its name
    return unclear | {n for n in numbers if n not in unclear and not _is_related(rows[first], rows[n])}


def _are_one(rows: Sequence[_Row], numbers: Sequence[int]) -> bool:
    """Say whether records of one region with one link are one thing shown again: they are called the same."""
    ours = [rows[number] for number in numbers]
    if len({row.said for row in ours}) == 1:
        return True
    titles = {" ".join(title_of(row.region, row.record).split()) for row in ours}
    return all(row.is_own for row in ours) and len(titles) == 1 and titles != {""}


def _is_related(one: _Row, other: _Row) -> bool:
    """Say whether records of two regions with one link are one thing: what they say is similar."""
    if one.at[0] == other.at[0] or one.said == other.said:
        return True
    if not (one.is_own and other.is_own) or (one.region.kind == _REMARKS) != (other.region.kind == _REMARKS):
        return False
    words = [set(_WORD.findall(" ".join(row.record.fields).lower())) for row in (one, other)]
    return len(words[0] & words[1]) >= RELATED * min(map(len, words)) > 0


def list_links(record: Record) -> str:
    """Return all links of a record, one a line."""
    links = record.links
    return links[0].strip() if len(links) == 1 else "\n".join(sorted({link.strip() for link in links}))


def say(region: Region, record: Record) -> str:
    """Return what a record says with its columns' names; its pictures where it says nothing."""
    said = [f"{name}\t{' '.join(text.split())}" for name, text in name_fields(region.columns, record.fields)]
    return "\n".join(said) or "\n".join(record.images)


def name_fields(columns: Sequence[str], fields: Sequence[str]) -> list[tuple[str, str]]:
    """Return the texts of a record that are not empty, with the names of their columns."""
    if len(columns) < len(fields):
        columns = [*columns, *(f"column {number}" for number in range(len(columns) + 1, len(fields) + 1))]
    return [(name, text) for name, text in zip(columns, fields, strict=False) if text]


def _tell(record: Record) -> str:
    """Return what a record says however its columns are called, and wherever its long texts stand among the others.

    Short texts keep their order: "Ann 3 Bob 1" is not "Ann 1 Bob 3".
    """
    texts = [" ".join(text.split()) for text in record.fields]
    long = sorted(text for text in texts if len(text) >= LONG_TEXT)
    short = [text for text in texts if 0 < len(text) < LONG_TEXT]
    return "\n".join([*long, "", *short]) if long or short else "\n".join(record.images)
