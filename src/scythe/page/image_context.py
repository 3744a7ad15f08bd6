"""Look around the images of a page: a page comes in, what its source says of each image and around it goes out."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.model import ImageContext, PageImages
from scythe.page.image_identity import Named, lead_images, stated_images
from scythe.page.image_tags import NAME_CHARS, write_tag
from scythe.page.images import ImageUse
from scythe.page.page import Page

PATH_LABELS = 48  # elements around an image that are kept; the deepest of 11 769 images is in 26
_LABEL_CLASSES = 6
_CLASSES_CHARS = 120  # of a label
_ID_CHARS = 40
_LINK_CHARS = 300
_ADDRESSES = 8  # of one image that are compared with those the page names; sizes of one image are named alike


class _Around(NamedTuple):
    """What can be said of all images directly inside one element."""

    path: tuple[str, ...] = ()  # the element itself first
    link: str | None = None
    is_figure: bool = False
    element: LexborNode | None = None
    above: LexborNode | None = None


def read_image_contexts(page: Page) -> PageImages:
    """Return what is around each image of `page.images`, one to one and in page order. Linear in the size of the page.

    Of a page that is a part of another, shares of the page are shares of that part.
    """
    uses = page.images
    if not uses:
        return PageImages(page.url or "", page.head.title, _text_chars(page))
    lead, stated = lead_images(page.head), stated_images(page.linked_data)
    named = Named(lead | stated)
    places = _Places(page)
    surroundings = _Surroundings()
    images = []
    for use in uses:
        node, order, text_before = places.find(use)
        around = surroundings.of(node)
        own = named.find(use.image.sources[:_ADDRESSES])
        images.append(
            ImageContext(
                src=use.loaded or use.image.src,
                tags=surroundings.tags(around, node),
                path=around.path,
                link=around.link,
                caption=use.image.caption,
                is_figure=around.is_figure,
                order=order,
                text_before=text_before,
                is_lead=not own.isdisjoint(lead),
                is_stated=not own.isdisjoint(stated),
                addresses=use.image.sources,
            )
        )
    return PageImages(page.url or "", page.head.title, places.text_chars, bool(lead or stated), tuple(images))


def _text_chars(page: Page) -> int:
    return sum(map(len, page.blocks.text))


class _Places:
    """Knows where in the page the nodes of images stand."""

    def __init__(self, page: Page) -> None:
        nodes = (page.tree.body or page.root).css("*")
        ids = {use.node_id for use in page.images}
        self._row = {number: row for row, node in enumerate(nodes) if (number := node.mem_id) in ids}
        self._nodes = nodes
        blocks = page.blocks
        before = [0, *accumulate(map(len, blocks.text))]
        self.text_chars = before[-1]
        self._text_before = {
            node.mem_id: before[block] for node, block in zip(blocks.image_node, blocks.image_block, strict=True)
        }
        self._last = 0  # text before the image asked for last: noscript copies are in no block

    def find(self, use: ImageUse) -> tuple[LexborNode | None, float, float]:
        """Return the node of an image, and the shares of the page's elements and text before it."""
        row = self._row.get(use.node_id)
        self._last = self._text_before.get(use.node_id, self._last)
        share = self._last / self.text_chars if self.text_chars else 0.0
        if row is None:  # outside of the body
            return None, 0.0, share
        return self._nodes[row], (row + 1) / len(self._nodes), share


class _Surroundings:
    """Describes what images stand in, each element once."""

    def __init__(self) -> None:
        self._known: dict[int, _Around] = {}
        self._tags: dict[int, str] = {}

    def of(self, node: LexborNode | None) -> _Around:
        """Return what is around a node."""
        climbed: list[LexborNode] = []
        here = node.parent if node is not None else None
        around = _Around()
        while here is not None and here.tag not in ("html", "-document"):
            known = self._known.get(here.mem_id)
            if known is not None:
                around = known
                break
            climbed.append(here)
            here = here.parent
        for element in reversed(climbed):
            around = self._known[element.mem_id] = _inside(element, around)
        return around

    def tags(self, around: _Around, node: LexborNode | None) -> tuple[str, str, str]:
        """Return the opening tags of grandparent, parent and node."""
        return self._tag(around.above), self._tag(around.element), _tag_of(node)

    def _tag(self, element: LexborNode | None) -> str:
        if element is None:
            return ""
        tag = self._tags.get(element.mem_id)
        if tag is None:
            tag = self._tags[element.mem_id] = _tag_of(element)
        return tag


def _inside(element: LexborNode, around: _Around) -> _Around:
    tag, attributes = element.tag or "", element.attributes
    label = label_element(tag, attributes.get("id") or "", attributes.get("class") or "")
    return _Around(
        (label, *around.path[: PATH_LABELS - 1]),
        (attributes.get("href") or "")[:_LINK_CHARS] if tag == "a" else around.link,
        around.is_figure or tag == "figure",
        element,
        around.element,
    )


@lru_cache(maxsize=2_048)
def label_element(tag: str, element_id: str, classes: str) -> str:
    """Return `tag#id.class.class` of an element, cut where it is longer than what tells elements apart."""
    dotted = "".join(f".{name}" for name in classes[:2_000].split()[:_LABEL_CLASSES])[:_CLASSES_CHARS]
    name = tag[:NAME_CHARS]
    return f"{name}#{element_id[:_ID_CHARS]}{dotted}" if element_id else name + dotted


def _tag_of(node: LexborNode | None) -> str:
    return write_tag(node.tag or "", node.attributes) if node is not None else ""
