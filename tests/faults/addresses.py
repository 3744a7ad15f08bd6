"""Hostile addresses by name: each group is a list of addresses that must be refused, or must lead to one place only."""

from collections.abc import Callable

from tests.fetch.odd_urls import odd_urls
from tests.fetch.trap import METADATA, NAMES, disguises, spell

Make = Callable[[int], list[str]]  # the port of the trap that nothing may reach -> addresses

# what no redirect, link or image may lead to: other schemes, and what is no address at all
OTHER_SCHEMES = """
ftp://example.org/ file:///etc/passwd file:/etc/passwd FILE:///etc/passwd file://localhost/etc/passwd s3://bucket/key
source:file:///etc/passwd data:text/html,<p>x data:,x javascript:alert(1) JavaScript:alert(1) mailto:a@b tel:+1
about:blank blob:https://example.org/1 ws://example.org/ wss://example.org/ gopher://example.org/ ldap://example.org/
dict://example.org:11211/ sftp://example.org/ ssh://h jar:http://example.org!/x view-source:http://example.org/
chrome://settings res://x urn:a:b netdoc:///etc/passwd expect://id php://filter/resource=x unix:///run/docker.sock
""".split()
NO_ADDRESSES = [
    *("", " ", "http://", "http:///", "http://:80/", "http://@/", "http://user@/", "http://user:pass@:80/"),
    *("http://[::1", "http://::1]/", "http://[x]/", "http://[]/", "http://[1:2]/", "java\tscript:alert(1)"),
    *("http://example.org:99999/", "http://example.org:-1/", "http://example.org:x/", "http://example.org:80:80/"),
    *("http://exa\uff0emple\u2100.org/", "/" + "x" * 9_000, "http://example.org/" + "x" * 1_000_000),
]
INSIDE = """
10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 100.127.255.255 169.254.1.1 192.0.0.8
192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 0.1.2.3
[fc00::1] [fd12:3456::1] [fe80::1] [fec0::1] [ff02::1] [2001:db8::1] [100::1] [3fff::1] [5f00::1] [::]
[64:ff9b::a00:1] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::] [2002:a00:1::] [::a9fe:a9fe] [::ffff:10.0.0.1]
""".split()


def _http(hosts: list[str] | set[str]) -> Make:
    return lambda port: [f"http://{host}:{port}/" for host in sorted(hosts)]


ADDRESSES: dict[str, Make] = {
    "names of this machine": _http(NAMES),
    "spellings of loopback": _http(spell(127, 0, 0, 1)),
    "spellings of another loopback": _http(spell(127, 9, 8, 7)),
    "spellings of metadata": _http(spell(169, 254, 169, 254)),
    "metadata services": _http(METADATA),
    "private networks": _http(INSIDE),
    "disguises": disguises,
    "other schemes": lambda port: OTHER_SCHEMES,
    "no addresses": lambda port: NO_ADDRESSES,
    "odd addresses": lambda port: list(odd_urls(500, 1)),
}
