"""Url -> Response: the client, the egress guard and bounded decoding."""

from scythe.fetch.client import FetchOptions, fetch, fetch_all
from scythe.fetch.judge import require_page

__all__ = ["FetchOptions", "fetch", "fetch_all", "require_page"]
