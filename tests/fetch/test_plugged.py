"""A fetcher of another package: asked for what was judged and whose turn it is, and not believed unseen."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any

import pytest
from tests.testing.packages import install_package

from scythe.errors import BadInput, FetchFailed
from scythe.fetch import Credentials, FetchOptions, open_fetcher
from scythe.model import Response
from scythe.url import Url

CODE = """
import asyncio
ASKED, OPENED = [], []
class Theirs:
    answer = None
    def __init__(self, options):
        OPENED.append(options)
    async def __aenter__(self):
        return self
    async def __aexit__(self, *error):
        OPENED.append("closed")
    async def get(self, url, *, headers, max_bytes):
        ASKED.append((url, dict(headers), max_bytes))
        said = Theirs.answer(url)
        return await said if asyncio.iscoroutine(said) else said
class Mute(Theirs):
    get = None
"""
THEIRS = FetchOptions(fetcher="theirs", allow_private=True, user_agent="mower/1", timeout_s=5)


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that brings a fetcher; what it answers is up to the test."""
    lines = "theirs = their_fetcher:Theirs\nmute = their_fetcher:Mute"
    install_package(tmp_path / "packages", "their_fetcher", CODE, {"scythe.fetchers": lines})
    monkeypatch.syspath_prepend(tmp_path / "packages")
    yield __import__("their_fetcher")
    del sys.modules["their_fetcher"]


def say(url: str, body: bytes = b"<p>barley</p>", **more: Any) -> Response:
    return Response(Url(url), **({"status": 200, "headers": (), "body": body, "fetched_at": datetime.now(UTC)} | more))


def get(url: str, options: FetchOptions = THEIRS, **more: Any) -> Response:
    async def ask() -> Response:
        async with open_fetcher(options) as fetcher:
            return await fetcher.get(url, **more)

    return asyncio.run(ask())


def test_a_fetcher_is_asked_with_our_headers_and_bounds(theirs: ModuleType) -> None:
    theirs.Theirs.answer = say
    response = get("http://a.example/x", etag='"1"', modified="Sun, 06 Nov 1994 08:49:37 GMT", max_bytes=500)
    assert response.body == b"<p>barley</p>"
    ((url, headers, most),) = theirs.ASKED
    assert (url, most) == ("http://a.example/x", 500)
    assert headers == {
        "User-Agent": "mower/1",
        "Accept": FetchOptions().accept,
        "If-None-Match": '"1"',
        "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
    }
    assert theirs.OPENED == [THEIRS, "closed"]


def test_redirects_are_followed_by_us_each_one_a_new_request(theirs: ModuleType) -> None:
    def answer(url: str) -> Response:
        away = {"status": 302, "headers": (("location", "/y"),)}
        return say(url, b"moved", **away) if url.endswith("/x") else say(url, b"here")

    theirs.Theirs.answer = answer
    response = get("http://a.example/x")
    assert (response.url, response.hops, response.body) == ("http://a.example/y", ("http://a.example/x",), b"here")
    unfollowed = get("http://a.example/x", follow=False)
    assert (unfollowed.status, unfollowed.body) == (302, b"")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://[::1]/", "http://10.1.2.3/", "http://localhost/", "http://0x7f.1/"]
)
def test_no_address_of_a_private_network_reaches_a_fetcher(theirs: ModuleType, url: str) -> None:
    theirs.Theirs.answer = say
    with pytest.raises(FetchFailed, match="not on the public internet"):
        get(url, replace(THEIRS, allow_private=False))
    assert theirs.ASKED == []


def test_a_redirect_to_a_private_network_reaches_no_fetcher(theirs: ModuleType) -> None:
    theirs.Theirs.answer = lambda url: say(url, status=302, headers=(("Location", "http://127.0.0.1/secret"),))
    with pytest.raises(FetchFailed, match="public internet"):
        get("http://93.184.216.34/", replace(THEIRS, allow_private=False))
    assert [url for url, *_ in theirs.ASKED] == ["http://93.184.216.34/"]


