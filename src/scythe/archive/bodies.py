"""Store response bodies once, compressed and by hash, in the database or in a store."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from scythe.archive.archive import Archive, insert_new
from scythe.archive.schema import BODIES, digest
from scythe.archive.stores import Stores
from scythe.errors import ArchiveFailed
from scythe.limits import LIMITS

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def pack(body: bytes) -> bytes:
    return zstd.compress(body)


def unpack(packed: bytes, size: int) -> bytes:
    """Return the body of `size` bytes that was packed; raise ArchiveFailed where that is not what comes out.

    The size is what the archive says, and that may be a stranger's: no body that we stored is longer than this allows.
    """
    if not 0 <= size <= max(LIMITS.body_bytes, LIMITS.inflate_ratio * len(packed)):
        raise ArchiveFailed(f"a stored body is damaged ({size} bytes said to be in {len(packed)})")
    try:
        body = zstd.ZstdDecompressor().decompress(packed, max_length=size + 1)
    except zstd.ZstdError as error:
        raise ArchiveFailed(f"a stored body is damaged ({error})") from error
    if len(body) != size:
        raise ArchiveFailed(f"a stored body is damaged ({size} bytes expected)")
    return body


def read_body(stores: Stores, row: Any) -> bytes:
    """Return the body of a row of BODIES, wherever it is. Raises ArchiveFailed where it is missing or damaged."""
    if row.store is None:
        return unpack(bytes(row.packed), row.size)
    body = unpack(stores.get(row.store, key_of(bytes(row.hash))), row.size)
    if digest(body) != bytes(row.hash):  # the database guards its own rows; nobody knows what else may write there
        raise ArchiveFailed(f"{row.store}: {key_of(bytes(row.hash))} is not the body that was stored")
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


def keep(archive: Archive, connection: Connection, bodies: Iterable[bytes]) -> list[bytes]:
    """Store bodies, or write down which store has them; return their hashes, in order."""
    hashes = []
    new: dict[bytes, bytes] = {}
    for body in bodies:
        hashes.append(digest(body))
        new.setdefault(hashes[-1], body)
    _leave_known(connection, new)
    label = archive.stores.label or None
    rows = []
    for hashed in sorted(new):
        packed = pack(new[hashed]) if label is None else b""
        rows.append({"hash": hashed, "size": len(new[hashed]), "packed": packed, "store": label})
    insert_new(connection, BODIES, rows)
    return hashes


def _leave_known(connection: Connection, new: dict[bytes, bytes]) -> None:
    """Take out of `new` what the database knows."""
    if new:
        known = connection.execute(select(BODIES.c.hash).where(BODIES.c.hash.in_(list(new)))).scalars()
        for hashed in known.all():
            del new[bytes(hashed)]
