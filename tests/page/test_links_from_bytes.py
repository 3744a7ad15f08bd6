"""Links found in bytes are those of the tree, on any page, in time that grows with its length only."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scythe.demo import site
from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.links_from_bytes import (
    Href,
    directives,
    read_hrefs,
    refresh_target,
)

URL = "https://example.org/folder/page"


def links_of(html: str, url: str | None = URL) -> list[str]:
    return [link.url for link in read_hrefs(html.encode(), url).links]


ODD_PAGES = (
    "<a href=/1 href=/2>|<a\nhref\n=\n'/w'\n>x|<A CLASS=b HREF=/UP>|<a/href=/slash>"
    "|<a title='a > b' href=/quoted>|<a title=it\"s href=/bare>|<a href=a&amp;b&copy=1&lt>"
    "|<a href=' /space in it '>|<a href='/tab\n\there'>"
    "|<a href=?page=2><a href=#here><a href=''><a href><a>"
    "|<a href=mailto:x@y.org><a href=javascript:go()><a href='  JavaScript:go()'>"
    "|<!-- <a href=/comment> --><a href=/behind>|<!--> <a href=/empty-comment> -->"
    "|<script>document.write('<a href=/script>')</script><a href=/ok>"
    "|<script><!--<script></script>--><a href=/hidden></script><a href=/ok>"
    "|<style><a href=/style></style><textarea><a href=/area></textarea><title><a href=/title></title>"
    "|<template><template></template><a href=/t></template><a href=/after>"
    "|<noscript><a href=/noscript></noscript>|<svg><title/><a href=/svg></a><style/></svg><a href=/after>"
    "|<select><option><a href=/option></select>|<table><a href=/table></table>"
    '|<p title="<a href=\'/in-a-value\'>"><a href=/real>|<a <a href=/odd>|<a href="/unclosed'
    "|<plaintext><a href=/plain>|<a href=q><base href=/late/>"
    "|<base href=//other.example/x/><base href=/second/><a href=q>"
    "|<a href='http://[::1/x'><a href=http://h:99999999/><a href=//><a href=http:///x>"
    "|<a href=/é><a href='/日本'>|<a href=/nul\x00l>"
    "|</><a href=/1></ ><a href=/2><?x><a href=/3><!DOCTYPE x><a href=/4>< a href=/no>"
).split("|")


@pytest.mark.parametrize("html", ODD_PAGES)
def test_odd_links_are_those_of_the_tree(html: str) -> None:
    page = Page.from_bytes(html.encode(), url=URL)
    assert set(links_of(html)) == {link.url for link in page.links}
    assert read_hrefs(html.encode(), URL).base == page.base


@pytest.mark.parametrize("page", site(pages=8), ids=lambda page: page.url)
def test_links_of_demo_pages_are_those_of_the_tree(page) -> None:  # type: ignore[no-untyped-def]
    tree = Page.from_bytes(page.html, url=URL)
    found = read_hrefs(page.html, URL)
    assert {link.url for link in found.links} == {link.url for link in tree.links}
    assert found.canonical == tree.metadata.canonical


def test_an_unclosed_script_does_not_hide_all_links() -> None:
    body = b"<script>begins <div><a href=/a>a</a></div><p><a href=/b>b</a></p>"
    tree = Page.from_bytes(body, url=URL)
    found = read_hrefs(body, URL)
    assert {link.url for link in found.links} == {link.url for link in tree.links} != set()
    assert [loss.what for loss in found.losses] == ["unclosed elements read as their content"]


@pytest.mark.parametrize("page", [page.html for page in site(pages=8)] + [html.encode() for html in ODD_PAGES])
def test_without_the_extension_a_tree_finds_the_same(page: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_hrefs(page, URL)
    monkeypatch.setattr("scythe.page.page.native", None)
    assert read_hrefs(page, URL) == expected


@given(st.binary(max_size=500))
@settings(deadline=None)
def test_any_bytes_give_absolute_links(body: bytes) -> None:
    assert all(link.url.startswith(("http://", "https://")) for link in read_hrefs(body, URL).links)


def test_what_a_page_says_to_crawlers_is_read() -> None:
    found = read_hrefs(
        b"""<head><META NAME="Robots" content="NoIndex , none"><link rel="canonical" href="/c">
        <link rel='next' href='?page=3'><link rel="previous" href="?page=1">
        <link rel=alternate type="application/rss+xml; charset=utf-8" href=/feed/>
        <link rel=alternate hreflang=de href=/de>
        <meta http-equiv=refresh content="5; URL='/moved'"></head><a rel="me NoFollow" href=/n>""",
        URL,
    )
    assert found.canonical == "https://example.org/c"
    assert (found.next, found.previous) == (URL + "?page=3", URL + "?page=1")
    assert found.feeds == ("https://example.org/feed/",)
    assert found.refresh == "https://example.org/moved"
    assert (found.noindex, found.nofollow) == (True, True)
    assert found.links == (Href(found.links[0].url, True),)


def test_a_link_may_say_that_it_leads_to_the_next_page() -> None:
    found = read_hrefs(b"<a rel=next href=/p/2>", URL)
    assert found.next == "https://example.org/p/2"
    assert read_hrefs(b"<a rel=next href=/p/2>", URL).next == found.next, "remembered links say it too"


def test_frames_are_named() -> None:
    found = read_hrefs(b"<frameset><frame src=menu.html><frame src=/main></frameset>", URL)
    assert found.frames == ("https://example.org/folder/menu.html", "https://example.org/main")


def test_links_remembered_from_one_page_do_not_leak_into_another_place() -> None:
    body = b"<a href=x><a href=/y><a href=?z>"
    here, there = read_hrefs(body, "https://a.example/1/p"), read_hrefs(body, "https://a.example/2/p")
    assert [link.url for link in here.links] == [f"https://a.example/{place}" for place in ("1/x", "y", "1/p?z")]
    assert [link.url for link in there.links] == [f"https://a.example/{place}" for place in ("2/x", "y", "2/p?z")]
    assert [link.url for link in read_hrefs(body, "http://b.example").links][:2] == [
        "http://b.example/x",
        "http://b.example/y",
    ]


def test_bytes_of_other_encodings_are_read_as_the_page_is() -> None:
    html = "<meta charset=shift_jis><a href='/日本'>" + "日本語の文章です。" * 50
    body = html.encode("shift_jis")
    assert [link.url for link in read_hrefs(body, URL).links] == [
        link.url for link in Page.from_bytes(body, url=URL).links
    ]
    wide = html.encode("utf-16")
    assert read_hrefs(wide, URL).links == read_hrefs(body, URL).links


@pytest.mark.fault
def test_a_million_links_are_bounded_and_the_loss_is_counted() -> None:
    found = read_hrefs(b"<a href=/x>" * 1_000_000, URL)
    assert len(found.links) == LIMITS.page_links
    assert [loss.what for loss in found.losses] == ["tags beyond the limit", "links beyond the limit"]
    assert sum(loss.count for loss in found.losses) >= 1_000_000 - LIMITS.page_links


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/a", "/a"),
        ("5;URL = '/a b'x", "/a b"),
        ("0,/a", "/a"),
        ("0; /a", "/a"),
        ("30", ""),
        ('0;url="/a', "/a"),
        ("", ""),
    ],
)
def test_where_a_refresh_leads(content: str, target: str) -> None:
    assert refresh_target(content) == target


def test_none_asks_for_both() -> None:
    assert {"noindex", "nofollow"} <= directives("NONE, noarchive")
