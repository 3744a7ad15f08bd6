"""Show what was learned of a site: its layouts and rules, and what they extract from loaded pages."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Any
from urllib.parse import urlsplit

from msgspec import Meta

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.map import PageMap
from scythe.site.describe_rules import LayoutTold, describe_layout
from scythe.site.extract import map_page
from scythe.site.rules import Profile
from scythe.site.site import Site
from scythe.site.trace import CutRange, FieldTrace, PageTrace, RuleTrace, Tracer, line_of
from scythe.web.learned_sites import LearnedSites
from scythe.web.operations import SiteKey, WebArea
from scythe.web.safe_html import number_elements
from scythe.web.state import (
    PROFILE,
    BackgroundJob,
    JobView,
    NotNow,
    NotThere,
    PageAtHand,
    Recent,
    State,
    fill,
    open_page,
    see,
)

AREA = WebArea("rules", __doc__)

_AROUND = 240  # bytes shown before and behind a part
_INSIDE = 600  # bytes of a part shown from its start, and up to its end
_SNAP = 200  # bytes that an edge is moved at most to be at a line or a tag
_JOIN = 400  # bytes between two windows that are shown rather than left out
MOST_BYTES = 24_000  # shown at once when more is asked for

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SourcePiece:
    """Some text of one line, and the places that it is part of, the outermost first."""

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line, or what is shown of it."""

    number: int
    pieces: tuple[SourcePiece, ...]


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A stretch of the source: shown, or left out."""

    start: int  # bytes
    end: int
    first_line: int
    last_line: int
    lines: tuple[SourceLine, ...]  # () where it is left out


def show_windows(body: bytes, encoding: str, places: Sequence[CutRange]) -> list[SourcePart]:
    """Return the whole source as parts, of which those around the edges of places are shown."""
    parts: list[SourcePart] = []
    here, line = 0, 1
    for start, end in _windows(body, encoding, places):
        if start > here:
            parts.append(_left_out(body, here, start, line))
            line += body.count(b"\n", here, start)
        parts.append(show_part(body, encoding, places, start, end, line))
        line += body.count(b"\n", start, end)
        here = end
    if here < len(body):
        parts.append(_left_out(body, here, len(body), line))
    return parts


def show_more(body: bytes, encoding: str, places: Sequence[CutRange], start: int, end: int) -> list[SourcePart]:
    """Return a stretch that was left out: what may be shown at once, then what is still left."""
    end = min(end, len(body))
    stop = end if end - start <= MOST_BYTES else _snap_end(body, encoding, start + MOST_BYTES, end)
    line = line_of(body, start)
    parts = [show_part(body, encoding, places, start, stop, line)]
    if stop < end:
        parts.append(_left_out(body, stop, end, line + body.count(b"\n", start, stop)))
    return parts


def show_part(body: bytes, encoding: str, places: Sequence[CutRange], start: int, end: int, line: int) -> SourcePart:
    """Return a stretch line by line."""
    lines: list[SourceLine] = []
    pieces: list[SourcePiece] = []
    number = line
    spans = [(number, span) for number, place in enumerate(places) for span in place.parts or (place.span,)]
    spans = [(number, span) for number, span in spans if span[0] < end and span[1] > start]
    # the longest first: it is the outermost; of two that are the same, a field is looked for rather than its images
    spans.sort(key=lambda one: (one[1][0] - one[1][1], -one[0]))
    for first, last in _segments(body, start, end, spans):
        inside = tuple(place for place, span in spans if span[0] <= first and last <= span[1])
        pieces.append(SourcePiece(body[first:last].decode(encoding, "replace"), inside))
        if body[last - 1] == 0x0A or last == end:
            lines.append(SourceLine(number, tuple(pieces)))
            pieces = []
            number += 1
    return SourcePart(start, end, line, line + body.count(b"\n", start, end), tuple(lines))


def _segments(body: bytes, start: int, end: int, spans: Sequence[tuple[int, Span]]) -> Iterator[Span]:
    """Yield the stretches between ends of lines and edges of places."""
    edges = {edge for _, span in spans for edge in span if start < edge < end}
    here = body.find(b"\n", start, end)
    while here >= 0:
        edges.add(here + 1)
        here = body.find(b"\n", here + 1, end)
    last = start
    for edge in sorted(edges | {end}):
        yield last, edge
        last = edge


def _windows(body: bytes, encoding: str, places: Sequence[CutRange]) -> list[Span]:
    wanted: list[Span] = []
    for place in places:
        start, end = place.span
        if end - start <= 2 * _INSIDE:
            wanted.append((start - _AROUND, end + _AROUND))
        else:
            wanted += [(start - _AROUND, start + _INSIDE), (end - _INSIDE, end + _AROUND)]
    joined: list[Span] = []
    for start, end in sorted(wanted):
        first, last = _snap_start(body, encoding, max(start, 0)), _snap_end(body, encoding, end, len(body))
        if joined and first <= joined[-1][1] + _JOIN:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


def _snap_start(body: bytes, encoding: str, at: int) -> int:
    """Move an edge back to where a line, a tag or at least a character begins."""
    if at <= _SNAP:
        return 0
    line, tag = body.rfind(b"\n", at - _SNAP, at), body.rfind(b"<", at - _SNAP, at + 1)
    return line + 1 if line >= 0 else tag if tag >= 0 else _to_character(body, encoding, at)


def _snap_end(body: bytes, encoding: str, at: int, most: int) -> int:
    """Move an edge forth to where a line or a tag begins, or back to where a character does."""
    if at + _SNAP >= most:
        return most
    line, tag = body.find(b"\n", at, at + _SNAP), body.find(b"<", at, at + _SNAP)
    return line + 1 if line >= 0 else tag if tag >= 0 else _to_character(body, encoding, at)


def _to_character(body: bytes, encoding: str, at: int) -> int:
    for _ in range(3 if encoding == "utf-8" else 0):
        if 0 < at < len(body) and body[at] & 0xC0 == 0x80:
            at -= 1
    return at


def _left_out(body: bytes, start: int, end: int, line: int) -> SourcePart:
    return SourcePart(start, end, line, line + body.count(b"\n", start, end), ())


_TRACES = 8  # pages kept with all that was traced
_SITES = 4
CUT, TREE, COLD, MISSING = "cut", "tree", "cold", "missing"
OUTCOMES = (CUT, TREE, COLD, MISSING)


@dataclass(frozen=True, slots=True)
class FieldMeasured:
    """How one field of one page was got."""

    name: str
    outcome: str  # one of OUTCOMES
    cut_us: float | None  # microseconds; None where nothing was cut
    chars: int  # of all its values


@dataclass(frozen=True, slots=True)
class PageMeasured:
    """What the rules make of one page."""

    page: int  # its number among the pages at hand
    name: str
    url: str | None
    layout: str  # "" where none fits
    fields: tuple[FieldMeasured, ...]
    records: str  # one of OUTCOMES, or "" where the layout has no rules for them

    @property
    def label(self) -> str:
        """Its address without the host, which is the same for all."""
        return urlsplit(self.url)._replace(scheme="", netloc="").geturl() or "/" if self.url else self.name

    def count(self, outcome: str) -> int:
        """Return how many fields were got in one way."""
        return sum(field.outcome == outcome for field in self.fields)


class FollowedList:
    """What was learned of one site, with the pages that were followed through it."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.layouts: tuple[LayoutTold, ...] = tuple(describe_layout(layout) for layout in profile.layouts)
        self._tracer = Tracer(profile)
        self._measured: dict[int, tuple[PageAtHand, PageMeasured]] = {}
        self._traces: Recent[PageTrace] = Recent(_TRACES)

    def trace(self, page: PageAtHand) -> PageTrace:
        """Follow one page, or return what came of it before."""
        with self._traces.lock:
            found = self._traces.get(page.number, page, lambda: self._tracer.trace_page(page.body, page.url))
            self._measured[page.number] = (page, _measure(page, found))
        return found

    def measure(self, pages: list[PageAtHand], budget_s: float) -> tuple[list[PageMeasured], int]:
        """Return what came of pages, and how many are left to follow once the time is over."""
        until = time.monotonic() + budget_s
        found, left = [], 0
        for page in pages:
            if not is_followed(page):
                continue
            kept = self._measured.get(page.number)
            if kept is None or kept[0] is not page:
                if time.monotonic() > until:
                    left += 1
                    continue
                self.trace(page)
                kept = self._measured[page.number]
            found.append(kept[1])
        return found, left


