"""robots.txt from servers that fail, lie, lead elsewhere or never end: nothing is asked for that was not allowed."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import pytest
from aiohttp.abc import ResolveResult
from tests.fetch.server import Answer, Server, always, by_path, page, serve

from scythe.fetch import FetchOptions, guard
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.robots import Robots, fetch_robots, parse_robots
from scythe.limits import LIMITS

pytestmark = pytest.mark.fault
RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 3\n"
OPEN_GUARD = FetchOptions(timeout_s=10.0, allow_private=True)


def visit(origin: str, options: FetchOptions = OPEN_GUARD, look_up: guard.LookUp = guard.look_up) -> Robots:
    """Read the robots.txt of an origin, then ask for two of its pages where that is allowed."""

    async def ask() -> Robots:
        async with open_fetcher(options, look_up=look_up) as fetcher:
            robots = parse_robots(*await fetch_robots(fetcher, origin))
            for path in ("/page", "/private/page"):
                if robots.allows(origin + path):
                    await fetcher.settle(origin + path)
            return robots

    return asyncio.run(ask())


def paths(server: Server) -> list[str]:
    return [head.split(" ")[1] for head in server.heads]


def site(robots: bytes) -> Answer:
    return by_path({"/robots.txt": robots, "/page": page(b"a page"), "/private/page": page(b"secret")})


def moved(to: str) -> bytes:
    return page(b"", f"Location: {to}", status="302 Found")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_where_there_is_none_everything_may_be_asked_for(status: int) -> None:
    with serve(site(page(b"User-agent: *\nDisallow: /", status=f"{status} No"))) as server:
        visit(server.url(""))
    assert paths(server) == ["/robots.txt", "/page", "/private/page"]


@pytest.mark.parametrize("status", [429, 500, 501, 502, 503, 504, 599])
def test_where_the_server_fails_no_page_is_asked_for(status: int) -> None:
    with serve(site(page(b"User-agent: *\nAllow: /", status=f"{status} Sorry"))) as server:
        assert visit(server.url("")).is_closed
    assert paths(server) == ["/robots.txt"]


def broken_answers() -> dict[str, Answer]:
    async def silent(path: str) -> AsyncIterator[bytes]:
        await asyncio.sleep(60)
        yield b""

    async def dripping(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"#"
            await asyncio.sleep(0.05)

    whole = page(RULES)
    return {
        "silence": silent,
        "dripping": dripping,
        "hanging up": always(),
        "no http": always(b"220 mail.example ESMTP\r\n"),
        "half a head": always(whole[:20]),
        "cut within the body": always(whole[:-10]),
        "cut before the body": always(whole[: -len(RULES)]),
        "a chunk that does not come": always(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nUser-\r\n"),
        "half a gzip": always(page(gzip.compress(RULES * 9)[:-20], "Content-Encoding: gzip")),
        "endless headers": always(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"),
    }


@pytest.mark.parametrize("name", broken_answers())
def test_what_did_not_come_whole_closes_the_site(name: str) -> None:
    with serve(broken_answers()[name]) as server:
        robots = visit(server.url(""), FetchOptions(timeout_s=0.5, allow_private=True))
    assert robots.is_closed
    assert set(paths(server)) == {"/robots.txt"}


def test_a_name_that_does_not_resolve_closes_the_site() -> None:
    async def unknown(host: str, port: int) -> list[ResolveResult]:
        raise OSError("no such name")

    assert visit("http://nobody.example", look_up=unknown).is_closed


def test_nobody_listening_closes_the_site() -> None:
    with serve(site(page(RULES))) as server:
        gone = server.url("")
    assert visit(gone).is_closed
    assert paths(server) == []


def test_an_origin_that_is_none_closes_it() -> None:
    assert visit("ftp://example.org").is_closed


def test_a_file_refused_by_the_guard_closes_the_site() -> None:
    with serve(site(page(RULES))) as server:
        assert visit(server.url(""), FetchOptions(timeout_s=5.0)).is_closed
    assert server.open_most == 0


def test_five_redirects_are_followed() -> None:
    hops = {"/robots.txt": moved("/1")} | {f"/{n}": moved(f"/{n + 1}") for n in range(1, 5)}
    with serve(by_path(hops | {"/5": page(RULES)})) as server:
        visit(server.url(""))
    assert paths(server) == ["/robots.txt", "/1", "/2", "/3", "/4", "/5", "/page"]


def test_after_six_there_is_no_file() -> None:
    async def on_and_on(path: str) -> AsyncIterator[bytes]:
        yield moved(path + "x") if "robots" in path else page(b"ok")

    with serve(on_and_on) as server:
        robots = visit(server.url(""))
    assert not robots.is_closed
    assert "redirect" in robots.why
    assert paths(server)[6:] == ["/page", "/private/page"]


def test_a_redirect_to_another_host_tells_of_the_first() -> None:
    with (
        serve(by_path({"/elsewhere": page(RULES)}), address="127.0.0.2") as other,
        serve(site(moved(other.url("/elsewhere")))) as server,
    ):
        robots = visit(server.url(""))
    assert paths(other) == ["/elsewhere"]
    assert paths(server) == ["/robots.txt", "/page"]
    assert not robots.allows(server.url("/private/page"))


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/plain,x", "http://[::1"])
def test_a_redirect_to_what_is_no_address_closes_the_site(target: str) -> None:
    with serve(site(moved(target))) as server:
        assert visit(server.url("")).is_closed
    assert paths(server) == ["/robots.txt"]


def test_a_redirect_without_an_address_is_no_file() -> None:
    with serve(site(page(b"", status="302 Found"))) as server:
        assert not visit(server.url("")).is_closed
    assert paths(server) == ["/robots.txt", "/page", "/private/page"]


def test_a_redirect_to_the_inside_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = guard.why_closed
    monkeypatch.setattr(guard, "why_closed", lambda address: None if address == "127.0.0.2" else judge(address))
    with (
        serve(always(page(RULES))) as trap,
        serve(site(moved(trap.url("/robots.txt"))), address="127.0.0.2") as server,
    ):
        assert visit(server.url(""), FetchOptions(timeout_s=5.0)).is_closed
    assert trap.open_most == 0
    assert paths(server) == ["/robots.txt"]


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_of_ten_megabytes_the_first_500_kib_are_read(coding: str) -> None:
    lines = "".join(f"Disallow: /private/{number}\n" for number in range(400_000)).encode()
    body = RULES + lines + b"Disallow: /page\n"
    assert len(body) > 10_000_000
    answer = page(gzip.compress(body, 1), "Content-Encoding: gzip") if coding else page(body)
    with serve(site(answer)) as server:
        robots = visit(server.url(""))
    assert str(LIMITS.robots_bytes) in robots.why
    assert paths(server) == ["/robots.txt", "/page"]


def test_each_port_has_a_file_of_its_own() -> None:
    with serve(site(page(RULES))) as one, serve(site(page(b"User-agent: scythe\nDisallow: /\n"))) as two:
        visit(one.url(""))
        visit(two.url(""))
    assert paths(one) == ["/robots.txt", "/page"]
    assert paths(two) == ["/robots.txt"]
