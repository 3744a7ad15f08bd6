"""Where pages, sitemaps and feeds say to go on."""

import pytest

from scythe.engine.discovery import Discovery, discover, read_robots_tag
from scythe.engine.worker_protocol import NamedUrl

URL = "https://example.org/list?page=2"


def by_url(found: Discovery) -> dict[str, NamedUrl]:
    return {named.url.removeprefix("https://example.org"): named for named in found.found}


def test_a_page_names_each_address_once_without_fragment_and_tracking() -> None:
    body = b"<a href=/a#x><a href=/a><a href=/a?utm_source=feed><a href=/b><a href='?page=2'><a href=#top>"
    assert list(by_url(discover(body, URL))) == ["/a", "/b"]


def test_special_links_say_how_they_were_found() -> None:
    found = by_url(
        discover(
            b"""<link rel=next href='?page=3'><link rel=canonical href=/list-two>
            <link rel=alternate type=application/atom+xml href=/feed><meta http-equiv=refresh content='0;url=/moved'>
            <a href='?page=3'>3</a><a href=/plain>x</a>""",
            URL,
        )
    )
    assert {path: named.how for path, named in found.items()} == {
        "/moved": "refresh",
        "/list?page=3": "paging",
        "/list-two": "canonical",
        "/feed": "feed",
        "/plain": "link",
    }
    assert found["/feed"].kind == "feed"
    assert found["/feed"].rank < found["/plain"].rank


def test_what_a_frameset_holds_is_a_frame() -> None:
    found = by_url(discover(b"<frameset><frame src=/menu><frame src=/main></frameset>", URL))
    assert {path: named.how for path, named in found.items()} == {"/menu": "frame", "/main": "frame"}


def test_feeds_of_comments_on_one_page_are_left() -> None:
    link = b"<link rel=alternate type=application/rss+xml href=%b>"
    page = "https://example.org/2024/story/"
    body = link % b"/2024/story/feed/" + link % b"/comments/feed/" + link % b"/feed/"
    assert [named.url for named in discover(body, page).found] == ["https://example.org/feed/"]
    assert len(discover(link % b"/feed/", "https://example.org/").found) == 1


def test_addresses_with_many_parameters_wait() -> None:
    found = by_url(discover(b"<a href=/a?x=1><a href='/a?x=1&amp;y=2'>", URL))
    assert found["/a?x=1"].rank < found["/a?x=1&y=2"].rank


@pytest.mark.parametrize(
    ("body", "tag", "said"),
    [
        (b"<meta name=robots content='noindex,nofollow'>", "", ("noindex", "nofollow")),
        (b"<meta name=robots content=none>", "", ("noindex", "nofollow")),
        (b"", "noindex", ("noindex",)),
        (b"", "otherbot: noindex, nofollow", ()),
        (b"", "otherbot: noindex, scythe: nofollow", ("nofollow",)),
        (b"", "unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", ("nofollow",)),
        (b"<meta name=otherbot content=nofollow>", "", ()),
    ],
)
def test_what_page_and_header_ask_of_robots_is_heeded(body: bytes, tag: str, said: tuple[str, ...]) -> None:
    found = discover(body + b"<a href=/a>", URL, robots_tag=tag)
    assert found.directives == said
    assert by_url(found)["/a"].is_nofollow == ("nofollow" in said)


def test_a_link_that_may_be_followed_somewhere_may_be_followed() -> None:
    found = by_url(discover(b"<a rel=nofollow href=/a><a href=/a><a rel=nofollow href=/b>", URL))
    assert (found["/a"].is_nofollow, found["/b"].is_nofollow) == (False, True)


def test_a_sitemap_names_pages_and_sitemaps() -> None:
    pages = discover(b"<urlset><url><loc>/a</loc></url></urlset>", URL, kind="sitemap")
    assert pages.found == (NamedUrl(pages.found[0].url, "sitemap", "page"),)
    maps = discover(b"<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>", URL, kind="sitemap")
    assert [(named.kind, named.rank < 0) for named in maps.found] == [("sitemap", True)]


def test_a_feed_names_its_entries_and_its_next_part() -> None:
    feed = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><link rel="next" href="?2"/><entry><link href="/e"/></entry></feed>'
    )
    for kind in ("feed", "sitemap"):
        assert [(named.how, named.kind) for named in discover(feed, URL, kind=kind).found] == [
            ("feed", "page"),
            ("paging", "feed"),
        ]


@pytest.mark.parametrize("kind", ["feed", "sitemap"])
def test_a_page_where_a_list_should_be_says_so(kind: str) -> None:
    found = discover(b"<html><a href=/x>not found</a></html>", URL, kind=kind)
    assert found.found == ()
    assert found.why


def test_a_header_may_be_meant_for_everybody() -> None:
    assert read_robots_tag("*: noindex") == {"noindex"}
