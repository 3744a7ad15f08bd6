"""Time ways to cut elements against parsers: pages of sites come in, CPU times of every way on every element go out.

All ways sweep the same pages in the same order, one way after the other, site by site, and which begins changes from
round to round: none works on pages that lie in the cache while another has to fetch them. Batches are whole sites,
because a single cut is shorter than a look at the clock. Of several rounds the least time counts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from bench.cutting import Extract, Method, Seconds, count_seconds, paper_methods
from bench.parsers import Parser, Wanted, installed_parsers
from bench.patterns import LEARNED_PAGES, Pattern, bare_text, choose_patterns
from bench.searching import ALGORITHMS, Algorithm
from bench.sites import SitePages, load_sites
from scythe.site.byte_rules import ByteCut
from scythe.site.papers.position_hints import HintOptions
from scythe.site.papers.string_search import NAMES, search_by

ROUNDS = 3
TREES = 10  # parsed pages held at once
SEARCH_PAGES = 5  # per element: the searches written in Python are slow
FIRST, REST = "first", "rest"  # the pages that hints are learned on, and the others
POSITIONS = {
    "position, as published": HintOptions(),
    "share of the page": HintOptions(as_ratio=True),
    "position, 5 % earlier": HintOptions(margin=0.05),
}
CREATE, FIND = "create", "find"  # the two steps of a parser


@dataclass(frozen=True, slots=True)
class Key:
    """What a time belongs to."""

    method: str
    part: str  # FIRST or REST; CREATE or FIND for parsers
    pattern: int  # index into the patterns of the run, -1 where a parser made trees of the pages of `site`
    site: str


@dataclass(slots=True)
class Times:
    """CPU times so far, and how often each was one of."""

    ns: dict[Key, int] = field(default_factory=dict)
    calls: dict[Key, int] = field(default_factory=dict)

    def keep(self, key: Key, calls: int, ns: int) -> None:
        """Keep the least time seen for the same work."""
        self.ns[key] = min(ns, self.ns.get(key, ns))
        self.calls[key] = calls


@dataclass(frozen=True, slots=True)
class Judged:
    """How many pages of a pattern a way got right and wrong by the tree; finding nothing is never wrong."""

    right: int
    wrong: int
    pages: int


@dataclass(slots=True)
class Run:
    """Everything that one run measured."""

    sites: list[SitePages]
    patterns: list[Pattern]
    times: Times
    judged: dict[tuple[str, int], Judged]  # by method and pattern
    searches: dict[tuple[str, str], tuple[float, int]]  # algorithm, step -> ns, searches
    seconds: list[dict[str, Seconds]]  # by pattern: how the learned position did, kept in each way


def run(
    data: Path,
    *,
    site_limit: int | None = None,
    rounds: int = ROUNDS,
    tick: Callable[[str, int], None] = lambda site, sites: None,
) -> Run:
    """Time every way on every chosen element. `tick(site, sites)` is called before each site. Raises BadInput."""
    sites = load_sites(data, limit=site_limit)
    done = Run(sites, [], Times(), {}, {}, [])
    methods, parsers = paper_methods(), installed_parsers()
    for site in sites:
        tick(site.name, len(sites))
        patterns = choose_patterns(site)
        numbered = list(enumerate(patterns, start=len(done.patterns)))
        done.patterns += patterns
        for number in range(rounds if patterns else 0):
            for unit in _rotate([*methods, *parsers], number):
                if isinstance(unit, Method):
                    _time_method(done.times, unit, site, numbered)
                elif number == 0 or not unit.slow:
                    time_parser(done.times, unit, site.name, site.bodies, {i: p.wanted for i, p in numbered})
        for index, pattern in numbered:
            for method in methods:
                done.judged[method.name, index] = _judge(method.make(pattern), site, pattern)
        for pattern in patterns:
            done.seconds.append({name: count_seconds(pattern, site.bodies, way) for name, way in POSITIONS.items()})
            _time_searches(done, site, pattern)
    return done


def _rotate(units: Sequence[Any], number: int) -> list[Any]:
    """Begin with another unit in every round, so that no way always follows the same."""
    first = number * 5 % len(units)
    return [*units[first:], *units[:first]]


def sweep(extract: Extract, bodies: Sequence[bytes]) -> int:
    """Return the CPU time of one pass over the pages, in nanoseconds; nobody else's garbage is collected meanwhile."""
    gc.disable()
    start = time.process_time_ns()
    for body in bodies:
        extract(body)
    ns = time.process_time_ns() - start
    gc.enable()
    return ns


