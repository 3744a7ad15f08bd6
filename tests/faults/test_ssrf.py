"""No way leads inside: a trap on this machine sees no connection, whatever is asked for and through whatever door."""

import asyncio
import html
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp.abc import ResolveResult
from tests.fetch.server import always, by_path, page, serve
from tests.fetch.trap import METADATA, SPELLINGS, disguises, set_trap

from scythe.archive.open import open_archive
from scythe.crawling.crawl import Crawl
from scythe.crawling.crawl_options import CrawlOptions
from scythe.errors import BadInput, FetchFailed
from scythe.fetch import FetchOptions, fetch, fetch_all
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.robots import fetch_robots
from scythe.model import Response
from scythe.page.image_size import ProbeOptions, probe_all

pytestmark = pytest.mark.fault
CLOSED = FetchOptions(timeout_s=20.0, concurrency=32, per_host=8)
Door = Callable[[list[str]], Awaitable[int]]  # asks for all addresses; returns how many answers it got


async def look_up(host: str, port: int) -> list[ResolveResult]:
    """Read numbers as the system does and know localhost, so that no test asks a name server."""
    if host.lower().rstrip(".").endswith("localhost"):
        host = "127.0.0.1"
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    return [
        ResolveResult(hostname=host, host=str(to[0]), port=port, family=f, proto=p, flags=0) for f, _, p, _, to in rows
    ]


async def by_fetch_all(urls: list[str]) -> int:
    results = [result async for result in fetch_all(urls, options=CLOSED, look_up=look_up)]
    assert len(results) == len(urls)
    return sum(isinstance(result, Response) for result in results)


async def by_fetcher(urls: list[str]) -> int:
    async with open_fetcher(CLOSED, look_up=look_up) as fetcher:
        results = await asyncio.gather(*(fetcher.settle(url) for url in urls))
    return sum(isinstance(result, Response) for result in results)


async def by_robots(urls: list[str]) -> int:
    async with open_fetcher(CLOSED, look_up=look_up) as fetcher:
        answers = await asyncio.gather(*(fetch_robots(fetcher, url) for url in urls))
    return sum(status is not None for status, _ in answers)


async def by_image_sizes(urls: list[str]) -> int:
    options = ProbeOptions(images=len(urls), timeout_s=60.0, image_timeout_s=20.0)
    return sum(probe.size is not None for probe in await probe_all(urls, options=options, look_up=look_up))


async def by_proxy(urls: list[str]) -> int:
    """Take each address for a proxy."""
    answers = 0
    for url in urls:
        try:
            options = FetchOptions(timeout_s=20.0, proxy=url)
        except BadInput:
            continue
        async with open_fetcher(options, look_up=look_up) as fetcher:
            result = await fetcher.settle("http://public.example/")
        answers += isinstance(result, Response)
    return answers


DOORS = [by_fetch_all, by_fetcher, by_robots, by_image_sizes, by_proxy]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_spelling_of_this_machine_reaches_it(door: Door) -> None:
    assert len(SPELLINGS) >= 450
    with set_trap() as trap:
        answers = asyncio.run(door(disguises(trap.port)))
        assert trap.caught() == 0
    assert answers == 0


def test_the_trap_catches() -> None:
    options = FetchOptions(timeout_s=0.3, allow_private=True)
    with set_trap() as trap:
        for address in ("127.0.0.1", "127.9.8.7", "[::1]"):
            with pytest.raises(FetchFailed):
                fetch(f"http://{address}:{trap.port}/", options=options)
        assert trap.caught() >= 2  # there are machines without IPv6


