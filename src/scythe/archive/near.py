"""Pages whose texts are nearly the same: fingerprints of 64 bits in, the page that differs in at most three out.

Cut into four bands, two fingerprints that differ in at most three bits agree in one band at least (G. S. Manku and
others: Detecting Near-Duplicates for Web Crawling, WWW 2007). A page that is near to one known is not put down itself,
and a bucket takes no more than BUCKET: a look-up costs the same however many pages look alike. A page found so is a
hint to the reader, nothing is left out because of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, select

from scythe.archive.database import insert_new, write_rows
from scythe.archive.schema import NEAR

BANDS, BAND_BITS = 4, 16
BITS_APART = 3
BUCKET = 64

_LOOK = select(NEAR.c.bucket, NEAR.c.page, NEAR.c.simhash).where(
    NEAR.c.bucket.in_(bindparam("buckets", expanding=True))
)
_DROP = delete(NEAR).where(NEAR.c.bucket == bindparam("in_bucket"), NEAR.c.page == bindparam("of_page"))


def signed(simhash: int) -> int:
    """Return an unsigned number of 64 bits as the signed one that databases hold."""
    return simhash - 2**64 if simhash >= 2**63 else simhash


def find_near(connection: Connection, pages: Sequence[tuple[int, int, int]]) -> dict[int, int]:
    """Return the near page of each (site, page, signed fingerprint) that has one; the others are put down."""
    if not pages:
        return {}
    wanted = {bucket for site, _, simhash in pages for bucket in _buckets(site, simhash)}
    shelves: dict[int, dict[int, int]] = {}
    for row in connection.execute(_LOOK, {"buckets": list(wanted)}):
        shelves.setdefault(row.bucket, {})[row.page] = row.simhash
    near: dict[int, int] = {}
    rows = []
    for site, page, simhash in pages:
        buckets = _buckets(site, simhash)
        found = _nearest(page, simhash, [shelves.get(bucket, {}) for bucket in buckets])
        if found is not None:
            near[page] = found
            continue
        for bucket in buckets:
            shelf = shelves.setdefault(bucket, {})
            if len(shelf) < BUCKET:
                shelf[page] = simhash
                rows.append({"bucket": bucket, "page": page, "simhash": simhash})
    insert_new(connection, NEAR, sorted(rows, key=lambda row: (row["bucket"], row["page"])))
    return near


def forget(connection: Connection, pages: Sequence[tuple[int, int, int]]) -> None:
    """Drop what was put down for pages, given as (site, page, signed fingerprint), before they changed."""
    rows = [
        {"in_bucket": bucket, "of_page": page} for site, page, simhash in pages for bucket in _buckets(site, simhash)
    ]
    write_rows(connection, _DROP, rows)


def _nearest(page: int, simhash: int, shelves: Sequence[dict[int, int]]) -> int | None:
    best: tuple[int, int] | None = None
    for shelf in shelves:
        for other, theirs in shelf.items():
            apart = ((simhash ^ theirs) & (2**64 - 1)).bit_count()
            if apart <= BITS_APART and other != page and (best is None or (apart, other) < best):
                best = (apart, other)
    return None if best is None else best[1]


def _buckets(site: int, simhash: int) -> list[int]:
    bits = simhash & (2**64 - 1)
    return [
        ((site * BANDS + band) << BAND_BITS) | (bits >> (band * BAND_BITS) & (2**BAND_BITS - 1))
        for band in range(BANDS)
    ]
