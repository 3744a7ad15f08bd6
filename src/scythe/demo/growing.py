"""Watch a growing list in fast motion, and compare what was published with what was seen."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scythe.archive.open import open_archive
from scythe.demo.replay import ListPage, Replay, ReplayClock, ReplayList, ReplayRedesign
from scythe.demo.replay_serve import ReplayThread, serve_replay
from scythe.schedule.simulate import Rhythm, make_arrivals
from scythe.watch_model import DAY_S
from scythe.watching.clock import Clock
from scythe.watching.events import Event, ListEvent, RecordEvent, VisitEvent
from scythe.watching.watch import Watch, add_lists
from scythe.watching.watch_options import ListOptions, WatchOptions

BEGIN = 1_772_431_200.0  # 2026-03-02 6:00 UTC, a Monday: what the clock shows first
SHOWN = 12  # records on a page of the list
_SPEED = 16_000.0  # times: a second is four hours and a half
_PER_DAY = 16.0
_BEFORE_S = 7 * DAY_S  # of stories that were there already
_REDESIGN = 0.55  # of the time, when the list gets another design
_LONGER_S = 30.0  # of real time, at most, until the visit that ends it
_PATH = "/latest/"


@dataclass(frozen=True, slots=True)
class Look:
    """One visit. Times here and below are what the clock of the site showed, in seconds since 1970."""

    at: float
    new: int
    requests: int
    next_at: float | None
    expected: float  # new records by then
    why: str  # what set the next visit


@dataclass(frozen=True, slots=True)
class Sighting:
    """One record that was published while somebody watched, and seen."""

    title: str
    published: float
    seen: float


@dataclass(frozen=True)
class Watched:
    """What a watch came to, beside what happened."""

    begin: float
    end: float  # of the last visit: what was published until then should have been seen
    speed: float
    before: int  # records that were on the list and its older pages when it was first visited
    looks: tuple[Look, ...]
    published: tuple[float, ...]  # since the begin
    sightings: tuple[Sighting, ...]
    lost: int
    doubled: int
    strange: int = 0  # records that the site never published
    redesigned_at: float | None = None
    is_known_again: bool = True  # after that

    @property
    def requests(self) -> int:
        return sum(look.requests for look in self.looks)

    @property
    def delay_s(self) -> float:
        """How long a record was there before it was seen, on average."""
        waits = [each.seen - each.published for each in self.sightings]
        return sum(waits) / len(waits) if waits else 0.0

    @property
    def safe_s(self) -> float | None:
        """The longest time between visits at a fixed pace that is sure to lose nothing; None: any that is shorter."""
        pairs = zip(self.published, self.published[SHOWN:], strict=False)
        return min((later - earlier for earlier, later in pairs), default=None)

    def visits_every(self, seconds: float) -> int:
        """Return how many visits a fixed pace takes in the same time."""
        return 1 + int((self.end - self.begin) / seconds)


def plan_growth(seconds: float, seed: int = 1, *, now: float | None = None) -> Replay:
    """Plan a list that has stories of a week and gets more from now on, with a redesign on the way."""
    end = BEGIN + seconds * _SPEED
    rhythm = Rhythm(
        per_day=_PER_DAY,
        days=(_BEFORE_S + end - BEGIN + _LONGER_S * 2 * _SPEED) / DAY_S,
        weekend=1.0,
        start=BEGIN - _BEFORE_S,
    )
    shelf = ReplayList("latest", "Latest news", make_arrivals(seed, rhythm), SHOWN)
    redesign = ReplayRedesign(BEGIN + _REDESIGN * (end - BEGIN), 1)
    pace = ReplayClock(BEGIN, time.time() if now is None else now, _SPEED)
    return Replay(pace, (shelf,), (ListPage(_PATH, ("latest",)),), (redesign,), seed=seed)


@dataclass
class Diary:
    """Takes down what happens, and says when it is enough: when all of a visit was told after the time is up."""

    until: float
    tell: Callable[[Event], None]
    stop: Callable[[], None] = lambda: None
    visits: list[VisitEvent] = field(default_factory=list)
    records: list[RecordEvent] = field(default_factory=list)
    regions: list[ListEvent] = field(default_factory=list)
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
            self.regions.append(event)
        self.tell(event)
        if self.visits and not self.owed and self.visits[-1].at.timestamp() >= self.until:
            self.stop()


def watch_growth(
    folder: Path,
    seconds: float,
    *,
    seed: int = 1,
    tell: Callable[[Event], None],
    show: Callable[[Watch, Replay], asyncio.Future[None]] | None = None,
) -> Watched:
    """Serve such a list, watch it for so many seconds and until the next visit, and compare what was seen.

    `folder` takes the archive. `tell` gets every event as it comes; `show` begins to show the watch, until what it
    returns is cancelled.
    """
    replay = plan_growth(seconds, seed)
    diary = Diary(BEGIN + seconds * _SPEED, tell)
    with serve_replay(replay) as served:
        asyncio.run(_watch(served, folder / "watch.scythe.db", seconds, diary, show))
        return compare(served, diary)


async def _watch(
    served: ReplayThread,
    where: Path,
    seconds: float,
    diary: Diary,
    show: Callable[[Watch, Replay], asyncio.Future[None]] | None,
) -> None:
    pace = served.replay.pace
    clock = Clock(pace.speed, pace.start, pace.epoch)
    with open_archive(where) as archive:
        add_lists(archive, served.urls, ListOptions(), clock)
        watch = Watch(
            archive, WatchOptions(delay=0.0, allow_private=True, timeout_s=10.0), listener=diary.take, clock=clock
        )
        diary.stop = watch.stop
        asyncio.get_running_loop().call_later(seconds + _LONGER_S, watch.stop)
        showing = show(watch, served.replay) if show is not None else None
        try:
            await watch.run()
        finally:
            if showing is not None:
                showing.cancel()
                await asyncio.gather(showing, return_exceptions=True)


def compare(served: ReplayThread, diary: Diary) -> Watched:
    """Compare what was seen with what there was when the list was last asked for."""
    replay = served.replay
    visits = diary.visits[:-1] if diary.owed else diary.visits  # a visit that was broken off tells nothing
    looks = tuple(map(to_look, visits))
    # What a visit showed is what there was when the server wrote it: the watch knows that to some milliseconds only,
    # and these are minutes here.
    asked = [each.at for each in served.asked if each.target == _PATH and each.status == 200]
    end = asked[min(len(looks), len(asked)) - 1] if looks and asked else BEGIN
    due = served.stories(_PATH, BEGIN, end)
    known = served.stories(_PATH, 0.0, max(asked, default=end))
    seen = Counter(event.link for event in diary.records)
    sightings = [
        Sighting(event.fields.get("title", ""), due[event.link], max(event.first_seen.timestamp(), due[event.link]))
        for event in diary.records
        if event.link in due
    ]
    redesigned_at = next((change.at for change in replay.redesigns if change.at <= end), None)
    return Watched(
        begin=BEGIN,
        end=end,
        speed=replay.pace.speed,
        before=len(seen.keys() & known.keys() - due.keys()),
        looks=looks,
        published=tuple(sorted(due.values())),
        sightings=tuple(sorted(sightings, key=lambda each: (each.seen, each.published))),
        lost=len(due.keys() - seen.keys()),
        doubled=sum(seen.values()) - len(seen),
        strange=len(seen.keys() - known.keys()),
        redesigned_at=redesigned_at,
        is_known_again=_is_known_again(diary.regions, redesigned_at),
    )


def to_look(event: VisitEvent) -> Look:
    """Take of a visit what is shown."""
    next_at = event.next_at.timestamp() if event.next_at is not None else None
    return Look(event.at.timestamp(), event.new, event.requests, next_at, event.expected, event.why)


def _is_known_again(regions: Sequence[ListEvent], redesigned_at: float | None) -> bool:
    """Say whether the list was taken for itself in its new design, not for another one."""
    later = [each.what for each in regions if redesigned_at is not None and each.at.timestamp() >= redesigned_at]
    return redesigned_at is None or "found" not in later
