"""The check of fetchers: those that keep the promises pass, each that breaks one is found out."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import aiohttp
import pytest

from scythe.errors import FetchFailed
from scythe.fetch.fetch_options import FetchOptions
from scythe.model import Response
from scythe.testing import CannedFetcher, check_fetcher
from scythe.url import Url

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "plug_in"
sys.path.insert(0, str(EXAMPLE))
try:
    from scythe_barn import PlainFetcher
finally:
    sys.path.remove(str(EXAMPLE))


def test_the_fetcher_of_the_example_keeps_the_promises() -> None:
    assert check_fetcher(PlainFetcher) is None


def changing(change: Callable[[Response], Any]) -> type[PlainFetcher]:
    """Return a fetcher that changes what comes."""

    class Changing(PlainFetcher):
        async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
            return change(await super().get(url, headers=headers, max_bytes=max_bytes))

    return Changing


def fail_above_400(response: Response) -> Response:
    if response.status >= 400:
        raise FetchFailed(response.url, f"status {response.status}")
    return response


CHANGES: list[tuple[Callable[[Response], Any], str]] = [
    (lambda response: response.body, "a Response was expected, not bytes"),
    (lambda response: replace(response, body=response.body.decode("latin-1")), "the body is of str, not of bytes"),
    (lambda response: replace(response, url=Url(f"{response.url}#top")), "the response says that it is of"),
    (lambda response: replace(response, fetched_at=datetime.now()), "not in UTC"),
    (lambda response: replace(response, fetched_at=response.fetched_at.replace(year=2020)), "not the moment of"),
    (lambda response: replace(response, answered_at=time.time() + 1e9), "not of the monotonic clock"),
    (
        lambda response: replace(response, headers=tuple(dict(response.headers).items())),
        r"repeated headers are lost: Set-Cookie is \['b=2'\]",
    ),
    (lambda response: replace(response, cut_at_bytes=None, why_cut=""), "nothing says it was cut"),
    (
        lambda response: response if response.cut_at_bytes is None else replace(response, cut_at_bytes=7),
        "cut_at_bytes is not the length",
    ),
    (
        lambda response: response if "longer" in response.why_cut else replace(response, cut_at_bytes=None),
        "half of a body is taken for the whole",
    ),
]


@pytest.mark.parametrize(("change", "complaint"), CHANGES)
def test_a_fetcher_that_changes_what_comes_is_found(change: Callable[[Response], Any], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_fetcher(changing(change))


class Packed(PlainFetcher):
    async def __aenter__(self) -> Packed:
        await super().__aenter__()
        self._session._auto_decompress = False
        return self


class Following(PlainFetcher):
    async def __aenter__(self) -> Following:
        await super().__aenter__()
        get = self._session.get
        self._session.get = lambda url, **more: get(url, **(more | {"allow_redirects": True}))  # type: ignore[method-assign]
        return self


class Nameless(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        return await super().get(url, headers={}, max_bytes=max_bytes)


class Remembering(PlainFetcher):
    async def __aenter__(self) -> Remembering:
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))
        self._session._retry_connection = False
        return self


class Insisting(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        response = await super().get(url, headers=headers, max_bytes=max_bytes)
        return await super().get(url, headers=headers, max_bytes=max_bytes) if response.status == 503 else response


class AskingTwice(PlainFetcher):
    async def __aenter__(self) -> AskingTwice:
        await super().__aenter__()
        self._session._retry_connection = True
        return self


class Quoting(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        spelled = url.replace("%20", "+")
        return replace(await super().get(spelled, headers=headers, max_bytes=max_bytes), url=Url(url))


class Unbounded(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        return await super().get(url, headers=headers, max_bytes=10**9)


class ReadingOn(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        whole = await super().get(url, headers=headers, max_bytes=10**9)
        if len(whole.body) <= max_bytes:
            return whole
        return replace(whole, body=whole.body[:max_bytes], cut_at_bytes=max_bytes, why_cut="long")


class Leaking(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        try:
            return await super().get(url, headers=headers, max_bytes=max_bytes)
        except FetchFailed as failure:
            raise ConnectionError(str(failure)) from failure


class MakingUp(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        try:
            return await super().get(url, headers=headers, max_bytes=max_bytes)
        except FetchFailed:
            return await CannedFetcher().get(url, headers=headers, max_bytes=max_bytes)


class Mixing(PlainFetcher):
    last: Response

    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        self.last = await super().get(url, headers=headers, max_bytes=max_bytes)
        await asyncio.sleep(0.001)
        return replace(self.last, url=Url(url))


class Queueing(PlainFetcher):
    async def __aenter__(self) -> Queueing:
        await super().__aenter__()
        self._turn = asyncio.Lock()
        return self

    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        async with self._turn:
            return await super().get(url, headers=headers, max_bytes=max_bytes)


class Blocking(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        if not url.endswith("/slow"):
            return await super().get(url, headers=headers, max_bytes=max_bytes)
        with urlopen(url) as answer:
            return Response(Url(url), 200, (), answer.read(), datetime.now(UTC))


class Stubborn(PlainFetcher):
    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> Response:
        try:
            return await super().get(url, headers=headers, max_bytes=max_bytes)
        except asyncio.CancelledError:
            raise FetchFailed(url, "given up") from None


class OnlyOnce(PlainFetcher):
    opened: Iterator[int]

    async def __aenter__(self) -> OnlyOnce:
        assert next(self.opened) == 0, "opened before"
        await super().__aenter__()
        return self


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Packed, "/packed: another body came"),
        (Nameless, "the header .* was to be sent as"),
        (Remembering, "cookies of one answer are sent"),
        (Insisting, "a server that answers 503 is asked 2 times"),
        (Following, "a redirect is followed"),
        (Quoting, "is asked for as"),
        (Unbounded, "bytes came, 100 were wanted"),
        (ReadingOn, "bytes were read where 50000 were wanted"),
        (MakingUp, "nobody listens there: FetchFailed was expected, not status 404"),
        (AskingTwice, "closes without a word is asked 2 times"),
        (Mixing, "answers of requests under way at once are mixed up"),
        (Queueing, "asked for at once, take"),
        (Blocking, "the loop is blocked"),
        (Stubborn, "must not become FetchFailed"),
    ],
)
def test_a_fetcher_that_breaks_a_promise_is_found(broken: type[PlainFetcher], complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_fetcher(broken)


def test_what_a_fetcher_must_not_raise_comes_through() -> None:
    with pytest.raises(ConnectionError):
        check_fetcher(Leaking)
    with pytest.raises(FetchFailed, match="status 404"):
        check_fetcher(changing(fail_above_400))


def test_a_fetcher_that_can_be_opened_only_once_is_found() -> None:
    OnlyOnce.opened = iter(range(9))
    with pytest.raises(AssertionError, match="opened before"):
        check_fetcher(OnlyOnce)


def test_the_stand_in_knows_its_answers() -> None:
    canned = CannedFetcher({"https://example.org/": b"<p>barley</p>" * 9})

    async def ask() -> tuple[Response, Response]:
        async with canned.open(FetchOptions()) as fetcher:
            first = await fetcher.get("https://example.org/", headers={}, max_bytes=10)
            return first, await fetcher.get("https://example.org/x", headers={}, max_bytes=10)

    found, missing = asyncio.run(ask())
    assert (found.status, found.body, found.cut_at_bytes) == (200, b"<p>barley<", 10)
    assert (missing.status, missing.body, canned.asked[-1]) == (404, b"", "https://example.org/x")
