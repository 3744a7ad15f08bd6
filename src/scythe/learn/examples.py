"""Learn named fields from example values: pages and values come in, rules for each field go out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from scythe.learn.align import Row, align
from scythe.learn.drift import usual_of
from scythe.learn.frames import frame
from scythe.learn.markers import learn_rules
from scythe.learn.places import Place, find_places
from scythe.learn.repeats import learn_list, learn_repeats
from scythe.learn.texts import Texts, lay_out, words_of
from scythe.page.follow import follow, span_of
from scythe.page.source import Source
from scythe.rules import ELEMENT, LEAD, FieldRules, Usual, Way

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
_ALONE = "several values were shown and one is taken: no list of just them could be learned"

T = TypeVar("T")
Examples = Mapping[str, Sequence[str]]


class Learned(NamedTuple):
    """The fields that were learned, and for those that were not, or not from every page, the reason."""

    fields: tuple[FieldRules, ...]
    reasons: dict[str, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A field's values on the pages that were labelled for it."""

    pages: tuple[Texts, ...]
    values: tuple[tuple[str, ...], ...]  # of each page; empty where the field is not there
    known: tuple[tuple[str, ...], ...]  # values of all fields of each page
    others: tuple[Source, ...] = ()  # pages without labels

    def only(self, rows: Sequence[int]) -> Wanted:
        """Return the same for some of the pages."""
        return Wanted(
            tuple(self.pages[i] for i in rows),
            tuple(self.values[i] for i in rows),
            tuple(self.known[i] for i in rows),
            self.others,
        )

    def is_right(self, i: int, got: Sequence[str]) -> bool:
        """Say whether what was found on a page is one of its values, or nothing where there is none."""
        first = words_of(got[0]) if got else ""
        return first in {words_of(value) for value in self.values[i]} if self.values[i] else not first


@dataclass(frozen=True, slots=True)
class Option:
    """A way, and the pages on which it gives the value."""

    way: Way
    right: frozenset[int]
    targets: tuple[int, ...]  # offsets
    worth: float


def learn_examples(sources: Sequence[Source], examples: Sequence[Examples | None]) -> Learned:
    """Learn every field that the examples name. An example is one page's values, or None for a page without labels.

    An empty list says that the page does not have the field; a missing name says nothing. Several values are other
    spellings or places of one value, or values of a field that repeats, best all of them.
    """
    labelled = [
        (lay_out(source), {name: _as_tuple(values) for name, values in example.items()})
        for source, example in zip(sources, examples, strict=True)
        if example is not None
    ]
    others = [source for source, example in zip(sources, examples, strict=True) if example is None]
    fields: list[FieldRules] = []
    reasons: dict[str, str] = {}
    for name in dict.fromkeys(name for _, example in labelled for name in example):
        pages = _spread([(texts, example) for texts, example in labelled if name in example], _PAGES)
        wanted = Wanted(
            tuple(texts for texts, _ in pages),
            tuple(example[name] for _, example in pages),
            tuple(tuple(value for values in example.values() for value in values) for _, example in pages),
            tuple(_spread(others, _OTHERS)),
        )
        ways, reason = _learn_field(wanted)
        if ways:
            fields.append(FieldRules(name, ways, _usual(wanted, ways)))
        if reason:
            reasons[name] = reason
    return Learned(tuple(fields), reasons)


