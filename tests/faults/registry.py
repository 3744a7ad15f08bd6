"""Everything hostile in one list: each thing has a kind, a name and one sentence that says what is hostile about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.faults import (
    addresses,
    archives,
    certificates,
    list_pages,
    odd_pages,
    pages,
    profiles,
    servers,
    servers_bombs,
    servers_lying,
    servers_sites,
    servers_slow,
)

USED = (servers_bombs, servers_lying, servers_sites, servers_slow)  # these put their servers into servers.SERVERS


@dataclass(frozen=True, slots=True)
class Hostile:
    """One hostile thing."""

    kind: str
    name: str
    says: str

    @property
    def slug(self) -> str:
        """Its name in an address or on a command line."""
        return slug(self.name)


def slug(name: str) -> str:
    """Write a name without spaces."""
    return name.replace(" ", "-").replace(",", "")


def _text(make: Callable[[int], str]) -> Callable[[int], bytes]:
    return lambda n: make(n).encode("utf-8", "surrogatepass")


PAGES: dict[str, Callable[[int], bytes]] = {
    **{name: _text(make) for table in (pages.PAGES, list_pages.PAGES) for name, make in table.items()},
    **odd_pages.PAGES,
}
SERVERS = servers.SERVERS
ADDRESSES = addresses.ADDRESSES
ARCHIVES: dict[str, Callable[[Path], Path]] = {**archives.ARCHIVES, **archives.WARCS}
PROFILES: dict[str, Callable[[], bytes]] = {**profiles.PROFILES, **profiles.LABELS}
CERTIFICATES = certificates.CERTIFICATES

_SAYS = {
    "page": {**pages.SAYS, **list_pages.SAYS, **odd_pages.SAYS},
    "server": servers.SAYS,
    "address": addresses.SAYS,
    "archive": archives.SAYS,
    "profile": profiles.SAYS,
    "certificate": certificates.SAYS,
}
TABLES: dict[str, Mapping[str, object]] = {
    "page": PAGES,
    "server": SERVERS,
    "address": ADDRESSES,
    "archive": ARCHIVES,
    "profile": PROFILES,
    "certificate": CERTIFICATES,
}
KINDS = tuple(TABLES)


def everything(kind: str = "") -> Iterator[Hostile]:
    """Yield all hostile things, or those of one kind."""
    for each, table in TABLES.items():
        if kind in ("", each):
            yield from (Hostile(each, name, _SAYS[each][name]) for name in table)


def find(kind: str, name: str) -> str:
    """Return the name of a hostile thing that may be written with hyphens. Raises KeyError."""
    found = _SLUGS.get((kind, slug(name)))
    if found is None:
        raise KeyError(name)
    return found


_SLUGS = {(one.kind, one.slug): one.name for one in everything()}
