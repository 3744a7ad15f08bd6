"""Score a crawl of the demo site against its correct content, and time cutting against parsing."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from statistics import fmean

from scythe.crawl_model import Extracted
from scythe.demo.build import DemoPage
from scythe.demo.crawl_steps import RedesignEffect, Step, Visited
from scythe.demo.scoring import compare, cut_tokens, rate
from scythe.demo.watched_list import Watched
from scythe.demo.world import World
from scythe.model import Document
from scythe.reader import read
from scythe.site.site import Site

_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Lap:
    """The pages of one kind, by both ways; seconds are of CPU and of all pages together."""

    kind: str
    pages: int
    cut_s: float
    tree_s: float

    @property
    def times(self) -> float:
        """How many times as fast cutting is."""
        return self.tree_s / max(self.cut_s, 1e-9)

    @property
    def tree_us(self) -> float:
        """Microseconds a page, by the tree."""
        return self.tree_s / max(self.pages, 1) * 1e6

    @property
    def cut_us(self) -> float:
        """Microseconds a page, cut."""
        return self.cut_s / max(self.pages, 1) * 1e6


def race(profile: str, pages: Iterable[DemoPage]) -> tuple[Lap, ...]:
    """Extract every page by what was learned, and read it by its tree, on one core: text, and of lists their records.

    The site sees all pages once before, as in a crawl that comes back; of three times each the best one counts.
    """
    site = Site.from_json(profile)
    shown = list(pages)
    for page in shown:
        site.extract(page.html, url=page.url)
    laps: dict[str, tuple[int, float, float]] = {}
    for page in shown:
        cut = partial(site.extract, page.html, url=page.url)
        tree = partial(read, page.html, url=page.url, content_type=page.content_type)
        wants = attrgetter("lists" if page.kind == "list" else "text")
        count, cut_s, tree_s = laps.get(page.kind, (0, 0.0, 0.0))
        laps[page.kind] = (count + 1, cut_s + _time(cut, wants), tree_s + _time(tree, wants))
    return tuple(Lap(kind, *sums) for kind, sums in laps.items())


def _time(work: Callable[[], Document], wants: Callable[[Document], object]) -> float:
    """Return the CPU seconds of the best of some rounds."""
    best = float("inf")
    for _ in range(_ROUNDS):
        began = time.process_time()
        wants(work())
        best = min(best, time.process_time() - began)
    return best


def total(laps: Iterable[Lap]) -> Lap:
    """Add laps up."""
    sums = [(lap.pages, lap.cut_s, lap.tree_s) for lap in laps]
    return Lap("all", sum(s[0] for s in sums), sum(s[1] for s in sums), sum(s[2] for s in sums))


FIELDS = ("title", "text", "date", "author", "images", "records")


@dataclass(frozen=True, slots=True)
class KindRow:
    """The pages of one kind and what was found of them."""

    kind: str
    pages: int  # that the site has
    found: int
    titles: int  # that are right
    f1: float | None  # mean over those found, of the text; None where a kind has no text of its own
    images: tuple[int, int]  # found, wanted
    records: tuple[int, int]


@dataclass(frozen=True, slots=True)
class FieldRow:
    """How one field was got on the pages after the site was learned."""

    name: str
    cut: int
    tree: int
    missing: int


@dataclass(frozen=True, slots=True)
class LearnedBefore:
    """What was learned of the site before it changed."""

    after: int  # pages read by the tree
    layouts: int
    fields: tuple[str, ...]  # that there are rules for


@dataclass(frozen=True, slots=True)
class SamplePages:
    """Something to look at."""

    title: str = ""
    text: str = ""
    url: str = ""
    columns: tuple[str, ...] = ()
    records: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Results:
    """Everything the demo shows."""

    url: str
    pages: int  # of the ledger
    seconds: float
    requests: int
    received: int
    records: int
    kinds: tuple[KindRow, ...]
    fields: tuple[FieldRow, ...]
    steps: tuple[Step, ...]
    redesign: RedesignEffect | None
    laps: tuple[Lap, ...]  # before the redesign
    laps_after: tuple[Lap, ...] = ()  # on pages since it was healed
    learned: LearnedBefore | None = None
    watched: Watched | None = None
    article: SamplePages = field(default_factory=SamplePages)
    listing: SamplePages = field(default_factory=SamplePages)

    @property
    def f1(self) -> float | None:
        """F1 of the text, mean over the pages found that have one."""
        scored = [(row.f1, row.found) for row in self.kinds if row.f1 is not None]
        pages = sum(found for _, found in scored)
        return sum(f1 * found for f1, found in scored) / pages if pages else None

    @property
    def found(self) -> int:
        """Pages of the ledger that are in the archive."""
        return sum(row.found for row in self.kinds)


def score_kinds(world: World, visited: Iterable[Visited], paths: set[str] | None = None) -> tuple[KindRow, ...]:
    """Compare what was extracted with the gold, kind by kind; only on those `paths`, where they are given."""
    got = {visit.path: visit.extracted for visit in visited}
    kinds: dict[str, list[tuple[DemoPage, Extracted | None]]] = {}
    for path in world.paths:
        if paths is not None and path not in paths:
            continue
        page = world.page(path)
        assert page is not None  # the world wrote the paths
        kinds.setdefault(page.kind, []).append((page, got.get(path)))
    order = ("news", "blog", "docs", "recipe", "product", "gallery", "about", "list")
    return tuple(_score(kind, kinds[kind]) for kind in order if kind in kinds)


def _score(kind: str, pages: Sequence[tuple[DemoPage, Extracted | None]]) -> KindRow:
    found = [(page, extracted) for page, extracted in pages if extracted is not None]
    scores = [_f1(page, extracted) for page, extracted in found if page.gold_text]
    images = sum(len(_relevant(extracted) & set(page.gold_images)) for page, extracted in found)
    records = sum(_listed(page, extracted) for page, extracted in found)
    wanted = sum(len(page.gold_images) for page, _ in pages), sum(len(page.gold_records) for page, _ in pages)
    titles = sum(extracted.title == page.gold_title for page, extracted in found)
    f1 = fmean(scores) if scores else None
    return KindRow(kind, len(pages), len(found), titles, f1, (images, wanted[0]), (records, wanted[1]))


def score_texts(world: World, visited: Iterable[Visited]) -> dict[str, float]:
    """Return F1 of the text by path, for pages of the ledger that have one."""
    pages = ((world.page(visit.path), visit.extracted) for visit in visited)
    return {page.path: _f1(page, got) for page, got in pages if page is not None and got is not None and page.gold_text}


def _f1(page: DemoPage, extracted: Extracted) -> float:
    return rate(compare(cut_tokens(page.gold_text), cut_tokens(extracted.text))).f1


def _relevant(extracted: Extracted) -> set[str]:
    return {image["src"] for image in json.loads(extracted.rest).get("images", ()) if image.get("relevant")}


def _listed(page: DemoPage, extracted: Extracted) -> int:
    """Count the entries of a list page that are among its records, told by their links."""
    links = {link for region in extracted.lists for record in region.records for link in record.links}
    return sum(page.base + record.path in links for record in page.gold_records)


def count_fields(visited: Iterable[Visited]) -> tuple[FieldRow, ...]:
    """Count how fields were got once the site was learned."""
    ways: dict[str, Counter[str]] = {name: Counter() for name in FIELDS}
    for visit in visited:
        for name, way in _ways(visit.extracted).items():
            ways[name][way] += 1
    return tuple(FieldRow(name, way["cut"], way["tree"], way["missing"]) for name, way in ways.items())


def _ways(extracted: Extracted | None) -> dict[str, str]:
    """Return cut, tree or missing for each field of a page that was extracted by what was learned."""
    if extracted is None or extracted.how == "cold":
        return {}
    how: dict[str, str] = json.loads(extracted.rest).get("how", {})
    return {name: how[name].partition(":")[0] for name in FIELDS if name in how}


_RECORDS = 4
_LINES = 6


def choose_article(visited: Sequence[Visited], world: World) -> SamplePages:
    """Choose a story that was cut, to show some lines of it."""
    for visit in visited:
        plan = world.ledger.by_path.get(visit.path)
        if plan and visit.extracted and plan.kind == "news" and plan.language == "en" and visit.extracted.how == "cut":
            lines = visit.extracted.text.splitlines()[:_LINES]
            return SamplePages(visit.extracted.title, "\n".join(lines), world.base + visit.path)
    return SamplePages()


def choose_listing(visited: Sequence[Visited], world: World) -> SamplePages:
    """Choose a list page with records, to show some of them."""
    for visit in visited:
        if visit.path in world.ledger.lists and visit.extracted and visit.extracted.lists:
            region = visit.extracted.lists[0]
            shown = tuple(record.fields for record in region.records[:_RECORDS])
            return SamplePages(visit.extracted.title, "", world.base + visit.path, region.columns, shown)
    return SamplePages()
