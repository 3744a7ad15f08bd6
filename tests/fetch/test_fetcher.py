import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from typing import TypeVar

import pytest
from aiohttp.abc import ResolveResult

from scythe.errors import BadInput, FetchFailed
from scythe.fetch import Fetcher, FetchOptions, connections, guard, open_fetcher, redirect_target
from scythe.model import Response

from .server import Answer, always, by_path, kept_page, page, serve

OPEN = FetchOptions(allow_private=True, timeout_s=20)
pytestmark = pytest.mark.fault
MOMENT = "Sun, 06 Nov 1994 08:49:37 GMT"
T = TypeVar("T")


def run(work: Callable[[Fetcher], Awaitable[T]], options: FetchOptions = OPEN) -> T:
    async def inside() -> T:
        async with open_fetcher(options) as fetcher:
            return await work(fetcher)

    return asyncio.run(inside())


def get_all(urls: list[str], options: FetchOptions = OPEN) -> list[Response]:
    async def work(fetcher: Fetcher) -> list[Response]:
        return [await fetcher.get(url) for url in urls]

    return run(work, options)


def test_one_connection_serves_many_requests() -> None:
    with serve(always(kept_page(b"ok")), keeps=True) as server:
        responses = get_all([server.url(f"/{n}") for n in range(20)])
    assert [response.body for response in responses] == [b"ok"] * 20
    assert server.connections == 1


def test_without_keep_alive_every_request_has_its_own_connection() -> None:
    with serve(always(kept_page(b"ok")), keeps=True) as server:
        get_all([server.url(f"/{n}") for n in range(5)], FetchOptions(allow_private=True, keep_alive=False))
    assert server.connections == 5


def test_no_more_requests_than_allowed_are_under_way_at_one_host() -> None:
    async def slowly(path: str) -> AsyncIterator[bytes]:
        await asyncio.sleep(0.01)
        yield kept_page(b"ok")

    async def work(fetcher: Fetcher) -> None:
        await asyncio.gather(*(fetcher.get(server.url(f"/{n}")) for n in range(30)))

    with serve(slowly, keeps=True) as server:
        run(work, FetchOptions(allow_private=True, concurrency=16, per_host=3))
    assert server.open_most == 3
    assert server.connections == 3


def test_many_names_of_one_address_have_no_more_under_way_than_there_may_be_in_all() -> None:
    under_way: list[str] = []
    most = []

    async def slowly(path: str) -> AsyncIterator[bytes]:
        under_way.append(path)
        most.append(len(under_way))
        await asyncio.sleep(0.01)
        under_way.remove(path)
        yield kept_page(b"ok")

    async def look_up(host: str, port: int) -> list[ResolveResult]:
        return await guard.look_up("127.0.0.1", port)

    async def work() -> None:
        options = FetchOptions(allow_private=True, concurrency=4, per_host=1)
        async with open_fetcher(options, look_up=look_up) as fetcher:
            names = [server.url(f"/{n}").replace("127.0.0.1", f"name{n}.example") for n in range(30)]
            await asyncio.gather(*map(fetcher.get, names))

    with serve(slowly, keeps=True) as server:
        asyncio.run(work())
    assert len(most) == 30
    assert max(most) <= 4


def test_cancelled_waiters_give_their_places_back() -> None:
    async def slowly(path: str) -> AsyncIterator[bytes]:
        await asyncio.sleep(0.05)
        yield kept_page(path.encode())

    async def work(fetcher: Fetcher) -> bytes:
        tasks = [asyncio.ensure_future(fetcher.get(server.url(f"/{n}"))) for n in range(10)]
        await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return (await fetcher.get(server.url("/last"))).body

    with serve(slowly, keeps=True) as server:
        assert run(work, FetchOptions(allow_private=True, concurrency=2, per_host=1, timeout_s=5)) == b"/last"


