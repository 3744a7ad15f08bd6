"""Describe learned rules in words, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass

from scythe.site.rules import (
    ATTRIBUTE,
    ELEMENT,
    FLOW,
    LEAD,
    TAIL,
    FieldRules,
    ImageRules,
    Layout,
    ListRules,
    Rule,
    Usual,
    Way,
)

_ORDINALS = {1: "first", 2: "second", 3: "third"}
_TAKEN = {
    ELEMENT: "the text of the element",
    LEAD: "the text up to the next tag",
    TAIL: "the text behind the element",
    FLOW: "the element in paragraphs",
}
_KIND_WORDS = {
    "tag": "its own tag",
    "before": "what stands before it",
    "inside": "the element around it",
    "after": "an element in front",
    "label": "a word in front",
    "ahead": "what follows it",
}


@dataclass(frozen=True, slots=True)
class RuleTold:
    """One rule in words."""

    kind: str  # of the rule
    by: str  # what it goes by
    says: str  # where it leads
    hints: str  # where the search begins, how far it goes


@dataclass(frozen=True, slots=True)
class WayTold:
    """One way to a field in words."""

    takes: str
    votes: str  # how many of its rules must agree
    opening: str  # the tag or text that the first rule looks for
    end: str  # what follows the element on every page learned; "": nothing does
    inner: str  # how many tags of the same name are inside
    leaves_out: str  # elements and lines that are not taken
    rules: tuple[RuleTold, ...]


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One field of a layout in words."""

    name: str
    pages: int  # learned on which it was looked for
    present: int  # of them that have it
    is_expected: bool
    usual: str
    ways: tuple[WayTold, ...]


@dataclass(frozen=True, slots=True)
class AreaDescription:
    """One element that holds relevant images."""

    says: str
    path: str
    score: float  # mean of the images inside, 0 to 1
    pages: int
    present: int
    ways: tuple[WayTold, ...]


@dataclass(frozen=True, slots=True)
class RegionTold:
    """Records of one kind on the pages of a layout."""

    says: str
    kind: str
    columns: tuple[str, ...]
    heads: tuple[str, ...]  # tags that begin a record
    pattern: str
    pages: int
    present: int
    fewest: int
    most: int
    ways: tuple[WayTold, ...]  # to the element around the records


@dataclass(frozen=True, slots=True)
class LayoutTold:
    """Everything known of the pages of one template."""

    name: str
    pages: int
    shapes: tuple[str, ...]
    marks: tuple[str, ...]
    encodings: tuple[str, ...]
    shared_lines: int  # that its pages share and that are no text of any of them
    fields: tuple[FieldDescription, ...]
    images: str
    areas: tuple[AreaDescription, ...]
    regions: tuple[RegionTold, ...]


def describe_layout(layout: Layout) -> LayoutTold:
    """Put a layout into words."""
    return LayoutTold(
        name=layout.name,
        pages=layout.pages,
        shapes=layout.shapes,
        marks=tuple(as_text(mark) for mark in layout.marks),
        encodings=layout.encodings,
        shared_lines=len(layout.boilerplate),
        fields=tuple(describe_field(rules) for rules in layout.fields),
        images=_describe_images(layout.images),
        areas=_describe_areas(layout.images),
        regions=tuple(_describe_region(rules) for rules in layout.lists),
    )


def describe_field(rules: FieldRules) -> FieldDescription:
    """Put the rules of a field into words."""
    usual = rules.usual
    ways = tuple(describe_way(way) for way in rules.ways)
    return FieldDescription(rules.name, usual.pages, usual.present, usual.is_expected, describe_usual(usual), ways)


def describe_way(way: Way) -> WayTold:
    """Put a way into words."""
    first = way.rules[0] if way.rules else None
    return WayTold(
        takes=describe_take(way, _TAKEN),
        votes=_describe_votes(way),
        opening=as_text(first.anchor if first.nth == 0 else first.step) if first is not None else "",
        end=as_text(way.end),
        inner=_describe_inner(way),
        leaves_out=_describe_left_out(way),
        rules=tuple(
            RuleTold(rule.kind, _KIND_WORDS.get(rule.kind, rule.kind), describe_rule(rule), describe_hints(rule))
            for rule in way.rules
        ),
    )


