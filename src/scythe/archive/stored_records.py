"""Store each record once, however often it is seen.

A record is identified by its own link, so that a changed price does not make it another; without one by all its links,
with its texts if links are shared, or by its texts. In doubt two records are kept: merging them would lose one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.archive import Archive, by_site, reads, write_rows
from scythe.archive.results import RecordKey
from scythe.archive.schema import CHECKED, RECORDS, SIGHTINGS, checksum, digest_text, seconds, storable, storable_json
from scythe.crawl_model import Extracted, Outcome
from scythe.model import Record, RecordList
from scythe.reading.lists.own_link import find_own_links, title_of

LONG_TEXT = 20  # characters from which a text says by itself which one it is, wherever it stands
RELATED = 0.3  # of the words of the shorter text that two texts about one thing share
_WORD = re.compile(r"[^\W_]{4,}")
_REMARKS = "posts"  # the kind of lists whose records may lead to what they are about


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes a record itself."""

    hash: bytes
    told_by: str  # links, fields, both
    fields_hash: bytes
    kind: str
    columns: tuple[str, ...]
    record: Record
    listed: int = 0  # of the page, and its place there
    place: int = 0


class _Row(NamedTuple):
    """A record with what it could be told by."""

    listed: RecordList
    record: Record
    at: tuple[int, int]
    key: str  # its own link, or else its links
    is_own: bool
    said: str


def identify(lists: Iterable[RecordList]) -> list[Identity]:
    """Return the records of one page, each once."""
    known: dict[bytes, Identity] = {}
    for one in identify_each(lists):
        known.setdefault(one.hash, one)
    return list(known.values())


def identify_each(lists: Iterable[RecordList]) -> list[Identity]:
    """Return all records of one page in its order, those that are shown twice twice."""
    rows: list[_Row] = []
    for number, listed in enumerate(lists):
        for place, (record, own) in enumerate(zip(listed.records, find_own_links(listed), strict=True)):
            key = own.key or list_links(record)
            rows.append(_Row(listed, record, (number, place), key, bool(own.key), say(listed, record)))
    unclear = _find_unclear(rows)
    return [_identity(row, is_clear=number not in unclear) for number, row in enumerate(rows)]


def _identity(row: _Row, *, is_clear: bool) -> Identity:
    if not row.key:
        told_by, own = "fields", f"fields\n{_tell(row.record)}"
    else:
        told_by = "links" if is_clear else "both"
        own = f"links\n{row.key}" if is_clear else f"both\n{row.key}\n{_tell(row.record)}"
    return Identity(
        digest_text(own),
        told_by,
        digest_text(row.said),
        row.listed.kind,
        row.listed.columns,
        row.record,
        *row.at,
    )


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
    """Say whether records of one list with one link are one thing shown again: they are called the same."""
    ours = [rows[number] for number in numbers]
    if len({row.said for row in ours}) == 1:
        return True
    titles = {" ".join(title_of(row.listed, row.record).split()) for row in ours}
    return all(row.is_own for row in ours) and len(titles) == 1 and titles != {""}


def _is_related(one: _Row, other: _Row) -> bool:
    """Say whether records of two lists with one link are one thing: what they say is similar."""
    if one.at[0] == other.at[0] or one.said == other.said:
        return True
    if not (one.is_own and other.is_own) or (one.listed.kind == _REMARKS) != (other.listed.kind == _REMARKS):
        return False
    words = [set(_WORD.findall(" ".join(row.record.fields).lower())) for row in (one, other)]
    return len(words[0] & words[1]) >= RELATED * min(map(len, words)) > 0


def list_links(record: Record) -> str:
    """Return all links of a record, one a line."""
    links = record.links
    return links[0].strip() if len(links) == 1 else "\n".join(sorted({link.strip() for link in links}))


def say(listed: RecordList, record: Record) -> str:
    """Return what a record says with its columns' names; its pictures where it says nothing."""
    said = [f"{name}\t{' '.join(text.split())}" for name, text in name_fields(listed.columns, record.fields)]
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


_INSERT = insert(RECORDS)
_COLUMNS = select(RECORDS.c.id, RECORDS.c.identity, RECORDS.c.fields_hash)
_Place = tuple[int, bytes]  # site, hash of a record


def sight(
    archive: Archive, connection: Connection, outcomes: Sequence[Outcome]
) -> dict[int, tuple[tuple[int, ...], int]]:
    """Store the records of pages that are stored already; return (numbers of new ones, sightings) by address.

    The numbers are in the order of the page. Those of a list, which begins with the newest, are given from its end on:
    who takes its records by ascending number gets them in the order they appeared.
    """
    seen = [(outcome, identify(outcome.extracted.lists)) for outcome in outcomes if outcome.extracted is not None]
    seen = [(outcome, identities) for outcome, identities in seen if identities]
    if not seen:
        return {}
    wanted = {(outcome.task.site, one.hash) for outcome, identities in seen for one in identities}
    known = _find(connection, wanted)
    ids = iter(archive.take_ids(connection, RECORDS, len(wanted) - len(known)))
    counts: dict[int, tuple[tuple[int, ...], int]] = {}
    new: list[dict[str, Any]] = []
    sightings = []
    for outcome, identities in seen:
        is_list, page, at = outcome.task.kind == "list", outcome.task.id, seconds(outcome.at)
        fresh = []
        for one in reversed(identities) if is_list else identities:
            place = (outcome.task.site, one.hash)
            if place not in known:
                known[place] = (next(ids), one.fields_hash)
                fresh.append(known[place][0])
                new.append(_values(known[place][0], outcome.task.site, page, at, one, page if is_list else None))
            sightings.append(_sighting(known[place], page, at, one))
        counts[outcome.task.id] = (tuple(reversed(fresh) if is_list else fresh), len(identities))
    write_rows(connection, _INSERT, new)
    write_rows(connection, _SIGHT[connection.dialect.name], sightings)
    return counts