def find_followed(state: State, key: str) -> FollowedList | None:
    """Return what was learned of a site, as it was looked at last; None where nothing was."""

    def load() -> FollowedList | None:
        site = state.load_site(key)
        return None if site is None else FollowedList(site.profile)

    stamp = state.part(LearnedSites).stamp(key)
    return None if stamp is None else state.recent(find_followed, _SITES).get(key, stamp, load)


def is_followed(page: PageAtHand) -> bool:
    """Say whether a page is small enough to be followed in the time of a request."""
    return len(page.body) <= LIMITS.traced_bytes and page.body.count(b"<") <= LIMITS.traced_tags


def outcome_of(how: str) -> str:
    """Say in one word how a field was got."""
    if how.startswith("tree: read cold"):
        return COLD
    return next((word for word in (CUT, TREE) if how.startswith(word)), MISSING)


def _measure(page: PageAtHand, trace: PageTrace) -> PageMeasured:
    fields = []
    for field in trace.trace.fields:
        outcome = outcome_of(trace.hows.get(field.name, field.how))
        cut_us = field.cut_us if field.how.startswith(CUT) else None
        fields.append(FieldMeasured(field.name, outcome, cut_us, sum(map(len, field.values))))
    records = outcome_of(trace.hows["records"]) if trace.layout and "records" in trace.hows else ""
    return PageMeasured(page.number, page.name, page.url, trace.layout, tuple(fields), records)