@pytest.mark.parametrize("name", sorted(METADATA | {"[::1]", "127.0.0.1"}))
def test_fetch_refuses_in_plain_words_and_tells_nothing_of_the_inside(name: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        fetch(f"http://{name}/latest/meta-data/", options=FetchOptions(timeout_s=5.0))
    assert "not on the public internet" in caught.value.why or "not an IP address to connect to" in caught.value.why
    assert caught.value.retry_after_s is None


def test_no_redirect_leads_inside(stand_in: str) -> None:
    with set_trap() as trap:
        targets = [url for url in disguises(trap.port) if url.isascii() and url.isprintable()]
        assert len(targets) > 300

        async def send_away(path: str) -> AsyncIterator[bytes]:
            number = path.partition("?")[2]
            yield page(b"", f"Location: {targets[int(number)]}", status="302 Found") if number else page(b"public")

        with serve(send_away, address=stand_in) as public:
            for door, step in ((by_fetcher, 1), (by_fetch_all, 5), (by_image_sizes, 5)):
                public.heads.clear()
                urls = [public.url(f"/?{number}") for number in range(0, len(targets), step)]
                answers = asyncio.run(door(urls))
                assert len(public.heads) >= len(urls)
                # some are relative when read from the page: those stay where they are
                assert answers <= len([head for head in public.heads if "GET /?" not in head])
        assert trap.caught() == 0


def test_names_that_change_their_address_are_judged_by_the_one_dialled(stand_in: str) -> None:
    """The name is public when it is looked up first and leads inside the next time, a hundred times."""
    asked: list[str] = []

    async def alternate(host: str, port: int) -> list[ResolveResult]:
        asked.append("127.0.0.2" if len(asked) % 2 == 0 else "127.0.0.1")
        return [ResolveResult(hostname=host, host=asked[-1], port=port, family=2, proto=6, flags=0)]

    async def visit() -> list[Response | FetchFailed]:
        options = FetchOptions(timeout_s=20.0, keep_alive=False)
        async with open_fetcher(options, look_up=alternate) as fetcher:
            return [await fetcher.settle(f"http://rebinding.example:{public.port}/") for _ in range(200)]

    with serve(always(page(b"public")), address=stand_in) as public, set_trap(public.port) as trap:
        results = asyncio.run(visit())
        assert trap.caught() == 0
    assert [isinstance(result, Response) for result in results] == [True, False] * 100
    assert len(asked) == 200  # once for each connection: what was judged is what was dialled


@pytest.mark.parametrize("inside", ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "64:ff9b::7f00:1"])
@pytest.mark.parametrize("is_first", [True, False])
def test_one_address_inside_refuses_a_name_with_many(stand_in: str, inside: str, is_first: bool) -> None:
    rows = [inside, stand_in, stand_in] if is_first else [stand_in, stand_in, inside]

    async def several(host: str, port: int) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host=row, port=port, family=10 if ":" in row else 2, proto=6, flags=0)
            for row in rows
        ]

    async def visit() -> Response | FetchFailed:
        async with open_fetcher(CLOSED, look_up=several) as fetcher:
            return await fetcher.settle(f"http://several.example:{public.port}/")

    with serve(always(page(b"public")), address=stand_in) as public, set_trap(public.port) as trap:
        result = asyncio.run(visit())
        assert trap.caught() == 0
    assert isinstance(result, FetchFailed)
    assert public.heads == []


def test_a_kept_connection_stays_with_the_address_that_was_judged(stand_in: str) -> None:
    asked: list[str] = []

    async def first_public(host: str, port: int) -> list[ResolveResult]:
        asked.append("127.0.0.1" if asked else "127.0.0.2")
        return [ResolveResult(hostname=host, host=asked[-1], port=port, family=2, proto=6, flags=0)]

    async def visit() -> list[Response | FetchFailed]:
        async with open_fetcher(FetchOptions(timeout_s=20.0), look_up=first_public) as fetcher:
            return [await fetcher.settle(f"http://rebinding.example:{public.port}/") for _ in range(20)]

    with serve(always(page(b"public")), address=stand_in) as public, set_trap(public.port) as trap:
        results = asyncio.run(visit())
        assert trap.caught() == 0
    assert isinstance(results[0], Response)
    assert len(public.heads) == sum(isinstance(result, Response) for result in results)


def crawl(start: str, folder: Path) -> Crawl:
    options = CrawlOptions(delay=0.0, concurrency=32, per_host=8, subdomains=True, timeout_s=20.0, patience_s=0.0)
    with open_archive(folder / "archive.db") as archive:
        run = Crawl(start, archive, options)
        asyncio.run(run.run())
    return run


