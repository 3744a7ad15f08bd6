"""Show saved pages as safe documents, with their pictures and style sheets once you allow requesting them.

Only URLs that the page names are requested, through the guard.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from scythe.errors import FetchFailed
from scythe.fetch import FetchOptions
from scythe.fetch.fetcher import open_fetcher
from scythe.fetch.page_check import header
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.page import Page
from scythe.page.image_size import probe_size
from scythe.url import absolute
from scythe.web.operations import Key, Sent, WebArea
from scythe.web.safe_html import clean_css, is_sheet, make_safe
from scythe.web.state import NotThere, PageAtHand, State

AREA = WebArea("frames", __doc__)

_FRAME = "default-src 'none'; style-src 'unsafe-inline'{own}; img-src data:{own}; form-action 'none'; base-uri 'none'; "
_FRAME += "frame-ancestors 'self'; sandbox allow-same-origin"  # no scripts; our page may measure where images stand
# before and after pictures and styles may be loaded
FRAME_POLICIES = (_FRAME.format(own=""), _FRAME.format(own=" 'self'"))
_PICTURE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
# instead of a picture that cannot be had, or is none: many pages have some, and browsers complain of each
NO_PICTURE = Sent(
    b'<svg xmlns="http://www.w3.org/2000/svg" width="96" height="64"><rect width="96" height="64" fill="#e9e9e6"/>'
    b'<path d="M36 22l24 20M60 22l-24 20" stroke="#8b8f86" stroke-width="2"/></svg>',
    "image/svg+xml",
    _PICTURE,
)
# what browsers show as pictures, by what its bytes are; an SVG among them can do nothing under the policy above
_TYPES = {kind: f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp", "avif", "bmp")}
_TYPES |= {"ico": "image/x-icon", "svg": "image/svg+xml"}
_KEPT_BYTES = 64_000_000
_PATIENCE_S = 10.0  # for one picture: browsers wait for six at a time, and for nothing else meanwhile

_NO_SHEET = Sent(b"", "text/css; charset=utf-8", _PICTURE)


@dataclass(frozen=True, slots=True)
class Consent:
    """Whether they may be loaded."""

    site: Key
    is_given: bool


@AREA.file("/frame/{page}")
def show_frame(
    state: State,
    page: int,
    v: str = "",  # anything: another value loads it again
) -> Sent:
    """Return a page at hand as a document that can do nothing."""
    at_hand = state.page(page)
    is_open = state.has_consent(at_hand.site)
    with state.lock:
        opened = state.opened(at_hand)
        sheets = tuple(f"/sheet/{page}/{row}" for row in range(len(sheet_addresses(opened)))) if is_open else ()
        safe = make_safe(opened, picture=lambda row: f"/picture/{page}/{row}" if is_open else None, sheets=sheets)
    return Sent(safe.encode(), "text/html; charset=utf-8", FRAME_POLICIES[is_open])


@AREA.file("/picture/{page}/{number}")
def show_picture(state: State, page: int, number: int) -> Sent:
    """Return a picture of a page, asked for from its server; a sign in its place where there is none."""
    at_hand = state.page(page)
    with state.lock:
        uses = state.opened(at_hand).images
        if not 0 <= number < len(uses):
            raise NotThere(f"page {page} has no image {number}")
        use = uses[number]
    if not state.has_consent(at_hand.site):
        raise NotThere("pictures of this site are not to be loaded")
    try:
        body, _ = state.part(Loads).get(at_hand, use.loaded or use.image.src)
    except NotThere:
        return NO_PICTURE
    size = probe_size(body)
    kind = _TYPES.get(size.format) if size is not None else None
    return NO_PICTURE if kind is None else Sent(body, kind, _PICTURE)


@AREA.file("/sheet/{page}/{number}")
def show_sheet(state: State, page: int, number: int) -> Sent:
    """Return a style sheet of a page, asked for from its server; an empty one where there is none."""
    at_hand = state.page(page)
    with state.lock:
        sheets = sheet_addresses(state.opened(at_hand))
    if not 0 <= number < len(sheets):
        raise NotThere(f"page {page} has no style sheet {number}")
    if not state.has_consent(at_hand.site):
        raise NotThere("style sheets of this site are not to be loaded")
    try:
        body, kind = state.part(Loads).get(at_hand, sheets[number])
    except NotThere:
        return _NO_SHEET
    if kind not in ("text/css", ""):
        return _NO_SHEET
    text = body.decode("utf-8", "replace")[: LIMITS.shown_style_chars]
    return Sent(clean_css(text).encode(), "text/css; charset=utf-8", _PICTURE)


def sheet_addresses(page: Page) -> list[str]:
    """Return the addresses of a page's style sheets."""
    found = []
    links = [node for node in page.map.find("link") if is_sheet(node)]
    shown = [node for node in links if "alternate" not in (node.attributes.get("rel") or "").lower().split()]
    for node in shown[: LIMITS.shown_sheets]:
        address = absolute(node.attributes.get("href") or "", page.base)
        if address is not None:
            found.append(str(address))
    return found


@AREA.post("/api/consent")
def give_consent(state: State, site: Key, is_given: bool) -> Consent:
    """Allow, or no longer allow, that pictures and styles of a site are asked for from its servers."""
    site = state.site_key(site)
    state.consent(site, is_given=is_given)
    return Consent(site, is_given)


class Loads:
    """What was asked for already, so that a page looked at again asks nobody."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._kept: OrderedDict[str, tuple[bytes, str]] = OrderedDict()
        self._bytes = 0

    def get(self, page: PageAtHand, address: str) -> tuple[bytes, str]:
        """Return body and type of what stands at an address. Raises NotThere where it may not, or cannot, be had."""
        if not self._state.has_consent(page.site):
            raise NotThere("pictures and styles of this site are not to be loaded")
        with self._state.lock:
            known = self._kept.get(address)
        if known is not None:
            return known
        try:
            response = asyncio.run(self._ask(address))
        except FetchFailed as failure:
            raise NotThere(failure.why) from None
        if response.status != 200 or response.cut_at_bytes is not None:
            raise NotThere(f"the server answered {response.status}")
        kind = (header(response, "Content-Type") or "").partition(";")[0].strip().lower()
        self._keep(address, response.body, kind)
        return response.body, kind

    async def _ask(self, address: str) -> Response:
        reach = self._state.options.reach
        options = FetchOptions(
            timeout_s=min(reach.timeout_s, _PATIENCE_S),
            allow_private=reach.allow_private,
            max_bytes=LIMITS.picture_bytes,
            accept="*/*",
        )
        async with open_fetcher(options) as fetcher:
            return await fetcher.get(address)

    def _keep(self, address: str, body: bytes, kind: str) -> None:
        with self._state.lock:
            old, _ = self._kept.pop(address, (b"", ""))  # two may have asked at once
            self._kept[address] = (body, kind)
            self._bytes += len(body) - len(old)
            while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
                _, (old, _) = self._kept.popitem(last=False)
                self._bytes -= len(old)
