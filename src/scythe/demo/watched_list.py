"""Watch a growing list in fast motion, and compare what was published with what was seen."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from scythe.archive.open import open_archive
from scythe.demo.live_list import LiveSite, add_to_menu
from scythe.demo.serve import DemoOptions, DemoThread, serve_demo
from scythe.demo.world import World
from scythe.schedule.simulate import Rhythm, make_arrivals
from scythe.watch_model import DAY_S
from scythe.watching.clock import Clock
from scythe.watching.events import Event, ListEvent, RecordEvent, VisitEvent
from scythe.watching.watch import Watch, add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

BEGIN = 1_772_431_200.0  # 2026-03-02 6:00 UTC, a Monday: what the clock shows first
SPEED = 16_000.0  # times: a second is four hours and a half
_PER_DAY = 16.0
_BEFORE_S = 7 * DAY_S  # of stories that were there already
_REDESIGN = 0.55  # of the time, when the list gets another design
_LONGER_S = 30.0  # of real time, at most, until the visit that ends it


@dataclass(frozen=True)
class Watched:
    """What a watch came to, beside what happened. Times are those of the site's clock, in seconds since 1970."""

    end: float  # of the last visit: what was published until then should have been seen
    visits: tuple[VisitEvent, ...]
    published: tuple[float, ...]  # since the begin
    seen: tuple[tuple[float, float], ...]  # of these: when each was published and when it was seen
    lost: int
    doubled: int
    strange: int = 0  # records that the site never published
    redesigned_at: float | None = None
    is_known_again: bool = True  # after that

    @property
    def requests(self) -> int:
        return sum(visit.requests for visit in self.visits)

    @property
    def delay_s(self) -> float:
        """How long a record was there before it was seen, on average."""
        return sum(seen - published for published, seen in self.seen) / max(len(self.seen), 1)

    def visits_every(self, seconds: float) -> int:
        """Return how many visits a fixed pace takes in the same time."""
        return 1 + int((self.end - BEGIN) / seconds)


def plan_growth(seconds: float, seed: int = 1) -> LiveSite:
    """Plan a site whose list has stories of a week and gets more from now on, with a redesign on the way."""
    end = BEGIN + seconds * SPEED
    days = (_BEFORE_S + end - BEGIN + _LONGER_S * 2 * SPEED) / DAY_S
    arrivals = make_arrivals(seed, Rhythm(per_day=_PER_DAY, days=days, weekend=1.0, start=BEGIN - _BEFORE_S))
    clock = Clock(SPEED, BEGIN, time.time())
    return LiveSite(World(seed, 12), arrivals, clock, BEGIN + _REDESIGN * (end - BEGIN))


@dataclass
class Diary:
    """Takes down what happens, and says when it is enough: when all of a visit was told after the time is up."""

    until: float
    tell: Callable[[Event], None]
    stop: Callable[[], None] = lambda: None
    visits: list[VisitEvent] = field(default_factory=list)
    records: list[RecordEvent] = field(default_factory=list)
    changes: list[ListEvent] = field(default_factory=list)
    owed: int = 0  # records of the last visit that are to be told yet

    async def take(self, event: Event) -> None:
        """Take one event down."""
        if isinstance(event, VisitEvent):
            self.visits.append(event)
            self.owed = event.new
        elif isinstance(event, RecordEvent):
            self.records.append(event)
            self.owed -= 1
        elif isinstance(event, ListEvent):
            self.changes.append(event)
        self.tell(event)
        if self.visits and not self.owed and self.visits[-1].at.timestamp() >= self.until:
            self.stop()


ShowWatch = Callable[[LiveSite], asyncio.Future[None]]


def watch_growth(
    folder: Path, seconds: float, *, seed: int = 1, tell: Callable[[Event], None], show: ShowWatch | None = None
) -> Watched:
    """Serve such a list, watch it for so many seconds and until the next visit, and compare what was seen.

    `folder` takes the archive. `tell` gets every event as it comes; `show` begins to show the site, until what it
    returns is cancelled.
    """
    planned = plan_growth(seconds, seed)
    diary = Diary(BEGIN + seconds * SPEED, tell)
    with serve_demo(DemoOptions(seed, pages=12), lambda world: replace(planned, world=add_to_menu(world))) as served:
        assert isinstance(served.site, LiveSite)
        asyncio.run(_watch(served, served.site, folder / "watch.scythe.db", seconds, diary, show))
        return compare(served.site, diary)


async def _watch(
    served: DemoThread, site: LiveSite, where: Path, seconds: float, diary: Diary, show: ShowWatch | None
) -> None:
    with open_archive(where) as archive:
        add_lists(archive, served.urls, ListOptions(), site.clock)
        options = WatchOptions(delay=0.0, allow_private=True, timeout_s=10.0)
        watch = Watch(archive, options, listener=diary.take, clock=site.clock)
        diary.stop = watch.stop
        asyncio.get_running_loop().call_later(seconds + _LONGER_S, watch.stop)
        showing = show(site) if show is not None else None
        try:
            await watch.run()
        finally:
            if showing is not None:
                showing.cancel()
                await asyncio.gather(showing, return_exceptions=True)


def compare(site: LiveSite, diary: Diary) -> Watched:
    """Compare what was seen with what there was when the list was last asked for."""
    visits = diary.visits[:-1] if diary.owed else diary.visits  # a visit that was broken off tells nothing
    # What a visit showed is what there was when the server wrote it: the watch knows that to some milliseconds only,
    # and these are minutes here.
    end = site.asked[min(len(visits), len(site.asked)) - 1] if visits and site.asked else BEGIN
    due = site.published(BEGIN, end)
    known = site.published(0.0, max(site.asked, default=end))
    seen = Counter(event.link for event in diary.records)
    changed = site.redesigned_at if site.redesigned_at is not None and site.redesigned_at <= end else None
    later = {each.what for each in diary.changes if changed is not None and each.at.timestamp() >= changed}
    waits = ((due[each.link], each.first_seen.timestamp()) for each in diary.records if each.link in due)
    return Watched(
        end=end,
        visits=tuple(visits),
        published=tuple(sorted(due.values())),
        seen=tuple((published, max(published, first)) for published, first in waits),
        lost=len(due.keys() - seen.keys()),
        doubled=sum(seen.values()) - len(seen),
        strange=len(seen.keys() - known.keys()),
        redesigned_at=changed,
        is_known_again="found" not in later,
    )
