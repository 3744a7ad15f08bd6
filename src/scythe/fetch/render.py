"""Render pages in a browser: `open_renderer` gives a fetcher whose bodies are pages after their scripts have run.

The browser has no network access; the client fetches the page and everything it requests. What is not a page (a file,
an error, a redirect, a truncated body) is returned as it came.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from scythe.errors import FetchFailed, MissingExtra
from scythe.fetch.failures import too_slow
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.page_check import header, other_than_page
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url

if TYPE_CHECKING:
    from scythe.fetch.browser import Browser, RenderedPage

MARK = "Scythe-Rendered"  # the header of a rendered Response: which browser, and what the page asked for
_PAGES = ("text/html", "application/xhtml+xml")
# They speak of the document as it came; what a script made of it may change while they stay the same.
_OF_THE_SOURCE = frozenset({"content-type", "content-length", "content-encoding", "etag", "last-modified"})

Permit = Callable[[Url], Awaitable[bool]]


class PageGetter(Protocol):
    """What fetches for the browser: our guarded client."""

    async def get(
        self, url: str, *, follow: bool = True, accept: str | None = None, max_bytes: int | None = None
    ) -> Response: ...


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How pages are rendered."""

    pages: int = 2  # open at once
    permit: Permit | None = None  # asked before a page's own requests, for robots.txt and the pace of its host


@asynccontextmanager
async def open_renderer(
    fetcher: PageGetter, options: FetchOptions, rendering: RenderOptions | None = None
) -> AsyncIterator[Renderer]:
    """Start a browser that fetches through `fetcher`. Raises `MissingExtra` where there is none that starts."""
    try:
        from scythe.fetch.browser import Browser
    except ImportError:
        raise MissingExtra("rendering needs playwright: pip install 'webscythe[browser]'") from None
    async with Browser(options.agent) as browser:
        yield Renderer(fetcher, browser, options, rendering or RenderOptions())


class Renderer:
    """Get pages as a browser shows them, with the signature of the client that it fetches through."""

    def __init__(self, fetcher: PageGetter, browser: Browser, options: FetchOptions, rendering: RenderOptions) -> None:
        self._fetcher = fetcher
        self._browser = browser
        self._options = options
        self._permit = rendering.permit
        self._turn = asyncio.Semaphore(rendering.pages)

    async def get(
        self,
        url: str,
        *,
        etag: str = "",
        modified: str = "",
        follow: bool = True,
        accept: str | None = None,
        max_bytes: int | None = None,
    ) -> Response:
        """Fetch and render `url` within the deadline. Raises `FetchFailed`.

        A script that leads elsewhere is a redirect (302). `etag` and `modified` are not sent: a page whose document
        is the same may show something else.
        """
        async with self._turn:
            began = monotonic()
            try:
                async with asyncio.timeout(self._options.timeout_s):
                    response = await self._follow(Url(url), follow, accept, max_bytes or self._options.max_bytes)
            except TimeoutError:
                raise too_slow(Url(url), self._options.timeout_s) from None
            return replace(response, seconds=monotonic() - began)

    async def _follow(self, url: Url, follow: bool, accept: str | None, max_bytes: int) -> Response:
        hops: tuple[Url, ...] = ()
        for _ in range(self._options.max_redirects + 1):
            source = await self._fetcher.get(url, follow=follow, accept=accept, max_bytes=max_bytes)
            hops += source.hops
            shown = await self._render(source, max_bytes) if is_page(source) else source
            target = header(shown, "Location") if shown is not source and shown.status == 302 else ""
            if not target or not follow:
                return replace(shown, hops=hops)
            hops += (shown.url,)
            url = Url(target)
        raise FetchFailed(url, f"more than {self._options.max_redirects} redirects")

    async def _render(self, source: Response, max_bytes: int) -> Response:
        from scythe.fetch.browser import Bounds, Traffic

        load_s = self._options.timeout_s / 2
        bounds = Bounds(min(max_bytes, LIMITS.body_bytes), load_s, rest_s=min(LIMITS.render_rest_s, load_s / 2))
        traffic = Traffic(source, self._fetcher, self._permit, self._browser.shelf)
        try:
            loaded = await self._browser.load(traffic, bounds)
        finally:
            await traffic.stop()
        mark = f"{self._browser.version}; requests={traffic.requests}; bytes={traffic.bytes}; refused={traffic.refused}"
        if traffic.requests:  # whoever keeps a pause counts it from the last thing that was asked for
            source = replace(source, answered_at=monotonic())
        if traffic.leads_to:
            return replace(source, status=302, headers=(("Location", traffic.leads_to), (MARK, mark)), body=b"")
        return _shown(source, loaded, mark)


def is_page(response: Response) -> bool:
    """Tell whether a response is a whole page that a browser can show."""
    if not 200 <= response.status < 300 or response.cut_at_bytes is not None or not response.body:
        return False
    content_type = header(response, "Content-Type")
    if content_type.partition(";")[0].strip().lower() not in (*_PAGES, ""):
        return False
    return not other_than_page(response.body, content_type)


def _shown(source: Response, loaded: RenderedPage, mark: str) -> Response:
    kept = tuple((name, value) for name, value in source.headers if name.lower() not in _OF_THE_SOURCE)
    headers = (*kept, ("Content-Type", "text/html; charset=utf-8"), (MARK, mark))
    if not loaded.is_cut:
        return replace(source, headers=headers, body=loaded.body)
    why = f"the page as shown is longer than {len(loaded.body)} bytes"
    return replace(source, headers=headers, body=loaded.body, cut_at_bytes=len(loaded.body), why_cut=why)
