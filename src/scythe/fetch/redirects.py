"""Where an answer leads: addresses and Location headers come in, addresses that may be asked go out."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from scythe.errors import FetchFailed
from scythe.model import Response
from scythe.url import Url, absolute

REDIRECTS = frozenset({301, 302, 303, 307, 308})


def start_of(url: str) -> Url:
    """Return an address a caller named as it is asked for. Raises `FetchFailed` when it cannot be."""
    address = absolute(url)
    if address is None:
        raise FetchFailed(url, "not an http or https address; write it out, such as https://example.org/page")
    if "@" in urlsplit(address).netloc:
        raise FetchFailed(without_user(address), "addresses with a user name or password are not fetched")
    return without_fragment(address)


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


def without_user(url: Url) -> Url:
    """Drop user name and password: nothing a redirect names is ever sent as a credential."""
    if "@" not in url:
        return url
    parts = urlsplit(url)
    return Url(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))


def without_fragment(url: Url) -> Url:
    """Drop what only a reader's browser would use."""
    return Url(url.partition("#")[0]) if "#" in url else url
