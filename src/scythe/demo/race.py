"""Time two ways to the same text: the pages of a site and what was learned of it come in, CPU times go out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import scythe
from scythe.demo.build import DemoPage
from scythe.model import Document

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


def race(profile: str, pages: Iterable[DemoPage]) -> tuple[Lap, ...]:
    """Extract every page by what was learned, and read it by its tree, on one core: text, and of lists their records.

    The site sees all pages once before, as in a crawl that comes back; of three times each the best one counts.
    """
    site = scythe.Site.from_json(profile).save_trees()
    shown = list(pages)
    for page in shown:
        site.extract(page.html, url=page.url)
    laps: dict[str, tuple[int, float, float]] = {}
    for page in shown:
        cut = partial(site.extract, page.html, url=page.url)
        tree = partial(scythe.read, page.html, url=page.url, content_type=page.content_type)
        wants = attrgetter("records" if page.kind == "list" else "text")
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
