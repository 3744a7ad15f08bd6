"""Resolve redirects and `Location` headers, and compare origins."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from scythe.errors import FetchFailed
from scythe.fetch.fetch_options import origin_of
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url, absolute, host, without_user

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# addresses as a crawl holds them, which need no work: the general way takes 16 us each
_PLAIN = re.compile(r"(https?://[a-z0-9.-]++(?::[0-9]{1,5}+)?+)/[!$-;=?-\[\]_a-z~]*+")


class Origin(NamedTuple):
    """Who is asked for an address: the host whose turn it takes, and the origin that secrets are bound to."""

    host: str
    origin: str


def start_of(url: str) -> Url:
    """Return an address a caller named as it is asked for. Raises `FetchFailed` when it cannot be."""
    plain = _PLAIN.fullmatch(url)
    if plain and len(url) <= LIMITS.url_chars and place_of(url).origin:
        return Url(url)
    address = absolute(url)
    if address is None:
        raise FetchFailed(url[:200], "not an http or https address; write it out, such as https://example.org/page")
    if "@" in urlsplit(address).netloc:
        raise FetchFailed(without_user(address), "addresses with a user name or password are not fetched")
    return without_fragment(address)


def place_of(url: str) -> Origin:
    """Return who is asked for an absolute address."""
    end = url.find("/", 8)
    return _place(url if end < 0 else url[:end])


@lru_cache(maxsize=1024)
def _place(head: str) -> Origin:
    return Origin(host(head), origin_of(head))


def redirect_target(response: Response) -> Url | None:
    """Return where a response sends its reader; None when it does not. Raises `FetchFailed` when it leads nowhere."""
    if response.status not in REDIRECTS:
        return None
    location = next((value for name, value in response.headers if name.lower() == "location"), None)
    if location is None:
        return None
    target = absolute(location, response.url)
    if target is None:
        raise FetchFailed(response.url, "redirects to something that is not an http or https address")
    return without_fragment(without_user(target))


def without_fragment(url: Url) -> Url:
    """Drop what only a reader's browser would use."""
    return Url(url.partition("#")[0]) if "#" in url else url
