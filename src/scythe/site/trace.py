"""Record every decision of a profile on one page, for `scythe explain` and the rules page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scythe.site.describe_rules import describe_anchor, describe_place, describe_selector, describe_usual
from scythe.site.element_rules import ElementRule
from scythe.site.extract import ExtractedPage, Extractor, cut_place, cut_text, in_ascii_bytes
from scythe.site.layout_marks import MappedPage
from scythe.site.record_rules import place_records
from scythe.site.rules import FieldRules, Layout, Profile
from scythe.site.select import rows
from scythe.site.value_rules import cut_values, lead

if TYPE_CHECKING:
    from scythe.page.map import PageMap

_TIMES = 20  # a cut is timed so often, and the shortest counts ...
_TIMED_US = 3_000.0  # ... unless that takes longer, as on pages of megabytes
_TOLD = 50  # elements of one rule that are named

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LayoutTrace:
    """How well a layout fits a page."""

    name: str
    marks: int  # keys that half of its pages have
    found: int  # of these on the page
    fits: bool


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """Where one rule leads."""

    kind: str
    says: str
    offset: int | None  # bytes, of the first element; None: the rule is silent
    line: int | None


@dataclass(frozen=True, slots=True)
class FieldTrace:
    """How one field was got."""

    name: str
    how: str
    values: tuple[str, ...]
    span: Span | None  # bytes
    line: int | None
    cut_us: float | None  # microseconds for the cut alone, once the page is mapped and its layout known
    usual: str
    rules: tuple[RuleTrace, ...]


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

    kind: str  # field, records
    name: str
    span: Span  # bytes
    says: str = ""  # what it is, where the name does not tell
    parts: tuple[Span, ...] = ()  # of records, each of them; () where it is one


@dataclass(frozen=True, slots=True)
class PageTrace:
    """One page with all that was cut out of it, records too."""

    trace: CutTrace
    layout: str  # "" where none fits
    hows: dict[str, str]  # of every field, of images and records, now that they were asked for
    places: tuple[CutRange, ...]


class Tracer:
    """Follows pages through one profile, which stays as it is: nothing is learned on the way. Not for two threads."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._extractor = Extractor(profile, profile.fields)

    def trace(self, body: bytes, url: str | None) -> CutTrace:
        """Extract a page and note what each rule says."""
        return self._trace(body, url)[0]

    def trace_page(self, body: bytes, url: str | None) -> PageTrace:
        """Do the same, and note where records are."""
        found, got = self._trace(body, url)
        _ = got.document.lists  # upon which it is known how they were got
        places = [CutRange("field", one.name, one.span) for one in found.fields if one.span is not None]
        if got.page is not None and got.known is not None:
            places += _find_records(got.page.map, got.known.layout)
        name = got.known.layout.name if got.known is not None else ""
        return PageTrace(found, name, dict(got.document.how), tuple(places))

    def _trace(self, body: bytes, url: str | None) -> tuple[CutTrace, ExtractedPage]:
        got = self._extractor.extract_page(body, url, "auto")
        encoding = "utf-8" if in_ascii_bytes(body) is body else "other"
        layouts = tuple(_layout(layout, got) for layout in self._profile.layouts) if got.page is not None else ()
        fields = tuple(_field(name, got, url, self._extractor.told) for name in got.document.fields if name != "images")
        return CutTrace(len(body), encoding, layouts, fields), got


def _layout(layout: Layout, got: ExtractedPage) -> LayoutTrace:
    usual = {key for key, count in layout.marks if 2 * count >= layout.marked}
    found = usual & set(got.page.keys.tolist()) if got.page is not None else ()
    return LayoutTrace(layout.name, len(usual), len(found), got.known is not None and got.known.layout is layout)


def _field(name: str, got: ExtractedPage, url: str | None, rows: Sequence[ElementRule]) -> FieldTrace:
    field = got.document.fields[name]
    rules = got.known.layout.field(name) if got.known is not None else None
    page = got.page
    line = line_of(page.map.source, field.span[0]) if page is not None and field.span else None
    is_cut = page is not None and rules is not None
    told = (
        RuleTrace("rule", row.rule, field.span[0] if field.span else None, line) for row in rows if row.field == name
    )
    return FieldTrace(
        name=name,
        how=field.how,
        values=field.values,
        span=field.span,
        line=line,
        cut_us=_time(page, rules, url) if is_cut else None,  # type: ignore[arg-type]
        usual=describe_usual(rules.usual) if rules is not None else "",
        rules=(*told, *(_rules(page, rules) if is_cut else ())),  # type: ignore[arg-type]
    )


def _time(page: MappedPage, rules: FieldRules, url: str | None) -> float:
    shortest, taken = float("inf"), 0.0
    for _ in range(_TIMES):
        began = time.perf_counter_ns()
        if rules.text is not None:
            roots = page.roots(rules.text)
            if roots:
                cut_text(page.map, rules.text.dropped, roots)
        elif rules.values is not None:
            cut_values(page.map, rules.values)
        else:
            next((found for place in rules.places if (found := cut_place(page.map, place, url))), None)
        took = (time.perf_counter_ns() - began) / 1000
        shortest, taken = min(shortest, took), taken + took
        if taken > _TIMED_US:
            break
    return shortest


def _rules(page: MappedPage, rules: FieldRules) -> list[RuleTrace]:
    """Say where each rule of a field leads."""
    found: list[RuleTrace] = []
    if rules.text is not None:
        roots = page.roots(rules.text)
        for selector in rules.text.roots:
            found.append(_rule(page.map, "keeps", describe_selector(selector), rows(page.map, selector).tolist()))
        for row in cut_text(page.map, rules.text.dropped, roots).drops[:_TOLD] if roots else ():
            found.append(_rule(page.map, "drops", page.map.text(row)[:80], [row]))
    for place in rules.places:
        at = rows(page.map, place.selector).tolist() if place.selector is not None else []
        found.append(_rule(page.map, place.source, describe_place(place), at))
    for way in rules.values.ways if rules.values is not None else ():
        for rule in way.rules:
            row = lead(page.map, rule, way.take)
            found.append(_rule(page.map, rule.type, describe_anchor(rule), [row] if row >= 0 else []))
    return found


def _rule(page: PageMap, kind: str, says: str, found: list[int]) -> RuleTrace:
    if not found:
        return RuleTrace(kind, says, None, None)
    offset = int(page.start[found[0]])
    return RuleTrace(kind, says, offset, line_of(page.source, offset))


def _find_records(page: PageMap, layout: Layout) -> list[CutRange]:
    """Return where the records of a page stand by the rules of its layout."""
    found: list[CutRange] = []
    for rules in layout.records.lists:
        placed = place_records(page, rules)
        spans = tuple((int(page.start[one[0]]), int(page.end[one[-1]])) for one in placed.records)
        if spans:
            whole = (spans[0][0], spans[-1][1])
            found.append(CutRange("records", f"records: {rules.kind}", whole, f"{len(spans)} records", spans))
    return found


def line_of(body: bytes, offset: int) -> int:
    """Return the number of the line that an offset is in, from 1 on."""
    return body.count(b"\n", 0, offset) + 1
