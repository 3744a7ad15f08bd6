from __future__ import annotations

import asyncio
import gzip
import itertools
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC

import pytest
from aiohttp.abc import ResolveResult

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch, fetch_all
from scythe.model import Response

from .server import always, by_path, page, serve

OPEN = FetchOptions(allow_private=True, timeout_s=20)
pytestmark = pytest.mark.fault


def why(url: str, options: FetchOptions = OPEN) -> str:
    with pytest.raises(FetchFailed) as caught:
        fetch(url, options=options)
    return caught.value.why


def test_a_page_comes_back_with_its_headers_and_bytes() -> None:
    body = "<p>Çağrı</p>".encode("iso-8859-9")
    with serve(always(page(body, "Content-Type: text/html; charset=iso-8859-9"))) as server:
        response = fetch(server.url("/a?b=c#d"), options=OPEN)
    assert (response.status, response.body, response.cut_at_bytes) == (200, body, None)
    assert ("Content-Type", "text/html; charset=iso-8859-9") in response.headers
    assert response.url == server.url("/a?b=c")
    assert response.fetched_at.tzinfo is UTC
    assert "User-Agent: scythe/" in server.heads[0]


def test_an_error_status_is_a_response_not_a_failure() -> None:
    with serve(always(page(b"gone", status="410 Gone"))) as server:
        assert fetch(server.url(), options=OPEN).status == 410


def test_a_gzip_body_is_inflated() -> None:
    with serve(always(page(gzip.compress(b"<p>hello"), "Content-Encoding: gzip"))) as server:
        assert fetch(server.url(), options=OPEN).body == b"<p>hello"


def test_a_gzip_bomb_is_cut_and_marked() -> None:
    bomb = gzip.compress(bytes(20_000_000), 9)
    with serve(always(page(bomb, "Content-Encoding: gzip"))) as server:
        response = fetch(server.url(), options=FetchOptions(allow_private=True, max_bytes=3_000_000))
    assert response.cut_at_bytes == len(response.body) <= 3_000_000


def test_a_coding_that_was_not_asked_for_is_named() -> None:
    with serve(always(page(b"xx", "Content-Encoding: compress"))) as server:
        assert "content coding 'compress'" in why(server.url())


def test_a_body_shorter_than_declared_is_kept_and_marked() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
    with serve(always(head, b"<p>only this")) as server:
        response = fetch(server.url(), options=OPEN)
    assert (response.body, response.cut_at_bytes) == (b"<p>only this", 12)


def test_chunks_without_an_end_are_kept_and_marked() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with serve(always(head, b"5\r\nhello\r\n")) as server:
        response = fetch(server.url(), options=OPEN)
    assert (response.body, response.cut_at_bytes) == (b"hello", 5)


def test_a_truncated_gzip_body_is_kept_and_marked() -> None:
    body = b"".join(b"<p>%d</p>" % (n * n) for n in range(5_000))
    with serve(always(page(gzip.compress(body)[:5_000], "Content-Encoding: gzip"))) as server:
        response = fetch(server.url(), options=OPEN)
    assert body.startswith(response.body)
    assert response.cut_at_bytes == len(response.body) > 1_000


