"""Run the system's Chromium without network access; the HTTP client answers the requests of a page.

Frames, pictures, media and fonts are refused to save traffic, and everything but GET because a reader does not write.
The client follows redirects, so the guard checks every hop.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import OrderedDict
from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from playwright import async_api as playwright
from playwright.async_api import Error, Page, Request, Route

from scythe.errors import FetchFailed, MissingExtra
from scythe.fetch.failures import TRY_AGAIN_S
from scythe.fetch.fetch_options import origin_of
from scythe.fetch.page_check import header
from scythe.fetch.redirects import without_fragment
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import Url, absolute, without_user

if TYPE_CHECKING:
    from scythe.fetch.render import PageGetter, Permit

_ANSWERED = frozenset({"script", "stylesheet", "xhr", "fetch"})
_SHARED = frozenset({"script", "stylesheet"})  # the same for all pages of a site: asked for once
# About the connection, or a reason to open another one; or a cookie, which the client keeps.
_NOT_PASSED = frozenset(
    "connection keep-alive transfer-encoding content-encoding content-length content-disposition set-cookie alt-svc "
    "link nel report-to reporting-endpoints content-security-policy-report-only strict-transport-security".split()
)
_NOBODY = "https://nobody.invalid"  # playwright lets scripts read what names no origin; this one is never theirs


class ResourceCache:
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

    def __init__(self, document: Response, fetcher: PageGetter, permit: Permit | None, shelf: ResourceCache) -> None:
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


_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# No name resolves and nothing is dialled but a proxy that cannot exist, so whatever is not answered by us fails: also
# what no interception sees, such as web sockets, WebTransport, WebRTC, prefetching and the browser's own requests.
_WITHOUT_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://proxy.invalid:9",
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # the same, before Chromium 109
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
)
_FLAGS = (
    *_WITHOUT_NETWORK,
    "--disable-gpu",
    "--mute-audio",
    f"--js-flags=--max-old-space-size={LIMITS.render_heap_mb}",
)
_CLOSE_S = 5.0  # a page or browser that does not go by then is left behind, and the browser with it
_STEP_S = 0.05
_PAGES_PER_BROWSER = 500  # then a new one: browsers grow
# In a world of its own, where the page's scripts cannot change what these names mean.
_SERIALISE = """(most => {
  const root = document.documentElement;
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
  const html = type + (root ? root.outerHTML : '');
  return [html.length, html.slice(0, most)];
})(%d)"""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a page is taken, and how long its loading may last."""

    max_bytes: int
    load_s: float  # then it is taken as far as it came
    rest_s: float  # after loading, for what its scripts ask for


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """What a page shows, as UTF-8."""

    body: bytes
    is_cut: bool


def find_browser() -> str:
    """Return the path of the system's Chromium. Raises `MissingExtra`."""
    for name in _NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    raise MissingExtra(f"rendering needs a browser, and none of {', '.join(_NAMES)} is installed")