COLOURS = 8  # that parts of a page are told apart by
_OUTLINED = 60  # elements of one part that are outlined in the frame
_VALUES = 20  # of one field that are shown
_VALUE_CHARS = 600


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
    rules: tuple[RuleTrace, ...]  # where each leads on this page


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
    """Put together what is shown of one page. Its tree is built anew: that of the state would have to be locked."""
    body = at_hand.body
    page = open_page(at_hand)
    elements = _find_elements(page, map_page(body), found.places)
    places = [
        fill(PlaceExplained, place, number=row, colour=row % COLOURS, line=line_of(body, place.span[0]), elements=own)
        for row, (place, own) in enumerate(zip(found.places, elements, strict=True))
    ]
    by_name = {place.kind if place.kind == "images" else place.name: place.number for place in reversed(places)}
    fits = next(((one.found, one.marks) for one in found.trace.layouts if one.fits), (0, 0))
    return fill(
        PageExplained,
        at_hand,
        found.trace,
        page=at_hand.number,
        layout=found.layout,
        size=len(body),
        lines=line_of(body, len(body)),
        marks=fits,
        images=found.hows.get("images", ""),
        records=found.hows.get("records", ""),
        places=tuple(places),
        fields=tuple(_see_field(field, found.hows, by_name.get(field.name)) for field in found.trace.fields),
        source=tuple(show_windows(body, found.trace.encoding, found.places)),
    )


def _see_field(field: FieldTrace, hows: dict[str, str], place: int | None) -> FieldExplained:
    how = hows.get(field.name, field.how)
    return fill(
        FieldExplained,
        field,
        outcome=outcome_of(how),
        how=how,
        values=tuple(_shorten(value) for value in field.values[:_VALUES]),
        more_values=max(len(field.values) - _VALUES, 0),
        place=place,
        cut_us=field.cut_us if how.startswith(CUT) else None,
    )


def _shorten(value: str) -> str:
    return value if len(value) <= _VALUE_CHARS else f"{value[:_VALUE_CHARS]}\u2026"


