"""Describe an image by its address and by where the link around it leads: addresses come in, numbers go out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from scythe.read.images.image_words import roles, roles_of, slug_words

NAMES = (
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
_READ_CHARS = 500
_LARGEST = 4_000.0
_NOTHING = np.zeros(len(NAMES) + len(URL_ROLES), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Address:
    """What one image address says."""

    numbers: NDArray[np.float32]  # in the order of NAMES, then URL_ROLES
    width: float  # -1: unsaid
    height: float
    host: str
    folder: str
    file: str  # name without the size that resizing services put there
    words: frozenset[str]  # of the file name


@lru_cache(maxsize=2_048)
def read_address(src: str) -> Address:
    """Return what an address says of its image; of data: addresses only that it is one."""
    if src[:5].lower() == "data:":
        return Address(_NOTHING, -1.0, -1.0, "data:", "", "", frozenset())
    shown = src[:_READ_CHARS]
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
    return Address(np.array(numbers, dtype=np.float32), width, height, host, f"{host}{folder}", file, words)


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
class Target:
    """Where a link leads, seen from its page."""

    kind: int  # number in LINKS
    path: str
    name: str  # the last part of the path
    words: frozenset[str]
    depth: int


@lru_cache(maxsize=2_048)
def read_link(link: str | None, page_url: str) -> Target:
    """Return where the link around an image leads."""
    if link is None:
        return Target(0, "", "", frozenset(), -1)
    shown = link[:_READ_CHARS].strip()
    low = shown.lower()
    if not shown or shown[0] == "#":
        return Target(2, "", "", frozenset(), -1)
    if low.startswith(("javascript:", "mailto:", "whatsapp:", "tel:")):
        return Target(4, "", "", frozenset(), -1)
    host, path = _split(shown)
    path = path.rstrip("/")
    own_host, own_path = page_address(page_url)
    kind, name = _kind(host, path.lower(), own_host, own_path), path.rpartition("/")[2].lower()
    return Target(kind, path, name, slug_words(path), path.count("/"))


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
