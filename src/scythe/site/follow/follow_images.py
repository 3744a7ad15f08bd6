"""Apply image rules to a parsed page, and read and score the images of an area.

Cut areas are read by the same code, which looks at nothing outside the area, so both give the same images.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from html import unescape
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.limits import LIMITS
from scythe.model import RELEVANT, Image
from scythe.page.content import is_icon
from scythe.page.image_context import identity
from scythe.page.images import ImageUse, read_images
from scythe.page.source import Opening, Source
from scythe.site.follow.follow_fields import lead_to
from scythe.site.follow.follow_lists import label_of
from scythe.site.rules import ImageRules

try:
    from stringzilla import find
except ImportError:  # pragma: no cover  (a platform without its wheel)
    find = bytes.find

_HEAD_BYTES = 200_000  # in which the name is looked for
_TAG_BYTES = 8_192
_NAMES = (b'og:image"', b"og:image'", b'twitter:image"', b"twitter:image'")
_SHOWS = (b"<img", b"<sou", b"<amp")
_SHORTEST = 5  # bytes of a name that tells images apart
_PLACES = 20


def find_named(body: bytes) -> tuple[int, ...]:
    """Return where tags of images begin that show what the page names as its image; at most twenty."""
    for name in _NAMES:
        at = find(body, name, 0, _HEAD_BYTES)
        if at >= 0:
            wanted = _file_name(body, at)
            return _places(body, wanted, at) if len(wanted) >= _SHORTEST else ()
    return ()


def is_outside(places: Sequence[int], spans: Sequence[tuple[int, int]]) -> bool:
    """Say whether there are places and none of them is in one of the spans."""
    return bool(places) and not any(start <= place < end for place in places for start, end in spans)


def _file_name(body: bytes, at: int) -> bytes:
    """Return what is the same in all sizes of the image that the tag around a place gives, as it is written there."""
    start, end = body.rfind(b"<", max(0, at - _TAG_BYTES), at), body.find(b">", at, at + _TAG_BYTES)
    tag = body[start:end] if 0 <= start < end else b""
    value = tag.partition(b"content=")[2].lstrip()
    quote = value[:1]
    if quote not in (b'"', b"'"):
        return b""
    address = unescape(value[1:].partition(quote)[0].decode("utf-8", "replace"))
    stem = identity(address).rpartition("/")[2].rpartition("?")[2]
    found = address.lower().rfind(stem) if stem else -1
    return address[found : found + len(stem)].encode() if found >= 0 else b""


def _places(body: bytes, name: bytes, at: int) -> tuple[int, ...]:
    found: list[int] = []
    at = find(body, name, max(at, find(body, b"<body", at)))
    while at >= 0 and len(found) < _PLACES:
        start = body.rfind(b"<", max(0, at - _TAG_BYTES), at)
        if start >= 0 and body[start : start + 4].lower() in _SHOWS and start not in found:
            found.append(start)
        at = find(body, name, at + 1)
    return tuple(found)


UNKNOWN = "an image of a kind not seen on the pages learned"
_MIXED = (200, 800)  # thousandths: between them the mean of an area says nothing of one image in it
DEPTHS = (4, 2, 1)  # elements around an image by which its kind is known, the closest match first
_IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)(?:[?#]|$)", re.I)
# says how words look; one that is left open is built again around images far below
_STYLES = frozenset("b big code em font i nobr s small strike strong tt u".split())
_LINK_CHARS = 2_000  # of an address that are looked at for the name of a file


class AreaImage(NamedTuple):
    """One image inside an area, and the names of its kind, from the closest to the widest."""

    use: ImageUse
    keys: tuple[str, ...]


class AreaReader:
    """Reads and judges the images of areas by what was learned of a layout."""

    def __init__(self, rules: ImageRules) -> None:
        self._areas = rules.areas
        self._scores = dict(rules.scores)
        self._sources = dict(rules.sources)

    def read(self, root: LexborNode, number: int, base: str | None) -> list[Image] | None:
        """Return the images inside an element that is the area of that number, in page order.

        None where one is of a kind never seen and its area holds both relevant and other images.
        """
        area = self._areas[number]
        images: list[Image] = []
        for use, keys in see_area(root, area.path, base):
            score = self._score(use.image.src, keys, area.score)
            if score is None:
                return None
            one = use.image  # written out, since `replace` takes as long as all else here
            marks = (score / 1_000 >= RELEVANT, score / 1_000)
            images.append(Image(one.src, one.alt, one.caption, one.width, one.height, *marks, one.sources))
        return images

    def _score(self, src: str, keys: Sequence[str], usual: int) -> int | None:
        score = self._sources.get(src)
        if score is not None:
            return score
        for key in keys:
            score = self._scores.get(key)
            if score is not None:
                return score
        return None if _MIXED[0] < usual < _MIXED[1] else usual


def shows_image(root: LexborNode) -> bool:
    """Say whether there is an image in an element."""
    return root.css_first("img,amp-img") is not None


def see_area(root: LexborNode, path: Sequence[str], base: str | None) -> list[AreaImage]:
    """Return the images inside an element with the names of their kinds; `path` labels the element and those around."""
    uses = read_images(root, base, root)
    if not uses:
        return []
    nodes = {node.mem_id: node for node in root.css("img,amp-img")}
    labels = _Labels(root, path)
    return [AreaImage(use, labels.name(nodes[use.node_id], use.image)) for use in uses]


def labels_around(node: LexborNode, most: int = DEPTHS[0]) -> tuple[str, ...]:
    """Return the labels of an element and of those around it, innermost first."""
    found: list[str] = []
    above: LexborNode | None = node
    while above is not None and len(found) < most and above.tag != "-document":
        found.append(_label(above))
        above = above.parent
    return tuple(found)


class _Labels:
    """Names the kinds of images inside one element."""

    def __init__(self, root: LexborNode, path: Sequence[str]) -> None:
        self._known: dict[int, tuple[tuple[str, ...], bool]] = {root.mem_id: (tuple(path), False)}

    def name(self, node: LexborNode, image: Image) -> tuple[str, ...]:
        parent = node.parent
        path, links_away = self._around(parent) if parent is not None else ((), False)
        lead = f"{'icon ' if is_icon(image) else ''}{'link ' if links_away else ''}{_label(node)}"
        return tuple("<".join((lead, *path[:depth]))[: LIMITS.place_chars] for depth in DEPTHS)

    def _around(self, node: LexborNode) -> tuple[tuple[str, ...], bool]:
        """Return the labels of an element and of those around it, and whether a link leads to anything but an image."""
        climbed: list[LexborNode] = []
        here: LexborNode | None = node
        while here is not None and here.mem_id not in self._known:
            climbed.append(here)
            here = here.parent
        path, links_away = self._known[here.mem_id] if here is not None else ((), False)
        for one in reversed(climbed):
            if one.tag not in _STYLES:
                path = (_label(one), *path[: DEPTHS[0] - 1])
            links_away = links_away or _links_away(one)
            self._known[one.mem_id] = (path, links_away)
        return path, links_away


def _label(node: LexborNode) -> str:
    return label_of(node.tag or "", node.attributes.get("class") or "")


def _links_away(node: LexborNode) -> bool:
    if node.tag != "a":
        return False
    href = node.attributes.get("href")
    return bool(href) and _IMAGE_FILE.search((href or "")[:_LINK_CHARS]) is None


Areas = list[tuple[int, Opening]]


def follow_areas(source: Source, rules: ImageRules, text: int | None) -> tuple[Areas, str]:
    """Return the numbers and elements of the areas that a page has, in page order, or none and why.

    `text` is where the element of the main text begins. Of areas inside another the outer one counts.
    """
    found: Areas = []
    for number, area in enumerate(rules.areas):
        own = source.at(text) if text is not None else None
        opening = lead_to(source, area.ways) if area.ways else own
        if opening is not None and (not area.ways or shows_image(opening.node)):
            found.append((number, opening))
        elif area.is_expected or not area.ways:
            return [], f"area {number + 1} was not found"
    kept: Areas = []
    taken: set[int] = set()
    for number, opening in sorted(found, key=lambda one: (one[1].offset, one[0])):
        if not _is_in(opening.node, taken):
            kept.append((number, opening))
            taken.add(opening.node.mem_id)
    return kept, "" if kept else "no area is there"


def are_elsewhere(source: Source, places: Sequence[int], areas: Areas) -> bool:
    """Say whether there are places in the source and none of them is in one of the areas."""
    taken = {opening.node.mem_id for _, opening in areas}
    for place in places:
        at = bisect_right(source.offsets, place) - 1
        if at >= 0 and _is_in(source.openings[at].node, taken):
            return False
    return bool(places)


def _is_in(node: LexborNode, taken: set[int]) -> bool:
    above: LexborNode | None = node
    while above is not None:
        if above.mem_id in taken:
            return True
        above = above.parent
    return False
