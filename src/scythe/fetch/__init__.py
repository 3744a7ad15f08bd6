"""Fetch URLs: HTTP client, guard against private addresses, bounded decoding, robots.txt and browser rendering."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scythe.fetch.client import fetch as fetch
    from scythe.fetch.client import fetch_all as fetch_all
    from scythe.fetch.fetch_options import Credentials as Credentials
    from scythe.fetch.fetch_options import FetchOptions as FetchOptions
    from scythe.fetch.fetcher import Fetcher as Fetcher
    from scythe.fetch.fetcher import open_fetcher as open_fetcher
    from scythe.fetch.page_check import require_page as require_page
    from scythe.fetch.redirects import redirect_target as redirect_target

_LATER = {
    "Credentials": "scythe.fetch.fetch_options",
    "FetchOptions": "scythe.fetch.fetch_options",
    "Fetcher": "scythe.fetch.fetcher",
    "fetch": "scythe.fetch.client",
    "fetch_all": "scythe.fetch.client",
    "open_fetcher": "scythe.fetch.fetcher",
    "redirect_target": "scythe.fetch.redirects",
    "require_page": "scythe.fetch.page_check",
}


def __getattr__(name: str) -> object:
    """Import the client only when it is asked for: processes that parse pages read feeds, and need no network."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'scythe.fetch' has no attribute {name!r}")
