"""A whole crawl of a site with traps, served on loopback: it ends, and every honest page is in the archive."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.crawling.made_sites import STYLES, Honest, Site, with_traps
from tests.faults.servers_sites import write

from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery
from scythe.archive.retrieval import read_pages
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions

pytestmark = pytest.mark.fault


@contextmanager
def served(site: Site) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = site(f"https://example.org{self.path}")
            body = write(page) if page else b"not found"
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_site_with_traps_is_crawled_to_its_end(tmp_path: Path) -> None:
    honest = Honest(STYLES[0], articles=40, months=24)
    options = CrawlOptions(delay=0, per_host=4, allow_private=True, patience_s=5, parts=("text",))
    site = with_traps(honest, ["calendar by path", "repeated path", "counter"])
    with served(site) as address, open_archive(tmp_path / "a.db") as archive:
        run = Crawl(f"{address}/", archive, options)
        asyncio.run(asyncio.wait_for(run.run(), 120))
        pages = {page.url.removeprefix(address) for page in read_pages(archive, PageQuery())}
    assert run.why_ended == "complete"
    assert {url.removeprefix("https://example.org") for url in honest.pages} <= pages
    assert len(pages) < len(honest.pages) + 250
    assert sum(run.tally.skipped.values()) > 0
