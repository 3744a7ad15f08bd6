"""What only one origin may see: an address comes in, the headers with its credentials and cookies go out.

Neither goes to robots.txt, which everybody may read, nor through a proxy that could read along.
"""

from __future__ import annotations

from collections.abc import Sequence

from scythe.fetch.cookies import CookieJar
from scythe.fetch.options import FetchOptions
from scythe.fetch.redirects import place_of
from scythe.url import Url


class Secrets:
    """The credentials and cookies of one caller, each bound to its origin."""

    def __init__(self, options: FetchOptions) -> None:
        self._keys = {place_of(item.origin).origin: item.authorization for item in options.credentials}
        self._jar = CookieJar() if options.cookies else None
        self._has_proxy = options.proxy is not None

    def add_to(self, headers: dict[str, str], url: Url) -> dict[str, str]:
        """Return `headers` with what the origin of `url` may see besides."""
        if not self._keys and self._jar is None:
            return headers
        if (self._has_proxy and url.startswith("http:")) or _path(url) == "/robots.txt":
            return headers
        origin = place_of(url).origin
        secret = {
            "Authorization": self._keys.get(origin, ""),
            "Cookie": self._jar.header_for(origin, _path(url)) if self._jar is not None else "",
        }
        return headers | {name: value for name, value in secret.items() if value}

    def keep(self, url: Url, lines: Sequence[str]) -> None:
        """Keep the cookies of an answer, if the caller wants any kept."""
        if self._jar is not None and lines:
            self._jar.keep(place_of(url).origin, _path(url), lines)


def _path(url: str) -> str:
    start = url.find("/", 8)
    return url[start:].partition("?")[0] if start > 0 else "/"
