"""A whole crawl of a site with traps, served on loopback: it ends, and every honest page is in the archive."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.crawling.made_sites import STYLES, Honest, with_traps
from tests.faults.servers import HTML
from tests.faults.servers_sites import write
from tests.fetch.server import page, serve

from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions

pytestmark = pytest.mark.fault


def test_a_site_with_traps_is_crawled_to_its_end(tmp_path: Path) -> None:
    honest = Honest(STYLES[0], articles=40, months=24)
    run, pages = crawl_site(honest, ["calendar by path", "repeated path", "counter"], tmp_path / "a.db")
    assert run.why_ended == "complete"
    assert set(honest.pages) <= pages
    assert len(pages) < len(honest.pages) + 250
    assert sum(run.tally.skipped.values()) > 0


def test_within_two_requests_a_page_nearly_all_honest_pages_are_there_whatever_else_has_no_end(tmp_path: Path) -> None:
    honest = Honest(STYLES[4], articles=170, months=12)
    limit = 2 * len(honest.pages)
    names = ["calendar by path", "session in path", "ever deeper", "filters", "counter", "not found", "endless"]
    run, pages = crawl_site(honest, [*names, "repeated path"], tmp_path / "a.db", limit=limit)
    assert run.tally.requests <= limit + 10
    articles = {url for url in honest.pages if "?" not in url}
    assert articles <= pages
    assert len(pages & set(honest.pages)) >= 0.92 * len(honest.pages)  # of a list of 17 pages the last may wait


def crawl_site(
    honest: Honest, traps: list[str], archive_path: Path, limit: int | None = None
) -> tuple[Crawl, set[str]]:
    """Crawl a site with traps; return the run, and the addresses of what it stored as the site has them."""
    options = CrawlOptions(delay=0, per_host=4, allow_private=True, patience_s=5, parts=("text",), limit=limit)
    site = with_traps(honest, traps)

    async def answer(path: str) -> AsyncIterator[bytes]:
        made = site(f"https://example.org{path}")
        yield page(write(made), HTML) if made else page(b"not found", status="404 Not Found")

    with serve(answer) as server, open_archive(archive_path) as archive:
        run = Crawl(server.url(), archive, options)
        asyncio.run(asyncio.wait_for(run.run(), 120))
        pages = {stored.url.removeprefix(server.url("")) for stored in read_pages(archive, PageQuery())}
    return run, {f"https://example.org{path}" for path in pages}
