"""A hundred Location values: each is followed to the one address it names, or refused with the reason."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.faults.addresses import NO_ADDRESSES, OTHER_SCHEMES
from tests.tables import rows

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch, redirect_target
from scythe.fetch.redirects import start_of
from scythe.model import Response
from scythe.url import Url

from .server import page, serve

HERE = Url("https://example.org/a/b?c=d")
OPEN = FetchOptions(allow_private=True, timeout_s=20)

FOLLOWED = dict(rows(Path(__file__).with_name("redirects.jsonl")))  # those inside are refused where the socket is made
FOLLOWED["/" + "x" * 8_000] = "https://example.org/" + "x" * 8_000
REFUSED = [*OTHER_SCHEMES, *NO_ADDRESSES]


def answer(location: str) -> Response:
    return Response(HERE, 302, (("Server", "x"), ("location", location)), b"", datetime.now(UTC))


@pytest.mark.parametrize(("location", "target"), FOLLOWED.items(), ids=lambda value: value[:40])
def test_a_location_names_one_address(location: str, target: str) -> None:
    assert redirect_target(answer(location)) == target
    assert start_of(target) == target


@pytest.mark.parametrize("location", REFUSED, ids=lambda value: value[:40])
def test_a_location_that_is_no_web_address_is_refused_with_the_reason(location: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        redirect_target(answer(location))
    assert caught.value.why == "redirects to something that is not an http or https address"
    assert len(str(caught.value)) < 200


def test_the_table_is_long_enough() -> None:
    assert len(FOLLOWED) + len(REFUSED) >= 100


@pytest.mark.fault
def test_ten_thousand_different_redirects_stop_at_ten() -> None:
    async def onwards(path: str) -> AsyncIterator[bytes]:
        yield page(b"", f"Location: /{int(path[1:] or 0) + 1}", status="302 Found")

    with serve(onwards) as server, pytest.raises(FetchFailed) as caught:
        fetch(server.url("/0"), options=OPEN)
    assert caught.value.why == "more than 10 redirects"
    assert [head.split(" ")[1] for head in server.heads] == [f"/{n}" for n in range(11)]


@pytest.mark.fault
@pytest.mark.parametrize(
    "location", [b"/caf\xe9", b"/\xff\xfe", b"/a\x00b", b"http://\xff\xfe/", b"/" + b"x" * 1_000_000]
)
def test_raw_bytes_in_a_location_end_in_an_address_or_a_reason(location: bytes) -> None:
    async def once(path: str) -> AsyncIterator[bytes]:
        if path == "/":
            yield b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"
        else:
            yield page(path.encode())

    with serve(once) as server:
        if location.startswith((b"/caf", b"/\xff")):
            response = fetch(server.url(), options=OPEN)
            assert response.body in (b"/caf%E9", b"/%FF%FE")
        else:
            with pytest.raises(FetchFailed) as caught:
                fetch(server.url(), options=OPEN)
            assert len(caught.value.why) < 300
