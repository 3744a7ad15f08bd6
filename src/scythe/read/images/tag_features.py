"""Describe an image by its own tag: the opening tag comes in, numbers go out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from scythe.page.images import declared_size
from scythe.page.srcset import read_srcset
from scythe.page.tag_attributes import read_attributes
from scythe.read.images.image_words import roles, roles_of, text_words

NAMES = (
    "width|height|area|aspect|either side|least side|set width|sizes width|has srcset|has sizes|lazy|eager"
    "|has lazy source|alt chars|alt words|alt sentence|alt credit|alt file name|title chars|classes|attributes"
    "|decorative|has style|wordpress image|wordpress full size|wordpress thumbnail|hidden style"
).split("|")
OWN_ROLES = tuple(
    "lead inline picture gallery slider teaser thumb brand author share icon advert video article body".split()
)

_SIZES_PX = re.compile(r"(\d{2,4})px")
_CREDIT = re.compile(
    r"©|\(c\)|\b(?:photo|foto|fotos|bild|image|credit|picture|source|quelle|getty|reuters|afp|dpa|ap|epa|shutterstock|imago"
    r"|alamy|istock|ansa|efe|xinhua)\b[:/ ]?",
    re.I,
)
_READ_CHARS = 600  # of an attribute
_LARGEST = 4_000.0  # pixels; more says nothing more


@lru_cache(maxsize=8_192)
def tag_features(tag: str) -> tuple[tuple[float, ...], float, float, frozenset[str]]:
    """Return the numbers of `NAMES` and `OWN_ROLES`, declared width and height (-1: unsaid), and the alt's words."""
    said = read_attributes(tag)
    width, height = (float(min(side, _LARGEST)) if side is not None else -1.0 for side in declared_size(said))
    set_width, sizes_width = _set_width(said), _sizes_width(said)
    alt, classes = said.get("alt", "")[:_READ_CHARS], said.get("class", "")
    words = text_words(alt)
    low = classes.lower()
    own = roles_of(f"{classes[:_READ_CHARS]} {said.get('id', '')[:100]}")
    sides = [side for side in (width, height) if side >= 0]
    numbers = (
        width,
        height,
        width * height if width > 0 and height > 0 else -1.0,
        min(width / height, 20.0) if width > 0 and height > 0 else -1.0,
        max(sides, default=-1.0),
        min(sides, default=-1.0),
        set_width,
        sizes_width,
        float("srcset" in tag),
        float("sizes" in said or "data-sizes" in said),
        float("lazy" in tag),
        float(said.get("loading") == "eager" or said.get("fetchpriority") == "high"),
        float("data-src" in tag or "data-lazy" in tag or "data-original" in tag),
        float(min(len(alt), 300)) if "alt" in said else -1.0,
        float(min(len(words), 40)),
        float(len(words) > 5),
        float(_CREDIT.search(alt) is not None),
        float(alt[-5:].lower().endswith((".jpg", ".png", ".jpeg", ".webp"))),
        float(min(len(said.get("title", "")), 300)),
        float(min(len(classes.split()), 20)),
        float(min(len(said), 30)),
        float(said.get("role") == "presentation" or said.get("aria-hidden") == "true"),
        float("style" in said),
        float("wp-image" in low or "attachment-" in low or "size-" in low),
        float("size-full" in low or "size-large" in low),
        float("thumbnail" in low or "size-medium" in low),
        float("display:none" in said.get("style", "")[:_READ_CHARS].replace(" ", "").lower()),
        *(float(own >> bit & 1) for bit in _own_bits()),
    )
    return numbers, width, height, words


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
