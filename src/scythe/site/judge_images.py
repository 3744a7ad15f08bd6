"""Score the images of a site's pages with the shared model, adjusted by labels or replaced by a published method."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from scythe.model import RELEVANCE, RELEVANT, PageImages, SiteImages, TextOptions
from scythe.page import Page
from scythe.reading.forest import Forest
from scythe.reading.text import method as text_method

if TYPE_CHECKING:
    from scythe.reading.papers.tc import TcModel
    from scythe.site.labels.site_relevance import Update

_LABELLED = 300  # labelled pages that the update looks at, evenly spread: judging them all takes a second
_FOLDS = 20  # times that a model is fitted to try it


@dataclass(frozen=True, slots=True)
class Quality:
    """How well the relevant images of pages were told that the model had not seen."""

    pages: int
    precision: float
    recall: float

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


class ImageJudge:
    """Scores images by all that is known of their site; what the labels teach is fitted when first needed.

    `forest` replaces the shared model that ships.
    """

    def __init__(self, known: SiteImages | None = None, forest: Forest | None = None) -> None:
        self.known = known or SiteImages()
        self._forest = forest
        self._counts = self.known if self.known.pages else None

    def prepare(self) -> None:
        """Fit what the labels teach now rather than with the first page."""
        _ = self._published or self._update

    def score(self, page: PageImages) -> list[float]:
        """Return how likely each image is relevant, 0..1, in page order."""
        if not page.images:
            return []
        if self._published is not None:
            return self._published.score(page)
        from scythe.reading.images.relevance import score_images  # here and below: sites are learned without it

        if self._update is None:
            return score_images(page, self._counts, self._forest)
        return self._update.apply(page, self._logits(page))

    def score_page(
        self, page: Page, around: PageImages, find_kept: Callable[[], tuple[int, ...]] | None = None
    ) -> list[float]:
        """Do the same for a page at hand: without labels, and where no image seems relevant, its text is asked too.

        `find_kept` returns the blocks of the text; without it they are read.
        """
        scores = self.score(around)
        if self.known.labelled or not scores or max(scores) >= RELEVANT:
            return scores
        from scythe.reading.images.relevance import judge_by_place

        def read_kept() -> tuple[int, ...]:
            return text_method("auto")(page, TextOptions()).kept

        return judge_by_place(page, find_kept or read_kept, around, scores)

    @cached_property
    def _update(self) -> Update | None:
        """What labels change in the answers of the shared model; None where there are none."""
        from scythe.site.labels.site_relevance import fit_update
        from scythe.site.url_clusters import spread

        labelled = spread(self.known.labelled, _LABELLED)
        if not labelled:
            return None
        return fit_update(labelled, [self._logits(each.page) for each in labelled])

    def _logits(self, page: PageImages) -> list[float]:
        from scythe.reading.images.relevance import image_logits

        found: list[float] = image_logits(page, self._counts, self._forest).tolist()
        return found

    @cached_property
    def _published(self) -> TcModel | None:
        """The model of a published method; None where none was asked for or none could be fitted."""
        if not self.known.model:
            return None
        from scythe.reading.papers.tc import load_site_model

        model = load_site_model(json.loads(self.known.model))
        return model if not model.why else None


def expect_quality(known: SiteImages) -> Quality | None:
    """Try what labels teach on pages left out in turn; None with fewer than two pages or where none is relevant.

    Raises MissingExtra where the method is a published one and cannot be fitted.
    """
    from scythe.site.labels.annotators import agreed_marks, page_key

    keys = {key: number for number, key in enumerate(dict.fromkeys(page_key(each.page) for each in known.labelled))}
    if len(keys) < 2:
        return None
    hits = wrong = missed = 0
    for fold in range(min(len(keys), _FOLDS)):
        left_out = [keys[page_key(each.page)] % _FOLDS == fold for each in known.labelled]
        rest = [each for each, is_out in zip(known.labelled, left_out, strict=True) if not is_out]
        judge = ImageJudge(fit_method(replace(known, labelled=tuple(rest))))
        for each, is_out in zip(known.labelled, left_out, strict=True):
            if is_out:
                scores = judge.score(each.page)
                for row, truth in agreed_marks(each).items():
                    hits += truth and scores[row] >= RELEVANT
                    wrong += not truth and scores[row] >= RELEVANT
                    missed += truth and scores[row] < RELEVANT
    if not hits + missed:
        return None
    return Quality(len(keys), hits / (hits + wrong) if hits + wrong else 0.0, hits / (hits + missed))


def why_no_model(known: SiteImages) -> str:
    """Say why a published method that was asked for has no model; empty where it has one or none was asked for."""
    if not known.model:
        return ""
    from scythe.reading.papers.tc import load_site_model

    return load_site_model(json.loads(known.model)).why


def fit_method(known: SiteImages) -> SiteImages:
    """Return the same with a model of its labels where the method is a published one. Raises MissingExtra."""
    if known.method == RELEVANCE:
        return replace(known, model="")
    from scythe.site.papers.fit_tc import fit_site_model

    model = fit_site_model(known.labelled, known.method)
    return replace(known, model=json.dumps(model, sort_keys=True, separators=(",", ":"), allow_nan=False))
