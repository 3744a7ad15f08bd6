"""The image methods by name, and the default rule by position and declared size; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scythe.errors import BadInput
from scythe.model import RELEVANT, Image
from scythe.page import Page
from scythe.page.content import AFTER, BEFORE, BETWEEN, INSIDE, image_places, is_icon

if TYPE_CHECKING:
    from scythe.reading.forest import Forest


def mark_scores(page: Page, scores: Sequence[float]) -> tuple[Image, ...]:
    """Return every image of the page with its score; one half and more is relevant."""
    pairs = zip(page.images, scores, strict=True)
    return tuple(replace(use.image, score=score, relevant=score >= RELEVANT) for use, score in pairs)


_SURE = {INSIDE: 0.9, BETWEEN: 0.8, BEFORE: 0.6, AFTER: 0.6}  # how sure each place makes us
_DECLARED = 0.7  # the page names it as the image to show for it


def mark_relevant(page: Page, kept: tuple[int, ...]) -> tuple[Image, ...]:
    """Return every image of the page in page order, with `score` and `relevant` set."""
    if not page.images:
        return ()
    nodes = page.blocks.image_node
    places = {nodes[row].mem_id: _SURE[place] for row, place in image_places(page.blocks, kept).items()}
    lead = page.metadata.image
    scores = []
    for use in page.images:
        score = max(places.get(use.node_id, 0.0), _DECLARED if lead is not None and lead in use.addresses else 0.0)
        scores.append(score * 0.5 if is_icon(use.image) else score)
    return mark_scores(page, scores)


def mark_chosen(page: Page, kept: tuple[int, ...], *, chosen: tuple[int, ...]) -> tuple[Image, ...]:
    """Do the same for a text method that chose the images itself: the rows in `chosen` are relevant, no others."""
    nodes = page.blocks.image_node
    ids = {nodes[row].mem_id for row in chosen}
    marks = ((use.image, use.node_id in ids) for use in page.images)
    return tuple(replace(image, score=float(mark), relevant=mark) for image, mark in marks)


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
        return mark_relevant
    if name == "entities":
        from scythe.reading.papers.main_block import mark_by_entities

        return mark_by_entities
    if name in METHODS:
        return partial(_mark_by_rule, name=name)
    raise BadInput(f"unknown image method {name!r:.60}; expected one of {', '.join(METHODS)}")


def mark_by_sizes(page: Page, name: str, sizes: Sequence[Size] | None = None) -> tuple[Image, ...]:
    """Return every image of the page as a size method judges it; `sizes`, one for each image, replace declared ones.

    Raises BadInput when no size method has that name or the number of sizes is another.
    """
    from scythe.page.image_context import read_image_contexts
    from scythe.reading.papers.image_sizes import SIZE_RULES, declared_sizes

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
    from scythe.reading.images.relevance import judge_by_place, score_images

    around = read_image_contexts(page)
    return mark_scores(page, judge_by_place(page, lambda: kept, around, score_images(around, forest=forest)))
