"""Responses as they came: bodies packed and stored once, by their hash."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from sqlalchemy import Connection, select

from scythe.archive.database import insert_new
from scythe.archive.hashes import digest
from scythe.archive.schema import BODIES
from scythe.errors import ArchiveFailed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def pack(body: bytes) -> bytes:
    return zstd.compress(body)


def unpack(packed: bytes, size: int) -> bytes:
    """Return the body of `size` bytes that was packed; raise ArchiveFailed where that is not what comes out."""
    try:
        body = zstd.ZstdDecompressor().decompress(packed, max_length=size + 1)
    except zstd.ZstdError as error:
        raise ArchiveFailed(f"a stored body is damaged ({error})") from error
    if len(body) != size:
        raise ArchiveFailed(f"a stored body is damaged ({size} bytes expected)")
    return body


def keep(connection: Connection, bodies: Iterable[bytes]) -> list[bytes]:
    """Store bodies; return their hashes, in order."""
    hashes = []
    new: dict[bytes, bytes] = {}
    for body in bodies:
        hashes.append(digest(body))
        new.setdefault(hashes[-1], body)
    if new:
        known = connection.execute(select(BODIES.c.hash).where(BODIES.c.hash.in_(list(new)))).scalars()
        for hashed in known.all():
            del new[bytes(hashed)]
    rows = [{"hash": hashed, "size": len(new[hashed]), "packed": pack(new[hashed])} for hashed in sorted(new)]
    insert_new(connection, BODIES, rows)
    return hashes