def test_a_page_that_did_not_change_comes_back_empty_with_304() -> None:
    with serve(always(kept_page(b"", 'ETag: W/"a"', status="304 Not Modified")), keeps=True) as server:
        response = run(
            lambda fetcher: fetcher.get(server.url(), etag='W/"a"', modified="Sun, 06 Nov 1994 08:49:37 GMT")
        )
    assert (response.status, response.body, response.cut_at_bytes) == (304, b"", None)
    assert server.seen("If-None-Match") == ['W/"a"']  # weak validators go back as they came
    assert server.seen("If-Modified-Since") == [MOMENT]


def test_a_304_that_declares_a_length_has_no_body_either() -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n" if path == "/a" else kept_page(b"b")

    with serve(answer, keeps=True) as server:
        first, second = get_all([server.url("/a"), server.url("/b")])
    assert (first.status, first.body, first.cut_at_bytes) == (304, b"", None)
    assert second.body == b"b"


@pytest.mark.parametrize("validator", ["x" * 5_000, 'a"\r\nX-Evil: 1', "é", "\x00"])
def test_validators_that_no_server_means_are_not_sent(validator: str) -> None:
    with serve(always(page(b"ok"))) as server:
        run(lambda fetcher: fetcher.get(server.url(), etag=validator, modified=validator))
    assert server.seen("If-None-Match") == server.seen("If-Modified-Since") == server.seen("X-Evil") == [""]


def test_what_is_known_of_an_address_is_not_said_of_its_target() -> None:
    pages = {"/a": page(b"", "Location: /b", status="302 Found"), "/b": page(b"b")}
    with serve(by_path(pages)) as server:
        run(lambda fetcher: fetcher.get(server.url("/a"), etag='"1"'))
    assert server.seen("If-None-Match") == ['"1"', ""]


def test_a_redirect_can_be_taken_as_it_is() -> None:
    with serve(always(page(b"moved", "Location: /b?x#y", status="301 Moved"))) as server:
        response = run(lambda fetcher: fetcher.get(server.url("/a"), follow=False))
    assert (response.status, response.body, response.url) == (301, b"", server.url("/a"))
    assert redirect_target(response) == server.url("/b?x")
    assert len(server.heads) == 1


def test_what_is_no_redirect_has_no_target() -> None:
    with serve(by_path({"/a": page(b"choose", status="302 Found"), "/b": page(b"", "Location: /c")})) as server:
        a, b = get_all([server.url("/a"), server.url("/b")])
    assert (a.status, a.body, redirect_target(a)) == (302, b"choose", None)
    assert (b.status, redirect_target(b)) == (200, None)


def test_a_response_says_when_it_came_how_long_it_took_and_by_which_way() -> None:
    async def slowly(path: str) -> AsyncIterator[bytes]:
        if path == "/a":
            yield page(b"", "Location: /b", status="302 Found")
            return
        said.append(time.monotonic())
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        await asyncio.sleep(0.1)
        said.append(time.monotonic())
        yield b"ok"

    said: list[float] = []
    with serve(slowly) as server:
        began = time.monotonic()
        response = get_all([server.url("/a")])[0]
        ended = time.monotonic()
    head, end = said
    assert head <= response.answered_at <= ended
    assert end - head <= response.seconds <= ended - began
    assert response.hops == (server.url("/a"),)


def test_a_kept_connection_that_went_away_is_replaced_unnoticed() -> None:
    async def once_each(path: str) -> AsyncIterator[bytes]:
        yield kept_page(path.encode())  # says nothing of closing, and closes

    async def work(fetcher: Fetcher) -> list[bytes]:
        bodies = []
        for n in range(10):
            bodies.append((await fetcher.get(server.url(f"/{n}"))).body)
            if n % 2:
                await asyncio.sleep(0.01)
        return bodies

    with serve(once_each) as server:
        assert run(work) == [f"/{n}".encode() for n in range(10)]
    assert len(server.heads) == 10


def test_a_server_that_closes_without_a_word_is_asked_once() -> None:
    with serve(always()) as server, pytest.raises(FetchFailed, match="without an answer") as caught:
        get_all([server.url()])
    assert len(server.heads) == 1
    assert caught.value.retry_after_s == 60


