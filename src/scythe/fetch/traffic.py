"""Answer what a page asks for while a browser shows it: its requests come in, responses of our client go out.

Documents of frames, pictures, media and fonts are refused to save traffic, everything but GET because a reader does not
write. Redirects are followed by the client, whose guard judges every hop.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error, Page, Request, Route

from scythe.errors import FetchFailed
from scythe.fetch.credentials import origin_of
from scythe.fetch.judge import header
from scythe.fetch.redirects import without_fragment, without_user
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url, absolute

if TYPE_CHECKING:
    from scythe.fetch.render import Getter, Permit

_ANSWERED = frozenset({"script", "stylesheet", "xhr", "fetch"})
_SHARED = frozenset({"script", "stylesheet"})  # the same for all pages of a site: asked for once
# About the connection, or a reason to open another one; or a cookie, which the client keeps.
_NOT_PASSED = frozenset(
    "connection keep-alive transfer-encoding content-encoding content-length content-disposition set-cookie alt-svc "
    "link nel report-to reporting-endpoints content-security-policy-report-only strict-transport-security".split()
)
_NOBODY = "https://nobody.invalid"  # playwright lets scripts read what names no origin; this one is never theirs


class Shelf:
    """Scripts and styles seen, the latest used last, up to a bound."""

    def __init__(self, most_bytes: int = LIMITS.render_bytes) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[str, Response] = OrderedDict()

    def find(self, url: str) -> Response | None:
        """Return what was kept for `url`."""
        if url in self._kept:
            self._kept.move_to_end(url)
        return self._kept.get(url)

    def keep(self, url: str, response: Response) -> None:
        """Keep a complete answer, and forget the ones not used for longest."""
        if response.status != 200 or url in self._kept:
            return
        self._kept[url] = response
        self._bytes += len(response.body)
        while self._bytes > self._most_bytes:
            self._bytes -= len(self._kept.popitem(last=False)[1].body)


class Traffic:
    """The requests of one page, counted and bounded."""

    def __init__(self, document: Response, fetcher: Getter, permit: Permit | None, shelf: Shelf) -> None:
        self.document = document
        self.page: Page | None = None
        self.requests = 0  # answered, the document not counted
        self.bytes = 0
        self.refused = 0
        self.leads_to = ""  # where a script or a refresh wants to go instead
        self.left: asyncio.Future[None] = asyncio.get_running_loop().create_future()  # done: it will not finish loading
        self._fetcher = fetcher
        self._permit = permit
        self._shelf = shelf
        self._is_shown = False
        self._under_way = 0
        self._quiet_since = monotonic()
        self._tasks: set[asyncio.Task[Any]] = set()

    def answer(self, route: Route) -> None:
        """Answer one request of the browser, some time."""
        self.spawn(self._answer(route))

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run `work` until it ends or the page is closed."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """End what is under way."""
        self.left.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def quiet_s(self) -> float:
        """Return for how long the page has been waiting for nothing."""
        return 0.0 if self._under_way else monotonic() - self._quiet_since

    async def _answer(self, route: Route) -> None:
        self._under_way += 1
        try:
            response = await self._respond(route.request)
            if response is None:
                self.refused += 1
                await route.abort("aborted")
            else:
                await route.fulfill(status=response.status, headers=_passed(response), body=response.body)
        except Error:
            return  # the page is gone
        finally:
            self._under_way -= 1
            self._quiet_since = monotonic()

    async def _respond(self, request: Request) -> Response | None:
        """Return the answer to a request, None where it is refused."""
        url = absolute(request.url)
        if request.is_navigation_request():
            return self._document(request, url)
        if url is None or request.method != "GET" or request.resource_type not in _ANSWERED:
            return None
        return await self._fetch(request, url)

    def _document(self, request: Request, url: Url | None) -> Response | None:
        if self.page is None or request.frame != self.page.main_frame:
            return None  # of a frame: it would not be part of what is shown
        if not self._is_shown:
            self._is_shown = True
            return self.document
        target = without_fragment(without_user(url)) if url and request.method == "GET" else ""
        if target != without_fragment(self.document.url):
            self.leads_to = self.leads_to or target
        if not self.left.done():
            self.left.set_result(None)
        return None

    async def _fetch(self, request: Request, url: Url) -> Response | None:
        is_shared = request.resource_type in _SHARED
        kept = self._shelf.find(url) if is_shared else None
        if kept is not None:
            return kept
        if self.requests >= LIMITS.render_requests or self.bytes >= LIMITS.render_bytes:
            return None
        self.requests += 1
        try:
            if self._permit is not None and not await self._permit(url):
                return None
            most = min(LIMITS.render_file_bytes, LIMITS.render_bytes - self.bytes)
            response = await self._fetcher.get(url, accept="*/*", max_bytes=most)
        except FetchFailed:
            return None
        self.bytes += len(response.body)
        if response.cut_at_bytes is not None or not _may_be_read(request, url, response):
            return None
        if is_shared:
            self._shelf.keep(url, response)
        return response


def _may_be_read(request: Request, asked: Url, response: Response) -> bool:
    """Tell whether a script may see this answer: the browser does not know of redirects that the client followed."""
    if request.resource_type not in ("xhr", "fetch") or origin_of(asked) == origin_of(response.url):
        return True
    readers = header(response, "Access-Control-Allow-Origin")
    return bool(readers) and readers in ("*", request.headers.get("origin", "*"))


def _passed(response: Response) -> dict[str, str]:
    headers: dict[str, str] = {"access-control-allow-origin": _NOBODY}
    for name, value in response.headers:
        key = name.lower()
        if key in _NOT_PASSED:
            continue
        is_first = key not in headers or headers[key] == _NOBODY
        headers[key] = value if is_first else f"{headers[key]}, {value}"
    return headers
