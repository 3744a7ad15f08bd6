"""Choose the literals by which pages of a layout are recognised.

A mark is the beginning of an opening tag or comment, such as `<article id="post-`. Marks are on nearly all pages of
their layout; most are rare on other layouts, some belong to the site's shell, so that foreign or redesigned pages have
too few.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from scythe.site.learn.layouts import spread

MARKS = 6  # of a layout
TELLING = 4  # of these that tell it from the others of the site
_PAGES = 16  # of a layout that are looked at
_ALL_PAGES = 200
_PAGE_BYTES = 2_000_000
_TAGS = 2_000  # different ones of a page
_LITERALS = 20_000  # of a page
_ENOUGH_NAMED = 20  # literals with names only that leave the others out: addresses and texts change sooner
_TRIED = 150  # literals of a layout that are searched for on all pages
_LONGEST = 72  # bytes of a mark
_NEARLY_ALL = 0.94  # share of a layout's pages that have a mark: one of seventeen may lack it
_APART = 4.0  # marks by which a layout should differ from each other one
_GAIN = 0.3  # a mark worth having is on so much more of the layout's pages than of another's
_NEAR = 400  # bytes; marks of one block come and go together
_NEAR_TEXT = 12  # literals about the text from which marks are taken
_KIN = -50.0  # merit of a literal that begins with a chosen one, or the other way round, is below this
_FEW = 3  # pages on which a literal must stand before its digits and addresses are believed to be constant

_TAG = re.compile(rb"<(?:[a-zA-Z][^<>]{0,200}>?|!--[^<>]{3,60})")
_CUT = re.compile(rb"[\"'\-_/]|(?=[ \t\r\n>])")
_PARAGRAPH = re.compile(rb"<[pP][ >]")
_VOLATILE = re.compile(rb"[0-9]{3}|[0-9a-f]{8}")
_DIGIT = re.compile(rb"[0-9]")
_ATTRIBUTE = re.compile(rb"""[\s"']([a-zA-Z:-]{1,30})=""")
_NAMING = frozenset(b"class id name property rel role type itemprop itemtype".split())
_WORD = re.compile(rb"[A-Za-z]{3,}")
_BOXES = tuple(
    b"<body <article <main <section <div <table <header <footer <html <aside <nav <form <ul <h1 <link".split()
)
# words of which all sites make their markup: a literal of nothing else could stand on any page
_COMMON = frozenset(
    b"""
    http https www com org net html htm php css js text javascript language type script stylesheet rel href src link
    meta content name property class style width height border cellpadding cellspacing align valign left right center
    top bottom middle color bgcolor font size arial verdana helvetica sans serif table body head header footer main
    page post posts article section div span nav menu container wrapper wrap inner outer row col column sidebar widget
    image images img icon button form input hidden submit search title utf charset equiv viewport device initial scale
    robots description keywords shortcut alternate application rss xml atom feed wordpress generator twitter card og
    locale site website url clear clearfix blank target method post get action value true false none home list item
    items entry box block module comment comments link links about contact privacy terms default
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A literal with its share of the pages of each layout and its place on a page of its own."""

    literal: bytes
    shares: tuple[float, ...]
    offset: int  # bytes
    weight: float  # how good a literal it is, apart from what it tells
    sure: bool = False  # its shares count places in scripts and attributes too


def choose_marks(bodies_by_layout: Sequence[Sequence[bytes]]) -> list[tuple[bytes, ...]]:
    """Return up to `MARKS` literals for each layout, those first that tell it from the others.

    A layout that differs from another in next to nothing gets fewer, so that a page that has all marks of both can be
    taken for the one that says more. A layout of pages without tags gets none.
    """
    census = _Census(bodies_by_layout)
    return [_choose_for(census, layout) for layout in range(len(bodies_by_layout))]


def _choose_for(census: _Census, layout: int) -> tuple[bytes, ...]:
    if len(census.samples) == 1:
        # other layouts may turn up later: half of the marks are taken from about the text, where they would differ
        candidates = census.shell_of(layout)
        inner = _pick_shell(census.near_text(layout, candidates), [], MARKS // 2)
        chosen = inner + _pick_shell(candidates, inner, MARKS - len(inner))
    else:
        telling = _pick_telling(census, layout)
        room = 2 if len(telling) >= TELLING // 2 else MARKS // 2 - len(telling)
        chosen = telling + _pick_shell(census.shell_of(layout), telling, room)
    return tuple(candidate.literal for candidate in chosen)


class _Census:
    """On how many pages of each layout which literal stands."""

    def __init__(self, bodies_by_layout: Sequence[Sequence[bytes]]) -> None:
        most = max(2, min(_PAGES, _ALL_PAGES // max(1, len(bodies_by_layout))))
        self.samples = [[body[:_PAGE_BYTES] for body in spread(bodies, most)] for bodies in bodies_by_layout]
        self._counts = [Counter(one for body in bodies for one in read_literals(body)) for bodies in self.samples]
        self._pages: Counter[bytes] = Counter()  # of all layouts that have a literal
        self._layouts: dict[bytes, float] = {}  # the sum of its shares
        for counts, bodies in zip(self._counts, self.samples, strict=True):
            self._pages.update(counts)
            for literal, count in counts.items():
                self._layouts[literal] = self._layouts.get(literal, 0.0) + count / len(bodies)

    def telling_of(self, layout: int) -> list[_Candidate]:
        """Return literals of nearly all pages of a layout that are rare on others, the shortest of those that agree."""
        kept = [one for one in self._steady_of(layout) if self._contrast(one, layout) >= _GAIN / 2]
        named = [one for one in kept if _is_named(one)]
        ranked = _without_longer(named if len(named) > _ENOUGH_NAMED else kept, self._signature)
        ranked.sort(key=lambda one: (-round(self._contrast(one, layout), 1), -_weigh(one), one))
        return self._look_up(layout, ranked[:_TRIED])

    def shell_of(self, layout: int) -> list[_Candidate]:
        """Return literals of nearly all pages of a layout, those first that stand on all layouts, the longest first."""
        steady = [*self._steady_of(layout), b""]
        longest = [one for one, after in pairwise(steady) if not after.startswith(one)]
        longest.sort(key=lambda one: (round(self._contrast(one, layout), 1), -_weigh(one), one))
        return self._look_up(layout, longest[:_TRIED])

    def near_text(self, layout: int, candidates: Sequence[_Candidate]) -> list[_Candidate]:
        """Return the candidates nearest to the middle paragraph of a page."""
        page = self.samples[layout][0] if self.samples[layout] else b""
        paragraphs = [match.start() for match in _PARAGRAPH.finditer(page)]
        if not paragraphs:
            return []
        middle = paragraphs[len(paragraphs) // 2]
        nearest = sorted(candidates, key=lambda one: abs(one.offset - middle))
        return nearest[:_NEAR_TEXT]

    def _steady_of(self, layout: int) -> list[bytes]:
        least = _NEARLY_ALL * len(self.samples[layout])
        found = self._counts[layout].items()
        return sorted(one for one, count in found if count >= least and self._is_steady(one))

    def _is_steady(self, literal: bytes) -> bool:
        """Say whether a literal would stand on further pages too, as far as those at hand can tell."""
        if _VOLATILE.search(literal):
            return False
        if self._pages[literal] >= _FEW:
            return True
        return not _DIGIT.search(literal) and _is_named(literal)

    def _signature(self, literal: bytes) -> tuple[int, ...]:
        return tuple(counts[literal] for counts in self._counts)

    def _contrast(self, literal: bytes, layout: int) -> float:
        """Return the share of other layouts' pages without a literal, each layout counting the same."""
        rivals = sum(map(bool, self.samples)) - 1
        own = self._counts[layout][literal] / max(1, len(self.samples[layout]))
        return 1 - (self._layouts[literal] - own) / rivals if rivals > 0 else 0.0

    def _look_up(self, layout: int, literals: Iterable[bytes]) -> list[_Candidate]:
        page = self.samples[layout][0] if self.samples[layout] else b""
        return [_Candidate(one, self._shares(one), page.find(one), _weigh(one)) for one in literals]

    def _shares(self, literal: bytes) -> tuple[float, ...]:
        return tuple(
            count / max(1, len(pages)) for count, pages in zip(self._signature(literal), self.samples, strict=True)
        )

    def search(self, candidate: _Candidate) -> _Candidate:
        """Search for a literal anywhere in the pages, as will be done later, and correct its shares."""
        found = (sum(candidate.literal in page for page in pages) / max(1, len(pages)) for pages in self.samples)
        return replace(candidate, shares=tuple(found), sure=True)


def read_literals(body: bytes) -> set[bytes]:
    """Return a page's comments and the beginnings of its opening tags, cut at delimiters inside attribute values."""
    found: set[bytes] = set()
    tags: set[bytes] = set()
    for match in _TAG.finditer(body):
        tag = match[0]
        if tag in tags:
            continue
        tags.add(tag)
        if len(tags) > _TAGS or len(found) > _LITERALS:
            break
        value = tag.find(b"=") + 2
        if tag.startswith(b"<!"):
            found.add(tag)
        elif value > 1:
            cuts = (cut.end() for cut in _CUT.finditer(tag, value, _LONGEST))
            found.update(tag[:cut] for cut in cuts if cut > value)
            if len(tag) <= _LONGEST:
                found.add(tag)
    return found


def _without_longer(literals: Sequence[bytes], signature: Callable[[bytes], tuple[int, ...]]) -> list[bytes]:
    """Drop literals that say no more than a shorter one they begin with; `literals` are sorted."""
    kept: list[bytes] = []
    chain: list[tuple[bytes, tuple[int, ...]]] = []  # each begins with the one before
    for literal in literals:
        while chain and not literal.startswith(chain[-1][0]):
            chain.pop()
        own = signature(literal)
        if not chain or chain[-1][1] != own:
            chain.append((literal, own))
            kept.append(literal)
    return kept


def _is_named(literal: bytes) -> bool:
    """Say whether all attributes of a literal say what the element is, and none where it leads or what it shows."""
    attributes = _ATTRIBUTE.findall(literal)
    return bool(attributes) and all(attribute.lower() in _NAMING for attribute in attributes)


def _weigh(literal: bytes) -> float:
    """Prefer names on boxes, of words that are not everybody's, short and without digits."""
    unusual = sum(len(word) for word in _WORD.findall(literal) if word.lower() not in _COMMON)
    good = _is_named(literal) + 0.5 * literal.lower().startswith(_BOXES) + min(unusual, 16) / 16
    return good - 0.5 * (_DIGIT.search(literal) is not None) - len(literal) / 200


def _pick_telling(census: _Census, layout: int) -> list[_Candidate]:
    """Pick literals until the layout differs from each other one by several, each from another place of the page."""
    candidates = census.telling_of(layout)
    chosen: list[_Candidate] = []
    lacking = [0.0 if at == layout else _APART for at in range(len(census.samples))]
    while len(chosen) < TELLING and candidates:
        at = max(
            range(len(candidates)),
            key=lambda at: _gain(candidates[at], layout, lacking) + _merit(candidates[at], chosen),
        )
        best = candidates[at]
        if _gain(best, layout, lacking) < _GAIN or _merit(best, chosen) < _KIN:
            break
        if not best.sure:  # a search costs more than all the rest: only those that would be chosen are searched for
            candidates[at] = census.search(best)
            continue
        chosen.append(candidates.pop(at))
        lacking = [
            max(0.0, left - best.shares[layout] + share) for left, share in zip(lacking, best.shares, strict=True)
        ]
    return chosen


def _gain(candidate: _Candidate, layout: int, lacking: Sequence[float]) -> float:
    own = candidate.shares[layout]
    return sum(max(0.0, min(left, own - share)) for left, share in zip(lacking, candidate.shares, strict=True))


def _merit(candidate: _Candidate, chosen: Sequence[_Candidate]) -> float:
    """Return what speaks for a literal apart from its gain: below 0 next to one that is chosen already."""
    merit = 0.1 * candidate.weight
    for other in chosen:
        if other.literal.startswith(candidate.literal) or candidate.literal.startswith(other.literal):
            merit += 2 * _KIN
        elif abs(other.offset - candidate.offset) < _NEAR:
            merit -= 0.5
    return merit


def _pick_shell(candidates: Sequence[_Candidate], chosen: Sequence[_Candidate], count: int) -> list[_Candidate]:
    """Pick good literals, each as far as may be from those chosen, so that all of the page has to be as it was."""
    picked: list[_Candidate] = []
    width = max((candidate.offset for candidate in candidates), default=0) / max(1, count) / 2
    for _ in range(min(count, len(candidates))):
        others = [*chosen, *picked]
        best = max(candidates, key=lambda one: one.weight + _merit(one, others) + _distance(one, picked, width))
        if best in picked or _merit(best, others) < _KIN:
            break
        picked.append(best)
    return picked


def _distance(candidate: _Candidate, others: Sequence[_Candidate], far: float) -> float:
    nearest = min((abs(other.offset - candidate.offset) for other in others), default=0)
    return min(1.0, nearest / far) if far else 0.0
