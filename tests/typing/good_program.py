"""A program that uses everything public, as its user would write it; it must pass the strictest type check."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import scythe
from scythe.output.document_writers import Exporter, dump, export, safe_name
from scythe.testing import (
    CannedFetcher,
    MemoryStore,
    check_fetcher,
    check_record_characteristic,
    check_store,
    check_text_characteristic,
    check_text_method,
)
from scythe.watch_model import Goals
from scythe.watching.events import to_json
from scythe.watching.hooks import HookOptions

HERE = Path()


def read_pages(body: bytes) -> list[str]:
    options = scythe.TextOptions(captions=False, links=False)
    doc: scythe.Document = scythe.read(body, "https://example.org/", options=options, image_method="og")
    metadata: scythe.Metadata = doc.metadata
    images: tuple[scythe.Image, ...] = doc.images
    losses: tuple[scythe.Loss, ...] = doc.losses
    page: scythe.Page = scythe.Page.from_bytes(body, url=doc.url, content_type="text/html")
    links: tuple[scythe.Link, ...] = page.links
    paging: scythe.Paging = doc.paging
    kept: scythe.Document = doc.detach()
    said = [metadata.title, *(image.caption for image in images), *(loss.what for loss in losses), kept.text]
    return [*said, *(link.text for link in links), paging.next or "", dump(doc, "md"), safe_name(doc.title)]


def read_lists(body: bytes) -> Iterator[tuple[str, ...]]:
    regions: tuple[scythe.RecordList, ...] = scythe.read_lists(body, everything=True)
    for region in regions:
        records: tuple[scythe.Record, ...] = region.records
        yield from (record.fields for record in records)


def learn(pages: list[tuple[str | None, bytes]]) -> scythe.Field:
    site: scythe.Site = scythe.Site.learn(pages, [{"price": ["12"]}, *[None] * (len(pages) - 1)], fields=["title"])
    site.annotate({"https://example.org/": ["https://example.org/a.jpg"]}, pages, by="Ann")
    site.add_fields(pages, [{"date": []}, *[None] * (len(pages) - 1)])
    site.save(HERE / "site.json")
    if not site.drift.healthy:
        return scythe.Field()
    return scythe.Site.load("site.json").extract(pages[0][1], via="cut").fields["price"]


def crawl(site: scythe.Site) -> list[str]:
    options = scythe.CrawlOptions(concurrency=2, keep_raw=True, contact="mailto:me@example.org")
    try:
        docs = scythe.crawl(
            "https://example.org/", archive="x.db", limit=5, allow=["*/news/*"], profile=site, options=options
        )
        return [doc.title for doc in docs]
    except scythe.FetchFailed as failure:
        return [failure.why, str(failure.retry_after_s or 0.0)]
    except scythe.ArchiveFailed as failure:
        return [str(failure)]


async def crawl_here(start: str) -> list[str]:
    page: scythe.Document = await scythe.aio.get(start, timeout_s=10.0)
    events = [event.kind async for event in scythe.aio.watch([start], archive="w.db", once=True)]
    prices = [record["price"] for record in scythe.get(start, allow_private=True).records]
    rows: list[dict[str, str]] = page.lists[0].to_dicts()
    return [page.title, *events, *prices, *rows[0], *[doc.title async for doc in scythe.aio.crawl(start, limit=5)]]


def watch() -> Iterator[str]:
    lists = scythe.ListOptions(goals=Goals(max_delay_s=3_600.0), follow=True)
    options = scythe.WatchOptions(delay=2.0, once=True)
    hooks = HookOptions(exec=("true",), feeds=(HERE / "new.rss",))
    for event in scythe.watch(["https://example.org/"], archive="w.db", lists=lists, options=options, hooks=hooks):
        yield to_json(event) if event.kind == "record" else event.site


def exchange(docs: list[scythe.Document]) -> int:
    try:
        table = scythe.to_arrow(docs, "images", parts=("text",))
    except scythe.MissingExtra:
        return 0
    scythe.stream_arrow(docs)
    scythe.scan_archive("x.db", "records", since=datetime(2026, 1, 1, tzinfo=UTC))
    again: list[scythe.Document] = list(scythe.from_arrow(table, url=None))
    report = scythe.run_batch(["pages/"], HERE / "out", scythe.BatchOptions(parts=("text",), processes=1))
    return report.total("documents") + len(again)


def write(docs: list[scythe.Document]) -> list[Path]:
    exporter = Exporter(HERE / "out", overwrite=True)
    return [exporter.put(doc).text for doc in docs] + [export(docs[0], "out").html]


def check_parts() -> None:
    from scythe.reading.text import method

    check_store(MemoryStore)
    check_fetcher(CannedFetcher({"https://example.org/": b"<p>x"}).open)
    check_text_method(method("auto"))
    assert callable(check_record_characteristic)
    assert callable(check_text_characteristic)


def main() -> int:
    try:
        read_pages(b"<p>x")
    except scythe.BadInput:
        return 2
    except scythe.ScytheError:
        return 1
    return 0
