"""Find the next, previous and numbered pages of a list.

Every candidate link collects points for its words, names, position and the way its URL differs from the page's; the
best above a threshold wins. Points are set by hand: docs/why/lists.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from scythe.model import Paging
from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.reading.lists.page_numbers import (
    ARROWS,
    NumberStep,
    PagingLabel,
    compare,
    is_same,
    known_words,
    leads_to_comments,
    read_label,
    read_names,
    speaking_names,
    split_address,
)
from scythe.url import Url, absolute

if TYPE_CHECKING:
    from scythe.page.map import Node

_MOST_LINKS = 400  # looked at closely, half of them from the end; a page has some ten
_MOST_ICONS = 300  # links without text whose attributes are read
_LABEL_CHARS = 60
_LABEL_LEAVES = 3
_LEVELS = 4  # elements above a link whose names are read
_WIDE = 60  # leaves: an element with more is no pager
_PUNCTUATION = ".,:;!…()[]|-–—·•\"'"
_UNSPACED = "\u0e00"  # scripts from Thai on: words are not found by splitting
# where authors put the address that a script fetches; the first ones say themselves that it is the next page's
_NEXT_DATA = ("data-next-url", "data-next-page-url", "data-next", "data-next-page", "data-nexturl", "data-next-href")
DATA_URLS = (*_NEXT_DATA, "data-href", "data-url", "data-link", "data-load-more-url", "data-ajax-url", "hx-get")
_NO_LINK = ("#", "javascript:")


@dataclass(frozen=True, slots=True)
class PageLink:
    """One link that may lead to another page of the list, with what speaks for it."""

    row: int  # -1 for a link of the head
    url: Url
    text: str
    label: PagingLabel  # what its text says
    said: PagingLabel  # of its title, aria-label or picture
    rel: str  # next, prev or empty
    ahead: float  # how much its names and those just around it say next
    behind: float
    more: bool  # named as what loads more
    pager: bool
    turning: bool
    single: bool
    step: NumberStep | None
    pressed: bool = False  # fetched by script on a click, not a link to follow


def gather_links(page: Page, own: str) -> list[PageLink]:
    """Return the links whose words, names or relation speak of paging, in page order."""
    elements = page.elements
    speaking = speaking_names(elements.names)
    rows = list(_speaking_rows(elements, speaking))
    if len(rows) > _MOST_LINKS:
        rows = rows[: _MOST_LINKS // 2] + rows[-_MOST_LINKS // 2 :]
    links = [link for row in rows if (link := describe_link(page, row, own)) is not None]
    return _head_links(page, own) + links + _pressed_links(page, own, speaking)


def _speaking_rows(elements: Elements, speaking: Set[str]) -> Iterator[int]:
    """Yield the rows of links that are worth a closer look."""
    starts, ends, texts = elements.leaf_start, elements.leaf_end, elements.text
    names, parents, known = elements.names, elements.parent, known_words()
    icons = 0
    for row in elements.href:
        start, count = starts[row], ends[row] - starts[row]
        if count > _LABEL_LEAVES:
            continue
        named = names[row] in speaking or names[parents[row]] in speaking
        if count == 0:
            icons += 1
            if icons <= _MOST_ICONS and (named or _icon_speaks(elements, row, speaking)):
                yield row
            continue
        text = texts[start] if count == 1 else " ".join(texts[start : start + count])
        if len(text) <= _LABEL_CHARS and (named or _may_speak(text, known)):
            yield row


def _may_speak(text: str, known: frozenset[str]) -> bool:
    if text[0] in ARROWS or text[-1] in ARROWS:
        return True
    if text[0] >= _UNSPACED:
        return read_label(text).says != ""
    words = text.casefold().split()
    return (
        not known.isdisjoint(words) or words[0].strip(_PUNCTUATION) in known or words[-1].strip(_PUNCTUATION) in known
    )


def _icon_speaks(elements: Elements, row: int, speaking: Set[str]) -> bool:
    if not speaking.isdisjoint(elements.names[row : min(elements.end[row], row + 4)]):
        return True
    if read_label(_said(elements, row)).says in ("next", "previous", "more"):
        return True
    return bool(_relation(elements.node[row].attributes.get("rel")))


def _relation(rel: str | None) -> str:
    """Return `next`, `prev` or nothing for a `rel` attribute."""
    words = (rel or "").lower().split()
    return "next" if "next" in words else "prev" if "prev" in words or "previous" in words else ""


def _said(elements: Elements, row: int) -> str:
    """Return what a link says beside its text: its title, its label or that of its picture."""
    attributes = elements.node[row].attributes
    said = attributes.get("aria-label") or attributes.get("title") or ""
    for inside in range(row + 1, min(elements.end[row], row + 4)):
        if said:
            break
        attributes = elements.node[inside].attributes
        said = attributes.get("alt") or attributes.get("title") or attributes.get("aria-label") or ""
        said = said or _said_by_file(attributes.get("src") or "")
    # "Next Page - Results 31 to 60 of 1,929": what follows the dash is not about where it leads
    return said.strip()[:200].partition(" - ")[0].partition(", ")[0].partition(": ")[0]


def _said_by_file(src: str) -> str:
    """Return what the file name of a picture says, such as `btn-next.gif`."""
    named = read_names(src[-_LABEL_CHARS:].rpartition("/")[2].partition(".")[0])
    return "next" if named.next else "previous" if named.previous else ""


def describe_link(page: Page, row: int, own: str) -> PageLink | None:
    """Collect what speaks for one link; None where it leads nowhere else."""
    elements = page.elements
    attributes = elements.node[row].attributes
    url, pressed = link_address(attributes, page.base, elements.href.get(row, ""))
    if url is None or not is_other_page(own, url):
        return None
    start, end = elements.leaf_start[row], elements.leaf_end[row]
    text = " ".join(elements.text[start : min(end, start + 8)])
    inner = [read_names(elements.names[i]) for i in range(row, min(elements.end[row], row + 4))]
    outer = read_names(elements.names[elements.parent[row]])
    above = context_of(elements, row)
    return PageLink(
        row,
        url,
        text,
        read_label(text),
        read_label(_said(elements, row)),
        _relation(attributes.get("rel")),
        2.0 if any(one.next for one in inner) else 1.5 if outer.next else 0.0,
        2.0 if any(one.previous for one in inner) else 1.5 if outer.previous else 0.0,
        outer.more or any(one.more for one in inner),
        above[0] or any(one.pager for one in inner),
        above[1],
        above[2] or any(one.single for one in inner),
        compare(own, url) if own else None,
        pressed,
    )


def is_other_page(own: str, url: str) -> bool:
    """Tell whether an address may be that of another page of the same list."""
    if leads_to_comments(url):
        return False
    return not own or (not is_same(own, url) and split_address(own).host == split_address(url).host)


def link_address(attributes: dict[str, str | None], base: str | None, href: str) -> tuple[Url | None, bool]:
    """Return where a link leads, and whether only a script knows how to go there."""
    href = href.strip()
    if href and not href.lower().startswith(_NO_LINK):
        return absolute(href, base), False
    for name in DATA_URLS:
        value = attributes.get(name)
        if value and (url := absolute(value, base)) is not None and ("/" in value or "?" in value):
            return url, True
    return None, False


def context_of(elements: Elements, row: int) -> tuple[bool, bool, bool]:
    """Tell whether what lies around a link is named as a pager, as something that turns, as steps between articles."""
    pager = turning = single = False
    for _ in range(_LEVELS):
        row = elements.parent[row]
        if row < 0 or elements.tag[row] in ("body", "html", "main"):
            break
        named = read_names(elements.names[row])
        turning, single = turning or named.turning, single or named.single
        if elements.leaf_end[row] - elements.leaf_start[row] > _WIDE:
            break
        pager = pager or named.pager
    return pager, turning, single


def _head_links(page: Page, own: str) -> list[PageLink]:
    """Take the relations that the head states; articles state theirs as well, so an address must look like a page's."""
    links = []
    for relation, href in page.head.links:
        rel = _relation(relation)
        url = absolute(href, page.base) if rel else None
        if url is None or not is_other_page(own, url):
            continue
        step = compare(own, url) if own else None
        links.append(PageLink(-1, url, "", _SILENT, _SILENT, rel, 0.0, 0.0, False, False, False, False, step))
    return links[:4]


