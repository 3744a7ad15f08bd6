"""Make one training page: candidates, their features and how well each fits the gold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from bench.folds import FOLDS
from bench.site_names import fold_of, site_of
from dataset import Labelled
from labels import Gold, grade_part, grade_whole, locate, score_whole, words_of

from scythe.page import Page
from scythe.reading.lists.candidates import Candidate, find_candidates
from scythe.reading.lists.find_lists import score_leaves
from scythe.reading.lists.list_features import Described, describe, measure


@dataclass(frozen=True, slots=True)
class Prepared:
    """What training and scoring need of one page."""

    kind: str
    site: str
    plain: bool
    described: Described
    grades: np.ndarray  # what the forest learns
    whole: np.ndarray  # F1 of each candidate against all gold records
    candidates: list[Candidate]
    leaf_words: list[list[str]]
    gold: Gold
    fold: int  # of its site, as `python -m bench --folds` shares sites out

    def bags(self, candidate: int) -> list[Counter[str]]:
        """Return the words of each record that has any."""
        bags = (self._bag(start, end) for start, end in self.candidates[candidate].leaves)
        return [bag for bag in bags if bag]

    def _bag(self, start: int, end: int) -> Counter[str]:
        return Counter(word for words in self.leaf_words[start:end] for word in words)


def prepare(labelled: Labelled) -> Prepared | None:
    """Read a page as the ranker does; None when nothing on it repeats."""
    page = Page.from_text(labelled.html, url=labelled.url)
    elements = page.elements
    candidates = find_candidates(elements)
    if not candidates:
        return None
    described = describe(elements, measure(elements, score_leaves(page)), candidates)
    leaf_words = [words_of(text) for text in elements.text]
    gold = Gold(labelled.gold)
    bags = _bags_of(candidates, leaf_words)
    if labelled.kind == "newslists":
        grades = grade_part(gold, locate(labelled.gold, elements.text), bags, [one.leaves for one in candidates])
    else:
        grades = grade_whole(gold, bags)
    return Prepared(
        labelled.kind, labelled.site, labelled.plain, described, grades, score_whole(gold, bags),
        candidates, leaf_words, gold, fold_of(site_of(labelled.url, labelled.site), FOLDS),
    )  # fmt: skip


def _bags_of(candidates: list[Candidate], leaf_words: list[list[str]]) -> list[list[Counter[str]]]:
    """Return the words of each record of each candidate; many candidates share records."""
    known: dict[tuple[int, int], Counter[str]] = {}
    for candidate in candidates:
        for start, end in candidate.leaves:
            if (start, end) not in known:
                known[start, end] = Counter(word for words in leaf_words[start:end] for word in words)
    return [[known[edges] for edges in candidate.leaves] for candidate in candidates]
