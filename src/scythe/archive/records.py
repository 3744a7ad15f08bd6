"""Records of pages in, each stored once however often it is seen: known by its links, or else by what it says."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from scythe.archive.database import Database, write_rows
from scythe.archive.hashes import checksum, seconds, storable
from scythe.archive.identity import Identity, identify, identify_each, name_fields
from scythe.archive.rows import RecordKey
from scythe.archive.schema import CHECKED, RECORDS, SIGHTINGS
from scythe.model import Region
from scythe.visits import Outcome

IN_ONE_QUERY = 500
_INSERT = insert(RECORDS)
_RENAME = update(RECORDS).where(RECORDS.c.id == bindparam("number")).values(identity=bindparam("now"))
_Place = tuple[int, bytes]  # site, hash of a record


def sight(
    database: Database, connection: Connection, outcomes: Sequence[Outcome]
) -> dict[int, tuple[tuple[int, ...], int]]:
    """Store the records of pages that are stored already; return (numbers of new ones, sightings) by address.

    The numbers are in the order of the page. Those of a list, which begins with the newest, are given from its end on:
    who takes its records by ascending number gets them in the order they appeared.
    """
    seen = [(outcome, identify(outcome.extracted.regions)) for outcome in outcomes if outcome.extracted is not None]
    seen = [(outcome, identities) for outcome, identities in seen if identities]
    if not seen:
        return {}
    wanted = {(outcome.task.site, one.hash): one.old_hash for outcome, identities in seen for one in identities}
    known = _find(connection, wanted)
    aged = _find_aged(connection, wanted, known)
    write_rows(connection, _RENAME, [{"number": found[0], "now": now} for (_, now), found in aged.items()])
    known |= aged
    ids = iter(database.take_ids(connection, RECORDS, len(wanted) - len(known)))
    counts: dict[int, tuple[tuple[int, ...], int]] = {}
    new: list[dict[str, Any]] = []
    sightings = []
    for outcome, identities in seen:
        is_list = outcome.task.kind == "list"
        fresh = []
        for one in reversed(identities) if is_list else identities:
            place = (outcome.task.site, one.hash)
            if place not in known:
                known[place] = (next(ids), one.fields_hash)
                fresh.append(known[place][0])
                new.append(_record_row(known[place][0], outcome, one))
            sightings.append(_sighting_row(known[place], outcome, one))
        counts[outcome.task.id] = (tuple(reversed(fresh) if is_list else fresh), len(identities))
    write_rows(connection, _INSERT, new)
    write_rows(connection, _SIGHT[connection.dialect.name], sightings)
    return counts


def known_records(connection: Connection, site: int, regions: Sequence[Region]) -> list[list[RecordKey]]:
    """Return how each record of some regions of one page is known, and whether it is stored; nothing is changed."""
    identities = identify_each(regions)
    wanted = {(site, one.hash): one.old_hash for one in identities}
    known = _find(connection, wanted)
    known |= _find_aged(connection, wanted, known)
    keys: list[list[RecordKey]] = [[] for _ in regions]
    for one in identities:
        keys[one.region].append(RecordKey(one.hash.hex(), (site, one.hash) in known))
    return keys


def _find(connection: Connection, wanted: Iterable[_Place]) -> dict[_Place, tuple[int, bytes]]:
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


def _find_aged(
    connection: Connection, wanted: Mapping[_Place, bytes], known: Collection[_Place]
) -> dict[_Place, tuple[int, bytes]]:
    """Return those of the others that were stored when all of its links made a record itself."""
    aged = {(site, was): (site, now) for (site, now), was in wanted.items() if was and (site, now) not in known}
    return {aged[place]: found for place, found in _find(connection, aged).items()}


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
        "watch": outcome.task.id if outcome.task.kind == "list" else None,
    }
    row["checksum"] = checksum([row[name] for name in CHECKED[RECORDS.name]])
    return row


def _sighting_row(known: tuple[int, bytes], outcome: Outcome, one: Identity) -> dict[str, Any]:
    at = seconds(outcome.at)
    fields = None if known[1] == one.fields_hash else _fields(one)
    place = {"region": min(one.region, 32_767), "place": one.place}
    seen = {"record": known[0], "page": outcome.task.id, "first_at": at, "last_at": at, "times": 1, "fields": fields}
    return seen | place


def _fields(one: Identity) -> str:
    return _json(dict(name_fields(one.columns, one.record.fields)))


def _json(values: object) -> str:
    return storable(json.dumps(values, ensure_ascii=False, separators=(",", ":")))


def _upsert(of: Any) -> Any:
    new = of.insert(SIGHTINGS)
    seen = {"last_at": new.excluded.last_at, "times": SIGHTINGS.c.times + 1, "fields": new.excluded.fields}
    seen |= {"region": new.excluded.region, "place": new.excluded.place}
    return new.on_conflict_do_update(index_elements=["record", "page"], set_=seen)


_SIGHT = {"sqlite": _upsert(sqlite), "postgresql": _upsert(postgresql)}
