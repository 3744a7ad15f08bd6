"""Parse the attributes of a single opening tag, and `srcset` values, without a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from html.entities import html5
from itertools import islice
from types import MappingProxyType

from scythe.limits import LIMITS

_SPACE = re.compile(r"[\t\n\f\r ]")
_BETWEEN = re.compile(r"[\t\n\f\r ,]*+")


def read_srcset(text: str) -> list[tuple[str, float]]:
    """Return (address, width or 1000 x density, 0 if unsaid) of each candidate, at most `Limits.srcset_items`."""
    found = islice(split_srcset(text), LIMITS.srcset_items)
    return [(address, 1000.0 * number if unit == "x" else number) for address, number, unit in found]


def split_srcset(text: str) -> Iterator[tuple[str, float, str]]:
    """Yield (address, number, unit) of every candidate; the unit is w, x or, with number 0, empty.

    An address ends at white space, so commas inside it (`w_300,h_200`) do not split it.
    """
    at, end = 0, len(text)
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        if at >= end:
            return
        space = _SPACE.search(text, at, at + LIMITS.url_chars)
        stop = space.start() if space else min(end, at + LIMITS.url_chars)
        address = text[at:stop]
        at = stop
        if address.endswith(","):
            yield address.rstrip(","), 0.0, ""
            continue
        comma = text.find(",", at)
        comma = end if comma < 0 else comma
        yield address, *_size(text[at : min(comma, at + 100)])
        at = comma


def _size(descriptor: str) -> tuple[float, str]:
    for word in descriptor.split()[:3]:
        number, unit = word[:-1], word[-1]
        if unit in "wx" and number.replace(".", "", 1).isdecimal() and number.isascii() and len(number) < 10:
            return float(number), unit
    return 0.0, ""


_NAME = re.compile(r"[\t\n\f\r ]*+<[^\t\n\f\r />]*+")
# HTML standard, 13.2.5.32 to 13.2.5.38: a quote that is never closed holds all the rest
_ATTRIBUTE = re.compile(
    r"([^\t\n\f\r />][^\t\n\f\r />=]*+)[\t\n\f\r ]*+"
    r"""(?:=[\t\n\f\r ]*+(?:"([^"]*+)"?|'([^']*+)'?|([^\t\n\f\r >]*+)))?|(>)"""
)
# 13.2.5.73: in attributes a name without semicolon before a letter, digit or = is no reference (`?a=1&copy=2`)
_REFERENCE = re.compile(r"&(?:#[0-9A-Za-z]{1,10};?|[A-Za-z0-9]{2,32}(?:;|(?![A-Za-z0-9=])))")
_KEPT_CHARS = 4_000  # longer tags (data: addresses, large srcset) are read each time, not remembered


def read_attributes(tag: str) -> Mapping[str, str]:
    """Return the attributes of an opening tag by lower-case name, the first of equal names, references resolved.

    Takes time linear in the length of the tag, and next to none for a tag seen lately; never raises.
    """
    return _read_kept(tag) if len(tag) <= _KEPT_CHARS else _read(tag)


@lru_cache(maxsize=4_096)
def _read_kept(tag: str) -> Mapping[str, str]:
    return _read(tag)


def _read(tag: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    opening = _NAME.match(tag)
    for match in _ATTRIBUTE.finditer(tag, opening.end() if opening else 0):
        name, double, single, bare, end = match.groups()
        if end or len(found) >= LIMITS.tag_attributes:
            break
        value = double or single or bare or ""
        found.setdefault(name.lower(), _REFERENCE.sub(_resolve, value) if "&" in value else value)
    return MappingProxyType(found)


def _resolve(reference: re.Match[str]) -> str:
    text = reference[0]
    return unescape(text) if text[1] == "#" or text[1:] in html5 else text
