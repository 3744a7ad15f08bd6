"""Score records, attributes and paging: page sets with ground truth come in, tables go out.

Three kinds of page set, told apart by their ground truth: lists (`gold` is a list of records with `title`, `leaves` and
`region`, the main one 0), ingredient lists (`gold.ingredients`) and attributes (`gold` maps names to values).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from bench.cut_tables import Cell, Table
from bench.folds import RECORDS, Folds
from bench.pages import find_sets, read_rows, set_name
from bench.record_scoring import Rows, count_attributes, count_records, match_records, title_column
from bench.site_names import site_of
from scythe.demo.scoring import Counts, rate
from scythe.errors import BadInput
from scythe.page import Page
from scythe.reading.lists.list_methods import ATTRIBUTE_METHODS, RECORD_METHODS, attribute_method, record_method
from scythe.reading.lists.paging import read_paging
from scythe.url import Url, absolute

LISTS, INGREDIENTS, ATTRIBUTES = "lists", "ingredients", "attributes"
SHOWN = 60  # regions among which the best one is looked for
FIRST = 3
FOUND = 0.6  # record F1 from which a region counts as the list that was looked for
_SCRIPT = re.compile(r"(?is)<script\b.*?</script>")
METHODS = tuple(dict.fromkeys((*RECORD_METHODS, *ATTRIBUTE_METHODS)))
Tick = Callable[[str, str, int], None]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page of a set and what it lists."""

    url: str | None
    html: str
    kind: str
    records: tuple[tuple[str, ...], ...] = ()  # texts of each true record
    titles: tuple[str, ...] = ()
    regions: tuple[int, ...] = ()  # of each record, 0 for the main one
    plain: bool = True  # the records are siblings of one class
    paging_css: Mapping[str, str] | None = None
    attributes: Mapping[str, tuple[str, ...]] | None = None
    site: str = ""  # as `site_of` names it


@dataclass(frozen=True, slots=True)
class ListOutcome:
    """What one method found on one page of lists."""

    first: float  # record F1 of the region ranked first
    best: float  # of the best region
    rank: int | None  # of the first region that is the list looked for, from 0
    page: Counts  # all records of the page
    title: float | None
    plain: bool
    cpu_s: float


def run(
    data: Path,
    *,
    methods: Sequence[str] = ("auto",),
    limit: int | None = None,
    folds: Folds | None = None,
    tick: Tick | None = None,
) -> list[Table]:
    """Score the methods on every set at `data`. Raises BadInput when a name or `data` is wrong.

    With `folds` the regions of each site are ranked, by `auto`, with a forest that has not seen it.
    """
    if folds is not None:
        folds.need(RECORDS)
    if unknown := set(methods) - {*RECORD_METHODS, *ATTRIBUTE_METHODS}:
        raise BadInput(f"no method is called {', '.join(sorted(unknown))}; known are {', '.join(METHODS)}")
    tables: list[Table] = []
    for path in find_sets(data, "records"):
        sheets = list(read_rows(path, _sheet))
        sheets = [sheet for sheet in sheets if sheet.kind != INGREDIENTS or len(sheet.records) >= FIRST][:limit]
        tables += _tables(set_name(path), sheets, methods, folds, tick or (lambda page_set, method, pages: None))
    return tables


def _tables(
    name: str, sheets: Sequence[Sheet], methods: Sequence[str], folds: Folds | None, tick: Tick
) -> Iterator[Table]:
    if not sheets:
        return
    if sheets[0].kind == ATTRIBUTES:
        known = [method for method in methods if method in ATTRIBUTE_METHODS]
        yield from (_attribute_table(name, sheets, method, tick) for method in known)
        return
    outcomes: dict[str, list[ListOutcome]] = {}
    for method in methods:
        for sheet in sheets if method in RECORD_METHODS else ():
            outcomes.setdefault(method, []).append(_try_lists(sheet, method, folds))
            tick(name, method, len(sheets))
    yield _list_table(name, outcomes)
    if any(sheet.paging_css for sheet in sheets):
        yield _paging_table(name, sheets)


def _sheet(row: dict[str, Any], place: str) -> Sheet:
    return replace(_known(row), site=site_of(str(row.get("url") or ""), str(row.get("site") or ""), place))


def _known(row: dict[str, Any]) -> Sheet:
    url, html, gold = row.get("url") or None, str(row["html"]), row["gold"]
    if isinstance(gold, list):
        return Sheet(
            url,
            html,
            LISTS,
            records=tuple(tuple(map(str, one["leaves"])) for one in gold),
            titles=tuple(str(one["title"]) for one in gold),
            regions=tuple(int(one["region"]) for one in gold),
            plain=bool(row.get("plain_siblings", True)),
            paging_css=row.get("paging_css"),
        )
    if not isinstance(gold, dict):
        raise TypeError(f"gold is {type(gold).__name__}, expected records or attributes")
    if isinstance(gold.get("ingredients"), list):  # from the markup alone: scripts state the list as data
        items = tuple(str(item) for item in gold["ingredients"])
        return Sheet(
            url, _SCRIPT.sub("", html), INGREDIENTS, tuple((item,) for item in items), items, (0,) * len(items)
        )
    if "ingredients" in gold or "instructions" in gold:
        return Sheet(url, html, INGREDIENTS)
    skipped = ("InStock", "OutOfStock", "url", "currency")  # stated in other attributes
    values = {str(k): tuple(map(str, v)) for k, v in gold.items() if k not in skipped}
    return Sheet(url, html, ATTRIBUTES, attributes=values)


