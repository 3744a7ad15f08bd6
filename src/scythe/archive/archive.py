"""The `Archive` class: one open archive; the SQL is in the other modules of this folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from time import time
from types import TracebackType

from sqlalchemy import Connection, func, select, update

from scythe.archive import frontier, history, host_leases, observations, profile_history, retrieval, search, watches
from scythe.archive.database import Database, insert_new, sound
from scythe.archive.host_leases import Owner
from scythe.archive.outcomes import store
from scythe.archive.results import (
    Hits,
    LaneRow,
    LaneState,
    LearningState,
    LookRow,
    PageQuery,
    PlanRow,
    RecordKey,
    RegionRow,
    SearchQuery,
    SiteRow,
    StoredPage,
    StoredRaw,
    StoredRecord,
    StoredRobots,
    WatchRow,
)
from scythe.archive.schema import PROFILES, SITES, moment, seconds, storable
from scythe.archive.search_index import index_new
from scythe.archive.site_health import count, count_sites
from scythe.archive.stored_records import known_records
from scythe.archive.verify import verify
from scythe.crawl_model import CRAWLED, ArchiveCounts, FoundUrl, HostLease, Outcome, Receipt, Task
from scythe.model import RecordList
from scythe.url import Url

_CLOCK_LOOKS = 5  # at most, at the clock of the database
_QUICK_S = 0.2  # which is wrong by half of that at most


def _now() -> datetime:
    return datetime.now(UTC)


class Archive:
    """An open archive; `open_archive` makes one. Use it from one thread at a time, close it at the end."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = _now) -> None:
        self.database = database
        self.where = database.where
        self._clock = clock

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database; closing twice is fine."""
        self.database.close()

    def clock_ahead_s(self) -> float:
        """Return by how many seconds the clock of the database's machine is ahead of this one's; of a file, 0.

        Where looking took long, as in a process that was stopped meanwhile, the answer may be wrong by as much: then
        it is looked again.
        """
        if self.database.is_sqlite:
            return 0.0
        with self.database.reading() as connection:
            connection.execute(select(1))  # the connection is made before the time is taken
            took_s, ahead_s = _look_at_clock(connection)
            for _ in range(_CLOCK_LOOKS):
                if took_s <= _QUICK_S:
                    break
                took_s, ahead_s = min((took_s, ahead_s), _look_at_clock(connection))
            return ahead_s

    def add_site(self, key: str, start: Url) -> int:
        """Return the number of the site `key`, added if it is new."""
        key = storable(key)
        row = {"key": key, "start": storable(start), "added_at": seconds(self._clock())}
        with self.database.writing() as connection:
            insert_new(connection, SITES, [row])
            return int(connection.execute(select(SITES.c.id).where(SITES.c.key == key)).scalar_one())

    def find_site(self, key: str) -> int | None:
        """Return the number of the site `key`, None if there is none."""
        with self.database.reading() as connection:
            return connection.execute(select(SITES.c.id).where(SITES.c.key == storable(key))).scalar()

    def sites(self) -> list[SiteRow]:
        """Return every site, oldest first."""
        with self.database.reading() as connection:
            rows = connection.execute(select(SITES).order_by(SITES.c.id)).all()
        return [SiteRow(row.id, row.key, Url(row.start), moment(row.added_at)) for row in rows]

    def notes(self, site: int) -> str:
        """Return what the crawler of a site wanted to keep in mind, or an empty text."""
        with self.database.reading() as connection:
            return str(connection.execute(select(SITES.c.notes).where(SITES.c.id == site)).scalar() or "")

    def save_notes(self, site: int, notes: str) -> None:
        """Keep notes in place of those before."""
        with self.database.writing(site) as connection:
            connection.execute(update(SITES).where(SITES.c.id == site).values(notes=storable(notes)))

    def add_found(self, site: int, found: Sequence[FoundUrl]) -> int:
        """Add addresses to a site's frontier; return how many were new."""
        with self.database.writing(site) as connection:
            named = [(site, found, None)]
            return frontier.add_found(connection, named, seconds(self._clock()))[0]

    def take_lane(
        self,
        site: int,
        owner: Owner,
        *,
        now: datetime,
        lease_s: float = 60.0,
        kinds: Collection[str] = CRAWLED,
        due_by: datetime | None = None,
    ) -> HostLease | None:
        """Take a lane that has addresses of these kinds due and that no living process holds; None if there is none.

        Ask nothing after `lease_s` without `keep_lane`: by then it may be another's. With `due_by` those count that
        were due then.
        """
        with self.database.writing() as connection:
            return host_leases.take_lane(connection, site, owner, now=now, lease_s=lease_s, kinds=kinds, due_by=due_by)

    def keep_lane(self, lane: HostLease, owner: Owner, *, now: datetime, lease_s: float = 60.0) -> LaneState:
        """Renew a hold; say whether it still is one, and whether somebody waits."""
        with self.database.writing() as connection:
            return host_leases.keep_lane(connection, lane, owner, now=now, lease_s=lease_s)

    def want_lane(self, site: int, owner: Owner, *, now: datetime, kinds: Collection[str] = CRAWLED) -> None:
        """Ask the holders of a site's lanes to let go; say it again every few seconds while it is meant."""
        with self.database.writing() as connection:
            host_leases.want_lane(connection, site, owner, now=now, kinds=kinds)

    def leave_lane(self, lane: HostLease, owner: Owner, *, free_at: datetime, slow: float) -> None:
        """Give a lane back; nobody asks it before `free_at`."""
        with self.database.writing() as connection:
            host_leases.leave_lane(connection, lane, owner, free_at=free_at, slow=slow)

    def lane_states(self, site: int, *, now: datetime, kinds: Collection[str] = CRAWLED) -> list[LaneRow]:
        """Return the lanes of a site that have addresses waiting."""
        with self.database.reading() as connection:
            return host_leases.lane_rows(connection, site, now=now, kinds=kinds)

    def next_tasks(
        self,
        site: int,
        lane: str,
        count: int,
        *,
        now: datetime,
        skip: Collection[int] = (),
        kinds: Collection[str] = CRAWLED,
    ) -> list[Task]:
        """Return up to `count` addresses of a lane that are due, by rank, depth and age, without those in `skip`."""
        with self.database.reading() as connection:
            return frontier.next_tasks(connection, site, lane, count, now=now, skip=skip, kinds=kinds)

    def next_due(self, site: int, kinds: Collection[str] = CRAWLED) -> datetime | None:
        """Return when the earliest waiting address of a site is due, 1970 for new ones; None if none waits."""
        with self.database.reading() as connection:
            return frontier.next_due(connection, site, kinds)

    def next_item_due(self, site: int) -> datetime | None:
        """Return when the earliest document that a watch of the site follows is due; None if none waits."""
        return self.next_due(site, ("item",))

    def add_watch(self, site: int, found: FoundUrl, options: str, *, now: datetime) -> int:
        """Watch a list page; return its number. One that is known gets the options, one that was ended begins again."""
        with self.database.writing(site) as connection:
            return watches.add_watch(connection, site, found, options, seconds(now))

    def end_watch(self, watch: int, why: str) -> None:
        """Visit a list page no more; its records and regions stay. Raises BadInput where there is no such watch."""
        with self.database.writing(self._site_of(watch)) as connection:
            watches.end_watch(connection, watch, why, seconds(self._clock()))

    def hasten_watch(self, watch: int) -> bool:
        """Visit a list page as soon as its host may be asked; False: it is not to be visited. Raises BadInput."""
        with self.database.writing(self._site_of(watch)) as connection:
            return watches.hasten_watch(connection, watch)

    def move_watch(self, watch: int, url: Url, lane: str) -> None:
        """Visit a list page at another address from now on: it moved for good."""
        site = self._site_of(watch)
        with self.database.writing(site) as connection:
            watches.move_watch(connection, site, watch, url, lane)

    def _site_of(self, watch: int) -> int:
        with self.database.reading() as connection:
            return watches.site_of(connection, watch)

    def watches(self, site: int | None = None, *, ended: bool = False) -> list[WatchRow]:
        """Return the pages that are watched, of one site or of all; with `ended` those too that were."""
        with sound(self.where), self.database.reading() as connection:
            return watches.watch_rows(connection, site, ended=ended)

    def watch(self, watch: int) -> WatchRow | None:
        """Return a page that is, or was, watched, None if there is none of this number."""
        with sound(self.where), self.database.reading() as connection:
            return watches.watch_row(connection, watch)

    def due_watches(self) -> list[tuple[int, int, datetime]]:
        """Return (watch, site, when it is due) of every page that is watched; 1970: at once."""
        with sound(self.where), self.database.reading() as connection:
            return watches.due_watches(connection)

    def due_sites(self) -> dict[int, datetime]:
        """Return for each site with something to watch when the earliest list or document of it is due.

        One call for all: to ask `next_due` of 2 000 sites would take a second.
        """
        with sound(self.where), self.database.reading() as connection:
            return watches.due_sites(connection)

    def wind_watches(self, now: datetime) -> int:
        """Put right what a clock that was ahead put off; call it at the start and after a jump. Return how many.

        Afterwards no watched page is due later than the wait that was planned for it, counted from now.
        """
        with self.database.writing() as connection:
            return watches.wind_watches(connection, now)

    def regions(self, watch: int) -> list[RegionRow]:
        """Return the regions of a watched page, by number, as the last visit left them."""
        with sound(self.where), self.database.reading() as connection:
            return observations.list_rows(connection, watch)

    def watched_regions(self) -> list[RegionRow]:
        """Return the regions of every page that is watched, page after page."""
        with sound(self.where), self.database.reading() as connection:
            return observations.watched_regions(connection)

    def region(self, region: int) -> RegionRow | None:
        """Return a region by its own number, None if there is none."""
        with sound(self.where), self.database.reading() as connection:
            return observations.find_list(connection, region)

    def plans(self, sites: Sequence[str] = ()) -> list[PlanRow]:
        """Return the regions of every page that is watched, of these sites or of all, with the last look at each."""
        with sound(self.where), self.database.reading() as connection:
            return observations.plan_rows(connection, sites)

    def looks(self, region: int, *, since: datetime | None = None) -> Iterator[LookRow]:
        """Yield the journal of a region, oldest line first."""
        with sound(self.where):
            yield from observations.read_looks(self.database, region, None if since is None else seconds(since))

    def late_looks(self, region: int, *, before: int | None = None, count: int = 50) -> list[LookRow]:
        """Return the last lines of the journal of a region, or those before a line; the newest first."""
        with sound(self.where), self.database.reading() as connection:
            return observations.late_looks(connection, region, before, count)

    def count_came(self, regions: Sequence[int], *, since: datetime, step_s: float) -> dict[int, dict[int, int]]:
        """Return by region how many records came in each step of time from `since` on; steps without any are left out.

        What a first visit found came before, and is not counted.
        """
        with sound(self.where), self.database.reading() as connection:
            return observations.count_came(connection, regions, seconds(since), step_s)

    def known_records(self, site: int, regions: Sequence[RecordList]) -> list[list[RecordKey]]:
        """Return for each record of each region, all of one page, its key and whether the archive has it."""
        with self.database.reading() as connection:
            return known_records(connection, site, regions)

    def new_records(self, after: int, *, watches: Collection[int] | None, limit: int) -> list[StoredRecord]:
        """Return records that watched pages showed first, of these watches or of all, with numbers above `after`."""
        with sound(self.where):
            return retrieval.read_watched(self.database, watches=watches, limit=limit, after=after)

    def newest_records(self, count: int, *, watches: Collection[int] | None) -> list[StoredRecord]:
        """Return the last `count` records that watched pages showed first, the newest first."""
        with sound(self.where):
            return retrieval.read_watched(self.database, watches=watches, limit=count)

    def cursor(self, name: str) -> int:
        """Return the number of the record that somebody has come to who takes them in turn; 0 at the beginning."""
        with self.database.reading() as connection:
            return watches.load_cursor(connection, name)

    def save_cursor(self, name: str, position: int) -> None:
        """Keep how far somebody has come."""
        with self.database.writing() as connection:
            watches.save_cursor(connection, name, position)

    def store(self, outcomes: Sequence[Outcome]) -> list[Receipt]:
        """Store what came of visits, in one transaction; return a receipt for each, in order."""
        return store(self.database, outcomes)

    def settle(self, task_ids: Iterable[int], state: str, why: str) -> None:
        """Give waiting addresses a final state without a visit."""
        with self.database.writing() as connection:
            frontier.settle(connection, task_ids, state, why, seconds(self._clock()))

    def requeue(self, site: int, *, states: Collection[str] = ("done",), now: datetime) -> int:
        """Let addresses of a site that had one of the states be visited again; return how many."""
        with self.database.writing(site) as connection:
            return frontier.requeue(connection, site, states)

    def expect(self, site: int, found: FoundUrl, *, now: datetime) -> Task:
        """Return an address, known or not, as one that waits: for what somebody else fetched and wants to store."""
        with self.database.writing(site) as connection:
            return frontier.expect(connection, site, found, seconds(now))

    def robots(self, origin: str) -> StoredRobots | None:
        """Return the robots.txt last fetched from an origin."""
        with self.database.reading() as connection:
            return profile_history.load_robots(connection, origin)

    def save_robots(self, robots: StoredRobots) -> None:
        """Keep a robots.txt in place of the one before."""
        with self.database.writing() as connection:
            profile_history.save_robots(connection, robots)

    def save_profile(self, site: int, profile: str) -> int:
        """Store a profile unless it is the newest already; return its version."""
        with self.database.writing(site) as connection:
            return profile_history.save_profile(connection, site, profile, seconds(self._clock()))

    def claim_learning(self, site: int, owner: Owner, *, now: datetime, lease_s: float = 60.0) -> LearningState:
        """Take or renew the right to learn a site; who does not get it has to take what another learns."""
        with self.database.writing(site) as connection:
            return profile_history.claim_learning(connection, site, owner, now=now, lease_s=lease_s)

    def leave_learning(self, site: int, owner: Owner) -> None:
        """Give the right to learn a site back."""
        with self.database.writing(site) as connection:
            profile_history.leave_learning(connection, site, owner)

    def learner(self, site: int, *, now: datetime) -> str:
        """Return who has the right to learn a site, as Owner.to_text writes it; empty: nobody."""
        with self.database.reading() as connection:
            return profile_history.learner_of(connection, site, now)

    def save_learned(self, site: int, profile: str, owner: Owner, *, after: int) -> int | None:
        """Store a profile made from version `after` by the one who has the right; None: it came too late."""
        with self.database.writing(site) as connection:
            return profile_history.save_learned(connection, site, profile, owner, after, seconds(self._clock()))

    def profile_version(self, site: int) -> int:
        """Return the version of a site's newest profile, 0 where there is none."""
        with self.database.reading() as connection:
            return profile_history.newest_version(connection, site)

    def profile(self, site: int, version: int | None = None) -> str | None:
        """Return a version of a site's profile, the newest if none is named; None where there is none."""
        with self.database.reading() as connection:
            return profile_history.load_profile(connection, site, version)

    def counts(self, site: int | None = None) -> ArchiveCounts:
        """Count what is there, of one site or of all. It looks at every address: call it now and then, not per page."""
        with self.database.reading() as connection:
            return count(connection, site)

    def counts_of_sites(self) -> dict[int, ArchiveCounts]:
        """Count what is there of each site that has anything: much faster than to ask for one after the other."""
        with self.database.reading() as connection:
            return count_sites(connection)

    def learned_sites(self) -> set[int]:
        """Return the sites that have a profile."""
        with self.database.reading() as connection:
            return set(connection.execute(select(PROFILES.c.site).distinct()).scalars())

    def verify(self) -> list[str]:
        """Read everything and return what is wrong with it; an empty list is a sound archive."""
        return verify(self.database)

    def read_pages(self, wanted: PageQuery) -> Iterator[StoredPage]:
        """Yield stored pages one by one."""
        with sound(self.where):
            yield from retrieval.read_pages(self.database, wanted)

    def read_rests(self, wanted: PageQuery) -> Iterator[str]:
        """Yield of each stored page what was extracted besides, as JSON."""
        with sound(self.where):
            yield from retrieval.read_rests(self.database, wanted)

    def read_records(self, wanted: PageQuery) -> Iterator[StoredRecord]:
        """Yield stored records one by one."""
        with sound(self.where):
            yield from retrieval.read_records(self.database, wanted)

    def read_raw(self, wanted: PageQuery) -> Iterator[StoredRaw]:
        """Yield stored responses one by one."""
        with sound(self.where):
            yield from retrieval.read_raw(self.database, wanted)

    def index_new(self, *, budget_s: float = 0.1) -> int:
        """Let searches find what was stored since the last time; stop after about so long, return what is left."""
        return index_new(self.database, budget_s=budget_s)

    def search(self, wanted: SearchQuery) -> Hits:
        """Return a page of what was found among what is indexed; `Hits.pending` says how much is not."""
        with sound(self.where):
            return search.search(self.database, wanted)

    def found_pages(self, wanted: SearchQuery) -> Iterator[StoredPage]:
        """Yield the documents of a page of results, as exports have them."""
        with sound(self.where):
            yield from retrieval.read_versions(self.database, search.find_numbers(self.database, wanted))

    def found_records(self, wanted: SearchQuery) -> Iterator[StoredRecord]:
        """Yield the records of a page of results, as exports have them."""
        with sound(self.where):
            yield from retrieval.read_some_records(self.database, search.find_numbers(self.database, wanted))

    def page_history(self, page: int) -> history.PageHistory | None:
        """Return versions and requests of a document; None where there is none of this number."""
        with sound(self.where):
            return history.read_history(self.database, page)

    def page_version(self, page: int, number: int | None = None) -> StoredPage | None:
        """Return one version of a document, the newest if none is named, without its records."""
        with sound(self.where):
            return retrieval.read_version(self.database, page, number)

    def record_history(self, record: int) -> history.RecordHistory | None:
        """Return a record with where it was seen; None where there is none of this number."""
        with sound(self.where):
            return history.read_record_history(self.database, record)

    def listed_on(self, page: int, most: int = 50) -> list[StoredRecord]:
        """Return the records that the last visit saw on a page, in its order."""
        with sound(self.where):
            return history.read_listed(self.database, page, most)


def _look_at_clock(connection: Connection) -> tuple[float, float]:
    """Return how long it took to look, and by how much the clock of the database is ahead of ours."""
    before = time()
    theirs = float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
    after = time()
    return abs(after - before), theirs - (before + after) / 2
