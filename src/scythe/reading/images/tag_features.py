"""Features of a single image: its tag, its URL, the link around it and the path of elements it is in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from scythe.page.images import declared_size
from scythe.page.tag_attributes import read_attributes, read_srcset
from scythe.reading.lists.role_words import RoleWords

_WORD = re.compile(r"[^\W\d_]{3,40}")
_STEM = 5  # letters compared: endings differ between a title and a file name
_FOLDED = str.maketrans("äöüßáàâãéèêëíìîïóòôõúùûçñøåæ", "aousaaaaeeeeiiiioooouuucnoaa")


@lru_cache(maxsize=1)
def _table() -> RoleWords:
    return RoleWords("scythe.reading.images")


def roles() -> tuple[str, ...]:
    """Return the names of the roles; role `i` is bit `i` of `roles_of`."""
    return _table().roles


def roles_of(names: str) -> int:
    """Return the roles that names such as `article-body hero-image` have, as bits."""
    return _table().of(names)


@lru_cache(maxsize=2_048)
def text_words(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, case and accents folded, to see whether two texts speak alike."""
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower().translate(_FOLDED)))


def slug_words(path: str) -> frozenset[str]:
    """Return the beginnings of the words of an address or file name."""
    return text_words((unquote(path) if "%" in path else path).replace("_", " "))


