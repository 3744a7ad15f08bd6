"""Learn how an element ends: its places on several pages come in, an end marker and a tag count go out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scythe.learn.literals import common_prefix
from scythe.learn.spots import Spot
from scythe.page.follow import span_of
from scythe.page.source import tag_end
from scythe.rules import ELEMENT, Way

_END_BYTES = 200  # of an end marker at most, ...
_END_BYTES_ALONE = 60  # ... and where one page alone was seen, which says little about what stays


def learn_end(spots: Sequence[Spot]) -> tuple[bytes, int]:
    """Return the shortest bytes that begin with the closing tag and stand nowhere inside, and the inner tag count."""
    name = spots[0].source.openings[spots[0].at].name
    ends = [span_of(spot.source, spot.source.openings[spot.at], Way(ELEMENT, ()))[1] for spot in spots]
    counts = {_count_inside(spot, name, end) for spot, end in zip(spots, ends, strict=True)}
    return _marker(spots, name, ends), counts.pop() if len(counts) == 1 else -1


def _count_inside(spot: Spot, name: str, end: int) -> int:
    openings = spot.source.openings
    count, i = 0, spot.at
    while i < len(openings) and openings[i].offset < end:
        count += openings[i].name == name
        i += 1
    return count


def _marker(spots: Sequence[Spot], name: str, ends: Sequence[int]) -> bytes:
    closing = re.compile(rb"</" + re.escape(name.encode()) + rb"[\t\n\f\r ]*>$", re.IGNORECASE)
    follow: list[bytes] = []
    starts: list[int] = []
    for spot, end in zip(spots, ends, strict=True):
        body = spot.source.body
        found = closing.search(body, max(spot.offset, end - len(name) - 20), end)
        if found is None:  # a closing tag that is left out, or written in a way of its own
            return b""
        starts.append(found.start())
        follow.append(body[found.start() : found.start() + _END_BYTES])
    shared = common_prefix(follow)
    longest = len(shared) if len(spots) > 1 else min(len(shared), _END_BYTES_ALONE)
    for size in range(shared.find(b">") + 1, longest + 1):
        if size and all(_is_first(spot, shared[:size], start) for spot, start in zip(spots, starts, strict=True)):
            return shared[:size]
    return b""


def _is_first(spot: Spot, literal: bytes, start: int) -> bool:
    body = spot.source.body
    return body.find(literal, tag_end(body, spot.offset), start + len(literal)) == start