class Browser:
    """One browser process, started again when it dies."""

    version = ""

    def __init__(self, user_agent: str) -> None:
        self._user_agent = user_agent
        self._path = find_browser()
        self._starting = asyncio.Lock()
        self._driver: playwright.Playwright | None = None
        self._process: playwright.Browser | None = None
        self._opened = 0
        self._open_now = 0
        self.shelf = ResourceCache()

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except playwright.Error as error:
            await self._stop()
            raise MissingExtra(f"{self._path} does not start: {_first_line(error)}") from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def load(self, traffic: Traffic, bounds: Bounds) -> RenderedPage:
        """Show the document of `traffic` in a fresh context, and return it when it came to rest."""
        url = traffic.document.url
        try:
            process, context = await self._open()
            self._open_now += 1
            try:
                return await self._load(process, context, traffic, bounds)
            finally:
                self._open_now -= 1
        except playwright.Error as error:
            if self._process is not None and not self._process.is_connected():
                raise FetchFailed(
                    url, "the browser died while it showed the page", retry_after_s=TRY_AGAIN_S
                ) from error
            raise FetchFailed(url, f"not rendered: {_first_line(error)}", retry_after_s=TRY_AGAIN_S) from error

    async def _open(self) -> tuple[playwright.Browser, playwright.BrowserContext]:
        """Open a fresh context; a browser that had died before, and nobody had noticed, is replaced once."""
        process = await self._ready()
        try:
            return process, await self._new_context(process)
        except playwright.Error:
            if process.is_connected():
                raise
        process = await self._ready()
        return process, await self._new_context(process)

    async def _new_context(self, process: playwright.Browser) -> playwright.BrowserContext:
        return await process.new_context(
            user_agent=self._user_agent,
            accept_downloads=False,
            service_workers="block",
            viewport={"width": 1280, "height": 2000},  # tall: much is loaded only where it would be seen
        )

    async def _load(
        self, process: playwright.Browser, context: playwright.BrowserContext, traffic: Traffic, bounds: Bounds
    ) -> RenderedPage:
        try:
            return await _show(context, traffic, bounds)
        finally:
            await traffic.stop()
            if process.is_connected() and not await _ends(context.close()):
                await self._stop()

    async def _ready(self) -> playwright.Browser:
        """Return the running browser; a dead or an old one is replaced."""
        async with self._starting:
            process = self._process
            is_old = self._opened >= _PAGES_PER_BROWSER and not self._open_now
            if process is None or not process.is_connected() or is_old:
                await self._stop()
                process = await self._start()
            self._opened += 1
            return process

    async def _start(self) -> playwright.Browser:
        self._driver = await playwright.async_playwright().start()
        self._process = await self._driver.chromium.launch(
            executable_path=self._path,
            headless=True,
            chromium_sandbox=os.geteuid() != 0,  # Chromium refuses to start a sandbox as root
            args=list(_FLAGS),
            handle_sigint=False,  # Ctrl-C is ours: what is under way is stored first
            handle_sigterm=False,
            handle_sighup=False,
        )
        self._opened = 0
        self.version = f"chromium/{self._process.version}"
        return self._process

    async def _stop(self) -> None:
        process, driver = self._process, self._driver
        self._process = self._driver = None
        if process is not None:
            await _ends(process.close())
        if driver is not None:
            await _ends(driver.stop())


async def _show(context: playwright.BrowserContext, traffic: Traffic, bounds: Bounds) -> RenderedPage:
    page = await context.new_page()
    traffic.page = page
    crashed = asyncio.Event()
    page.on("crash", lambda _: crashed.set())
    context.on("close", lambda _: crashed.set())
    context.on("page", lambda popup: traffic.spawn(_ends(popup.close())))
    await context.route("**/*", traffic.answer)
    work = asyncio.ensure_future(_run(context, page, traffic, bounds))
    watch = asyncio.ensure_future(crashed.wait())
    try:
        await asyncio.wait((work, watch), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise playwright.Error("the page crashed")
        return work.result()
    finally:
        for task in (work, watch):
            task.cancel()
        await asyncio.gather(work, watch, return_exceptions=True)


async def _run(
    context: playwright.BrowserContext, page: playwright.Page, traffic: Traffic, bounds: Bounds
) -> RenderedPage:
    going = asyncio.ensure_future(page.goto(traffic.document.url, wait_until="load", timeout=0))
    try:
        await asyncio.wait((going, traffic.left), timeout=bounds.load_s, return_when=asyncio.FIRST_COMPLETED)
        if going.done() and not traffic.left.done():
            going.result()
        await _come_to_rest(traffic, bounds.rest_s)
    finally:
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)
    if traffic.leads_to:
        return RenderedPage(b"", is_cut=False)
    return await _serialise(context, page, bounds.max_bytes)


async def _come_to_rest(traffic: Traffic, rest_s: float) -> None:
    """Wait until the page has asked for nothing for a while, or long enough."""
    until = monotonic() + rest_s
    while monotonic() < until and not traffic.leads_to:
        if traffic.quiet_s() >= LIMITS.render_quiet_s:
            return
        await asyncio.sleep(_STEP_S)


async def _serialise(context: playwright.BrowserContext, page: playwright.Page, max_bytes: int) -> RenderedPage:
    session = await context.new_cdp_session(page)
    tree = await session.send("Page.getFrameTree")
    world = await session.send("Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]})
    wanted = {"expression": _SERIALISE % max_bytes, "returnByValue": True}
    answer: dict[str, Any] = await session.send(
        "Runtime.evaluate", {**wanted, "contextId": world["executionContextId"]}
    )
    length, html = answer["result"]["value"]
    body = str(html).encode("utf-8", "replace")  # scripts may leave half of a surrogate pair
    return RenderedPage(body[:max_bytes], is_cut=length > len(html) or len(body) > max_bytes)


async def _ends(closing: Awaitable[None]) -> bool:
    """Wait for something to close; tell whether it did."""
    try:
        async with asyncio.timeout(_CLOSE_S):
            await closing
    except TimeoutError:
        return False
    except playwright.Error:  # it is gone already
        return True
    return True


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__
