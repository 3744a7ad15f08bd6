"""Cuts by rules that were learned: any bytes come in; what comes out can be written, and an unchanged site stays so."""

import json
from functools import cache

from tests.fuzz.groups.page import TOKENS, require_clean
from tests.fuzz.registry import target
from tests.fuzz.seeds import demo_pages, page_bodies
from tests.list_pages import shop_page

from scythe.site.rules import Profile
from scythe.site.site import Site

URL = "https://example.org/a/b"


@cache
def profiles() -> tuple[Profile, ...]:
    """Return what was learned of a news site, of a site with several layouts, and of a shop."""
    news = [(page.url, page.html) for page in demo_pages() if page.kind == "news"][:4]
    mixed = [(page.url, page.html) for page in demo_pages()][:10]
    shop = [(f"https://shop.example/{number}", shop_page(number)) for number in range(4)]
    return tuple(Site.learn(pages).profile for pages in (news, mixed, shop))


@cache
def chosen_pages() -> tuple[bytes, ...]:
    """Return pages with a first byte that says by which profile they are cut."""
    ours = [(0, page.html) for page in demo_pages() if page.kind == "news"] + [(1, page.html) for page in demo_pages()]
    ours += [(2, shop_page(number)) for number in range(6)]
    ours += [(number % 3, body) for number, body in enumerate(page_bodies()[-60:])]
    return tuple(bytes([number]) + body for number, body in ours)


@target("cut.bytes", seeds=chosen_pages, tokens=TOKENS)
def cut_bytes(data: bytes) -> None:
    """Extract a page by a profile, by its rules alone and in every way."""
    profile = profiles()[data[0] % 3 if data else 0]
    for via in ("cut", "tree", "auto"):
        document = Site(profile).extract(data[1:], URL, via)  # type: ignore[arg-type]
        require_clean(json.dumps(document.to_dict(), ensure_ascii=False, allow_nan=False), "the document")
