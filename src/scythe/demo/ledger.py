"""What the large demo site consists of: a seed and a count come in, the plan of every page it has goes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from scythe.demo.pictures import plan_gallery
from scythe.demo.plan import FIRST_DAY, Plan, plan_page
from scythe.demo.prose import load_words
from scythe.demo.shop import categories, plan_product

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
class Listing:
    """One page of a list."""

    path: str
    title: str
    entries: tuple[Plan, ...]
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
class Ledger:
    """Every page of a site, by its path."""

    seed: int
    count: int  # of content pages

    @cached_property
    def content(self) -> tuple[Plan, ...]:
        """Articles, galleries and products, in the order of their numbers."""
        return tuple(_plan(self.seed, number) for number in range(self.count))

    @cached_property
    def by_path(self) -> dict[str, Plan]:
        """Content pages and the few that every site has."""
        return {plan.path: plan for plan in (*self.content, *_plan_about(self.seed))}

    @cached_property
    def lists(self) -> dict[str, Listing]:
        """List pages by their path, the front page first."""
        return {listing.path: listing for listing in self._list_all()}

    @property
    def paths(self) -> tuple[str, ...]:
        """The path of every page, the front page first."""
        return (*self.lists, *self.by_path)

    def newest(self, *kinds: str) -> list[Plan]:
        """Return the pages of some kinds, newest first."""
        found = [plan for plan in self.content if plan.kind in kinds]
        return sorted(found, key=lambda plan: (plan.published, plan.number), reverse=True)

    def others(self, plan: Plan) -> list[Plan]:
        """Return the pages this one leads to: the next ones of its sort, round the site."""
        same = self._sorts.get(_sort(plan), self._sorts[_sort(self.content[0])])
        at = self._places.get(plan.path, 0)
        turned = [same[(at + step) % len(same)] for step in range(1, min(len(same), _OTHERS + 1))]
        return [other for other in turned if other.path != plan.path]

    @cached_property
    def _sorts(self) -> dict[tuple[str, str], list[Plan]]:
        sorts: dict[tuple[str, str], list[Plan]] = {}
        for plan in self.content:
            sorts.setdefault(_sort(plan), []).append(plan)
        return sorts

    @cached_property
    def _places(self) -> dict[str, int]:
        return {plan.path: at for plans in self._sorts.values() for at, plan in enumerate(plans)}

    def _list_all(self) -> Iterator[Listing]:
        articles = self.newest(*ARTICLES)
        yield from _paged("/", "The Field Post", articles)
        names = load_words("en")["ui"]["sections"]
        for number, folder in enumerate(load_words("world")["sections"]):
            yield from _paged(f"/{folder}/", names[number], [plan for plan in articles if plan.number % 6 == number])
        for tag, name in load_words("world")["tags"].items():
            yield from _paged(f"/tag/{tag}/", f"Stories about {name.lower()}", [p for p in articles if p.topic == tag])
        months = [(month, list(plans)) for month, plans in groupby(articles, lambda plan: f"{plan.published:%Y/%m}")]
        yield Listing("/archive/", "Archive", tuple(_point_to_month(month, plans) for month, plans in months))
        for month, plans in months:
            yield from _paged(f"/archive/{month}/", f"{plans[0].published:%B %Y}", plans)
        yield from self._list_things()

    def _list_things(self) -> Iterator[Listing]:
        products = self.newest("product")
        shelves = {folder: [plan for plan in products if plan.topic == folder] for folder in categories()}
        yield Listing("/shop/", "Shop", tuple(_point_to_shelf(folder, plans) for folder, plans in shelves.items()))
        for folder, name in categories().items():
            yield from _paged(f"/shop/{folder}/", name, shelves[folder], further="?page={}")
        yield from _paged("/pictures/", "Pictures", self.newest("gallery"))


def _plan(seed: int, number: int) -> Plan:
    kind, language = _CYCLE[number % len(_CYCLE)]
    round_ = number // len(_CYCLE)
    if kind == "product":
        return plan_product(seed, number)
    if kind == "gallery":
        return plan_gallery(seed, number)
    if kind in ("docs", "recipe") and round_ >= _THINGS:
        kind = "news"
    return plan_page(seed, number, kind, language, round_=round_)


def _plan_about(seed: int) -> Iterator[Plan]:
    """Plan the pages about the site itself; their topic is their place in the word file."""
    words = load_words("world")
    for number, (title, texts) in enumerate([*words["about"], words["login"]]):
        path = "/login" if title == words["login"][0] else f"/about-{number}.html"
        yield Plan(number, "about", "en", path, title, "", FIRST_DAY, str(number), texts[0], f"{seed}/about/{number}")


def _point_to_month(month: str, plans: list[Plan]) -> Plan:
    newest = plans[0].published
    title, teaser = f"{newest:%B %Y}", f"{len(plans)} stories, the newest of {newest:%d %B}"
    return Plan(len(plans), "list", "en", f"/archive/{month}/", title, "", newest, "", teaser, month)


def _point_to_shelf(folder: str, plans: list[Plan]) -> Plan:
    teaser = f"{len(plans)} things for the field and the house"
    return Plan(len(plans), "list", "en", f"/shop/{folder}/", categories()[folder], "", FIRST_DAY, "", teaser, folder)


def _paged(path: str, title: str, plans: Iterable[Plan], further: str = "page/{}/") -> Iterator[Listing]:
    """Yield the pages of one list; an empty list has one page."""
    plans = tuple(plans)
    total = max(1, -(-len(plans) // LIST_LENGTH))
    paths = tuple(path if n == 1 else path + further.format(n) for n in range(1, total + 1))
    for n in range(1, total + 1):
        named = title if n == 1 else f"{title}, page {n}"
        yield Listing(paths[n - 1], named, plans[(n - 1) * LIST_LENGTH : n * LIST_LENGTH], n, paths)


def _sort(plan: Plan) -> tuple[str, str]:
    return ("article" if plan.kind in ARTICLES else plan.kind, plan.language)
