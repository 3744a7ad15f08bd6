"""One page at hand, explained: what was cut where, in the source and in the frame, and whether the tree agrees."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scythe.extracting.reap import rows_by_offset
from scythe.extracting.trace import FieldTrace, PageTrace, Place, RuleTrace, WayTrace, line_of
from scythe.page import Page
from scythe.page.source import Source, read_source, tag_end
from scythe.web.inert import number_elements
from scythe.web.room import PageAtHand
from scythe.web.rules_measured import COLD, CUT, differs, outcome_of
from scythe.web.rules_source import SourcePart, show_windows
from scythe.web.word_diff import DiffPiece, diff_words

COLOURS = 8  # that parts of a page are told apart by
_OUTLINED = 60  # elements of one part that are outlined in the frame
_DIFF_CHARS = 60_000  # of a value that is compared with what the tree gives
_VALUES = 20  # of one field that are shown
_VALUE_CHARS = 600


@dataclass(frozen=True, slots=True)
class RuleVoted:
    """Where one rule leads on this page."""

    kind: str
    says: str
    offset: int | None  # bytes; None: it is silent
    line: int | None
    agrees: bool  # it leads where most do


@dataclass(frozen=True, slots=True)
class WayVoted:
    """How the rules of one way vote on this page."""

    takes: str
    needed: int
    agreed: int
    rules: tuple[RuleVoted, ...]


@dataclass(frozen=True, slots=True)
class PlaceExplained:
    """A part of the page that was cut."""

    number: int
    colour: int
    kind: str  # field, images, records
    name: str
    says: str
    span: tuple[int, int]  # bytes
    line: int
    elements: tuple[int, ...]  # numbers in the frame; () where that is not certain


@dataclass(frozen=True, slots=True)
class FieldExplained:
    """One field of this page."""

    name: str
    outcome: str  # cut, tree, cold, missing
    how: str
    values: tuple[str, ...]
    more_values: int
    place: int | None  # number of its place
    cut_us: float | None
    differs: bool
    by_tree: tuple[str, ...]
    diff: tuple[DiffPiece, ...]  # from what was delivered to what the tree gives; () where they are the same
    ways: tuple[WayVoted, ...]


@dataclass(frozen=True, slots=True)
class PageExplained:
    """One page and what the rules make of it."""

    page: int
    name: str
    url: str | None
    layout: str  # "" where none fits
    size: int  # bytes
    encoding: str
    lines: int
    marks: tuple[int, int]  # of its layout that it has, and all of them
    images: str  # how they were got
    records: str
    places: tuple[PlaceExplained, ...]
    fields: tuple[FieldExplained, ...]
    source: tuple[SourcePart, ...]


def explain_page(at_hand: PageAtHand, found: PageTrace) -> PageExplained:
    """Put together what is shown of one page. Its tree is built anew: that of the room would have to be locked."""
    body = at_hand.body
    page = Page.from_bytes(body, url=at_hand.url, content_type=at_hand.content_type)
    elements = _find_elements(page, read_source(body), found.places)
    places = tuple(_see_place(row, place, body, elements[row]) for row, place in enumerate(found.places))
    by_name = {place.kind if place.kind == "images" else place.name: place.number for place in reversed(places)}
    fits = next(((one.found, one.marks) for one in found.trace.layouts if one.fits), (0, 0))
    return PageExplained(
        page=at_hand.number,
        name=at_hand.name,
        url=at_hand.url,
        layout=found.layout,
        size=len(body),
        encoding=found.trace.encoding,
        lines=line_of(body, len(body)),
        marks=fits,
        images=found.hows.get("images", ""),
        records=found.hows.get("records", ""),
        places=places,
        fields=tuple(_see_field(field, found.hows, by_name.get(field.name)) for field in found.trace.fields),
        source=tuple(show_windows(body, found.trace.encoding, found.places)),
    )


def _see_place(row: int, place: Place, body: bytes, elements: tuple[int, ...]) -> PlaceExplained:
    line = line_of(body, place.span[0])
    return PlaceExplained(row, row % COLOURS, place.kind, place.name, place.says, place.span, line, elements)


def _see_field(field: FieldTrace, hows: dict[str, str], place: int | None) -> FieldExplained:
    how = hows.get(field.name, field.how)
    is_other = differs(field)
    return FieldExplained(
        name=field.name,
        outcome=outcome_of(how),
        how=how,
        values=tuple(_shorten(value) for value in field.values[:_VALUES]),
        more_values=max(len(field.values) - _VALUES, 0),
        place=place,
        cut_us=field.cut_us if how.startswith(CUT) else None,
        differs=is_other,
        by_tree=tuple(_shorten(value) for value in field.by_tree[:_VALUES]) if outcome_of(how) != COLD else (),
        diff=tuple(diff_words(_joined(field.values), _joined(field.by_tree))) if is_other else (),
        ways=tuple(_see_way(way) for way in field.ways),
    )


def _see_way(way: WayTrace) -> WayVoted:
    votes = Counter(rule.offset for rule in way.rules if rule.offset is not None)
    most = votes.most_common(1)[0] if votes else (None, 0)
    return WayVoted(way.takes, way.needed, most[1], tuple(_see_rule(rule, most[0]) for rule in way.rules))


def _see_rule(rule: RuleTrace, most: int | None) -> RuleVoted:
    return RuleVoted(rule.kind, rule.says, rule.offset, rule.line, rule.offset is not None and rule.offset == most)


def _shorten(value: str) -> str:
    return value if len(value) <= _VALUE_CHARS else f"{value[:_VALUE_CHARS]}\u2026"


def _joined(values: Sequence[str]) -> str:
    return "\n".join(values)[:_DIFF_CHARS]


def _find_elements(page: Page, source: Source, places: Sequence[Place]) -> list[tuple[int, ...]]:
    """Return for each place the numbers of its elements in the frame; none where bytes and tree cannot be matched."""
    rows = rows_by_offset(source, page)
    if rows is None:
        return [()] * len(places)
    numbers = {node.mem_id: number for number, node in enumerate(number_elements(page))}
    nodes = page.elements.node
    found = []
    for place in places:
        offsets = [_opening_of(source, span) for span in (place.parts or (place.span,))[:_OUTLINED]]
        known = [rows[offset] for offset in offsets if offset is not None and offset in rows]
        found.append(tuple(numbers[nodes[row].mem_id] for row in known if nodes[row].mem_id in numbers))
    return found


def _opening_of(source: Source, span: tuple[int, int]) -> int | None:
    """Return where the element of a span begins: the span is the element, in its opening tag, or right behind that."""
    at = bisect_right(source.offsets, span[0]) - 1
    if at < 0:
        return None
    offset = source.offsets[at]
    return offset if offset == span[0] or tag_end(source.body, offset) >= span[0] else None
