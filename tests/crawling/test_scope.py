"""What belongs to a site and what does not."""

import pytest

from scythe.crawling.crawl_options import CrawlOptions
from scythe.crawling.scope import DENIED, ELSEWHERE, NO_PAGE, NOT_ALLOWED, TOO_DEEP, Scope, host_of, may_be_page
from scythe.errors import BadInput


def scope(start: str = "https://example.org/", **options: object) -> Scope:
    return Scope.of(start, CrawlOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    (
        "https://example.org/a http://example.org/a https://www.example.org/a http://www.example.org:80/"
        " https://EXAMPLE.org/ http://example.org?x"
    ).split(),
)
def test_a_site_is_its_host_with_or_without_www_and_tls(url: str) -> None:
    assert scope().why_not(url, 1) == ""
    assert scope("http://www.example.org/").why_not(url, 1) == ""


@pytest.mark.parametrize(
    "url",
    (
        "https://other.example/|https://blog.example.org/|https://example.org.evil.example/"
        "|https://evilexample.org/|https://example.org:8443/|https://evil.example/?https://example.org/"
        "|https://user@evil.example/|https://example.org@evil.example/|no address"
    ).split("|"),
)
def test_other_hosts_are_elsewhere(url: str) -> None:
    assert scope().why_not(url, 1) == ELSEWHERE


def test_subdomains_belong_to_the_site_on_request_and_share_its_lane() -> None:
    wide = scope("https://www.example.org/", subdomains=True)
    assert wide.why_not("https://a.b.example.org/", 1) == ""
    assert wide.why_not("https://evilexample.org/", 1) == ELSEWHERE
    assert wide.host("https://a.b.example.org/x") == wide.site_key == "example.org"


def test_numbers_have_no_subdomains() -> None:
    wide = scope("http://127.0.0.1:8000/", subdomains=True)
    assert wide.why_not("http://1.127.0.0.1:8000/", 1) == ELSEWHERE
    assert wide.site_key == "127.0.0.1:8000"


def test_a_lane_is_a_host_and_its_unusual_port() -> None:
    assert scope().host("https://www.example.org/x") == scope().host("http://example.org:80/") == "example.org"
    assert scope().host("http://example.org:8080/") == "example.org:8080"
    assert host_of("http://[::1]:8080/") == "[::1]:8080"
    assert host_of("http://www.org/") == "www.org"


def test_the_host_that_a_start_moved_to_is_taken_in() -> None:
    moved = scope().widen("https://new.example/home")
    assert moved.why_not("https://www.new.example/x", 1) == ""
    assert moved.why_not("https://example.org/x", 1) == ""
    assert moved.site_key == "example.org"
    assert moved.widen("https://new.example/") == moved


def test_depth_counts_links_from_the_start() -> None:
    shallow = scope(depth=2)
    assert [shallow.why_not("https://example.org/a", depth) for depth in (0, 1, 2, 3)] == ["", "", "", TOO_DEEP]


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("/blog/*", "https://example.org/blog/a"),
        ("*/blog/*", "https://example.org/blog/a?x"),
        ("https://example.org/blog/*", "https://example.org/blog/a/b"),
        ("/item?id=*", "https://example.org/item?id=7"),
        ("/[ab]?", "https://example.org/a1"),
    ],
)
def test_patterns_match_the_address_or_its_path(pattern: str, url: str) -> None:
    assert scope(allow=(pattern,)).why_not(url, 1) == ""
    assert scope(deny=(pattern,)).why_not(url, 1) == DENIED
    assert scope(allow=(pattern,)).why_not("https://example.org/about", 1) == NOT_ALLOWED


def test_a_start_and_sitemaps_need_match_no_pattern() -> None:
    narrow = scope(allow=("/blog/*",), deny=("*.xml",))
    assert narrow.why_not("https://example.org/", 0) == ""
    assert narrow.why_not("https://example.org/sitemap.xml", 1, "sitemap") == ""
    assert narrow.why_not("https://elsewhere.example/sitemap.xml", 1, "sitemap") == ELSEWHERE


@pytest.mark.parametrize("path", ["/a.JPG", "/a.pdf", "/x/y.tar.gz", "/feed.xml", "/a.mp4?x=1", "/style.css"])
def test_files_that_are_no_pages_are_left(path: str) -> None:
    assert scope().why_not(f"https://example.org{path}", 1) == NO_PAGE


@pytest.mark.parametrize("path", ["/", "/a.html", "/a.php", "/v1.2", "/a.b/c", "/a.jpg/", "/?f=a.jpg", "/a.", "/.pdfs"])
def test_what_may_be_a_page_is_taken(path: str) -> None:
    assert may_be_page(f"https://example.org{path}")


@pytest.mark.parametrize(
    "start", ["", "example.org", "ftp://example.org/", "http://", "file:///etc/passwd", "http:///x"]
)
def test_a_start_is_an_address(start: str) -> None:
    with pytest.raises(BadInput):
        scope(start)
