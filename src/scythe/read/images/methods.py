"""Ways to judge the images of a page, by name: a page and its kept blocks come in, its images go out, scored.

Whatever a method needs is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scythe.errors import BadInput
from scythe.model import Image
from scythe.page import Page
from scythe.read.images.marks import mark_scores

if TYPE_CHECKING:
    from scythe.read.records.forest import Forest

MarkImages = Callable[[Page, tuple[int, ...]], tuple[Image, ...]]
Size = tuple[int | None, int | None]  # width and height in pixels, None where unknown
AskSizes = Callable[[Sequence[str]], Sequence[Size]]  # the real sizes of images at some addresses, in their order

SIZE_METHODS = ("largest-width", "largest-height", "largest-area", "300x400", "120000", "400x400", "words")
METHODS = ("relevance", "nearby", "entities", "og", *SIZE_METHODS)
DEFAULT = "relevance"


def image_method(name: str) -> MarkImages:
    """Return the method with that name. Raises BadInput when there is none."""
    if name == "relevance":
        return mark_by_model
    if name == "nearby":
        from scythe.read.images.nearby import mark_relevant

        return mark_relevant
    if name == "entities":
        from scythe.read.images.main_block import mark_by_entities

        return mark_by_entities
    if name in METHODS:
        return partial(_mark_by_rule, name=name)
    raise BadInput(f"no image method is called {name!r:.60}; known are {', '.join(METHODS)}")


def mark_by_sizes(page: Page, name: str, sizes: Sequence[Size] | None = None) -> tuple[Image, ...]:
    """Return every image of the page as a size method judges it; `sizes`, one for each image, replace declared ones.

    Raises BadInput when no size method has that name or the number of sizes is another.
    """
    from scythe.page.image_context import read_image_contexts
    from scythe.read.images.sizes import SIZE_RULES, declared_sizes

    if name not in SIZE_RULES:
        raise BadInput(f"{name!r:.60} does not judge by sizes; {', '.join(SIZE_RULES)} do")
    if sizes is not None and len(sizes) != len(page.images):
        raise BadInput(f"{len(sizes)} sizes for the {len(page.images)} images of the page")
    contexts = read_image_contexts(page)
    return mark_scores(page, SIZE_RULES[name](contexts, declared_sizes(contexts) if sizes is None else sizes))


def mark_measured(page: Page, kept: tuple[int, ...], *, name: str, ask: AskSizes) -> tuple[Image, ...]:
    """Return every image of the page as a method judges it, with real sizes, by which size methods then go."""
    known = list(ask([use.image.src for use in page.images]))
    declared = [(use.image.width, use.image.height) for use in page.images]
    sizes = [real if None not in real else said for real, said in zip(known, declared, strict=True)]
    images = mark_by_sizes(page, name, sizes) if name in SIZE_METHODS else image_method(name)(page, kept)
    return tuple(replace(image, width=size[0], height=size[1]) for image, size in zip(images, sizes, strict=True))


def _mark_by_rule(page: Page, kept: tuple[int, ...], *, name: str) -> tuple[Image, ...]:
    return mark_by_sizes(page, name)


def mark_by_model(page: Page, kept: tuple[int, ...], forest: Forest | None = None) -> tuple[Image, ...]:
    """Return every image of the page as the shared model judges it; `forest` replaces the one that ships."""
    from scythe.page.image_context import read_image_contexts
    from scythe.read.images.last_resort import judge_by_place
    from scythe.read.images.relevance import score_images

    around = read_image_contexts(page)
    return mark_scores(page, judge_by_place(page, kept, around, score_images(around, forest=forest)))
