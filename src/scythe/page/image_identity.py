"""Tell which image an address is of: addresses in, names out that all sizes, crops and mirrors of one image share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from scythe.page.head import Head
from scythe.page.jsonld import Json, LinkedData, types_of

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


class Named:
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
