"""The published image classifiers for a scorer: labelled pages of one site in, answers for others out.

Each is fitted, written as JSON and read back before it answers, so that scores are of what a profile would keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.image_rows import RowsPage, page_of
from scythe.model import PageImages
from scythe.reading.papers.tc import TcModel, load_site_model, text_of, to_plain
from scythe.site.papers.fit_tc import fit_tc


class AdaBoost:
    """TC with boosted stumps: what the paper recommends."""

    method = "adaboost"
    name = "TC adaboost (scythe)"

    def __init__(self) -> None:
        self.m: TcModel | None = None  # None: no model could be fitted, which scorers count

    def fit(self, train: Sequence[RowsPage], unlabelled: Sequence[RowsPage] = ()) -> None:
        """Fit to the labelled pages of one site."""
        examples = [
            (text, bool(label))
            for page in train
            for text, label in zip(_texts(page_of(page)), page.labels, strict=True)
        ]
        tables = fit_tc(examples, self.method)
        self.m = load_site_model(to_plain(tables)) if tables.is_model else None

    def predict(self, page: RowsPage) -> list[bool]:
        """Say which images of a page are relevant."""
        return [bool(answer) for answer in self.predict_many([page])]

    def predict_many(self, pages: Sequence[RowsPage]) -> list[float]:
        """Return 1 or 0 for each image of all pages: the published scores are of answers, not of probabilities."""
        texts = [text for page in pages for text in _texts(page_of(page))]
        return [float(answer) for answer in self.m.predict(texts)] if self.m is not None else [0.0] * len(texts)


class Forest(AdaBoost):
    """TC with a random forest."""

    method = "forest"
    name = "TC forest (scythe)"


class Tree(AdaBoost):
    """TC with one decision tree."""

    method = "tree"
    name = "TC tree (scythe)"


class Neighbours(AdaBoost):
    """TC with the five nearest neighbours."""

    method = "neighbours"
    name = "TC neighbours (scythe)"


class Svm(AdaBoost):
    """TC with a support vector machine."""

    method = "svm"
    name = "TC svm (scythe)"


def _texts(page: PageImages) -> Iterable[str]:
    return (text_of(image) for image in page.images)
