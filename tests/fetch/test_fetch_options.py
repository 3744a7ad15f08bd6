import asyncio

import pytest

from scythe.errors import BadInput, FetchFailed
from scythe.fetch import Credentials, FetchOptions, open_fetcher
from scythe.fetch.fetch_options import origin_of
from scythe.model import Response

from .server import by_path, page, serve

BASIC = "Basic dXNlcjpwYXNz"


def walk(urls: list[str], *credentials: Credentials) -> list[Response]:
    async def work() -> list[Response]:
        async with open_fetcher(FetchOptions(allow_private=True, credentials=credentials)) as fetcher:
            return [await fetcher.get(url) for url in urls]

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://example.org", "https://example.org:443"),
        ("https://Example.ORG/path", "https://example.org:443"),
        ("http://example.org:80/", "http://example.org:80"),
        ("http://example.org:8080?x", "http://example.org:8080"),
        ("https://[2001:DB8::1]/", "https://2001:db8::1:443"),
        ("ftp://example.org", ""),
        ("example.org", ""),
        ("https://", ""),
        ("https://example.org:99999", ""),
        ("https://[", ""),
    ],
)
def test_an_origin_is_spelled_in_one_way(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "example.org", "user": "a"},
        {"origin": "https://example.org"},
        {"origin": "https://example.org", "user": "a:b"},
        {"origin": "https://example.org", "header": "Bearer x\r\nX: y"},
    ],
)
def test_credentials_that_cannot_be_meant_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(BadInput) as caught:
        Credentials(**wrong)
    assert "Bearer" not in str(caught.value)


def test_a_password_is_not_shown() -> None:
    shown = repr(
        FetchOptions(credentials=(Credentials("https://h", "user", "hush"), Credentials("https://i", header="hush")))
    )
    assert "user" in shown
    assert "hush" not in shown


@pytest.mark.fault
def test_credentials_go_to_their_origin_and_no_other() -> None:
    with serve(by_path({"/in": page(b"")}), address="127.0.0.2") as other_host:
        leave = page(b"", f"Location: {other_host.url('/in')}", status="302 Found")
        with serve(by_path({"/out": leave, "/in": page(b"")})) as other_port:
            first = page(b"", f"Location: {other_port.url('/out')}", status="302 Found")
            pages = {
                "/": first,
                "/x": page(b""),
                "/robots.txt": page(b""),
                "/y": page(b"", "Location: /x", status="302 Found"),
            }
            with serve(by_path(pages)) as server:
                urls = [server.url(path) for path in ("/x", "/", "/robots.txt", "/y")] + [other_port.url("/in")]
                walk(urls, Credentials(server.url(), "user", "pass"))
    assert server.seen("Authorization") == [BASIC, BASIC, "", BASIC, BASIC]
    assert other_port.seen("Authorization") == ["", ""]
    assert other_host.seen("Authorization") == [""]


@pytest.mark.fault
def test_a_header_can_be_given_instead_of_a_password() -> None:
    with serve(by_path({"/": page(b"")})) as server:
        walk([server.url()], Credentials(server.url(), header="Bearer abc"))
    assert server.seen("Authorization") == ["Bearer abc"]


@pytest.mark.fault
def test_credentials_in_the_address_a_redirect_names_are_not_used() -> None:
    with serve(by_path({"/in": page(b"ok")})) as server:
        location = server.url("/in").replace("127", "user:pass@127")
        with serve(by_path({"/": page(b"", f"Location: {location}", status="302 Found")})) as first:
            responses = walk([first.url()])
    assert responses[0].url == server.url("/in")
    assert server.seen("Authorization") == [""]


def test_an_address_with_credentials_is_refused_without_repeating_them() -> None:
    with pytest.raises(FetchFailed) as caught:
        walk(["https://user:hush@example.org/x"])
    assert "user name or password" in caught.value.why
    assert "hush" not in str(caught.value)