_SILENT = PagingLabel("")


def _pressed_links(page: Page, own: str, speaking: Set[str]) -> list[PageLink]:
    """Find the addresses that buttons and lists hand to scripts."""
    elements = page.elements
    ahead = {names for names in speaking if (named := read_names(names)).more or named.next}
    nodes = [
        elements.node[row]
        for row, (tag, names) in enumerate(zip(elements.tag, elements.names, strict=True))
        if tag == "button" or (names in ahead and tag != "a")
    ][:_MOST_ICONS]
    if page.mentions("data-next"):
        found = {node.mem_id: node for name in _NEXT_DATA for node in page.map.having(name) if node.tag != "a"}
        nodes += [node for _, node in sorted(found.items())][:_MOST_ICONS]
    return [link for node in nodes if (link := _pressed_link(page, node, own)) is not None]


def _pressed_link(page: Page, node: Node, own: str) -> PageLink | None:
    attributes = node.attributes
    url, _ = link_address(attributes, page.base, "")
    if url is None or not is_other_page(own, url):
        return None
    named = read_names(f"{attributes.get('class') or ''} {attributes.get('id') or ''}")
    text = " ".join((node.text(deep=True) or "")[:200].split())
    label = read_label(text)
    said = read_label((attributes.get("aria-label") or attributes.get("title") or "")[:100])
    ahead = 2.0 if named.next or any(name in attributes for name in _NEXT_DATA) else 0.0
    step = compare(own, url) if own else None
    if not (ahead or named.more or label.says in ("next", "more") or said.says in ("next", "more")):
        return None
    return PageLink(
        -1, url, text, label, said, "", ahead, 0.0, named.more, named.pager, named.turning, named.single, step, True
    )


