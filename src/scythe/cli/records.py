"""`scythe records`: write the records of pages, following lists over further pages.

These pages were not named by the user, so robots.txt is obeyed, with a delay.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from scythe.cli.console import USAGE, RunCounts, attempt, complain, say_lines, show_progress
from scythe.cli.options import ColumnNames, CsvSafe, Delay, InputsNamed, csv_cells, fetch_flags, option, verb
from scythe.cli.sinks import open_row_sink
from scythe.crawling.sample_site import LONGEST_DELAY_S, read_robots
from scythe.errors import BadInput
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import Input, LoadedPage, load
from scythe.fetch.page_check import sniff_bytes
from scythe.output.column_choice import ColumnChoice
from scythe.output.formats import ROWS, Writer, formats_of
from scythe.output.rows import RowBatch, Shape, attributes_batch, list_batch
from scythe.page import Page
from scythe.reader import read_lists
from scythe.reading.lists.list_methods import attribute_method, record_method

if TYPE_CHECKING:
    from scythe.fetch.robots import Robots


class Trail:
    """The pages of one list that were visited, and the way to the next."""

    def __init__(
        self, most: int, fetch: FetchOptions, *, delay_s: float, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._left, self._fetch, self._delay_s, self._sleep = most, fetch, delay_s, sleep
        self._seen: set[str] = set()
        self._rows: set[int] = set()
        self._robots: dict[tuple[str, str], Robots] = {}  # by scheme and authority, each of which has its own
        self.why = ""  # it ended

    def is_repeat(self, batches: tuple[RowBatch, ...]) -> bool:
        """Tell whether an earlier page of the list had the same rows: servers give their last page again and again."""
        key = hash(tuple(batch.rows for batch in batches))
        if key in self._rows:
            self.why = "the page repeats an earlier one"
            return True
        self._rows.add(key)
        return False

    def after(self, page: Page) -> LoadedPage | None:
        """Fetch the page that follows in the list; None, and `why`, where the list or the way ends."""
        url = self._next_address(page)
        if url is None:
            return None
        parts = urlsplit(url)
        origin = parts.scheme, parts.netloc
        robots = self._robots[origin] = self._robots.get(origin) or read_robots(url, self._fetch)
        if not robots.allows(url):
            self.why = f"robots.txt does not allow {url}"
            return None
        if robots.delay_s > LONGEST_DELAY_S:
            self.why = f"robots.txt asks for {robots.delay_s:g} s before each page"
            return None
        self._sleep(max(self._delay_s, robots.delay_s))
        self._left -= 1
        loaded = next(load([Input(url, url=url)], None, self._fetch))
        if loaded.url is not None and loaded.url != url and _plain(loaded.url) in self._seen:
            self.why = f"{url} leads back"
            return None
        return loaded

    def _next_address(self, page: Page) -> str | None:
        from scythe.reading.lists.paging import read_paging

        self._seen.add(_plain(page.url or ""))
        paging = read_paging(page)
        url = paging.next or paging.more
        if url is None:
            self.why = "the last page"
        elif self._left <= 0:
            self.why = f"page limit reached; the list continues at {url}"
        elif _plain(url) in self._seen:
            self.why = f"{url} leads back"
        else:
            self._seen.add(_plain(url))
            return url
        return None


def _plain(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(fragment=""))


@dataclass(frozen=True, slots=True)
class RecordParts:
    """What to take from each page."""

    number: int = 1  # of the list, best first; 0: all
    everything: bool = False
    attributes: bool = False
    method: str = "auto"
    wide: bool = False
    choice: ColumnChoice = ColumnChoice()


@verb(os_error=USAGE, pages=InputsNamed, fetch=fetch_flags)
def records(
    pages: InputsNamed,
    output: str | None = option(None, "Write here: .csv, .jsonl, .json, .sqlite or .parquet.", "--output -o FILE"),
    format_: str | None = option(
        None,
        "Output format; default: by the suffix of -o, a table on a terminal, csv in a pipe.",
        f"--format -f {'|'.join(formats_of(ROWS))}",
    ),
    list_: int = option(1, "The N-th list, best first.", "N", min=1),
    all_: bool = option(False, "Every list of content, with its number and kind."),
    everything: bool = option(False, "Like --all, plus menus, pagers and footers."),
    method: str = option("auto", "auto, or a published method: mdr, stm; with --attributes hmm, cnbe."),
    attributes: bool = option(False, "Name-value pairs of the page's subject instead of its lists."),
    wide: bool = option(False, "With --attributes: one row per page, a column for each attribute."),
    columns: ColumnNames = None,
    all_columns: bool = option(False, "Keep empty and constant columns, rows that are no records, and labels."),
    csv_safe: CsvSafe = None,
    follow: int = option(0, "Follow the list over N further pages.", "N", min=0, max=10_000),
    delay: Delay = 1.0,
    *,
    fetch: FetchOptions,
    fail_on_empty: bool = option(False, "Exit with 3 when a page has no records."),
    verbose: bool = option(False, "Report on standard error what was found on each page.", "--verbose -v"),
) -> int:
    choice = ColumnChoice.read(columns, keeps_all=all_columns)
    wish = RecordParts(0 if all_ or everything else list_, everything, attributes, method, wide, choice)
    pages.check()
    _check(wish, follow, list_ if all_ or everything else 1)
    loaded = pages.load(fetch)
    leads = not choice.names
    shape = Shape(
        page=leads and (pages.are_many or follow > 0),
        list=leads and not wish.number and not attributes,
        header=choice.header,
        cells=csv_cells(csv_safe),
    )
    sink = open_row_sink(output, format_, shape)
    shown = show_progress(loaded, "reading", pages.count)
    tally = _run(shown, sink, wish, lambda: Trail(follow, fetch, delay_s=delay) if follow else None, verbose)
    return tally.code(fail_on_empty=fail_on_empty)


def _check(wish: RecordParts, follow: int, number: int) -> None:
    if number != 1:
        raise BadInput("--list names one list, --all and --everything want all of them")
    if wish.wide and not wish.attributes:
        raise BadInput("--wide is for --attributes")
    if wish.attributes and (follow or wish.number != 1):
        raise BadInput("--attributes are those of a page: --list, --all, --everything and --follow are for its lists")
    (attribute_method if wish.attributes else record_method)(wish.method)  # raises BadInput for a name nobody has


def _run(
    pages: Iterator[LoadedPage],
    sink: Writer[RowBatch],
    wish: RecordParts,
    set_out: Callable[[], Trail | None],
    verbose: bool,
) -> RunCounts:
    """Read every page, and those that follow it, into the sink; what fails is said and counted, and the run goes on."""
    tally = RunCounts()
    try:
        for first in pages:
            trail = set_out()
            loaded: LoadedPage | None = first
            while loaded is not None:
                loaded = _read_one(loaded, sink, wish, trail, tally, verbose=verbose)
    finally:  # who interrupts a long run keeps what it gathered
        _, complaint = attempt(sink.close)
        if complaint:
            tally.failed += 1
            complain(complaint)
    return tally


def _read_one(
    loaded: LoadedPage,
    sink: Writer[RowBatch],
    wish: RecordParts,
    trail: Trail | None,
    tally: RunCounts,
    *,
    verbose: bool,
) -> LoadedPage | None:
    """Read one page into the sink and return the one that follows it, where it is to be followed."""
    began = time.perf_counter()

    def work() -> tuple[Page, tuple[RowBatch, ...]]:
        if kind:
            return Page.from_bytes(b"", url=loaded.url), ()
        page = Page.from_bytes(loaded.body, url=loaded.url, content_type=loaded.content_type)
        return page, _batches(page, loaded.name if loaded.url is None else loaded.url, wish)

    kind = sniff_bytes(loaded.body[:4096], loaded.content_type)

    done, complaint = (None, loaded.complaint) if loaded.complaint else attempt(work)
    tally.note(loaded.name, complaint)
    if done is None:
        return None
    page, batches = done
    _tell(loaded, page, batches, tally, wish, f": not HTML: looks like {kind}" if kind else "")
    if trail is not None and trail.is_repeat(batches):
        following = None
    else:
        for batch in batches:
            sink.put(batch)
        following = trail.after(page) if trail is not None else None
    if verbose:
        _explain(loaded.name, batches, time.perf_counter() - began, trail.why if trail and following is None else "")
    return following


def _batches(page: Page, name: str, wish: RecordParts) -> tuple[RowBatch, ...]:
    if wish.attributes:
        pairs = attribute_method(wish.method)(page)
        return (wish.choice.of_batch(attributes_batch(name, pairs, wide=wish.wide)),) if pairs else ()
    lists = read_lists(page, method=wish.method, everything=wish.everything)
    numbered = [wish.choice.of_batch(list_batch(name, number, listed)) for number, listed in enumerate(lists, 1)]
    return tuple(numbered) if not wish.number else tuple(numbered[wish.number - 1 : wish.number])


def _tell(
    loaded: LoadedPage, page: Page, batches: tuple[RowBatch, ...], tally: RunCounts, wish: RecordParts, why: str
) -> None:
    """Say what is missing: records that were looked for, and what a limit or a broken connection took."""
    if not batches:
        wanted = "attributes" if wish.attributes else "records" if wish.number < 2 else f"list {wish.number}"
        tally.lack(loaded.name, f"no {wanted} found{why}")
    losses = [f"{loss.what} ({loss.count})" for loss in page.losses]
    if loaded.cut_at_bytes is not None:
        losses.append(f"download ended early, bytes received ({loaded.cut_at_bytes})")
    if losses:
        complain(f"{loaded.name}: incomplete: {'; '.join(losses)}")


def _explain(name: str, batches: tuple[RowBatch, ...], took_s: float, why: str) -> None:
    lines = [f"{name}: read in {took_s * 1000:.1f} ms"]
    for batch in batches:
        what = f"list {batch.number}: {batch.kind}, score {batch.score:.2f}" if batch.number else "attributes"
        lines.append(f"  {what}: {len(batch.rows)} rows, columns {', '.join(batch.columns)}")
    say_lines([*lines, *([f"  not followed: {why}"] if why else [])], to_errors=True)
