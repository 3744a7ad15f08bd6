"""Links with absolute addresses; what stands for no address is skipped and counted."""

from __future__ import annotations

import pytest

from scythe.page import Page
from scythe.url import absolute

URL = "https://example.org/a/b.html"


@pytest.mark.parametrize(
    "href",
    ["http://[::1/x", "http://h:99999999/", "http://", "x" * 10_000, "http://exa mple.org:b/", "foo:bar"],
)
def test_an_address_nobody_can_follow_is_skipped_and_counted(href: str) -> None:
    page = Page.from_text(f"<a href='{href}'>bad</a><a href=/good>good</a>", url=URL)
    assert [link.text for link in page.links] == ["good"]
    assert [(loss.what, loss.count) for loss in page.losses] == [("links without an absolute address", 1)]


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
