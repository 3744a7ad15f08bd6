"""List the image uses of a page: its tree and base address in, one record per shown image out, lazy twins merged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scythe.limits import LIMITS
from scythe.model import Image
from scythe.page.head import squeeze
from scythe.page.srcset import read_srcset
from scythe.url import Url, absolute

_LAZY_NAMES = """
    data-src data-original data-lazy-src data-lazy data-original-src data-hi-res-src data-img-src data-image
    data-url data-echo data-actualsrc data-src-large data-large-file data-orig-file data-full-src data-delayed-url
    data-native-src data-runner-src data-flickity-lazyload data-cfsrc data-ezsrc data-pagespeed-lazy-src
    data-pin-media data-medium-file
""".split()
_LAZY = {name: rank for rank, name in enumerate(_LAZY_NAMES)}
_LAZY_SETS = """
    srcset data-srcset data-lazy-srcset data-original-set data-src-set data-ezsrcset data-img-srcset data-sources
""".split()
_SET_NAMES = frozenset(_LAZY_SETS)
_PLACEHOLDER = re.compile(
    r"(?:^|[_.=-])(?:blank|placeholder|spacer|transparent|pixel|1x1|lazy|loading|loader|grey|gray|empty|clear|dummy)"
    r"(?:[_.-][\w-]{0,20})?\.(?:gif|png|svg|jpe?g|webp)",
    re.I,
)
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
    twin_ids: tuple[int, ...] = ()  # nodes that show the same image, such as a noscript copy


@dataclass(slots=True)
class _Offer:
    """The addresses found for one image node: shown ones, and those of sets with their size."""

    plain: list[Url]
    sized: list[tuple[float, Url]]

    def best(self) -> Url | None:
        widest = max(self.sized, key=lambda pair: pair[0], default=None)
        if widest and (widest[0] > 0 or not self.plain):
            return widest[1]
        return self.plain[0] if self.plain else None

    def all(self) -> tuple[Url, ...]:
        return tuple(dict.fromkeys([*self.plain, *(url for _, url in self.sized)]))


def read_images(
    tree: LexborHTMLParser | LexborNode, base: str | None, top: LexborNode | None = None
) -> tuple[ImageUse, ...]:
    """Return the images of a page in page order, without trackers (2 x 2 pixels at most) and images without address.

    `tree` may be one element of a page; with it as `top`, nothing around it is looked at.
    """
    top_id = top.mem_id if top is not None else 0
    uses: list[ImageUse] = []
    last_script_free = False  # the image before stands in a noscript
    placeholder: LexborNode | None = None  # the image before, if it has no address of its own
    for node in tree.css("img,amp-img"):
        attributes = node.attributes
        size = declared_size(attributes)
        if None not in size and max(size[0] or 0, size[1] or 0) <= _TRACKER:
            continue
        use = _read_image(node, attributes, size, base, top_id)
        if use is None:
            placeholder = node
            continue
        script_free = _in_noscript(node)
        if placeholder is not None and script_free and _are_close(placeholder, node):
            use = replace(use, node_id=placeholder.mem_id, twin_ids=(use.node_id,))
        elif uses and script_free != last_script_free and not set(use.addresses).isdisjoint(uses[-1].addresses):
            shown, twin = (uses.pop(), use) if script_free else (use, uses.pop())
            use = replace(shown, twin_ids=(*shown.twin_ids, twin.node_id, *twin.twin_ids))
        uses.append(use)
        placeholder, last_script_free = None, script_free
    return tuple(uses)


def _read_image(
    node: LexborNode,
    attributes: dict[str, str | None],
    size: tuple[int | None, int | None],
    base: str | None,
    top_id: int,
) -> ImageUse | None:
    offer = _offer(node, attributes, base)
    src = offer.best()
    if src is None:
        return None
    image = Image(src, squeeze(attributes.get("alt") or ""), caption_of(node, top_id), *size)
    return ImageUse(image, node.mem_id, offer.all())


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


def _offer(node: LexborNode, attributes: dict[str, str | None], base: str | None) -> _Offer:
    offer = _Offer([], [])
    for text in _plain_texts(attributes):
        url = absolute(text, base)
        if url is not None and url not in offer.plain:
            offer.plain.append(url)
    for text in _sets_of(node, attributes):
        for address, size in read_srcset(text):
            url = None if is_placeholder(address) else absolute(address, base)
            if url is not None:
                offer.sized.append((size, url))
    return offer


def source_of(node: LexborNode, base: str | None) -> Url | None:
    """Return the address that `read_images` gives a node outside of noscript, None where it has none of its own.

    A placeholder without an address may still have a twin, which only `read_images` knows.
    """
    attributes = node.attributes
    size = declared_size(attributes)
    if None not in size and max(size[0] or 0, size[1] or 0) <= _TRACKER:
        return None
    plain = next((url for text in _plain_texts(attributes) if (url := absolute(text, base)) is not None), None)
    sized = [pair for text in _sets_of(node, attributes) for pair in read_srcset(text)]
    if len(sized) > 1:
        sized.sort(key=lambda pair: -pair[1])
    for address, width in sized:
        if not width and plain is not None:
            break
        if not is_placeholder(address) and (url := absolute(address, base)) is not None:
            return url
    return plain


def _plain_texts(attributes: dict[str, str | None]) -> list[str]:
    """Return the addresses in an image's attributes as written, the one that a browser shows first."""
    src = attributes.get("src") or ""
    shown = [src] if src and not is_placeholder(src) else []
    if _LAZY.keys().isdisjoint(attributes):
        return shown
    lazy = sorted((name for name in attributes if name in _LAZY), key=_LAZY.__getitem__)
    return shown + [attributes[name] or "" for name in lazy]


def _sets_of(node: LexborNode, attributes: dict[str, str | None]) -> list[str]:
    """Return the srcset texts of an image and of the picture around it."""
    sets = []
    if not _SET_NAMES.isdisjoint(attributes):
        sets = [attributes[name] or "" for name in _LAZY_SETS if name in attributes]
    parent = node.parent
    if parent is not None and parent.tag == "picture":
        sets.extend(_source_sets(parent))
    return sets


def _source_sets(picture: LexborNode) -> list[str]:
    sets: list[str] = []
    node = picture.first_child
    while node is not None and len(sets) < LIMITS.srcset_items:
        if node.tag == "source":
            attributes = node.attributes
            sets.extend(attributes.get(name) or "" for name in _LAZY_SETS if name in attributes)
        node = node.next
    return sets


def is_placeholder(address: str) -> bool:
    """Say whether an address only stands for an image that a script loads later."""
    if address[:5].lower() == "data:" or len(address) > LIMITS.url_chars:
        return True
    name = address.partition("?")[0].rpartition("/")[2]
    return _PLACEHOLDER.search(name[-60:]) is not None


def declared_size(attributes: Mapping[str, str] | Mapping[str, str | None]) -> tuple[int | None, int | None]:
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
