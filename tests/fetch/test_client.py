import asyncio
import threading
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


@pytest.mark.parametrize(
    "url",
    "|example.org|file:///etc/passwd|FILE:/etc/passwd|source:file:///x|ftp://example.org/|http://:80/|http://h:99999/".split(
        "|"
    ),
)
def test_what_is_no_web_address_is_named(url: str) -> None:
    assert "not an http or https address" in why(url)


async def _first(url: str, options: FetchOptions, look_up: object) -> Response | FetchFailed:
    async for result in fetch_all([url], options=options, look_up=look_up):  # type: ignore[arg-type]
        return result
    raise AssertionError


def test_a_server_that_does_not_speak_http_is_named() -> None:
    with serve(always(b"220 smtp ready\r\n\r\n")) as server:
        assert "does not speak HTTP" in why(server.url())


def test_a_closed_port_is_named_and_worth_another_try() -> None:
    with serve(always(b"")) as server:
        url = server.url()
    with pytest.raises(FetchFailed, match="no connection") as caught:
        fetch(url, options=OPEN)
    assert caught.value.retry_after_s == 60


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
