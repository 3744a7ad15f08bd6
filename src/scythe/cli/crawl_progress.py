"""Show a crawl while it runs: its tally comes in, a live display (or now and then a line) goes to standard error."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import typer

from scythe.cli.ending import neutralise

if TYPE_CHECKING:
    from rich.table import Table

    from scythe.crawling.run import Crawl
    from scythe.crawling.tally import Tally

_LOOK_S = 0.25
_LINE_S = 60.0  # between two lines where nobody looks


async def show_crawl(run: Crawl, *, quiet: bool) -> None:
    """Show how a crawl goes until cancelled."""
    if quiet:
        return
    if sys.stderr.isatty():
        await _show_live(run)
    else:
        await _write_lines(run)


async def _show_live(run: Crawl) -> None:
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        while True:
            live.update(_table(run), refresh=True)
            await asyncio.sleep(_LOOK_S)


async def _write_lines(run: Crawl) -> None:
    while True:
        await asyncio.sleep(_LINE_S)
        typer.echo("scythe: " + neutralise(", ".join(f"{value} {name}" for name, value in cells(run.tally))), err=True)


def cells(tally: Tally) -> list[tuple[str, str]]:
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
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, title=Text(neutralise(run.start)), title_justify="left")
    shown = cells(run.tally)
    for name, _ in shown:
        table.add_column(name)
    table.add_row(*(Text(neutralise(value)) for _, value in shown))
    return table