def test_a_server_that_drips_is_left_at_the_deadline() -> None:
    async def drip(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        while True:
            await asyncio.sleep(0.05)
            yield b"x"

    with serve(drip) as server:
        began = time.monotonic()
        reason = why(server.url(), FetchOptions(allow_private=True, timeout_s=0.5))
    assert reason == "too slow: no complete answer within 0.5 s"
    assert time.monotonic() - began < 20


def test_headers_that_never_end_are_left_at_the_deadline() -> None:
    async def drip(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\n"
        while True:
            await asyncio.sleep(0.02)
            yield b"X: y\r\n"

    with serve(drip) as server:
        assert "too slow" in why(server.url(), FetchOptions(allow_private=True, timeout_s=0.4))


def test_the_deadline_covers_all_redirects_together() -> None:
    async def slow_loop(path: str) -> AsyncIterator[bytes]:
        await asyncio.sleep(0.2)
        yield page(b"", f"Location: {path}x", status="302 Found")

    with serve(slow_loop) as server:
        assert "too slow" in why(server.url(), FetchOptions(allow_private=True, timeout_s=0.5))


def test_a_redirect_is_followed_to_its_page() -> None:
    pages = {"/old": page(b"", "Location: new#part", status="301 Moved"), "/new": page(b"here")}
    with serve(by_path(pages)) as server:
        response = fetch(server.url("/old"), options=OPEN)
    assert (response.url, response.body) == (server.url("/new"), b"here")


def test_a_redirect_loop_ends_after_ten() -> None:
    with serve(by_path({"/": page(b"", "Location: /", status="302 Found")})) as server:
        assert why(server.url()) == "more than 10 redirects"
    assert len(server.heads) == 11


def test_the_body_of_a_redirect_is_never_inflated() -> None:
    bomb = gzip.compress(bytes(20_000_000), 9)
    pages = {"/": page(bomb, "Location: /x", "Content-Encoding: gzip", status="302 Found"), "/x": page(b"ok")}
    with serve(by_path(pages)) as server:
        assert fetch(server.url(), options=OPEN).body == b"ok"


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "data:text/html,x",
        "javascript:alert(1)",
        "ftp://h/",
        "http://[::1",
        "gopher://h/",
    ],
)
def test_a_redirect_to_another_scheme_is_refused(location: str) -> None:
    with serve(always(page(b"", f"Location: {location}", status="302 Found"))) as server:
        assert "not an http or https address" in why(server.url())


def test_a_redirect_sends_no_credentials() -> None:
    with serve(by_path({"/": b"", "/in": page(b"ok")})) as server:
        target = f"http://user:secret@127.0.0.1:{server.port}/in"
        with serve(always(page(b"", f"Location: {target}", status="302 Found"))) as first:
            assert fetch(first.url(), options=OPEN).body == b"ok"
    assert not any("authorization" in head.lower() for head in server.heads)


def test_an_address_with_a_password_is_refused_and_not_repeated() -> None:
    reason = why("http://user:secret@example.org/")
    assert "user name or password" in reason
    with pytest.raises(FetchFailed) as caught:
        fetch("http://user:secret@example.org/", options=OPEN)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "example.org", "file:///etc/passwd", "ftp://example.org/", "http://:80/", "http://h:99999/"]
)
def test_what_is_no_web_address_is_named(url: str) -> None:
    assert "not an http or https address" in why(url)


