"""An address is dialled in one spelling, and nobody reads another host in it."""

from __future__ import annotations

import asyncio
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from aiohttp.abc import ResolveResult
from yarl import URL

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions, guard
from scythe.fetch.fetcher import dialled, open_fetcher
from scythe.url import absolute

from .odd_urls import odd_urls

SPELLINGS = [
    ("http://example.org", "http://example.org"),
    ("http://example.org/a?b=c", "http://example.org/a?b=c"),
    ("https://EXAMPLE.org/A", "https://example.org/A"),
    ("http://example.org:/", "http://example.org/"),
    ("http://example.org:8080/x", "http://example.org:8080/x"),
    ("http://example.org:65535/", "http://example.org:65535/"),
    ("http://example.org:0080/", "http://example.org:80/"),
    ("http://user:secret@example.org/", "http://example.org/"),
    ("http://a_b.example/", "http://a_b.example/"),
    ("http://example.org./x", "http://example.org./x"),  # written out in full, as DNS has it
    ("http://faß.de/", "http://xn--fa-hia.de/"),
    ("http://例え.jp/é", "http://xn--r8jz45g.jp/é"),
    ("http://i❤.ws/", "http://xn--i-7iq.ws/"),
    ("http://１２７.0.0.1/", "http://127.0.0.1/"),
    ("http://127。0。0。1/", "http://127.0.0.1/"),
    ("http://ⓔxample.org/", "http://example.org/"),
    ("http://[::1]/", "http://[::1]/"),
    ("http://[0:0:0:0:0:0:0:1]:81/", "http://[::1]:81/"),
    ("http://[FE80::A]/", "http://[fe80::a]/"),
]
REFUSED = """
http://[fe80::1%25eth0]/ http://[v1.a]/ http://[::1]a/ http://[::1.2.3]/ http://a%20b/ http://%31.0.0.1/ http://a,b/
http://a;b.example/ http://a..b/ http://a../ http://.a/ http://a*b/ http://[::1/ http://⒈.org/ http://a:99999/ http://a:b/
http:///x http://xn--\udc80/ x
""".split()


@pytest.mark.parametrize(("url", "spelled"), SPELLINGS)
def test_an_address_is_spelled_in_one_way(url: str, spelled: str) -> None:
    assert dialled(url) == spelled
    assert dialled(spelled) == spelled


@pytest.mark.parametrize("url", REFUSED)
def test_a_host_that_cannot_be_spelled_is_not_dialled(url: str) -> None:
    with pytest.raises(FetchFailed, match="host"):
        dialled(url)


@pytest.mark.parametrize("port", [0, 1, 22, 25, 53, 110, 143, 465, 587, 993, 3306, 5432, 6379, 6667, 10080, 11211])
def test_services_that_are_no_web_servers_are_not_asked(port: int) -> None:
    with pytest.raises(FetchFailed, match=f"port {port} "):
        dialled(f"http://example.org:{port}/")


@pytest.mark.parametrize("port", [80, 81, 443, 591, 3000, 5000, 8000, 8008, 8080, 8443, 9000, 49152])
def test_ports_of_web_servers_are_asked(port: int) -> None:
    assert dialled(f"http://example.org:{port}/") == f"http://example.org:{port}/"


def host_and_port(text: str) -> tuple[str, int] | None:
    """Check that our reading of an address is that of the library that dials, and return it; None: not dialled."""
    url = absolute(text)
    if url is None:
        return None
    try:
        spelled = dialled(url)
    except FetchFailed:
        return None
    ours = urlsplit(spelled)
    port = ours.port or {"http": 80, "https": 443}[ours.scheme]
    for is_encoded in (True, False):
        theirs = URL(spelled, encoded=is_encoded)
        assert theirs.user is None
        assert theirs.scheme == ours.scheme
        assert theirs.port == port, (text, spelled)
        if ":" in (ours.hostname or ""):
            assert ip_address(theirs.raw_host or "") == ip_address(ours.hostname or "")
        else:
            assert theirs.raw_host == ours.hostname, (text, spelled)
    return ours.hostname or "", port


def test_of_20_000_odd_addresses_each_has_one_host() -> None:
    hosts = [host_and_port(text) for text in odd_urls(20_000, seed=1)]
    assert sum(host is not None for host in hosts) > 2_000
    assert len(set(hosts)) > 200


@pytest.mark.soak
def test_of_a_million_odd_addresses_each_has_one_host() -> None:
    assert sum(host_and_port(text) is not None for text in odd_urls(1_000_000, seed=2)) > 100_000


def test_the_host_judged_is_the_host_dialled(monkeypatch: pytest.MonkeyPatch) -> None:
    """All the way through the client: what reaches the look-up or the socket is what `dialled` says."""
    reached: list[tuple[str, int]] = []

    async def look_up(host: str, port: int) -> list[ResolveResult]:
        reached.append((host.rstrip("."), port))
        raise OSError("nobody")

    def judge(address: str) -> str:
        reached.append((address, 0))
        return "nobody is dialled here"

    monkeypatch.setattr(guard, "why_closed", judge)
    monkeypatch.setattr(guard, "why_closed_name", lambda name: None)

    async def ask(text: str) -> tuple[str, int] | None:
        reached.clear()
        with pytest.raises(FetchFailed):
            await fetcher.get(text)
        return reached[0] if reached else None

    async def compare() -> int:
        nonlocal fetcher
        count = 0
        async with open_fetcher(FetchOptions(timeout_s=20.0), look_up=look_up) as fetcher:
            for text in odd_urls(20_000, seed=3):
                expected = host_and_port(text)
                found = await ask(text)
                if found is None:
                    continue
                assert expected is not None, text
                count += 1
                is_number = found[1] == 0
                assert found[0] == expected[0].rstrip("."), text
                assert is_number or found[1] == expected[1], text
        return count

    fetcher = None  # type: ignore[assignment]
    assert asyncio.run(compare()) > 1_000
