"""The large demo site: articles, products, galleries and list pages with their correct content, generated on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from itertools import groupby
from random import Random
from typing import Any

from scythe.demo import page_parts
from scythe.demo.articles import Writer, write_figure, write_goods
from scythe.demo.build import DemoPage, write_list, write_page
from scythe.demo.page_parts import (
    DESIGNS,
    Design,
    MenuEntry,
    PageFrame,
    PagePart,
    el,
    paragraph,
)
from scythe.demo.plan import BASE, FIRST_DAY, PagePlan, Voice, load_words, plan_page, slugify


def plan_gallery(seed: int, number: int) -> PagePlan:
    """Plan one gallery."""
    key = f"{seed}/{number}"
    voice = Voice("en", Random(key))
    title = voice.say(voice.random.choice(_words()["titles"]))
    published = FIRST_DAY + timedelta(days=voice.random.randrange(240))
    path = f"/pictures/{slugify(title)}-{number}.html"
    teaser = voice.say(_words()["intro"][0])
    return PagePlan(number, "gallery", "en", path, title, voice.author, published, "gallery", teaser, key)


def write_gallery(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
    """Write an introduction and the pictures, each with its caption."""
    random = voice.random
    told = [*random.sample(_words()["intro"][1:], 5), *random.sample(voice.words["generic"], 5)]
    intro = [plan.teaser, *map(voice.say, told)]
    captions = random.sample(_words()["captions"], random.randrange(8, len(_words()["captions"]) + 1))
    figures = [
        write_figure(f"/img/pictures/{plan.number}-{at}", caption, f"{caption}. Photo: {plan.author}", design, style=at)
        for at, caption in enumerate(map(voice.say, captions))
    ]
    return [*(paragraph(text) for text in voice.paragraphs(intro)), *figures]


def _words() -> dict[str, Any]:
    words: dict[str, Any] = load_words("world")["pictures"]
    return words


def categories() -> dict[str, str]:
    """Return the names of the shop's categories by their folder."""
    return {folder: category["name"] for folder, category in _shop()["categories"].items()}


def plan_product(seed: int, number: int) -> PagePlan:
    """Plan one product; its topic is its category."""
    key = f"{seed}/{number}"
    voice = Voice("en", Random(key))
    random = voice.random
    folder = random.choice(sorted(_shop()["categories"]))
    category = _shop()["categories"][folder]
    size = random.randrange(*category["sizes"])
    title = f"{random.choice(_shop()['styles'])} {random.choice(category['nouns'])}, {size} {category['unit']}"
    teaser = voice.say(category["sentences"][number % len(category["sentences"])])
    published = FIRST_DAY + timedelta(days=random.randrange(240))
    path = f"/shop/{folder}/{slugify(title)}-{number}.html"
    return PagePlan(number, "product", "en", path, title, voice.author, published, folder, teaser, key)


def price_of(plan: PagePlan) -> str:
    """Return what a product costs, in euros."""
    return f"{Random(f'{plan.seed}/price').randrange(390, 19900) / 100:.2f}"


