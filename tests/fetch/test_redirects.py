"""A hundred Location values: each is followed to the one address it names, or refused with the reason."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from tests.faults.addresses import NO_ADDRESSES, OTHER_SCHEMES

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, fetch, redirect_target
from scythe.fetch.redirects import start_of
from scythe.model import Response
from scythe.url import Url

from .server import page, serve

HERE = Url("https://example.org/a/b?c=d")
OPEN = FetchOptions(allow_private=True, timeout_s=20)

FOLLOWED = {
    "https://example.org/x": "https://example.org/x",
    "http://example.org/x": "http://example.org/x",
    "HTTPS://example.org/x": "https://example.org/x",
    "hTTp://Example.ORG/x": "http://Example.ORG/x",
    "//other.example/x": "https://other.example/x",
    "//other.example": "https://other.example",
    "/x": "https://example.org/x",
    "/": "https://example.org/",
    "x": "https://example.org/a/x",
    "./x": "https://example.org/a/x",
    "../x": "https://example.org/x",
    "../../../x": "https://example.org/x",
    "?q=1": "https://example.org/a/b?q=1",
    "#part": "https://example.org/a/b?c=d",
    "/x#part": "https://example.org/x",
    "/x?y#z": "https://example.org/x?y",
    " /x ": "https://example.org/x",
    "\t/x\t": "https://example.org/x",
    "/a b": "https://example.org/a%20b",
    "/a%20b": "https://example.org/a%20b",
    "/a<b>c": "https://example.org/a%3Cb%3Ec",
    '/a"b': "https://example.org/a%22b",
    "/a|b^c`d{e}": "https://example.org/a%7Cb%5Ec%60d%7Be%7D",
    "/a\\b": "https://example.org/a%5Cb",
    "\\x": "https://example.org/a/%5Cx",
    "/\\evil.example/x": "https://example.org/%5Cevil.example/x",
    "/a\x01b": "https://example.org/a%01b",
    "/a\x7fb": "https://example.org/a%7Fb",
    "/a\x1bb": "https://example.org/a%1Bb",
    "/%00": "https://example.org/%00",
    "/%zz": "https://example.org/%zz",
    "/%": "https://example.org/%",
    "/%E9": "https://example.org/%E9",
    "/;a=b": "https://example.org/;a=b",
    "/a:b": "https://example.org/a:b",
    "./a:b": "https://example.org/a/a:b",
    "/a@b": "https://example.org/a@b",
    "/?u=http://x/": "https://example.org/?u=http://x/",
    "https://user@example.org/x": "https://example.org/x",
    "https://user:secret@example.org/x": "https://example.org/x",
    "https://user:se%40cret@example.org:8443/x": "https://example.org:8443/x",
    "https://a@b@example.org/x": "https://example.org/x",
    "//user:secret@other.example/x": "https://other.example/x",
    "https://@example.org/x": "https://example.org/x",
    "https://example.org:443/x": "https://example.org:443/x",
    "https://example.org:8443": "https://example.org:8443",
    "https://example.org:/x": "https://example.org:/x",
    "http://[2001:db8::1]/x": "http://[2001:db8::1]/x",
    "http://[2001:db8::1]:80/x": "http://[2001:db8::1]:80/x",
    "http://127.0.0.1/": "http://127.0.0.1/",  # refused by the guard where the socket is made, not here
    "http://2130706433/": "http://2130706433/",
    "https://example.org./x": "https://example.org./x",
    "https:///x": "https://example.org/x",
    "https://": "https://example.org/a/b?c=d",
    "//": "https://example.org/a/b?c=d",
    "http://[v1.x]/": "http://[v1.x]/",  # nobody can dial it
    "https://example.org?x": "https://example.org?x",
    "https://example.org#x": "https://example.org",
    "https:x": "https://example.org/a/x",
    "https:/x": "https://example.org/x",
    "/" + "x" * 8_000: "https://example.org/" + "x" * 8_000,
}
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