def describe_take(way: Way, words: dict[str, str] | None = None) -> str:
    """Say what a way takes at the tag that it leads to; `words` are longer ones for what profiles call it."""
    takes = f"attribute {way.attribute}" if way.take == ATTRIBUTE else (words or {}).get(way.take, way.take)
    takes += f", after {way.before!r}" if way.before else ""
    takes += f", up to {way.after!r}" if way.after else ""
    return takes + (", of every match" if way.repeats else "")


def describe_rule(rule: Rule) -> str:
    """Say in words where a rule leads."""
    anchor = as_text(rule.anchor)
    if rule.nth == 0:
        return f"the tag {anchor}" if rule.skip == 0 else f"the tag {rule.skip} bytes into {anchor}"
    number = abs(rule.nth)
    nth = _ORDINALS.get(number, f"{number}th")
    return f"the {nth} {as_text(rule.step)} {'after' if rule.nth > 0 else 'before'} {anchor}"


def describe_hints(rule: Rule) -> str:
    """Say where a rule begins to search and how far it goes."""
    begin = f"searched from byte {rule.position} on" if rule.position else "searched from the start"
    return f"{begin}, within {rule.reach} bytes" if rule.reach else begin


def describe_usual(usual: Usual) -> str:
    """Say what a field looked like on the pages learned."""
    if not usual.pages:
        return ""
    return f"on {usual.present} of {usual.pages} pages learned, {usual.shortest} to {usual.longest} characters"


def as_text(literal: bytes) -> str:
    """Return bytes of a page on one line."""
    return literal.decode("utf-8", "backslashreplace").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def _describe_votes(way: Way) -> str:
    if way.repeats:
        return "every match counts"
    return f"{way.needed} of {len(way.rules)} rules must agree" if len(way.rules) > 1 else "1 rule"


def _describe_inner(way: Way) -> str:
    if way.inner_tags < 0:
        return "as many tags of its name inside as come"
    return "none of its name inside" if way.inner_tags <= 1 else f"{way.inner_tags - 1} of its name inside"


def _describe_left_out(way: Way) -> str:
    said = []
    if way.drops:
        shown = ", ".join(as_text(drop) for drop in way.drops[:4])
        said.append(f"{shown} and {len(way.drops) - 4} more" if len(way.drops) > 4 else shown)
    if way.skip_lines:
        said.append(f"{len(way.skip_lines)} lines that stand on many pages")
    return "; ".join(said)


def _describe_images(rules: ImageRules) -> str:
    if not rules.pages:
        return "Nothing is known of its images: the tree is asked."
    if not rules.areas:
        return f"None of the {rules.pages} pages learned has a relevant image."
    return f"{rules.present} of {rules.pages} pages learned have relevant images."


def _describe_areas(rules: ImageRules) -> tuple[AreaDescription, ...]:
    return tuple(
        AreaDescription(
            says="the element of its own that holds images" if area.ways else "the element of the text",
            path=" in ".join(area.path),
            score=area.score / 1000,
            pages=area.pages,
            present=area.present,
            ways=tuple(describe_way(way) for way in area.ways),
        )
        for area in rules.areas
    )


def _describe_region(rules: ListRules) -> RegionTold:
    heads = tuple(as_text(head) for head in rules.heads)
    begins = " or ".join(heads[:3]) + (f" or {len(heads) - 3} others" if len(heads) > 3 else "")
    where = "in the element below" if rules.holder else "anywhere on the page"
    span = f"{rules.fewest} to {rules.most}" if rules.fewest != rules.most else str(rules.most)
    return RegionTold(
        says=f"{span} records, each from {begins} on, {where}",
        kind=rules.kind,
        columns=tuple(column.name for column in rules.columns),
        heads=heads,
        pattern=rules.pattern,
        pages=rules.pages,
        present=rules.present,
        fewest=rules.fewest,
        most=rules.most,
        ways=tuple(describe_way(way) for way in rules.holder),
    )
