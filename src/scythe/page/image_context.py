"""Collect what the page source says of each image and its surroundings, the evidence for judging relevance.

Also recognises sizes, crops and mirrors of one image by URL, and images in the same place of a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from scythe.limits import LIMITS
from scythe.model import ImageContext, PageImages
from scythe.page.head import Head, Json, LinkedData, types_of
from scythe.page.images import ImageUse
from scythe.page.map import IN_TEMPLATE
from scythe.page.page import Page

if TYPE_CHECKING:
    from scythe.page.map import Node

VALUE_CHARS = 600  # of one attribute that are kept; what tells images apart comes early
_DATA_CHARS = 60  # of a data: address, whose beginning says all but the image itself
NAME_CHARS = 100  # of an element or attribute
TAG_CHARS = 16_000  # of one tag that are kept
_TAG_ATTRIBUTES = 64  # of one tag that are kept
_SPACES = str.maketrans("\n\t\r\f", "    ")


def write_tag(name: str, attributes: Mapping[str, str | None]) -> str:
    """Return an opening tag with its values in double quotes on one line, each cut at `VALUE_CHARS`."""
    if len(attributes) > _TAG_ATTRIBUTES:
        attributes = dict(islice(attributes.items(), _TAG_ATTRIBUTES))
    parts = [f"<{name[:NAME_CHARS]}"]
    for key, value in attributes.items():
        if not value:
            parts.append(f'{key[:NAME_CHARS]}=""')
        elif len(value) > _DATA_CHARS or '"' in value or not value.isprintable() or len(key) > NAME_CHARS:
            parts.append(f'{key[:NAME_CHARS]}="{_written(value)}"')
        else:
            parts.append(f'{key}="{value}"')
    return " ".join(parts)[:TAG_CHARS] + ">"


def _written(value: str) -> str:
    value = value[: _DATA_CHARS if value.startswith("data:") else VALUE_CHARS]
    if '"' in value:
        value = value.replace('"', "&quot;")
    return value if value.isprintable() else value.translate(_SPACES)


_DIGITS = re.compile(r"\d++")


def signature(context: ImageContext, depth: int = 4) -> str:
    """Return the image's own classes and the labels of the `depth` elements around it, numbers made equal."""
    tag = context.tags[2]
    start = tag.find(' class="') + 8
    classes = tag[start : tag.find('"', start)] if start > 7 else ""
    return _signature(classes, fold_path(context.path)[:depth])


@lru_cache(maxsize=2_048)
def _signature(classes: str, labels: tuple[str, ...]) -> str:
    own = ".".join(sorted(set(fold(classes).split())))
    return "<".join((f"img.{own}", *labels))[: LIMITS.place_chars]


