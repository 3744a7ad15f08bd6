"""Records of pages in, each stored once however often it is seen: known by its links, or else by what it says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.database import Database, write_rows
from scythe.archive.hashes import checksum, digest_text, seconds, storable
from scythe.archive.schema import CHECKED, RECORDS, SIGHTINGS
from scythe.model import Record, Region
from scythe.visits import Outcome

IN_ONE_QUERY = 500
_INSERT = insert(RECORDS)


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


def identify(regions: Iterable[Region]) -> list[Identity]:
    """Return the records of one page, each once, as first in the order of the page."""
    known: dict[bytes, Identity] = {}
    for identity in identify_each(regions):
        known.setdefault(identity.hash, identity)
    return list(known.values())


def identify_each(regions: Iterable[Region]) -> list[Identity]:
    """Return what makes each record of a page itself, in the order of the page; one that is there twice is, too.

    A record is the set of its links, so that a changed price or a new comment count makes no new one. Where records of
    one page share their links but not their texts (all lead to one form), the links do not tell them apart: there both
    count. A record without links is what it says.
    """
    placed = [(i, j, region, record) for i, region in enumerate(regions) for j, record in enumerate(region.records)]
    rows = [(i, j, region, record, _links(record), _said(region, record)) for i, j, region, record in placed]
    texts = Counter(links for links, _ in {(links, said) for *_, links, said in rows if links})
    identities = []
    for i, j, region, record, links, said in rows:
        if not links:
            told_by, own = "fields", f"fields\n{said}"
        elif texts[links] > 1:
            told_by, own = "both", f"both\n{links}\n{said}"
        else:
            told_by, own = "links", f"links\n{links}"
        identities.append(
            Identity(digest_text(own), told_by, digest_text(said), region.kind, region.columns, record, i, j)
        )
    return identities


def sight(database: Database, connection: Connection, outcomes: Sequence[Outcome]) -> dict[int, tuple[int, int]]:
    """Store the records of pages that are stored already; return (new records, sightings) by address."""
    seen = [(outcome, identify(outcome.extracted.regions)) for outcome in outcomes if outcome.extracted is not None]
    seen = [(outcome, identities) for outcome, identities in seen if identities]
    if not seen:
        return {}
    wanted = {(outcome.task.site, one.hash) for outcome, identities in seen for one in identities}
    known = _known(connection, wanted)
    ids = iter(database.take_ids(connection, RECORDS, len(wanted) - len(known)))
    counts: dict[int, tuple[int, int]] = {}
    new: list[dict[str, Any]] = []
    sightings = []
    for outcome, identities in seen:
        before = len(new)
        for one in identities:
            place = (outcome.task.site, one.hash)
            if place not in known:
                known[place] = (next(ids), one.fields_hash)
                new.append(_record_row(known[place][0], outcome, one))
            sightings.append(_sighting_row(known[place], outcome, one))
        counts[outcome.task.id] = (len(new) - before, len(identities))
    write_rows(connection, _INSERT, new)
    write_rows(connection, _SIGHT[connection.dialect.name], sightings)
    return counts


def _known(connection: Connection, wanted: Iterable[tuple[int, bytes]]) -> dict[tuple[int, bytes], tuple[int, bytes]]:
    """Return the number and the hash of the fields of those records that are stored."""
    hashes: dict[int, list[bytes]] = {}
    for site, identity in wanted:
        hashes.setdefault(site, []).append(identity)
    known = {}
    for site, ours in hashes.items():
        for start in range(0, len(ours), IN_ONE_QUERY):
            for row in connection.execute(_look_up(site, ours[start : start + IN_ONE_QUERY])):
                known[site, bytes(row.identity)] = (row.id, bytes(row.fields_hash))
    return known


def _look_up(site: int, identities: Sequence[bytes]) -> Select[Any]:
    columns = select(RECORDS.c.id, RECORDS.c.identity, RECORDS.c.fields_hash)
    return columns.where(RECORDS.c.site == site, RECORDS.c.identity.in_(identities))


def _record_row(number: int, outcome: Outcome, one: Identity) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": number,
        "site": outcome.task.site,
        "identity": one.hash,
        "told_by": one.told_by,
        "kind": storable(one.kind),
        "fields": _fields(one),
        "fields_hash": one.fields_hash,
        "links": _json(one.record.links),
        "images": _json(one.record.images),
        "html": storable(one.record.html),
        "first_page": outcome.task.id,
        "first_at": seconds(outcome.at),
    }
    row["checksum"] = checksum([row[name] for name in CHECKED[RECORDS.name]])
    return row


def _sighting_row(known: tuple[int, bytes], outcome: Outcome, one: Identity) -> dict[str, Any]:
    at = seconds(outcome.at)
    fields = None if known[1] == one.fields_hash else _fields(one)
    place = {"region": min(one.region, 32_767), "place": one.place}
    seen = {"record": known[0], "page": outcome.task.id, "first_at": at, "last_at": at, "times": 1, "fields": fields}
    return seen | place


def _links(record: Record) -> str:
    return "\n".join(sorted({link.strip() for link in record.links}))


def _said(region: Region, record: Record) -> str:
    """Return what a record says with its columns' names; its pictures where it says nothing."""
    said = [f"{name}\t{' '.join(text.split())}" for name, text in _named(region.columns, record.fields)]
    return "\n".join(said) or "\n".join(record.images)


def _named(columns: Sequence[str], fields: Sequence[str]) -> list[tuple[str, str]]:
    names = [*columns, *(f"column {number}" for number in range(len(columns) + 1, len(fields) + 1))]
    return [(name, text) for name, text in zip(names, fields, strict=False) if text]


def _fields(one: Identity) -> str:
    return _json(dict(_named(one.columns, one.record.fields)))


def _json(values: object) -> str:
    return storable(json.dumps(values, ensure_ascii=False, separators=(",", ":")))


def _upsert(of: Any) -> Any:
    new = of.insert(SIGHTINGS)
    seen = {"last_at": new.excluded.last_at, "times": SIGHTINGS.c.times + 1, "fields": new.excluded.fields}
    seen |= {"region": new.excluded.region, "place": new.excluded.place}
    return new.on_conflict_do_update(index_elements=["record", "page"], set_=seen)


_SIGHT = {"sqlite": _upsert(sqlite), "postgresql": _upsert(postgresql)}
