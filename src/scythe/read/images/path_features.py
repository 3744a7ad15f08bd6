"""Describe where an image stands by the elements around it: the path to the body comes in, numbers go out."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.read.images.image_words import roles, roles_of

FAR = 24.0  # elements away: no such element
TAGS = tuple("article main figure picture header footer nav aside section li ul p a noscript td div".split())
_LIKE = {"ol": "ul", "th": "td"}
PAGE_ROLES = ("home", "archive", "post")  # what the body says the page is
_GOOD = ("article", "body", "prose", "main", "lead", "inline", "gallery", "caption")
_BAD = (
    "teaser related popular list thumb side header footer menu brand author comment share icon advert form audio"
).split()
_PAGE_LABELS = 2  # the outermost elements name the page, not the part of it

NAMES = (
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
    return (*NAMES, *(f"in {tag}" for tag in TAGS), *(f"near {role}" for role in roles()), *kinds)


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
