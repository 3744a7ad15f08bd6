"""A whole site to crawl: a seed and a count come in, every page with its gold and its answer goes out.

Nothing is written before it is asked for, and the same seed gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from scythe.demo import furniture
from scythe.demo.build import DemoPage, write_page
from scythe.demo.designs import DESIGNS, Design
from scythe.demo.furniture import Frame, Place
from scythe.demo.ledger import ARTICLES, Ledger
from scythe.demo.lists import write_list
from scythe.demo.markup import Part, el, paragraph
from scythe.demo.pictures import write_gallery
from scythe.demo.plan import BASE, Plan
from scythe.demo.prose import Voice, load_words
from scythe.demo.shop import categories, write_product, write_reviews
from scythe.demo.things import Writer

_FEEDS = {
    "/feed.xml": "application/rss+xml",
    "/atom.xml": "application/atom+xml",
    "/feed.json": "application/feed+json",
}


@dataclass(frozen=True)
class World:
    """A site of `pages` content pages and the lists, archives and pages about itself that lead to them."""

    seed: int = 1
    pages: int = 200
    design: int = 0  # of pages asked for without naming one
    base: str = BASE  # scheme, host and port of every address on it
    weight_bytes: int = 0  # pages are made at least so long, as scripts make real ones
    more: tuple[Place, ...] = ()  # entries of the menu besides the usual ones

    @cached_property
    def ledger(self) -> Ledger:
        """What the site consists of."""
        return Ledger(self.seed, self.pages)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The path of every page, the front page first; each can be reached from it by links."""
        return self.ledger.paths

    @property
    def page_urls(self) -> tuple[str, ...]:
        """The address of every page."""
        return tuple(self.base + path for path in self.paths)

    def page(self, path: str, design: int | None = None) -> DemoPage | None:
        """Write the page at a path, with its gold; None where there is none."""
        design = self.design if design is None else design
        if listing := self.ledger.lists.get(path):
            return self._settle(write_list(listing, DESIGNS[design], self._frame("en")))
        if plan := self.ledger.by_path.get(path):
            return self.write(plan, design)
        return None

    def write(self, plan: Plan, design: int, *, write: Writer | None = None) -> DemoPage:
        """Write a page that may not be in the ledger; `write` replaces what its kind has for content."""
        frame = self._frame(plan.language, self._tags(plan))
        others = self.ledger.others(plan)
        remarks = write_reviews(plan) if plan.kind == "product" else None
        writer = write or _WRITERS.get(plan.kind)
        return self._settle(write_page(plan, others, DESIGNS[design], frame=frame, write=writer, remarks=remarks))

    def _settle(self, page: DemoPage) -> DemoPage:
        """Give a page the address its site is served at, and the weight that is wanted."""
        html = page.html.replace(BASE.encode(), self.base.encode())
        images = tuple(image.replace(BASE, self.base) for image in page.gold_images)
        return replace(page, html=_weigh(html, self.weight_bytes), gold_images=images, base=self.base)

    def _frame(self, language: str, tags: tuple[tuple[str, str], ...] = ()) -> Frame:
        names = load_words(language)["ui"]["sections"]
        folders = load_words("world")["sections"]
        stories = tuple((name, f"/tag/{tag}/") for tag, name in load_words("world")["tags"].items())
        shelves = tuple((name, f"/shop/{folder}/") for folder, name in categories().items())
        menu = [Place(name, f"/{folder}/") for name, folder in zip(names, folders, strict=True)]
        menu[0] = replace(menu[0], below=stories)
        menu += [Place("Shop", "/shop/", shelves), Place("Pictures", "/pictures/"), Place("Archive", "/archive/")]
        menu += self.more
        head = tuple(
            el("link", rel="alternate", type=kind, href=path, title=furniture.SITE_NAME)
            for path, kind in _FEEDS.items()
        )
        return Frame("/", tuple(menu), tags, head)

    def _tags(self, plan: Plan) -> tuple[tuple[str, str], ...]:
        """Name the lists that a page stands in."""
        if plan.kind == "product":
            return ((categories()[plan.topic], f"/shop/{plan.topic}/"),)
        if plan.kind == "gallery":
            return (("Pictures", "/pictures/"),)
        if plan.kind not in ARTICLES:
            return ()
        at = plan.number % 6
        section = (load_words(plan.language)["ui"]["sections"][at], f"/{load_words('world')['sections'][at]}/")
        month = (f"{plan.published:%m/%Y}", f"/archive/{plan.published:%Y/%m}/")
        tag = load_words("world")["tags"].get(plan.topic)
        return (section, (tag, f"/tag/{plan.topic}/"), month) if tag else (section, month)


def world(*, seed: int = 1, pages: int = 200, design: int = 0) -> World:
    """Make a site of `pages` content pages; 200 of them have some 60 list pages besides."""
    return World(seed=seed, pages=pages, design=design)


def _write_about(plan: Plan, voice: Voice, design: Design) -> list[Part]:
    words = load_words("world")
    _, texts = [*words["about"], words["login"]][int(plan.topic)]
    return [paragraph(voice.say(text)) for text in texts]


_WRITERS: dict[str, Writer] = {"product": write_product, "gallery": write_gallery, "about": _write_about}


def _weigh(html: bytes, least: int) -> bytes:
    """Make a page longer by the state of a script that nobody reads."""
    missing = least - len(html)
    if missing <= 0:
        return html
    before, end, after = html.rpartition(b"</body>")
    entry = b'{"slot":"%06d","size":[300,250],"lazy":true,"seen":false},'
    filling = b"".join(entry % n for n in range(missing // 60 + 1))
    return before + b"<script>window.__MORE__=[" + filling + b"0]</script>\n" + end + after