_STAYS = select(SIGHTINGS.c.record).where(
    SIGHTINGS.c.page == bindparam("of"), SIGHTINGS.c.first_at >= bindparam("since")
)
_UNSEE = delete(SIGHTINGS).where(SIGHTINGS.c.page == bindparam("of"), SIGHTINGS.c.record == bindparam("number"))
_MOVE = update(SIGHTINGS).where(SIGHTINGS.c.page == bindparam("of"), SIGHTINGS.c.record == bindparam("number"))
_MOVE = _MOVE.values({name: bindparam(f"new_{name}") for name in ("fields", "list_number", "place")})


@dataclass(frozen=True, slots=True)
class Reread:
    """The newest version of a page, extracted anew."""

    page: int
    site: int
    version: int
    at: float  # when it was fetched
    is_complete: bool
    extracted: Extracted


def resight(archive: Archive, connection: Connection, rereads: Sequence[Reread]) -> None:
    """Put what pages list by today's rules in place of what they listed; what was seen only so, by old ones, goes."""
    for one in rereads:
        identities = {each.hash: each for each in identify(one.extracted.lists)}
        known = _find(connection, [(one.site, hashed) for hashed in identities])
        stays = {known[place][0] for place in known}
        seen = connection.execute(_STAYS, {"of": one.page, "since": one.at}).scalars().all()
        gone = [number for number in seen if number not in stays]
        write_rows(connection, _UNSEE, [{"of": one.page, "number": number} for number in gone])
        _drop_unseen(connection, gone)
        there = set(connection.execute(select(SIGHTINGS.c.record).where(SIGHTINGS.c.page == one.page)).scalars())
        ids = iter(archive.take_ids(connection, RECORDS, len(identities) - len(known)))
        new, sightings, moved = [], [], []
        for each in identities.values():
            place = known.get((one.site, each.hash))
            if place is None:
                place = (next(ids), each.fields_hash)
                new.append(_values(place[0], one.site, one.page, one.at, each))
            row = _sighting(place, one.page, one.at, each)
            if place[0] in there:
                at = {f"new_{name}": row[name] for name in ("fields", "list_number", "place")}
                moved.append({"of": one.page, "number": place[0], **at})
            else:
                sightings.append(row)
        write_rows(connection, _INSERT, new)
        write_rows(connection, _SIGHT[connection.dialect.name], sightings)
        write_rows(connection, _MOVE, moved)


def _drop_unseen(connection: Connection, numbers: Sequence[int]) -> None:
    """Drop those of some records that no page shows any more, and that no watch ever told of."""
    if numbers:
        is_seen = exists().where(SIGHTINGS.c.record == RECORDS.c.id)
        unseen = delete(RECORDS).where(RECORDS.c.id.in_(numbers), RECORDS.c.watch.is_(None), ~is_seen)
        connection.execute(unseen)


@reads
def known_records(connection: Connection, site: int, lists: Sequence[RecordList]) -> list[list[RecordKey]]:
    """Return how each record of some lists of one page is known, and whether it is stored; nothing is changed."""
    identities = identify_each(lists)
    known = _find(connection, {(site, one.hash) for one in identities})
    keys: list[list[RecordKey]] = [[] for _ in lists]
    for one in identities:
        keys[one.listed].append(RecordKey(one.hash.hex(), (site, one.hash) in known))
    return keys


def _find(connection: Connection, wanted: Iterable[_Place]) -> dict[_Place, tuple[int, bytes]]:
    """Return the number and the hash of the fields of those records that are stored."""
    return {
        (site, bytes(row.identity)): (row.id, bytes(row.fields_hash))
        for site, hashes in by_site(wanted)
        for row in connection.execute(_COLUMNS.where(RECORDS.c.site == site, RECORDS.c.identity.in_(hashes)))
    }


def _values(number: int, site: int, page: int, at: float, one: Identity, watch: int | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": number,
        "site": site,
        "identity": one.hash,
        "told_by": one.told_by,
        "kind": storable(one.kind),
        "fields": _fields(one),
        "fields_hash": one.fields_hash,
        "links": storable_json(one.record.links),
        "images": storable_json(one.record.images),
        "html": storable(one.record.html),
        "first_page": page,
        "first_at": at,
        "watch": watch,
    }
    row["checksum"] = checksum([row[name] for name in CHECKED[RECORDS.name]])
    return row


def _sighting(known: tuple[int, bytes], page: int, at: float, one: Identity) -> dict[str, Any]:
    fields = None if known[1] == one.fields_hash else _fields(one)
    place = {"list_number": min(one.listed, 32_767), "place": one.place}
    seen = {"record": known[0], "page": page, "first_at": at, "last_at": at, "times": 1, "fields": fields}
    return seen | place


def _fields(one: Identity) -> str:
    return storable_json(dict(name_fields(one.columns, one.record.fields)))


def _upsert(of: Any) -> Any:
    new = of.insert(SIGHTINGS)
    seen = {"last_at": new.excluded.last_at, "times": SIGHTINGS.c.times + 1, "fields": new.excluded.fields}
    seen |= {"list_number": new.excluded.list_number, "place": new.excluded.place}
    return new.on_conflict_do_update(index_elements=["record", "page"], set_=seen)


_SIGHT = {"sqlite": _upsert(sqlite), "postgresql": _upsert(postgresql)}
