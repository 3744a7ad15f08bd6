"""Learn fields from example values: `learn_values(maps, examples)` gives the rules of every field that was shown.

Each value is looked up on its page, the places that look most alike on all pages are taken together, and the rules that
lead to all of them are kept: `site/value_rules.py` follows them. One to three pages are enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from scythe.page.map import BLANK, PageMap
from scythe.site.evidence import around
from scythe.site.select import Selector, candidates, every, matches
from scythe.site.value_places import (
    ATTRIBUTE,
    ELEMENT,
    LEAD,
    TAIL,
    PlaceOfValue,
    ShownText,
    common_prefix,
    find_places,
    is_keyed,
    is_shown,
    words_of,
)
from scythe.site.value_rules import (
    BESIDE,
    LABEL,
    NAMED,
    NEAR,
    PLACE,
    PREFIX,
    REACH,
    TIGHT,
    AnchorRule,
    ValueRules,
    ValueWay,
    follow_way,
    is_beside,
    lead,
    part_of,
)

_RUNS_BEFORE, _RUNS_BEHIND = 12, 6  # around a value that may be its label
_LABEL_CHARS = 60
_LABEL_WORDS = 3  # of a label that one page alone shows
_NEAR_BEFORE, _NEAR_BEHIND = 30, 15  # elements around a value that may be its neighbours
_CLOSE = 2  # tags like it between a value and its label, at most, for the label to be its own
_NAMES = ("itemprop", "property", "name", "rel", "itemtype", "headers", "data-label", "data-field")
_ONLY = 1.25  # weight of a place that only one element of a page has
_VOLATILE = re.compile(r"\d{3}")

Examples = Mapping[str, Sequence[str]]
T = TypeVar("T")


class Spot(NamedTuple):
    """A value on its page: the element that rules must lead to."""

    page: PageMap
    row: int


def propose_rules(spot: Spot, known: Sequence[str], take: str, *, alone: bool) -> Iterator[AnchorRule]:
    """Yield rules that lead to an element on its own page. `known` are example values, which other pages will not have.

    `alone` says that no other page has the value, so that what looks as if it were this page's own is left out.
    """
    page, row = spot.page, spot.row
    keyed = is_keyed(page, row) or page.tags[page.tag[row]] == "title"  # of which a page has one
    for selector in candidates(page, row, is_keyed=keyed):
        only = len(matches(page, selector)) == 1
        weight = (TIGHT if selector.key and keyed else _ONLY) if only else 1.0
        yield AnchorRule(PLACE, replace(selector, place=0) if only else selector, weight=weight)
    yield from _by_names(page, row)
    yield from _by_labels(spot, known, take, alone=alone)
    yield from _by_neighbours(page, row)


def _by_names(page: PageMap, row: int) -> Iterator[AnchorRule]:
    attributes = page.element(row).attributes
    for name in _NAMES:
        if value := attributes.get(name):
            yield AnchorRule(NAMED, text=value, attribute=name, step=page.tags[page.tag[row]], weight=TIGHT)


def _by_labels(spot: Spot, known: Sequence[str], take: str, *, alone: bool) -> Iterator[AnchorRule]:
    page, row = spot.page, spot.row
    own = int(page.run_from[row])
    behind = int(page.run_to[row])
    tag = page.tags[page.tag[row]]
    for runs in (range(own, own + 1), range(own - 1, own - 1 - _RUNS_BEFORE, -1), range(behind, behind + _RUNS_BEHIND)):
        for run in runs:
            if not 0 <= run < len(page.run_row) or page.run_flags[run] & BLANK:
                continue
            text = " ".join(page.run_text(run).split())
            if not is_label(text, known, alone=alone) or not is_shown(page, int(page.run_row[run])):
                continue
            first = int(np.searchsorted(page.run_from, run, side="right"))
            nth = _steps(page, row, first)
            if nth:
                weight = BESIDE if -_CLOSE <= nth <= _CLOSE and is_beside(page, run, row, take) else 1.0
                yield AnchorRule(LABEL, text=text, hash=int(page.run_hash[run]), step=tag, nth=nth, weight=weight)


def _steps(page: PageMap, row: int, behind: int) -> int:
    """Return how many tags like an element's stand up to it from a place between elements; 0 where it is too far."""
    if not -REACH <= row - behind < REACH:
        return 0
    if row >= behind:
        return int(np.count_nonzero(page.tag[behind : row + 1] == page.tag[row]))
    return -int(np.count_nonzero(page.tag[row:behind] == page.tag[row]))