def write_product(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
    """Write pictures, price, description, features and a table of specifications."""
    category = _shop()["categories"][plan.topic]
    random = voice.random
    own = [text for at, text in enumerate(category["sentences"]) if at != plan.number % len(category["sentences"])]
    told = [*random.sample(own, 3), *random.sample(_shop()["sentences"], 2)]
    texts = [paragraph(text) for text in voice.paragraphs([plan.teaser, *map(voice.say, told)])]
    features = random.sample(category["features"], 4)
    name = f"/img/shop/{slugify(plan.title)}-{plan.number}"
    return write_goods(name, plan.title, price_of(plan), texts, features, _specifications(plan, voice))


def _specifications(plan: PagePlan, voice: Voice) -> list[list[str]]:
    random = voice.random
    return [
        ["Maker", random.choice(_shop()["makers"])],
        ["Size", plan.title.rpartition(", ")[2]],
        ["Weight", f"{random.randrange(80, 4200)} g"],
        ["Made in", voice["place"]],
        ["Warranty", f"{random.randrange(2, 11)} years"],
        ["Article number", f"FP-{plan.number:05d}"],
    ]


def _shop() -> dict[str, Any]:
    shop: dict[str, Any] = load_words("world")["shop"]
    return shop


LIST_LENGTH = 20
_OTHERS = 8  # pages that a page leads to
# One round of the site. Of manuals and recipes there are two each; after that their places are taken by stories.
_CYCLE = (
    ("news", "en"), ("news", "en"), ("product", "en"), ("blog", "en"), ("gallery", "en"), ("news", "de"),
    ("product", "en"), ("docs", "en"), ("news", "tr"), ("product", "en"), ("blog", "en"), ("news", "zh"),
    ("product", "en"), ("recipe", "en"), ("gallery", "en"), ("blog", "de"), ("news", "en"), ("product", "en"),
    ("news", "en"), ("blog", "en"),
)  # fmt: skip
_THINGS = 2
ARTICLES = ("news", "blog", "docs", "recipe")


@dataclass(frozen=True, slots=True)
class DemoList:
    """One page of a list."""

    path: str
    title: str
    entries: tuple[PagePlan, ...]
    number: int = 1
    paths: tuple[str, ...] = ()  # of all pages of the list, this one among them

    @property
    def next(self) -> str:
        """The path of the page after this one, or nothing."""
        return self.paths[self.number] if self.number < len(self.paths) else ""

    @property
    def previous(self) -> str:
        """The path of the page before this one, or nothing."""
        return self.paths[self.number - 2] if self.number > 1 else ""


@dataclass(frozen=True)
class PagePlans:
    """Every page of a site, by its path."""

    seed: int
    count: int  # of content pages

    @cached_property
    def content(self) -> tuple[PagePlan, ...]:
        """Articles, galleries and products, in the order of their numbers."""
        return tuple(_plan(self.seed, number) for number in range(self.count))

    @cached_property
    def by_path(self) -> dict[str, PagePlan]:
        """Content pages and the few that every site has."""
        return {plan.path: plan for plan in (*self.content, *_plan_about(self.seed))}

    @cached_property
    def lists(self) -> dict[str, DemoList]:
        """List pages by their path, the front page first."""
        return {listing.path: listing for listing in self._list_all()}

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of every page, the front page first."""
        return (*self.lists, *self.by_path)

    def newest(self, *kinds: str) -> list[PagePlan]:
        """Return the pages of some kinds, newest first."""
        found = [plan for plan in self.content if plan.kind in kinds]
        return sorted(found, key=lambda plan: (plan.published, plan.number), reverse=True)

    def others(self, plan: PagePlan) -> list[PagePlan]:
        """Return the pages this one leads to: the next ones of its sort, round the site."""
        same = self._sorts.get(_sort(plan), self._sorts[_sort(self.content[0])])
        at = self._places.get(plan.path, 0)
        turned = [same[(at + step) % len(same)] for step in range(1, min(len(same), _OTHERS + 1))]
        return [other for other in turned if other.path != plan.path]

    @cached_property
    def _sorts(self) -> dict[tuple[str, str], list[PagePlan]]:
        sorts: dict[tuple[str, str], list[PagePlan]] = {}
        for plan in self.content:
            sorts.setdefault(_sort(plan), []).append(plan)
        return sorts

    @cached_property
    def _places(self) -> dict[str, int]:
        return {plan.path: at for plans in self._sorts.values() for at, plan in enumerate(plans)}

    def _list_all(self) -> Iterator[DemoList]:
        articles = self.newest(*ARTICLES)
        yield from _paged("/", "The Field Post", articles)
        names = load_words("en")["ui"]["sections"]
        for number, folder in enumerate(load_words("world")["sections"]):
            yield from _paged(f"/{folder}/", names[number], [plan for plan in articles if plan.number % 6 == number])
        for tag, name in load_words("world")["tags"].items():
            yield from _paged(f"/tag/{tag}/", f"Stories about {name.lower()}", [p for p in articles if p.topic == tag])
        months = [(month, list(plans)) for month, plans in groupby(articles, lambda plan: f"{plan.published:%Y/%m}")]
        yield DemoList("/archive/", "Archive", tuple(_point_to_month(month, plans) for month, plans in months))
        for month, plans in months:
            yield from _paged(f"/archive/{month}/", f"{plans[0].published:%B %Y}", plans)
        yield from self._list_things()

    def _list_things(self) -> Iterator[DemoList]:
        products = self.newest("product")
        shelves = {folder: [plan for plan in products if plan.topic == folder] for folder in categories()}
        yield DemoList("/shop/", "Shop", tuple(_point_to_shelf(folder, plans) for folder, plans in shelves.items()))
        for folder, name in categories().items():
            yield from _paged(f"/shop/{folder}/", name, shelves[folder], further="?page={}")
        yield from _paged("/pictures/", "Pictures", self.newest("gallery"))


def _plan(seed: int, number: int) -> PagePlan:
    kind, language = _CYCLE[number % len(_CYCLE)]
    round_ = number // len(_CYCLE)
    if kind == "product":
        return plan_product(seed, number)
    if kind == "gallery":
        return plan_gallery(seed, number)
    if kind in ("docs", "recipe") and round_ >= _THINGS:
        kind = "news"
    return plan_page(seed, number, kind, language, round_=round_)


def _plan_about(seed: int) -> Iterator[PagePlan]:
    """Plan the pages about the site itself; their topic is their place in the word file."""
    words = load_words("world")
    for number, (title, texts) in enumerate([*words["about"], words["login"]]):
        path = "/login" if title == words["login"][0] else f"/about-{number}.html"
        yield PagePlan(
            number, "about", "en", path, title, "", FIRST_DAY, str(number), texts[0], f"{seed}/about/{number}"
        )


def _point_to_month(month: str, plans: list[PagePlan]) -> PagePlan:
    newest = plans[0].published
    title, teaser = f"{newest:%B %Y}", f"{len(plans)} stories, the newest of {newest:%d %B}"
    return PagePlan(len(plans), "list", "en", f"/archive/{month}/", title, "", newest, "", teaser, month)


def _point_to_shelf(folder: str, plans: list[PagePlan]) -> PagePlan:
    teaser = f"{len(plans)} things for the field and the house"
    return PagePlan(
        len(plans), "list", "en", f"/shop/{folder}/", categories()[folder], "", FIRST_DAY, "", teaser, folder
    )


def _paged(path: str, title: str, plans: Iterable[PagePlan], further: str = "page/{}/") -> Iterator[DemoList]:
    """Yield the pages of one list; an empty list has one page."""
    plans = tuple(plans)
    total = max(1, -(-len(plans) // LIST_LENGTH))
    paths = tuple(path if n == 1 else path + further.format(n) for n in range(1, total + 1))
    for n in range(1, total + 1):
        named = title if n == 1 else f"{title}, page {n}"
        yield DemoList(paths[n - 1], named, plans[(n - 1) * LIST_LENGTH : n * LIST_LENGTH], n, paths)


def _sort(plan: PagePlan) -> tuple[str, str]:
    return ("article" if plan.kind in ARTICLES else plan.kind, plan.language)


_NEAR = 2  # pages on both sides of the present one that a pager names


def write_listing(listing: DemoList, design: Design, frame: PageFrame) -> DemoPage:
    """Write one page of a list."""
    item = "li" if design.sidebar_first else "article"
    box = ('<ul class="td-list">\n', "</ul>") if item == "li" else ('<div class="teasers">\n', "</div>")
    goods = [plan.kind == "product" for plan in listing.entries]
    entries = [
        (plan, "td-item" if item == "li" else "card" if is_sold else "teaser", price_of(plan) if is_sold else "")
        for plan, is_sold in zip(listing.entries, goods, strict=True)
    ]
    beside = [("prev", listing.previous), ("next", listing.next)]
    head = (*frame.head, *(el("link", rel=rel, href=path) for rel, path in beside if path))
    return write_list(
        listing.path,
        listing.title,
        entries,
        design,
        _pager(listing),
        box=box,
        popular=listing.entries[:5],
        number=listing.number,
        item=item,
        frame=replace(frame, head=head),
    )


def _pager(listing: DemoList) -> str:
    """Write links to the first, the last and the near pages, as long lists have them."""
    total = len(listing.paths)
    if total < 2:
        return ""
    near = range(listing.number - _NEAR, listing.number + _NEAR + 1)
    shown = [n for n in range(1, total + 1) if n in near or n in (1, total) or n % 10 == 0]
    links = [
        el("span", str(n), class_="current") if n == listing.number else el("a", str(n), href=listing.paths[n - 1])
        for n in shown
    ]
    if listing.previous:
        links.insert(0, el("a", "Newer", href=listing.previous, rel="prev"))
    if listing.next:
        links.append(el("a", "Older", href=listing.next, rel="next"))
    return el("nav", " ".join(links), class_="pagination")


@dataclass(frozen=True)
class World:
    """A site of `pages` content pages and the lists, archives and pages about itself that lead to them."""

    seed: int = 1
    pages: int = 200
    design: int = 0  # of pages asked for without naming one
    base: str = BASE  # scheme, host and port of every address on it
    more: tuple[MenuEntry, ...] = ()  # entries of the menu besides the usual ones

    @cached_property
    def ledger(self) -> PagePlans:
        """What the site consists of."""
        return PagePlans(self.seed, self.pages)

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
            return self.write_list(listing, design)
        if plan := self.ledger.by_path.get(path):
            return self.write(plan, design)
        return None

    def write_list(self, listing: DemoList, design: int) -> DemoPage:
        """Write a page of a list that may not be in the ledger."""
        return self._settle(write_listing(listing, DESIGNS[design], self._frame("en")))

    def write(self, plan: PagePlan, design: int, *, write: Writer | None = None) -> DemoPage:
        """Write a page that may not be in the ledger; `write` replaces what its kind has for content."""
        frame = self._frame(plan.language, self._tags(plan))
        others = self.ledger.others(plan)
        reviews = Random(f"{plan.seed}/reviews")
        remarks = reviews.sample(_shop()["reviews"], 3) if plan.kind == "product" else None
        writer = write or _WRITERS.get(plan.kind)
        return self._settle(write_page(plan, others, DESIGNS[design], frame=frame, write=writer, remarks=remarks))

    def _settle(self, page: DemoPage) -> DemoPage:
        """Give a page the address its site is served at."""
        html = page.html.replace(BASE.encode(), self.base.encode())
        images = tuple(image.replace(BASE, self.base) for image in page.gold_images)
        return replace(page, html=html, gold_images=images, base=self.base)

    def _frame(self, language: str, tags: tuple[tuple[str, str], ...] = ()) -> PageFrame:
        names = load_words(language)["ui"]["sections"]
        folders = load_words("world")["sections"]
        stories = tuple((name, f"/tag/{tag}/") for tag, name in load_words("world")["tags"].items())
        shelves = tuple((name, f"/shop/{folder}/") for folder, name in categories().items())
        menu = [MenuEntry(name, f"/{folder}/") for name, folder in zip(names, folders, strict=True)]
        menu[0] = replace(menu[0], below=stories)
        menu += [
            MenuEntry("Shop", "/shop/", shelves),
            MenuEntry("Pictures", "/pictures/"),
            MenuEntry("Archive", "/archive/"),
        ]
        menu += self.more
        feed = el("link", rel="alternate", type="application/rss+xml", href="/feed.xml", title=page_parts.SITE_NAME)
        return PageFrame("/", tuple(menu), tags, (feed,))

    def _tags(self, plan: PagePlan) -> tuple[tuple[str, str], ...]:
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


def _write_about(plan: PagePlan, voice: Voice, design: Design) -> list[PagePart]:
    words = load_words("world")
    _, texts = [*words["about"], words["login"]][int(plan.topic)]
    return [paragraph(voice.say(text)) for text in texts]


_WRITERS: dict[str, Writer] = {"product": write_product, "gallery": write_gallery, "about": _write_about}