def _spread(rows: Sequence[T], most: int) -> list[T]:
    """Return at most so many rows, taken from all over the sequence."""
    step = -(-len(rows) // most) or 1
    return list(rows[::step])


def _as_tuple(values: Sequence[str]) -> tuple[str, ...]:
    """Take a text for one value: a sequence of its characters is never meant."""
    return (values,) if isinstance(values, str) else tuple(values)


def _learn_field(wanted: Wanted) -> tuple[tuple[Way, ...], str]:
    """Return the ways to a field, best first, and what is to be said about them."""
    repeated = learn_repeats(wanted.pages, wanted.values)
    if repeated is not None:
        return (repeated,), ""
    there = _found_values(wanted)
    absent = _tell_absent(wanted, there)
    listed = learn_list(wanted.pages, there) if list(map(bool, there)) == list(map(bool, wanted.values)) else None
    if listed is not None:
        return (listed,), "; ".join(filter(None, (_tell_part(wanted, there, listed), absent)))
    ways, said = _learn_one(wanted)
    alone = _ALONE if ways and any(map(_are_several, there)) else ""
    return ways, "; ".join(filter(None, (said, alone, absent if ways else "")))


def _learn_one(wanted: Wanted) -> tuple[tuple[Way, ...], str]:
    """Return the ways to a field that has one value."""
    places = [find_places(texts, values) for texts, values in zip(wanted.pages, wanted.values, strict=True)]
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


def _found_values(wanted: Wanted) -> list[tuple[str, ...]]:
    """Return the values that stand on their pages; where a page has one value, that is not looked at here."""
    return [
        values if len(values) < 2 else tuple(value for value in values if find_places(texts, [value]))
        for texts, values in zip(wanted.pages, wanted.values, strict=True)
    ]


def _tell_absent(wanted: Wanted, there: Sequence[Sequence[str]]) -> str:
    """Name values that are not on their page, where others of the same field are."""
    pairs = zip(wanted.values, there, strict=True)
    absent = [value for values, found in pairs if found for value in values if value not in found]
    if not absent:
        return ""
    named = ", ".join(f"{value[:_SHOWN]!r}" for value in absent[:_NAMED])
    return f"not on the page where shown: {named}" + (f" and {len(absent) - _NAMED} more" if absent[_NAMED:] else "")


def _tell_part(wanted: Wanted, there: Sequence[Sequence[str]], way: Way) -> str:
    shown, every = sum(map(len, there)), sum(len(follow(texts.source, way).values) for texts in wanted.pages)
    return f"{shown} of the {every} values of a list were shown; all of them are taken" if every > shown else ""


def _are_several(values: Sequence[str]) -> bool:
    """Say whether values are different ones, and not spellings of one, of which the longest holds the others."""
    words = [f" {words_of(value)} " for value in values]
    longest = max(words, key=len, default="")
    return any(each not in longest for each in words)


def _choose(wanted: Wanted, places: Sequence[Sequence[Place]]) -> list[Option]:
    """Choose ways until every page gives its value, then spare ones to other places of the same value."""
    missing = frozenset(i for i, values in enumerate(wanted.values) if values)
    options = _options(wanted, places)
    chosen: list[Option] = []
    while missing and len(chosen) < _WAYS:
        best = max(options, key=lambda option: (len(option.right & missing), option.worth), default=None)
        if best is None or not best.right & missing:
            break
        chosen.append(best)
        missing -= best.right
        if missing:
            options += _options(wanted, [on_page if i in missing else [] for i, on_page in enumerate(places)])
    for option in sorted(options, key=lambda option: -option.worth):
        if len(chosen) < _WAYS and chosen and _is_spare(option, chosen, len(wanted.pages)):
            chosen.append(option)
    return chosen


def _is_spare(option: Option, chosen: Sequence[Option], pages: int) -> bool:
    """Say whether a way is right on all pages and leads to other elements than those chosen."""
    whole = not option.way.before and not option.way.after
    return whole and len(option.right) == pages and all(option.targets != other.targets for other in chosen)


def _options(wanted: Wanted, places: Sequence[Sequence[Place]]) -> list[Option]:
    """Learn ways to the most promising rows of places; those that give anything wrong are left out."""
    sources = [texts.source for texts in wanted.pages]
    options: list[Option] = []
    for i, (alike, row) in enumerate(_different(align(sources, places))):
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
        offsets = tuple(place.offset for place in there)
        if there[0].take in (ELEMENT, LEAD) and there[0].is_whole:
            if offsets in seen:
                continue
            seen.add(offsets)
        kept.append((alike, row))
    return kept[:_ROWS_AT_MOST]


def _try_row(wanted: Wanted, row: Row, alike: float) -> Option | None:
    there = [place for place in row if place is not None]
    around = frame(there, [value for values in wanted.known for value in values])
    if around is None:
        return None
    use = [i for i, place in enumerate(row) if place is not None or not wanted.values[i]]
    sources = [wanted.pages[i].source for i in use]
    targets = [place.offset if (place := row[i]) is not None else None for i in use]
    shape = Way(there[0].take, (), attribute=there[0].attribute, before=around[0], after=around[1])
    found = learn_rules(sources, targets, shape, [wanted.known[i] for i in use])
    if found is None:
        return None
    way, firmness = found
    right: list[int] = []
    for i, texts in enumerate(wanted.pages):
        values = follow(texts.source, way).values
        if wanted.is_right(i, values):
            right.append(i)
        elif any(values):
            return None
    offsets = tuple(place.offset for place in there)
    level = max(place.level for place in there)
    worth = _worth(way, firmness, alike / len(row), level) + _ELSEWHERE * _share_given(wanted.others, way)
    return Option(way, frozenset(right), offsets, worth)


def _share_given(sources: Sequence[Source], way: Way) -> float:
    """Return the share of pages on which a way gives something; none where it is the same on all, as furniture is."""
    given = [values for source in sources if any(values := follow(source, way).values)]
    if len(given) >= _FURNITURE and len(set(given)) == 1:
        return 0.0
    return len(given) / len(sources) if sources else 0.0


def _worth(way: Way, firmness: float, alike: float, level: int) -> float:
    """Say how good a way is beside others: firm, to the whole text of an innermost element, at like places."""
    return _ALIKE * alike + firmness - _OUTER * level + _WHOLE * (not way.before and not way.after)


def _usual(wanted: Wanted, ways: Sequence[Way]) -> Usual:
    """Note what the field looks like on the pages it was learned from."""
    values: list[tuple[str, ...]] = []
    spans: list[tuple[int, int] | None] = []
    for texts in wanted.pages:
        found = [(way, got) for way in ways if any((got := follow(texts.source, way)).values)]
        values.append(found[0][1].values if found else ())
        spans.append(span_of(texts.source, found[0][1].openings[0], found[0][0]) if found else None)
    return usual_of(values, spans)