def is_label(text: str, known: Sequence[str], *, alone: bool) -> bool:
    """Say whether a text may label a value: it has letters, is short, and holds no value that was shown."""
    if not 1 < len(text) <= _LABEL_CHARS or not any(map(str.isalpha, text)):
        return False
    if alone and (_VOLATILE.search(text) or (text[-1] not in ":：" and len(text.split()) > _LABEL_WORDS)):
        return False
    words = f" {words_of(text)} "
    return not any(f" {value} " in words or words in f" {value} " for value in map(words_of, known) if value)


def _by_neighbours(page: PageMap, row: int) -> Iterator[AnchorRule]:
    tag = page.tags[page.tag[row]]
    near = [*range(row - 1, row - _NEAR_BEFORE, -1), *range(int(page.last[row]), int(page.last[row]) + _NEAR_BEHIND)]
    for other in dict.fromkeys((*islice(around(page, row), _NEAR_BEHIND), *near)):
        if not 0 < other < len(page.tag) or not is_keyed(page, other):
            continue
        selector = Selector(key=int(page.key[other]))
        if len(matches(page, selector)) == 1 and (nth := _steps(page, row, other + (row > other))):
            yield AnchorRule(NEAR, selector, step=tag, nth=nth)


_ALONE_BESIDE = 2  # the same of a label that stands directly before the value
_ALONE_PAGES = 3  # on which one rule alone led to the value, with nothing to mistake it for
_AT_MOST = {PLACE: 2, NEAR: 2, LABEL: 2, NAMED: 1, PREFIX: 1}
_KINDS = {NAMED: 0.6, LABEL: 0.5, PREFIX: 0.5, PLACE: 0.3, NEAR: 0.0}
_TRIED = 240  # rules


@dataclass(frozen=True, slots=True)
class TriedRule:
    """How a rule did on the pages that were shown."""

    rule: AnchorRule
    right: frozenset[int]
    wrong: int
    misleads: int  # pages without the field on which it leads somewhere
    fires: float  # share of the pages without labels on which it leads somewhere

    @property
    def worth(self) -> float:
        """How much it is to be trusted beside others."""
        steps = abs(self.rule.nth) - 1 if self.rule.nth else 0
        steps += self.rule.selector is not None and self.rule.selector.child != 0  # which takes longer
        return (
            4.0 * len(self.right)
            - 6.0 * self.wrong
            - 3.0 * self.misleads
            + 2.0 * self.fires
            + 2.0 * self.rule.weight
            + _KINDS[self.rule.type]
            - 0.1 * steps
        )


def learn_rules(
    spots: Sequence[Spot],
    absent: Sequence[PageMap],
    others: Sequence[PageMap],
    way: ValueWay,
    known: Sequence[str],
    prefix: str = "",
) -> tuple[ValueWay, float] | None:
    """Return a way whose rules lead to all spots and, as far as can be said, nowhere on pages without the field."""
    proposed: dict[AnchorRule, None] = {}
    for spot in spots:
        proposed.update(dict.fromkeys(islice(propose_rules(spot, known, way.take, alone=len(spots) == 1), _TRIED)))
    if prefix:
        proposed[AnchorRule(PREFIX, text=prefix, weight=BESIDE)] = None
    tried = [_try(rule, spots, absent, others, way.take) for rule in proposed]
    kept = sorted(
        (one for one in tried if not one.wrong and 3 * len(one.right) >= 2 * len(spots)), key=lambda one: -one.worth
    )
    chosen: list[TriedRule] = []
    taken: Counter[str] = Counter()
    for one in kept:
        if taken[one.rule.type] < _AT_MOST[one.rule.type]:
            chosen.append(one)
            taken[one.rule.type] += 1
    way = replace(way, rules=tuple(one.rule for one in chosen))
    way = _avoid_absent(way, absent)
    types = {rule.type for rule in way.rules}
    if len(types) >= 2:
        return way, _firmness(chosen, len(spots))
    first = chosen[0] if chosen else None
    if (
        first is not None
        and first.rule.weight >= TIGHT
        and len(first.right) >= max(_ALONE_BESIDE if first.rule.weight >= BESIDE else _ALONE_PAGES, len(spots))
        and not first.misleads
    ):
        return replace(way, rules=(first.rule,), needed=1.0), 1.0
    return None