def _try_lists(sheet: Sheet, method: str, folds: Folds | None) -> ListOutcome:
    held_out = partial(folds.read_records, site=sheet.site) if folds is not None and method == "auto" else None
    start = time.process_time()
    regions = (held_out or record_method(method))(Page.from_text(sheet.html, url=sheet.url))
    cpu_s = time.process_time() - start
    found: list[Rows] = [[record.fields for record in region.records if any(record.fields)] for region in regions]
    found = [rows for rows in found if rows]
    main = [i for i, region in enumerate(sheet.regions) if region == 0]
    true = [sheet.records[i] for i in main]
    scores = [rate(count_records(rows, true)).f1 for rows in found[:SHOWN]]
    best = max(range(len(scores)), key=scores.__getitem__, default=-1)
    title = None
    if best >= 0:
        title = title_column(found[best], match_records(found[best], true), [sheet.titles[i] for i in main])
    return ListOutcome(
        first=scores[0] if scores else 0.0,
        best=scores[best] if scores else 0.0,
        rank=next((i for i, score in enumerate(scores) if score >= FOUND), None),
        page=count_records([record for rows in found for record in rows], sheet.records),
        title=title,
        plain=sheet.plain,
        cpu_s=cpu_s,
    )


def _list_table(name: str, outcomes: Mapping[str, Sequence[ListOutcome]]) -> Table:
    columns = (
        "method",
        "first",
        "first, hard",
        "best",
        f"in first {FIRST}",
        "page P",
        "page R",
        "page F1",
        "title column",
    )
    rows: list[tuple[Cell, ...]] = []
    for method, pages in outcomes.items():
        rates = [rate(page.page) for page in pages]
        hard = [page.first for page in pages if not page.plain]
        titles = [page.title for page in pages if page.title is not None]
        early = fmean(page.rank is not None and page.rank < FIRST for page in pages)
        cells: list[Cell] = [method, fmean(page.first for page in pages), fmean(hard) if hard else None]
        cells += [fmean(page.best for page in pages), early, fmean(r.precision for r in rates)]
        cells += [fmean(r.recall for r in rates), fmean(r.f1 for r in rates), fmean(titles) if titles else None]
        rows.append((*cells, 1e3 * median(page.cpu_s for page in pages)))
    number = len(next(iter(outcomes.values()), ()))
    return Table(name, f"records, {number} pages, means of record F1 over pages", (*columns, "cpu-ms"), tuple(rows))


def _attribute_table(name: str, sheets: Sequence[Sheet], method: str, tick: Tick) -> Table:
    read, counts, times = attribute_method(method), dict[str, Counts](), []
    for sheet in sheets:
        start = time.process_time()
        pairs = read(Page.from_text(sheet.html, url=sheet.url))
        times.append(time.process_time() - start)
        for attribute, counted in count_attributes(pairs, sheet.attributes or {}).items():
            counts[attribute] = counts.get(attribute, Counts()) + counted
        tick(name, method, len(sheets))
    rows = [(attribute, *_figures(counted)) for attribute, counted in sorted(counts.items())]
    rows.append(("all together", *_figures(sum(counts.values(), Counts()))))
    title = f"attributes by {method}, {len(sheets)} pages, {1e3 * median(times):.1f} ms of CPU each"
    return Table(name, title, ("attribute", "P", "R", "F1", "true"), tuple(rows))


def _figures(counts: Counts) -> tuple[Cell, ...]:
    rates = rate(counts)
    return rates.precision, rates.recall, rates.f1, counts.hits + counts.missed


def _paging_table(name: str, sheets: Sequence[Sheet]) -> Table:
    have = right = said_without = without = 0
    for sheet in sheets:
        page = Page.from_text(sheet.html, url=sheet.url)
        true, said = next_links(page, (sheet.paging_css or {}).get("NEXT", "")), read_paging(page).next
        have += bool(true)
        right += said in true
        without += not true
        said_without += not true and said is not None
    row = (have, right, right / have if have else None, without, said_without)
    columns = ("next links", "found", "share", "pages without", "said all the same")
    return Table(name, "paging", ("", *columns), (("next", *row),))


def next_links(page: Page, css: str) -> set[Url]:
    """Return the addresses of the links that the elements chosen by a selector are, stand in or hold."""
    found: set[Url] = set()
    for node in LexborHTMLParser(page.html).css(css) if css else ():
        above: LexborNode | None = node
        while above is not None and above.tag != "a":
            above = above.parent
        link = above if above is not None else node.css_first("a")
        href = (link.attributes.get("href") or "") if link is not None else ""
        if link is not None and href.startswith("javascript:"):
            href = link.attributes.get("data-href") or ""
        if url := absolute(href, page.base) if href else None:
            found.add(url)
    return found
