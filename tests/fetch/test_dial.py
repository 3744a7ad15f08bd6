"""An address is dialled in one spelling, and nobody reads another host in it."""

import pytest

from scythe.errors import FetchFailed
from scythe.fetch.fetcher import dialled

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
