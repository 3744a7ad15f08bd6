"""`scythe crawl`: crawl a site into an archive and export it."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scythe.cli.console import FAILED, INTERRUPTED, OK, neutralise, on_interrupt, say_lines, show_live
from scythe.cli.options import Quiet, StoreAt, argument, comma_separated, option, run_flags, site_address, verb
from scythe.crawling.crawl_options import PARTS, USUAL_PARTS, CrawlOptions
from scythe.errors import BadInput
from scythe.memory import trimmed

if TYPE_CHECKING:
    from scythe.crawling.crawl import Crawl
    from scythe.crawling.stats import CrawlStats

_LOOK_S = 0.25
_LINE_S = 60.0  # between two lines where nobody looks


async def show_crawl(run: Crawl, *, quiet: bool) -> None:
    """Show how a crawl goes until cancelled."""
    if quiet:
        return
    if sys.stderr.isatty():
        await show_live(lambda: _table(run), _LOOK_S, Console(stderr=True))
    while True:
        await asyncio.sleep(_LINE_S)
        typer.echo("scythe: " + neutralise(", ".join(f"{value} {name}" for name, value in cells(run.tally))), err=True)


def cells(tally: CrawlStats) -> list[tuple[str, str]]:
    """Return what is worth seeing of a crawl, with its names."""
    share = tally.cut_share()
    state = "reading the first pages" if not tally.is_learned else "-" if share is None else f"{100 * share:.0f} %"
    return [
        ("pages", str(tally.pages)),
        ("pages/s", f"{tally.pages_per_second():.1f}"),
        ("waiting", str(tally.waiting)),
        ("errors", str(tally.errors)),
        ("records", str(tally.records)),
        ("cut", state),
        ("drift", str(tally.drift)),
        ("s between requests", f"{tally.delay_s:g}"),
    ]


def _table(run: Crawl) -> Table:
    table = Table(box=SIMPLE, title=Text(neutralise(run.start)), title_justify="left")
    shown = cells(run.tally)
    for name, _ in shown:
        table.add_column(name)
    table.add_row(*(Text(neutralise(value)) for _, value in shown))
    return table


@verb(run=run_flags)
@trimmed()
# long because every option stands here, once: the signature is the help
def crawl(
    site: Annotated[str, argument("SITE")],
    output: list[str] | None = option(
        None,
        "Export here at the end; the suffix is the format: .jsonl, .csv, .parquet, .sqlite, .md/, .warc.gz.",
        "--output -o FILE|DIR",
    ),
    archive: str | None = option(None, "Archive: a file or postgresql://...; default: HOST.scythe.db.", "FILE|URL"),
    limit: int | None = option(None, "Stop when the archive has this many pages.", "PAGES", min=1),
    depth: int | None = option(None, "Maximum number of links from SITE.", "LINKS", min=0),
    allow: list[str] | None = option(None, "Only URLs that match; * matches anything. Can be repeated.", "PATTERN"),
    deny: list[str] | None = option(None, "Skip URLs that match. Can be repeated.", "PATTERN"),
    subdomains: bool = option(False, "Include subdomains of SITE."),
    sitemaps: bool = option(True, "Use the site's sitemaps."),
    feeds: bool = option(True, "Follow the feeds that pages link to."),
    method: list[str] | None = option(
        None,
        "Read pages by a published method, such as sentences:minimum=4 or mdr, and learn nothing; "
        "auto: learn. Default: as before.",
        "NAME[:PARAMETERS]",
    ),
    parts: str | None = option(
        None,
        f"What to extract, comma-separated: {', '.join(PARTS)}; default: as before, at first {','.join(USUAL_PARTS)}.",
        "NAMES",
    ),
    profile: str | None = option(
        None, "Start from a profile of `scythe learn`; default: what the archive has.", "PROFILE"
    ),
    refresh: bool = option(False, "Visit known pages again, with conditional requests."),
    raw: bool | None = option(None, "Keep every response, or none; default: pages, to read them again."),
    store: StoreAt = "",
    *,
    run: dict[str, Any],
    per_host: int | None = option(
        None, "Parallel requests to one host; default: 1, or no limit with --delay 0.", min=1, max=1_000
    ),
    attempts: int = option(3, "Attempts before a URL counts as failed.", min=1, max=100),
    patience: float = option(60.0, "How long to wait for URLs that are due for a retry.", "SECONDS", min=0.0),
    queue: bool = option(False, "Queue SITE for `scythe worker` and exit; needs a PostgreSQL archive."),
    unqueue: bool = option(False, "Remove SITE from the queue; archived pages stay."),
    quiet: Quiet = False,
) -> int:
    outputs = output or []
    if raw is None and (store or any(name.endswith((".warc", ".warc.gz")) for name in outputs)):
        raw = True  # they are to go somewhere
    options = CrawlOptions(
        limit=limit,
        per_host=per_host,
        depth=depth,
        allow=tuple(allow or ()),
        deny=tuple(deny or ()),
        subdomains=subdomains,
        sitemaps=sitemaps,
        feeds=feeds,
        keep_raw=raw,
        parts=None if parts is None else comma_separated(parts),
        methods=None if method is None else tuple(name for name in method if name != "auto"),
        attempts=attempts,
        patience_s=patience,
        refresh=refresh,
        **run,
    )
    if unqueue:
        return _unqueue(site_address(site), archive, options, quiet=quiet)
    if queue and store:
        raise BadInput("the store is an option of the workers: scythe worker --store")
    if queue:
        return _queue(site_address(site), archive, options, profile, outputs, quiet=quiet)
    return _crawl(site_address(site), archive, store, options, profile, outputs, quiet=quiet)


def _crawl(
    site: str,
    where: str | None,
    store: str,
    options: CrawlOptions,
    profile: str | None,
    outputs: list[str],
    *,
    quiet: bool,
) -> int:
    from scythe.archive.open import open_archive
    from scythe.cli.crawl_report import check_outputs, summarise, write_outputs
    from scythe.crawling.crawl import Crawl, run_watched
    from scythe.crawling.scope import Scope
    from scythe.crawling.url_filter import start_address

    check_outputs(outputs)
    address = start_address(site)
    key = Scope.of(address, options).site_key
    where = where or f"{key.replace(':', '-')}.scythe.db"
    learned = _profile(profile)
    with open_archive(where, store=store) as archive:
        run = Crawl(address, archive, options, profile=learned)

        async def attend() -> None:
            on_interrupt(partial(run.stop, "interrupted"))
            await run_watched(run, partial(show_crawl, quiet=quiet))

        asyncio.run(attend())
        lines = [*summarise(run, where), *write_outputs(archive, key, outputs)]
        say_lines([] if quiet else lines)
        return INTERRUPTED if run.why_ended == "interrupted" else OK if run.tally.pages else FAILED


def _queue(
    site: str, where: str | None, options: CrawlOptions, profile: str | None, outputs: list[str], *, quiet: bool
) -> int:
    from scythe.archive.open import name_archive, open_archive
    from scythe.workers.orders import check_shared, queue_crawl

    where = _shared(where)
    check_shared(where)
    if outputs:
        raise BadInput("queued sites are written to files by `scythe export`, not by -o")
    learned = _profile(profile)
    with open_archive(where) as archive:
        row = queue_crawl(archive, site, options, profile=learned)
    if not quiet:
        typer.echo(neutralise(f"{row.start}: queued; `scythe status --archive {name_archive(where)}` shows more"))
    return OK


def _unqueue(site: str, where: str | None, options: CrawlOptions, *, quiet: bool) -> int:
    from scythe.archive.open import open_archive
    from scythe.workers.orders import cancel_crawl

    with open_archive(_shared(where), create=False) as archive:
        row = cancel_crawl(archive, site, options)
    if not quiet:
        typer.echo(neutralise(f"{row.start}: removed from the queue; its worker stops within a few seconds"))
    return OK


def _shared(where: str | None) -> str:
    if where is None:
        raise BadInput("say where the archive is that the workers share: --archive postgresql://HOST/DATABASE")
    return where


def _profile(path: str | None) -> str | None:
    """Read and check a profile; return it as it stands there."""
    if path is None:
        return None
    from scythe.crawling.crawl import profile_text

    try:
        return profile_text(path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