def _naive(url: str) -> Response:
    return say(url, fetched_at=datetime.now())


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda url: None, "a Response was expected, not NoneType"),
        (lambda url: say("http://b.example/"), "it went on to http://b.example/ by itself"),
        (lambda url: say(url, status=0), "a status of 0"),
        (lambda url: say(url, body="text"), "a body of str, not of bytes"),
        (_naive, "a time that is not UTC"),
        (lambda url: say(url, fetched_at=datetime.now(timezone(timedelta(hours=2)))), "a time that is not UTC"),
    ],
)
def test_a_fetcher_that_breaks_its_word_fails_the_address_and_not_the_run(
    theirs: ModuleType, answer: Callable[[str], Any], complaint: str
) -> None:
    theirs.Theirs.answer = answer
    with pytest.raises(FetchFailed, match=f"the fetcher broke its contract: {complaint}"):
        get("http://a.example/")


def test_what_is_longer_than_wanted_is_cut_and_says_so(theirs: ModuleType) -> None:
    theirs.Theirs.answer = lambda url: say(url, b"x" * 1_000)
    response = get("http://a.example/", max_bytes=100)
    assert (len(response.body), response.cut_at_bytes, response.why_cut) == (100, 100, "longer than 100 bytes")


def test_times_are_ours_where_a_fetcher_has_none(theirs: ModuleType) -> None:
    theirs.Theirs.answer = say
    began = monotonic()
    response = get("http://a.example/")
    assert began <= response.answered_at <= monotonic()
    assert 0 < response.seconds <= monotonic() - began


def test_a_fetcher_that_takes_too_long_is_given_up(theirs: ModuleType) -> None:
    theirs.Theirs.answer = lambda url: asyncio.sleep(60)
    with pytest.raises(FetchFailed, match="too slow") as failed:
        get("http://a.example/", replace(THEIRS, timeout_s=0.05))
    assert failed.value.retry_after_s is not None


def test_no_more_requests_than_allowed_are_given_to_a_fetcher(theirs: ModuleType) -> None:
    under_way: list[int] = [0, 0]

    async def answer(url: str) -> Response:
        under_way[0] += 1
        under_way[1] = max(under_way)
        await asyncio.sleep(0.005)
        under_way[0] -= 1
        return say(url)

    async def ask() -> None:
        async with open_fetcher(replace(THEIRS, per_host=2)) as fetcher:
            await asyncio.gather(*(fetcher.get(f"http://a.example/{n}") for n in range(9)))

    theirs.Theirs.answer = answer
    asyncio.run(ask())
    assert under_way == [0, 2]


def test_what_a_network_raises_is_a_failure_to_be_tried_again(theirs: ModuleType) -> None:
    def answer(url: str) -> Response:
        raise ConnectionResetError("reset by peer")

    theirs.Theirs.answer = answer
    with pytest.raises(FetchFailed, match="reset by peer") as failed:
        get("http://a.example/")
    assert failed.value.retry_after_s is not None


def test_cookies_and_credentials_go_where_they_belong(theirs: ModuleType) -> None:
    theirs.Theirs.answer = lambda url: say(url, headers=(("set-cookie", "a=1"),))
    options = replace(THEIRS, cookies=True, credentials=(Credentials("http://a.example", "reaper", "s"),))

    async def ask() -> None:
        async with open_fetcher(options) as fetcher:
            for url in ("http://a.example/x", "http://a.example/y", "http://b.example/x"):
                await fetcher.get(url)

    asyncio.run(ask())
    told = [(headers.get("Cookie"), "Authorization" in headers) for _, headers, _ in theirs.ASKED]
    assert told == [(None, True), ("a=1", True), (None, False)]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("other", "unknown fetcher 'other'; expected one of mute, theirs"),
        ("mute", "fetcher 'mute' opens a Mute, which cannot get anything"),
    ],
)
def test_what_is_no_fetcher_is_refused_by_its_name(theirs: ModuleType, name: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        get("http://a.example/", replace(THEIRS, fetcher=name))
