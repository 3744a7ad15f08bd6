"""Offer the size rules to `bench_images.py`: its pages come in, a score for each image goes out.

Named there as `--adapters bench.image_baselines:LargestWidth` and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from bench.image_rows import RowsPage, page_of
from scythe.reading.papers.image_sizes import SIZE_RULES, declared_sizes


class Baseline:
    """A rule that learns nothing, over the declared sizes of images."""

    rule: ClassVar[str]

    @property
    def name(self) -> str:
        """The name of the rule, as everywhere."""
        return self.rule

    def fit(self, train: Sequence[RowsPage], unlabelled: Sequence[RowsPage] = ()) -> None:
        """Take pages of one site; nothing is learned of them."""

    def predict_proba(self, page: RowsPage) -> list[float]:
        """Return 1.0 for each image of a page that the rule chooses, 0.0 for the others."""
        images = page_of(page)
        return SIZE_RULES[self.rule](images, declared_sizes(images))

    def predict(self, page: RowsPage) -> list[bool]:
        """Return which images of a page the rule chooses."""
        return [score > 0 for score in self.predict_proba(page)]


class LargestWidth(Baseline):
    """Helfman and Hollan, by width."""

    rule = "largest-width"


class LargestHeight(Baseline):
    """Helfman and Hollan, by height."""

    rule = "largest-height"


class LargestArea(Baseline):
    """Helfman and Hollan, by pixels."""

    rule = "largest-area"


class Larger300x400(Baseline):
    """Bhardwaj and Mangat, each side."""

    rule = "300x400"


class Larger120000(Baseline):
    """Bhardwaj and Mangat, all pixels."""

    rule = "120000"


class Larger400x400(Baseline):
    """Fazal et al."""

    rule = "400x400"


class Words(Baseline):
    """Gali et al."""

    rule = "words"


class Lead(Baseline):
    """The image that the page names."""

    rule = "og"