@pytest.mark.parametrize("pause", [0.0, 0.05])
def test_what_a_server_says_unasked_is_not_taken_for_the_next_page(pause: float) -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        yield kept_page(b"right " + path.encode())
        await asyncio.sleep(pause)
        yield kept_page(b"wrong")
        said.append(path)

    async def work(fetcher: Fetcher) -> list[bytes]:
        bodies = []
        for n in range(5):
            bodies.append((await fetcher.get(server.url(f"/{n}"))).body)
            while len(said) <= n:
                await asyncio.sleep(0.01)
        return bodies

    said: list[str] = []
    with serve(answer, keeps=True) as server:
        assert run(work) == [f"right /{n}".encode() for n in range(5)]


def test_a_body_longer_than_declared_does_not_spill_into_the_next_page() -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nshort and much longer than that\r\n\r\n"

    with serve(answer, keeps=True) as server:
        responses = get_all([server.url(f"/{n}") for n in range(3)])
    assert [response.body for response in responses] == [b"shor"] * 3
    assert all(response.cut_at_bytes == 4 for response in responses)
    assert {response.why_cut for response in responses} == {"the server sent more than it declared"}


def test_after_the_body_of_a_redirect_the_connection_goes_on() -> None:
    pages = {"/a": kept_page(b"moved " * 50, "Location: /b", status="302 Found"), "/b": kept_page(b"b")}
    with serve(by_path(pages), keeps=True) as server:
        assert [response.body for response in get_all([server.url("/a")] * 3)] == [b"b"] * 3
    assert server.connections == 1


def test_a_redirect_with_an_endless_body_is_left_at_once() -> None:
    async def answer(path: str) -> AsyncIterator[bytes]:
        if path == "/b":
            yield page(b"b")
            return
        yield b"HTTP/1.1 302 Found\r\nLocation: /b\r\nTransfer-Encoding: chunked\r\n\r\n"
        while True:
            yield b"10000\r\n" + b"x" * 65_536 + b"\r\n"

    with serve(answer) as server:
        assert get_all([server.url("/a")])[0].body == b"b"


def test_no_request_says_where_it_comes_from() -> None:
    pages = {"/a": page(b"", "Location: /b", status="302 Found"), "/b": page(b"b")}
    with serve(by_path(pages)) as server:
        get_all([server.url("/a"), server.url("/b")])
    assert server.seen("Referer") == ["", "", ""]


def test_the_contact_of_the_user_is_sent() -> None:
    options = FetchOptions(allow_private=True, contact="mailto:me@example.org")
    other = FetchOptions(allow_private=True, user_agent="mine/1", contact="https://example.org/bot")
    with serve(always(page(b"ok"))) as server:
        get_all([server.url()], options)
        get_all([server.url()], other)
    ours, theirs = server.seen("User-Agent")
    assert ours.startswith("scythe/")
    assert ours.endswith("; +mailto:me@example.org)")
    assert theirs == "mine/1 (+https://example.org/bot)"


@pytest.mark.parametrize(
    "wrong",
    [{"user_agent": "a\r\nX: y"}, {"contact": "a\nb"}, {"per_host": 0}, {"concurrency": 0}, {"proxy": "https://p:1"}],
)
def test_options_that_cannot_be_meant_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        FetchOptions(**wrong)  # type: ignore[arg-type]


def test_headers_that_are_no_utf8_come_back_as_text() -> None:
    names = b"Location: /caf\xe9\r\nX-Name: caf\xe9\r\nX-Other: caf\xc3\xa9"
    answer = b"HTTP/1.1 302 Found\r\n" + names + b"\r\nContent-Length: 0\r\n\r\n"
    with serve(always(answer)) as server:
        response = run(lambda fetcher: fetcher.get(server.url(), follow=False))
    headers = dict(response.headers)
    assert (headers["Location"], headers["X-Name"], headers["X-Other"]) == ("/caf%E9", "café", "café")
    assert redirect_target(response) == server.url("/caf%E9")


