"""Find the addresses that a page offers for one image: its node in, what a browser loads and what is largest out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from selectolax.lexbor import LexborNode

from scythe.limits import LIMITS
from scythe.page.srcset import split_srcset
from scythe.url import Url, absolute

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
_CANDIDATES = 4 * LIMITS.srcset_items  # of one image that are looked at; a picture has up to 60


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


def read_offer(node: LexborNode, attributes: dict[str, str | None], base: str | None) -> Offer:
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


def names_address(attributes: dict[str, str | None]) -> bool:
    """Say whether an image names some address, if only one that leads nowhere."""
    return bool(_plain_texts(attributes))


def best_address(node: LexborNode, attributes: dict[str, str | None], base: str | None) -> Url | None:
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


def _candidates(node: LexborNode, attributes: dict[str, str | None], offer: Offer) -> Iterator[tuple[str, float]]:
    """Yield the addresses in the sets of an image and of the picture around it with their width, 0 where unsaid."""
    left = _CANDIDATES
    for text, usual, unsized in _sets_of(node, attributes):
        for address, number, unit in split_srcset(text):
            left -= 1
            if left < 0:
                offer.beyond += 1
                continue
            yield address, number if unit == "w" else number * usual if unit else unsized


def _sets_of(node: LexborNode, attributes: dict[str, str | None]) -> Iterator[tuple[str, float, float]]:
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


def _sources_before(node: LexborNode) -> list[LexborNode]:
    """Return the sources that browsers look at for an image, the nearest first: those before it, behind any other."""
    found: list[LexborNode] = []
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
