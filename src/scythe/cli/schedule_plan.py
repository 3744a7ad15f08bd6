"""`scythe schedule` of an archive: what is watched comes in, a line for each list, the next visit first, goes out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scythe.cli.durations import say_duration
from scythe.cli.ending import counted, neutralise
from scythe.cli.plot_files import check_plot, write_plot
from scythe.errors import ArchiveFailed

if TYPE_CHECKING:
    from rich.table import Table

    from scythe.watching.planned import Planned

COLUMNS = ("next visit", "in", "new", "risk", "a day", "records", "lost", "last visit", "why", "list")
_LEFT = ("next visit", "why", "list")
_WIDE = 10_000  # columns a table may have: addresses are not cut, terminals wrap them
_WHY = 28  # letters


def show_plan(where: str, sites: Sequence[str], *, plot: Path | None, last_s: float, as_json: bool) -> None:
    """Print when every list of an archive is visited next, and why; draw their journals where wanted."""
    from scythe.archive.open import open_archive
    from scythe.schedule.plots import regions_svg
    from scythe.watching.planned import draw_plan, read_plan

    check_plot(plot)
    if "://" not in where and not Path(where).exists():
        raise ArchiveFailed(f"{where}: there is no archive; `scythe watch SITE --archive {where}` begins one")
    now = datetime.now(UTC)
    with open_archive(where, create=False) as archive:
        plan = read_plan(archive, sites, now)
        histories = draw_plan(archive, plan, now, last_s) if plot is not None else []
        is_watched = bool(plan) or bool(archive.watches())
    if not plan:
        typer.echo(neutralise(_nothing(where, sites, is_watched=is_watched)), err=as_json)
        return
    rows = [planned for planned, _, _ in plan]
    if as_json:
        for planned in rows:
            typer.echo(json.dumps(planned.to_plain()))
    else:
        _show(rows, now)
    if plot is not None:
        title = histories[0].title if len(histories) == 1 else f"{counted(len(histories), 'list')} of {where}"
        write_plot(plot, regions_svg(histories, title))
        typer.echo(neutralise(f"{counted(len(histories), 'list')} drawn in {plot}"), err=True)


def _nothing(where: str, sites: Sequence[str], *, is_watched: bool) -> str:
    if is_watched:
        return f"{where}: {', '.join(sites)} is not watched here; without SITE all that is watched is shown"
    return f"{where}: no page is watched here; `scythe watch SITE --archive {where}` begins with one"


def _show(rows: Sequence[Planned], now: datetime) -> None:
    from rich.console import Console

    console = Console(soft_wrap=True, highlight=False, width=_WIDE)
    console.print(_table(rows, now))
    pages = len({planned.page for planned in rows})
    lists = counted(sum(bool(planned.region) for planned in rows), "list")
    rate = sum(planned.rate_day or 0.0 for planned in rows)
    console.print(f"{counted(pages, 'page')}, {lists}, {rate:.3g} new records a day; times are UTC")


def _table(rows: Sequence[Planned], now: datetime) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in _LEFT else "right", no_wrap=True)
    for planned in rows:
        table.add_row(*(Text(neutralise(cell)) for cell in _cells(planned, now)))
    return table


def _cells(planned: Planned, now: datetime) -> tuple[str, ...]:
    why = planned.why if len(planned.why) <= _WHY else planned.why[: _WHY - 1] + "…"
    return (
        _moment(planned.next_at),
        _until(planned.next_at, now),
        _figure(planned.expected),
        "-" if planned.risk is None else f"{100 * planned.risk:.2f} %",
        _figure(planned.rate_day),
        str(planned.records),
        str(planned.lost),
        _since(planned.last_at, now),
        why,
        f"{planned.page} {planned.region}".rstrip(),
    )


def _moment(at: datetime | None) -> str:
    return "-" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def _until(at: datetime | None, now: datetime) -> str:
    """Say how far off a moment is: 3 h; one that is over is due."""
    if at is None:
        return "never"
    left_s = (at - now).total_seconds()
    return say_duration(left_s) if left_s > 0 else "due"


def _since(at: datetime | None, now: datetime) -> str:
    """Say how long ago a moment was; clocks may have been set back since."""
    return "-" if at is None else f"{say_duration(max((now - at).total_seconds(), 0.0))} ago"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
