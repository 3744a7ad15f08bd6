"""List the images of a page with URLs (`srcset`, `<picture>`, lazy loading), sizes, captions and alternative text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from scythe.limits import LIMITS
from scythe.model import Image, Loss
from scythe.page.blocks import nodes_above
from scythe.page.head import squeeze
from scythe.page.tag_attributes import split_srcset
from scythe.url import Url, absolute

if TYPE_CHECKING:
    from scythe.page.map import Node

# what scripts put in the place of src, the usual ones first
_LOADED_NAMES = """
    data-src data-original data-lazy-src data-lazy data-original-src data-img-src data-echo data-actualsrc
    data-delayed-url data-native-src data-runner-src data-flickity-lazyload data-cfsrc data-ezsrc
    data-pagespeed-lazy-src
""".split()
# the same image for other uses, mostly larger
_OTHER_NAMES = """
    data-hi-res-src data-image data-url data-src-large data-large-file data-orig-file data-full-src data-pin-media
    data-medium-file
""".split()
_LAZY = {name: rank for rank, name in enumerate(_LOADED_NAMES + _OTHER_NAMES)}
_LOADED = len(_LOADED_NAMES)
_LAZY_SETS = """
    srcset data-srcset data-lazy-srcset data-original-set data-src-set data-ezsrcset data-img-srcset data-sources
""".split()
_SET_NAMES = frozenset(_LAZY_SETS)
_PLACEHOLDER = re.compile(
    r"(?:^|[_.=-])(?:blank|placeholder|spacer|transparent|pixel|1x1|lazy|loading|loader|grey|gray|empty|clear|dummy)"
    r"(?:[_.-][\w-]{0,20})?\.(?:gif|png|svg|jpe?g|webp)",
    re.I,
)
_TEMPLATE = ("{", "[", "<", "${")  # begins what a script fills in, or data for one
_MEDIA = re.compile(r"(min|max)-width\s{0,9}:\s{0,9}([\d.]{1,9})(em|rem)?", re.I)
_EM = 16.0  # pixels
_USUAL_WIDTH = 400.0  # pixels, of density 1 where nothing says it: the narrowest windows get such images
_IMAGES = ("img", "amp-img")
_SOURCES = 64  # of one picture that are read
_IMAGE_OFFERS_CANDIDATES = 4 * LIMITS.srcset_items  # of one image that are looked at; a picture has up to 60


@dataclass(slots=True)
class Offer:
    """The addresses found for one image node."""

    plain: list[Url] = field(default_factory=list)  # of src and what stands for it, the one shown first
    sized: list[tuple[float, Url]] = field(default_factory=list)  # of sets, with their width or a guess at it
    lazy: Url | None = None  # what a script puts in the place of src
    beyond: int = 0  # candidates that were not looked at

    def best(self) -> Url | None:
        """Return the largest, as far as the page says sizes, or else the one that a browser ends up with."""
        widest = max(self.sized, key=lambda pair: pair[0], default=None)
        return widest[1] if widest and (widest[0] > 0 or not self.plain) else self.loaded()

    def loaded(self) -> Url | None:
        """Return what a browser ends up with: what a script loads, or what is shown without."""
        if self.lazy is not None:
            return self.lazy
        return self.plain[0] if self.plain else self.sized[0][1] if self.sized else None

    def all(self) -> tuple[Url, ...]:
        """Return every address, plain ones first."""
        return tuple(dict.fromkeys([*self.plain, *(url for _, url in self.sized)]))


def read_offer(node: Node, attributes: dict[str, str | None], base: str | None) -> Offer:
    """Return what the attributes of an image and the picture around it offer."""
    offer = Offer()
    for rank, text in _plain_texts(attributes):
        url = absolute(text, base)
        if url is not None and url not in offer.plain:
            offer.plain.append(url)
        if url is not None and rank < _LOADED and offer.lazy is None and rank >= 0:
            offer.lazy = url
    for address, width in _candidates(node, attributes, offer):
        url = None if is_placeholder(address) else absolute(address, base)
        if url is not None:
            offer.sized.append((width, url))
    return offer


def best_address(node: Node, attributes: dict[str, str | None], base: str | None) -> Url | None:
    """Return what `read_offer(...).best()` does, at less cost."""
    plain = None
    for rank, text in _plain_texts(attributes):
        url = absolute(text, base) if plain is None or 0 <= rank < _LOADED else None
        plain = url or plain
        if plain is not None and rank >= 0:
            break
    sized = list(_candidates(node, attributes, Offer()))
    if len(sized) > 1:
        sized.sort(key=lambda pair: -pair[1])
    for address, width in sized:
        if not width and plain is not None:
            break
        if not is_placeholder(address) and (url := absolute(address, base)) is not None:
            return url
    return plain


def _plain_texts(attributes: dict[str, str | None]) -> list[tuple[int, str]]:
    """Return the addresses in an image's attributes as written, src first, with rank -1, where it is one."""
    src = (attributes.get("src") or "").strip()
    shown = [(-1, src)] if src and not is_placeholder(src) else []
    if _LAZY.keys().isdisjoint(attributes):
        return shown
    for name in sorted((name for name in attributes if name in _LAZY), key=_LAZY.__getitem__):
        text = attributes[name] or ""
        if ("/" in text[:1_000] or "." in text[:1_000]) and not text.startswith(_TEMPLATE):
            shown.append((_LAZY[name], text))
    return shown


def _candidates(node: Node, attributes: dict[str, str | None], offer: Offer) -> Iterator[tuple[str, float]]:
    """Yield the addresses in the sets of an image and of the picture around it with their width, 0 where unsaid."""
    left = _IMAGE_OFFERS_CANDIDATES
    for text, usual, unsized in _sets_of(node, attributes):
        for address, number, unit in split_srcset(text):
            left -= 1
            if left < 0:
                offer.beyond += 1
                continue
            yield address, number if unit == "w" else number * usual if unit else unsized


