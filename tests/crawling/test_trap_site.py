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
    options = CrawlOptions(delay=0, per_host=4, allow_private=True, patience_s=5, parts=("text",))
    site = with_traps(honest, ["calendar by path", "repeated path", "counter"])

    async def answer(path: str) -> AsyncIterator[bytes]:
        made = site(f"https://example.org{path}")
        yield page(write(made), HTML) if made else page(b"not found", status="404 Not Found")

    with serve(answer) as server, open_archive(tmp_path / "a.db") as archive:
        run = Crawl(server.url(), archive, options)
        asyncio.run(asyncio.wait_for(run.run(), 120))
        pages = {stored.url.removeprefix(server.url("")) for stored in read_pages(archive, PageQuery())}
    assert run.why_ended == "complete"
    assert {url.removeprefix("https://example.org") for url in honest.pages} <= pages
    assert len(pages) < len(honest.pages) + 250
    assert sum(run.tally.skipped.values()) > 0
