"""Offer the models of `train.py --folds FILE` to the image benchmark: each site is judged by one that has not seen it.

SCYTHE_IMAGE_FOLDS=FILE PYTHONPATH=train/images python bench_images.py DATA --adapters crossval:Updated --k 0,3,6
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from bench.image_rows import rows_to_page

from scythe.model import ImageMarks, LabelledPage, PageImages, SiteImages
from scythe.reading.forest import Forest, from_json
from scythe.reading.images.relevance import FORM, image_logits
from scythe.site.labels.site_relevance import Update, count_images, fit_update


@lru_cache(maxsize=1)
def _folds() -> tuple[dict[str, int], list[Forest]]:
    saved = json.loads(Path(os.environ.get("SCYTHE_IMAGE_FOLDS", "folds.json")).read_text("utf-8"))
    return saved["sites"], [from_json(text, FORM) for text in saved["forests"]]


def held_forest(site: str) -> Forest:
    """Return the model that has not seen a site."""
    sites, forests = _folds()
    return forests[sites[site]]


class Held:
    """What the scorer asks of a method, with no label of other pages of the site in the model."""

    name = "relevance-held"
    _pages: dict[int, tuple[Any, PageImages]] = {}  # noqa: RUF012  shared on purpose: the scorer makes many adapters

    def __init__(self) -> None:
        self._site = SiteImages()

    def fit(self, train: Sequence[Any], unlabelled: Sequence[Any] = ()) -> None:
        self._site = count_images([self._read(page) for page in unlabelled])

    def predict(self, page: Any) -> list[bool]:
        return [score >= 0.5 for score in self.predict_proba(page)]

    def predict_proba(self, page: Any) -> list[float]:
        return self._z(page)

    def predict_many(self, pages: Sequence[Any]) -> list[float]:
        return [score for page in pages for score in self.predict_proba(page)]

    def _z(self, page: Any) -> list[float]:
        return (1 / (1 + np.exp(-self.logits(page)))).tolist()

    def logits(self, page: Any) -> np.ndarray:
        """Return what the model says before any label of the site is known."""
        return image_logits(self._read(page), self._site, held_forest(page.site)) if page.images else np.zeros(0)

    def _read(self, page: Any) -> PageImages:
        known = self._pages.get(id(page.images))
        if known is None:
            known = self._pages[id(page.images)] = (page.images, rows_to_page(page.url, page.images))
        return known[1]


class Updated(Held):
    """The same, corrected by the labels of the annotated pages."""

    name = "relevance-updated"

    def __init__(self) -> None:
        super().__init__()
        self._update = Update()

    def fit(self, train: Sequence[Any], unlabelled: Sequence[Any] = ()) -> None:
        super().fit(train, unlabelled)
        labelled = [LabelledPage(self._read(page), (_marks(page.labels),)) for page in train]
        self._update = fit_update(labelled, [self.logits(page).tolist() for page in train])

    def predict_proba(self, page: Any) -> list[float]:
        return self._update.apply(self._read(page), self.logits(page).tolist())


def _marks(labels: Sequence[int]) -> ImageMarks:
    numbered = list(enumerate(labels))
    return ImageMarks(
        "", tuple(row for row, label in numbered if label), tuple(row for row, label in numbered if not label)
    )
