"""`scythe records`: pages come in, one row per record goes to a sink, one line per failure to standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from scythe.cli.ending import EMPTY, FAILED, USAGE, Tally, attempt, complain, neutralise, quiet_ends
from scythe.cli.following import Trail
from scythe.cli.progress import show_progress
from scythe.cli.read_options import AllowPrivate, BaseUrl, InputFile, Inputs, Timeout
from scythe.cli.row_sinks import ROW_FORMATS, RowSink, open_row_sink
from scythe.cli.site_options import Delay
from scythe.errors import BadInput, MissingExtra
from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.sniff import sniff_bytes
from scythe.read.records.methods import attribute_method, record_method
from scythe.reader import read_regions
from scythe.record_rows import Batch, Shape, attributes_batch, region_batch
from scythe.sources import Loaded, Reach, Source, check_base, find_sources, list_sources, load

HELP = """Read the lists and tables of pages: one row per record.

INPUTS are files, folders of pages, patterns in quotes, http(s) addresses, or - for standard input. Records of one
pattern make a region; the region that a page is about comes first, and is the one that is printed unless others are
asked for. A row has the columns of its region and the first link and image of the record.

\b
Examples:
  scythe records https://example.org/news             a table on the terminal
  scythe records shop.html -o goods.csv               one row per record
  scythe records shop.html --all -o lists.jsonl       every list of the page
  scythe records https://example.org/shop --follow 5 -o goods.parquet     and the five pages that follow
  scythe records plough.html --attributes             what the page says of its subject
  scythe records shop.html --method mdr               by a published method

\b
Exit codes:
  0  everything was read
  1  some page failed; each has its line on standard error
  2  the command was not understood
  3  a page had no records, and --fail-on-empty was given
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write here: .csv, .jsonl, .json or .parquet."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="|".join(ROW_FORMATS),
        help="Output format; otherwise by the suffix of -o, a table on a terminal, csv in a pipe.",
    ),
]
WantedRegion = Annotated[int, typer.Option("--region", min=1, metavar="N", help="The N-th region, best first.")]
All = Annotated[bool, typer.Option("--all", help="Every region of records, with its number and kind.")]
Everything = Annotated[bool, typer.Option("--everything", help="Like --all, with menus, pagers and footers too.")]
Method = Annotated[
    str,
    typer.Option(help="auto, or a published one: mdr, stm; with --attributes hmm, cnbe."),
]
Attributes = Annotated[
    bool, typer.Option("--attributes", help="Names and values that the page states of its subject, not its lists.")
]
Follow = Annotated[
    int, typer.Option(min=0, max=10_000, metavar="N", help="Go on to N further pages of the list, politely.")
]
FailOnEmpty = Annotated[bool, typer.Option("--fail-on-empty", help="Exit with 3 when a page has no records.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say on standard error what was found on each page.")]


@dataclass(frozen=True, slots=True)
class Wish:
    """What to take from each page."""

    region: int = 1  # 0: all
    everything: bool = False
    attributes: bool = False
    method: str = "auto"


@app.command(help=HELP, no_args_is_help=True)
def records(
    inputs: Inputs = None,
    input_file: InputFile = None,
    url: BaseUrl = None,
    output: Output = None,
    format_: Format = None,
    region: WantedRegion = 1,
    all_: All = False,
    everything: Everything = False,
    method: Method = "auto",
    attributes: Attributes = False,
    follow: Follow = 0,
    delay: Delay = 1.0,
    timeout: Timeout = LIMITS.fetch_s,
    allow_private: AllowPrivate = False,
    fail_on_empty: FailOnEmpty = False,
    verbose: Verbose = False,
) -> None:
    reach = Reach(timeout_s=timeout, allow_private=allow_private)
    wish = Wish(0 if all_ or everything else region, everything, attributes, method)
    with quiet_ends():
        try:
            sources = list(find_sources(inputs or []))
            _check(sources, input_file, wish, follow, region if all_ or everything else 1)
            pages = load(chain(sources, list_sources(input_file) if input_file else ()), check_base(url), reach)
            many = len(sources) > 1 or input_file is not None or follow > 0
            sink = open_row_sink(output, format_, Shape(page=many, region=not wish.region and not attributes))
        except (BadInput, MissingExtra, OSError) as error:
            complain(str(error))
            raise typer.Exit(USAGE) from None
        shown = show_progress(pages, "reading", None if input_file else len(sources))
        tally = _run(shown, sink, wish, lambda: Trail(follow, reach, delay_s=delay) if follow else None, verbose)
    if tally.failed:
        raise typer.Exit(FAILED)
    if tally.empty and fail_on_empty:
        raise typer.Exit(EMPTY)


