"""Read and judge the images inside an area of a page: the node of its element comes in, scored images go out.

An area that was cut out of the bytes and the same area on the tree of its page are read by the same code, which looks
at nothing outside: so both give the same images.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.limits import LIMITS
from scythe.model import RELEVANT, Image
from scythe.page.content import is_icon
from scythe.page.entry_labels import label_of
from scythe.page.images import ImageUse, read_images
from scythe.rules import ImageRules

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
