"""Read a srcset attribute: its text in, addresses with their size descriptors out, as the HTML standard splits them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

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