@pytest.mark.parametrize(
    "spelling", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_a_closed_guard_lets_no_connection_out(spelling: str) -> None:
    with serve(always(page(b"secret"))) as server:
        reason = why(f"http://{spelling}:{server.port}/", FetchOptions(timeout_s=10))
    assert server.heads == []
    assert server.open_most == 0
    assert "refused" in reason or "not an IP address" in reason


def _loopback_once(*answers: str) -> object:
    rows = itertools.cycle(answers)

    async def look_up(host: str, port: int) -> list[ResolveResult]:
        return [ResolveResult(hostname=host, host=next(rows), port=port, family=socket.AF_INET, proto=6, flags=0)]

    return look_up


async def _first(url: str, options: FetchOptions, look_up: object) -> Response | FetchFailed:
    async for result in fetch_all([url], options=options, look_up=look_up):  # type: ignore[arg-type]
        return result
    raise AssertionError


def test_a_name_that_resolves_to_loopback_is_refused() -> None:
    with serve(always(page(b"secret"))) as server:
        url = f"http://rebind.example:{server.port}/"
        result = asyncio.run(_first(url, FetchOptions(timeout_s=10), _loopback_once("127.0.0.1")))
    assert isinstance(result, FetchFailed)
    assert "loopback" in result.why
    assert server.open_most == 0


def test_a_redirect_from_an_allowed_name_into_the_private_network_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # The guard is open for the one address the server has, closed for all others: what a public site would look like.
    from scythe.fetch import guard

    real = guard.why_closed
    monkeypatch.setattr(guard, "why_closed", lambda address: None if address == "127.0.0.1" else real(address))
    for target in (
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://127.0.0.2/",
    ):
        with serve(always(page(b"", f"Location: {target}", status="302 Found"))) as server:
            assert "not on the public internet" in why(server.url(), FetchOptions(timeout_s=10))


def test_endless_headers_are_refused() -> None:
    lines = [f"X-{n}: {'y' * 100}" for n in range(10_000)]
    with serve(always(page(b"x", *lines))) as server:
        assert why(server.url())


def test_large_headers_within_the_line_count_are_refused() -> None:
    lines = [f"X-{n}: {'y' * 5_000}" for n in range(50)]
    with serve(always(page(b"x", *lines))) as server:
        assert "headers of" in why(server.url())


def test_a_server_that_does_not_speak_http_is_named() -> None:
    with serve(always(b"220 smtp ready\r\n\r\n")) as server:
        assert "does not speak HTTP" in why(server.url())


def test_a_closed_port_is_named_and_worth_another_try() -> None:
    with serve(always(b"")) as server:
        url = server.url()
    with pytest.raises(FetchFailed, match="no connection") as caught:
        fetch(url, options=OPEN)
    assert caught.value.retry_after_s == 60


def test_a_connection_closed_without_a_word_is_a_failure() -> None:
    with serve(always(b"")) as server:
        assert why(server.url())


async def _gather(urls: list[str], options: FetchOptions) -> list[Response | FetchFailed]:
    return [result async for result in fetch_all(iter(urls), options=options)]


def test_many_pages_come_back_in_the_order_asked_for() -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        yield page(path.encode())

    with serve(answer) as server:
        urls = [server.url(f"/{n}") for n in range(100)]
        urls[50] = "nonsense"
        results = asyncio.run(_gather(urls, OPEN))
    bodies = [result.body.decode() if isinstance(result, Response) else result.why[:6] for result in results]
    assert bodies == [f"/{n}" if n != 50 else "not an" for n in range(100)]


def test_one_host_is_asked_one_page_at_a_time() -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        await asyncio.sleep(0.005)
        yield page(b"ok")

    with serve(answer) as server:
        asyncio.run(_gather([server.url(f"/{n}") for n in range(20)], OPEN))
    assert server.open_most == 1


def test_leaving_early_cancels_what_is_under_way() -> None:
    async def take_one(urls: list[str]) -> None:
        results = fetch_all(urls, options=OPEN)
        async for _ in results:
            break
        await results.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with serve(always(page(b"ok"))) as server:
        asyncio.run(take_one([server.url(f"/{n}") for n in range(200)]))
    assert len(server.heads) < 100


def test_a_name_that_does_not_resolve_is_named_and_worth_another_try() -> None:
    async def nobody(host: str, port: int) -> list[ResolveResult]:
        raise OSError("Name or service not known")

    result = asyncio.run(_first("http://nobody.example/", OPEN, nobody))
    assert isinstance(result, FetchFailed)
    assert result.why == "the name nobody.example does not resolve"
    assert result.retry_after_s == 60


def test_a_server_without_tls_on_an_https_address_is_named() -> None:
    with serve(always(page(b"plain")), listens=False) as server:
        assert "secure connection failed" in why(server.url().replace("http:", "https:"))


def test_inside_a_running_loop_fetch_says_so() -> None:
    async def inside() -> None:
        with pytest.raises(RuntimeError, match="fetch_all"):
            fetch("http://example.org/", options=OPEN)

    asyncio.run(inside())


def test_results_come_while_the_list_of_addresses_still_waits() -> None:
    first_is_read = threading.Event()

    def slowly(first: str, second: str) -> Iterator[str]:
        yield first
        assert first_is_read.wait(20), "the first page must come before the second address is known"
        yield second

    async def take(server_url: str) -> list[int]:
        statuses = []
        async for result in fetch_all(slowly(server_url, server_url), options=OPEN):
            assert isinstance(result, Response)
            statuses.append(result.status)
            first_is_read.set()
        return statuses

    with serve(always(page(b"ok"))) as server:
        assert asyncio.run(take(server.url())) == [200, 200]


def test_an_error_of_the_list_of_addresses_is_raised() -> None:
    def broken() -> Iterator[str]:
        yield "nonsense"
        raise LookupError("the list ended badly")

    async def drain() -> None:
        async for _ in fetch_all(broken(), options=OPEN):
            pass

    with pytest.raises(LookupError, match="ended badly"):
        asyncio.run(drain())
