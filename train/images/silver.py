"""Label images by where they stand to the main text: pages with known text come in, images with doubtful labels go out.

Image labels are few; pages whose text is known are many. An image between paragraphs of the text belongs to it; one
far from the text does not; what the place does not tell gets no label. Pages that list things have no relevant image.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tldextract

from scythe.model import ImageContext, PageImages, TextOptions
from scythe.page import Page
from scythe.page.content import AFTER, BEFORE, BETWEEN, INSIDE, content_box, image_places, is_icon
from scythe.page.image_context import read_image_contexts
from scythe.reading.images.image_features import LINKS, read_address, read_label, read_link, roles, roles_of
from scythe.reading.text import method

TEXT_SETS = ("dragnet", "trafilatura", "readability", "articles", "chaos", "cleaneval", "newsgold", "big9")
LIST_SETS = ("newslists", "mixedlists")
SILVER_SETS = TEXT_SETS + LIST_SETS
LEAST_CHARS = 400  # of main text; the place of an image to less says little
_NEAREST = 4  # elements around an image whose names are about it
_BEFORE_TRUST = 0.5  # before the first paragraph: the lead image, or a picture of the header
_ABROAD_TRUST = 0.3  # inside the text, with a link to another site: a photo there, or an advert
_ATTACHED_TRUST = 0.5  # ... to a page of the same site that is named like the file
_domain = tldextract.TLDExtract(suffix_list_urls=())


@dataclass(frozen=True)
class Silver:
    """One page with labels, and for each how much it is worth."""

    site: str
    template: str  # pages of one site at about one time
    images: PageImages
    labels: np.ndarray
    trust: np.ndarray


def registered(address: str) -> str:
    """Return the registered name of an address or host without its suffix; example.com and example.co.uk are one."""
    return _domain(address).domain.lower() or address


def silver_file(data: Path, name: str) -> Path:
    """Return the file of one set."""
    return data / ("records" if name in LIST_SETS else "text") / f"{name}.jsonl.xz"


def read_silver(data: Path, name: str) -> Iterator[Silver]:
    """Read one set."""
    with lzma.open(silver_file(data, name), "rt", encoding="utf-8") as lines:
        for line in lines:
            saved = json.loads(line)
            page = Page.from_text(saved["html"], url=saved.get("url"))
            known = next((text for text in (saved.get("url"), saved.get("site")) if text), saved.get("id", ""))
            if page.images:
                site = registered(known)
                template = saved["id"].partition("/")[0] if name == "big9" else site
                yield from _label(page, (site, template), is_list=name in LIST_SETS)


def _label(page: Page, place: tuple[str, str], *, is_list: bool) -> Iterator[Silver]:
    contexts = read_image_contexts(page)
    count = len(contexts.images)
    if is_list:
        yield Silver(*place, contexts, np.zeros(count), np.ones(count))
        return
    kept = method("auto")(page, TextOptions()).kept
    if sum(len(page.blocks.text[number]) for number in kept) >= LEAST_CHARS:
        labels, trust = zip(*_judge(page, contexts, kept), strict=True)
        yield Silver(*place, contexts, np.array(labels), np.array(trust))


def _judge(page: Page, contexts: PageImages, kept: tuple[int, ...]) -> Iterator[tuple[float, float]]:
    blocks = page.blocks
    places = image_places(blocks, kept)
    content = content_box(blocks, kept)
    rows = {node.mem_id: row for row, node in enumerate(blocks.image_node)}
    for use, image in zip(page.images, contexts.images, strict=True):
        row = next((rows[number] for number in (use.node_id, *use.twin_ids) if number in rows), None)
        if row is None:
            yield 0.0, 0.5
            continue
        inside = _is_inside(blocks.box_parent, blocks.image_box[row], content)
        place = places.get(row)
        if place in (INSIDE, BETWEEN, BEFORE) and is_advert(image):
            yield 0.0, 1.0
        elif place in (INSIDE, BETWEEN, BEFORE) and not is_icon(use.image):
            yield 1.0, _trust(image, contexts.url, place == BEFORE, inside)
        else:
            linked = LINKS[read_link(image.link, contexts.url).kind] in ("other page", "other host")
            doubtful = place == AFTER or (inside and not linked) or image.is_lead or image.is_stated
            yield 0.0, 0.0 if doubtful and place not in (INSIDE, BETWEEN, BEFORE) else 1.0


def is_advert(image: ImageContext) -> bool:
    """Say whether the nearest elements or the host of an image say that somebody pays for it."""
    said = 0
    for label in image.path[:_NEAREST]:
        said |= read_label(label)[1]
    server = read_address(image.src).host.partition(".")[0]
    return bool((said | roles_of(server)) >> roles().index("advert") & 1)


def _trust(image: ImageContext, url: str, before: bool, inside: bool) -> float:
    """Return how much it is worth that an image stands in the text: one with a link may be a teaser."""
    target = read_link(image.link, url)
    kind = LINKS[target.kind]
    if kind in ("home", "script"):
        return 0.0
    if kind == "other host":
        return _ABROAD_TRUST if inside and not before else 0.0
    if kind == "other page":
        words = read_address(image.src).words
        alike = len(words & target.words) >= max(1.0, 0.7 * len(words))
        return _ATTACHED_TRUST if words and alike and not before else 0.0
    return _BEFORE_TRUST if before else 1.0


def _is_inside(parents: list[int], box: int, outer: int) -> bool:
    while box >= 0 and box != outer:
        box = parents[box]
    return box == outer
