"""A site goes on being crawled with what somebody once said of it."""

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import scythe
from scythe.archive.open import open_archive
from scythe.archive.results import PageQuery, StoredPage
from scythe.archive.retrieval import read_pages
from scythe.archive.stored_sites import load_notes, site_rows
from scythe.crawling.crawl import Crawl, note_said, tell_before
from scythe.crawling.crawl_options import CrawlOptions, recall_parts

FAST = {"delay": 0.0, "allow_private": True, "sitemaps": False, "feeds": False}
NAMES = ("scythe", "sickle", "rake", "hammer", "anvil", "peening jig")

pytestmark = pytest.mark.fault


def _page(number: int, price: str) -> str:
    links = "".join(f'<a href="{other}.html">{name}</a>' for other, name in enumerate(NAMES))
    data = json.dumps({"@type": "Product", "@context": "https://schema.org", "name": "It", "sku": f"S{number}"})
    return (
        f'<html><head><title>{NAMES[number]}</title><script type="application/ld+json">{data}</script></head><body>'
        f'<nav>{links}</nav><main><h1>A {NAMES[number]}</h1><p class="price">{price}</p>'
        f"<p>The {NAMES[number]} is made by hand, of steel and of wood that was felled in winter and dried for years, "
        f"by people who use a {NAMES[number]} on their own fields, number {number}.</p></main></body></html>"
    )


class Shop:
    """A folder of products, served on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.url = folder, ""
        for number in range(len(NAMES)):
            self.price(number, f"€ {number}4.90")

    def price(self, number: int, price: str) -> None:
        (self.folder / f"{number}.html").write_text(_page(number, price), encoding="utf-8")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *said: object) -> None:
        """Say nothing."""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    folder = tmp_path / "shop"
    folder.mkdir()
    made = Shop(folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        made.url = f"http://127.0.0.1:{server.server_address[1]}/0.html"
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def _learned(shop: Shop) -> str:
    pages = [(f"{shop.url[:-6]}{n}.html", path.read_bytes()) for n, path in enumerate(sorted(shop.folder.iterdir()))]
    return scythe.Site.learn(
        pages, examples=[{"price": f"€ {n}4.90"} for n in range(6)], fields=["title", "text"]
    ).to_json()


def _crawl(shop: Shop, where: Path, *, profile: str | None = None, **said: object) -> Crawl:
    with open_archive(where) as archive:
        run = Crawl(shop.url, archive, CrawlOptions(**FAST, **said), profile=profile)  # type: ignore[arg-type]
        asyncio.run(run.run())
    return run


def _stored(where: Path, number: int) -> StoredPage:
    with open_archive(where) as archive:
        return next(page for page in read_pages(archive, PageQuery()) if page.url.endswith(f"/{number}.html"))


def test_a_run_that_says_nothing_goes_on_with_what_was_said_and_what_is_said_again_replaces_it(
    shop: Shop, tmp_path: Path
) -> None:
    where = tmp_path / "a.db"
    first = _crawl(shop, where, profile=_learned(shop), parts=("text", "attributes"), limit=2)
    assert not any("before" in note for note in first.tally.notes)
    resumed = _crawl(shop, where)
    assert resumed.tally.pages == len(NAMES)
    assert resumed.tally.notes == [
        "as when this site was crawled before: --parts text,attributes and a profile with price"
    ]
    rest = json.loads(_stored(where, 5).rest)
    assert rest["fields"]["price"]["values"] == ["€ 54.90"]
    assert ["sku", "S5"] in rest["attributes"]
    assert "images" not in rest
    shop.price(3, "€ 29.90")
    refreshed = _crawl(shop, where, refresh=True, parts=("text",))
    rest = json.loads(_stored(where, 3).rest)
    assert refreshed.tally.stored["changed"] == 1
    assert refreshed.tally.notes == ["as when this site was crawled before: a profile with price"]
    assert rest["fields"]["price"]["values"] == ["€ 29.90"]
    assert "attributes" not in rest
    with open_archive(where) as archive:
        assert recall_parts(load_notes(archive, site_rows(archive)[0].id)) == ("text",)


def test_of_a_site_of_which_nobody_said_anything_nothing_is_kept(shop: Shop, tmp_path: Path) -> None:
    run = _crawl(shop, tmp_path / "a.db", limit=1)
    with open_archive(tmp_path / "a.db") as archive:
        assert "parts" not in json.loads(load_notes(archive, site_rows(archive)[0].id))
    assert run.tally.notes == []


def test_notes_of_an_earlier_version_say_nothing_of_parts_and_unknown_parts_are_left_out() -> None:
    assert recall_parts("") is None
    assert recall_parts('{"params": {}, "traps": {}, "hosts": []}') is None
    assert note_said('{"hosts": []}', None, None) == '{"hosts": []}'
    assert recall_parts(note_said('{"hosts": []}', ("text", "smell"), None)) == ("text",)
    assert recall_parts(note_said('{"hosts": []}', (), None)) == ()


def test_a_profile_that_cannot_be_read_is_not_told_of() -> None:
    assert tell_before(None, "{}") == ""
    assert tell_before(None, None) == ""
