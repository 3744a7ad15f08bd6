"""Ask through a fetcher of another package: its name comes in, what asks goes out; what it returns is made sure of.

Which addresses may be asked, when, how many at once, for how long and what follows a redirect is decided as ever. The
package does one exchange at a time, and a run goes on where it breaks its word: the address counts as failed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from time import monotonic

from scythe.errors import BadInput, FetchFailed
from scythe.fetch.options import FetchOptions
from scythe.model import Response
from scythe.plug_ins import Exchange, load_function
from scythe.url import Url

KIND = "fetcher"


@asynccontextmanager
async def open_exchange(options: FetchOptions) -> AsyncIterator[Exchange]:
    """Open the fetcher that the options name. Raises BadInput where nobody offers it."""
    async with load_function(KIND, options.fetcher)(options) as exchange:
        if not callable(getattr(exchange, "get", None)):
            raise BadInput(f"fetcher {options.fetcher!r} opens a {type(exchange).__name__}, which cannot get anything")
        yield exchange


def make_sure(url: Url, response: Response, began: float, max_bytes: int) -> Response:
    """Return what an exchange brought with times that are set and no more bytes than wanted.

    Raises FetchFailed where it is no answer to what was asked.
    """
    why = _why_wrong(url, response)
    if why:
        raise FetchFailed(url, f"the fetcher broke its word: {why}")
    now = monotonic()
    if not began <= response.answered_at <= now:
        response = replace(response, answered_at=now)
    if len(response.body) > max_bytes:
        why = f"longer than {max_bytes} bytes"
        response = replace(response, body=response.body[:max_bytes], cut_at_bytes=max_bytes, why_cut=why)
    return replace(response, seconds=now - began, hops=())


def _why_wrong(url: Url, response: object) -> str:
    """Say what makes a response none, or nothing."""
    if not isinstance(response, Response):
        return f"a Response was expected, not {type(response).__name__}"
    if response.url != url:
        return f"it went on to {response.url} by itself"
    if not 200 <= response.status <= 999:
        return f"a status of {response.status}"
    if type(response.body) is not bytes:
        return f"a body of {type(response.body).__name__}, not of bytes"
    if response.fetched_at.utcoffset() != timedelta(0):
        return "a time that is not UTC"
    return ""