_MOST_NUMBERS = 1_000  # half of them from the end of the page
_MOST_RUNS = 100
_AROUND = "[](){}.,|-–—·•: \u00a0"
_GAP = 3  # leaves between two numbers of a run: dots, bars, arrows
_GAP_CHARS = 12
_NUMBER_RUNS_LEVELS = 3  # elements between a number and its link


@dataclass(frozen=True, slots=True)
class NumberLink:
    """One number of a run."""

    number: int
    url: Url | None
    marked: bool  # named as the page that is shown


@dataclass(frozen=True, slots=True)
class NumberRun:
    """Rising numbers that stand close together."""

    entries: tuple[NumberLink, ...]
    current: int | None  # the number of the page that is shown, where the run tells
    own: bool  # its addresses are the page's own but for a page number
    pager: bool

    def address_of(self, number: int) -> Url | None:
        """Return where a number leads."""
        return next((entry.url for entry in self.entries if entry.number == number), None)


def find_runs(page: Page, own: str) -> list[NumberRun]:
    """Return the runs whose addresses change with their numbers, in page order."""
    runs = []
    for leaves in _rising(page.elements)[:_MOST_RUNS]:
        run = _read_run(page, leaves, own)
        if run is not None:
            runs.append(run)
    return runs


def _rising(elements: Elements) -> list[list[tuple[int, int]]]:
    """Group leaves that are whole numbers: (leaf, number), rising, with little between them."""
    texts = elements.text
    found = []
    for leaf, text in enumerate(texts):
        if len(text) <= 8:
            text = text.strip(_AROUND)
            if text.isdecimal() and len(text) <= 5:
                found.append((leaf, int(text)))
    if len(found) > _MOST_NUMBERS:
        found = found[: _MOST_NUMBERS // 2] + found[-_MOST_NUMBERS // 2 :]
    groups: list[list[tuple[int, int]]] = []
    last = (-1_000, -1)
    for leaf, number in found:
        between = texts[last[0] + 1 : leaf] if leaf - last[0] <= _GAP else None
        if between is None or number <= last[1] or any(len(text) > _GAP_CHARS for text in between):
            groups.append([])
        groups[-1].append((leaf, number))
        last = (leaf, number)
    return [group for group in groups if len(group) > 1]


def _read_run(page: Page, leaves: list[tuple[int, int]], own: str) -> NumberRun | None:
    elements = page.elements
    pager, turning, _ = context_of(elements, elements.leaf_row[leaves[0][0]])
    if turning or (not pager and not _leads_on(page, leaves, own)):
        return None  # most runs are those of something else, and end here
    places = [_link_above(elements, elements.leaf_row[leaf]) for leaf, _ in leaves]
    rows = [row if row >= 0 else elements.leaf_row[leaf] for (leaf, _), (row, _) in zip(leaves, places, strict=True)]
    entries = [
        NumberLink(number, _address(page, row) if row >= 0 else None, marked)
        for (_, number), (row, marked) in zip(leaves, places, strict=True)
    ]
    linked = [entry for entry in entries if entry.url and is_other_page(own, entry.url)]
    steps = [compare(own, entry.url) for entry in linked if entry.url] if own else []
    of_own = bool(steps) and all(step is not None and (step.exact or step.named) for step in steps)
    if not linked or (not of_own and not (pager and _change_together(linked))):
        return None
    if _is_calendar(elements, rows, entries) or not _counts(linked, entries, steps):
        return None
    exact = bool(steps) and all(step is not None and step.exact for step in steps)
    named = pager or all(step is not None and step.named for step in steps)
    return NumberRun(tuple(entries), _current(entries, own if exact else "", named), exact, pager)


def _leads_on(page: Page, leaves: list[tuple[int, int]], own: str) -> bool:
    """Tell whether the first or last number leads to a page of the page's own list."""
    for leaf in (leaves[-1][0], leaves[0][0]):
        row, _ = _link_above(page.elements, page.elements.leaf_row[leaf])
        url = _address(page, row) if row >= 0 else None
        if url and own and compare(own, url):
            return True
    return False


def _address(page: Page, row: int) -> Url | None:
    elements = page.elements
    return link_address(elements.node[row].attributes, page.base, elements.href.get(row, ""))[0]


def _link_above(elements: Elements, row: int) -> tuple[int, bool]:
    """Return the link around a leaf (-1: none), and whether it is marked as the page that is shown."""
    marked, link = False, -1
    for level in range(_NUMBER_RUNS_LEVELS):
        if row < 0 or elements.leaf_end[row] - elements.leaf_start[row] > 2:
            break
        named = read_names(elements.names[row])
        marked = marked or named.current
        if elements.tag[row] == "a":
            link = row
        if not marked and level == 0:
            marked = (elements.node[row].attributes.get("aria-current") or "false") != "false"
        row = elements.parent[row]
    return link, marked


def _change_together(linked: list[NumberLink]) -> bool:
    """Tell whether the addresses differ from each other in one number only."""
    for one, other in pairwise(linked):
        step = compare(one.url or "", other.url or "")
        if step is None or not step.exact:
            return False
    return len(linked) > 1


def _counts(linked: list[NumberLink], entries: list[NumberLink], steps: list[NumberStep | None]) -> bool:
    """Tell whether addresses rise evenly with numbers that follow each other; those of how many to show do not."""
    numbers = {entry.number for entry in entries}
    if min(numbers) > 2 and not any(number + 1 in numbers for number in numbers):
        return False
    places = [
        (entry.number, step.after)
        for entry, step in zip(linked, steps, strict=False)
        if step is not None and step.after is not None
    ]
    rises = {(after - before) / (to - at) for (at, before), (to, after) in pairwise(places)}
    # the first page may have a number of its own, which the others do not count from
    return len(rises) < 3 and all(rise >= 1 for rise in rises)


def _is_calendar(elements: Elements, rows: list[int], entries: list[NumberLink]) -> bool:
    """Tell days of a month and years of an archive from pages."""
    if all(1900 <= entry.number <= 2100 for entry in entries):
        return True
    cells = sum(elements.tag[elements.parent[row]] == "td" or elements.tag[row] == "td" for row in rows)
    return len(entries) > 7 and cells > len(entries) * 0.9 and entries[-1].number <= 31 and entries[-1].number >= 28


def _current(entries: list[NumberLink], own: str, named: bool) -> int | None:
    """Return the number of the page that is shown: the marked one, the one without a link, or the own address's."""
    marked = [entry.number for entry in entries if entry.marked]
    if len(marked) == 1:
        return marked[0]
    bare = [entry.number for entry in entries if entry.url is None or (own and is_same(own, entry.url))]
    if len(bare) == 1:
        return bare[0]
    if bare or not own:
        return None
    for entry in entries:
        step = compare(own, entry.url or "")
        if step is not None and step.before == entry.number:
            return entry.number
    return 1 if named and entries[0].number == 2 else None


_BAR = 5.0
_MOST_PAGES = 1_000
_SAYS_NEXT = {"next": 4.0, "forward": 2.0}
_SAYS_PREVIOUS = {"previous": 4.0, "backward": 2.0}


@dataclass(frozen=True, slots=True)
class _Vote:
    """What a link amounts to: points for being the next page, the previous one, or what loads more."""

    link: PageLink
    next: float
    previous: float
    more: float


def read_paging(page: Page) -> Paging:
    """Return the other pages of the list that a page is part of; all empty where there are none."""
    own = str(page.url or page.metadata.canonical or "")
    links = gather_links(page, own)
    runs = find_runs(page, own)
    run = max(runs, key=_run_points, default=None)
    strewn = _strewn_texts(links)
    votes = [_vote(link, run, link.text in strewn) for link in links]
    following = _best(votes, "next") or _by_number(run, 1, own)
    before = _best(votes, "previous") or _by_number(run, -1, own)
    more = _best(votes, "more")
    if before == following:
        before = None
    return Paging(following, before, _numbered(runs, run, page.url), more)


def _run_points(run: NumberRun) -> tuple[bool, bool, bool, int]:
    return run.own, run.current is not None, run.pager, len(run.entries)


def _strewn_texts(links: list[PageLink]) -> frozenset[str]:
    """Return texts that lead to many places: 'more' under every teaser, arrows beside every headline."""
    places: dict[str, set[Url]] = defaultdict(set)
    for link in links:
        if link.row >= 0 and link.text:
            places[link.text].add(link.url)
    return frozenset(text for text, urls in places.items() if len(urls) > 2)


def _vote(link: PageLink, run: NumberRun | None, strewn: bool) -> _Vote:
    ahead, behind = _directions(link)
    support = 2.0 * link.pager + _address_points(link) - 5.0 * link.turning
    if link.step is None:
        support -= 4.0 * link.single
    if strewn and not (link.step and link.step.exact):
        support -= 4.0
    if "thing" in (link.label.says, link.said.says) and not (link.step and link.step.exact):
        support -= 4.0
    if "end" in (link.label.says, link.said.says) and not link.rel:
        support -= 6.0
    support += _run_support(link, run)
    more = 1.5 * (link.label.says == "more") + 1.5 * (link.said.says == "more") + 1.5 * link.more + 1.0 * link.pressed
    if more >= 1.5 and _goes(link.step) > 0 and not link.pressed:
        ahead += more
    if _goes(link.step) <= 0 and not (link.pressed and link.ahead):
        more = 0.0
    return _Vote(
        link,
        ahead + support if ahead > behind else 0.0,
        behind + support if behind > ahead else 0.0,
        more + support if more >= 1.5 else 0.0,
    )


def _directions(link: PageLink) -> tuple[float, float]:
    """Return what words, names, relation and page number say for the next page and for the previous one."""
    whole = 0.5 if not link.label.whole else 1.25 if link.label.phrase else 1.0
    ahead = max(_SAYS_NEXT.get(link.label.says, 0.0) * whole, 0.75 * _SAYS_NEXT.get(link.said.says, 0.0)) + link.ahead
    behind = max(_SAYS_PREVIOUS.get(link.label.says, 0.0) * whole, 0.75 * _SAYS_PREVIOUS.get(link.said.says, 0.0))
    behind += link.behind
    ahead += 3.0 * (link.rel == "next")
    behind += 3.0 * (link.rel == "prev")
    goes = _goes(link.step)
    if goes and link.step is not None and link.step.exact and (ahead or behind):
        # blogs call the second page previous or older, the number knows
        either = max(ahead, behind)
        return (either, 0.0) if goes > 0 else (0.0, either)
    return ahead, behind


def _goes(step: NumberStep | None) -> int:
    """Return 1 for a later page, -1 for an earlier one, 0 where the address does not tell."""
    if step is None or (step.before is None and step.after is None):
        return 0
    after, before = step.after or 0, step.before or 0
    return (after > before) - (after < before)


def _address_points(link: PageLink) -> float:
    step = link.step
    if step is None:
        return -3.0
    if step.before is None and step.after == 0:
        return -6.0  # the page itself, counted from 0
    points = 1.0 * step.named + 1.0 * step.exact + 1.0
    if step.after is not None and abs(step.after - (step.before or 1)) == 1:
        points += 2.0
    return points


def _run_support(link: PageLink, run: NumberRun | None) -> float:
    """Agree with the numbers of the pager: its neighbours gain, its ends lose."""
    if run is None or run.current is None:
        return 0.0
    if link.url in (run.address_of(run.current + 1), run.address_of(run.current - 1)):
        return 2.0
    return -3.0 if any(entry.url == link.url for entry in run.entries) else 0.0


def _best(votes: list[_Vote], what: str) -> Url | None:
    best, most = None, _BAR
    for vote in votes:
        points = getattr(vote, what)
        if points >= most and (points > most or best is None):
            best, most = vote.link.url, points
    return best


def _by_number(run: NumberRun | None, offset: int, own: str) -> Url | None:
    if run is None or run.current is None or not (run.own or run.pager):
        return None
    url = run.address_of(run.current + offset)
    return None if url is None or not is_other_page(own, url) else url


def _numbered(runs: list[NumberRun], best: NumberRun | None, own: Url | None) -> tuple[tuple[int, Url], ...]:
    if best is None:
        return ()
    pages = {entry.number: entry.url for entry in best.entries if entry.url}
    if own and best.current is not None:
        pages[best.current] = own
    return tuple(sorted(pages.items()))[:_MOST_PAGES]
