"""Advisories about clients that fetch, one test each, named after it and pulled by its own trigger.

What each is about: docs/why/reliability.md. Those about bombs measure what one step may hold, not only what comes out.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import sys
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import brotli
import pytest
from aiohttp.abc import ResolveResult
from tests.faults.growth import is_linear
from tests.faults.servers import redirect
from tests.faults.servers_bombs import PACKERS
from tests.fetch.server import Answer, Server, always, by_path, page, serve
from tests.fetch.test_proxy import proxy
from tests.fetch.trap import set_trap

from scythe.errors import FetchFailed
from scythe.fetch import Credentials, FetchOptions, fetch, fetch_all, open_fetcher
from scythe.fetch.decode import Decoder
from scythe.fetch.robots import fetch_robots, parse_robots
from scythe.model import Response
from scythe.page.feeds import read_feed
from scythe.page.sitemaps import read_sitemap

pytestmark = pytest.mark.fault
OPEN = FetchOptions(allow_private=True)
MEGABYTE = 1_000_000
BASIC = "Basic dXNlcjpwYXNz"


def walk(options: FetchOptions, *urls: str) -> list[Response | FetchFailed]:
    """Fetch one after another with one fetcher."""

    async def work() -> list[Response | FetchFailed]:
        async with open_fetcher(options) as fetcher:
            return [await fetcher.settle(url) for url in urls]

    return asyncio.run(work())


def unpack(coding: str, body: bytes, most: int, step: int = 65_536) -> tuple[Decoder, int]:
    """Decode a body piece by piece; return the decoder and the most that was held meanwhile."""
    decoder = Decoder(coding, max_bytes=most, max_ratio=10**9, max_codings=2)
    tracemalloc.start()
    for start in range(0, len(body), step):
        decoder.feed(body[start : start + step])
        if decoder.is_full:
            break
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return decoder, held


def pack(coding: str, megabytes: int) -> bytes:
    return b"".join(PACKERS[coding](bytes(MEGABYTE) for _ in range(megabytes)))


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_GHSA_7j7m_v7m3_jqm7_the_unpacked_body_is_limited_not_the_packed_one(coding: str) -> None:
    packed = pack(coding, 30)
    assert len(packed) < MEGABYTE  # the packed body is within the limit
    with serve(by_path({"/": page(packed, f"Content-Encoding: {coding}")})) as server:
        options = FetchOptions(allow_private=True, max_bytes=MEGABYTE)
        response = fetch(server.url(), options=options)
    assert len(response.body) <= MEGABYTE
    assert response.cut_at_bytes == len(response.body)
    assert response.why_cut


@pytest.mark.parametrize("coding", ["br", "zstd"])
def test_CVE_2025_6176_GHSA_2qfp_q593_8484_one_piece_of_brotli_is_limited_while_it_unpacks(coding: str) -> None:
    bomb = brotli.compress(bytes(40 * MEGABYTE), quality=1) if coding == "br" else pack(coding, 40)
    assert len(bomb) < 10_000  # all of it comes in one piece
    decoder, held = unpack(coding, bomb, 2 * MEGABYTE, step=len(bomb))
    assert len(decoder.finish().body) <= 2 * MEGABYTE
    assert held < 12 * MEGABYTE


@pytest.mark.parametrize("coding", PACKERS)
def test_CVE_2025_66471_CVE_2026_44432_reading_some_bytes_does_not_unpack_all(coding: str) -> None:
    decoder, held = unpack(coding, pack(coding, 50), MEGABYTE, step=1_000)
    assert len(decoder.finish().body) <= MEGABYTE
    assert held < 8 * MEGABYTE  # second and later reads too


@pytest.mark.parametrize("chain", [", ".join(["gzip"] * 3), ", ".join(["gzip"] * 5_000), "gzip, br, zstd"])
def test_CVE_2025_66418_a_chain_of_codings_is_not_undone(chain: str) -> None:
    body = b"<p>words"
    for _ in range(3):
        body = gzip.compress(body)
    with serve(by_path({"/": page(body, f"Content-Encoding: {chain}")})) as server:
        (result,) = walk(OPEN, server.url())
    assert isinstance(result, FetchFailed) or (result.why_cut and b"words" not in result.body)


def test_CVE_2026_21441_the_body_of_a_redirect_is_never_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked: list[str] = []
    whole = Decoder.feed

    def note(self: Decoder, chunk: bytes) -> None:
        unpacked.append("x")
        whole(self, chunk)

    monkeypatch.setattr(Decoder, "feed", note)
    bomb = page(pack("gzip", 50), "Content-Encoding: gzip", "Location: /end", status="302 Found")
    with serve(by_path({"/": bomb, "/end": page(b"")})) as server:
        assert fetch(server.url(), options=OPEN).url == server.url("/end")
    assert unpacked == []


FEED = b'<?xml version="1.0"?><rss version="2.0"><channel>'


@pytest.mark.parametrize("piece", [b"<item ", b"<item\n", b"</item", b"<url ", b"<item xmlns:a='", b"<!--<item>"])
def test_CVE_2024_1892_GHSA_cc65_xxvf_f7r9_crafted_feeds_and_sitemaps_take_linear_time(piece: bytes) -> None:
    assert is_linear(lambda n: read_feed(FEED + piece * n, "https://example.org/"), 400)
    assert is_linear(lambda n: read_sitemap(b"<urlset>" + piece * n, "https://example.org/"), 2_000)


def send_to(url: str) -> Answer:
    return by_path({"/": redirect(url), "/in": page(b"")})


def test_GHSA_cw9j_q3vf_hrrv_authorization_is_not_sent_to_another_host() -> None:
    with serve(by_path({"/in": page(b"")}), address="127.0.0.2") as other, serve(send_to(other.url("/in"))) as server:
        options = FetchOptions(allow_private=True, credentials=(Credentials(server.url(), "user", "pass"),))
        fetch(server.url(), options=options)
    assert (server.seen("Authorization"), other.seen("Authorization")) == ([BASIC], [""])


def test_GHSA_4qqq_9vqf_3h3f_authorization_is_not_sent_to_another_port_or_scheme() -> None:
    with serve(by_path({"/in": page(b"")})) as other, serve(send_to(other.url("/in"))) as server:
        secure = server.url().replace("http:", "https:")
        given = (Credentials(server.url(), "user", "pass"), Credentials(secure, "user", "pass"))
        fetch(server.url(), options=FetchOptions(allow_private=True, credentials=given))
        fetch(server.url("/in"), options=FetchOptions(allow_private=True, credentials=given[1:]))  # given for https
    assert other.seen("Authorization") == [""]
    assert server.seen("Authorization") == [BASIC, ""]


def test_GHSA_cjvr_mfj7_j4j8_cookies_do_not_follow_redirects_to_another_host() -> None:
    with serve(by_path({"/in": page(b"")}), address="127.0.0.2") as other:
        away = redirect(other.url("/in"), "Set-Cookie: session=secret; Path=/; Domain=127.0.0.2")
        with serve(by_path({"/": away})) as server:
            walk(FetchOptions(allow_private=True, cookies=True), server.url(), server.url(), other.url("/in"))
    assert server.seen("Cookie") == ["", "session=secret"]
    assert other.seen("Cookie") == ["", "", ""]


@pytest.mark.parametrize("domain", ["co.uk", ".co.uk", "uk", "github.io", "127.0.0.2", ""])
def test_GHSA_mfjm_vh54_3f96_a_cookie_for_a_public_suffix_stays_with_its_origin(domain: str) -> None:
    from scythe.fetch.cookies import CookieJar

    jar = CookieJar()
    jar.keep("https://a.co.uk:443", "/", [f"x=1; Domain={domain}"])
    assert jar.header_for("https://a.co.uk:443", "/") == "x=1"
    for other in ("https://b.co.uk:443", "https://co.uk:443", "http://a.co.uk:80", "https://www.a.co.uk:443"):
        assert jar.header_for(other, "/") == ""


def test_CVE_2021_41125_GHSA_jwqp_28gf_p498_credentials_go_to_no_other_host_and_to_no_robots_txt() -> None:
    with serve(by_path({"/in": page(b"")}), address="127.0.0.2") as other, serve(by_path({"/": page(b"")})) as server:
        options = FetchOptions(allow_private=True, credentials=(Credentials(server.url(), "user", "pass"),))

        async def work() -> None:
            async with open_fetcher(options) as fetcher:
                await fetch_robots(fetcher, server.url())
                await fetcher.get(other.url("/in"))
                await fetcher.get(server.url())

        asyncio.run(work())
    assert server.seen("Authorization") == ["", BASIC]
    assert other.seen("Authorization") == [""]


def test_GHSA_9x8m_2xpf_crp3_the_password_of_one_proxy_is_not_told_to_another() -> None:
    with serve(by_path({"/": page(b"ok")})) as server, proxy() as first, proxy() as second:
        known = first.url("").replace("http://", "http://user:pass@")
        fetch(server.url(), options=FetchOptions(allow_private=True, proxy=known))
        fetch(server.url(), options=FetchOptions(allow_private=True, proxy=second.url("")))
    assert first.seen("Proxy-Authorization") == [BASIC]
    assert second.seen("Proxy-Authorization") == [""]


def test_GHSA_jm3v_qxmh_hxwv_a_redirect_to_https_goes_through_the_proxy_too() -> None:
    with serve(always(b"no TLS here"), listens=False) as target:
        secure = f"https://site.example:{target.port}/"
        with serve(by_path({"/": redirect(secure)})) as server, proxy() as between:
            start = f"http://site.example:{server.port}/"
            walk(FetchOptions(allow_private=True, proxy=between.url("")), start)
    assert [head.split(" ")[0] for head in between.heads] == ["GET", "CONNECT"]
    assert all("CONNECT" not in head for head in server.heads)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "s3://bucket/key", "data:text/plain,x", "ftp://h/x"])
def test_GHSA_23j4_mw76_5v7h_a_redirect_to_another_scheme_is_refused(target: str) -> None:
    with serve(send_to(target)) as server, pytest.raises(FetchFailed, match="not an http or https address"):
        fetch(server.url(), options=OPEN)


def test_GHSA_cwxj_rr6w_m6w7_no_header_names_code_that_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named_by_a_header.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w')\ndef policy(*a): raise OSError"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    named = [f"{header}: named_by_a_header.policy" for header in ("Referrer-Policy", "Content-Type", "Set-Cookie", "X")]
    with serve(by_path({"/": redirect("/end", *named), "/end": page(b"ok", *named)})) as server:
        assert fetch(server.url(), options=OPEN).body == b"ok"
    assert server.seen("Referer") == ["", ""]
    assert not (tmp_path / "ran").exists()
    assert "named_by_a_header" not in sys.modules


def test_scrapy_1_5_2_fetching_opens_no_port_that_a_page_could_post_to(monkeypatch: pytest.MonkeyPatch) -> None:
    listening: list[object] = []

    async def work(server: Server) -> None:
        async with open_fetcher(OPEN) as fetcher:
            await fetcher.get(server.url())

    with serve(by_path({"/": page(b"ok")})) as server:
        monkeypatch.setattr(socket.socket, "listen", lambda self, *given: listening.append(self))
        asyncio.run(work(server))
    assert listening == []


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/"])
def test_CVE_2026_27696_the_metadata_service_is_refused(url: str) -> None:
    with pytest.raises(FetchFailed, match="not on the public internet"):
        fetch(url)


def test_GHSA_rph4_96w6_q594_a_backslash_before_a_public_name_leads_nowhere_inside() -> None:
    with set_trap() as trap:
        for url in (
            f"http://127.0.0.1:{trap.port}\\@public.example/",
            f"http://public.example\\@127.0.0.1:{trap.port}/",
        ):
            with pytest.raises(FetchFailed):
                fetch(url, options=FetchOptions(timeout_s=5))
        assert trap.caught() == 0


@pytest.mark.parametrize("host", ["100.64.0.1", "100.100.100.200", "100.127.255.254", "[::ffff:100.64.0.1]"])
def test_GHSA_gwph_fp79_379w_carrier_grade_nat_is_refused(host: str) -> None:
    with pytest.raises(FetchFailed, match="not on the public internet"):
        fetch(f"http://{host}/")


@pytest.mark.parametrize(
    "url", ["source:file:///etc/passwd", "file:///etc/passwd", "file:/etc/passwd", "FILE:/etc/passwd"]
)
def test_CVE_2024_51483_CVE_2024_56509_CVE_2026_26217_no_spelling_of_file_is_read(url: str) -> None:
    with pytest.raises(FetchFailed, match="http"):
        fetch(url, options=OPEN)


def test_CVE_2026_41895_no_entity_of_a_feed_or_sitemap_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("https://example.org/secretword")
    entity = f'<!DOCTYPE x [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}"><!ENTITY y "https://e.org/yes">]>'
    feed = f'{entity}<rss version="2.0"><channel><item><title>&x;</title><link>&x;</link></item></channel></rss>'
    sitemap = f"{entity}<urlset><url><loc>&x;</loc></url><url><loc>&y;</loc></url></urlset>"
    said = f"{read_feed(feed.encode(), 'https://e.org/')} {read_sitemap(sitemap.encode(), 'https://e.org/')}"
    assert "secretword" not in said
    assert "e.org/yes" not in said


def test_CVE_2025_28197_CVE_2024_56800_no_fetch_goes_inside() -> None:
    with set_trap() as trap:
        with pytest.raises(FetchFailed, match="not on the public internet"):
            fetch(f"http://127.0.0.1:{trap.port}/")
        assert trap.caught() == 0


def test_CVE_2026_57573_the_streaming_way_is_guarded_too() -> None:
    async def stream(urls: list[str]) -> list[Response | FetchFailed]:
        return [result async for result in fetch_all(urls)]

    with set_trap() as trap:
        results = asyncio.run(stream([f"http://{host}:{trap.port}/" for host in ("127.0.0.1", "[::1]", "0x7f.1")]))
        assert trap.caught() == 0
    assert [type(result) for result in results] == [FetchFailed] * 3


def test_CVE_2026_56261_CVE_2025_57818_no_webhook_is_posted_inside() -> None:
    async def post(url: str) -> None:
        async with open_fetcher(FetchOptions()) as fetcher:
            with pytest.raises(FetchFailed, match="not on the public internet"):
                await fetcher.post(url, b"{}", {})

    with set_trap() as trap:
        asyncio.run(post(f"http://127.0.0.1:{trap.port}/hook"))
        assert trap.caught() == 0


@pytest.mark.parametrize("embedded", ["64:ff9b::{}", "2002:{}::", "::{}", "::ffff:{}", "2001:0:{}::1", "64:ff9b:1::{}"])
def test_crawl4ai_0_8_9_addresses_inside_of_addresses_are_unwrapped(embedded: str) -> None:
    for inside in ("a9fe:a9fe", "7f00:1", "a00:1"):
        with pytest.raises(FetchFailed, match="not on the public internet"):
            fetch(f"http://[{embedded.format(inside)}]/")


def test_crawl4ai_0_8_9_a_proxy_inside_is_refused() -> None:
    with set_trap() as trap:
        with pytest.raises(FetchFailed):
            fetch("http://public.example/", options=FetchOptions(proxy=f"http://127.0.0.1:{trap.port}", timeout_s=5))
        assert trap.caught() == 0


def test_CVE_2026_32857_every_hop_is_judged(stand_in: str) -> None:
    with set_trap() as trap:
        inside = f"http://127.0.0.1:{trap.port}/"
        hops = by_path({"/": redirect("/next"), "/next": redirect(inside)})
        with serve(hops, address=stand_in) as public, pytest.raises(FetchFailed, match="not on the public internet"):
            fetch(public.url(), options=FetchOptions(timeout_s=20))
        assert trap.caught() == 0
    assert len(public.heads) == 2


def test_CVE_2026_115411_the_address_that_was_judged_is_the_one_dialled(stand_in: str) -> None:
    asked: list[str] = []

    async def rebind(host: str, port: int) -> list[ResolveResult]:
        asked.append("127.0.0.1" if asked else stand_in)
        return [ResolveResult(hostname=host, host=asked[-1], port=port, family=2, proto=6, flags=0)]

    async def visit() -> list[Response | FetchFailed]:
        async with open_fetcher(FetchOptions(timeout_s=20, keep_alive=False), look_up=rebind) as fetcher:
            return [await fetcher.settle(f"http://rebinding.example:{public.port}/") for _ in range(4)]

    with serve(by_path({"/": page(b"public")}), address=stand_in) as public, set_trap(public.port) as trap:
        first, *later = asyncio.run(visit())
        assert trap.caught() == 0
    assert isinstance(first, Response)
    assert all(isinstance(result, FetchFailed) for result in later)
    assert len(asked) == 4


def test_stormcrawler_1042_a_robots_txt_that_does_not_come_in_time_closes_the_site() -> None:
    async def stall(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n"
        await asyncio.sleep(60)

    async def work(url: str) -> tuple[int | None, bytes]:
        async with open_fetcher(FetchOptions(allow_private=True, timeout_s=0.3)) as fetcher:
            return await fetch_robots(fetcher, url)

    with serve(stall) as server:
        robots = parse_robots(*asyncio.run(work(server.url())))
    assert not robots.allows(server.url("/page"))


@pytest.mark.parametrize("status", [500, 503, 599, None])
def test_cpython_138555_a_robots_txt_that_cannot_be_had_closes_the_site(status: int | None) -> None:
    assert not parse_robots(status, b"User-agent: *\nAllow: /\n").allows("https://example.org/page")
    assert parse_robots(404, b"").allows("https://example.org/page")


def test_robots_parser_12_stars_in_a_rule_match_in_linear_time() -> None:
    def judge(stars: int) -> None:
        body = f"User-agent: *\nAllow: {'*' * stars}x\nDisallow: /{'*a' * stars}b\n"
        assert parse_robots(200, body.encode()).allows(f"https://example.org/{'a' * 2_000}")

    assert is_linear(judge, 400)
