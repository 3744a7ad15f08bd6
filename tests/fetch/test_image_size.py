"""Sizes of images on real servers: first bytes only, bounded whatever the server does."""

import asyncio
import base64
import re
import time
from collections.abc import AsyncIterator

import pytest

from scythe.page.image_size import ImageSize, Probe, ProbeOptions, measure_data_url, probe_images, real_sizes

from .image_files import jpeg, png, svg
from .server import Server, always, by_path, page, serve

OPEN = ProbeOptions(allow_private=True)
pytestmark = pytest.mark.fault


def probe(server: Server, path: str = "/", options: ProbeOptions = OPEN) -> Probe:
    return probe_images([server.url(path)], options=options)[0]


def test_only_first_bytes_of_an_image_are_asked_for():
    part = page(png(640, 480), "Content-Range: bytes 0-65535/987654", status="206 Partial Content")
    with serve(always(part)) as server:
        assert probe(server).size == ImageSize(640, 480, "png", 987_654)
    asked = server.heads[0]
    assert "Range: bytes=0-65535\r\n" in asked
    assert re.search(r"\r\nAccept: image/", asked)
    assert "Accept-Encoding: identity\r\n" in asked


def test_a_server_that_ignores_ranges_is_cut():
    sent = 0

    async def answer(path: str) -> AsyncIterator[bytes]:
        nonlocal sent
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n" + jpeg(800, 600)
        for _ in range(1_000):
            sent += 1_000_000
            yield bytes(1_000_000)

    with serve(answer) as server:
        assert probe(server).size == ImageSize(800, 600, "jpeg", 1_000_000_000)
    assert sent < 30_000_000  # what fits into the buffers between


def test_a_server_that_stops_after_the_bytes_asked_for_is_not_waited_for():
    async def answer(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n" + png(8, 6).ljust(65_536, b"\0")
        await asyncio.sleep(60)

    began = time.monotonic()
    with serve(answer) as server:
        assert probe(server).size == ImageSize(8, 6, "png", 1_000_000_000)
    assert time.monotonic() - began < 30


def test_a_server_that_drips_is_left_at_the_deadline():
    async def answer(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            await asyncio.sleep(0.02)
            yield b"\xff"

    options = ProbeOptions(allow_private=True, image_timeout_s=0.2)
    with serve(answer) as server:
        assert "too slow" in probe(server, options=options).why


def test_all_images_of_a_page_share_one_deadline_and_quick_ones_are_kept():
    async def answer(path: str) -> AsyncIterator[bytes]:
        if path != "/quick":
            await asyncio.sleep(60)
        yield page(png(3, 4))

    options = ProbeOptions(allow_private=True, timeout_s=5.0)
    with serve(answer) as slow, serve(answer, address="127.0.0.2") as other:
        probes = probe_images([slow.url("/slow"), slow.url("/late"), other.url("/quick")], options=options)
    assert [item.size and item.size.width for item in probes] == [None, None, 3]
    assert "not answered within the 5 s" in probes[1].why


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "ftp://example.org/a.png", "a.png", ""])
def test_nothing_but_web_addresses_is_fetched(url):
    assert "not an http or https address" in probe_images([url])[0].why


def test_bytes_decide_not_the_content_type():
    pages = {
        "/page.png": page(b"<!doctype html><title>Sorry</title>", "Content-Type: image/png"),
        "/image.html": page(png(3, 4), "Content-Type: text/html"),
    }
    with serve(by_path(pages)) as server:
        assert "no image" in probe(server, "/page.png").why
        assert probe(server, "/image.html").size == ImageSize(3, 4, "png", len(png(3, 4)))


def test_errors_torn_files_and_other_parts_say_why():
    pages = {
        "/torn": page(png(3, 4)[:18]),
        "/part": page(png(3, 4), "Content-Range: bytes 5-9/10", status="206 Partial Content"),
        "/broken": page(b"xx", "Content-Encoding: compress"),
    }
    with serve(by_path(pages)) as server:
        assert probe(server, "/gone").why == "the server answered 404 Not Found"
        assert "within its first 18 bytes" in probe(server, "/torn").why
        assert "another part" in probe(server, "/part").why
        assert "content coding" in probe(server, "/broken").why


def test_the_same_address_is_asked_once_and_only_so_many_are():
    with serve(always(page(png(3, 4)))) as server:
        urls = [server.url("/a"), server.url("/b"), server.url("/a"), server.url("/c")]
        probes = probe_images(urls, options=ProbeOptions(allow_private=True, images=2))
    assert len(server.heads) == 2
    assert [item.url for item in probes] == urls
    assert real_sizes(probes) == [(3, 4), (3, 4), (3, 4), (None, None)]
    assert real_sizes(probes, [(9, 9)] * 4)[2:] == [(3, 4), (9, 9)]
    assert probes[3].why == "beyond the first 2 images"


def test_data_addresses_are_measured_where_they_stand():
    coded = base64.b64encode(png(30, 40) + bytes(10_000_000)).decode()
    drawn = svg('width="5" height="6"').decode().replace("#", "%23")
    probes = probe_images(
        [f"data:image/png;base64,{coded}", f"data:image/svg+xml,{drawn}", "data:,", "DATA:x;base64,*"]
    )
    assert real_sizes(probes) == [(30, 40), (5, 6), (None, None), (None, None)]


def test_no_address_asks_for_nothing():
    assert probe_images([]) == []
    assert measure_data_url("data:").size is None
