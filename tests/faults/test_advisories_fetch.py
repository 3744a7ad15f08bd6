"""Advisories about clients that fetch, one test each, named after it and pulled by its own trigger.

What each is about: docs/why/reliability.md. Those about bombs measure what one step may hold, not only what comes out.
"""

import asyncio
import socket
import sys
import tracemalloc
from pathlib import Path

import brotli
import pytest
from tests.faults.growth import is_linear
from tests.faults.servers import redirect
from tests.faults.servers_bombs import PACKERS
from tests.fetch.server import Answer, Server, always, by_path, page, serve
from tests.fetch.test_proxy import proxy

from scythe.errors import FetchFailed
from scythe.fetch import Credentials, FetchOptions, fetch, open_fetcher
from scythe.fetch.decode import Decoder
from scythe.fetch.robots import parse_robots
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


FEED = b'<?xml version="1.0"?><rss version="2.0"><channel>'


@pytest.mark.parametrize("piece", [b"<item ", b"<item\n", b"</item", b"<url ", b"<item xmlns:a='", b"<!--<item>"])
def test_CVE_2024_1892_GHSA_cc65_xxvf_f7r9_crafted_feeds_and_sitemaps_take_linear_time(piece: bytes) -> None:
    assert is_linear(lambda n: read_feed(FEED + piece * n, "https://example.org/"), 400)
    assert is_linear(lambda n: read_sitemap(b"<urlset>" + piece * n, "https://example.org/"), 2_000)


def send_to(url: str) -> Answer:
    return by_path({"/": redirect(url), "/in": page(b"")})


def test_GHSA_4qqq_9vqf_3h3f_authorization_is_not_sent_to_another_port_or_scheme() -> None:
    with serve(by_path({"/in": page(b"")})) as other, serve(send_to(other.url("/in"))) as server:
        secure = server.url().replace("http:", "https:")
        given = (Credentials(server.url(), "user", "pass"), Credentials(secure, "user", "pass"))
        fetch(server.url(), options=FetchOptions(allow_private=True, credentials=given))
        fetch(server.url("/in"), options=FetchOptions(allow_private=True, credentials=given[1:]))  # given for https
    assert other.seen("Authorization") == [""]
    assert server.seen("Authorization") == [BASIC, ""]


def test_GHSA_jm3v_qxmh_hxwv_a_redirect_to_https_goes_through_the_proxy_too() -> None:
    with serve(always(b"no TLS here"), listens=False) as target:
        secure = f"https://site.example:{target.port}/"
        with serve(by_path({"/": redirect(secure)})) as server, proxy() as between:
            start = f"http://site.example:{server.port}/"
            walk(FetchOptions(allow_private=True, proxy=between.url("")), start)
    assert [head.split(" ")[0] for head in between.heads] == ["GET", "CONNECT"]
    assert all("CONNECT" not in head for head in server.heads)


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


def test_CVE_2026_41895_no_entity_of_a_feed_or_sitemap_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("https://example.org/secretword")
    entity = f'<!DOCTYPE x [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}"><!ENTITY y "https://e.org/yes">]>'
    feed = f'{entity}<rss version="2.0"><channel><item><title>&x;</title><link>&x;</link></item></channel></rss>'
    sitemap = f"{entity}<urlset><url><loc>&x;</loc></url><url><loc>&y;</loc></url></urlset>"
    said = f"{read_feed(feed.encode(), 'https://e.org/')} {read_sitemap(sitemap.encode(), 'https://e.org/')}"
    assert "secretword" not in said
    assert "e.org/yes" not in said


def test_robots_parser_12_stars_in_a_rule_match_in_linear_time() -> None:
    def judge(stars: int) -> None:
        body = f"User-agent: *\nAllow: {'*' * stars}x\nDisallow: /{'*a' * stars}b\n"
        assert parse_robots(200, body.encode()).allows(f"https://example.org/{'a' * 2_000}")

    assert is_linear(judge, 400)