def _try(
    rule: AnchorRule, spots: Sequence[Spot], absent: Sequence[PageMap], others: Sequence[PageMap], take: str
) -> TriedRule:
    led = [lead(spot.page, rule, take) for spot in spots]
    right = frozenset(i for i, (row, spot) in enumerate(zip(led, spots, strict=True)) if row == spot.row)
    wrong = sum(row >= 0 for row in led) - len(right)
    misleads = sum(lead(page, rule, take) >= 0 for page in absent) if right and not wrong else 0
    fires = sum(lead(page, rule, take) >= 0 for page in others) / len(others) if others and right and not wrong else 0.0
    return TriedRule(rule, right, wrong, misleads, fires)


def _avoid_absent(way: ValueWay, absent: Sequence[PageMap]) -> ValueWay:
    """Drop rules until too few agree on a page that does not have the field."""
    for page in absent:
        while way.rules and follow_way(page, way).values:
            row = follow_way(page, way).rows[0]
            worst = [rule for rule in way.rules if lead(page, rule, way.take) == row][-1]
            way = replace(way, rules=tuple(rule for rule in way.rules if rule is not worst))
    return way


def _firmness(chosen: Sequence[TriedRule], pages: int) -> float:
    sure = [one for one in chosen if len(one.right) == pages]
    kinds = {one.rule.type for one in sure if one.rule.weight >= TIGHT}
    only = max((one.rule.weight > 1 for one in sure), default=False)
    return 2.0 * min(3, len(kinds)) + 2.0 * only + len({one.rule.type for one in sure} - kinds)


_BEFORE = 40  # characters
_AFTER = re.compile(r"\s*[^\w\s]+\s?|\s*\w+\s?")
_LETTERS = 4  # of a known text at least: shorter ones are everywhere
_DIGITS = re.compile(r"\d")


