"""A host that is gone in the middle of a crawl: a short while is waited for, a long one fails no page."""

import asyncio
import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine
from tests.crawling.test_politeness import Log, chain, logged
from tests.faults.io.proxy import Proxy, proxied_port

from scythe.archive.open import open_archive
from scythe.archive.schema import URLS
from scythe.archive.site_health import count_archive
from scythe.archive.verify import verify_archive
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions

pytestmark = pytest.mark.fault
PAGES = 12


def crawl(url: str, where: Path, *, patience_s: float) -> Crawl:
    options = CrawlOptions(
        delay=0.02, allow_private=True, patience_s=patience_s, parts=("text",), sitemaps=False, feeds=False, attempts=2
    )
    with open_archive(where) as archive:
        run = Crawl(url, archive, options)
        asyncio.run(run.run())
    return run


def states(where: Path) -> Counter[str]:
    with open_archive(where) as archive, archive.reading() as connection:
        return Counter(row.state for row in connection.execute(URLS.select()))


def close_after(proxy: Proxy, log: Log, requests: int, *, open_after_s: float | None = None) -> threading.Thread:
    """Cut a server off when it has seen so many requests; connect it again after a while."""

    def watch() -> None:
        while len(log.seen) < requests:
            threading.Event().wait(0.005)
        proxy.close()
        if open_after_s is not None:
            threading.Event().wait(open_after_s)
            proxy.open()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_host_that_is_gone_for_longer_than_our_patience_fails_no_page(tmp_path: Path) -> None:
    where, site = tmp_path / "a.db", chain(PAGES)
    with logged(lambda path, _: site.get(path)) as log, proxied_port(log.server.port) as (proxy, port):
        url = f"http://127.0.0.1:{port}/"
        cut = close_after(proxy, log, 5)
        run = crawl(url, where, patience_s=2.0)
        cut.join()
        assert "no connection" in run.why_ended
        assert "try again later" in run.why_ended
        assert 0 < run.tally.pages < PAGES
        assert states(where)["failed"] == 0
        proxy.open()
        assert crawl(url, where, patience_s=60.0).tally.pages == PAGES
    assert states(where) == {"done": PAGES}


def test_a_host_that_is_gone_for_a_while_is_waited_for(tmp_path: Path) -> None:
    where, site = tmp_path / "a.db", chain(PAGES)
    with logged(lambda path, _: site.get(path)) as log, proxied_port(log.server.port) as (proxy, port):
        cut = close_after(proxy, log, 5, open_after_s=2.0)
        run = crawl(f"http://127.0.0.1:{port}/", where, patience_s=60.0)
        cut.join()
    assert run.why_ended == "complete"
    assert states(where) == {"done": PAGES}


@pytest.mark.slow
def test_a_database_that_lets_go_of_a_crawl_again_and_again_loses_and_doubles_nothing(postgres_url: str) -> None:
    site = chain(60)
    ended = threading.Event()

    def let_go() -> None:
        engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"), poolclass=NullPool)
        while not ended.wait(0.1):
            with engine.connect() as connection:
                connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'outage'"
                )

    with logged(lambda path, _: site.get(path)) as log:
        options = CrawlOptions(delay=0.02, allow_private=True, parts=("text",), sitemaps=False, feeds=False)
        with open_archive(f"{postgres_url}&application_name=outage") as archive:
            run = Crawl(log.server.url("/"), archive, options)
            killer = threading.Thread(target=let_go, daemon=True)
            killer.start()
            try:
                asyncio.run(run.run())
            finally:
                ended.set()
                killer.join()
            assert run.why_ended == "complete"
            assert (run.tally.pages, count_archive(archive).versions) == (60, 60)
            assert verify_archive(archive) == []