def _find_elements(page: Page, mapped: PageMap, places: Sequence[CutRange]) -> list[tuple[int, ...]]:
    """Return for each place the numbers in the frame of the elements it stands in; none where they are not shown."""
    nodes = number_elements(page)
    numbers = {node.row: number for number, node in enumerate(nodes) if hasattr(node, "row")}
    found = []
    for place in places:
        spans = (place.parts or (place.span,))[:_OUTLINED]
        around = (((mapped.start <= start) & (mapped.end >= end)).nonzero()[0] for start, end in spans)
        innermost = (int(rows[-1]) for rows in around if len(rows))
        found.append(tuple(numbers[row] for row in innermost if row in numbers))
    return found


_BUDGET_S = 0.6  # for following pages in one request; who asks again gets further
_LEAST = 2  # pages to learn from

PageNumber = Annotated[int, Meta(ge=0, le=10**9, description="A number of GET /api/pages.")]
Offset = Annotated[int, Meta(ge=0, le=10**9, description="In bytes.")]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How one field was got on the pages at hand."""

    name: str
    cut: int  # pages
    tree: int
    cold: int
    missing: int
    cut_us: float | None  # microseconds for one cut, the median
    chars: tuple[int, int] | None  # the shortest and the longest


@dataclass(frozen=True, slots=True)
class LayoutView:
    """One layout, and how it fares on the pages at hand."""

    rules: LayoutTold
    at_hand: int  # pages that it fits
    fields: tuple[Outcomes, ...]


@dataclass(frozen=True, slots=True)
class RulesView:
    """What was learned of a site, and how it fares on the pages at hand."""

    site: str
    is_learned: bool
    learned: str  # when, ISO 8601
    layouts: tuple[LayoutView, ...]
    pages: int  # at hand
    left: int  # of them that are still to be followed: ask again
    large: int  # of them that are too large to be followed
    unknown: int  # of them that no layout fits
    measured: tuple[PageMeasured, ...]


@AREA.get("/api/rules", "rules")
def list_rules(state: State, site: SiteKey = "") -> RulesView:
    """Return what was learned of a site, each rule in words, and how it fares on the pages at hand."""
    key = state.site_key(site)
    followed = find_followed(state, key)
    pages = state.pages(key)
    if followed is None:
        return RulesView(key, False, "", (), len(pages), 0, 0, 0, ())
    measured, left = followed.measure(pages, _BUDGET_S)
    return RulesView(
        site=key,
        is_learned=True,
        learned=followed.profile.learned,
        layouts=tuple(_see_layout(layout, measured) for layout in followed.layouts),
        pages=len(pages),
        left=left,
        large=len(pages) - len(measured) - left,
        unknown=sum(not page.layout for page in measured),
        measured=tuple(sorted(measured, key=lambda page: page.page)),
    )


@AREA.get("/api/rules/page")
def explain_at_hand(state: State, page: PageNumber) -> PageExplained:
    """Return what the rules make of a page at hand: where each field was cut and what every rule says."""
    at_hand, followed = _find(state, page)
    return explain_page(at_hand, followed.trace(at_hand))


@AREA.get("/api/rules/source")
def read_source_part(state: State, page: PageNumber, start: Offset, end: Offset) -> list[SourcePart]:
    """Return a stretch of the source of a page at hand, line by line, with what was cut marked."""
    at_hand, followed = _find(state, page)
    if not start < end <= len(at_hand.body):
        raise NotThere(f"the page has {len(at_hand.body)} bytes")
    found = followed.trace(at_hand)
    return show_more(at_hand.body, found.trace.encoding, found.places, start, end)


@AREA.post("/api/learn", "learn")
def learn_site(state: State, site: Annotated[str, Meta(max_length=300)] = PROFILE) -> JobView:
    """Learn a site from its pages at hand and save what was learned; labels of images are kept."""
    key = state.site_key(site)
    pages = state.pages(key)
    if len(pages) < _LEAST:
        raise NotNow(f"there are {len(pages)} pages of {key} at hand: take some first")
    state.require_place(key)
    before = state.load_site(key)
    if before is not None and before.profile.named:
        named = ", ".join(before.profile.named)
        raise NotNow(f"someone showed by example what {named} is: teach it again where fields are picked")
    title = f"Learn from {len(pages)} pages"
    return see(state.jobs.start("learn", title, lambda job: _learn(state, key, pages, before, job), most=1))


def _learn(state: State, key: str, pages: Sequence[PageAtHand], before: Site | None, job: BackgroundJob) -> str:
    job.step(0, None, f"{len(pages)} pages")
    given = [(page.url, page.body) for page in pages]
    site = Site.learn(given)
    if before is not None and before.profile.images.labelled:
        images = before.profile.images
        site.annotate(images.labelled, given, method=images.method)
    return state.save_site(key, site)


@AREA.view("/rules", "rules.html")
def show_rules(
    state: State,
    site: SiteKey = "",
    layout: Annotated[str, Meta(max_length=300)] = "",
    page: PageNumber = 0,  # 0: one of the layout's
) -> dict[str, Any]:
    """Return what the page of rules shows."""
    key = state.site_key(site)
    seen = list_rules(state, site=key)
    chosen = _choose_page(seen, layout, page)
    name = layout or (chosen.layout if chosen is not None else "")
    shown = next((one for one in seen.layouts if one.rules.name == name), seen.layouts[0] if seen.layouts else None)
    explained = explain_at_hand(state, page=chosen.page) if chosen is not None else None
    # the colour of a field is that of its place on the page shown
    places = {place.name: place.colour for place in explained.places} if explained is not None else {}
    return {
        "sites": state.site_keys(),
        "key": key,
        "seen": seen,
        "layout": shown,
        "pages": sorted(
            seen.measured, key=lambda one: (one.layout != name, -one.count(COLD), -one.count(MISSING), one.page)
        ),
        "colours": {
            field.name: places[field.name] for field in (shown.fields if shown else ()) if field.name in places
        },
        "led": {field.name: field.rules for field in explained.fields} if explained is not None else {},
        "page": explained,
        "take": {"site": key, "next": f"/rules?site={key}"},
    }


def _choose_page(seen: RulesView, layout: str, page: int) -> PageMeasured | None:
    """Return the page that was asked for, or the first of the layout."""
    if page:
        chosen = next((one for one in seen.measured if one.page == page), None)
        if chosen is None and not seen.left:
            raise NotThere(f"there is no page {page} of this site at hand")
        return chosen
    if layout and all(one.rules.name != layout for one in seen.layouts):
        raise NotThere(f"there is no layout {layout!r:.80}")
    name = layout or next((one.rules.name for one in seen.layouts if one.at_hand), "")
    return next((one for one in seen.measured if one.layout == name), None)


def _find(state: State, number: int) -> tuple[PageAtHand, FollowedList]:
    at_hand = state.page(number)
    if not is_followed(at_hand):
        raise NotNow(f"page {number} is too large to be followed: {len(at_hand.body)} bytes")
    followed = find_followed(state, at_hand.site)
    if followed is None:
        raise NotNow(f"nothing was learned of {at_hand.site!r:.80} yet")
    return at_hand, followed


def _see_layout(told: LayoutTold, measured: Sequence[PageMeasured]) -> LayoutView:
    own = [page for page in measured if page.layout == told.name]
    by_name: dict[str, list[FieldMeasured]] = {field.name: [] for field in told.fields}
    for page in own:
        for field in page.fields:
            if field.name in by_name:
                by_name[field.name].append(field)
    return LayoutView(told, len(own), tuple(_see_outcomes(name, found) for name, found in by_name.items()))


def _see_outcomes(name: str, found: Sequence[FieldMeasured]) -> Outcomes:
    counts = Counter(field.outcome for field in found)
    times = [field.cut_us for field in found if field.cut_us is not None]
    chars = [field.chars for field in found if field.chars]
    cut_us, range_ = median(times) if times else None, (min(chars), max(chars)) if chars else None
    return Outcomes(name, counts[CUT], counts[TREE], counts[COLD], counts[MISSING], cut_us, range_)
