"""Give an archive to other tools: where it is comes in, a stream of Arrow batches of what it holds goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from scythe.archive.archive import Archive
from scythe.archive.open import open_archive
from scythe.archive.stored import StoredPage, StoredRecord, Wanted
from scythe.crawling.documents import to_document
from scythe.crawling.export import check_sites
from scythe.errors import BadInput
from scythe.tables.builder import FULL_ROWS, TableBuilder
from scythe.tables.cells import build_batch
from scythe.tables.schemas import NESTED, RENDERED, TABLES, records_schema, require_arrow
from scythe.tables.writing import open_reader

_KNOWN = (
    "site", "status", "fetched_at", "first_seen", "last_seen", "gone_at", "duplicate_of", "version", "versions",
    "is_complete",
)  # fmt: skip


def scan_archive(
    where: str | Path | Archive,
    table: str = "documents",
    *,
    sites: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
) -> Any:
    """Return a `pyarrow.RecordBatchReader` of an archive: of its newest `documents`, its `images` or its `records`.

    `where` is a file, a `postgresql://` address or an archive that is open. `sites` are keys of sites, `since` and
    `until` moments in UTC: fetched then or later, and before; of records, first seen. It is read as it is asked for,
    a few megabytes at a time, while a crawl may go on. Raises BadInput, ArchiveFailed, and MissingExtra where pyarrow
    is not installed.
    """
    require_arrow()
    if table not in TABLES:
        raise BadInput(f"an archive has no table {table!r}; known are {', '.join(TABLES)}")
    if isinstance(sites, str):
        raise BadInput("sites is a list of keys, not one text")
    wanted = Wanted(sites=tuple(sites), since=_moment(since), until=_moment(until))
    with _opened(where) as archive:  # what is wrong is told now, not when the first batch is asked for
        check_sites(archive, wanted)
    if table == "records":
        return _records(where, wanted)
    builder = _builder(table)
    return open_reader(builder, table, _filled(builder, where, wanted))


@contextmanager
def _opened(where: str | Path | Archive) -> Iterator[Archive]:
    """Open an archive for as long as it is read; one that was open stays so."""
    if isinstance(where, Archive):
        yield where
    else:
        with open_archive(where, create=False) as archive:
            yield archive


def _moment(given: datetime | None) -> datetime | None:
    return given.replace(tzinfo=UTC) if given is not None and given.tzinfo is None else given


def _builder(table: str) -> TableBuilder:
    import pyarrow as pa

    moment = pa.timestamp("us", "UTC")
    kinds = {"status": pa.int32(), "version": pa.int32(), "versions": pa.int32(), "is_complete": pa.bool_()}
    kinds |= dict.fromkeys(("fetched_at", "first_seen", "last_seen", "gone_at"), moment)
    extra = {name: kinds.get(name, pa.string()) for name in _KNOWN}
    return TableBuilder((table,), (*RENDERED, *NESTED), extra=extra, keys=("site", "fetched_at"))


def _filled(builder: TableBuilder, where: str | Path | Archive, wanted: Wanted) -> Iterator[None]:
    with _opened(where) as archive:
        for stored in archive.read_pages(wanted):
            builder.add(to_document(stored), _known(stored))
            yield


def _known(stored: StoredPage) -> dict[str, object]:
    return {"via": stored.how} | {name: getattr(stored, name) for name in _KNOWN}


def _records(where: str | Path | Archive, wanted: Wanted) -> Any:
    import pyarrow as pa

    moment = pa.timestamp("us", "UTC")
    extra = {"first_seen": moment, "last_seen": moment, "sightings": pa.int64(), "site": pa.string()}
    # an archive has a record once, wherever it was seen: it has no number on a page
    schema = pa.schema([field for field in records_schema(extra) if field.name not in ("region", "record")])
    return pa.RecordBatchReader.from_batches(schema, _record_batches(where, wanted, schema))


def _record_batches(where: str | Path | Archive, wanted: Wanted, schema: Any) -> Iterator[Any]:
    with _opened(where) as archive:
        rows = map(_record_row, archive.read_records(wanted))
        while some := list(islice(rows, FULL_ROWS)):
            yield build_batch(some, schema)


def _record_row(record: StoredRecord) -> tuple[Any, ...]:
    pairs = tuple(pair for pair in zip(record.columns, record.fields, strict=True) if pair[1])
    known = (record.first_seen, record.last_seen, record.sightings, record.site)
    return record.page, record.kind, pairs, record.links, record.images, *known