def hostile_site(inside: list[str]) -> dict[str, bytes]:
    """Write a site that names addresses in every way a site can."""
    kinds = [
        '<a href="{}">story</a>', '<a rel="next" href="{}">more</a>', '<link rel="canonical" href="{}">',
        '<link rel="alternate" type="application/rss+xml" href="{}">', '<link rel="sitemap" href="{}">',
        '<img src="{}">', '<iframe src="{}"></iframe>', '<meta http-equiv="refresh" content="0; url={}">',
        '<script src="{}"></script>',
    ]  # fmt: skip
    named = [kinds[number % len(kinds)].format(html.escape(url)) for number, url in enumerate(inside)]
    named += [f'<a href="/away?{number}">{number}</a>' for number in range(0, len(inside), 10)]
    base = [f'<a href="/base?{number}">{number}</a>' for number in range(0, len(inside), 40)]
    locs = "".join(f"<url><loc>{html.escape(url)}</loc></url>" for url in inside)
    items = "".join(f"<item><title>x</title><link>{html.escape(url)}</link></item>" for url in inside)
    maps = "".join(f"<sitemap><loc>{html.escape(url)}</loc></sitemap>" for url in inside)
    robots = "User-agent: *\n" + "".join(f"Sitemap: {url}\n" for url in inside) + "Sitemap: {base}/sitemap.xml\n"
    text = "Content-Type: text/html; charset=utf-8"
    return {
        "/": page("".join(["<title>x</title><p>Some text of a front page.", *named, *base]).encode(), text),
        "/robots.txt": robots.encode(),
        "/sitemap.xml": page(f"<sitemapindex>{maps}<sitemap><loc>/more.xml</loc></sitemap></sitemapindex>".encode()),
        "/more.xml": page(f"<urlset>{locs}</urlset>".encode()),
        "/feed": page(f"<rss><channel>{items}</channel></rss>".encode(), "Content-Type: application/rss+xml"),
    }


def test_no_site_leads_a_crawl_inside(stand_in: str, tmp_path: Path) -> None:
    with set_trap() as trap:
        inside = [url for url in disguises(trap.port) if url.isascii() and url.isprintable()]
        site = hostile_site(inside)

        async def answer(path: str) -> AsyncIterator[bytes]:
            where, _, number = path.partition("?")
            if where == "/robots.txt":
                yield page(site[where].replace(b"{base}", public.url("").encode()))
            elif where == "/away":
                yield page(b"", f"Location: {inside[int(number)]}", status="302 Found")
            elif where == "/base":
                yield page(
                    f'<base href="{html.escape(inside[int(number)])}"><a href="in">x</a><a href="/y">y</a>'.encode()
                )
            else:
                yield site.get(path) or page(b"no", status="404 Not Found")

        with serve(answer, address=stand_in) as public:
            run = crawl(public.url("/"), tmp_path)
        assert trap.caught() == 0
    asked = {head.split(" ")[1].partition("?")[0] for head in public.heads}
    assert {"/", "/robots.txt", "/sitemap.xml", "/away", "/base"} <= asked
    assert run.tally.pages >= 1


@pytest.mark.parametrize("start", ["http://127.0.0.1:{}/", "http://0x7f.1:{}/", "http://[::ffff:7f00:1]:{}/"])
def test_no_crawl_starts_inside(start: str, tmp_path: Path) -> None:
    with set_trap() as trap:
        run = crawl(start.format(trap.port), tmp_path)
        assert trap.caught() == 0
    assert run.tally.pages == 0
    assert run.why_ended


def test_a_start_that_has_moved_inside_is_not_followed(stand_in: str, tmp_path: Path) -> None:
    with set_trap() as trap:
        moved = by_path({"/": page(b"", f"Location: http://127.0.0.1:{trap.port}/", status="301 Moved")})
        with serve(moved, address=stand_in) as public:
            run = crawl(public.url("/"), tmp_path)
        assert trap.caught() == 0
    assert "GET / " in "".join(public.heads)
    assert run.tally.pages == 0