ADDRESS_NAMES = (
    "url width|url height|url aspect|url chars|url digits|url extension|url segments|url hash|file chars|file words"
    "|file digits"
).split("|")
URL_ROLES = ("brand", "author", "icon", "share")
LINKS = ("none", "image", "same page", "home", "script", "other page", "other host")
_EXTENSIONS = {"jpg": 1, "jpeg": 1, "png": 2, "gif": 3, "svg": 4, "webp": 5, "avif": 5, "": 0}
_IMAGE_FILES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif")
_PAIR = re.compile(r"(?<![0-9a-fA-F])(\d{2,4})[xX](\d{1,4})(?![0-9a-fA-F])")
_NAMED = re.compile(
    r"(?<![a-z])(?:(w|width|wid|mw|h|height|hei|s|size|resize|fit|rw)[=_:-])(\d{2,4})(?:[,:](\d{2,4}))?"
)
_SIZE_SUFFIX = re.compile(r"-\d{2,4}x\d{2,4}(?=\.\w{3,4}$)|-scaled(?=\.\w{3,4}$)")
_HEX = re.compile(r"[0-9a-f]{12,64}")
_WITHOUT_DIGITS = dict.fromkeys(range(48, 58))
_ADDRESS_FEATURES_READ_CHARS = 500
_NOTHING = np.zeros(len(ADDRESS_NAMES) + len(URL_ROLES), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class ImageUrl:
    """What one image address says."""

    numbers: NDArray[np.float32]  # in the order of NAMES, then URL_ROLES
    width: float  # -1: unsaid
    height: float
    host: str
    folder: str
    file: str  # name without the size that resizing services put there
    words: frozenset[str]  # of the file name


@lru_cache(maxsize=2_048)
def read_address(src: str) -> ImageUrl:
    """Return what an address says of its image; of data: addresses only that it is one."""
    if src[:5].lower() == "data:":
        return ImageUrl(_NOTHING, -1.0, -1.0, "data:", "", "", frozenset())
    shown = src[:_ADDRESS_FEATURES_READ_CHARS]
    host, path = _split(shown)
    inner = path.rfind("http")  # of resizing services: the address of the original is part of theirs
    plain = unquote(path[inner:] if inner > 0 else path).lower()
    folder, _, name = plain.rstrip("/").rpartition("/")
    file = _SIZE_SUFFIX.sub("", name)
    stem, _, extension = file.rpartition(".")
    if not stem or len(extension) > 5:
        stem, extension = file, ""
    width, height = _declared(unquote(shown).lower())
    words = slug_words(stem)
    bits = roles_of(f"{folder[-200:]} {stem[:100]}")
    numbers = (
        width,
        height,
        min(width / height, 20.0) if width > 0 and height > 0 else -1.0,
        min(len(src), 400),
        _digits(shown),
        _EXTENSIONS.get(extension, 6),
        path.count("/"),
        _HEX.search(shown) is not None,
        len(file),
        len(words),
        _digits(stem),
        *[bits >> bit & 1 for bit in _url_bits()],
    )
    return ImageUrl(np.array(numbers, dtype=np.float32), width, height, host, f"{host}{folder}", file, words)


@lru_cache(maxsize=1)
def _url_bits() -> tuple[int, ...]:
    return tuple(roles().index(role) for role in URL_ROLES)


def _digits(text: str) -> int:
    return len(text) - len(text.translate(_WITHOUT_DIGITS))


def _split(address: str) -> tuple[str, str]:
    """Return host and path of an address as written; what is no address is all path."""
    plain = address.partition("?")[0].partition("#")[0]
    scheme, found, rest = plain.partition("//")
    if not found or "/" in scheme:
        return "", plain
    host, slash, path = rest.partition("/")
    return host.lower().removeprefix("www."), slash + path


def _declared(address: str) -> tuple[float, float]:
    """Return the width and height that an address asks a resizing service for, -1 where it says nothing."""
    width = height = -1.0
    for one, other in _PAIR.findall(address):
        if int(one) >= 16 and float(one) > width:
            width, height = float(one), float(other) or -1.0
    if width < 0:
        for name, one, other in _NAMED.findall(address):
            if name[0] == "h":
                height = max(height, float(one))
            else:
                width = max(width, float(one))
                height = max(height, float(other)) if other else height
    return min(width, _LARGEST), min(height, _LARGEST)


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Where a link leads, seen from its page."""

    kind: int  # number in LINKS
    path: str
    name: str  # the last part of the path
    words: frozenset[str]
    depth: int


@lru_cache(maxsize=2_048)
def read_link(link: str | None, page_url: str) -> LinkTarget:
    """Return where the link around an image leads."""
    if link is None:
        return LinkTarget(0, "", "", frozenset(), -1)
    shown = link[:_ADDRESS_FEATURES_READ_CHARS].strip()
    low = shown.lower()
    if not shown or shown[0] == "#":
        return LinkTarget(2, "", "", frozenset(), -1)
    if low.startswith(("javascript:", "mailto:", "whatsapp:", "tel:")):
        return LinkTarget(4, "", "", frozenset(), -1)
    host, path = _split(shown)
    path = path.rstrip("/")
    own_host, own_path = page_address(page_url)
    kind, name = _kind(host, path.lower(), own_host, own_path), path.rpartition("/")[2].lower()
    return LinkTarget(kind, path, name, slug_words(path), path.count("/"))


def _kind(host: str, path: str, own_host: str, own_path: str) -> int:
    if path.endswith(_IMAGE_FILES):
        return 1
    here = not host or host == own_host
    if here and path.removesuffix("/index.html") == own_path:
        return 2
    if path in ("", "/index.html", "index.html", "/index.php"):
        return 3
    return 5 if here or (own_host and host.endswith(own_host[-12:])) else 6


@lru_cache(maxsize=256)
def page_address(url: str) -> tuple[str, str]:
    """Return host and path of a page, as links are compared with it."""
    host, path = _split(url[:2_000])
    return host, path.rstrip("/").lower().removesuffix("/index.html")


FAR = 24.0  # elements away: no such element
TAGS = tuple("article main figure picture header footer nav aside section li ul p a noscript td div".split())
_LIKE = {"ol": "ul", "th": "td"}
PAGE_ROLES = ("home", "archive", "post")  # what the body says the page is
_GOOD = ("article", "body", "prose", "main", "lead", "inline", "gallery", "caption")
_BAD = (
    "teaser related popular list thumb side header footer menu brand author comment share icon advert form audio"
).split()
_PAGE_LABELS = 2  # the outermost elements name the page, not the part of it

PATH_NAMES = (
    "depth|plain depth|good|bad|good before bad|good labels|bad labels|good share|named|divs above|ids|list depth"
).split("|")


class _Element(NamedTuple):
    """What counts of one element around an image."""

    tag: str
    bits: int  # roles
    has_id: bool
    is_plain: bool  # more than a wrapper of the image


def path_names() -> tuple[str, ...]:
    """Return the names of all numbers of a path."""
    kinds = tuple(f"page is {role}" for role in PAGE_ROLES)
    return (*PATH_NAMES, *(f"in {tag}" for tag in TAGS), *(f"near {role}" for role in roles()), *kinds)


@lru_cache(maxsize=2_048)
def path_features(path: tuple[str, ...]) -> NDArray[np.float32]:
    """Return how far each tag and each role is from the image, and counts of them."""
    return _describe(tuple(map(_read_element, path)))


@lru_cache(maxsize=2_048)
def _read_element(label: str) -> _Element:
    is_plain = label.split(".")[0] not in ("picture", "a", "span")
    return _Element(*read_label(label), "#" in label, is_plain)


@lru_cache(maxsize=2_048)
def _describe(path: tuple[_Element, ...]) -> NDArray[np.float32]:
    """Return the numbers of a path. Paths that differ in names without meaning, such as the number of a post, share."""
    tag_at, role_at = dict.fromkeys(TAGS, FAR), [FAR] * len(roles())
    good_mask, bad_mask = _masks()
    good, bad, goods, bads, named, divs, ids, lists = FAR, FAR, 0, 0, 0, 0, 0, 0
    for number, (tag, bits, has_id, _) in enumerate(path):
        at = float(min(number, FAR - 1))
        if tag_at.get(tag, 0.0) == FAR:
            tag_at[tag] = at
        divs += tag == "div"
        lists += tag == "li"
        named += bits != 0
        ids += has_id
        if number >= len(path) - _PAGE_LABELS and number > 0 and tag == "body":
            break  # what a body is called is about the page
        for role in _bits(bits):
            role_at[role] = min(role_at[role], at)
        if bits & good_mask:
            good, goods = min(good, at), goods + 1
        if bits & bad_mask:
            bad, bads = min(bad, at), bads + 1
    plain = next((number for number, element in enumerate(path) if element.is_plain), 0)
    counts = (float(min(len(path), 40)), float(plain), good, bad, bad - good, float(goods), float(bads))
    shares = ((goods + 1.0) / (goods + bads + 2.0), float(named), float(divs), float(ids), float(lists))
    numbers = (*counts, *shares, *tag_at.values(), *role_at, *_page_kind(path))
    return np.array(numbers, dtype=np.float32)


def _page_kind(path: tuple[_Element, ...]) -> tuple[float, ...]:
    tag, bits = (path[-1].tag, path[-1].bits) if path else ("", 0)
    names = roles()
    return tuple(float(tag == "body" and bool(bits >> names.index(role) & 1)) for role in PAGE_ROLES)


@lru_cache(maxsize=2_048)
def post_of(path: tuple[str, ...]) -> str:
    """Return the innermost element around an image that is an article of its own, "" where none is."""
    mask = 1 << roles().index("article")
    for label in path[:-1]:
        tag, bits = read_label(label)
        if tag == "article" or (bits & mask and "#" in label):
            return label
    return ""


@lru_cache(maxsize=2_048)
def read_label(label: str) -> tuple[str, int]:
    """Return the tag of a label (`tag#id.class`), like tags made one, and the roles that its names have."""
    short = label[:500]
    ends = [at for at in (short.find("#"), short.find(".")) if at >= 0]
    end = min(ends) if ends else len(short)
    tag = short[:end]
    return _LIKE.get(tag, tag), roles_of(short[end:]) if ends else 0


@lru_cache(maxsize=4_096)
def _bits(mask: int) -> tuple[int, ...]:
    return tuple(bit for bit in range(mask.bit_length()) if mask >> bit & 1)


@lru_cache(maxsize=1)
def _masks() -> tuple[int, int]:
    names = roles()
    return sum(1 << names.index(role) for role in _GOOD), sum(1 << names.index(role) for role in _BAD)


TAG_NAMES = (
    "width|height|area|aspect|either side|least side|set width|sizes width|has sizes|lazy|eager|alt chars|alt words"
    "|title chars|classes|attributes|has style"
).split("|")
OWN_ROLES = ("inline", "lead", "article", "icon", "author")

_SIZES_PX = re.compile(r"(\d{2,4})px")
_READ_CHARS = 600  # of an attribute
_LARGEST = 4_000.0  # pixels; more says nothing more


@dataclass(frozen=True, slots=True)
class Tag:
    """What the opening tag of an image says."""

    numbers: NDArray[np.float32]  # in the order of NAMES, then OWN_ROLES
    width: float  # declared, -1: unsaid
    height: float
    set_width: float  # of the widest file offered
    sizes_width: float  # in `sizes`
    alt_chars: float  # -1: there is no alt
    words: frozenset[str]  # of the alt


@lru_cache(maxsize=2_048)
def read_tag(tag: str) -> Tag:
    """Return what an opening tag says of its image."""
    said = read_attributes(tag)
    width, height = (float(min(side, _LARGEST)) if side is not None else -1.0 for side in declared_size(said))
    set_width, sizes_width = _set_width(said), _sizes_width(said)
    alt, classes = said.get("alt", "")[:_READ_CHARS], said.get("class", "")[:_READ_CHARS]
    words = text_words(alt) if alt else frozenset()
    alt_chars = float(min(len(alt), 300)) if "alt" in said else -1.0
    own = roles_of(f"{classes} {said.get('id', '')[:100]}")
    both = width > 0 and height > 0
    least = min(width, height) if width >= 0 and height >= 0 else max(width, height)
    numbers = (
        width,
        height,
        width * height if both else -1.0,
        min(width / height, 20.0) if both else -1.0,
        max(width, height),
        least,
        set_width,
        sizes_width,
        "sizes" in said or "data-sizes" in said,
        "lazy" in tag,
        said.get("loading") == "eager" or said.get("fetchpriority") == "high",
        alt_chars,
        min(len(words), 40),
        min(len(said.get("title", "")), 300),
        min(classes.count(" ") + 1, 20) if classes else 0,
        min(len(said), 30),
        "style" in said,
        *[own >> bit & 1 for bit in _own_bits()],
    )
    return Tag(np.array(numbers, dtype=np.float32), width, height, set_width, sizes_width, alt_chars, words)


@lru_cache(maxsize=1)
def _own_bits() -> tuple[int, ...]:
    return tuple(roles().index(role) for role in OWN_ROLES)


def _set_width(said: Mapping[str, str]) -> float:
    text = said.get("srcset") or said.get("data-srcset") or said.get("data-lazy-srcset") or ""
    widths = [size for _, size in read_srcset(text[:2_000]) if size != 1000.0 and size != 2000.0] if text else []
    return min(max(widths, default=-1.0), _LARGEST) or -1.0


def _sizes_width(said: Mapping[str, str]) -> float:
    text = said.get("sizes") or said.get("data-sizes") or ""
    if not text:
        return -1.0
    found = [float(number) for number in _SIZES_PX.findall(text[:300])]
    return found[-1] if found else 0.0
