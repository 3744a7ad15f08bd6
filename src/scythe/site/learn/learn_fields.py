"""Learn rules for the fields that reading finds by itself: title, text, date, author.

What `scythe.read` finds on each page is the example; pages that disagree are outvoted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from scythe.page.title import TITLES_SHARE, shared_part, without_shared
from scythe.site.boilerplate import improve_samples
from scythe.site.drift import usual_of
from scythe.site.follow.follow_fields import follow, part_of, span_of
from scythe.site.learn.main_text import learn_body
from scythe.site.learn.value_sources import (
    LearnedPage,
    Match,
    ValueSource,
    find_statements,
    same_date,
    same_text,
    same_title,
)
from scythe.site.learn.way_rules import learn_way
from scythe.site.rules import FieldRules, Way

_LEAST = 2  # pages with different titles


def improve_titles(samples: Sequence[LearnedPage]) -> tuple[tuple[str, ...], ...]:
    """Return for each page what its title may be, best first: as reported and as declared, without the site's name.

    What most pages report is the site's name and no title, as long as they declare different ones.
    """
    reported = [sample.title for sample in samples]
    declared = [sample.page.head.title or sample.title for sample in samples]
    if len(set(declared)) < _LEAST:
        return tuple((title,) if title else () for title in reported)
    site = shared_part(declared)
    common, pages = Counter(reported).most_common(1)[0]
    constant = common if pages >= max(2, TITLES_SHARE * len(samples)) else None
    titles = []
    for own, head in zip(reported, declared, strict=True):
        found = dict.fromkeys(without_shared(title, site) for title in (own, head) if title and title != constant)
        titles.append(tuple(found) or ((own,) if own else ()))
    return tuple(titles)


_LEAST_PAGES = 2
_RIGHT = 0.9  # of the pages on which a way speaks it must say what reading says
_SHARE = 0.5  # of the pages that have a value must be served
_FIT = 0.7  # a text that states the value, not one that holds it among other words
_TRIED = 6  # places that are tried for one field
_WAYS = 2
_AUTHORISH = ("author", "byline", "creator", "writer", "vcard")
_DATEISH = ("date", "time", "publish", "posted", "entry", "meta")


class LearnedFields(NamedTuple):
    """The fields that were learned, the reasons for those that were not, and lines that are no content."""

    fields: tuple[FieldRules, ...]
    reasons: tuple[str, ...]
    boilerplate: tuple[str, ...] = ()  # patterns of lines to clean texts of; see site/boilerplate.py


@dataclass(frozen=True, slots=True)
class FieldToLearn:
    """A field, what its value may be on each page (nothing where reading found none), and how a text states one."""

    name: str
    values: tuple[tuple[str, ...], ...]
    match: Match
    words: tuple[str, ...] = ()  # names of elements that usually hold it

    @property
    def present(self) -> list[int]:
        """Pages that have a value."""
        return [page for page, values in enumerate(self.values) if values]

    @property
    def is_constant(self) -> bool:
        """Whether all pages have the same value: it then stands in many places that mean something else."""
        return len({values[0] for values in self.values if values}) == 1

    def rate(self, page: int, text: str) -> float:
        """Say how well a text states the value of a page."""
        return max((self.match(text, value) for value in self.values[page]), default=0.0)


def learn_fields(samples: Sequence[LearnedPage]) -> LearnedFields:
    """Learn title, text, date and author of the pages of one layout, with the reasons for what was not learned."""
    if len(samples) < _LEAST_PAGES:
        return LearnedFields((), (f"{len(samples)} page: learning needs {_LEAST_PAGES} of one layout",))
    better, known = improve_samples(samples)
    fields: list[FieldRules] = []
    reasons: list[str] = []
    body = learn_body(better, known.clean)
    ways: dict[str, tuple[Way, ...]] = {"title": (), "text": body.ways, "date": (), "author": ()}
    if body.why:
        reasons.append(f"text: {body.why}")
    for wanted in (
        FieldToLearn("title", improve_titles(samples), same_title, ("title", "headline")),
        FieldToLearn("date", _single([sample.published for sample in samples]), same_date, _DATEISH),
        FieldToLearn("author", _single([sample.author for sample in samples]), same_text, _AUTHORISH),
    ):
        ways[wanted.name], why = _learn_value(samples, wanted)
        if why:
            reasons.append(f"{wanted.name}: {why}")
    for name, found in ways.items():
        if found:
            fields.append(_with_usual(FieldRules(name, found), samples))
    return LearnedFields(tuple(fields), tuple(reasons), tuple(dict.fromkeys((*known.patterns, *body.lines))))


def _single(values: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((value,) if value else () for value in values)


def _learn_value(samples: Sequence[LearnedPage], wanted: FieldToLearn) -> tuple[tuple[Way, ...], str]:
    present = wanted.present
    if len(present) < _LEAST_PAGES:
        return (), f"on {len(present)} of {len(samples)} pages"
    places = {page: find_statements(samples[page], wanted.values[page], wanted.match) for page in present}
    ways: list[Way] = []
    left = set(present)
    for key in _rank(places, wanted)[:_TRIED]:
        way = _try_key(samples, wanted, places, key)
        served = _served(samples, wanted, way) if way is not None else frozenset()
        if way is not None and served & left:
            ways.append(way)
            left -= served
        if not left or len(ways) == _WAYS:
            break
    if not ways:
        return (), "stated nowhere in the same place on most pages"
    return tuple(ways), ""


def _rank(places: dict[int, list[ValueSource]], wanted: FieldToLearn) -> list[str]:
    """Return the keys of places that give the value on most pages, best first."""
    fits: dict[str, dict[int, float]] = defaultdict(dict)
    words: dict[str, float] = {}
    for page, statements in places.items():
        for statement in statements:
            for level, key in enumerate(statement.keys):
                fits[key][page] = max(fits[key].get(page, 0.0), statement.fit)
                words[key] = _kindness(statement, wanted, level)
    enough = _SHARE * len(places)
    found = [key for key, pages in fits.items() if len(pages) >= max(_LEAST_PAGES, enough)]
    if wanted.is_constant and wanted.name != "title":
        found = [key for key in found if words[key] >= 1]
    return sorted(found, key=lambda key: (-sum(fits[key].values()) / len(places) - words[key] / 10, len(key), key))


def _kindness(statement: ValueSource, wanted: FieldToLearn, level: int) -> float:
    """Rate a place by what it is called: a heading for a title, a machine-readable date, a byline."""
    named = any(word in statement.names.lower() for word in wanted.words)
    if wanted.name == "title":
        return {"h1": 3.0, "h2": 1.5, "meta": 1.0, "title": 1.0}.get(statement.tag, 0.0) - level / 10
    if statement.tag in ("time", "abbr") or (statement.tag == "meta" and named):
        return 2.0 - level
    return (1.0 if named else 0.0) - level


def _try_key(
    samples: Sequence[LearnedPage], wanted: FieldToLearn, places: dict[int, list[ValueSource]], key: str
) -> Way | None:
    """Learn the way to the places of one key."""
    chosen: dict[int, ValueSource] = {}
    for page, statements in places.items():
        own = [statement for statement in statements if key in statement.keys]
        if own:
            chosen[page] = max(own, key=lambda statement: statement.fit)
    before, after = _frame(chosen, wanted)
    looked_at = [page for page in range(len(samples)) if page in chosen or not wanted.values[page]]
    first = next(iter(chosen.values()))
    return learn_way(
        [samples[page].source for page in looked_at],
        [chosen[page].offset if page in chosen else None for page in looked_at],
        first.take,
        attribute=first.attribute,
        before=before,
        after=after,
    )


def _frame(chosen: dict[int, ValueSource], wanted: FieldToLearn) -> tuple[str, str]:
    """Return what stands before and after the value in its text on all pages, where the text is more than the value."""
    if wanted.match is same_date or sum(s.fit >= _FIT for s in chosen.values()) * 2 > len(chosen):
        return "", ""
    for choice in (0, -1):
        heads, tails = [], []
        for page, statement in chosen.items():
            head, found, tail = statement.text.partition(wanted.values[page][choice])
            if found:
                heads.append(head)
                tails.append(tail)
        if len(heads) * 2 <= len(chosen):
            continue
        before = _common_end(heads)
        after = _common_end([tail[::-1] for tail in tails])[::-1]
        parts = [(page, part_of(statement.text, before, after)) for page, statement in chosen.items()]
        if sum(part is not None and wanted.rate(page, part) >= _FIT for page, part in parts) >= _RIGHT * len(parts):
            return before, after
    return "", ""


def _common_end(texts: Sequence[str]) -> str:
    """Return what all texts end with."""
    shortest = min(texts, key=len)
    size = 0
    while size < len(shortest) and len({text[-size - 1] for text in texts}) == 1:
        size += 1
    return shortest[len(shortest) - size :]


def _served(samples: Sequence[LearnedPage], wanted: FieldToLearn, way: Way) -> frozenset[int]:
    """Return the pages on which a way gives the value; none when it is wrong too often."""
    right, spoken = set(), 0
    for page, sample in enumerate(samples):
        values = follow(sample.source, way).values
        spoken += bool(values)
        if values and wanted.rate(page, values[0]) >= _FIT:
            right.add(page)
    return frozenset(right) if len(right) >= _RIGHT * spoken and len(right) >= _LEAST_PAGES else frozenset()


def _with_usual(rules: FieldRules, samples: Sequence[LearnedPage]) -> FieldRules:
    values: list[tuple[str, ...]] = []
    spans: list[tuple[int, int] | None] = []
    for sample in samples:
        value: tuple[str, ...] = ()
        span = None
        for way in rules.ways:
            found = follow(sample.source, way)
            if found.values:
                value, span = found.values, span_of(sample.source, found.openings[0], way)
                break
        values.append(value)
        spans.append(span)
    return replace(rules, usual=usual_of(values, spans))