@lru_cache(maxsize=2_048)
def fold_path(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of a path with every number as 0: posts of one template then share what is worked out of it."""
    return tuple(map(fold, path))


@lru_cache(maxsize=2_048)
def fold(label: str) -> str:
    """Return a label with every number in it as 0, since most count or name one page: `post-172`, `item3`."""
    return _DIGITS.sub("0", label)


_READ_CHARS = 2_000  # of an address
_PARTS = 8  # of a path that are looked at, from its end
_NAMED = 200  # images that a page may name as its own
_SHORTEST = 5  # characters of a name that tells images apart
_EXTENSION = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|jfif|heic|ece|aspx?|php|html?)$")
# what resizing and cropping put at the end of a name, and at its beginning
_SIZE = re.compile(
    r"(?:[-_.,]{1,2}[a-z]{0,2}\d{2,5}(?:[a-z]\d{2,5})?x\d{0,5}(?:[a-z]\d{1,5}x\d{1,5})?(?:@\w{1,20})?|[-_]\d{2,5}_\d{2,5}"
    r"|[-_]v?\d{1,2}[_x:]\d{1,2}(?:[-_]\d{2,5})?|[-_]\d{2,5}[wp]|[-_]w\d{2,5}|@\dx|[-_]scaled|-e\d{10,13}|=[wsh]\d.{0,40}"
    r"|[-_.](?:small|medium|large|thumb|thumbnail|original|full|square|crop|cropped|social))$"
    r"|^\d{2,5}x\d{2,5}[-_]"
)
_ASKED = re.compile(r"(?:^|[?&;])(?:url|src|image|img|file|path|u|id|media)=([^&]{1,1000})")
# names of folders and services, and sizes, which name no image
_GENERAL = re.compile(
    r"(?:images?|img|imgs|photos?|fotos?|pictures?|pics?|originals?|default|files?|main|large|small|medium|thumbs?"
    r"|thumbnails?|index|master|hero|cover|header|media|download|uploads?|crops?|resized?|width|height|fit-in|alternates"
    r"|landscape|portrait|square|preview|teaser|article|normal|full|format|quality|static|assets|public|binary|poster"
    r"|[^a-z0-9]{0,12}|[whqcx]_\d.{0,40}|.{0,10}\d{2,5}x\d{0,5}.{0,10})"
)
_PART = re.compile(r"(?=.{0,60}[0-9]).{8,}|\d{6,}")  # looks like the number or digest of one thing
_META = (
    *("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src", "twitter:image0"),
    *("parsely-image-url", "thumbnail", "sailthru.image.full"),
)
_STATED = ("image", "thumbnailUrl", "primaryImageOfPage", "associatedMedia", "photo")
# what shows people, publishers and other pages
_ELSEWHERE = frozenset(
    """
    person organization newsmediaorganization corporation localbusiness brand website listitem itemlist breadcrumblist
    imageobject sitenavigationelement wpheader wpfooter collection rating aggregaterating
    """.split()
)


@lru_cache(maxsize=2_048)
def identity(address: str) -> str:
    """Return what names the image in an address; "" where nothing does."""
    if address[:5].lower() == "data:":
        return ""
    text = address[:_READ_CHARS]
    text = (unquote(text) if "%" in text else text).lower()
    inner = text.rfind("://")  # of resizing services: the address of the original is part of theirs
    if inner > 8:
        text = text[inner + 3 :].partition("&")[0]
    elif inner > 0:
        text = text[inner + 3 :]
    path, _, query = text.partition("#")[0].partition("?")
    if inner > 0:
        path = path.partition("/")[2]
    if query and (asked := _ASKED.search(query)) and _is_general(path.rpartition("/")[2]):
        return f"{path.rpartition('/')[2]}?{_name_in(asked[1])}"
    return _name_in(path)


def _name_in(path: str) -> str:
    """Return the last part of a path without sizes, behind a part that tells images apart where it does not."""
    names = [name for part in path.split("/")[: -_PARTS - 1 : -1] if (name := _without_size(part))]
    telling = [name for name in names if not _is_general(name)]
    if not telling:
        return "/".join(names[::-1])
    if telling[0] is names[0]:
        return names[0]
    return f"{next(filter(_PART.fullmatch, telling), telling[0])}/{names[0]}"


def _is_general(name: str) -> bool:
    return len(name) < _SHORTEST or _GENERAL.fullmatch(_EXTENSION.sub("", name)) is not None


def _without_size(part: str) -> str:
    name = part
    for _ in range(2):  # a.jpg.webp, a-300x200-scaled
        name = _EXTENSION.sub("", name)
    for _ in range(2):
        name = _SIZE.sub("", name)
    return name


class ImageNames:
    """Images by their identities. Looking for one costs little where its address has none of their names in it."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._parts = tuple({name[max(name.rfind("/"), name.rfind("?")) + 1 :] for name in names})

    def find(self, addresses: Iterable[str]) -> set[str]:
        """Return which of the images the addresses are of."""
        return {name for one in addresses if self._may_have(one) and (name := identity(one)) in self._names}

    def _may_have(self, address: str) -> bool:
        text = unquote(address[:_READ_CHARS]).lower() if "%" in address else address.lower()
        return any(part in text for part in self._parts)


def lead_images(head: Head) -> frozenset[str]:
    """Return the identities of the images that a page names in its head as what to show for it."""
    return _identities(content for name, content in head.properties if name in _META)


def stated_images(linked: LinkedData) -> frozenset[str]:
    """Return the identities of the images that the JSON-LD of a page gives for what the page is about."""
    objects = {item["@id"]: item for item in linked.objects if isinstance(item.get("@id"), str)}
    return _identities(_stated(linked, objects))


def _stated(linked: LinkedData, objects: dict[Json, dict[str, Json]]) -> Iterator[str]:
    for item in linked.objects:
        if not item.keys().isdisjoint(_STATED) and _ELSEWHERE.isdisjoint(types_of(item)):
            for name in _STATED:
                if name in item:
                    yield from _addresses(item[name], objects)


def _addresses(value: Json, objects: dict[Json, dict[str, Json]]) -> Iterator[str]:
    """Yield the addresses of an image, or of a list of images, each a text, an object or a reference to one."""
    for one in (value if isinstance(value, list) else [value])[:_NAMED]:
        if isinstance(one, dict):
            place = one.get("@id")
            whole = objects.get(place, one) if isinstance(place, str) else one
            values = [whole.get(key) for key in ("url", "contentUrl", "thumbnailUrl")]
            yield from (text for text in values if isinstance(text, str))
        elif isinstance(one, str):
            yield one


def _identities(addresses: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for address in addresses:
        found.add(identity(address.strip()))
        if len(found) > _NAMED:
            break
    return frozenset(found - {""})


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
    element: Node | None = None
    above: Node | None = None


def read_image_contexts(page: Page) -> PageImages:
    """Return what is around each image of `page.images`, one to one and in page order. Linear in the size of the page.

    Of a page that is a part of another, shares of the page are shares of that part.
    """
    uses = page.images
    if not uses:
        return PageImages(page.url or "", page.head.title, sum(map(len, page.blocks.text)))
    lead, stated = lead_images(page.head), stated_images(page.linked_data)
    named = ImageNames(lead | stated)
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


class _Places:
    """Knows where in the page the nodes of images stand."""

    def __init__(self, page: Page) -> None:
        self._map = page.map
        self._top = self._map.body
        self._rank = (self._map.flags[self._top : self._map.last[self._top]] & IN_TEMPLATE == 0).cumsum()
        blocks = page.blocks
        before = [0, *accumulate(map(len, blocks.text))]
        self.text_chars = before[-1]
        self._text_before = {
            node.mem_id: before[block] for node, block in zip(blocks.image_node, blocks.image_block, strict=True)
        }
        self._last = 0  # text before the image asked for last: noscript copies are in no block

    def find(self, use: ImageUse) -> tuple[Node | None, float, float]:
        """Return the node of an image, and the shares of the page's elements and text before it."""
        row = self._map.row_of(use.node_id)
        self._last = self._text_before.get(use.node_id, self._last)
        share = self._last / self.text_chars if self.text_chars else 0.0
        place = row - self._top
        if not 0 <= place < len(self._rank):  # outside of the body
            return None, 0.0, share
        return self._map.element(row), int(self._rank[place]) / int(self._rank[-1]), share


class _Surroundings:
    """Describes what images stand in, each element once."""

    def __init__(self) -> None:
        self._known: dict[int, _Around] = {}
        self._tags: dict[int, str] = {}

    def of(self, node: Node | None) -> _Around:
        """Return what is around a node."""
        climbed: list[Node] = []
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

    def tags(self, around: _Around, node: Node | None) -> tuple[str, str, str]:
        """Return the opening tags of grandparent, parent and node."""
        return self._tag(around.above), self._tag(around.element), _tag_of(node)

    def _tag(self, element: Node | None) -> str:
        if element is None:
            return ""
        tag = self._tags.get(element.mem_id)
        if tag is None:
            tag = self._tags[element.mem_id] = _tag_of(element)
        return tag


def _inside(element: Node, around: _Around) -> _Around:
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


def _tag_of(node: Node | None) -> str:
    return write_tag(node.tag or "", node.attributes) if node is not None else ""
