"""Describe an image by its own tag: the opening tag comes in, numbers go out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scythe.page.images import declared_size
from scythe.page.srcset import read_srcset
from scythe.page.tag_attributes import read_attributes
from scythe.read.images.image_words import roles, roles_of, text_words

NAMES = (
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