def _check(sources: list[Source], input_file: str | None, wish: Wish, follow: int, region: int) -> None:
    if not sources and input_file is None:
        raise BadInput("name a file, a folder or an address, or give - for standard input")
    if region != 1:
        raise BadInput("--region names one region, --all and --everything want all of them")
    if wish.attributes and (follow or wish.region != 1):
        raise BadInput("--attributes are those of a page: --region, --all, --everything and --follow are for its lists")
    (attribute_method if wish.attributes else record_method)(wish.method)  # raises BadInput for a name nobody has
    if input_file == "-" and any(source.is_stdin for source in sources):
        raise BadInput("standard input can be a page or a list of addresses, not both")
    if input_file is not None and input_file != "-" and not Path(input_file).is_file():
        raise BadInput(f"--input-file {input_file}: no such file")


def _run(
    pages: Iterator[Loaded], sink: RowSink, wish: Wish, set_out: Callable[[], Trail | None], verbose: bool
) -> Tally:
    """Read every page, and those that follow it, into the sink; what fails is said and counted, and the run goes on."""
    tally = Tally()
    try:
        for first in pages:
            trail = set_out()
            loaded: Loaded | None = first
            while loaded is not None:
                loaded = _read_one(loaded, sink, wish, trail, tally, verbose=verbose)
    finally:  # who interrupts a long run keeps what it gathered
        _, complaint = attempt(sink.close)
        if complaint:
            tally.failed += 1
            complain(complaint)
    return tally


def _read_one(
    loaded: Loaded, sink: RowSink, wish: Wish, trail: Trail | None, tally: Tally, *, verbose: bool
) -> Loaded | None:
    """Read one page into the sink and return the one that follows it, where it is to be followed."""
    began = time.perf_counter()

    def work() -> tuple[Page, tuple[Batch, ...]]:
        page = _open(loaded)
        batches = _batches(page, loaded.name if loaded.url is None else loaded.url, wish)
        return page, batches

    done, complaint = (None, loaded.complaint) if loaded.complaint else attempt(work)
    if done is None:
        tally.failed += 1
        complain(f"{loaded.name}: {complaint}")
        return None
    page, batches = done
    _tell(loaded, page, batches, tally, wish)
    if trail is not None and trail.is_repeat(batches):
        following = None
    else:
        for batch in batches:
            sink.put(batch)
        following = trail.after(page) if trail is not None else None
    if verbose:
        _explain(loaded.name, batches, time.perf_counter() - began, trail.why if trail and following is None else "")
    return following


def _open(loaded: Loaded) -> Page:
    kind = sniff_bytes(loaded.body[:4096], loaded.content_type)
    if kind:
        raise BadInput(f"not HTML: looks like {kind}")
    return Page.from_bytes(loaded.body, url=loaded.url, content_type=loaded.content_type)


def _batches(page: Page, name: str, wish: Wish) -> tuple[Batch, ...]:
    if wish.attributes:
        pairs = attribute_method(wish.method)(page)
        return (attributes_batch(name, pairs),) if pairs else ()
    regions = read_regions(page, method=wish.method, everything=wish.everything)
    numbered = [region_batch(name, number, region) for number, region in enumerate(regions, 1)]
    return tuple(numbered) if not wish.region else tuple(numbered[wish.region - 1 : wish.region])


def _tell(loaded: Loaded, page: Page, batches: tuple[Batch, ...], tally: Tally, wish: Wish) -> None:
    """Say what is missing: records that were looked for, and what a limit or a broken connection took."""
    if not batches:
        tally.empty += 1
        wanted = "attributes" if wish.attributes else "records" if wish.region < 2 else f"region {wish.region}"
        complain(f"{loaded.name}: no {wanted} found")
    losses = [f"{loss.what} ({loss.count})" for loss in page.losses]
    if loaded.cut_at_bytes is not None:
        losses.append(f"download ended early, bytes received ({loaded.cut_at_bytes})")
    if losses:
        complain(f"{loaded.name}: incomplete: {'; '.join(losses)}")


def _explain(name: str, batches: tuple[Batch, ...], took_s: float, why: str) -> None:
    typer.echo(neutralise(f"{name}: read in {took_s * 1000:.1f} ms"), err=True)
    for batch in batches:
        what = f"region {batch.region}: {batch.kind}, score {batch.score:.2f}" if batch.region else "attributes"
        typer.echo(neutralise(f"  {what}: {len(batch.rows)} rows, columns {', '.join(batch.columns)}"), err=True)
    if why:
        typer.echo(neutralise(f"  not followed: {why}"), err=True)
