"""Sitemaps of every form give their addresses; none makes more of itself than it is."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.limits import LIMITS
from scythe.page.sitemaps import read_sitemap

URL = "https://example.org/sitemap.xml"
MAP = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>https://example.org/a?x=1&amp;y=2</loc><lastmod>2024-05-01T10:00:00+02:00</lastmod>
<changefreq>Weekly</changefreq><priority>0.8</priority><image:image><image:loc>https://example.org/i.png</image:loc>
</image:image></url>
<url><loc> <![CDATA[https://example.org/b?x=1&y=2]]> </loc><lastmod>nonsense</lastmod><priority>9</priority></url>
<!-- <url><loc>https://example.org/hidden</loc></url> -->
<url><loc>/relative&#x41;&#66;</loc></url>
<url><lastmod>2024-05-01</lastmod></url><url><loc>mailto:x@example.org</loc></url>
</urlset>"""


def urls_of(body: bytes) -> list[str]:
    return [entry.url for entry in read_sitemap(body, URL).urls]


@pytest.mark.parametrize("pack", [gzip.compress, lambda body: body, lambda body: body.decode().encode("utf-16")])
def test_packed_and_wide_sitemaps_are_read(pack) -> None:  # type: ignore[no-untyped-def]
    assert len(read_sitemap(pack(MAP), URL).urls) == 3


@pytest.mark.parametrize("body", [b"", b"<html><p>Not found</p></html>", b"<rss></rss>", b"words only", b"<urlset/>"])
def test_what_is_no_sitemap_says_why(body: bytes) -> None:
    sitemap = read_sitemap(body, URL)
    assert sitemap.urls == sitemap.sitemaps == ()
    assert sitemap.why


def test_entities_are_not_expanded() -> None:
    doctype = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    body = f"{doctype}<urlset><url><loc>https://example.org/&b;&f;&lt;&quot;&nbsp;</loc></url></urlset>".encode()
    assert urls_of(body) == ["https://example.org/&b;&f;%3C%22&nbsp;"]


def test_more_addresses_than_the_standard_allows_are_counted() -> None:
    entries = b"".join(b"<url><loc>/%d</loc></url>" % n for n in range(LIMITS.sitemap_urls + 7))
    sitemap = read_sitemap(b"<urlset>" + entries + b"</urlset>", URL)
    assert len(sitemap.urls) == LIMITS.sitemap_urls
    assert [(loss.what, loss.count) for loss in sitemap.losses] == [("addresses beyond the limit", 7)]


@pytest.mark.fault
def test_a_bomb_is_not_inflated() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 30_000_000)
    sitemap = read_sitemap(bomb, URL)
    assert "inflates more than" in sitemap.losses[0].what


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_damage_is_survived(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(MAP)))
    damaged = MAP[:at] + data.draw(st.binary(max_size=8)) + MAP[at + data.draw(st.integers(0, 20)) :]
    assert all(entry.url.startswith(("http://", "https://")) for entry in read_sitemap(damaged, URL).urls)