def _time_method(times: Times, method: Method, site: SitePages, patterns: list[tuple[int, Pattern]]) -> None:
    parts = {FIRST: site.bodies[:LEARNED_PAGES], REST: site.bodies[LEARNED_PAGES:]}
    for index, pattern in patterns:
        extract = method.make(pattern)  # what it learns on the first pages serves on the rest
        for part, bodies in parts.items():
            if bodies:
                times.keep(Key(method.name, part, index, site.name), len(bodies), sweep(extract, bodies))


def time_parser(times: Times, parser: Parser, place: str, bodies: Sequence[bytes], wanted: dict[int, Wanted]) -> None:
    """Time both steps of a parser on the pages of one place; `wanted` names the elements by number."""
    created, found = 0, dict.fromkeys(wanted, 0)
    for some in batch(bodies):
        start = time.process_time_ns()
        trees = [parser.parse(body) for body in some]
        created += time.process_time_ns() - start
        for index, element in wanted.items():
            start = time.process_time_ns()
            for tree in trees:
                parser.find(tree, element)
            found[index] += time.process_time_ns() - start
        start = time.process_time_ns()
        del trees  # taking a tree down is part of what it costs
        created += time.process_time_ns() - start
    times.keep(Key(parser.name, CREATE, -1, place), len(bodies), created)
    for index, ns in found.items():
        times.keep(Key(parser.name, FIND, index, place), len(bodies), ns)


def batch(bodies: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Yield the pages in groups whose trees may be held at once."""
    for start in range(0, len(bodies), TREES):
        yield bodies[start : start + TREES]


def _judge(extract: Extract, site: SitePages, pattern: Pattern) -> Judged:
    right = wrong = 0
    for body, text in zip(site.bodies, pattern.texts, strict=True):
        found = text_found(extract(body), pattern.wanted.name)
        right += found == text
        wrong += found is not None and found != text
    return Judged(right, wrong, len(site.bodies))


@lru_cache(64)
def _text_of(html: str, name: str) -> str | None:
    node = LexborHTMLParser(html).css_first(name)
    return None if node is None else bare_text(node)


def text_found(result: list[str] | ByteCut, name: str) -> str | None:
    """Return the text of the one element that a way found, without white space; None where it found none or several."""
    if isinstance(result, ByteCut):
        return "".join(result.value.split()) or None
    return _text_of(result[0], name) if len(result) == 1 else None


def _time_searches(done: Run, site: SitePages, pattern: Pattern) -> None:
    """Time each search algorithm from the start of the page and from the best index: Table 6."""
    bodies = site.bodies[:SEARCH_PAGES]
    opening, index = pattern.rule.opening, pattern.rule.starting_position
    for algorithm in [*ALGORITHMS, *(_native(name) for name in NAMES)]:
        start = time.process_time_ns()
        for _ in bodies:
            table = algorithm.prepare(opening)
        prepared = time.process_time_ns() - start
        _add(done, algorithm.name, "prepare", prepared, len(bodies))
        for step, begin in (("from 0", 0), ("from index", index)):
            start = time.process_time_ns()
            for body in bodies:
                algorithm.search(table, body, begin)
            _add(done, algorithm.name, step, time.process_time_ns() - start, len(bodies))


def _native(name: str) -> Algorithm:
    find = search_by(name).find
    return Algorithm(name, lambda pattern: pattern, lambda pattern, body, start: find(body, pattern, start))


def _add(done: Run, name: str, step: str, ns: int, calls: int) -> None:
    before, count = done.searches.get((name, step), (0.0, 0))
    done.searches[name, step] = (before + ns, count + calls)
