"""Compute the feature rows of a page's images for the relevance model: of tag, address, link, path and neighbours."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from scythe.model import ImageContext, PageImages, SiteImages
from scythe.page.image_context import fold_path, signature
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


Column = NDArray[np.float64]

GROUP_NAMES = "count|share|run|first order|order span|links away|linked|mean alt|mean gap|widest".split("|")


def number_groups(keys: Sequence[Hashable], start: int = 0) -> list[int]:
    """Return a number for each key, equal ones having the same, counted from `start` in order of appearance."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(key, start + len(known)) for key in keys]


def count_equal(keys: Sequence[Hashable]) -> Column:
    """Return for each key how many are equal to it."""
    numbers = number_groups(keys)
    return np.bincount(numbers)[numbers].astype(np.float64)


def describe_groups(groupings: Sequence[Sequence[Hashable]], facts: dict[str, Column]) -> list[Column]:
    """Return the columns of `GROUP_NAMES` for each way to group the images, one way after the other.

    All ways are worked out together: the groups of the second are numbered on from those of the first, and so on.
    """
    images, ways = len(facts["order"]), len(groupings)
    numbers: list[int] = []
    for keys in groupings:
        numbers += number_groups(keys, max(numbers, default=-1) + 1)
    of = np.array(numbers)
    sizes = np.bincount(of).astype(np.float64)
    order = _again(facts["order"], ways)
    first, last = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    np.minimum.at(first, of, order)
    np.maximum.at(last, of, order)
    widest = np.zeros(len(sizes))
    np.maximum.at(widest, of, _again(facts["shown"], ways))
    means = [np.bincount(of, _again(facts[name], ways)) / sizes for name in ("away", "linked", "alt", "gap")]
    found = [sizes, sizes / images, first, last - first, *means, widest]
    columns = [values[of].reshape(ways, images) for values in found]
    columns.insert(2, _runs(of, images).reshape(ways, images))
    return [column[way] for way in range(ways) for column in columns]


def _again(values: Column, times: int) -> Column:
    return np.concatenate([values] * times)  # a third of what np.tile takes


def _runs(of: NDArray[np.int64], images: int) -> Column:
    """Return how many images in a row are of the group of each image."""
    new = np.ones(len(of), dtype=bool)
    new[1:] = of[1:] != of[:-1]
    new[::images] = True
    starts = np.flatnonzero(new)
    lengths = steps_between(starts, len(of))
    return np.repeat(lengths, lengths).astype(np.float64)


def steps_between(values: NDArray[Any], end: float) -> NDArray[Any]:
    """Return how far it is from each value to the next, from the last one to `end`."""
    steps = np.empty_like(values)
    np.subtract(values[1:], values[:-1], out=steps[:-1])
    steps[-1] = end - values[-1]
    return steps


def rank(values: Column) -> Column:
    """Return how many images have a higher value."""
    return (len(values) - np.searchsorted(np.sort(values), values, "right")).astype(np.float64)


GROUPS = ("signature", "kind", "place", "holder")
_AWAY = (LINKS.index("other page"), LINKS.index("other host"))
_UNKNOWN = -1.0
_LEAST_NAME = 6  # characters of a file name that can be told from others
_TRACKER = 2  # pixels
_SITES = 16  # whose counts are kept ready

_OWN = "order|text before|chars before|chars after|figure|lead|stated".split("|")
_LINK = [f"link {kind}" for kind in LINKS] + ["link depth", "link opens image", "link targets", "link words in file"]
_WORDS = "alt words in title|alt share in title|link words in title|alt words in slug|alt like lead".split("|")
_SIZE = (
    "shown width|shown rank|shown of widest|offered width|offered rank|offered of widest|area rank|of median"
).split("|")
_NEAR = (
    "index share|images|chars since last|chars to next|elements since last|elements to next|links share|same file"
    "|same alt|same host share|same folder share"
).split("|")
_LEAD = (
    "leads|shared path with lead|like lead|order from lead|chars from lead|folder of lead|same file as lead"
    "|signature of lead|stated in page"
).split("|")
_SITE = "site pages|source pages|source share|signature pages|signature uses|signature page share".split("|")
_PAGE = (
    "page text|page names image|page url words|page url digits|page home|images with link|images in article"
    "|distinct signatures|posts|in a post|images of post"
).split("|")


@dataclass(frozen=True, slots=True)
class SiteImageCounts:
    """How often addresses and signatures of images are on the pages of a site."""

    pages: int
    sources: dict[str, int]
    signatures: dict[str, tuple[int, int]]  # pages that have it, images that have it


_counts_of: dict[int, tuple[SiteImages, SiteImageCounts]] = {}  # by identity: hashing a site takes longer than a page


def site_counts(site: SiteImages) -> SiteImageCounts:
    """Return what a site says of its images in a form that is quick to ask; that of the last sites is remembered."""
    known = _counts_of.get(id(site))
    if known is None:
        signatures = {name: (pages, images) for name, pages, images in site.signatures}
        known = (site, SiteImageCounts(site.pages, dict(site.sources), signatures))
        if len(_counts_of) >= _SITES:
            _counts_of.clear()
        _counts_of[id(site)] = known
    return known[1]


