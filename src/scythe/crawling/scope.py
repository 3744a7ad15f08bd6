"""Decide which URLs belong to the crawled site."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from scythe.crawling.crawl_options import CrawlOptions
from scythe.errors import BadInput
from scythe.package_files import packaged_text
from scythe.url import normalise, split_host

# what an address ends in that is no page, whatever else it is
OTHER_FILES = frozenset(packaged_text("scythe.crawling", "other_files.txt").split())
ELSEWHERE = "on another host"
TOO_DEEP = "deeper than asked for"
NOT_ALLOWED = "matches no allowed pattern"
DENIED = "matches a denied pattern"
NO_PAGE = "a file that is no page"


@dataclass(frozen=True, slots=True)
class Scope:
    """The hosts, patterns and depth that make a site."""

    site_key: str  # names the site in an archive: the start's host, and port where it is unusual
    hosts: tuple[str, ...]  # that belong to it, as `host_of` writes them
    subdomains: bool = False
    depth: int | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    @classmethod
    def of(cls, start: str, options: CrawlOptions) -> Scope:
        """Make the scope of a crawl. Raises BadInput where `start` is no http(s) address."""
        key = host_of(normalise(start))
        if not key or not start.lower().startswith(("http://", "https://")):
            raise BadInput(f"a crawl starts at an http or https address, not {start!r}")
        return cls(key, (key,), options.subdomains, options.depth, options.allow, options.deny)

    def widen(self, url: str) -> Scope:
        """Return the scope with the host of `url`, to which the start redirected, in it too."""
        host = host_of(url)
        return self if not host or host in self.hosts else replace(self, hosts=(*self.hosts, host))

    def host(self, url: str) -> str:
        """Name what addresses share a pace: their host without `www.`; with subdomains the whole site."""
        host = host_of(url)
        return self.site_key if self.subdomains and self.has_host(host) else host

    def has_host(self, host: str) -> bool:
        """Say whether a host, as `host_of` writes it, belongs to the site."""
        return host in self.hosts or (self.subdomains and any(_is_below(host, own) for own in self.hosts))

    def why_not(self, url: str, depth: int = 0, kind: str = "page") -> str:
        """Return why an address is not to be visited, or an empty string; a start (depth 0) need match no pattern."""
        if not self.has_host(host_of(url)):
            return ELSEWHERE
        if kind != "page" or not depth:
            return ""
        if self.depth is not None and depth > self.depth:
            return TOO_DEEP
        if not may_be_page(url):
            return NO_PAGE
        if self.allow and not _matches(url, self.allow):
            return NOT_ALLOWED
        return DENIED if self.deny and _matches(url, self.deny) else ""


def host_of(url: str) -> str:
    """Return the host that http, https and a leading `www.` have in common, with its port where that is unusual."""
    pieces = url.replace("?", "/", 1).split("/", 3)
    return _fold_place(pieces[2]) if len(pieces) > 2 else ""


@lru_cache(maxsize=4_096)
def _fold_place(place: str) -> str:
    host, port = split_host(f"http://{place}/")
    host = host.removeprefix("www.") if host.count(".") > 1 else host
    host = f"[{host}]" if ":" in host else host
    return host if port is None else f"{host}:{port}"


def may_be_page(url: str) -> bool:
    """Say whether an address may lead to a page, by what its path ends in."""
    _, dot, suffix = urlsplit(url).path.rpartition("/")[2].rpartition(".")
    return not dot or suffix.lower() not in OTHER_FILES


def _is_below(host: str, own: str) -> bool:
    return host.endswith("." + own) and not _is_number(own)


def _is_number(host: str) -> bool:
    try:
        ip_address(host.rpartition(":")[0] or host)
    except ValueError:
        return False
    return True


def _matches(url: str, patterns: tuple[str, ...]) -> bool:
    parts = urlsplit(url)
    path = parts.path or "/"
    forms = (url, path, f"{path}?{parts.query}") if parts.query else (url, path)
    return any(_compiled(pattern).match(form) for pattern in patterns for form in forms)


@lru_cache(maxsize=1_024)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern in which `*` stands for anything; translate writes it so that nothing is tried twice."""
    return re.compile(translate(pattern))
