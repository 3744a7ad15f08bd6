"""Cuts by rules that were learned: any bytes come in; a cut is what the tree of the page holds, or it is in doubt."""

from __future__ import annotations

import json
from functools import cache
from random import Random

from tests.fuzz.groups.page import TOKENS, require_clean
from tests.fuzz.registry import STRUCTURED, Wrong, target
from tests.fuzz.seeds import demo_pages, page_bodies
from tests.list_pages import shop_page
from tests.property.soup import layout_of, make_filler, make_page, make_way

from scythe.model import Document
from scythe.page.source import read_source
from scythe.site.cut.cutter import Cutter
from scythe.site.follow.follow_fields import follow
from scythe.site.rules import Profile
from scythe.site.site import Site

URL = "https://example.org/a/b"
FIRST, LAST = "The first sentence of the {} stands here.", "The last sentence of the {} is found again."
NAMES = "article story report letter essay review poem".split()  # what all pages say is no content
_MARKUP = frozenset(b"<&\x00\x1b\x0e\x0f")


@cache
def profiles() -> tuple[Profile, ...]:
    """Return what was learned of a news site, of a site with several layouts, and of a shop."""
    news = [(page.url, page.html) for page in demo_pages() if page.kind == "news"][:4]
    mixed = [(page.url, page.html) for page in demo_pages()][:10]
    shop = [(f"https://shop.example/{number}", shop_page(number)) for number in range(4)]
    return tuple(Site.learn(pages).profile for pages in (news, mixed, shop, _articles()))


@cache
def sites() -> tuple[Site, ...]:
    """Return sites of these profiles; cutting does not change them."""
    return tuple(Site(profile) for profile in profiles())


def article(middle: bytes, number: int = 6) -> bytes:
    """Return an article with something in its middle."""
    name = NAMES[number]
    head = f'<meta charset="utf-8"><title>The {name}</title></head><body><div id="top">Go</div>'
    story = f'<h1 class="headline">The {name} of the paper</h1><div class="story"><p>{FIRST.format(name)}</p>\n<p>'
    tail = f'</p>\n<p>{LAST.format(name)}</p></div><div class="foot">All rights reserved.</div></body></html>'
    return f"<!DOCTYPE html><html><head>{head}{story}".encode() + middle + tail.encode()


def _articles() -> list[tuple[str, bytes]]:
    words = "the meadow was mown at dawn and the hay lay in long rows until the evening came".split()
    return [
        (f"https://paper.example/{number}", article(" ".join(words[number:] * 8).encode() + b".", number))
        for number in range(6)
    ]


@cache
def chosen_pages() -> tuple[bytes, ...]:
    """Return pages with a first byte that says by which profile they are cut."""
    ours = [(0, page.html) for page in demo_pages() if page.kind == "news"] + [(1, page.html) for page in demo_pages()]
    ours += [(2, shop_page(number)) for number in range(6)] + [(3, body) for _, body in _articles()]
    ours += [(number % 4, body) for number, body in enumerate(page_bodies()[-60:])]
    return tuple(bytes([number]) + body for number, body in ours)


@cache
def middles() -> tuple[bytes, ...]:
    """Return what may stand in the middle of an article."""
    return tuple(body[100:1_500] for _, body in _articles()) + tuple(page.html[400:2_000] for page in demo_pages())


def _write(document: Document) -> str:
    written = json.dumps(document.to_dict(), ensure_ascii=False, allow_nan=False)
    require_clean(written, "the document")
    return written


@target("cut.bytes", seeds=chosen_pages, tokens=TOKENS)
def cut_bytes(data: bytes) -> None:
    """Any bytes can be cut by any profile; places lie in the page and what is missing says why."""
    site, body = sites()[data[0] % 4 if data else 0], data[1:]
    document = site.extract(body, URL, via="cut")
    for name, field in document.fields.items():
        _ = field.values
        if not field.values and not field.how:
            raise Wrong(f"{name} is missing and nobody says why")
        if field.span is not None and not 0 <= field.span[0] <= field.span[1] <= len(body):
            raise Wrong(f"{name} lies outside of the page: {field.span}")
    require_clean(repr(document.fields), "a field")
    require_clean(repr(document.lists), "a record")


@target("cut.tree", seeds=chosen_pages, tokens=TOKENS, shape="page", kind=STRUCTURED)
def cut_like_tree(data: bytes) -> None:
    """What was cut is what the same rules find on the tree, and all of the document can be written."""
    site, body = sites()[data[0] % 4 if data else 0], data[1:]
    cut, tree = site.extract(body, URL, via="cut"), site.extract(body, URL, via="tree")
    for name, field in cut.fields.items():
        values = field.values  # of images known once asked for
        if field.how.startswith("cut") and name != "images" and values != tree.fields[name].values:
            raise Wrong(f"{name} was cut as {values!r:.200}, the tree has {tree.fields[name].values!r:.200}")
    if cut.lists and cut.how["records"].startswith("cut") and cut.lists != tree.lists:
        raise Wrong(f"records were cut as {cut.lists!r:.300}, the tree has {tree.lists!r:.300}")
    _write(cut)
    _write(tree)


@target("cut.auto", seeds=chosen_pages, tokens=TOKENS, shape="page", kind=STRUCTURED)
def extract_any(data: bytes) -> None:
    """Extracting with all it brings, health and learning anew among them, never fails."""
    number, body = data[0] % 4 if data else 0, data[1:]
    global _used
    if _used % 200 == 0:
        _sites_in_use[:] = [Site(profile) for profile in profiles()]
    _used += 1
    _write(_sites_in_use[number].extract(body, URL))


_used = 0
_sites_in_use: list[Site] = []


@target("cut.kept", seeds=middles, tokens=TOKENS)
def keep_text(data: bytes) -> None:
    """Plain text in the middle of an article, whatever its bytes, costs neither of its ends."""
    plain = bytes(byte for byte in data[:5_000] if byte not in _MARKUP)
    document = sites()[3].extract(article(plain), "https://paper.example/9", via="cut")
    text = document.fields["text"]
    ends = (FIRST.format(NAMES[6]), LAST.format(NAMES[6]))
    if text.how.startswith("cut") and not all(sentence in text.values[0] for sentence in ends):
        raise Wrong(f"a sentence was lost: {text.how}")


@target("cut.rules", seeds=lambda: (b"1", b"22"), kind=STRUCTURED)
def follow_rules(data: bytes) -> None:
    """Any rules on any soup: what is cut is what the tree holds, or doubt."""
    random = Random(data)
    page = make_page(random, random.choice((3, 8, 20, 60)), faults=random.choice((0.0, 0.1, 0.3, 1.0)))
    if random.random() < 0.1:
        page = make_filler(random, 30).encode() + page
    ways = [way for way in (make_way(random, page) for _ in range(4)) if way is not None]
    source = read_source(page)
    for way in ways:
        layout = layout_of(way)
        cut = Cutter(layout).cut_field(page, 0, thorough=True)
        if cut.state != "doubt" and cut.values != follow(source, way, loosely=False).values:
            raise Wrong(f"cut {cut!r:.300} by {way!r:.300} from {page!r:.1000}")
