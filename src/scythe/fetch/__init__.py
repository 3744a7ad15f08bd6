"""Url -> Response: the client, the egress guard and bounded decoding."""

from scythe.fetch.client import fetch, fetch_all
from scythe.fetch.credentials import Credentials
from scythe.fetch.fetcher import Fetcher, open_fetcher
from scythe.fetch.judge import require_page
from scythe.fetch.options import FetchOptions
from scythe.fetch.redirects import redirect_target

__all__ = [
    "Credentials",
    "FetchOptions",
    "Fetcher",
    "fetch",
    "fetch_all",
    "open_fetcher",
    "redirect_target",
    "require_page",
]
