"""Record every decision of a profile on one page, for `scythe explain` and the rules page."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from scythe.site.describe_rules import as_text, describe_rule, describe_take, describe_usual
from scythe.site.rules import FieldRules, Layout, Profile, Rule, Way

if TYPE_CHECKING:
    from scythe.model import Document
    from scythe.page.source import Source
    from scythe.site.cut.cutter import Cutter
    from scythe.site.site import Site

_TIMES = 20  # a cut is timed so often, and the shortest counts ...
_TIMED_US = 20_000.0  # ... unless that takes longer, as on pages of megabytes


@dataclass(frozen=True, slots=True)
class LayoutTrace:
    """How well a layout fits a page."""

    name: str
    marks: int
    found: int  # of its marks on the page
    fits: bool


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """Where one rule leads by the tree."""

    kind: str
    says: str
    offset: int | None  # bytes; None: the rule is silent
    line: int | None


@dataclass(frozen=True, slots=True)
class WayTrace:
    """One way to a field."""

    takes: str
    needed: int  # rules that must agree
    end: str
    rules: tuple[RuleTrace, ...]


@dataclass(frozen=True, slots=True)
class FieldTrace:
    """How one field was got."""

    name: str
    how: str
    values: tuple[str, ...]
    span: tuple[int, int] | None  # bytes
    line: int | None
    cut_us: float | None  # microseconds for the cut alone, without finding the layout
    by_tree: tuple[str, ...]  # what the tree gives by the same rules
    usual: str
    ways: tuple[WayTrace, ...]


@dataclass(frozen=True, slots=True)
class CutTrace:
    """One page, explained."""

    size: int  # bytes
    encoding: str
    layouts: tuple[LayoutTrace, ...]
    fields: tuple[FieldTrace, ...]


@dataclass(frozen=True, slots=True)
class CutRange:
    """A part of a page that rules cut out of its bytes."""

    kind: str  # field, images, records
    name: str
    span: tuple[int, int]  # bytes
    says: str = ""  # what it is, where the name does not tell
    parts: tuple[tuple[int, int], ...] = ()  # of records, each of them; () where it is one


@dataclass(frozen=True, slots=True)
class PageTrace:
    """One page with all that was cut out of it, images and records too."""

    trace: CutTrace
    layout: str  # "" where none fits
    hows: dict[str, str]  # of every field, of images and records, now that they were asked for
    places: tuple[CutRange, ...]


def trace(site: Site, body: bytes, url: str | None) -> CutTrace:
    """Extract a page in every manner and note what each rule says. Takes some 50 ms."""
    return Tracer(site.profile).trace(body, url)


class Tracer:
    """Follows pages through one profile, which stays as it is: nothing is learned on the way. Not for two threads."""

    def __init__(self, profile: Profile) -> None:
        from scythe.site.cut.cut_images import AreaCutter
        from scythe.site.cut.cut_lists import ListCutter
        from scythe.site.cut.cutter import Cutter
        from scythe.site.extract import Extractor

        self._layouts = profile.layouts
        self._extractor = Extractor(profile, profile.fields)
        self._cutter = cache(lambda number: Cutter(profile.layouts[number]))
        self._areas = cache(lambda number: AreaCutter(profile.layouts[number]))
        self._lists = cache(lambda number: ListCutter(profile.layouts[number]))

    def trace(self, body: bytes, url: str | None) -> CutTrace:
        """Extract a page in every manner and note what each rule says."""
        return self._trace(body, url)[0]

    def trace_page(self, body: bytes, url: str | None) -> PageTrace:
        """Do the same, and note where images and records are."""
        found, document, number = self._trace(body, url)
        hows = dict(document.how)
        places = [CutRange("field", one.name, one.span) for one in found.fields if one.span is not None]
        if number is not None:
            layout = self._layouts[number]
            text = document.fields.get("text")
            is_cut = text is not None and text.how.startswith("cut")
            places += self._find_images(number, body, text.span if text is not None and is_cut else None)
            if layout.lists:
                cut = self._lists(number).cut(body)
                hows["records"] = f"{'cut' if cut.state == 'cut' else 'tree'}: {cut.why or 'by rules'}"
                places += [_place_records(each.spans, layout.lists[each.number].kind) for each in cut.lists]
        return PageTrace(found, self._layouts[number].name if number is not None else "", hows, tuple(places))

    def _find_images(self, number: int, body: bytes, text: tuple[int, int] | None) -> list[CutRange]:
        if not self._layouts[number].images.areas:
            return []
        areas = self._areas(number).find(body, text).areas
        return [CutRange("images", f"images {area + 1}", span, "an area with images") for area, span in areas]

    def _trace(self, body: bytes, url: str | None) -> tuple[CutTrace, Document, int | None]:
        from scythe.page.source import read_source

        source = read_source(body)
        got = self._extractor.extract_page(body, url, "auto")
        truth = self._extractor.extract_page(body, url, "tree").document
        layouts = self._layouts
        picked = next((number for number, layout in enumerate(layouts) if layout is got.layout), None)
        found = CutTrace(
            size=len(body),
            encoding=source.encoding,
            layouts=tuple(_layout(layout, body, number == picked) for number, layout in enumerate(layouts)),
            fields=_fields(
                got.layout, self._cutter(picked) if picked is not None else None, source, got.document, truth
            ),
        )
        return found, got.document, picked


def _place_records(spans: tuple[tuple[int, int], ...], kind: str) -> CutRange:
    return CutRange("records", f"records: {kind}", (spans[0][0], spans[-1][1]), f"{len(spans)} records", spans)


def _layout(layout: Layout, body: bytes, fits: bool) -> LayoutTrace:
    marks = set(layout.marks)
    return LayoutTrace(layout.name, len(marks), sum(mark in body for mark in marks), fits)


def _fields(
    layout: Layout | None, cutter: Cutter | None, source: Source, document: Document, truth: Document
) -> tuple[FieldTrace, ...]:
    rules_of = {rules.name: (number, rules) for number, rules in enumerate(layout.fields)} if layout else {}
    traces = []
    for name, got in document.fields.items():
        number, rules = rules_of.get(name, (0, FieldRules(name, ())))
        traces.append(
            FieldTrace(
                name=name,
                how=got.how,
                values=got.values,
                span=got.span,
                line=line_of(source.body, got.span[0]) if got.span else None,
                cut_us=_time(cutter, source.body, number) if cutter is not None and rules.ways else None,
                by_tree=truth.fields[name].values if name in truth.fields else (),
                usual=describe_usual(rules.usual),
                ways=tuple(_way(way, source) for way in rules.ways),
            )
        )
    return tuple(traces)


def _time(cutter: Cutter, body: bytes, number: int) -> float:
    shortest, taken = float("inf"), 0.0
    for _ in range(_TIMES):
        began = time.perf_counter_ns()
        cutter.cut_field(body, number)
        took = (time.perf_counter_ns() - began) / 1000
        shortest, taken = min(shortest, took), taken + took
        if taken > _TIMED_US:
            break
    return shortest


def _way(way: Way, source: Source) -> WayTrace:
    rules = tuple(_rule(rule, source) for rule in way.rules)
    return WayTrace(describe_take(way), way.needed, as_text(way.end), rules)


def _rule(rule: Rule, source: Source) -> RuleTrace:
    from scythe.site.follow.follow_fields import follow_rule

    opening = follow_rule(source, rule)
    if opening is None:
        return RuleTrace(rule.kind, describe_rule(rule), None, None)
    return RuleTrace(rule.kind, describe_rule(rule), opening.offset, line_of(source.body, opening.offset))


def line_of(body: bytes, offset: int) -> int:
    """Return the number of the line that an offset is in, from 1 on."""
    return body.count(b"\n", 0, offset) + 1
