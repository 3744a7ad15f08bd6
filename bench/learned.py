"""Time what scythe itself does on a learned site: pages come in, CPU times of cutter, parsers and whole pages go out.

Each site is learned from ten pages spread over it, by example where the page set has values, and the other pages are
swept by every way alike: fields one by one, all fields at once, and whole pages against tools that read them cold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from bench.cut import CREATE, FIND, Key, Times, sweep, time_parser
from bench.parsers import Parser, Wanted, installed_parsers, read_wanted
from bench.peers import installed, peer
from bench.sites import SitePages
from scythe.demo.scoring import compare, cut_tokens, rate
from scythe.page.map import PageMap
from scythe.reader import read
from scythe.site.byte_rules import CUT, DOUBT, ByteCutter, learn_bytes, learn_field_bytes
from scythe.site.learn_values import learn_values
from scythe.site.select import Selector, matches
from scythe.site.site import Site
from scythe.site.value_places import ELEMENT, is_keyed
from scythe.site.value_rules import CutValue, ValueRules, ValueWay, cut_values

LEARN_PAGES = 10
STABLE = ("class", "itemprop", "property", "name")  # attributes that are the same on every page of a layout
LOCAL = "cutter"
TOGETHER = "cutter, fields together"  # one map of the page, all fields by their rules
BYTES = "cutter, bytes"  # the element as it stands in the page, as parsers serialise it; no text is made of it
WAYS = (BYTES, LOCAL, TOGETHER)
HELD = 0.7  # of the words of a page's text: an element that holds so many is its body


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
        chosen = spread(len(pages.bodies))
        rest = [i for i in range(len(pages.bodies)) if i not in chosen]
        _time_fields(done, pages, chosen, [pages.bodies[i] for i in rest], parsers, rounds)
        if not any(pages.gold):  # else nobody learns the text
            _time_pages(done, pages, learn_site(pages), rest, rounds)
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


@dataclass(frozen=True, slots=True)
class CutField:
    """A field with its cutter for bare bytes and, for values, its rules for the map."""

    size: str
    cutter: ByteCutter
    rules: ValueRules | None = None


def _learn_fields(pages: SitePages, chosen: Sequence[int]) -> list[CutField]:
    """Learn the values that are known of the chosen pages, or else the element around their text."""
    maps = [PageMap(pages.bodies[i]) for i in chosen]
    if any(pages.gold):
        found = [(rules, learn_field_bytes(maps, rules)) for rules in learn_values(maps, _gold(pages, chosen)).fields]
        return [CutField("value", ByteCutter(rule), rules) for rules, rule in found if rule is not None]
    keys = Counter(key for page in maps for key in _keys_of_bodies(page))
    for key, _ in keys.most_common(3):
        found_rows = [matches(page, Selector(key=key)) for page in maps]
        rule = learn_bytes(maps, [int(rows[0]) if len(rows) else -1 for rows in found_rows], ValueWay(ELEMENT, ()))
        if rule is not None:
            return [CutField("body", ByteCutter(rule))]
    return []


def _gold(pages: SitePages, chosen: Sequence[int]) -> list[dict[str, list[str]] | None]:
    return [pages.gold[i] or None for i in chosen]


def _keys_of_bodies(page: PageMap) -> list[int]:
    """Return the keys of the elements with a name of their own that hold most of a page's text."""
    words = cut_tokens(read(page.source).text)
    rows = [row for row in range(len(page)) if is_keyed(page, row) and page.tags[page.tag[row]] not in ("body", "html")]
    held = [row for row in rows if words and rate(compare(cut_tokens(page.text(row)), words)).f1 >= HELD]
    return [int(page.key[row]) for row in held]


def _time_fields(
    done: LearnedRun, pages: SitePages, chosen: Sequence[int], bodies: list[bytes], parsers: list[Parser], rounds: int
) -> None:
    fields = _learn_fields(pages, chosen)
    first = len(done.fields)
    done.fields += [_describe(pages.name, index, one, bodies) for index, one in enumerate(fields)]
    numbered = list(enumerate(done.fields[first:], start=first))
    for _ in range(rounds if numbered else 0):
        for number, one in numbered:
            cutter = fields[one.index].cutter
            if one.bodies:
                for way, cut in ((LOCAL, cutter.cut), (BYTES, partial(_cut_bytes, cutter))):
                    done.times.keep(Key(way, FIND, number, one.place), len(one.bodies), sweep(cut, one.bodies))
        values = [(number, fields[one.index].rules) for number, one in numbered if one.size == "value"]
        if values:
            ns = sweep(partial(_cut_all, [rules for _, rules in values if rules is not None]), bodies)
            for number, _ in values:
                done.times.keep(Key(TOGETHER, FIND, number, f"{pages.name} 0"), len(bodies), ns // len(values))
        for parser in parsers:
            time_parser(done.times, parser, f"{pages.name} 0", bodies, {i: one.wanted for i, one in numbered})


def _describe(site: str, index: int, one: CutField, bodies: Sequence[bytes]) -> LearnedField:
    cuts = [one.cutter.cut(body) for body in bodies]
    spans = ((body, cut.span) for body, cut in zip(bodies, cuts, strict=True) if cut.span)
    wanted = next((_wanted(body, span) for body, span in spans), Wanted("h1", ()))
    sure = sum(cut.state != DOUBT for cut in cuts)
    taken = tuple(body for body, cut in zip(bodies, cuts, strict=True) if cut.state == CUT)
    return LearnedField(site, 0, index, one.size, wanted, taken, len(bodies), sure)


def _wanted(body: bytes, span: tuple[int, int]) -> Wanted:
    wanted = read_wanted(body[span[0] : body.find(b">", span[0]) + 1])
    return Wanted(wanted.name, tuple(pair for pair in wanted.attributes if pair[0] in STABLE))


def _cut_bytes(cutter: ByteCutter, body: bytes) -> bytes:
    span = cutter.find(body)
    return body[span[0] : span[1]] if span is not None else b""


def _cut_all(fields: Sequence[ValueRules], body: bytes) -> list[CutValue]:
    page = PageMap(body)
    return [cut_values(page, rules) for rules in fields]


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
