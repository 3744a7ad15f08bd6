"""Learn a field that stands on a page several times: pages and its values come in, one literal for all goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from selectolax.lexbor import LexborNode

from scythe.learn.ends import learn_end
from scythe.learn.literals import common_prefix, shorter_prefixes, stable_prefix, steady_prefix
from scythe.learn.places import Place, find_places
from scythe.learn.spots import spot_of
from scythe.learn.texts import Texts, words_of
from scythe.page.follow import Found, follow
from scythe.page.source import Opening, Source, is_bare, tag_end
from scythe.rules import ELEMENT, TAIL, Rule, Way

_LEAST = 3  # values over all pages before one literal is believed to mean them all
_BASES = 8  # places of one value from which literals are tried
_VALUES = 60  # of one page that are looked for
_ABOVE = 4  # elements between a value and the list that it is in, at most
_SHARE = 2  # one in so many values of a list must be shown: of a long one others may be meant, as directors of a cast


def learn_repeats(pages: Sequence[Texts], values: Sequence[Sequence[str]]) -> Way | None:
    """Return a way that gives exactly the values of each page; None where no single opening tag does."""
    if sum(len(given) for given in values) < _LEAST:
        return None
    for way in _tries(pages, values):
        if all(_gives(texts.source, way, given) for texts, given in zip(pages, values, strict=True)):
            return _with_end(way, pages)
    return None


def learn_list(pages: Sequence[Texts], values: Sequence[Sequence[str]]) -> Way | None:
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


def _tries(pages: Sequence[Texts], values: Sequence[Sequence[str]]) -> Iterator[Way]:
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


def _are_lists(got: Sequence[Found], values: Sequence[Sequence[str]]) -> bool:
    """Say whether what was found on each page is one list, no more deeply nested than the values shown say."""
    above = max(_height(one, given) for one, given in zip(got, values, strict=True) if len(given) > 1)
    if above > _ABOVE:
        return False
    return all(len({_holder(opening, above) for opening in one.openings}) <= 1 for one in got)


def _height(got: Found, given: Sequence[str]) -> int:
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


def _with_end(way: Way, pages: Sequence[Texts]) -> Way:
    if way.take not in (ELEMENT, TAIL):
        return way
    every = [(texts.source, opening) for texts in pages for opening in follow(texts.source, way).openings]
    spots = [spot for source, opening in every if (spot := spot_of(source, opening.offset, way.take))]
    end, inner_tags = learn_end(spots)
    return replace(way, end=end, inner_tags=inner_tags)


def _places_of(texts: Texts, values: Sequence[str]) -> list[list[Place]]:
    every = (find_places(texts, [value]) for value in values[:_VALUES])
    return [[place for place in places if place.is_whole] for places in every]


def _literals(
    base: Place, source: Source, sources: Sequence[Source], found: Sequence[Sequence[Sequence[Place]]]
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


def _tag(source: Source, place: Place) -> bytes:
    return source.body[place.offset : tag_end(source.body, place.offset)]


def _same_take(one: Place, other: Place) -> bool:
    return (one.take, one.attribute) == (other.take, other.attribute)


def _gives(source: Source, way: Way, wanted: Sequence[str]) -> bool:
    return sorted(map(words_of, follow(source, way).values)) == sorted(map(words_of, wanted))
