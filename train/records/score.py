"""Score a ranking: scores of candidates come in, the numbers of the benchmark go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from labels import f1
from prepare import Prepared

from scythe.reading.lists.find_lists import choose, is_clear, settle

FOUND = 0.5  # F1 from which an ingredient list counts as found
FIRST = 3


@dataclass(frozen=True, slots=True)
class Quality:
    """What the benchmark measures, on the pages of each set."""

    mixed: float  # F1 of the region ranked first
    hard: float  # the same on pages whose records are not plain siblings
    news: tuple[float, float, float]  # precision, recall and F1 of all records returned
    recipes: float  # F1 of the best region returned
    first: float  # share of recipes whose ingredients are among the first three

    def __str__(self) -> str:
        news = "/".join(f"{value:.3f}" for value in self.news)
        return f"{self.mixed:.3f} | {self.hard:.3f} | {news} | {self.recipes:.3f} | {self.first:.3f}"


HEADER = "mixedlists | hard | newslists P/R/F1 | recipes best | in first three"


def judge(pages: Sequence[Prepared], scores: Sequence[np.ndarray], cut: float) -> Quality:
    """Choose regions on every page and score what would be returned."""
    returned = [_returned(page, own, cut) for page, own in zip(pages, scores, strict=True)]
    both = list(zip(pages, returned, strict=True))
    mixed = [(page.plain, _best(page, one[:1])) for page, one in both if page.kind == "mixedlists"]
    news = [_whole_page(page, one) for page, one in both if page.kind == "newslists"]
    recipes = [(_best(page, one), _best(page, one[:FIRST])) for page, one in both if page.kind == "recipes"]
    precision, recall, fair = np.mean(news, axis=0)
    return Quality(
        mixed=float(np.mean([value for _, value in mixed])),
        hard=float(np.mean([value for plain, value in mixed if not plain])),
        news=(float(precision), float(recall), float(fair)),
        recipes=float(np.mean([best for best, _ in recipes])),
        first=float(np.mean([first >= FOUND for _, first in recipes])),
    )


def _returned(page: Prepared, scores: np.ndarray, cut: float) -> list[int]:
    """Return what the package would, with another cut."""
    scores = settle(page.described, scores)
    chosen = choose(page.candidates, scores, len(page.leaf_words))
    above = [one for one in chosen if scores[one] >= cut]
    return above or [one for one in chosen[:1] if is_clear(page.described, one, scores[one])]


def _best(page: Prepared, candidates: Sequence[int]) -> float:
    return max((float(page.whole[one]) for one in candidates), default=0.0)


def _whole_page(page: Prepared, candidates: Sequence[int]) -> tuple[float, float, float]:
    records = [bag for one in candidates for bag in page.bags(one)]
    return f1(len(page.gold.match(records)), len(records), len(page.gold))
