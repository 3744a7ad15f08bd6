"""Learn a field that stands on a page several times: pages and all its values come in, one literal for all goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scythe.learn.ends import learn_end
from scythe.learn.literals import common_prefix, shorter_prefixes, stable_prefix, steady_prefix
from scythe.learn.places import Place, find_places
from scythe.learn.spots import spot_of
from scythe.learn.texts import Texts, words_of
from scythe.page.follow import follow
from scythe.page.source import Source, is_bare, tag_end
from scythe.rules import ELEMENT, TAIL, Rule, Way

_LEAST = 3  # values over all pages before one literal is believed to mean them all
_BASES = 8  # places of one value from which literals are tried
_VALUES = 60  # of one page that are looked for


def learn_repeats(pages: Sequence[Texts], values: Sequence[Sequence[str]]) -> Way | None:
    """Return a way that gives exactly the values of each page; None where no single opening tag does."""
    most = max(range(len(pages)), key=lambda i: len(values[i]), default=-1)
    if most < 0 or len(values[most]) < 2 or sum(len(given) for given in values) < _LEAST:
        return None
    if any(len({words_of(value) for value in given}) != len(given) for given in values):
        return None
    found = [_places_of(texts, given) for texts, given in zip(pages, values, strict=True)]
    if not all(places for on_page in found for places in on_page):
        return None
    for base in found[most][0][:_BASES]:
        for literal in _literals(base, pages[most].source, [texts.source for texts in pages], found):
            rule = Rule("tag", literal)
            way = Way(base.take, (rule,), needed=1, attribute=base.attribute, repeats=True)
            if all(_gives(texts.source, way, given) for texts, given in zip(pages, values, strict=True)):
                return _with_end(way, pages)
    return None


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
