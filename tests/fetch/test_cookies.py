import asyncio

import pytest

from scythe.fetch import FetchOptions, open_fetcher
from scythe.fetch.cookies import Cookie, CookieJar, read_cookie
from scythe.limits import LIMITS

from .server import by_path, page, serve

HERE = "https://example.org:443"


def jar(*lines: str, path: str = "/") -> CookieJar:
    filled = CookieJar(clock=lambda: 1_000.0)
    filled.keep(HERE, path, lines)
    return filled


def test_a_cookie_goes_back_to_its_origin_and_no_other() -> None:
    kept = jar("a=1; Domain=.example.org", "b=2; Domain=org")
    assert kept.header_for(HERE, "/") == "a=1; b=2"
    for other in (
        "http://example.org:80",
        "https://example.org:8443",
        "https://www.example.org:443",
        "https://org:443",
    ):
        assert kept.header_for(other, "/") == ""


@pytest.mark.parametrize(
    ("line", "cookie"),
    [
        ("a=1", Cookie("a", "1")),
        (" a = 1 ; HttpOnly; Secure", Cookie("a", "1")),
        ("a=b=c", Cookie("a", "b=c")),
        ('a="b c"', Cookie("a", '"b c"')),
        ("a=", Cookie("a", "")),
        ("a=1; Path=/x", Cookie("a", "1", "/x")),
        ("a=1; path=x", Cookie("a", "1", "/")),
        ("a=1; Max-Age=60", Cookie("a", "1", "/", 1_060.0)),
        ("a=1; Max-Age=-1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", Cookie("a", "1", "/", 999.0)),
        ("a=1; max-age=" + "9" * 400, Cookie("a", "1", "/", 1_000.0 + 999_999_999_999)),
        ("a=1; Max-Age=--5", Cookie("a", "1")),
        ("a=1; Max-Age=soon", Cookie("a", "1")),
        ("a=1; Expires=Thu, 01-Jan-1970 00:00:10 GMT", Cookie("a", "1", "/", 10.0)),
        ("a=1; Expires=Thu, 01 Jan 99999 00:00:10 GMT", Cookie("a", "1")),
        ("a=1; Expires=never", Cookie("a", "1")),
        ("=1", None),
        ("a", None),
        ("", None),
        (";", None),
        ("a=\x00", None),
        ("a=é", None),
        ("a=1\r\nb=2", None),
        ("a=" + "x" * 5_000, None),
    ],
)
def test_a_line_is_read_as_browsers_read_it(line: str, cookie: Cookie | None) -> None:
    assert read_cookie(line, "/", 1_000.0) == cookie


def test_a_later_cookie_replaces_an_earlier_one_and_an_expired_one_removes_it() -> None:
    kept = jar("a=1", "nonsense", "b=2", "a=3")
    assert kept.header_for(HERE, "/") == "b=2; a=3"
    kept.keep(HERE, "/", ["b=; Max-Age=0"])
    assert kept.header_for(HERE, "/") == "a=3"


def test_a_cookie_ends_with_its_time() -> None:
    now = [1_000.0]
    kept = CookieJar(clock=lambda: now[0])
    kept.keep(HERE, "/", ["a=1; Max-Age=10", "b=2"])
    assert kept.header_for(HERE, "/") == "a=1; b=2"
    now[0] = 1_010.0
    assert kept.header_for(HERE, "/") == "b=2"


def test_a_cookie_goes_to_its_path_and_below() -> None:
    kept = jar("deep=1; Path=/shop", "wide=2; Path=/", "own=3", path="/shop/cart")
    assert kept.header_for(HERE, "/shop") == "deep=1; own=3; wide=2"
    assert kept.header_for(HERE, "/shop/x") == "deep=1; own=3; wide=2"
    assert kept.header_for(HERE, "/shopping") == "wide=2"
    assert kept.header_for(HERE, "/") == "wide=2"


def test_a_jar_is_bounded_in_cookies_and_origins() -> None:
    kept = jar(*(f"a{n}=1" for n in range(10_000)))
    header = kept.header_for(HERE, "/")
    assert header.count("=") == LIMITS.origin_cookies
    assert header.endswith("a9999=1")
    for n in range(2 * LIMITS.cookie_origins):
        kept.keep(f"https://h{n}:443", "/", ["a=1"])
    assert kept.header_for(HERE, "/") == ""
    assert sum(bool(kept.header_for(f"https://h{n}:443", "/")) for n in range(5_000)) == LIMITS.cookie_origins


def walk(urls: list[str], options: FetchOptions) -> list[int]:
    async def work() -> list[int]:
        async with open_fetcher(options) as fetcher:
            return [(await fetcher.get(url)).status for url in urls]

    return asyncio.run(work())


@pytest.mark.fault
def test_cookies_are_off_unless_asked_for() -> None:
    with serve(by_path({"/": page(b"", "Set-Cookie: a=1"), "/x": page(b"")})) as server:
        walk([server.url(), server.url("/x")], FetchOptions(allow_private=True))
        assert server.seen("Cookie") == ["", ""]
        walk([server.url(), server.url("/x")], FetchOptions(allow_private=True, cookies=True))
    assert server.seen("Cookie") == ["", "", "", "a=1"]


@pytest.mark.fault
def test_cookies_stay_with_their_port_and_host_over_redirects_and_never_reach_robots() -> None:
    with serve(by_path({"/in": page(b"")}), address="127.0.0.2") as other_host:
        leave = page(b"", f"Location: {other_host.url('/in')}", status="302 Found")
        with serve(by_path({"/out": leave, "/in": page(b"")})) as other_port:
            first = page(
                b"", f"Location: {other_port.url('/out')}", "Set-Cookie: a=1; Domain=127.0.0", status="302 Found"
            )
            with serve(by_path({"/": first, "/robots.txt": page(b""), "/x": page(b"")})) as server:
                urls = [server.url(), server.url("/robots.txt"), server.url("/x"), other_port.url("/in")]
                walk(urls, FetchOptions(allow_private=True, cookies=True))
    assert server.seen("Cookie") == ["", "", "a=1"]
    assert other_port.seen("Cookie") == other_host.seen("Cookie") * 2 == ["", ""]


@pytest.mark.fault
def test_a_page_that_redirects_to_itself_until_it_sees_its_cookie_is_reached() -> None:
    async def answer(path: str):  # type: ignore[no-untyped-def]
        if "a=1" in server.seen("Cookie")[-1]:
            yield page(b"welcome")
        else:
            yield page(b"", f"Location: {path}", "Set-Cookie: a=1", status="302 Found")

    with serve(answer) as server:
        assert walk([server.url()], FetchOptions(allow_private=True, cookies=True)) == [200]
