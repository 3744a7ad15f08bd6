"""Title, author and date of a page as a layout's pages have them: learned from what reading them cold said.

Reading a page cold is often wrong about these; the same place on several pages is not. A place is believed where it
agrees with the cold value on most pages. Titles and dates vary from page to page; what does not is no title.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scythe.page.dates import to_iso
from scythe.page.map import MUTED, PageMap
from scythe.page.title import comparable, shared_part
from scythe.site.element_patterns import occurrences
from scythe.site.evidence import Flags, Ints
from scythe.site.extract import HEADINGS, LONGEST, VALUE_RUNS, cut_place, tagged
from scythe.site.rules import ADDRESS, ATTRIBUTE, ELEMENT, HEADING, META, PlaceRule
from scythe.site.select import FIRST, Selector

_AGREE = 0.6  # share of the pages
_VARY = 0.8  # of them have a heading of their own
_TITLE_PART = 8  # letters of a part of the title that the site's name or a page number follows
_PLACES = 3  # kept of one field
_META_NAMES = ("property", "name", "itemprop")
_WORD = re.compile(r"[^\W_]+")
_PROBED = 80  # characters of a value, of which the longest word is looked for in the source
_DATE_PARTS, _YEAR = 10, 4  # characters of a date without its time


@dataclass(frozen=True, slots=True)
class ColdValues:
    """What reading one page said of it."""

    url: str
    title: str
    author: str
    date: str


@dataclass(eq=False)
class PlaceLearner:
    """Pages of one layout with what reading them said, to learn where title, author and date stand."""

    _pages: Sequence[PageMap]
    _keyed: Sequence[Flags]
    _cold: Sequence[ColdValues]
    _roots: Sequence[Sequence[int]]  # of the main text

    def learn(self, name: str) -> tuple[PlaceRule, ...]:
        """Return the places of a field, the one that agrees most first."""
        wanted = [getattr(cold, name) for cold in self._cold]
        if name == "title":
            return self._learn_title(wanted)
        if name == "date":
            wanted = [value[:_DATE_PARTS] for value in wanted]
        if sum(map(bool, wanted)) < _AGREE * len(wanted):
            return ()
        return self._places(name, wanted)

    def _learn_title(self, wanted: list[str]) -> tuple[PlaceRule, ...]:
        """Return where titles stand; the title of the head, without what all share, is the last resort."""
        is_constant = len(set(wanted)) == 1 and len(wanted) > 1
        found = self._heading_places() or self._text_headings() if is_constant else self._places("title", wanted)
        titled = [(page, tagged(page, "title")) for page in self._pages]
        heads = [page.text(int(at[0])) if len(at) else "" for page, at in titled]
        if len(set(heads)) > 1:
            selector = next(Selector(path=int(page.path[at[0]])) for page, at in titled if len(at))
            shared = shared_part(heads) if len(set(heads)) > 2 else ""
            found += (PlaceRule(ELEMENT, selector, shared=shared),)
        return found

    def _heading_places(self) -> tuple[PlaceRule, ...]:
        """Return the place of the first heading that differs from page to page: what the title should have said."""
        texts: dict[Selector, list[tuple[int, str]]] = {}
        for page, keyed in zip(self._pages, self._keyed, strict=True):
            for order, row in enumerate(tagged(page, *HEADINGS).tolist()):
                text = page.text(row) if not page.flags[row] & MUTED else ""
                if 0 < len(text) <= LONGEST:
                    for selector in _selectors(page, keyed, row):
                        texts.setdefault(selector, []).append((order, text))
        count = len(self._pages)
        varying = [
            (sum(order for order, _ in found) / len(found), -len(found), number)
            for number, found in enumerate(texts.values())
            if len(found) >= _AGREE * count and len({text for _, text in found}) >= _VARY * len(found)
        ]
        selectors = list(texts)
        return tuple(PlaceRule(ELEMENT, selectors[number]) for _, _, number in sorted(varying)[:1])

    def _text_headings(self) -> tuple[PlaceRule, ...]:
        """Return the first heading of the main text as a place, where most pages have one of their own."""
        rule = PlaceRule(HEADING)
        found = [cut_place(page, rule, None, roots) for page, roots in zip(self._pages, self._roots, strict=True)]
        texts = [value.value for value in found if value is not None]
        tells = len(texts) >= _AGREE * len(found) and len(set(texts)) >= _VARY * len(texts)
        return (rule,) if tells else ()

    def _places(self, name: str, wanted: Sequence[str]) -> tuple[PlaceRule, ...]:
        counts: Counter[PlaceRule] = Counter()
        for number, value in enumerate(wanted):
            if value:
                counts.update(list(dict.fromkeys(self._candidates(number, _Wanted.of(name, value)))))
        need = _AGREE * len(wanted)
        rank = _DATE_RANK if name == "date" else _RANK
        most = _NEARLY * max(counts.values(), default=0) if name == "date" else math.inf
        ranked = sorted(
            counts.items(),
            key=lambda item: (
                rank[item[0].source] if item[1] >= most else _LAST,
                -item[1],
                rank[item[0].source],
                _is_bare(item[0]),
            ),
        )
        chosen: list[PlaceRule] = []
        for rule, count in ranked:
            if count < need or len(chosen) == _PLACES:
                break
            values = [cut_place(page, rule, cold.url) for page, cold in zip(self._pages, self._cold, strict=True)]
            texts = [found.value for found in values if found is not None]
            # what all pages name as their author may be one: a single word in an element is rather a label
            is_name = name == "author" and (rule.source == META or " " in texts[0])
            if len(set(texts)) > 1 or len(texts) < 3 or is_name:
                share = round(count / len(wanted), 3)
                chosen.append(PlaceRule(rule.source, rule.selector, rule.attribute, rule.name, share=share))
        return tuple(chosen)

    def _candidates(self, number: int, wanted: _Wanted) -> Iterator[PlaceRule]:
        """Yield the places of one page that have the value."""
        page, keyed, url = self._pages[number], self._keyed[number], self._cold[number].url
        if wanted.is_date and (found := cut_place(page, PlaceRule(ADDRESS), url)):
            if found.value[:_DATE_PARTS] == wanted.value:
                yield PlaceRule(ADDRESS)
        for attributes in self._metas[number]:
            if wanted.is_said_by(attributes.get("content") or ""):
                for attribute in _META_NAMES:
                    if attributes.get(attribute):
                        yield PlaceRule(META, attribute=attribute, name=attributes[attribute])
        if wanted.is_date:
            for row in tagged(page, "time").tolist():
                if wanted.is_said_by(page.attribute(row, "datetime") or ""):
                    for selector in _selectors(page, keyed, row):
                        yield PlaceRule(ATTRIBUTE, selector, attribute="datetime")
        for row in self._rows_with(number, wanted):
            for selector in _selectors(page, keyed, row):
                yield PlaceRule(ELEMENT, selector)

    @cached_property
    def _metas(self) -> list[list[dict[str, str]]]:
        """The attributes of all meta elements with a content, by page."""
        return [
            [said for row in tagged(page, "meta").tolist() if (said := page.element(row).attributes).get("content")]
            for page in self._pages
        ]

    @cached_property
    def _sizes(self) -> list[Ints]:
        """How many bytes of text each element has, by page; 0 for those that cannot hold a value."""
        found = []
        for page in self._pages:
            size = np.zeros(len(page.run_row) + 1, np.int64)
            np.cumsum(page.run_end.astype(np.int64) - page.run_start, out=size[1:])
            runs = page.run_to - page.run_from
            may = (runs > 0) & (runs <= VALUE_RUNS) & (page.flags & MUTED == 0)
            found.append(np.where(may, size[page.run_to] - size[page.run_from], 0))
        return found

    def _rows_with(self, number: int, wanted: _Wanted) -> Iterator[int]:
        """Yield the elements whose text is the value."""
        page = self._pages[number]
        places = occurrences(page.source, wanted.probe)
        if not len(places):
            return
        size, (least, most) = self._sizes[number], wanted.sizes
        rows = ((size >= least) & (size <= most)).nonzero()[0]
        holds = places.searchsorted(page.inner[rows]) < places.searchsorted(page.close[rows])
        for row in rows[holds].tolist():
            if wanted.is_said_by(page.text(row)):
                yield row


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A value that is looked for on a page."""

    name: str
    value: str
    plain: str  # its letters and digits

    @classmethod
    def of(cls, name: str, value: str) -> _Wanted:
        return cls(name, value, comparable(value))

    @property
    def is_date(self) -> bool:
        return self.name == "date"

    @property
    def probe(self) -> bytes:
        """What stands in the source where the value does: the year of a date, or the longest of its first words."""
        words = [self.value[:_YEAR]] if self.is_date else _WORD.findall(self.value[:_PROBED])
        return max(words, key=len, default="").encode()

    @property
    def sizes(self) -> tuple[float, float]:
        """How many bytes of text an element with it has, at least and at most."""
        return (4, 200) if self.is_date else (max(len(self.value) / 2, 1), 6 * len(self.value.encode()) + 100)

    def is_said_by(self, text: str) -> bool:
        """Say whether a text is the value."""
        if not text or len(text) > LONGEST:
            return False
        if self.is_date:
            return self.value[:_YEAR] in text and (to_iso(text) or "")[:_DATE_PARTS] == self.value
        if text == self.value or " ".join(text.split()) == self.value:
            return True
        found = comparable(text)
        if found == self.plain:
            return True
        return self.name == "title" and len(found) >= max(_TITLE_PART, len(self.plain) / 2) and found in self.plain


_RANK = {META: 1, ATTRIBUTE: 0, ELEMENT: 0, ADDRESS: 2}
_DATE_RANK = {META: 0, ATTRIBUTE: 1, ELEMENT: 2, ADDRESS: 3}  # what is said in the head is meant, and knows its zone
_LAST = 9
_NEARLY = 0.8  # of the pages that agree with the best place: then what kind of place it is decides


def _is_bare(rule: PlaceRule) -> bool:
    return rule.selector is None or not rule.selector.key or bool(rule.selector.parent)


def _selectors(page: PageMap, keyed: Flags, row: int) -> Iterator[Selector]:
    """Yield the selectors whose first match is an element."""
    key, parent = int(page.key[row]), int(page.key[page.parent[row]]) if page.parent[row] >= 0 else 0
    options = [(0, key, 0)] if keyed[row] or page.tags[page.tag[row]] in ("h1", "title") else []
    options += [(0, key, parent)] if parent else []
    options.append((int(page.path[row]), 0, 0))
    for option in options:
        if page.matching(*option)[:1] == [row]:
            yield Selector(*option, place=FIRST)
