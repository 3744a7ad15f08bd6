"""Score the images of a page with the shared relevance model, boosted trees trained on labelled pages of many sites.

Short pages with one picture are unlike its training pages; there an unlinked image in the main text is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import RELEVANT, PageImages, SiteImages
from scythe.package_files import packaged_text
from scythe.page import Page
from scythe.page.content import image_places, is_icon
from scythe.reading.forest import Forest, from_json
from scythe.reading.images.image_features import feature_names, image_features, is_nothing, site_counts

_LEAST = 0.05  # below it the model is sure that an image is furniture
_NEAR_BEST = 0.5  # of the best score there: one that is much worse is another kind of image


def judge_by_place(
    page: Page, find_kept: Callable[[], tuple[int, ...]], around: PageImages, scores: Sequence[float]
) -> list[float]:
    """Return the scores, with even odds for images in the kept text where no image of the page is relevant.

    What is kept is only asked for where an image could be.
    """
    found = list(scores)
    if not found or max(found) >= RELEVANT:
        return found
    if not any(score >= _LEAST and image.link is None for score, image in zip(found, around.images, strict=True)):
        return found
    kept = find_kept()
    if not kept:
        return found
    nodes = page.blocks.image_node
    standing = {nodes[row].mem_id for row in image_places(page.blocks, kept)}
    candidates = [
        number
        for number, (use, image) in enumerate(zip(page.images, around.images, strict=True))
        if use.node_id in standing and image.link is None and found[number] >= _LEAST and not is_icon(use.image)
    ]
    best = max((found[number] for number in candidates), default=0.0)
    for number in candidates:
        if found[number] >= _NEAR_BEST * best:
            found[number] = RELEVANT
    return found


FORM = "scythe-image-forest"
_NOTHING = -8.0  # logit of an image that shows nothing: no labelled one of some 370 is relevant
_STEEPEST = 30.0  # logits beyond it are as sure as can be told apart


def score_images(page: PageImages, site: SiteImages | None = None, forest: Forest | None = None) -> list[float]:
    """Return for each image of a page how likely it belongs to the content, 0 to 1; one from .5 on is relevant.

    `site` says how often images repeat on other pages of the site, where some are known; `forest` replaces the shipped
    model.
    """
    found: list[float] = (1.0 / (1.0 + np.exp(-image_logits(page, site, forest)))).tolist()
    return found


def image_logits(page: PageImages, site: SiteImages | None = None, forest: Forest | None = None) -> NDArray[np.float64]:
    """Return the scores as logits: 0 where an image is as likely relevant as not; `forest` replaces the shipped one."""
    if not page.images:
        return np.zeros(0)
    judged = page if len(page.images) <= LIMITS.page_images else replace(page, images=page.images[: LIMITS.page_images])
    rows = image_features(judged, site_counts(site) if site is not None else None)
    logits = np.full(len(page.images), _NOTHING)  # images beyond the limit are not judged
    logits[: len(rows)] = np.clip((forest or load()).predict(rows), -_STEEPEST, _STEEPEST)
    return np.where([is_nothing(image) for image in page.images], np.minimum(logits, _NOTHING), logits)


@lru_cache(maxsize=1)
def load() -> Forest:
    """Return the trees that ship with the package, whose mean is a logit. Raises BadInput if they do not fit."""
    text = packaged_text("scythe.reading.images", "tables/relevance.json")
    forest = from_json(text, FORM)
    if forest.features != feature_names():
        raise BadInput("the image model was trained on other features: run train/images/train.py")
    return forest
