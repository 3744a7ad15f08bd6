"""Links with absolute addresses; what stands for no address is skipped and counted."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.url import absolute

URL = "https://example.org/a/b.html"


def test_links_come_in_page_order_with_text_and_rel() -> None:
    page = Page.from_text("<a href=c>One <b>two</b></a><a href=/d rel='NoFollow ugc'> three </a>", url=URL)
    assert [(link.url, link.text, link.rel) for link in page.links] == [
        ("https://example.org/a/c", "One two", ""),
        ("https://example.org/d", "three", "nofollow ugc"),
    ]


def test_the_base_of_the_page_is_respected() -> None:
    page = Page.from_text("<base href='//cdn.example.net/x/'><a href=y>z</a>", url=URL)
    assert page.links[0].url == "https://cdn.example.net/x/y"


def test_a_link_without_text_is_named_by_its_label() -> None:
    page = Page.from_text("<a href=/x aria-label='Home page'><img src=i.png></a>", url=URL)
    assert page.links[0].text == "Home page"


@pytest.mark.parametrize(
    "href",
    ["http://[::1/x", "http://h:99999999/", "http://", "x" * 10_000, "http://exa mple.org:b/", "foo:bar"],
)
def test_an_address_nobody_can_follow_is_skipped_and_counted(href: str) -> None:
    page = Page.from_text(f"<a href='{href}'>bad</a><a href=/good>good</a>", url=URL)
    assert [link.text for link in page.links] == ["good"]
    assert [(loss.what, loss.count) for loss in page.losses] == [("links without an absolute address", 1)]


@pytest.mark.parametrize("href", ["#top", "javascript:void(0)", "mailto:a@example.org", "tel:+1", "", " ", "DATA:x"])
def test_what_was_never_meant_as_a_page_is_not_counted(href: str) -> None:
    page = Page.from_text(f"<a href='{href}'>x</a>", url=URL)
    assert page.links == ()
    assert page.losses == ()


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("/x", "https://example.org/x"),
        ("//e.net/x", "https://e.net/x"),
        ("?q=1", "https://example.org/a/b.html?q=1"),
        ("../x", "https://example.org/x"),
        ("/./x/../y", "https://example.org/y"),
        (" /x\n", "https://example.org/x"),
        ("/a b", "https://example.org/a%20b"),
        ('/a"b<c>', "https://example.org/a%22b%3Cc%3E"),
        ("HTTP://E.net/x", "http://E.net/x"),
        ("/x#", "https://example.org/x"),
        ("/ü", "https://example.org/ü"),
        ("https://e.net/%zz", "https://e.net/%zz"),
    ],
)
def test_addresses_are_made_absolute(text: str, url: str) -> None:
    assert absolute(text, URL) == url
