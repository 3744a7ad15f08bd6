"""Whole crawls of the demo site, served on loopback."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fetch.server import by_path, page, serve

import scythe
from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery, StoredPage
from scythe.archive.retrieval import read_pages, read_raw
from scythe.archive.site_health import count_archive
from scythe.archive.stored_sites import site_rows, stored_profile
from scythe.archive.verify import verify_archive
from scythe.archive.watches import add_watch, due_watches, watch_rows
from scythe.crawl_model import FoundUrl, Outcome, Receipt
from scythe.crawling.crawl import Crawl, profile_text
from scythe.crawling.crawl_options import CrawlOptions
from scythe.demo.serve import DemoOptions, DemoThread, serve_demo
from scythe.errors import BadInput
from scythe.url import Url

FAST = CrawlOptions(delay=0, per_host=4, allow_private=True, patience_s=20.0, parts=("text", "images"))

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoThread]:
    with serve_demo(DemoOptions(pages=24)) as served:
        yield served


def crawl(
    demo: DemoThread, where: Path | str, options: CrawlOptions = FAST, start: str = ""
) -> tuple[Crawl, list[str]]:
    """Crawl; return the run and the addresses asked for meanwhile."""
    before = len(demo.log)
    with open_archive(where) as archive:
        run = Crawl(start or demo.url, archive, options)
        asyncio.run(run.run())
    return run, [request.target for request in demo.log[before:]]


def stored(where: Path | str, **wanted: object) -> list[StoredPage]:
    with open_archive(where) as archive:
        return list(read_pages(archive, PageQuery(**wanted)))  # type: ignore[arg-type]


def test_every_page_of_a_site_is_asked_for_and_stored_once(demo: DemoThread, tmp_path: Path) -> None:
    run, asked = crawl(demo, tmp_path / "a.db")
    assert run.why_ended == "complete"
    pages = stored(tmp_path / "a.db")
    assert Counter(page.url for page in pages) == Counter(demo.world.page_urls)
    assert max(Counter(asked).values()) == 1
    assert run.tally.waiting == 0
    again, asked = crawl(demo, tmp_path / "a.db")
    assert (again.why_ended, asked) == ("complete", [])


def test_a_crawl_leaves_lists_that_are_watched_alone(demo: DemoThread, tmp_path: Path) -> None:
    crawl(demo, tmp_path / "a.db")
    with open_archive(tmp_path / "a.db") as archive:
        (site,) = site_rows(archive)
        host = Url(demo.url).removeprefix("http://").rstrip("/")
        watch = add_watch(archive, site.id, FoundUrl(Url(demo.url), host), "{}", now=datetime.now(UTC))
        item = FoundUrl(Url(f"{demo.url}nowhere"), host, kind="item", depth=1)
        add_urls(archive, site.id, [item])
    run, asked = crawl(demo, tmp_path / "a.db", replace(FAST, refresh=True))
    assert (run.why_ended, run.tally.waiting) == ("complete", 0)
    assert max(Counter(asked).values()) == 1
    assert "/nowhere" in asked
    with open_archive(tmp_path / "a.db") as archive:
        assert [row.state for row in watch_rows(archive)] == ["new"]
        assert [number for number, *_ in due_watches(archive)] == [watch]
        assert verify_archive(archive) == []
    assert {page.url for page in stored(tmp_path / "a.db")} == set(demo.world.page_urls)


def test_what_was_stored_is_what_the_pages_say(demo: DemoThread, tmp_path: Path) -> None:
    crawl(demo, tmp_path / "a.db")
    by_url = {page.url: page for page in stored(tmp_path / "a.db")}
    told = [demo.world.page(path) for path in demo.world.paths]
    titled = [page for page in told if page is not None and page.gold_text]
    right = sum(page.gold_title in by_url[demo.world.base + page.path].title for page in titled)  # type: ignore[index]
    assert right / len(titled) > 0.9
    words = [len(set(by_url[demo.world.base + p.path].text.split()) & set(p.gold_text.split())) for p in titled]  # type: ignore[index]
    assert sum(words) / sum(len(set(page.gold_text.split())) for page in titled) > 0.9


def test_the_site_is_learned_on_the_way_and_the_profile_kept(demo: DemoThread, tmp_path: Path) -> None:
    run, _ = crawl(demo, tmp_path / "a.db")
    assert run.tally.how["cold"] <= 13
    assert run.tally.how["cut"] > 0
    with open_archive(tmp_path / "a.db") as archive:
        profile = stored_profile(archive, site_rows(archive)[0].id)
    assert profile is not None
    (tmp_path / "site.json").write_text(profile, encoding="utf-8")
    assert scythe.Site.load(tmp_path / "site.json").profile.layouts


def test_a_limit_is_kept_and_the_next_run_goes_on(demo: DemoThread, tmp_path: Path) -> None:
    where = tmp_path / "a.db"
    run, first = crawl(demo, where, replace(FAST, limit=7))
    assert (run.tally.pages, len(stored(where))) == (7, 7)
    again, nothing = crawl(demo, where, replace(FAST, limit=7))
    assert (nothing, again.tally.pages) == ([], 7)
    run, second = crawl(demo, where)
    assert run.why_ended == "complete"
    assert {page.url for page in stored(where)} == set(demo.world.page_urls)
    assert not {path for path in first if path != "/robots.txt"} & set(second)


def test_a_run_that_is_stopped_leaves_an_archive_that_another_goes_on_with(demo: DemoThread, tmp_path: Path) -> None:
    where = tmp_path / "a.db"
    told: list[str] = []

    async def stop_after_five(archive: Archive) -> Crawl:
        async def count(outcome: Outcome, receipt: Receipt) -> None:
            told.append(outcome.task.url)
            if run.tally.pages == 5:
                run.stop()

        run = Crawl(demo.url, archive, FAST, listener=count)
        await run.run()
        return run

    with open_archive(where) as archive:
        run = asyncio.run(stop_after_five(archive))
        assert run.why_ended == "stopped"
        assert count_archive(archive).pages < len(demo.world.page_urls)
    assert Counter(told) == Counter(page.url for page in stored(where))  # also what was being stored just then
    crawl(demo, where)
    assert Counter(page.url for page in stored(where)) == Counter(demo.world.page_urls)


def test_refreshing_asks_whether_pages_changed_and_keeps_what_did_not(tmp_path: Path) -> None:
    with serve_demo(DemoOptions(pages=12)) as own:
        where = tmp_path / "a.db"
        crawl(own, where)
        pages = len(own.world.page_urls)
        run, asked = crawl(own, where, replace(FAST, refresh=True))
        assert run.tally.stored == {"same": pages}
        assert len(asked) >= pages
        assert len(stored(where, all_versions=True)) == pages
        own.redesign(1)
        run, _ = crawl(own, where, replace(FAST, refresh=True))
        assert run.tally.stored["changed"] == pages
        assert len(stored(where, all_versions=True)) == 2 * pages
        assert {page.url for page in stored(where)} == set(own.world.page_urls)


def test_depth_and_patterns_bound_a_crawl(demo: DemoThread, tmp_path: Path) -> None:
    options = replace(FAST, sitemaps=False, feeds=False, depth=1, deny=("*/news/*",))
    crawl(demo, tmp_path / "a.db", options)
    urls = {page.url for page in stored(tmp_path / "a.db")}
    assert demo.url in urls
    assert 1 < len(urls) < len(demo.world.page_urls)
    assert not any("/news/" in url for url in urls)
    crawl(demo, tmp_path / "b.db", replace(FAST, allow=("*/blog/*",)))
    assert all("/blog/" in page.url for page in stored(tmp_path / "b.db") if page.url != demo.url)
    crawl(demo, tmp_path / "c.db", replace(FAST, depth=0))
    assert [page.url for page in stored(tmp_path / "c.db")] == [demo.url]


def test_responses_are_kept_as_they_came_where_that_is_asked_for(demo: DemoThread, tmp_path: Path) -> None:
    crawl(demo, tmp_path / "a.db", replace(FAST, keep_raw=True, limit=3))
    with open_archive(tmp_path / "a.db") as archive:
        kept = {raw.url: raw for raw in read_raw(archive, PageQuery())}
    front = demo.world.page("/")
    assert front is not None
    assert kept[demo.url].body == front.html


def test_documents_come_out_of_a_crawl_one_by_one(demo: DemoThread) -> None:
    documents = list(scythe.crawl(demo.url, limit=6, deny=["*/news/*"], options=FAST))
    assert len(documents) == 6
    assert not [document.url for document in documents if "/news/" in str(document.url)]
    assert {str(document.url) for document in documents} <= set(demo.world.page_urls)
    assert all(document.title for document in documents)


def test_a_crawl_takes_a_learned_site_or_its_file(tmp_path: Path) -> None:
    pages = [(f"https://{n}.example/", f"<title>{n}</title><h1>Story {n}</h1>") for n in range(3)]
    site = scythe.Site.learn(pages)
    site.save(tmp_path / "site.json")
    assert profile_text(site) == profile_text(tmp_path / "site.json") == site.to_json()
    assert profile_text(None) is None


def test_whoever_stops_taking_documents_stops_the_crawl(demo: DemoThread, tmp_path: Path) -> None:
    documents = scythe.crawl(demo.url, archive=tmp_path / "a.db", options=FAST)
    first = next(documents)
    assert first.url in demo.world.page_urls
    documents.close()  # type: ignore[attr-defined]
    before = len(demo.log)
    rest = {document.url for document in scythe.crawl(demo.url, archive=tmp_path / "a.db", options=FAST)}
    assert len(demo.log) > before
    assert {page.url for page in stored(tmp_path / "a.db")} == set(demo.world.page_urls)
    assert first.url not in rest


def test_options_that_cannot_be_meant_are_refused() -> None:
    for wrong in ({"limit": 0}, {"delay": -1}, {"depth": -1}, {"per_host": 0}, {"parts": ("wings",)}):
        with pytest.raises(BadInput):
            CrawlOptions(**wrong)  # type: ignore[arg-type]
    with pytest.raises(BadInput):
        scythe.crawl("http://127.0.0.1/", allow="*/news/*")


def test_addresses_of_this_machine_are_refused_unless_allowed(demo: DemoThread, tmp_path: Path) -> None:
    run, asked = crawl(demo, tmp_path / "a.db", replace(FAST, allow_private=False))
    assert (asked, run.tally.pages) == ([], 0)
    assert "robots.txt" in run.why_ended


@pytest.mark.parametrize(
    ("pages", "why"),
    [
        ({"/": page(b"not here", status="404 Not Found")}, "the server answered 404"),
        ({"/": page(b"%PDF-1.7", "Content-Type: application/pdf")}, "no page: PDF"),
        ({"/robots.txt": page(b"User-agent: *\nDisallow: /"), "/": page(b"<p>x")}, "robots.txt does not allow it"),
        ({"/": page(b"busy", status="503 Service Unavailable")}, "the server answered 503"),
    ],
)
def test_a_crawl_without_a_single_page_fails_or_keeps_the_failure(pages: dict[str, bytes], why: str) -> None:
    options = CrawlOptions(delay=0, allow_private=True, patience_s=0.0, sitemaps=False)
    with serve(by_path({"/robots.txt": page(b""), **pages})) as server:
        with pytest.raises(scythe.FetchFailed, match=why):
            list(scythe.crawl(server.url("/"), options=options))
        (kept,) = scythe.crawl(server.url("/"), options=options, on_error="keep")
    assert (kept.url, kept.text) == (server.url("/"), "")
    assert why in kept.why


def test_failures_of_single_pages_are_left_out_or_kept() -> None:
    pages = {"/": page(b"<a href=/none>none</a><p>x</p>"), "/none": page(b"", status="410 Gone")}
    options = CrawlOptions(delay=0, allow_private=True, sitemaps=False)
    with serve(by_path({"/robots.txt": page(b""), **pages})) as server:
        assert len(list(scythe.crawl(server.url("/"), options=options))) == 1
        documents = {one.url: one.why for one in scythe.crawl(server.url("/"), options=options, on_error="keep")}
    assert documents[server.url("/none")] == "the server answered 410"
    with pytest.raises(BadInput, match="on_error must be raise or keep"):
        scythe.crawl("http://a.example/", on_error="skip")  # type: ignore[arg-type]
