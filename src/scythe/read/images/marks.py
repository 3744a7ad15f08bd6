"""Mark the images of a page by their scores: a page and a score per image come in, its images go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scythe.model import RELEVANT, Image
from scythe.page import Page


def mark_scores(page: Page, scores: Sequence[float]) -> tuple[Image, ...]:
    """Return every image of the page with its score; one half and more is relevant."""
    pairs = zip(page.images, scores, strict=True)
    return tuple(replace(use.image, score=score, relevant=score >= RELEVANT) for use, score in pairs)
