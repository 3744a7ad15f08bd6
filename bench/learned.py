"""Time what scythe itself does on a learned site: pages come in, CPU times of cutter, parsers and whole pages go out.

Each site is learned from ten pages spread over it, by example where the page set has values, and the other pages are
swept by every way alike: fields one by one, all fields at once, and whole pages against tools that read them cold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bench.cut import CREATE, FIND, Key, Times, sweep, time_parser
from bench.parsers import Parser, Wanted, installed_parsers, read_wanted
from bench.peers import installed, peer
from bench.sites import SitePages
from scythe.page.source import tag_end
from scythe.reader import read
from scythe.site.cut.cutter import Cutter, Dispatcher
from scythe.site.rules import FLOW, FieldRules, Layout
from scythe.site.site import Site

LEARN_PAGES = 10
STABLE = ("class", "itemprop", "property", "name")  # attributes that are the same on every page of a layout
LOCAL, THOROUGH = "cutter", "cutter, thorough"
TOGETHER, ALL_THOROUGH = "cutter, fields together", "cutter, thorough, fields together"
BYTES = "cutter, bytes"  # the element as it stands in the page, as parsers serialise it; no text is made of it
WAYS = (BYTES, LOCAL, TOGETHER, THOROUGH, ALL_THOROUGH)


@dataclass(frozen=True, slots=True)
class LearnedField:
    """One field of one layout and the pages it is to be cut from."""

    site: str
    layout: int
    index: int
    size: str  # body for flowing text, else value
    wanted: Wanted  # the element, for the parsers
    bodies: tuple[bytes, ...]  # pages on which the cutter has an answer: a doubt is quickly said
    pages: int  # of the layout
    sure: int  # pages on which the cutter has an answer or knows that there is none

    @property
    def place(self) -> str:
        """The layout the field belongs to."""
        return f"{self.site} {self.layout}"


@dataclass(slots=True)
class LearnedRun:
    """What was measured on learned sites."""

    fields: list[LearnedField] = field(default_factory=list)
    times: Times = field(default_factory=Times)
    parsers: list[str] = field(default_factory=list)
    page_ways: list[str] = field(default_factory=list)
    pages: dict[str, int] = field(default_factory=dict)  # site -> pages that were extracted whole
    categories: dict[str, str] = field(default_factory=dict)  # site -> category
    peers: tuple[str, ...] = ()  # that read whole pages too


def time_learned(
    sites: Sequence[SitePages],
    *,
    rounds: int,
    peers: Sequence[str] | None = None,
    tick: Callable[[str, int], None] = lambda site, sites: None,
) -> LearnedRun:
    """Learn every site and time its fields and its pages; without `peers` by all extractors that are installed."""
    done = LearnedRun(peers=installed() if peers is None else tuple(peers))
    parsers = [parser for parser in installed_parsers() if not parser.slow]
    done.parsers = [parser.name for parser in parsers]
    for pages in sites:
        tick(pages.name, len(sites))
        if len(pages.bodies) <= LEARN_PAGES:
            continue
        site = learn_site(pages)
        rest = [i for i in range(len(pages.bodies)) if i not in spread(len(pages.bodies))]
        for layout, bodies in _by_layout(site, [pages.bodies[i] for i in rest]).items():
            _time_layout(done, pages.name, layout, site.profile.layouts[layout], bodies, parsers, rounds)
        if not any(pages.gold):  # else nobody learned the text
            _time_pages(done, pages, site, rest, rounds)
    return done


def spread(pages: int) -> list[int]:
    """Return the numbers of the pages to learn from, spread over the site."""
    return [i * pages // LEARN_PAGES for i in range(LEARN_PAGES)]


def learn_site(pages: SitePages, chosen: Sequence[int] | None = None) -> Site:
    """Learn from some pages of a site, or from some spread over it; by example where values are known."""
    chosen = spread(len(pages.bodies)) if chosen is None else chosen
    given = [(pages.urls[i], pages.bodies[i]) for i in chosen]
    examples = [pages.gold[i] or None for i in chosen]
    return Site.learn(given, examples if any(examples) else None)


def _by_layout(site: Site, bodies: Sequence[bytes]) -> dict[int, list[bytes]]:
    dispatcher = Dispatcher(site.profile.layouts)
    groups: dict[int, list[bytes]] = {}
    for body in bodies:
        layout = dispatcher.pick(body)
        if layout is not None:
            groups.setdefault(layout, []).append(body)
    return groups


def _time_layout(
    done: LearnedRun, site: str, number: int, layout: Layout, bodies: list[bytes], parsers: list[Parser], rounds: int
) -> None:
    cutter = Cutter(layout)
    first = len(done.fields)
    for index, rules in enumerate(layout.fields):
        done.fields.append(_describe(site, number, index, rules, cutter, bodies))
    numbered = list(enumerate(done.fields[first:], start=first))
    for _ in range(rounds if numbered else 0):
        for way in WAYS:
            if way in (TOGETHER, ALL_THOROUGH):
                _time_together(done.times, way, layout, bodies, numbered)
            else:
                _time_way(done.times, way, cutter, numbered)
        for parser in parsers:
            time_parser(done.times, parser, f"{site} {number}", bodies, {i: one.wanted for i, one in numbered})


def _describe(
    site: str, number: int, index: int, rules: FieldRules, cutter: Cutter, bodies: Sequence[bytes]
) -> LearnedField:
    cuts = [cutter.cut_field(body, index) for body in bodies]
    spans = ((body, cut.span[0]) for body, cut in zip(bodies, cuts, strict=True) if cut.span)
    wanted = next((_wanted(body, start) for body, start in spans), Wanted("h1", ()))
    sure = sum(cut.state != "doubt" for cut in cuts)
    taken = tuple(body for body, cut in zip(bodies, cuts, strict=True) if cut.state == "cut")
    size = "body" if any(way.take == FLOW for way in rules.ways) else "value"
    return LearnedField(site, number, index, size, wanted, taken, len(bodies), sure)


def _wanted(body: bytes, start: int) -> Wanted:
    """Return the element that begins at an offset, or else the last before it."""
    at = start if body[start : start + 1] == b"<" else body.rfind(b"<", 0, start)
    wanted = read_wanted(body[at : tag_end(body, at)])
    return Wanted(wanted.name, tuple(pair for pair in wanted.attributes if pair[0] in STABLE))


def _time_way(times: Times, way: str, cutter: Cutter, fields: list[tuple[int, LearnedField]]) -> None:
    for number, one in fields:
        if one.bodies:
            cut: Callable[[bytes], object] = partial(cutter.cut_field, index=one.index, thorough=way == THOROUGH)
            if way == BYTES:
                cut = partial(_cut_bytes, cutter, one.index)
            times.keep(Key(way, FIND, number, one.place), len(one.bodies), sweep(cut, one.bodies))


def _cut_bytes(cutter: Cutter, index: int, body: bytes) -> bytes:
    span = cutter.find(body, index)
    return body[span[0] : span[1]] if span is not None else b""


def _time_together(
    times: Times, way: str, layout: Layout, bodies: Sequence[bytes], fields: list[tuple[int, LearnedField]]
) -> None:
    """Time values together and bodies together, so that neither pays for the other."""
    for size in ("value", "body"):
        some = [(number, one) for number, one in fields if one.size == size]
        if some:
            cutter = Cutter(replace(layout, fields=tuple(layout.fields[one.index] for _, one in some)))
            ns = sweep(partial(cutter.cut, thorough=way == ALL_THOROUGH), bodies)
            for number, one in some:
                times.keep(Key(way, FIND, number, one.place), len(bodies), ns // len(some))


def _time_pages(done: LearnedRun, pages: SitePages, site: Site, rest: list[int], rounds: int) -> None:
    """Time whole pages, text included: learned, by the tree, read cold, and by peers.

    Pages whose text is cut are kept apart from the others, which cost a tree and now and then learn something.
    """
    bodies = [pages.bodies[i] for i in rest]
    cut = [body for body in bodies if site.extract(body).fields["text"].how.startswith("cut")]
    _time_some_pages(done, f"{pages.name} cut", f"{pages.category}, text cut", site, cut, rounds)
    others = [body for body in bodies if body not in cut]
    _time_some_pages(done, f"{pages.name} other", f"{pages.category}, the others", site, others, rounds)


def _time_some_pages(
    done: LearnedRun, name_of_pages: str, category: str, site: Site, bodies: list[bytes], rounds: int
) -> None:
    if not bodies:
        return
    done.categories[name_of_pages] = category
    done.pages[name_of_pages] = len(bodies)
    ways: dict[str, Callable[[bytes], object]] = {
        "Site.extract": lambda body: site.extract(body).text,
        "Site.extract, via tree": lambda body: site.extract(body, via="tree").text,
        "scythe.read": lambda body: read(body).text,
    }
    ways |= {name: _peer(name) for name in done.peers}
    done.page_ways = list(ways)
    for number in range(rounds):
        for name, extract in ways.items():
            if number == 0 or name == "Site.extract":  # the others take milliseconds
                done.times.keep(Key(name, CREATE, -1, name_of_pages), len(bodies), sweep(extract, bodies))


def _peer(name: str) -> Callable[[bytes], object]:
    extract = peer(name)
    return lambda body: extract(body.decode("utf-8", "replace"), None)