def frame(places: Sequence[PlaceOfValue], known: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return what stands before and after the value in the texts of all places, or None where nothing does.

    Texts that hold a `known` one, such as the value of another field, do not count: other pages have another there.
    """
    if all(place.is_whole for place in places):
        return "", ""
    before = _shared([place.text[: place.start][::-1] for place in places])
    after = _shared([place.text[place.end :] for place in places])
    if before is None or after is None:
        return None
    before = _last_words(before[::-1], alone=len(places) == 1)
    if _holds_known(before, known) or _holds_known(after, known):
        return None
    wanted = [words_of(place.text[place.start : place.end]) for place in places]
    for end in _ends_of(after):
        found = [part_of(place.text, before, after[:end]) for place in places]
        if None not in found and wanted == [words_of(text or "") for text in found]:
            return before, after[:end]
    return None


def _holds_known(text: str, known: Sequence[str]) -> bool:
    words = f" {words_of(text)} "
    return any(len(value) >= _LETTERS and f" {value} " in words for value in map(words_of, known))


def _shared(texts: Sequence[str]) -> str | None:
    """Return what all texts begin with; None where some go on and nothing is shared."""
    shared = common_prefix(texts)
    return None if not shared.strip() and any(text.strip() for text in texts) else shared if shared.strip() else ""


def _last_words(before: str, *, alone: bool) -> str:
    """Cut the text in front of a value down to what other pages will have too."""
    if len(before) > _BEFORE:
        before = before[-_BEFORE:]
        before = before[before.find(" ") + 1 :] if " " in before[:-1] else before
    if alone and (digits := list(_DIGITS.finditer(before))):
        before = before[digits[-1].end() :]
    return before


def _ends_of(after: str) -> list[int]:
    """Return the lengths at which the text behind a value may be cut: after one sign or word, two, ... all."""
    if not after:
        return [0]
    ends: list[int] = []
    at = 0
    while len(ends) < 3 and (found := _AFTER.match(after, at)):
        at = found.end()
        ends.append(at)
    return [*ends, len(after)]


_CHAIN = 10  # elements around a place that are compared
_BESIDE = 4  # runs on each side of it
_ALIGN_FURNITURE = 1.0  # points for places that are alike, value and all: a menu perhaps

Row = tuple[PlaceOfValue | None, ...]  # one place per page, None where the value is not there in this way


class PlaceContext(NamedTuple):
    """What is around a place, by which it is recognised on another page."""

    place: PlaceOfValue
    tag: int
    key: int
    path: int
    chain: tuple[int, ...]  # keys of the elements around, innermost first
    before: tuple[int, ...]  # hashes of the runs before, nearest first
    behind: tuple[int, ...]
    depth: float  # 0..1: how far down the page


def surroundings(shown: ShownText, place: PlaceOfValue) -> PlaceContext:
    """Return what is around a place."""
    page, row = shown.page, place.row
    first = int(page.run_from[row]) if place.take != TAIL else int(page.run_to[row])
    last = int(page.run_to[row]) if place.take == ELEMENT else first + 1
    said = np.flatnonzero((page.run_flags & BLANK) == 0)
    at, to = int(np.searchsorted(said, first)), int(np.searchsorted(said, last))
    before = tuple(page.run_hash[said[max(0, at - _BESIDE) : at]].tolist()[::-1])
    behind = tuple(page.run_hash[said[to : to + _BESIDE]].tolist())
    return PlaceContext(
        place,
        int(page.tag[row]),
        int(page.key[row]),
        int(page.path[row]),
        tuple(page.key[list(islice(around(page, row), _CHAIN))].tolist()),
        before,
        behind,
        row / max(1, len(page.tag)),
    )


def likeness(one: PlaceContext, other: PlaceContext) -> float:
    """Say how likely two places are the same one of a template; 0 when they cannot be."""
    a, b = one.place, other.place
    if (a.take, a.attribute, one.tag) != (b.take, b.attribute, other.tag):
        return 0.0
    if bool(a.text[: a.start]) != bool(b.text[: b.start]) or bool(a.text[a.end :]) != bool(b.text[b.end :]):
        return 0.0
    levels = _alike(one.chain, other.chain)
    before, behind = _alike(one.before, other.before), _alike(one.behind, other.behind)
    beside = 1.5 * (before > 0) + 0.5 * before + 0.7 * (behind > 0) + 0.2 * behind
    if before == behind == _BESIDE and a.text == b.text:
        beside = _ALIGN_FURNITURE
    return (
        0.1
        + 2.0 * (one.key == other.key)
        + levels / 4
        + (one.path == other.path)
        + beside
        + 1.0
        - abs(one.depth - other.depth)
        + 0.5 * (a.sameness + b.sameness)
    )


def _alike(mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
    """Return how many of two sequences are the same from the start."""
    return len(common_prefix([mine, theirs]))


def align(shown: Sequence[ShownText], places: Sequence[Sequence[PlaceOfValue]]) -> list[tuple[float, Row]]:
    """Return rows of places that look alike, the most alike first; a page may lack one."""
    every = [[surroundings(text, place) for place in own] for text, own in zip(shown, places, strict=True)]
    found: dict[Row, float] = {}
    for i, on_page in enumerate(every):
        for one in on_page:
            row: list[PlaceOfValue | None] = []
            own = one.place  # the whole text of an element, as given, is best in itself
            total = (own.sameness + 2.0 * own.is_whole - 1.5 * (own.take == ATTRIBUTE)) * len(every)
            for j, others in enumerate(every):
                best = one if i == j else max(others, key=lambda other: likeness(one, other), default=None)
                alike = 0.0 if best is None else likeness(one, best)
                row.append(best.place if best is not None and alike > 0 else None)
                total += alike if i != j else 0.0
            found[tuple(row)] = max(total, found.get(tuple(row), 0.0))
    return sorted(((total, row) for row, total in found.items()), key=lambda pair: -pair[0])


_ROWS = 6  # ways that are learned of a field to choose the best from
_ROWS_AT_MOST = 24  # tried where none of the first leads anywhere
_ALIKE = 2.0  # what likeness counts against firmness
_OUTER = 2.0  # ... and each element that is around another with the same text
_ELSEWHERE = 3.0  # ... and that a way gives something on all pages without labels
_FURNITURE = 3  # pages with the same text at a place
_PAGES = 8  # labelled pages of a field that are learned from; comparing them costs their number squared
_OTHERS = 6  # pages without labels that are looked at
_WHOLE = 4.0  # what it counts that a value is a whole text: what stands around a part differs sooner or later
_WAYS = 3  # kept of a field
_NAMED = 3  # values, to say that they are not there
_SHOWN = 40  # characters of each
_LEAST_REPEATS = 3  # values over all pages before one selector is believed to mean them all
_LIST_SHARE = 2  # one in so many values of a list must be shown: of a long one others may be meant
_ALONE = "several values were shown and one is taken: no list of just them could be learned"


class LearnedValues(NamedTuple):
    """The fields that were learned, and for those that were not, or not from every page, the reason."""

    fields: tuple[ValueRules, ...]
    reasons: dict[str, str]


@dataclass(frozen=True)
class ShownField:
    """A field's values on the pages that were labelled for it."""

    pages: tuple[ShownText, ...]
    values: tuple[tuple[str, ...], ...]  # of each page; empty where the field is not there
    known: tuple[tuple[str, ...], ...]  # values of all fields of each page
    others: tuple[PageMap, ...] = ()  # pages without labels

    @cached_property
    def all_known(self) -> tuple[str, ...]:
        """The values of all fields of all pages."""
        return tuple(dict.fromkeys(value for values in self.known for value in values))

    def only(self, numbers: Sequence[int]) -> ShownField:
        """Return the same for some of the pages."""
        pages, values, known = self.pages, self.values, self.known
        return ShownField(
            tuple(pages[i] for i in numbers),
            tuple(values[i] for i in numbers),
            tuple(known[i] for i in numbers),
            self.others,
        )

    def is_right(self, i: int, got: Sequence[str]) -> bool:
        """Say whether what was found on a page is one of its values, or nothing where there is none."""
        first = words_of(got[0]) if got else ""
        return first in {words_of(value) for value in self.values[i]} if self.values[i] else not first


@dataclass(frozen=True, slots=True)
class WayOption:
    """A way, and the pages on which it gives the value."""

    way: ValueWay
    right: frozenset[int]
    targets: tuple[int, ...]  # rows
    worth: float


def learn_values(pages: Sequence[PageMap], examples: Sequence[Examples | None]) -> LearnedValues:
    """Learn every field that the examples name. An example is one page's values, or None for a page without labels.

    An empty list says that the page does not have the field; a missing name says nothing. Several values are other
    spellings or places of one value, or values of a field that repeats, best all of them.
    """
    pairs = list(zip(pages, examples, strict=True))
    labelled = [
        (ShownText(page), {name: tuple(given) for name, given in example.items()})
        for page, example in pairs
        if example is not None
    ]
    others = tuple(_spread([page for page, example in pairs if example is None], _OTHERS))
    fields: list[ValueRules] = []
    reasons: dict[str, str] = {}
    for name in dict.fromkeys(name for _, example in labelled for name in example):
        own = _spread([(shown, example) for shown, example in labelled if name in example], _PAGES)
        wanted = ShownField(
            tuple(shown for shown, _ in own),
            tuple(example[name] for _, example in own),
            tuple(tuple(value for given in example.values() for value in given) for _, example in own),
            others,
        )
        ways, reason = _learn_field(wanted)
        if ways:
            fields.append(ValueRules(name, ways, len(own), sum(bool(given) for given in wanted.values)))
        if reason:
            reasons[name] = reason
    return LearnedValues(tuple(fields), reasons)


def _spread(rows: Sequence[T], most: int) -> list[T]:
    """Return at most so many rows, taken from all over the sequence."""
    step = -(-len(rows) // most) or 1
    return list(rows[::step])


def _learn_field(wanted: ShownField) -> tuple[tuple[ValueWay, ...], str]:
    """Return the ways to a field, best first, and what is to be said about them."""
    there = _found_values(wanted)
    absent = _tell_absent(wanted, there)
    if list(map(bool, there)) == list(map(bool, wanted.values)):
        listed = learn_every(wanted.pages, there)
        if listed is not None:
            shown, found = sum(map(len, there)), sum(len(follow_way(one.page, listed).values) for one in wanted.pages)
            part = f"{shown} of the {found} values of a list were shown; all of them are taken" if found > shown else ""
            return (listed,), "; ".join(filter(None, (part, absent)))
    ways, said = _learn_one(wanted)
    alone = _ALONE if ways and any(map(_are_several, there)) else ""
    return ways, "; ".join(filter(None, (said, alone, absent if ways else "")))


def _found_values(wanted: ShownField) -> list[tuple[str, ...]]:
    """Return the values that stand on their pages; where a page has one value, that is not looked at here."""
    return [
        values if len(values) < 2 else tuple(value for value in values if find_places(shown, [value]))
        for shown, values in zip(wanted.pages, wanted.values, strict=True)
    ]


def _tell_absent(wanted: ShownField, there: Sequence[Sequence[str]]) -> str:
    """Name values that are not on their page, where others of the same field are."""
    pairs = zip(wanted.values, there, strict=True)
    absent = [value for values, found in pairs if found for value in values if value not in found]
    if not absent:
        return ""
    named = ", ".join(f"{value[:_SHOWN]!r}" for value in absent[:_NAMED])
    return f"not on the page where shown: {named}" + (f" and {len(absent) - _NAMED} more" if absent[_NAMED:] else "")


def _are_several(values: Sequence[str]) -> bool:
    """Say whether values are different ones, and not spellings of one, of which the longest holds the others."""
    words = [f" {words_of(value)} " for value in values]
    longest = max(words, key=len, default="")
    return any(each not in longest for each in words)


def learn_every(pages: Sequence[ShownText], values: Sequence[Sequence[str]]) -> ValueWay | None:
    """Return a way that gives the values of each page, or the list of which they are part; None where nothing does.

    Of several elements around the values, the largest in which the selector gives just them is taken.
    """
    shown = sum(map(len, values))
    most = max(range(len(pages)), key=lambda i: len(values[i]), default=-1)
    if shown < _LEAST_REPEATS or most < 0 or len(values[most]) < 2:
        return None
    wanted = [sorted(map(words_of, given)) for given in values]
    if any(len(set(given)) != len(given) for given in wanted):
        return None
    part: ValueWay | None = None
    for way in _tries(pages[most], values[most]):
        got = [sorted(map(words_of, follow_way(one.page, way).values)) for one in pages]
        if got == wanted:
            return way
        is_part = all(set(b) <= set(a) and bool(a) == bool(b) for a, b in zip(got, wanted, strict=True))
        if part is None and is_part and way.every is not None and sum(map(len, got)) <= _LIST_SHARE * shown:
            part = way
    return part


def _tries(shown: ShownText, values: Sequence[str]) -> Iterator[ValueWay]:
    """Yield ways to what the elements of all values have in common."""
    page = shown.page
    found = [[place for place in find_places(shown, [value]) if place.is_whole] for value in values]
    if not all(found):
        return
    for base in found[0]:
        like = candidates(page, base.row, is_keyed=is_keyed(page, base.row))
        for selector in dict.fromkeys(every(one) for one in like if not one.child):
            rows = set(matches(page, selector).tolist())
            held = [[place.row for place in own if place.row in rows and place.take == base.take] for own in found]
            if not all(held):
                continue
            way = ValueWay(base.take, (), 1.0, base.attribute, inside=selector)
            yield way
            yield from (replace(way, every=holder) for holder in _holders(page, [own[0] for own in held]))


def _holders(page: PageMap, rows: Sequence[int]) -> Iterator[Selector]:
    """Yield selectors of the innermost elements around all of some elements."""
    for above in islice(around(page, rows[0]), _NEAR_BEHIND):
        if above and all(above < row < page.last[above] for row in rows):
            yield from candidates(page, above, is_keyed=is_keyed(page, above))


def _learn_one(wanted: ShownField) -> tuple[tuple[ValueWay, ...], str]:
    """Return the ways to a field that has one value."""
    places = [find_places(shown, values) for shown, values in zip(wanted.pages, wanted.values, strict=True)]
    given = sum(bool(values) for values in wanted.values)
    if not given:
        return (), "no example page has a value"
    held = [i for i, values in enumerate(wanted.values) if places[i] or not values]
    lost = len(wanted.pages) - len(held)
    if lost == given:
        return (), "the value is on none of the example pages"
    chosen = _choose(wanted.only(held), [places[i] for i in held])
    if not chosen:
        return (), "fewer than two rules of different kind lead to the value"
    said = f"the value is not on {lost} of {given} example pages" if lost else ""
    return tuple(option.way for option in chosen), said


def _choose(wanted: ShownField, places: Sequence[Sequence[PlaceOfValue]]) -> list[WayOption]:
    """Choose ways until every page gives its value, then spare ones to other places of the same value."""
    missing = frozenset(i for i, values in enumerate(wanted.values) if values)
    options = _options(wanted, places)
    chosen: list[WayOption] = []
    while missing and len(chosen) < _WAYS:
        best = max(options, key=lambda option: (len(option.right & missing), option.worth), default=None)
        if best is None or not best.right & missing:
            break
        chosen.append(best)
        missing -= best.right
        if missing:
            options += _options(wanted, [own if i in missing else [] for i, own in enumerate(places)])
    for option in sorted(options, key=lambda option: -option.worth) if chosen else ():
        is_whole = not option.way.before and not option.way.after
        is_right = len(option.right) == len(wanted.pages)
        if len(chosen) < _WAYS and is_whole and is_right and all(option.targets != one.targets for one in chosen):
            chosen.append(option)
    return chosen


def _options(wanted: ShownField, places: Sequence[Sequence[PlaceOfValue]]) -> list[WayOption]:
    """Learn ways to the most promising rows of places; those that give anything wrong are left out."""
    options: list[WayOption] = []
    for i, (alike, row) in enumerate(_different(align(wanted.pages, places))):
        if i >= _ROWS and options:
            break
        option = _try_row(wanted, row, alike)
        if option is not None:
            options.append(option)
    return options


def _different(rows: Sequence[tuple[float, Row]]) -> list[tuple[float, Row]]:
    """Keep the first rows, without those that take the leading text where the whole element is that text too."""
    kept: list[tuple[float, Row]] = []
    seen: set[tuple[int, ...]] = set()
    for alike, row in rows:
        there = [place for place in row if place is not None]
        if there[0].take in (ELEMENT, LEAD) and there[0].is_whole:
            targets = tuple(place.row for place in there)
            if targets in seen:
                continue
            seen.add(targets)
        kept.append((alike, row))
    return kept[:_ROWS_AT_MOST]


def _try_row(wanted: ShownField, row: Row, alike: float) -> WayOption | None:
    there = [place for place in row if place is not None]
    framed = frame(there, wanted.all_known)
    if framed is None:
        return None
    spots = [Spot(wanted.pages[i].page, place.row) for i, place in enumerate(row) if place is not None]
    absent = [wanted.pages[i].page for i, place in enumerate(row) if place is None and not wanted.values[i]]
    shape = ValueWay(there[0].take, (), attribute=there[0].attribute, before=framed[0], after=framed[1])
    found = learn_rules(spots, absent, wanted.others, shape, wanted.all_known, _prefix(there, framed[0]))
    if found is None:
        return None
    way, firmness = found
    right: list[int] = []
    for i, shown in enumerate(wanted.pages):
        values = follow_way(shown.page, way).values
        if wanted.is_right(i, values):
            right.append(i)
        elif any(values):
            return None
    level = max(place.level for place in there)
    worth = _ALIKE * alike / len(row) + firmness - _OUTER * level + _WHOLE * (not way.before and not way.after)
    worth += _ELSEWHERE * _share_given(wanted.others, way)
    return WayOption(way, frozenset(right), tuple(place.row for place in there), worth)


def _prefix(places: Sequence[PlaceOfValue], before: str) -> str:
    """Return the label that the texts of all places begin with, be it part of the value or not."""
    shared = before if len(places) == 1 else common_prefix([place.text for place in places])
    label = shared[: shared.find(":") + 1]
    return label if all(place.text.startswith(label) for place in places) and is_label(label, (), alone=True) else ""


def _share_given(pages: Sequence[PageMap], way: ValueWay) -> float:
    """Return the share of pages on which a way gives something; none where it is the same on all, as furniture is."""
    given = [values for page in pages if (values := follow_way(page, way).values)]
    if len(given) >= _FURNITURE and len(set(given)) == 1:
        return 0.0
    return len(given) / len(pages) if pages else 0.0
