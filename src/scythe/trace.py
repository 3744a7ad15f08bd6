"""Follow one page through a profile: a site and a body come in, a record of every decision goes out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scythe.rules import ATTRIBUTE, FieldRules, Layout, Rule, Way

if TYPE_CHECKING:
    from scythe.model import Document
    from scythe.page.source import Source
    from scythe.site import Site

_TIMES = 20  # a cut is timed so often, and the shortest counts
_ORDINALS = {1: "first", 2: "second", 3: "third"}


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
class Trace:
    """One page, explained."""

    size: int  # bytes
    encoding: str
    layouts: tuple[LayoutTrace, ...]
    fields: tuple[FieldTrace, ...]


def trace(site: Site, body: bytes, url: str | None) -> Trace:
    """Extract a page in every manner and note what each rule says. Takes some 50 ms."""
    from scythe.cut.dispatch import Dispatcher
    from scythe.page.source import read_source

    source = read_source(body)
    layouts = site.profile.layouts
    picked = Dispatcher(layouts).pick(body, url)
    document = site.extract(body, url=url)
    truth = site.extract(body, url=url, via="tree")
    return Trace(
        size=len(body),
        encoding=source.encoding,
        layouts=tuple(_layout(layout, body, number == picked) for number, layout in enumerate(layouts)),
        fields=_fields(layouts[picked] if picked is not None else None, source, document, truth),
    )


def _layout(layout: Layout, body: bytes, fits: bool) -> LayoutTrace:
    marks = set(layout.marks)
    return LayoutTrace(layout.name, len(marks), sum(mark in body for mark in marks), fits)


def _fields(layout: Layout | None, source: Source, document: Document, truth: Document) -> tuple[FieldTrace, ...]:
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
                line=_line(source.body, got.span[0]) if got.span else None,
                cut_us=_time(layout, source.body, number) if layout and rules.ways else None,
                by_tree=truth.fields[name].values if name in truth.fields else (),
                usual=_usual(rules),
                ways=tuple(_way(way, source) for way in rules.ways),
            )
        )
    return tuple(traces)


def _time(layout: Layout, body: bytes, number: int) -> float:
    from scythe.cut.cutter import Cutter

    cutter = Cutter(layout)
    shortest = float("inf")
    for _ in range(_TIMES):
        began = time.perf_counter_ns()
        cutter.cut_field(body, number)
        shortest = min(shortest, (time.perf_counter_ns() - began) / 1000)
    return shortest


def _way(way: Way, source: Source) -> WayTrace:
    takes = f"attribute {way.attribute}" if way.take == ATTRIBUTE else way.take
    takes += f", after {way.before!r}" if way.before else ""
    takes += f", up to {way.after!r}" if way.after else ""
    takes += ", of every match" if way.repeats else ""
    return WayTrace(takes, way.needed, as_text(way.end), tuple(_rule(rule, source) for rule in way.rules))


def _rule(rule: Rule, source: Source) -> RuleTrace:
    from scythe.page.follow import follow_rule

    opening = follow_rule(source, rule)
    if opening is None:
        return RuleTrace(rule.kind, describe_rule(rule), None, None)
    return RuleTrace(rule.kind, describe_rule(rule), opening.offset, _line(source.body, opening.offset))


def describe_rule(rule: Rule) -> str:
    """Say in words where a rule leads."""
    anchor = as_text(rule.anchor)
    if rule.nth == 0:
        return f"the tag {anchor}" if rule.skip == 0 else f"the tag {rule.skip} bytes into {anchor}"
    number = abs(rule.nth)
    nth = _ORDINALS.get(number, f"{number}th")
    return f"the {nth} {as_text(rule.step)} {'after' if rule.nth > 0 else 'before'} {anchor}"


def as_text(literal: bytes) -> str:
    """Return bytes of a page on one line."""
    return literal.decode("utf-8", "backslashreplace").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def _usual(rules: FieldRules) -> str:
    usual = rules.usual
    if not usual.pages:
        return ""
    return f"on {usual.present} of {usual.pages} pages learned, {usual.shortest} to {usual.longest} characters"


def _line(body: bytes, offset: int) -> int:
    return body.count(b"\n", 0, offset) + 1
