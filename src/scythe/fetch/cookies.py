"""Cookies and credentials, each sent only to the exact origin it belongs to.

A cookie returns to the scheme, host and port it came from, whatever domain it asks for, so no list of public suffixes
is needed. Nothing is sent to robots.txt, or through a proxy that could read it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import time

from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.page_check import mail_moment
from scythe.fetch.redirects import place_of
from scythe.limits import LIMITS
from scythe.url import Url


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie as its server set it."""

    name: str
    value: str
    path: str = "/"
    until: float | None = None  # seconds of the wall clock; None: as long as the jar lives


class CookieJar:
    """The cookies of many origins, bounded in number and size; what does not fit pushes out the oldest."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._origins: OrderedDict[str, OrderedDict[tuple[str, str], Cookie]] = OrderedDict()

    def keep(self, origin: str, path: str, lines: Iterable[str]) -> None:
        """Take the Set-Cookie lines of one answer to a request for `path` of `origin`."""
        for line in lines:
            cookie = read_cookie(line, path, self._clock())
            if cookie is None:
                continue
            kept = self._origins.setdefault(origin, OrderedDict())
            kept.pop((cookie.name, cookie.path), None)
            if cookie.until is None or cookie.until > self._clock():
                kept[cookie.name, cookie.path] = cookie
            while len(kept) > LIMITS.origin_cookies:
                kept.popitem(last=False)
            self._origins.move_to_end(origin)
            while len(self._origins) > LIMITS.cookie_origins:
                self._origins.popitem(last=False)

    def header_for(self, origin: str, path: str) -> str:
        """Return the Cookie header for `path` of exactly `origin`, or an empty string."""
        kept = self._origins.get(origin)
        if not kept:
            return ""
        now = self._clock()
        for key in [key for key, cookie in kept.items() if cookie.until is not None and cookie.until <= now]:
            del kept[key]
        chosen = [cookie for cookie in kept.values() if _is_below(path, cookie.path)]
        chosen.sort(key=lambda cookie: -len(cookie.path))  # RFC 6265, 5.4: longer paths first
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in chosen)


def read_cookie(line: str, path: str, now: float) -> Cookie | None:
    """Read one Set-Cookie line, or return None for what no browser would keep."""
    if len(line) > LIMITS.cookie_bytes or not line.isascii() or not line.isprintable():
        return None
    pair, *attributes = line.split(";")
    name, equals, value = pair.partition("=")
    name = name.strip()
    if not equals or not name:
        return None
    said = {key.strip().lower(): text.strip() for key, _, text in (item.partition("=") for item in attributes)}
    place = said.get("path", "")
    if not place.startswith("/"):
        place = path.rpartition("/")[0] or "/"
    age = said.get("max-age", "")
    until = now + int(age[:12]) if age.removeprefix("-").isdigit() else _moment(said.get("expires", ""))
    return Cookie(name, value.strip(), place, until)


def _moment(text: str) -> float | None:
    moment = mail_moment(text.replace("-", " "))  # Netscape's dates have hyphens
    return moment.timestamp() if moment else None


def _is_below(path: str, place: str) -> bool:
    return path.startswith(place) and (place.endswith("/") or path[len(place) : len(place) + 1] in ("", "/"))


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