@lru_cache(maxsize=1)
def feature_names() -> tuple[str, ...]:
    """Return the names of all columns."""
    names = [f"tag {name}" for name in (*TAG_NAMES, *(f"is {role}" for role in OWN_ROLES))]
    names += [*ADDRESS_NAMES, *(f"url says {role}" for role in URL_ROLES)]
    names += [*path_names(), *_OWN, *_LINK, *_WORDS, *_SIZE, *_NEAR]
    names += [f"{group} {name}" for group in GROUPS for name in GROUP_NAMES]
    return (*names, *_LEAD, *_SITE, *_PAGE)


def image_features(page: PageImages, counts: SiteImageCounts | None = None) -> NDArray[np.float32]:
    """Return one row per image of the page, columns as `feature_names` says; counts of one page say nothing."""
    if not page.images:
        return np.zeros((0, len(feature_names())), dtype=np.float32)
    return _Described(page).rows(counts)


def is_nothing(image: ImageContext) -> bool:
    """Say whether an image can show nothing: a tracker, or a placeholder that is part of the page itself."""
    tag = read_tag(image.tags[2])
    return (0 <= tag.width <= _TRACKER and 0 <= tag.height <= _TRACKER) or image.src[:5].lower() == "data:"


class _Described:
    """The images of one page, read once."""

    def __init__(self, page: PageImages) -> None:
        images = page.images
        self.page = page
        self.images = images
        self.tags = [read_tag(image.tags[2]) for image in images]
        self.addresses = [read_address(image.src) for image in images]
        self.targets = [read_link(image.link, page.url) for image in images]
        self.signatures = [signature(image) for image in images]
        self.paths = [fold_path(image.path) for image in images]
        said = [(image.order, image.text_before, image.is_figure, image.is_lead, image.is_stated) for image in images]
        self.order, self.before, self.figure, self.lead, self.stated = np.array(said, dtype=np.float64).T
        self.chars = self.before * page.text_chars
        self.since = _steps_to(self.chars)
        self.kinds = np.array([target.kind for target in self.targets])
        self.away = ((self.kinds == _AWAY[0]) | (self.kinds == _AWAY[1])).astype(np.float64)

    def rows(self, counts: SiteImageCounts | None) -> NDArray[np.float32]:
        """Return all numbers: those that one tag, address or path gives are remembered, the others are of this page."""
        parts = []
        for tag, address, path in zip(self.tags, self.addresses, self.paths, strict=True):
            parts += [tag.numbers, address.numbers, path_features(path)]
        single = np.concatenate(parts).reshape(len(self.images), -1)
        shown = self.shown_width()
        columns = [*self.own(), *self.links(), *self.words(), *self.sizes(shown), *self.neighbours()]
        columns += [*self.groups(shown), *self.leads(), *self.site(counts), *self.whole_page()]
        return np.hstack([single, np.array(columns, dtype=np.float32).T])

    def own(self) -> list[Column]:
        left = self.page.text_chars - self.chars
        return [self.order, self.before, self.chars, left, self.figure, self.lead, self.stated]

    def links(self) -> list[Column]:
        facts = [
            (target.depth, _opens(target, own), _shared(target.words, own.words))
            for target, own in zip(self.targets, self.addresses, strict=True)
        ]
        depth, opens, common = np.array(facts, dtype=np.float64).T
        targets = count_equal([target.path if target.kind else number for number, target in enumerate(self.targets)])
        return [*(self.kinds == np.arange(len(LINKS))[:, None]).astype(np.float64), depth, opens, targets, common]

    def words(self) -> list[Column]:
        title = text_words(self.page.title[:1_000])
        slug = slug_words(page_address(self.page.url)[1])
        leads = frozenset[str]().union(*(tag.words for tag, lead in zip(self.tags, self.lead, strict=True) if lead))
        facts = []
        for tag, target in zip(self.tags, self.targets, strict=True):
            alt = tag.words
            said = _shared(alt, title)
            share = said / (len(alt) + 1.0)
            facts.append((said, share, _shared(target.words, title), _shared(alt, slug), _shared(alt, leads)))
        return list(np.array(facts, dtype=np.float64).T)

    def shown_width(self) -> Column:
        """Return the width at which each image is most likely shown, in pixels, 0 where nothing says so."""
        pairs = zip(self.tags, self.addresses, strict=True)
        said = [(tag.width, address.width, tag.sizes_width, tag.set_width) for tag, address in pairs]
        widths = np.array(said, dtype=np.float64)
        first: Column = widths[np.arange(len(said)), (widths > 0).argmax(axis=1)]
        return np.maximum(first, 0.0)

    def sizes(self, shown: Column) -> list[Column]:
        facts = [
            (max(tag.set_width, own.width, tag.width, 0.0), max(tag.width, 0.0) * max(tag.height, 0.0))
            for tag, own in zip(self.tags, self.addresses, strict=True)
        ]
        offered, areas = np.array(facts).T
        known = np.sort(shown[shown > 0])
        middle = known[len(known) // 2] if len(known) else 1.0
        columns = [shown, rank(shown), shown / max(float(shown.max()), 1.0)]
        columns += [offered, rank(offered), offered / max(float(offered.max()), 1.0), rank(areas), shown / middle]
        return columns

    def neighbours(self) -> list[Column]:
        count = len(self.images)
        until = steps_between(self.chars, self.page.text_chars)
        steps, steps_on = _steps_to(self.order), steps_between(self.order, 1.0)
        file = count_equal([own.file or number for number, own in enumerate(self.addresses)])
        alt = count_equal([tag.words or number for number, tag in enumerate(self.tags)])
        host = count_equal([own.host for own in self.addresses]) / count
        folder = count_equal([own.folder for own in self.addresses]) / count
        columns = [np.arange(count) / count, np.full(count, float(count)), self.since, until, steps, steps_on]
        return [*columns, np.full(count, self.away.mean()), file, alt, host, folder]

    def groups(self, shown: Column) -> list[Column]:
        facts = {
            "order": self.order,
            "away": self.away,
            "linked": (self.kinds > 0).astype(np.float64),
            "alt": np.array([tag.alt_chars for tag in self.tags]),
            "gap": self.since,
            "shown": shown,
        }
        paths = self.paths
        keys = (self.signatures, [path[:2] for path in paths], paths, [path[2:] for path in paths])
        return describe_groups(keys, facts)

    def leads(self) -> list[Column]:
        count = len(self.images)
        found = np.flatnonzero(self.lead)
        stated = np.full(count, float(self.stated.any()))
        if not len(found):
            return [np.zeros(count), *[np.full(count, _UNKNOWN)] * 7, stated]
        first = int(found[0])
        path, folder = self.images[first].path, self.addresses[first].folder
        kinds = {self.signatures[number] for number in found}
        files = {self.addresses[number].file for number in found}
        facts = [
            (_common_depth(image.path, path), own.folder == folder, own.file in files, name in kinds)
            for image, own, name in zip(self.images, self.addresses, self.signatures, strict=True)
        ]
        shared, same_folder, same_file, same_kind = np.array(facts, dtype=np.float64).T
        columns = [np.full(count, float(len(found))), shared, shared / max(len(path), 1)]
        columns += [self.order - self.order[first], self.chars - self.chars[first]]
        return [*columns, same_folder, same_file, same_kind, stated]

    def site(self, counts: SiteImageCounts | None) -> list[Column]:
        if counts is None or counts.pages < 2:
            return [np.full(len(self.images), _UNKNOWN)] * len(_SITE)
        facts = []
        for image, name in zip(self.images, self.signatures, strict=True):
            source = counts.sources.get(image.src, 1)
            pages, images = counts.signatures.get(name, (0, 0))
            share = source / counts.pages
            facts.append((min(source, 5), share, min(pages, 20), images / max(pages, 1), pages / counts.pages))
        known = np.full(len(self.images), float(min(counts.pages, 30)))
        return [known, *np.array(facts, dtype=np.float64).T]

    def whole_page(self) -> list[Column]:
        count = len(self.images)
        path = page_address(self.page.url)[1]
        posts = [post_of(image.path) for image in self.images]
        same = count_equal(posts)
        inside = np.array([post != "" for post in posts], dtype=np.float64)
        facts = (
            min(self.page.text_chars, 100_000),
            self.page.has_meta,
            len(slug_words(path.rpartition("/")[2])),
            sum(map(str.isdigit, path)),
            path == "",
            (self.kinds > 0).mean(),
            inside.mean(),
            len(set(self.signatures)),
            len({post for post in posts if post}),
        )
        return [*np.repeat(np.array(facts, dtype=np.float64), count).reshape(len(facts), count), inside, same]


def _steps_to(values: Column) -> Column:
    """Return how far it is to each value from the one before, to the first from 0."""
    steps = values.copy()
    steps[1:] -= values[:-1]
    return steps


def _opens(target: LinkTarget, own: ImageUrl) -> float:
    """Return how much of its beginning the name of a link's target shares with the file of the image in it."""
    name, file = target.name, own.file
    length = min(len(name), len(file))
    if length < _LEAST_NAME:
        return 0.0
    return next((part / 4 for part in (4, 3, 2) if name[: length * part // 4] == file[: length * part // 4]), 0.0)


def _shared(one: frozenset[str], other: frozenset[str]) -> int:
    return len(one & other) if one and other else 0


def _common_depth(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many elements two paths share, from the body on."""
    longest = min(len(one), len(other))
    if one[-longest:] == other[-longest:]:
        return longest
    return next(depth for depth in range(longest) if one[-1 - depth] != other[-1 - depth])
