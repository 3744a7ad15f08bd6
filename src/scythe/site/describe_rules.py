"""Describe learned rules in words, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass

from scythe.site.record_rules import RecordRules
from scythe.site.rules import FieldRules, Layout, PlaceRule, Usual
from scythe.site.select import EVERY, Selector
from scythe.site.value_rules import AnchorRule, ValueWay

_ORDINALS = {1: "first", 2: "second", 3: "third"}


@dataclass(frozen=True, slots=True)
class RuleTold:
    """One rule in words."""

    kind: str  # keeps, drops, place, meta, address, label ...
    says: str  # where it leads, or what it takes


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One field of a layout in words."""

    name: str
    pages: int  # learned on which it was looked for
    present: int  # of them that have it
    is_expected: bool
    usual: str
    rules: tuple[RuleTold, ...]


@dataclass(frozen=True, slots=True)
class RegionTold:
    """Records of one kind on the pages of a layout."""

    says: str
    kind: str
    columns: tuple[str, ...]
    pattern: str
    pages: int
    present: int


@dataclass(frozen=True, slots=True)
class LayoutTold:
    """Everything known of the pages of one template."""

    name: str
    pages: int
    marks: int  # keys that its pages are known by
    state: str  # learning, settled, without text
    parent: str  # the layout of which it has the pages that the rule of the text does not fit
    fields: tuple[FieldDescription, ...]
    regions: tuple[RegionTold, ...]


def describe_layout(layout: Layout) -> LayoutTold:
    """Put everything known of a layout into words."""
    return LayoutTold(
        name=layout.name,
        pages=layout.pages,
        marks=len(layout.marks),
        state="without text" if layout.is_empty else "settled" if layout.is_settled else "learning",
        parent=layout.parent,
        fields=tuple(describe_field(rules) for rules in layout.fields),
        regions=tuple(_describe_records(rules) for rules in layout.records.lists),
    )


def describe_field(rules: FieldRules) -> FieldDescription:
    """Put the rules of a field into words."""
    usual = rules.usual
    told = tuple(describe_rules(rules))
    return FieldDescription(rules.name, usual.pages, usual.present, usual.is_expected, describe_usual(usual), told)


def describe_rules(rules: FieldRules) -> list[RuleTold]:
    """Put every rule of a field into words, those that are tried first at the beginning."""
    if rules.text is not None:
        kept = [RuleTold("keeps", describe_selector(selector)) for selector in rules.text.roots]
        return kept + [RuleTold("drops", f"inside, {describe_selector(selector)}") for selector in rules.text.drops]
    if rules.values is not None:
        return [told for way in rules.values.ways for told in _describe_way(way)]
    return [RuleTold(place.source, describe_place(place)) for place in rules.places]


def describe_place(place: PlaceRule) -> str:
    """Say where one value stands."""
    if place.source == "address":
        return "the date in the address"
    if place.source == "heading":
        return "the first heading of the main text"
    if place.source == "meta":
        return f'content of <meta {place.attribute}="{place.name}">'
    where = describe_selector(place.selector) if place.selector is not None else "nowhere"
    shared = f", without {place.shared!r}" if place.shared else ""
    return f"{place.attribute} of {where}{shared}" if place.attribute else f"{where}{shared}"


def describe_selector(selector: Selector) -> str:
    """Say which elements a selector means."""
    name = selector.name or f"elements with the {'path' if selector.path else 'key'} {selector.path or selector.key:x}"
    child = f", the {_ordinal(selector.child)} among its like" if selector.child else ""
    if selector.place is EVERY:
        return f"all of {name}{child}"
    return f"the {_ordinal(selector.place + 1 if selector.place >= 0 else selector.place)} of {name}{child}"


def _describe_way(way: ValueWay) -> list[RuleTold]:
    if way.inside is not None:
        around = f" inside {describe_selector(way.every)}" if way.every is not None else ""
        return [RuleTold("every", f"{describe_selector(way.inside)}{around}")]
    return [RuleTold(rule.type, describe_anchor(rule)) for rule in way.rules]


def describe_anchor(rule: AnchorRule) -> str:
    """Say how a rule leads to a value."""
    if rule.type == "named":
        return f'<{rule.step} {rule.attribute}="{rule.text}">'
    if rule.type == "prefix":
        return f"text that begins with {rule.text!r}"
    count = f"the {_ordinal(rule.nth)} <{rule.step}>"
    if rule.type == "label":
        return f"{count} counted from the text {rule.text!r}"
    assert rule.selector is not None
    where = describe_selector(rule.selector)
    return where if rule.type == "place" else f"{count} counted from {where}"


def _ordinal(number: int) -> str:
    if number < 0:
        return "last" if number == -1 else f"{_ordinal(-number)} last"
    return _ORDINALS.get(number) or f"{number}th"


def describe_usual(usual: Usual) -> str:
    """Say what a field looked like on the pages learned; an empty string where it was never seen."""
    if not usual.present:
        return ""
    size = f"{usual.shortest}" if usual.shortest == usual.longest else f"{usual.shortest} to {usual.longest}"
    script = f", {usual.script} letters" if usual.script else ""
    form = f", with {usual.form.replace('+', ' and ')}" if usual.form else ""
    return f"{size} characters on {usual.present} of {usual.pages} pages{script}{form}"


def _describe_records(rules: RecordRules) -> RegionTold:
    span = f"{rules.fewest} to {rules.most}" if rules.fewest != rules.most else str(rules.most)
    where = f", inside {describe_selector(rules.holder)}" if rules.holder is not None else ""
    heads = [describe_selector(head) for head in rules.heads] or [f"<{rules.tag}>"]
    return RegionTold(
        says=f"{span} records, each from {' or '.join(heads[:3])} on{where}",
        kind=rules.kind,
        columns=tuple(column.name for column in rules.columns),
        pattern=rules.pattern,
        pages=rules.pages,
        present=rules.present,
    )
