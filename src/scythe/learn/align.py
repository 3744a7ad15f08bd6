"""Choose which places of a value on several pages belong together: places per page come in, rows of them go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from scythe.learn.literals import common_prefix, common_suffix, steady_prefix
from scythe.learn.places import Place
from scythe.page.follow import span_of
from scythe.page.source import Source, tag_end
from scythe.rules import ATTRIBUTE, Way

_LEFT = 160  # bytes compared in front of a place ...
_RIGHT = 60  # ... and behind it
_PER_POINT = 50  # bytes alike that count as much as a level
_FURNITURE = 2.5  # points for places that are alike as far as is looked, value and all: a menu perhaps
_LEVELS = 10  # elements around it that are compared

Row = tuple[Place | None, ...]  # one place per page, None where the value is not there in this way


@dataclass(frozen=True, slots=True)
class Setting:
    """What is around a place, by which it is recognised on another page."""

    place: Place
    tag: bytes
    left: bytes
    right: bytes
    chain: tuple[str, ...]  # elements around, innermost first
    depth: float  # 0..1: how far down the page


def align(sources: Sequence[Source], places: Sequence[Sequence[Place]]) -> list[tuple[float, Row]]:
    """Return rows of places that look alike, the most alike first; a page may lack one."""
    settings = [[_setting(source, place) for place in on_page] for source, on_page in zip(sources, places, strict=True)]
    rows: dict[Row, float] = {}
    for i, on_page in enumerate(settings):
        for one in on_page:
            row: list[Place | None] = []
            total = _prior(one.place) * len(settings)
            for j, others in enumerate(settings):
                best = one if i == j else max(others, key=lambda other: likeness(one, other), default=None)
                alike = 0.0 if best is None else likeness(one, best)
                row.append(best.place if best is not None and alike > 0 else None)
                total += alike if i != j else 0.0
            rows[tuple(row)] = max(total, rows.get(tuple(row), 0.0))
    return sorted(((total, row) for row, total in rows.items()), key=lambda pair: -pair[0])  # stable: whole texts first


def likeness(one: Setting, other: Setting) -> float:
    """Say how likely two places are the same one of a template; 0 when they cannot be."""
    a, b = one.place, other.place
    if (a.take, a.attribute) != (b.take, b.attribute) or one.chain[:1] != other.chain[:1]:
        return 0.0
    if bool(a.text[: a.start]) != bool(b.text[: b.start]) or bool(a.text[a.end :]) != bool(b.text[b.end :]):
        return 0.0
    levels = 0
    for mine, theirs in zip(one.chain, other.chain, strict=False):
        if mine != theirs:
            break
        levels += 1
    return (
        0.1
        + 2.0 * (one.tag == other.tag)
        + levels / 4
        + _around(one, other)
        + 1.0
        - abs(one.depth - other.depth)
        + 0.5 * (a.sameness + b.sameness)
    )


def _around(one: Setting, other: Setting) -> float:
    """Say how much of what is around two places is alike; the same text in the same place may be furniture."""
    left, right = len(common_suffix((one.left, other.left))), len(common_prefix((one.right, other.right)))
    if left >= _LEFT and right >= _RIGHT and one.place.text == other.place.text:
        return _FURNITURE
    return (left + right) / _PER_POINT


def _prior(place: Place) -> float:
    """Say how good a place is in itself: the whole text of an element, as given, is best."""
    return 1.0 * place.sameness + 2.0 * place.is_whole - 1.5 * (place.take == ATTRIBUTE)


def _setting(source: Source, place: Place) -> Setting:
    body, offset = source.body, place.offset
    opening = source.at(offset)
    assert opening is not None  # places come from the page's own openings
    start = tag_end(body, offset)
    end = span_of(source, opening, Way(place.take, ()))[1]
    chain: list[str] = []
    node: LexborNode | None = opening.node
    while node is not None and len(chain) < _LEVELS:
        attributes = node.attributes if not (node.tag or "-").startswith(("-", "!")) else {}
        chain.append(f"{node.tag} {attributes.get('class') or ''}" if chain else node.tag or "")
        node = node.parent
    left = body[max(0, offset - _LEFT) : offset]
    right = body[end : end + _RIGHT]
    return Setting(place, steady_prefix(body[offset:start]), left, right, tuple(chain), offset / max(1, len(body)))