def _sets_of(node: Node, attributes: dict[str, str | None]) -> Iterator[tuple[str, float, float]]:
    """Yield the srcset texts with the width of an image of density 1, and of an image without descriptor."""
    if not _SET_NAMES.isdisjoint(attributes):
        usual = _width(attributes.get("width")) or _USUAL_WIDTH
        for name in _LAZY_SETS:
            if name in attributes:
                yield attributes[name] or "", usual, 0.0
    parent = node.parent
    if parent is None or parent.tag != "picture":
        return
    for source in reversed(_sources_before(node)):
        said = source.attributes
        usual, unsized = _widths_of(said.get("width") or "", (said.get("media") or "")[:200])
        for name in _LAZY_SETS:
            if name in said:
                yield said[name] or "", usual, unsized


def _sources_before(node: Node) -> list[Node]:
    """Return the sources that browsers look at for an image, the nearest first: those before it, behind any other."""
    found: list[Node] = []
    one = node.prev
    while one is not None and len(found) < _SOURCES and (tag := one.tag) not in _IMAGES:
        if tag == "source":
            found.append(one)
        one = one.prev
    return found


@lru_cache(maxsize=1_024)
def _widths_of(declared: str, media: str) -> tuple[float, float]:
    """Return the width of an image of density 1, and of one without descriptor, in a source of a picture.

    A source for wide windows has a larger image than src; of one for narrow windows nothing follows.
    """
    width = _width(declared)
    if width:
        return width, width
    bounds = {name.lower(): number * (_EM if unit else 1.0) for name, number, unit in _bounds_in(media)}
    if "min" in bounds:
        return bounds["min"] or 1.0, bounds["min"]
    return min(bounds.get("max", _USUAL_WIDTH) or 1.0, _USUAL_WIDTH), 0.0


def _bounds_in(media: str) -> Iterator[tuple[str, float, str]]:
    for name, number, unit in _MEDIA.findall(media):
        if number.replace(".", "", 1).isdecimal():
            yield name, float(number), unit


def _width(text: str | None) -> float:
    return float(text) if text and len(text) < 6 and text.isascii() and text.isdecimal() else 0.0


def is_placeholder(address: str) -> bool:
    """Say whether an address only stands for an image that a script loads later."""
    if address[:5].lower() == "data:" or len(address) > LIMITS.url_chars or address.startswith(_TEMPLATE):
        return True
    name = address.partition("?")[0].rpartition("/")[2]
    return _PLACEHOLDER.search(name[-60:]) is not None


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
    nodes: Sequence[Node],
    base: str | None,
    top: Node | None = None,
    losses: list[Loss] | None = None,
) -> tuple[ImageUse, ...]:
    """Return the images of a page in page order, without trackers (2 x 2 pixels at most) and images without address.

    `nodes` are the images of a page or of one element; with that as `top`, nothing around it is looked at. What
    the limits cut off is added to `losses`.
    """
    reader = _Reader(base, top.mem_id if top is not None else 0)
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
        self._placeholder: Node | None = None  # the image before, if it has no address of its own

    def read(self, node: Node) -> None:
        attributes = node.attributes
        size = declared_size(attributes)
        if _is_tracker(size):
            return
        use = self._use(node, attributes, size)
        if use is None:
            self._placeholder = node
            return
        uses, script_free = self.uses, any(above.tag == "noscript" for above in nodes_above(node, 4))
        if self._placeholder is not None and script_free and _are_close(self._placeholder, node):
            use = replace(use, node_id=self._placeholder.mem_id, twin_ids=(use.node_id,))
        elif uses and script_free != self._last_script_free and not set(use.addresses).isdisjoint(uses[-1].addresses):
            use = _merge(uses.pop(), use) if script_free else _merge(use, uses.pop())
        uses.append(use)
        self._placeholder, self._last_script_free = None, script_free and not use.twin_ids

    def _use(self, node: Node, attributes: dict[str, str | None], size: Size) -> ImageUse | None:
        offer = read_offer(node, attributes, self._base)
        src = offer.best()
        if src is None:
            if _plain_texts(attributes):  # some address, if only one that leads nowhere
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


def _are_close(placeholder: Node, node: Node) -> bool:
    """Say whether two images share a parent, grandparent or the one above, noscript not counted."""
    near = {above.mem_id for above in nodes_above(placeholder, 2)}
    return any(above.mem_id in near for above in nodes_above(node, 3))


def source_of(node: Node, base: str | None) -> Url | None:
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


def caption_of(node: Node, top_id: int = 0) -> str:
    """Return the figcaption of the figure around an image, looking up to the element with `top_id` at most."""
    for above in nodes_above(node, 6):
        if above.tag in ("body", "article", "main"):
            break
        if above.tag == "figure":
            caption = _caption_below(above)
            return _first_words(caption) if caption is not None else ""
        if above.mem_id == top_id:
            break
    return ""


def _caption_below(figure: Node) -> Node | None:
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


def _first_words(caption: Node) -> str:
    parts = []
    for node in islice(_nodes_in(caption), _CAPTION_NODES):
        if node.tag == "-text":
            parts.append(node.text_content or "")
    return squeeze("".join(parts))


def _nodes_in(top: Node) -> Iterator[Node]:
    """Yield an element and what is inside, in the order of the page."""
    node: Node | None = top
    open_elements: list[Node] = []
    while node is not None:
        yield node
        child = node.first_child
        if child is not None:
            open_elements.append(node)
            node = child
            continue
        node = node.next if open_elements else None
        while node is None and open_elements:
            above = open_elements.pop()
            node = above.next if open_elements else None
