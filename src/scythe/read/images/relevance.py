"""Score the images of a page by the shared model: what is around them comes in, a probability per image goes out.

The model is boosted trees over `features.py`, trained on labelled pages of many sites; it needs no annotated page.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from scythe.errors import BadInput
from scythe.limits import LIMITS
from scythe.model import PageImages
from scythe.read.images.features import feature_names, image_features, is_nothing, site_counts
from scythe.read.records.forest import Forest, from_json
from scythe.rules import SiteImages

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
    text = resources.files("scythe.read.images").joinpath("tables/relevance.json").read_text("utf-8")
    forest = from_json(text, FORM)
    if forest.features != feature_names():
        raise BadInput("the image model was trained on other features: run train/images/train.py")
    return forest
