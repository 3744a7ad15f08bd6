"""A durable Scrapy scheduler: requests are in an archive, so a killed run loses nothing.

A request stays in the archive until its callback has finished, its items passed the pipelines and its new requests are
stored. Several processes can share a crawl. Feed files are repaired after a kill.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro

from scythe.archive.host_leases import Owner
from scythe.archive.open import open_archive
from scythe.archive.schema import digest
from scythe.crawling.scope import host_of
from scythe.errors import ArchiveFailed, BadInput
from scythe.scrapy.request_store import Hold, NewRequest, Requests, TakenRequest, Turn, dump_request, load_request

_SHORTEST_S, _LONGEST_S = 12.0, 86_400.0  # holds are renewed every second; no hold is longer than a day


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """What the settings SCYTHE_... say."""

    archive: str  # SCYTHE_ARCHIVE: a file or a postgresql:// address
    crawl: str = ""  # SCYTHE_CRAWL: processes with the same name share their requests; empty: the name of the spider
    lease_s: float = 60.0  # SCYTHE_LEASE: a process of another machine that is silent for so long has lost its requests
    hold_hosts: bool = True  # SCYTHE_HOLD_HOSTS: a host is asked by one process at a time
    anew: bool = False  # SCYTHE_ANEW: forget what the crawl of this name asked before
    ask_failed: bool = False  # SCYTHE_ASK_FAILED: ask again what failed before

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> SchedulerOptions:
        """Read the settings of a project. Raises BadInput."""
        archive, lease_s = str(settings.get("SCYTHE_ARCHIVE") or ""), settings.getfloat("SCYTHE_LEASE", 60.0)
        if not archive:
            raise BadInput("scythe's scheduler needs the setting SCYTHE_ARCHIVE: a file, or a postgresql:// address")
        if not _SHORTEST_S <= lease_s <= _LONGEST_S:
            raise BadInput(f"SCYTHE_LEASE is from {_SHORTEST_S:.0f} to {_LONGEST_S:.0f} seconds, not {lease_s:g}")
        return cls(
            archive,
            str(settings.get("SCYTHE_CRAWL") or ""),
            lease_s,
            settings.getbool("SCYTHE_HOLD_HOSTS", True),
            settings.getbool("SCYTHE_ANEW"),
            settings.getbool("SCYTHE_ASK_FAILED"),
        )


_LINES = ("jsonlines", "jl", "csv")  # formats that can be gone on with


def flush_feeds(crawler: Crawler) -> None:
    """Hand to the system what feed exports keep in memory; those that are sent away at the end stay as they are."""
    exporter = crawler.get_extension(FeedExporter)
    for slot in exporter.slots if exporter is not None else ():
        if slot.file is not None and not slot.file.closed:
            slot.file.flush()


def mend_feeds(crawler: Crawler) -> None:
    """End the last line of local feed files that a kill tore: the next item would be written behind it."""
    exporter = crawler.get_extension(FeedExporter)
    for slot in exporter.slots if exporter is not None else ():
        if isinstance(slot.storage, FileFeedStorage) and slot.format in _LINES:
            _end_line(Path(slot.storage.path))


def _end_line(path: Path) -> None:
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb+") as file:
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
            logger.warning("The last line of %s was torn, and is ended: its page is asked again", path)


@dataclass(eq=False, slots=True)
class PendingRequest:
    """One request that Scrapy has, or that waits in memory for Scrapy to take it."""

    request: Request | None  # None: Scrapy is done with it
    id: int  # of its row; below 0: it has none
    host: str
    named_by: tuple[PendingRequest, ...] = ()  # one of these named it
    open: int = 0  # requests without a row that this one may have named and that are not over
    is_answered: bool = False
    is_replaced: bool = False  # by another request: a redirect, a retry
    has_failed: bool = False

    @property
    def state(self) -> str:
        """Return what the archive is to keep of it."""
        return "failed" if self.has_failed or not (self.is_answered or self.is_replaced) else "done"


@dataclass(slots=True)
class PendingRequests:
    """Requests between an archive and Scrapy."""

    ready: list[TakenRequest] = field(default_factory=list)
    asked: dict[int, PendingRequest] = field(default_factory=dict)  # by number
    _memory: list[tuple[int, int, PendingRequest]] = field(default_factory=list)  # by priority, then age
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def remember(self, request: Request, host: str, namers: Collection[Request], origin: PendingRequest | None) -> None:
        """Keep a request that cannot be written; who may have named it, or is replaced by it, is not over before it."""
        named_by = tuple(asked for asked in self.asked.values() if asked.request in namers or asked is origin)
        for asked in named_by:
            asked.open += 1
        number = next(self._numbers)
        heappush(self._memory, (-request.priority, number, PendingRequest(request, -number, host, named_by)))

    def next_from_memory(self) -> PendingRequest | None:
        """Return the most urgent request that has no row, and count it as asked."""
        if not self._memory:
            return None
        asked = heappop(self._memory)[2]
        self.asked[asked.id] = asked
        return asked

    def next_ready(self) -> TakenRequest | None:
        """Return the request of the host that has the fewest under way: the most urgent of it, the oldest of those."""
        if not self.ready:
            return None
        busy = Counter(asked.host for asked in self.asked.values() if asked.request is not None)
        row = min(self.ready, key=lambda row: (busy[row.host], -row.priority, row.id))
        self.ready.remove(row)
        return row

    def end(self, underway: Collection[Request]) -> tuple[list[int], list[int]]:
        """Take away what is over; return the numbers of those done, and of those that failed."""
        for asked in self.asked.values():
            if asked.request is not None and asked.request not in underway:
                asked.request = None
        over: dict[str, list[int]] = {"done": [], "failed": []}
        heap = [asked for asked in self.asked.values() if asked.request is None and not asked.open]
        while heap:
            asked = heap.pop()
            del self.asked[asked.id]
            if asked.id > 0:
                over[asked.state].append(asked.id)
            for parent in asked.named_by:
                parent.open -= 1
                if not parent.open and parent.request is None and parent.id in self.asked:
                    heap.append(parent)
        return over["done"], over["failed"]

    def drop(self, kept: Collection[int], promised: Collection[str]) -> set[int]:
        """Let go of what was lost, and of what is promised to others and not begun; return what is to be given back.

        That includes rows nobody here knows of: the archive had stored a turn whose answer was lost.
        """
        self.ready = [row for row in self.ready if row.id in kept and row.host not in promised]
        return set(kept) - self.numbers()

    def numbers(self) -> set[int]:
        """Return the numbers of everything in hand."""
        return {row.id for row in self.ready} | self.asked.keys()

    def hosts(self, ready: Collection[TakenRequest]) -> Counter[str]:
        """Count what is ready and what has not been answered, by host."""
        hosts = Counter(row.host for row in ready)
        hosts.update(asked.host for asked in self.asked.values() if asked.id > 0 and asked.request is not None)
        return hosts

    def in_memory(self) -> int:
        """Count the requests that wait and have no row."""
        return len(self._memory)


logger = logging.getLogger(__name__)

ASKED = "scythe_asked"  # in the meta of a request that was handed out: its number; copies of it have it too
_TICK_S = 0.1  # how often a look is taken whether something is over or came from another process
_LOOK_S = 0.05  # no second look for requests within this, where the first found none and nothing was named since
_KEEP_S = 1.0  # how often holds are renewed: many times per lease, and well within the time a wish for a host lives
_AGAIN_S = 1.0  # after an error of the archive it is left alone for so long
_GIVE_UP_S = 60.0  # the archive gave errors for so long: the spider is closed
_NEW_AT_ONCE = 1_000  # named requests kept in memory before they are stored, 1 MB or so
_RECENT = 100_000  # keys remembered to tell a duplicate without a look into the archive, 15 MB


class Scheduler(BaseScheduler):
    """The durable scheduler: `SCHEDULER = "scythe.scrapy.Scheduler"` and `SCYTHE_ARCHIVE = "crawl.db"`."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler:
        """Make a scheduler with the settings of a crawler."""
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._lease_s = 0.0  # until it is open
        self._at_once = max(16, crawler.settings.getint("CONCURRENT_REQUESTS"))
        self._per_host = 2 * max(1, crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
        self._given_up = frozenset(int(code) for code in crawler.settings.getlist("RETRY_HTTP_CODES"))
        self._hand = PendingRequests()
        self._new: list[NewRequest] = []
        self._over: tuple[list[int], list[int]] = ([], [])  # not yet stored
        self._recent: OrderedDict[bytes, None] = OrderedDict()
        self._started: Counter[bytes] = Counter()  # start requests of this run
        self._kept_at = self._looked_at = self._failed_at = 0.0
        self._failing_since: float | None = None
        self._has_warned = self._has_filtered = False

    def open(self, spider: Spider) -> None:
        """Open the archive; requests that a process left which is gone wait again. Raises BadInput, ArchiveFailed."""
        # Not earlier: Scrapy would say "Engine slot not assigned" instead of what is wrong.
        options = SchedulerOptions.from_settings(self._crawler.settings)
        self._spider = spider
        self._archive = open_archive(options.archive)
        hold = Hold(options.lease_s, self._pause_s if options.hold_hosts else None)
        crawl = options.crawl or spider.name
        self._requests = Requests(self._archive, crawl, hold, Owner.of_this_process())
        if options.anew:
            self._requests.forget()
        again = self._requests.ask_failed() if options.ask_failed else 0
        self._requests.reclaim()
        waiting = self._requests.count_waiting()
        self._count("resumed", waiting)
        if waiting:
            logger.info("Resuming crawl (%d requests waiting, %d of them failed before)", waiting, again)
        self._kept_at, self._lease_s = time.time(), options.lease_s
        for signal, note in (
            (signals.response_received, self._note_answer),
            (signals.spider_error, self._note_failure),
            (signals.item_error, self._note_failure),
            (signals.engine_started, self._mend_feeds),
        ):
            self._crawler.signals.connect(note, signal=signal)
        self._ticker = create_looping_call(self._tick)
        self._ticker.start(_TICK_S, now=False)

    def close(self, reason: str) -> None:
        """Store what is left, give back what was not asked, and close the archive."""
        if not self._lease_s:
            return
        if self._ticker.running:
            self._ticker.stop()
        if not self._turn(0):
            logger.error("The last requests were not stored in the archive and will be repeated (%s)", reason)
        else:
            self._requests.leave([number for number in self._hand.numbers() if number > 0])
        self._archive.close()

    def __len__(self) -> int:
        return self._requests.count_waiting() + len(self._new) + self._hand.in_memory()

    def has_pending_requests(self) -> bool:
        """Say whether there is, or may come, something to ask: what another process has in hand may name more."""
        if self._new or self._hand.ready or self._hand.in_memory():
            return True
        if not self._turn(0):
            return True
        try:
            return self._requests.has_waiting()
        except ArchiveFailed:
            return True  # the next turn says so

    def enqueue_request(self, request: Request) -> bool:
        """Take a request to be asked, once; it is stored before the answer that named it counts as done."""
        origin = self._hand.asked.get(request.meta.get(ASKED, 0))
        if origin is not None and not origin.is_answered:
            origin.is_replaced = True
        key = self._key(request)
        if key is not None and self._is_recent(key):
            self._note_duplicates(1, request)
            return False
        host = host_of(request.url)
        try:
            written = dump_request(request, self._spider)
        except ValueError as error:
            self._note_unwritten(request, error)
            self._hand.remember(request, host, self._scraped(), origin)
            self._count("enqueued", 1, "memory")
        else:
            self._new.append(NewRequest(key, host, request.url, request.priority, written))
            self._count("enqueued", 1, "archive")
        if len(self._new) >= _NEW_AT_ONCE:
            self._turn(0, ends=False)  # in the middle of a signal it may be too early to say what is over
        return True

    def next_request(self) -> Request | None:
        """Return a request to ask now; None: there is none, or its host is another process's, or has its pause."""
        asked = self._hand.next_from_memory()
        if asked is not None and asked.request is not None:
            asked.request.meta[ASKED] = asked.id
            self._count("dequeued", 1, "memory")
            return asked.request
        is_late = time.time() - self._kept_at > self._lease_s / 2
        if is_late or self._is_overtaken() or not self._hand.ready:
            self._look()
        return self._next_ready() if time.time() - self._kept_at < self._lease_s / 2 else None

    def _next_ready(self) -> Request | None:
        while row := self._hand.next_ready():
            try:
                request = load_request(row.request, self._spider)
            except (ValueError, TypeError) as error:
                logger.error("A stored request cannot be asked, and counts as failed: %s", error)
                self._over[1].append(row.id)
                continue
            request.meta[ASKED] = row.id
            self._hand.asked[row.id] = PendingRequest(request, row.id, row.host)
            self._count("dequeued", 1, "archive")
            return request
        return None

    def _look(self) -> None:
        """Look for requests, unless that was done a moment ago and nothing was named since."""
        now = time.monotonic()
        if self._new or now - self._looked_at >= _LOOK_S:
            self._turn(self._at_once)
            if not self._hand.ready:
                self._looked_at = now

    def _is_overtaken(self) -> bool:
        """Say whether something more urgent was named than all that is ready."""
        if not self._new or not self._hand.ready:
            return False
        return max(row.priority for row in self._new) > max(row.priority for row in self._hand.ready)

    def _tick(self) -> None:
        """Store what is over, renew holds, and have Scrapy ask again for what it did not get."""
        self._turn(0)
        slot = getattr(self._crawler.engine, "_slot", None)
        if slot is not None and slot.closing is None:  # without it Scrapy looks by itself, every 5 seconds
            slot.nextcall.schedule()

    def _turn(self, want: int, *, ends: bool = True) -> bool:
        """Tell the archive what is new and what is over, and take requests; False: it could not be told."""
        if self._failing_since is not None and time.monotonic() - self._failed_at < _AGAIN_S:
            return False
        if ends:
            for over, ended in zip(self._over, self._hand.end(self._underway()), strict=True):
                over.extend(ended)
        try:
            self._renew()
            self._exchange(want)
        except ArchiveFailed as error:
            self._note_outage(error)
            return False
        self._failing_since = None
        return True

    def _exchange(self, want: int) -> None:
        new, (done, failed) = self._new, self._over
        ready, back = self._hand.ready, list[int]()
        if self._is_overtaken():
            ready, back, want = [], [row.id for row in ready], self._at_once
        want -= len(ready)
        if not (new or done or failed or want > 0):
            return
        if done or failed:
            flush_feeds(self._crawler)
        turned = self._requests.turn(Turn(new, done, failed, back, want, self._per_host, self._hand.hosts(ready)))
        self._new, self._over = [], ([], [])
        self._hand.ready = [*ready, *turned.taken]
        self._count("done", len(done))
        self._count("failed", len(failed))
        self._count("lost", turned.lost)
        self._note_duplicates(turned.known)

    def _renew(self) -> None:
        """Keep hold of what is in hand, now and then; what a process that slept for too long has lost is dropped."""
        now = time.time()
        if 0 <= now - self._kept_at < _KEEP_S:
            return
        self._requests.reclaim()
        kept = self._requests.keep()
        self._kept_at = now
        back = self._hand.drop(kept.ids, kept.promised) - {*self._over[0], *self._over[1]}
        if back:
            self._requests.turn(Turn(given_back=tuple(back), in_hand=self._hand.hosts(self._hand.ready)))
        if not (self._hand.ready or self._hand.asked or self._hand.in_memory()):
            self._requests.want_hosts()

    def _underway(self) -> Collection[Request]:
        """Return the requests that Scrapy has not done with: it moves one from the first set to the second at once."""
        return self._crawler.engine.downloader.active | self._scraped()

    def _scraped(self) -> set[Request]:
        """Return the requests whose answers the spider and the pipelines have."""
        slot = self._crawler.engine.scraper.slot
        return set() if slot is None else slot.active  # None: the spider is being opened

    def _pause_s(self, host: str) -> float:
        """Return how long nobody is to ask a host after this process: the longest pause that Scrapy makes."""
        downloader = self._crawler.engine.downloader
        host = host.partition(":")[0]
        slot = downloader.slots.get(host) or downloader.slots.get(f"www.{host}")
        delay = slot.delay if slot is not None else self._crawler.settings.getfloat("DOWNLOAD_DELAY")
        return float(delay) * (1.0 + self._crawler.settings.getfloat("DOWNLOAD_DELAY_JITTER", 0.5))

    def _key(self, request: Request) -> bytes | None:
        """Return what is asked once; a start request counts once in all runs, however often a run yields it."""
        if not request.dont_filter:
            return digest(self._crawler.request_fingerprinter.fingerprint(request))
        if not request.meta.get("is_start_request") or ASKED in request.meta:
            return None
        start = self._crawler.request_fingerprinter.fingerprint(request)
        self._started[start] += 1
        return digest(b"start %d " % self._started[start] + start)

    def _is_recent(self, key: bytes) -> bool:
        if key in self._recent:
            self._recent.move_to_end(key)
            return True
        self._recent[key] = None
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        return False

    def _asked_of(self, source: Any) -> PendingRequest | None:
        request = getattr(source, "request", None)
        return None if request is None else self._hand.asked.get(request.meta.get(ASKED, 0))

    def _mend_feeds(self) -> None:
        mend_feeds(self._crawler)

    def _note_answer(self, response: Any) -> None:
        asked = self._asked_of(response)
        if asked is not None:
            asked.is_answered = True
            asked.has_failed = response.status in self._given_up

    def _note_failure(self, response: Any) -> None:
        asked = self._asked_of(response)
        if asked is not None:
            asked.has_failed = True

    def _note_duplicates(self, number: int, request: Request | None = None) -> None:
        if number:
            self._crawler.stats.inc_value("dupefilter/filtered", number)
        if request is not None and (not self._has_filtered or self._crawler.settings.getbool("DUPEFILTER_DEBUG")):
            self._has_filtered = True  # as Scrapy does: one line, and then only the figure
            logger.debug("Filtered duplicate request: %s (DUPEFILTER_DEBUG shows all of them)", request)

    def _note_unwritten(self, request: Request, error: ValueError) -> None:
        self._count("unserializable", 1)
        if not self._has_warned:
            self._has_warned = True
            logger.warning(
                "A request cannot be stored, and is kept in memory (%s): %s. The page that named it counts as done only"
                " after it. Further ones are only counted.",
                error,
                request,
            )

    def _note_outage(self, error: ArchiveFailed) -> None:
        now = self._failed_at = time.monotonic()
        self._count("archive_errors", 1)
        if self._failing_since is None:
            self._failing_since = now
            logger.error("The archive could not be written, nothing is lost yet: %s", error)
        elif now - self._failing_since > _GIVE_UP_S:
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="archive_failed"))

    def _count(self, name: str, number: int, where: str = "") -> None:
        if number:
            self._crawler.stats.inc_value(f"scheduler/{name}", number)
            if where:
                self._crawler.stats.inc_value(f"scheduler/{name}/{where}", number)
