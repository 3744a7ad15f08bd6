"""Show a watch while it runs: events come in, JSON lines or a live table go out."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from scythe.cli.durations import say_duration
from scythe.cli.ending import counted, neutralise
from scythe.errors import BadInput

if TYPE_CHECKING:
    from rich.console import RenderableType

    from scythe.archive.rows import WatchRow
    from scythe.watching.events import Event
    from scythe.watching.run import Watch

_LOOK_S = 0.5
_ROWS = 30  # of pages, those due first
_NEWEST = 8  # records below the table
_COLUMNS = {"next": 8, "last": 8, "new": 4, "a day": 6, "page": 0, "why": 12}  # characters; 0: the rest
_TOLD = ("record", "gap", "lost", "trouble", "region", "moved", "document", "hook")


def kinds_of(names: str | None) -> frozenset[str] | None:
    """Read the kinds of events that are wanted; None: all. Raises BadInput."""
    from scythe.watching.events import KINDS

    if names is None:
        return None
    kinds = frozenset(name.strip() for name in names.split(",") if name.strip())
    unknown = sorted(kinds - set(KINDS))
    if unknown or not kinds:
        raise BadInput(f"{(unknown or [names])[0]!r} is no kind of event; known are {', '.join(KINDS)}")
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
        showing = asyncio.ensure_future(self._show(run))
        try:
            yield
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing

    async def _show(self, run: Watch) -> None:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(), transient=True, auto_refresh=False) as live:
            while True:
                live.update(self._table(run), refresh=True)
                await asyncio.sleep(_LOOK_S)

    def _table(self, run: Watch) -> RenderableType:
        from rich.box import SIMPLE
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

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
    page = row.url.partition("://")[2]
    return [when(_next_at(row, event), now), last, new, "-" if rate is None else f"{rate:.1f}", page, why]


def _next_at(row: WatchRow, event: Event | None) -> datetime | None:
    planned: datetime | None = getattr(event, "next_at", None)
    return planned or row.due_at


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
