"""List the image uses of a page: its tree and base address in, one record per shown image out, lazy twins merged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.limits import LIMITS
from scythe.model import Image, Loss
from scythe.page.head import squeeze
from scythe.page.image_offers import best_address, names_address, read_offer
from scythe.url import Url

Size: TypeAlias = "tuple[int | None, int | None]"
_ADDRESSES = "images without an absolute address"
_CANDIDATES = "srcset candidates beyond the limit"
_TRACKER = 2  # pixels
_CAPTION_REACH = 32  # nodes below a figure that are looked at
_CAPTION_NODES = 256  # of a caption that are read; a caption that never ends would hold the rest of the page
_STYLE_SIZE = re.compile(r"(?:^|[;\s])(width|height)\s{0,9}:\s{0,9}([\d.]{1,9})px", re.I)


@dataclass(frozen=True, slots=True)
class ImageUse:
    """One image as a page shows it: the resolved image, the `mem_id` of its node, and every address offered for it."""

    image: Image
    node_id: int
    addresses: tuple[Url, ...] = ()
    loaded: Url | None = None  # of them, the one that a browser ends up with
    twin_ids: tuple[int, ...] = ()  # nodes that show the same image, such as a noscript copy


def read_images(
    tree: LexborHTMLParser | LexborNode,
    base: str | None,
    top: LexborNode | None = None,
    losses: list[Loss] | None = None,
) -> tuple[ImageUse, ...]:
    """Return the images of a page in page order, without trackers (2 x 2 pixels at most) and images without address.

    `tree` may be one element of a page; with it as `top`, nothing around it is looked at. What the limits cut off is
    added to `losses`.
    """
    reader = _Reader(base, top.mem_id if top is not None else 0)
    nodes = tree.css("img,amp-img")
    for number, node in enumerate(nodes):
        if len(reader.uses) >= LIMITS.page_images:
            reader.lost["images beyond the limit"] = len(nodes) - number
            break
        reader.read(node)
    if losses is not None:
        losses.extend(Loss(what, count) for what, count in reader.lost.items())
    return tuple(reader.uses)


class _Reader:
    """Takes the image nodes of a page in order, and keeps one use of those that show the same image."""

    def __init__(self, base: str | None, top_id: int) -> None:
        self.uses: list[ImageUse] = []
        self.lost: dict[str, int] = {}
        self._base, self._top_id = base, top_id
        self._last_script_free = False  # the image before stands in a noscript, and is nobody's twin
        self._placeholder: LexborNode | None = None  # the image before, if it has no address of its own

    def read(self, node: LexborNode) -> None:
        attributes = node.attributes
        size = declared_size(attributes)
        if _is_tracker(size):
            return
        use = self._use(node, attributes, size)
        if use is None:
            self._placeholder = node
            return
        uses, script_free = self.uses, _in_noscript(node)
        if self._placeholder is not None and script_free and _are_close(self._placeholder, node):
            use = replace(use, node_id=self._placeholder.mem_id, twin_ids=(use.node_id,))
        elif uses and script_free != self._last_script_free and not set(use.addresses).isdisjoint(uses[-1].addresses):
            use = _merge(uses.pop(), use) if script_free else _merge(use, uses.pop())
        uses.append(use)
        self._placeholder, self._last_script_free = None, script_free and not use.twin_ids

    def _use(self, node: LexborNode, attributes: dict[str, str | None], size: Size) -> ImageUse | None:
        offer = read_offer(node, attributes, self._base)
        src = offer.best()
        if src is None:
            if names_address(attributes):
                self.lost[_ADDRESSES] = self.lost.get(_ADDRESSES, 0) + 1
            return None
        addresses = offer.all()
        beyond = offer.beyond + max(0, len(addresses) - LIMITS.srcset_items)
        if beyond:
            self.lost[_CANDIDATES] = self.lost.get(_CANDIDATES, 0) + beyond
        sources = _sources(src, addresses)
        image = Image(src, squeeze(attributes.get("alt") or ""), caption_of(node, self._top_id), *size, sources=sources)
        return ImageUse(image, node.mem_id, addresses, offer.loaded() or src)


def _sources(src: Url, addresses: tuple[Url, ...]) -> tuple[Url, ...]:
    """Return every address once, the largest first."""
    if len(addresses) == 1:
        return addresses
    return tuple(islice(dict.fromkeys((src, *addresses)), LIMITS.srcset_items))


def _merge(shown: ImageUse, twin: ImageUse) -> ImageUse:
    """Return one use of two nodes that show the same image."""
    image = replace(shown.image, sources=_sources(shown.image.src, (*shown.image.sources, *twin.image.sources)))
    return replace(shown, image=image, twin_ids=(*shown.twin_ids, twin.node_id, *twin.twin_ids))


def _is_tracker(size: Size) -> bool:
    return None not in size and max(size[0] or 0, size[1] or 0) <= _TRACKER


def _are_close(placeholder: LexborNode, node: LexborNode) -> bool:
    """Say whether two images share a parent, grandparent or the one above, noscript not counted."""
    above: set[int] = set()
    at = placeholder.parent
    for _ in range(2):
        if at is not None:
            above.add(at.mem_id)
            at = at.parent
    at = node.parent
    for _ in range(3):
        if at is None:
            return False
        if at.mem_id in above:
            return True
        at = at.parent
    return False


def source_of(node: LexborNode, base: str | None) -> Url | None:
    """Return the address that `read_images` gives a node outside of noscript, None where it has none of its own.

    A placeholder without an address may still have a twin, which only `read_images` knows.
    """
    attributes = node.attributes
    if _is_tracker(declared_size(attributes)):
        return None
    return best_address(node, attributes, base)


def declared_size(attributes: Mapping[str, str] | Mapping[str, str | None]) -> Size:
    """Return the declared width and height in CSS pixels, from attributes or inline style, clamped."""
    width, height = _pixels(attributes.get("width")), _pixels(attributes.get("height"))
    style = attributes.get("style")
    if style and (width is None or height is None):
        for name, number in _STYLE_SIZE.findall(style[:2_000]):
            if name.lower() == "width":
                width = width if width is not None else _pixels(number)
            else:
                height = height if height is not None else _pixels(number)
    return width, height


def _pixels(text: str | None) -> int | None:
    if not text:
        return None
    number = text.strip()[:20].removesuffix("px").partition(".")[0].strip()
    if not (number.isascii() and number.isdecimal()):
        return None
    return min(int(number), LIMITS.image_pixels)


def caption_of(node: LexborNode, top_id: int = 0) -> str:
    """Return the figcaption of the figure around an image, looking up to the element with `top_id` at most."""
    above = node.parent
    for _ in range(6):
        if above is None or above.tag in ("body", "article", "main"):
            return ""
        if above.tag == "figure":
            caption = _caption_below(above)
            return _first_words(caption) if caption is not None else ""
        if above.mem_id == top_id:
            return ""
        above = above.parent
    return ""


def _caption_below(figure: LexborNode) -> LexborNode | None:
    """Return the figcaption near the top of a figure: searching all of figures that never end would be quadratic."""
    node = figure.first_child
    for _ in range(_CAPTION_REACH):
        if node is None or node.tag == "figcaption":
            return node
        inner = node.last_child if node.tag == "div" else None
        if inner is not None and inner.tag == "figcaption":
            return inner
        node = node.next
    return None


def _first_words(caption: LexborNode) -> str:
    parts = []
    for node in islice(caption.traverse(include_text=True), _CAPTION_NODES):
        if node.tag == "-text":
            parts.append(node.text_content or "")
    return squeeze("".join(parts))


def _in_noscript(node: LexborNode) -> bool:
    above = node.parent
    for _ in range(4):
        if above is None:
            return False
        if above.tag == "noscript":
            return True
        above = above.parent
    return False
