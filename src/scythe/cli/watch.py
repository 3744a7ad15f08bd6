"""`scythe watch`: watch lists, with a live table or JSON lines."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.box import SIMPLE
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from scythe.cli.console import EMPTY, INTERRUPTED, OK, complain, counted, neutralise, on_interrupt, show_live
from scythe.cli.options import (
    MaxDelay,
    Miss,
    Quiet,
    WatchedSites,
    Within,
    comma_separated,
    option,
    parse_duration,
    run_flags,
    say_duration,
    site_address,
    verb,
)
from scythe.errors import BadInput
from scythe.memory import trimmed
from scythe.watch_model import Goals

if TYPE_CHECKING:
    from scythe.archive.results import WatchRow
    from scythe.watching.events import Event
    from scythe.watching.hooks import HookOptions
    from scythe.watching.watch import Watch
    from scythe.watching.watch_options import ListOptions, WatchOptions

_LOOK_S = 0.5
_ROWS = 30  # of pages, those due first
_NEWEST = 8  # records below the table
_COLUMNS = {"next": 8, "last": 8, "new": 4, "a day": 6, "page": 0, "why": 12}  # characters; 0: the rest
_TOLD = ("record", "gap", "lost", "trouble", "list", "moved", "document", "hook")


def kinds_of(names: str | None) -> frozenset[str] | None:
    """Read the kinds of events that are wanted; None: all. Raises BadInput."""
    from scythe.watching.events import KINDS

    if names is None:
        return None
    kinds = frozenset(comma_separated(names))
    unknown = sorted(kinds - set(KINDS))
    if unknown or not kinds:
        raise BadInput(f"{(unknown or [names])[0]!r} is not a kind of event; expected one of {', '.join(KINDS)}")
    return kinds


@dataclass(slots=True)
class Showing:
    """Who looks at a watch: a terminal that shows a table, or whoever reads lines."""

    is_table: bool
    kinds: frozenset[str] | None = None
    quiet: bool = False
    _visits: dict[str, Event] = field(default_factory=dict)  # the last one of each page
    _newest: deque[str] = field(default_factory=lambda: deque(maxlen=_NEWEST))

    async def take(self, event: Event) -> None:
        """Show an event."""
        if self.kinds is not None and event.kind not in self.kinds:
            return
        if self.is_table:
            self._keep(event)
        elif not self.quiet:
            from scythe.watching.events import to_json

            sys.stdout.write(to_json(event) + "\n")
            sys.stdout.flush()

    def _keep(self, event: Event) -> None:
        if event.kind in ("visit", "trouble"):
            self._visits[event.page] = event
        if event.kind in _TOLD:
            self._newest.append(f"{event.at:%H:%M} {describe(event)}")

    @asynccontextmanager
    async def over(self, run: Watch) -> AsyncIterator[None]:
        """Show a table for as long as the block takes."""
        if not self.is_table or self.quiet:
            yield
            return
        showing = asyncio.ensure_future(show_live(lambda: self._table(run), _LOOK_S, Console()))
        try:
            yield
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing

    def _table(self, run: Watch) -> RenderableType:
        now = run.clock.now()
        rows = sorted(run.rows.values(), key=lambda row: row.due_at or now)
        counts = (len(rows), "page"), (run.totals.visits, "visit"), (run.totals.records, "new record")
        title = ", ".join(counted(number, what) for number, what in counts)
        table = Table(box=SIMPLE, title=Text(title), title_justify="left", padding=(0, 1, 0, 0), expand=True)
        for name, width in _COLUMNS.items():
            table.add_column(name, width=width or None, ratio=None if width else 1, overflow="ellipsis", no_wrap=True)
        for row in rows[:_ROWS]:
            table.add_row(*(Text(neutralise(cell)) for cell in cells(row, self._visits.get(row.url), now)))
        lines = [Text(neutralise(line), no_wrap=True, overflow="ellipsis") for line in self._newest]
        return Group(table, *lines)


def cells(row: WatchRow, event: Event | None, now: datetime) -> list[str]:
    """Return what is worth seeing of one page."""
    at = event.at if event is not None else row.visited_at
    last = "-" if at is None else f"-{say_duration(max((now - at).total_seconds(), 0.0))}"
    new = str(getattr(event, "new", "-"))
    rate = getattr(event, "rate", None)
    why = getattr(event, "why", row.why)
    page, next_at = row.url.partition("://")[2], getattr(event, "next_at", None) or row.due_at
    return [when(next_at, now), last, new, "-" if rate is None else f"{rate:.1f}", page, why]


def when(moment: datetime | None, now: datetime) -> str:
    """Say when a visit is due."""
    if moment is None:
        return "never"
    left_s = (moment - now).total_seconds()
    return "now" if left_s <= 0 else f"+{say_duration(left_s)}"


def describe(event: Event) -> str:
    """Say in a few words what happened."""
    from scythe.watching.events import RecordEvent

    if isinstance(event, RecordEvent):
        words = event.fields.get("title") or next(iter(event.fields.values()), "")
        return f"new: {words} {event.link}"
    said = [event.kind, *(str(getattr(event, name, "")) for name in ("what", "region", "why", "to", "url", "title"))]
    return " ".join([*filter(None, said), event.page])


@verb(needs_arguments=False, run=run_flags)
@trimmed()
# long because every option stands here, once: the signature is the help
def watch(
    sites: WatchedSites = None,
    archive: str = option("watch.scythe.db", "Archive: a file or postgresql://...", "FILE|URL"),
    miss: Miss = 0.01,
    max_delay: MaxDelay = None,
    p95: Within = None,
    floor: float | None = option(
        None, "Minimum time between two visits to a page; default: 10m.", "TIME", parser=parse_duration
    ),
    policy: str = option("auto", "Scheduling policy; see `scythe schedule --help`.", "NAME"),
    method: list[str] | None = option(
        None,
        "Read lists, and with --follow pages, by a published method, such as mdr:k=5 or sentences.",
        "NAME[:PARAMETERS]",
    ),
    older_pages: int = option(
        20, "Maximum number of older pages to follow back to known records; 0: none.", min=0, max=1_000
    ),
    list_: list[str] | None = option(
        None, "Only this list of the page: the N-th, or the first of a kind; see `scythe records SITE --all`.", "N|KIND"
    ),
    follow: bool = option(False, "Also archive the page behind each new record."),
    exec_: list[str] | None = option(
        None, "Run COMMAND with new records as JSON lines on its standard input.", "COMMAND"
    ),
    webhook: list[str] | None = option(None, "Post new records to URL as JSON.", "URL"),
    webhook_secret: str = option("", "Secret for signing webhook messages.", "TEXT", envvar="SCYTHE_WEBHOOK_SECRET"),
    feed: list[Path] | None = option(None, "Keep a feed of new records in FILE: .rss, .xml, .atom or .json.", "FILE"),
    notify_first: bool = option(False, "Also send hooks the records of the first visit to a page."),
    once: bool = option(False, "Visit each due page once, then exit; for cron."),
    queue: bool = option(False, "Queue SITE... for `scythe worker` and exit; needs a PostgreSQL archive."),
    forget: bool = option(False, "Stop watching SITE...; archived records stay."),
    as_json: bool = option(False, "Print one JSON object per event, also on a terminal.", "--json"),
    events: str | None = option(None, "Only these kinds of events, comma-separated: record,lost,trouble ...", "KINDS"),
    *,
    run: dict[str, Any],
    quiet: Quiet = False,
) -> int:
    from scythe.watching.hooks import HookOptions
    from scythe.watching.list_identity import Chosen
    from scythe.watching.watch_options import ListOptions, WatchOptions

    addresses = [site_address(site) for site in sites or ()]
    if forget:
        return _forget(archive, addresses)
    goals = Goals(miss=miss, max_delay_s=max_delay, delay_s=p95, floor_s=floor or Goals().floor_s)
    wanted = ListOptions(policy, goals, older_pages, follow, regions=tuple(map(Chosen.named, list_ or ())))
    options = WatchOptions(once=once, methods=tuple(method or ()), **run)
    hooks = HookOptions(
        tuple(exec_ or ()), tuple(webhook or ()), webhook_secret, notify_first=notify_first, feeds=tuple(feed or ())
    )
    if queue:
        return _queue(addresses, archive, wanted, options, hooks, quiet=quiet)
    show = Showing(is_table=not as_json and sys.stdout.isatty(), kinds=kinds_of(events), quiet=quiet)
    return _watch(addresses, archive, wanted, options, hooks, show)


def _watch(
    addresses: list[str], where: str, wanted: ListOptions, options: WatchOptions, hooks: HookOptions, show: Showing
) -> int:
    from scythe.archive.open import open_archive
    from scythe.archive.watches import watch_rows
    from scythe.watching.watch import Watch, add_lists

    with open_archive(where, create=bool(addresses)) as archive:
        only = add_lists(archive, addresses, wanted) if addresses else None
        if not watch_rows(archive):
            complain(f"nothing is watched in {where}; name the address of a page with a list")
            return EMPTY
        run = Watch(archive, options, listener=show.take, only=only, hooks=hooks)

        async def attend() -> None:
            on_interrupt(run.stop)
            async with show.over(run):
                await run.run()

        asyncio.run(attend())
        if not show.quiet:
            counts = (run.totals.visits, "visit"), (run.totals.records, "new record"), (run.totals.troubles, "failure")
            said = ", ".join(counted(number, what) for number, what in counts)
            typer.echo(neutralise(f"scythe: {said}; everything is in {where}"), err=True)
        return INTERRUPTED if run.is_stopped else OK


def _queue(
    addresses: list[str], where: str, wanted: ListOptions, options: WatchOptions, hooks: HookOptions, *, quiet: bool
) -> int:
    from scythe.archive.open import open_archive
    from scythe.workers.orders import check_shared, queue_watch

    check_shared(where)
    if hooks.exec or hooks.webhooks or hooks.feeds:
        raise BadInput("workers run no hooks: drop --exec, --webhook and --feed, or watch without --queue")
    with open_archive(where, create=bool(addresses)) as archive:
        rows = queue_watch(archive, addresses, wanted, options)
    if not rows:
        complain(f"nothing is watched in {where}; name the address of a page with a list")
        return EMPTY
    for row in rows if not quiet else ():
        typer.echo(neutralise(f"{row.site_key}: queued"))
    return OK


def _forget(where: str, addresses: list[str]) -> int:
    from scythe.archive.open import open_archive
    from scythe.watching.watch import forget_lists

    if not addresses:
        raise BadInput("name the pages to stop watching")
    with open_archive(where, create=False) as archive:
        for address in forget_lists(archive, addresses):
            typer.echo(neutralise(f"{address} is no longer watched"), err=True)
    return OK