@pytest.mark.parametrize(
    "path", ["/%7Ea/%2F%2f?a=%27b+c&d=%20", "/a;b=c,d/(e)!*'", "/?q=a|b", "/ü?ö=ä", "/a/./b/../c", "//a//b", "/%"]
)
def test_an_address_is_asked_for_as_it_is_written(path: str) -> None:
    asked = {"/?q=a|b": "/?q=a%7Cb", "/ü?ö=ä": "/%C3%BC?%C3%B6=%C3%A4", "/a/./b/../c": "/a/c"}
    with serve(always(page(b"ok"))) as server:
        get_all([server.url(path)])
    assert server.heads[0].split(" ")[1] == asked.get(path, path)


def test_a_switch_of_protocols_is_refused() -> None:
    head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    with serve(always(head)) as server, pytest.raises(FetchFailed, match="101"):
        get_all([server.url()])


def test_what_may_be_read_can_be_smaller_for_one_request() -> None:
    with serve(always(page(b"x" * 1_000))) as server:
        response = run(lambda fetcher: fetcher.get(server.url(), max_bytes=100, accept="text/plain"))
    assert (response.body, response.cut_at_bytes, response.why_cut) == (b"x" * 100, 100, "longer than 100 bytes")
    assert server.seen("Accept") == ["text/plain"]


def chunks(*pieces: bytes) -> Answer:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return always(head, *(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces), b"0\r\n\r\n")


def test_a_body_in_chunks_is_whole() -> None:
    with serve(chunks(*[b"abc"] * 5_000), keeps=True) as server:
        response = get_all([server.url()] * 2)[1]
    assert (response.body, response.cut_at_bytes) == (b"abc" * 5_000, None)
    assert server.connections == 1


def test_a_body_without_a_length_ends_with_its_connection() -> None:
    with serve(always(b"HTTP/1.1 200 OK\r\n\r\n", b"<p>one", b" two")) as server:
        response = get_all([server.url()])[0]
    assert (response.body, response.cut_at_bytes) == (b"<p>one two", None)


def test_only_so_many_hosts_keep_an_idle_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_KEPT_HOSTS", 2)

    async def work(fetcher: Fetcher) -> list[int]:
        for server in servers:
            await fetcher.get(server.url())
        for _ in range(100):
            if sum(server.open_now for server in servers) == 2:
                break
            await asyncio.sleep(0.01)
        return [server.open_now for server in servers]

    with ExitStack() as stack:
        addresses = [f"127.0.0.{n}" for n in range(1, 6)]
        good = always(kept_page(b"ok"))
        servers = [stack.enter_context(serve(good, keeps=True, address=address)) for address in addresses]
        assert run(work) == [1, 1, 0, 0, 0]


def test_who_is_cancelled_while_a_body_comes_leaves_nothing_behind() -> None:
    async def endless(path: str) -> AsyncIterator[bytes]:
        if path == "/ok":
            yield kept_page(b"ok")
            return
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        while True:
            await asyncio.sleep(0.01)
            yield b"x"

    async def work(fetcher: Fetcher) -> bytes:
        for _ in range(5):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await fetcher.get(server.url("/endless"))
        return (await fetcher.get(server.url("/ok"))).body

    with serve(endless, keeps=True) as server:
        assert run(work, FetchOptions(allow_private=True, concurrency=1, timeout_s=5)) == b"ok"


@pytest.mark.parametrize("more", ["Content-Range: bytes 0-3/900", "Content-Range: bytes */9", "X-Nothing: more"])
def test_a_part_that_nobody_asked_for_is_not_taken_for_the_whole(more: str) -> None:
    with serve(always(page(b"<p>a", more, "Content-Type: text/html", status="206 Partial Content"))) as server:
        response = get_all([server.url()])[0]
    assert (response.status, response.cut_at_bytes) == (206, 4)
    assert "a part" in response.why_cut
