"""Rules that lead to one value of a page: several of different type vote for an element of the page map.

A rule leads to one element: by where it stands (a selector), by the text that labels it, by a neighbour with a name of
its own, by an attribute, or by what its text begins with. An element is believed when rules of different type agree on
it. `cut_values` is what `Site.extract` calls; `learn_values` makes the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from scythe.page.map import BLANK, PageMap
from scythe.site.evidence import tag_number
from scythe.site.select import Selector, matches, rows
from scythe.site.value_places import ATTRIBUTE, ELEMENT, TAIL, element_text, is_shown, run_beside

RuleType = Literal["place", "near", "label", "named", "prefix"]
PLACE: Final = "place"
NEAR: Final = "near"
LABEL: Final = "label"
NAMED: Final = "named"
PREFIX: Final = "prefix"
TIGHT = 2.0  # weight of a rule that is believed alone, and ...
BESIDE = 3.0  # ... of a label: its text stands directly before the value
REACH = 60  # elements between an anchor and the element that a rule leads to, at most
_BLANKS = 12  # runs of white space between a label and its value
_LABELS = 40  # runs with the text of a label that are looked at


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """One way to one element: an anchor, and from there the `nth` element with the tag `step` (below 0: before it)."""

    type: RuleType
    selector: Selector | None = None  # PLACE: the element itself; NEAR: the only one of its kind, from which to count
    text: str = ""  # LABEL: the whole text of a run; PREFIX: what a run begins with; NAMED: the value of an attribute
    hash: int = 0  # LABEL: of the run
    attribute: str = ""  # NAMED
    step: str = ""  # tag
    nth: int = 0
    weight: float = 1.0  # in the vote; from TIGHT on, what it says does not depend on how many like it stand before


@dataclass(frozen=True, slots=True)
class ValueWay:
    """Rules that lead to the same element, best first, and what to take there."""

    take: str  # ELEMENT, LEAD, TAIL or ATTRIBUTE
    rules: tuple[AnchorRule, ...]
    needed: float = 2.0  # weight of rules of different type that must agree
    attribute: str = ""  # lower case, for ATTRIBUTE
    before: str = ""  # the wanted part of the squeezed text begins after the first occurrence of this
    after: str = ""  # ... and ends at the first occurrence of this from there on; a text without it gives nothing
    every: Selector | None = None  # instead of rules: the element around all values ...
    inside: Selector | None = None  # ... and what gives one each


@dataclass(frozen=True, slots=True)
class ValueRules:
    """How to get one field that was shown by example: the first way that gives something is taken."""

    name: str
    ways: tuple[ValueWay, ...]
    pages: int = 0  # that were shown
    present: int = 0  # of them, those that have the field


class CutValue(NamedTuple):
    """The values of one field of one page and the elements that hold them; without values, why."""

    values: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    why: str = ""  # or the types of the rules that agreed
    way: int = -1


def cut_values(page: PageMap, rules: ValueRules) -> CutValue:
    """Return the values of a field; none where too few rules agree."""
    why = "no rule"
    for number, way in enumerate(rules.ways):
        found = follow_way(page, way)
        if found.values:
            return found._replace(way=number)
        why = found.why
    return CutValue(why=why)


def follow_way(page: PageMap, way: ValueWay) -> CutValue:
    """Return what one way gives."""
    if way.inside is not None:
        return _follow_all(page, way, way.inside)
    votes: dict[int, dict[str, float]] = {}
    for rule in way.rules:
        row = lead(page, rule, way.take)
        if row >= 0:
            agreed = votes.setdefault(row, {})
            agreed[rule.type] = max(rule.weight, agreed.get(rule.type, 0.0))
            if len(agreed) > 1 and len(votes) == 1 and _are_enough(agreed, way):
                break  # whatever the others say, two of the best agree
    if not votes:
        return CutValue(why="no anchor on the page")
    row = max(votes, key=lambda each: sum(votes[each].values())) if len(votes) > 1 else next(iter(votes))
    agreed = votes[row]
    if not _are_enough(agreed, way):
        return CutValue(why="rules disagree" if len(votes) > 1 else "too few rules agree")
    value = take_value(page, row, way)
    return CutValue((value,), (row,), "+".join(agreed)) if value else CutValue(why="the element does not hold it")


def _are_enough(agreed: dict[str, float], way: ValueWay) -> bool:
    """Say whether rules that agree are to be believed: those that count like tags are wrong together."""
    if sum(agreed.values()) < way.needed:
        return False
    return max(agreed.values()) >= TIGHT or all(rule.weight < TIGHT for rule in way.rules)


def _follow_all(page: PageMap, way: ValueWay, inside: Selector) -> CutValue:
    found = matches(page, inside)
    if way.every is not None:
        around = rows(page, way.every)
        if not len(around):
            return CutValue(why="the element around the values was not found")
        found = found[(found >= around[0]) & (found < page.last[around[0]])]
    taken = [(row, take_value(page, row, way)) for row in found.tolist() if is_shown(page, row)]
    kept = [(row, value) for row, value in taken if value]
    why = "every" if kept else "no value like those shown"
    return CutValue(tuple([value for _, value in kept]), tuple([row for row, _ in kept]), why)


def lead(page: PageMap, rule: AnchorRule, take: str = ELEMENT) -> int:
    """Return the element that a rule leads to, or -1."""
    if rule.type == PLACE:
        assert rule.selector is not None
        found = rows(page, rule.selector)
        return int(found[0]) if len(found) else -1
    if rule.type == NEAR:
        assert rule.selector is not None
        found = matches(page, rule.selector)
        return _step(page, int(found[0]), int(found[0]) + 1, rule) if len(found) == 1 else -1
    if rule.type == NAMED:
        return find_named_element(page, rule)
    if rule.type == PREFIX:
        return find_prefix(page, rule)
    for run in (page.run_hash == rule.hash).nonzero()[0][:_LABELS].tolist():
        if is_shown(page, int(page.run_row[run])):
            behind = int(page.run_from.searchsorted(run, side="right"))
            row = _step(page, behind, behind, rule)
            if rule.weight < BESIDE or (row >= 0 and is_beside(page, run, row, take)):
                return row
    return -1


def is_beside(page: PageMap, run: int, row: int, take: str) -> bool:
    """Say whether nothing but white space stands between a run and what is taken at an element."""
    first = int(page.run_to[row] if take == TAIL else page.run_from[row])
    return run < first <= run + _BLANKS and all(flags & BLANK for flags in page.run_flags[run + 1 : first].tolist())


def _step(page: PageMap, before: int, behind: int, rule: AnchorRule) -> int:
    """Return the n-th element with the tag of a rule, from the row `behind` on or before the row `before`."""
    wanted = tag_number(page, rule.step)
    if rule.nth > 0:
        found = (page.tag[behind : behind + REACH] == wanted).nonzero()[0]
        return behind + int(found[rule.nth - 1]) if len(found) >= rule.nth else -1
    first = max(0, before - REACH)
    found = (page.tag[first:before] == wanted).nonzero()[0]
    return first + int(found[rule.nth]) if len(found) >= -rule.nth else -1


def find_named_element(page: PageMap, rule: AnchorRule) -> int:
    """Return the first element of a tag with a value of an attribute."""
    wanted = rule.text.encode()
    for row in np.flatnonzero(page.tag == tag_number(page, rule.step)).tolist():
        tag = page.source[page.start[row] : page.inner[row]]
        if wanted in tag and is_shown(page, row) and page.element(row).attributes.get(rule.attribute) == rule.text:
            return row
    return -1


def find_prefix(page: PageMap, rule: AnchorRule) -> int:
    """Return the element that the first run with a beginning is the lead or tail of."""
    prefix = rule.text.encode()
    at = page.source.find(prefix)
    for _ in range(_LABELS):
        if at < 0:
            return -1
        run = int(np.searchsorted(page.run_start, at, side="right")) - 1
        if run >= 0 and not page.source[page.run_start[run] : at].strip():
            row = int(page.run_row[run])
            if not is_shown(page, row):
                return -1
            if page.run_from[row] == run:
                return row
            children = np.flatnonzero(page.parent[row + 1 : page.last[row]] == row) + row + 1
            before = children[page.run_to[children] <= run]
            return int(before[-1]) if len(before) else row
        at = page.source.find(prefix, at + 1)
    return -1


def take_value(page: PageMap, row: int, way: ValueWay) -> str | None:
    """Return what a way takes at an element, or None where it is not there."""
    if way.take == ELEMENT:
        text: str | None = element_text(page, row)
    elif way.take == ATTRIBUTE:
        raw = page.element(row).attributes.get(way.attribute)
        text = " ".join(raw.split()) if raw is not None else None
    else:
        text = run_beside(page, row, way.take)
    return part_of(text, way.before, way.after) if text is not None else None


def part_of(text: str, before: str, after: str) -> str | None:
    """Return the part of a text between two literals, or None where one of them is missing."""
    if not before and not after:
        return text
    start = text.find(before)
    if start < 0:
        return None
    start += len(before)
    end = text.find(after, start) if after else len(text)
    return text[start:end].strip() if end >= 0 else None


def span_of_value(page: PageMap, row: int, way: ValueWay) -> tuple[int, int] | None:
    """Return the bytes of what a way takes at an element."""
    if way.take in (ELEMENT, ATTRIBUTE):
        return page.place(row) if way.take == ELEMENT else page.place(row, way.attribute)
    run = int(page.run_to[row] if way.take == TAIL else page.run_from[row])
    return int(page.run_start[run]), int(page.run_end[run])
