"""Store response bodies once, compressed and by hash, in the database or in a store.

In the database a body is packed by the dictionary of its site once there are pages enough for one. What is put into a
store can be read without the archive: each body there is packed by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from scythe.archive.archive import Archive, insert_new, write_rows
from scythe.archive.dictionaries import (
    FIRST_PAGES,
    LOOKED_AT,
    TRIED_AGAIN,
    PageDictionary,
    choose_pages,
    is_worth,
    pack,
    unpack,
)
from scythe.archive.schema import BODIES, DICTIONARIES, FETCHES, digest
from scythe.errors import ArchiveFailed

PACKED = (BODIES.c.hash, BODIES.c.size, BODIES.c.packed, BODIES.c.store, BODIES.c.dictionary)  # what `read_body` wants
_REPACKED = 256  # bodies of a site, of those that came before its first dictionary
_REPACK = update(BODIES).where(BODIES.c.hash == bindparam("of"))
_REPACK = _REPACK.values(packed=bindparam("packed"), dictionary=bindparam("dictionary"))


def read_body(archive: Archive, connection: Connection, row: Any) -> bytes:
    """Return the body of a row with the columns PACKED, wherever it is.

    Raises ArchiveFailed where it is missing or damaged.
    """
    if row.store is not None:
        body = unpack(archive.stores.get(row.store, key_of(bytes(row.hash))), row.size)
    elif row.dictionary is not None:
        body = archive.dictionaries.find(connection, row.dictionary).unpack(bytes(row.packed), row.size)
    else:
        body = unpack(bytes(row.packed), row.size)
    if digest(body) != bytes(row.hash):
        raise ArchiveFailed(f"{row.store or archive.where}: {key_of(bytes(row.hash))} is not the body that was stored")
    return body


def key_of(hashed: bytes) -> str:
    """Return the key of a body in a store."""
    return f"{hashed.hex()}.zst"


def put_aside(archive: Archive, bodies: Iterable[bytes]) -> None:
    """Put bodies that are not known yet into the store of the archive, if it has one.

    To be called before the transaction that mentions them: no writer waits for a store, and what the database knows is
    there. What is put and then never mentioned is in nobody's way; the next attempt puts the same again.
    """
    if not archive.stores.label:
        return
    new = {digest(body): body for body in bodies}
    if not new:
        return
    with archive.reading() as connection:
        _leave_known(connection, new)
    for hashed, body in new.items():
        archive.stores.put(key_of(hashed), pack(body))


def keep(archive: Archive, connection: Connection, bodies: Iterable[tuple[int, bytes]]) -> list[bytes]:
    """Store bodies, each with its site, or write down which store has them; return their hashes, in order."""
    hashes = []
    new: dict[bytes, tuple[int, bytes]] = {}
    for site, body in bodies:
        hashes.append(digest(body))
        new.setdefault(hashes[-1], (site, body))
    _leave_known(connection, new)
    if archive.stores.label:
        rows = [_row(hashed, body, b"", store=archive.stores.label) for hashed, (_, body) in new.items()]
        insert_new(connection, BODIES, sorted(rows, key=lambda row: row["hash"]))
        return hashes
    sites = sorted({site for site, _ in new.values()})
    shared = {site: archive.dictionaries.newest(connection, site) for site in sites}
    rows = [_pack_row(hashed, body, shared[site]) for hashed, (site, body) in new.items()]
    insert_new(connection, BODIES, sorted(rows, key=lambda row: row["hash"]))
    for site in sites:
        one = shared[site]
        if one is not None:
            more = DICTIONARIES.c.bodies + sum(at == site for at, _ in new.values())
            connection.execute(update(DICTIONARIES).where(DICTIONARIES.c.id == one.number).values(bodies=more))
    return hashes


def _pack_row(hashed: bytes, body: bytes, shared: PageDictionary | None) -> dict[str, Any]:
    if shared is None:
        return _row(hashed, body, pack(body))
    return _row(hashed, body, shared.pack(body), dictionary=shared.number)


def _row(
    hashed: bytes, body: bytes, packed: bytes, *, store: str | None = None, dictionary: int | None = None
) -> dict[str, Any]:
    return {"hash": hashed, "size": len(body), "packed": packed, "store": store, "dictionary": dictionary}


def tend(archive: Archive, connection: Connection, sites: Iterable[int]) -> None:
    """Make the first dictionary of a site, or another one where pages came that it packs badly."""
    if archive.stores.label:
        return
    for site in sorted(sites):
        shared = archive.dictionaries.newest(connection, site)
        if shared is None:
            bodies = _newest_bodies(archive, connection, site, _REPACKED)
            if len(bodies) >= FIRST_PAGES:
                _put(connection, site, choose_pages(site, list(bodies.values())[:LOOKED_AT]), bodies)
        else:
            _try_another(archive, connection, site, shared)


def _try_another(archive: Archive, connection: Connection, site: int, shared: PageDictionary) -> None:
    """Choose pages anew once a dictionary packed many bodies; keep what comes of it where that does much better."""
    ours = DICTIONARIES.c.id == shared.number
    packed, next_try = connection.execute(select(DICTIONARIES.c.bodies, DICTIONARIES.c.next_try).where(ours)).one()
    if packed < next_try:
        return
    connection.execute(update(DICTIONARIES).where(ours).values(next_try=next_try * TRIED_AGAIN))
    bodies = list(_newest_bodies(archive, connection, site, LOOKED_AT).values())
    other = choose_pages(site, bodies[::2], shared)
    if is_worth(other, shared, bodies[1::2]):
        _put(connection, site, other, {})


def _newest_bodies(archive: Archive, connection: Connection, site: int, count: int) -> dict[bytes, bytes]:
    """Return the last bodies of a site by their hashes, as many as there are up to a count."""
    kept = select(FETCHES.c.body).where(FETCHES.c.site == site, FETCHES.c.body.is_not(None))
    hashes = connection.execute(kept.order_by(FETCHES.c.id.desc()).limit(count)).scalars().all()
    rows = connection.execute(select(*PACKED).where(BODIES.c.hash.in_(hashes), BODIES.c.store.is_(None))).all()
    return {bytes(row.hash): read_body(archive, connection, row) for row in rows}


def _put(connection: Connection, site: int, new: PageDictionary, bodies: Mapping[bytes, bytes]) -> None:
    """Store a dictionary, and pack bodies by it that were packed without one."""
    kept = {"site": site, "bodies": len(bodies), "next_try": FIRST_PAGES * TRIED_AGAIN, "at": time.time()}
    content = {"id": new.number, "packed": pack(new.content), "size": len(new.content)}
    insert_new(connection, DICTIONARIES, [content | kept])
    rows = [{"of": hashed, "packed": new.pack(body), "dictionary": new.number} for hashed, body in bodies.items()]
    write_rows(connection, _REPACK, rows)


def _leave_known(connection: Connection, new: dict[bytes, Any]) -> None:
    """Take out of `new` what the database knows."""
    if new:
        known = connection.execute(select(BODIES.c.hash).where(BODIES.c.hash.in_(list(new)))).scalars()
        for hashed in known.all():
            del new[bytes(hashed)]
