"""Learn fields from example values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from selectolax.lexbor import LexborNode

from scythe.page.source import Opening, Source, is_bare, tag_end
from scythe.site.drift import usual_of
from scythe.site.follow.follow_fields import FollowedWay, follow, part_of, span_of
from scythe.site.learn.literals import (
    common_prefix,
    common_suffix,
    shorter_prefixes,
    spot_of,
    stable_prefix,
    steady_prefix,
)
from scythe.site.learn.page_text import PageText, ValuePlace, find_places, lay_out, words_of
from scythe.site.learn.way_rules import learn_end, learn_rules
from scythe.site.rules import ATTRIBUTE, ELEMENT, LEAD, TAIL, FieldRules, Rule, Usual, Way

_LEAST = 3  # values over all pages before one literal is believed to mean them all
_BASES = 8  # places of one value from which literals are tried
_VALUES = 60  # of one page that are looked for
_ABOVE = 4  # elements between a value and the list that it is in, at most
_SHARE = 2  # one in so many values of a list must be shown: of a long one others may be meant, as directors of a cast


def learn_repeats(pages: Sequence[PageText], values: Sequence[Sequence[str]]) -> Way | None:
    """Return a way that gives exactly the values of each page; None where no single opening tag does."""
    if sum(len(given) for given in values) < _LEAST:
        return None
    for way in _tries(pages, values):
        if all(_gives(texts.source, way, given) for texts, given in zip(pages, values, strict=True)):
            return _with_end(way, pages)
    return None


def learn_list(pages: Sequence[PageText], values: Sequence[Sequence[str]]) -> Way | None:
    """Return a way that gives the list of which each page's values are a part; None where they are in none.

    A list is what one opening tag gives, all of it equally deep inside one element around the values that were shown.
    """
    shown = sum(len(given) for given in values)
    for way in _tries(pages, values):
        got = [follow(texts.source, way) for texts in pages]
        if not _LEAST <= sum(len(one.values) for one in got) <= _SHARE * shown:
            continue
        if all(_has_all(one.values, given) for one, given in zip(got, values, strict=True)) and _are_lists(got, values):
            return _with_end(way, pages)
    return None


def _tries(pages: Sequence[PageText], values: Sequence[Sequence[str]]) -> Iterator[Way]:
    """Yield ways to what the tags of all values have in common, the longest literals first."""
    most = max(range(len(pages)), key=lambda i: len(values[i]), default=-1)
    if most < 0 or len(values[most]) < 2:
        return
    if any(len({words_of(value) for value in given}) != len(given) for given in values):
        return
    found = [_places_of(texts, given) for texts, given in zip(pages, values, strict=True)]
    if not all(places for on_page in found for places in on_page):
        return
    for base in found[most][0][:_BASES]:
        for literal in _literals(base, pages[most].source, [texts.source for texts in pages], found):
            yield Way(base.take, (Rule("tag", literal),), needed=1, attribute=base.attribute, repeats=True)


def _has_all(got: Sequence[str], wanted: Sequence[str]) -> bool:
    """Say whether all values are there, and nothing on a page that has none."""
    return {words_of(value) for value in wanted} <= {words_of(value) for value in got} and bool(got) == bool(wanted)


def _are_lists(got: Sequence[FollowedWay], values: Sequence[Sequence[str]]) -> bool:
    """Say whether what was found on each page is one list, no more deeply nested than the values shown say."""
    above = max(_height(one, given) for one, given in zip(got, values, strict=True) if len(given) > 1)
    if above > _ABOVE:
        return False
    return all(len({_holder(opening, above) for opening in one.openings}) <= 1 for one in got)


def _height(got: FollowedWay, given: Sequence[str]) -> int:
    """Return how far above the values shown the first element is that holds all of them, each equally deep."""
    words = {words_of(value) for value in given}
    shown = [opening for opening, value in zip(got.openings, got.values, strict=True) if words_of(value) in words]
    heights = range(1, _ABOVE + 1)
    return next((above for above in heights if len({_holder(one, above) for one in shown}) == 1), _ABOVE + 1)


def _holder(opening: Opening, above: int) -> tuple[object, ...]:
    """Return what tells the element so far above a tag from others, and the names of those between."""
    node: LexborNode | None = opening.node
    names: list[str | None] = []
    for _ in range(above):
        node = node.parent if node is not None else None
        names.append(node.tag if node is not None else None)
    return (opening.offset,) if node is None else (node.mem_id, *names)


def _with_end(way: Way, pages: Sequence[PageText]) -> Way:
    if way.take not in (ELEMENT, TAIL):
        return way
    every = [(texts.source, opening) for texts in pages for opening in follow(texts.source, way).openings]
    spots = [spot for source, opening in every if (spot := spot_of(source, opening.offset, way.take))]
    end, inner_tags = learn_end(spots)
    return replace(way, end=end, inner_tags=inner_tags)


def _places_of(texts: PageText, values: Sequence[str]) -> list[list[ValuePlace]]:
    every = (find_places(texts, [value]) for value in values[:_VALUES])
    return [[place for place in places if place.is_whole] for places in every]


def _literals(
    base: ValuePlace, source: Source, sources: Sequence[Source], found: Sequence[Sequence[Sequence[ValuePlace]]]
) -> Iterator[bytes]:
    """Yield what the tags of all values begin with, seen from one place of the first, the longest first."""
    own = _tag(source, base)
    tags: list[bytes] = []
    for other, on_page in zip(sources, found, strict=True):
        for places in on_page:
            alike = [_tag(other, place) for place in places if _same_take(place, base)]
            if not alike:
                return
            tags.append(max(alike, key=lambda tag: len(common_prefix((tag, own)))))
    literal = stable_prefix(tags)
    if sum(bool(on_page) for on_page in found) == 1:  # what its tags share may be this page's alone
        literal = steady_prefix(literal)
    yield from (prefix for prefix in (literal, *shorter_prefixes(literal)) if not is_bare(prefix))


def _tag(source: Source, place: ValuePlace) -> bytes:
    return source.body[place.offset : tag_end(source.body, place.offset)]


def _same_take(one: ValuePlace, other: ValuePlace) -> bool:
    return (one.take, one.attribute) == (other.take, other.attribute)


def _gives(source: Source, way: Way, wanted: Sequence[str]) -> bool:
    return sorted(map(words_of, follow(source, way).values)) == sorted(map(words_of, wanted))


_BEFORE = 40  # characters
_AFTER = re.compile(r"\s*[^\w\s]+\s?|\s*\w+\s?")
_LETTERS = 4  # of a known text at least: shorter ones are everywhere
_DIGITS = re.compile(r"\d")


def frame(places: Sequence[ValuePlace], known: Sequence[str] = ()) -> tuple[str, str] | None:
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
    for end in _ends_of(after):
        found = [part_of(place.text, before, after[:end]) for place in places]
        if all(_is_it(place, text) for place, text in zip(places, found, strict=True)):
            return before, after[:end]
    return None


def _is_it(place: ValuePlace, text: str | None) -> bool:
    return text is not None and words_of(text) == words_of(place.text[place.start : place.end])


def _holds_known(text: str, known: Sequence[str]) -> bool:
    words = f" {words_of(text)} "
    return any(len(value) >= _LETTERS and f" {value} " in words for value in map(words_of, known))


def _shared(texts: Sequence[str]) -> str | None:
    """Return what all texts begin with; None where some go on and nothing is shared."""
    first, last = min(texts), max(texts)
    size = 0
    while size < min(len(first), len(last)) and first[size] == last[size]:
        size += 1
    if not first[:size].strip():
        return None if any(text.strip() for text in texts) else ""
    return first[:size]


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


_LEFT = 160  # bytes compared in front of a place ...
_RIGHT = 60  # ... and behind it
_PER_POINT = 50  # bytes alike that count as much as a level
_ALIGN_FURNITURE = 2.5  # points for places that are alike as far as is looked, value and all: a menu perhaps
_LEVELS = 10  # elements around it that are compared

Row = tuple[ValuePlace | None, ...]  # one place per page, None where the value is not there in this way


@dataclass(frozen=True, slots=True)
class ExampleSurroundings:
    """What is around a place, by which it is recognised on another page."""

    place: ValuePlace
    tag: bytes
    left: bytes
    right: bytes
    chain: tuple[str, ...]  # elements around, innermost first
    depth: float  # 0..1: how far down the page


def align(sources: Sequence[Source], places: Sequence[Sequence[ValuePlace]]) -> list[tuple[float, Row]]:
    """Return rows of places that look alike, the most alike first; a page may lack one."""
    settings = [[_setting(source, place) for place in on_page] for source, on_page in zip(sources, places, strict=True)]
    rows: dict[Row, float] = {}
    for i, on_page in enumerate(settings):
        for one in on_page:
            row: list[ValuePlace | None] = []
            total = _prior(one.place) * len(settings)
            for j, others in enumerate(settings):
                best = one if i == j else max(others, key=lambda other: likeness(one, other), default=None)
                alike = 0.0 if best is None else likeness(one, best)
                row.append(best.place if best is not None and alike > 0 else None)
                total += alike if i != j else 0.0
            rows[tuple(row)] = max(total, rows.get(tuple(row), 0.0))
    return sorted(((total, row) for row, total in rows.items()), key=lambda pair: -pair[0])  # stable: whole texts first


def likeness(one: ExampleSurroundings, other: ExampleSurroundings) -> float:
    """Say how likely two places are the same one of a template; 0 when they cannot be."""
    a, b = one.place, other.place
    if (a.take, a.attribute) != (b.take, b.attribute) or one.chain[:1] != other.chain[:1]:
        return 0.0
    if bool(a.text[: a.start]) != bool(b.text[: b.start]) or bool(a.text[a.end :]) != bool(b.text[b.end :]):
        return 0.0
    levels = 0
    for mine, theirs in zip(one.chain, other.chain, strict=False):
        if mine != theirs:
            break
        levels += 1
    return (
        0.1
        + 2.0 * (one.tag == other.tag)
        + levels / 4
        + _around(one, other)
        + 1.0
        - abs(one.depth - other.depth)
        + 0.5 * (a.sameness + b.sameness)
    )


def _around(one: ExampleSurroundings, other: ExampleSurroundings) -> float:
    """Say how much of what is around two places is alike; the same text in the same place may be furniture."""
    left, right = len(common_suffix((one.left, other.left))), len(common_prefix((one.right, other.right)))
    if left >= _LEFT and right >= _RIGHT and one.place.text == other.place.text:
        return _ALIGN_FURNITURE
    return (left + right) / _PER_POINT


def _prior(place: ValuePlace) -> float:
    """Say how good a place is in itself: the whole text of an element, as given, is best."""
    return 1.0 * place.sameness + 2.0 * place.is_whole - 1.5 * (place.take == ATTRIBUTE)


def _setting(source: Source, place: ValuePlace) -> ExampleSurroundings:
    body, offset = source.body, place.offset
    opening = source.at(offset)
    assert opening is not None  # places come from the page's own openings
    start = tag_end(body, offset)
    end = span_of(source, opening, Way(place.take, ()))[1]
    chain: list[str] = []
    node: LexborNode | None = opening.node
    while node is not None and len(chain) < _LEVELS:
        attributes = node.attributes if not (node.tag or "-").startswith(("-", "!")) else {}
        chain.append(f"{node.tag} {attributes.get('class') or ''}" if chain else node.tag or "")
        node = node.parent
    left = body[max(0, offset - _LEFT) : offset]
    right = body[end : end + _RIGHT]
    return ExampleSurroundings(
        place, steady_prefix(body[offset:start]), left, right, tuple(chain), offset / max(1, len(body))
    )


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


class LearnedExamples(NamedTuple):
    """The fields that were learned, and for those that were not, or not from every page, the reason."""

    fields: tuple[FieldRules, ...]
    reasons: dict[str, str]


@dataclass(frozen=True, slots=True)
class ExampleField:
    """A field's values on the pages that were labelled for it."""

    pages: tuple[PageText, ...]
    values: tuple[tuple[str, ...], ...]  # of each page; empty where the field is not there
    known: tuple[tuple[str, ...], ...]  # values of all fields of each page
    others: tuple[Source, ...] = ()  # pages without labels

    def only(self, rows: Sequence[int]) -> ExampleField:
        """Return the same for some of the pages."""
        return ExampleField(
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


def learn_examples(sources: Sequence[Source], examples: Sequence[Examples | None]) -> LearnedExamples:
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
        wanted = ExampleField(
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
    return LearnedExamples(tuple(fields), reasons)


def _spread(rows: Sequence[T], most: int) -> list[T]:
    """Return at most so many rows, taken from all over the sequence."""
    step = -(-len(rows) // most) or 1
    return list(rows[::step])


def _as_tuple(values: Sequence[str]) -> tuple[str, ...]:
    """Take a text for one value: a sequence of its characters is never meant."""
    return (values,) if isinstance(values, str) else tuple(values)


def _learn_field(wanted: ExampleField) -> tuple[tuple[Way, ...], str]:
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


def _learn_one(wanted: ExampleField) -> tuple[tuple[Way, ...], str]:
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


def _found_values(wanted: ExampleField) -> list[tuple[str, ...]]:
    """Return the values that stand on their pages; where a page has one value, that is not looked at here."""
    return [
        values if len(values) < 2 else tuple(value for value in values if find_places(texts, [value]))
        for texts, values in zip(wanted.pages, wanted.values, strict=True)
    ]


def _tell_absent(wanted: ExampleField, there: Sequence[Sequence[str]]) -> str:
    """Name values that are not on their page, where others of the same field are."""
    pairs = zip(wanted.values, there, strict=True)
    absent = [value for values, found in pairs if found for value in values if value not in found]
    if not absent:
        return ""
    named = ", ".join(f"{value[:_SHOWN]!r}" for value in absent[:_NAMED])
    return f"not on the page where shown: {named}" + (f" and {len(absent) - _NAMED} more" if absent[_NAMED:] else "")


def _tell_part(wanted: ExampleField, there: Sequence[Sequence[str]], way: Way) -> str:
    shown, every = sum(map(len, there)), sum(len(follow(texts.source, way).values) for texts in wanted.pages)
    return f"{shown} of the {every} values of a list were shown; all of them are taken" if every > shown else ""


def _are_several(values: Sequence[str]) -> bool:
    """Say whether values are different ones, and not spellings of one, of which the longest holds the others."""
    words = [f" {words_of(value)} " for value in values]
    longest = max(words, key=len, default="")
    return any(each not in longest for each in words)


def _choose(wanted: ExampleField, places: Sequence[Sequence[ValuePlace]]) -> list[Option]:
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


def _options(wanted: ExampleField, places: Sequence[Sequence[ValuePlace]]) -> list[Option]:
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


def _try_row(wanted: ExampleField, row: Row, alike: float) -> Option | None:
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


def _usual(wanted: ExampleField, ways: Sequence[Way]) -> Usual:
    """Note what the field looks like on the pages it was learned from."""
    values: list[tuple[str, ...]] = []
    spans: list[tuple[int, int] | None] = []
    for texts in wanted.pages:
        found = [(way, got) for way in ways if any((got := follow(texts.source, way)).values)]
        values.append(found[0][1].values if found else ())
        spans.append(span_of(texts.source, found[0][1].openings[0], found[0][0]) if found else None)
    return usual_of(values, spans)
