"""Everything hostile by kind and name."""

from collections.abc import Callable, Mapping

from tests.faults import (
    addresses,
    archives,
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


def _text(make: Callable[[int], str]) -> Callable[[int], bytes]:
    return lambda n: make(n).encode("utf-8", "surrogatepass")


PAGES: dict[str, Callable[[int], bytes]] = {
    **{name: _text(make) for name, make in (pages.PAGES | list_pages.PAGES).items()},
    **odd_pages.PAGES,
}
SERVERS = servers.SERVERS
TABLES: dict[str, Mapping[str, Callable[..., object]]] = {
    "page": PAGES,
    "server": SERVERS,
    "address": addresses.ADDRESSES,
    "archive": {**archives.ARCHIVES, **archives.WARCS},
    "profile": {**profiles.PROFILES, **profiles.LABELS},
}


def slug(name: str) -> str:
    """Write a name as it stands in an address or on a command line."""
    return name.replace(" ", "-").replace(",", "")


def find(kind: str, name: str) -> str:
    """Return the name of a hostile thing that may be written with hyphens. Raises KeyError."""
    for known in TABLES[kind]:
        if slug(known) == slug(name):
            return known
    raise KeyError(name)
