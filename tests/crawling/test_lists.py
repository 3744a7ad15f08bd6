"""Lists that are watched and are no pages: sitemaps are read as lists, and what is neither says what it is."""

import gzip
import json

import pytest

from scythe.crawl_model import Extracted
from scythe.engine import discovery
from scythe.engine.discovery import read_list
from scythe.engine.worker_protocol import Job, SiteSetup
from scythe.limits import LIMITS

URL = "https://mill.example/sitemap.xml"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body: bytes, content_type: str = "application/xml") -> Extracted:
    return read_list(Job(SiteSetup("mill.example"), URL, body, "list", content_type))


def sitemap(*entries: tuple[str, str]) -> bytes:
    rows = "".join(
        f"<url><loc>https://mill.example/{name}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</url>"
        for name, date in entries
    )
    return f'<?xml version="1.0"?><urlset {SPACE}>{rows}</urlset>'.encode()


def addresses(extracted: Extracted) -> list[str]:
    return [record.links[0].rpartition("/")[2] for region in extracted.lists for record in region.records]


DATED = sitemap(("a", "2026-01-02"), ("b", "2026-03-01"), ("c", ""), ("d", "2026-02-01"))


@pytest.mark.parametrize("body", [DATED, gzip.compress(DATED)], ids=["plain", "packed"])
def test_a_sitemap_is_a_list_of_what_was_modified_last(body: bytes) -> None:
    found = read(body)
    assert addresses(found) == ["b", "d", "a", "c"]
    (region,) = found.lists
    assert (region.kind, region.columns) == ("sitemap", ("date",))
    assert [record.fields[0] for record in region.records] == ["2026-03-01", "2026-02-01", "2026-01-02", ""]


def test_a_sitemap_without_dates_keeps_its_own_order() -> None:
    assert addresses(read(sitemap(("z", ""), ("a", ""), ("m", "")))) == ["z", "a", "m"]


def test_an_index_of_sitemaps_lists_them() -> None:
    rows = "".join(f"<sitemap><loc>https://mill.example/{name}.xml</loc></sitemap>" for name in "ab")
    assert addresses(read(f"<sitemapindex {SPACE}>{rows}</sitemapindex>".encode())) == ["a.xml", "b.xml"]


def test_addresses_beyond_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "LIMITS", LIMITS._replace(feed_entries=3))
    found = read(DATED)
    assert addresses(found) == ["b", "d", "a"]
    assert json.loads(found.rest)["why"] == "1 addresses beyond the limit are not watched"


@pytest.mark.parametrize(
    ("body", "content_type", "what"),
    [
        (b"%PDF-1.7 and so on", "text/html", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "", "PNG"),
        (b'{"news": ["one", "two"], "next": null}', "application/json", "JSON"),
    ],
)
def test_what_is_no_page_says_what_it_is(body: bytes, content_type: str, what: str) -> None:
    found = read(body, content_type)
    assert found.lists == ()
    why = json.loads(found.rest)["why"]
    assert why.startswith("no page: ")
    assert what in why
