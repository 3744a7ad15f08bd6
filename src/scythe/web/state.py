"""The state of a running web page: archive, profiles, loaded pages and background jobs.

Requests run in threads. Changes to pages or sites hold `lock`; each borrower gets its own archive connection.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field
from datetime import UTC, datetime
from functools import cache
from inspect import signature
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar, cast

from scythe.archive.archive import Archive
from scythe.archive.open import name_archive, open_archive
from scythe.archive.stale_versions import is_stale
from scythe.archive.stored_sites import add_site, find_site, save_profile, site_rows, stored_profile
from scythe.crawling.refill import RefillCounts, refill
from scythe.errors import BadInput, ScytheError
from scythe.fetch.fetch_options import FetchOptions
from scythe.fetch.inputs import LoadedPage
from scythe.page import Page
from scythe.site.profile_folder import site_of
from scythe.site.site import Site
from scythe.url import Url
from scythe.version import version

T = TypeVar("T")


def fill(kind: Callable[..., T], *sources: object, **given: object) -> T:
    """Return a record: of each field what is given, else what the first of the sources has under the same name."""
    for name in _names(kind):
        if name not in given:
            found = next((value for one in sources if (value := getattr(one, name, MISSING)) is not MISSING), MISSING)
            if found is not MISSING:
                given[name] = found
    return kind(**given)


@cache
def _names(kind: Callable[..., object]) -> tuple[str, ...]:
    return tuple(signature(kind).parameters)


class Recent(Generic[T]):
    """Things by their keys, those asked for last; one of which the stamp is another now is made anew.

    They are made under the lock, which whoever uses one for longer may hold: a lock of their own each, since a page of
    some megabytes takes seconds, and others have to go on.
    """

    def __init__(self, most: int) -> None:
        self.lock = threading.RLock()
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()

    def get(self, key: Hashable, stamp: object, make: Callable[[], T]) -> T:
        """Return what is kept under a key, made where it is not there or has another stamp."""
        with self.lock:
            kept = self._kept.pop(key, None)
            if kept is None or (kept[0] is not stamp and kept[0] != stamp):
                kept = (stamp, make())
            self._kept[key] = kept
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return kept[1]


class NotThere(ScytheError):
    """What was asked for is not there: 404."""


class NotNow(ScytheError):
    """What was asked for cannot be done as things stand: 409."""


def there(found: T | None, why: str) -> T:
    """Return what was found. Raises NotThere, with `why`, where that is nothing."""
    if found is None:
        raise NotThere(why)
    return found


_KEPT = 200  # jobs that are remembered
_AT_ONCE = 16  # jobs of one kind that run, each in a thread


@dataclass
class JobView:
    """A job as it stands."""

    number: int
    kind: str
    title: str
    state: str = "running"  # running, done, failed, stopped
    done: int = 0
    total: int | None = None  # None: nobody knows
    note: str = ""  # what is done at the moment
    error: str = ""
    result: object = None  # becomes JSON
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    ended_at: datetime | None = None


@dataclass
class BackgroundJob(JobView):
    """One piece of work. The one who works sets `done`, `total`, `note` and `result`; others read."""

    is_stopping: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)  # whoever asks may wait a little for short work
    on_stop: Callable[[], None] | None = None  # called when it is asked to stop, by the asking thread

    def step(self, done: int, total: int | None = None, note: str = "") -> None:
        """Say how far it has come."""
        self.done, self.total, self.note = done, total, note

    def stop(self) -> None:
        """Ask it to end soon."""
        self.is_stopping.set()
        if self.on_stop is not None and self.state == "running":
            self.on_stop()


class Jobs:
    """All work of one state."""

    def __init__(self) -> None:
        self._jobs: dict[int, BackgroundJob] = {}
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._last = 0

    def start(
        self, kind: str, title: str, work: Callable[[BackgroundJob], object], *, most: int = _AT_ONCE
    ) -> BackgroundJob:
        """Begin work; what it returns is the result. Errors raised on purpose end it as failed, with their words.

        Raises NotNow where `most` jobs of this kind are running.
        """
        with self._lock:
            running = [job.number for job in self._jobs.values() if job.kind == kind and job.state == "running"]
            if len(running) >= most:
                raise NotNow(f"such work is under way already (job {running[0]}): wait for it, or stop it")
            self._last += 1
            job = self._jobs[self._last] = BackgroundJob(self._last, kind, title)
            for number in [n for n, old in self._jobs.items() if old.state != "running"][:-_KEPT]:
                del self._jobs[number]
            thread = threading.Thread(target=self._run, args=(job, work), name=f"scythe-{kind}", daemon=True)
            self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()
        return job

    def _run(self, job: BackgroundJob, work: Callable[[BackgroundJob], object]) -> None:
        state, why = "failed", "an error in scythe itself; the terminal shows where"
        try:
            job.result = work(job)
            state, why = "stopped" if job.is_stopping.is_set() else "done", ""
        except (ScytheError, OSError) as error:
            why = str(error)
        finally:
            job.error = why
            job.ended_at = datetime.now(UTC)
            job.state = state
            job.ended.set()

    def find(self, number: int) -> BackgroundJob | None:
        """Return a job by its number."""
        return self._jobs.get(number)

    def seen(self, kind: str | None = None) -> list[JobView]:
        """Return all jobs, the newest first."""
        with self._lock:
            jobs = list(self._jobs.values())
        return [see(job) for job in reversed(jobs) if kind is None or job.kind == kind]

    def close(self, patience_s: float = 20.0) -> None:
        """Ask all to stop, and wait for them, so long in all."""
        until = monotonic() + patience_s
        for job in list(self._jobs.values()):
            if job.state == "running":
                job.stop()
        for thread in self._threads:
            thread.join(max(until - monotonic(), 0.0))


def see(job: BackgroundJob) -> JobView:
    """Return a job as it stands."""
    return fill(JobView, job)


PROFILE = "profile"  # the name, among sites, of that of the pages at hand, and of a profile that is a file
PAGES_AT_HAND = "pages at hand"  # its name in an archive where no page says where it is from
_OPENED = 16  # pages whose trees are kept


@dataclass(frozen=True, slots=True)
class PageAtHand:
    """One page that people may look at, annotate and learn from."""

    number: int  # from 1 on
    site: str  # a key of `Room.site_keys`
    name: str
    url: str | None
    body: bytes = field(repr=False)
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class StateOptions:
    """What a web page is opened on."""

    archive: str | None = None  # a file, or postgresql://...
    profile: Path | None = None  # it need not exist yet
    title: str = ""  # of what the profile is about
    reach: FetchOptions = field(default_factory=FetchOptions)
    delay_s: float = 1.0  # between requests to a site


class State:
    """The state behind the web page."""

    def __init__(self, options: StateOptions, pages: Iterable[LoadedPage] = ()) -> None:
        self.options = options
        self.lock = threading.RLock()
        self.jobs = Jobs()
        self._pages: dict[int, PageAtHand] = {}
        self._opened: Recent[Page] = Recent(_OPENED)
        self._parts: dict[type, object] = {}
        self._recent: dict[Callable[..., object], Recent[Any]] = {}
        self._idle: list[Archive] = []
        self._consents: set[str] = set()
        self.add_pages(PROFILE, pages)

    # -- pages at hand -------------------------------------------------------------------------------------------------

    def add_pages(self, site: str, pages: Iterable[LoadedPage]) -> list[PageAtHand]:
        """Take pages in; those that could not be loaded are left out, and of an address the newest is kept."""
        added = []
        with self.lock:
            for page in pages:
                if page.complaint:
                    continue
                same = [each.number for each in self._pages.values() if each.site == site and _is_same(each, page)]
                number = same[0] if same else max(self._pages, default=0) + 1
                one = PageAtHand(number, site, page.name, page.url, page.body, page.content_type)
                self._pages[number] = one
                added.append(one)
        return added

    def pages(self, site: str | None = None) -> list[PageAtHand]:
        """Return the pages at hand, of one site or of all, in the order they came."""
        with self.lock:
            return [page for page in self._pages.values() if site is None or page.site == site]

    def page(self, number: int) -> PageAtHand:
        """Return a page by its number. Raises NotThere."""
        return there(self._pages.get(number), f"there is no page {number} at hand")

    def opened(self, at_hand: PageAtHand) -> Page:
        """Return a page for reading; the last ones are kept with their trees. Hold `lock` while using it."""
        return self._opened.get(at_hand.number, at_hand, lambda: open_page(at_hand))

    # -- sites ---------------------------------------------------------------------------------------------------------

    def site_keys(self) -> list[str]:
        """Return the names of all sites: PROFILE where there is a file or pages at hand, then those of the archive."""
        keys = [PROFILE] if self.options.profile is not None or self.pages(PROFILE) else []
        if self.options.archive is not None:
            with self.archive() as archive:
                keys += [site.key for site in site_rows(archive)]
        return keys

    def site_key(self, given: str) -> str:
        """Return the key that was given or, where none was, the first one. Raises NotThere for any other."""
        keys = self.site_keys()
        key = given or (keys[0] if keys else PROFILE)
        if key not in keys and key != PROFILE:
            raise NotThere(f"there is no site {key!r:.80}")
        return key

    def load_site(self, key: str) -> Site | None:
        """Load what was learned of a site; None where nothing was. Raises BadInput, OSError, ArchiveFailed."""
        if self.is_in_file(key):
            path = self.options.profile
            return Site.load(path) if path is not None and path.exists() else None
        with self.archive() as archive:
            number = find_site(archive, self.archive_key(key)) if key == PROFILE else _find(archive, key)
            saved = None if number is None else stored_profile(archive, number)
        return Site.from_json(saved) if saved is not None else None

    def _read_again(self, key: str) -> None:
        """Have what is stored of a site extracted anew by what was saved, where that is another thing."""
        with self.archive() as archive:
            if not is_stale(archive, key, version()):
                return

        def work(job: BackgroundJob) -> str:
            def tell(so_far: RefillCounts) -> None:
                job.step(so_far.done, so_far.total)

            with self.archive() as archive:
                done = refill(archive, [key], tell=tell, stop=job.is_stopping)
            return f"{done.done} stored pages read again"

        self.jobs.start("refill", f"Read the stored pages of {key} again", work)

    def is_in_file(self, key: str) -> bool:
        """Say whether what is learned of a site goes to a file, not to the archive: that of pages at hand may."""
        return key == PROFILE and (self.options.profile is not None or self.options.archive is None)

    def has_place(self, key: str) -> bool:
        """Say whether what is learned of a site could be saved."""
        return key != PROFILE or self.options.profile is not None or self.options.archive is not None

    def require_place(self, key: str) -> None:
        """Raise NotNow where nothing that is learned of a site could be saved."""
        if not self.has_place(key):
            raise NotNow("there is nowhere to save to: start again with --archive FILE or --profile FILE")

    def archive_key(self, key: str) -> str:
        """Return the key in the archive of a site: that of pages at hand is named after where they are from."""
        if key != PROFILE:
            return key
        return next((host for page in self.pages(PROFILE) if (host := site_of(page.url or ""))), PAGES_AT_HAND)

    def save_site(self, key: str, site: Site) -> str:
        """Save what was learned of a site; return where it is now. Raises BadInput, OSError, ArchiveFailed."""
        self.require_place(key)
        if self.options.profile is not None and key == PROFILE:
            site.save(self.options.profile)
            return str(self.options.profile)
        with self.archive() as archive:
            start = next((page.url for page in self.pages(key) if page.url), "")
            number = add_site(archive, self.archive_key(key), Url(start)) if key == PROFILE else _find(archive, key)
            version = save_profile(archive, number, site.to_json())
        self._read_again(self.archive_key(key))
        return f"version {version} in {self.where}"

    def file_for(self, site: str) -> str | None:
        """Return the profile that is a file, where it may be of a site of which the archive knows nothing yet."""
        path = self.options.profile
        if path is None or not path.exists() or self.archive_key(PROFILE) not in (site, PAGES_AT_HAND):
            return None
        with self.archive() as archive:
            number = find_site(archive, site)
            if number is not None and stored_profile(archive, number) is not None:
                return None
        return Site.load(path).to_json()

    @property
    def where(self) -> str | None:
        """Where the archive is, for people to see: without a password. None: there is none."""
        return None if self.options.archive is None else name_archive(self.options.archive)

    # -- archive -------------------------------------------------------------------------------------------------------

    @contextmanager
    def archive(self) -> Iterator[Archive]:
        """Lend an archive to one thread. Raises BadInput where there is none, ArchiveFailed where it cannot be used."""
        if self.options.archive is None:
            raise BadInput("there is no archive: start again with --archive FILE")
        with self.lock:
            archive = self._idle.pop() if self._idle else None
        archive = archive or open_archive(self.options.archive)
        try:
            yield archive
        except BaseException:
            archive.close()  # who knows what it is in the middle of
            raise
        with self.lock:
            self._idle.append(archive)

    # -- consent and parts ---------------------------------------------------------------------------------------------

    def consent(self, site: str, *, is_given: bool) -> None:
        """Note whether pictures and styles of a site may be asked for from its servers."""
        with self.lock:
            (self._consents.add if is_given else self._consents.discard)(site)

    def has_consent(self, site: str) -> bool:
        """Say whether pictures and styles of a site may be asked for."""
        return site in self._consents

    def part(self, kind: type[T]) -> T:
        """Return the one `kind(state)` of this state: where the areas keep what they have in mind."""
        with self.lock:
            if kind not in self._parts:
                self._parts[kind] = kind(self)  # type: ignore[call-arg]
            return cast(T, self._parts[kind])

    def recent(self, make: Callable[..., T], most: int) -> Recent[T]:
        """Return what a function made last for this state, so many of them: what takes long to make."""
        with self.lock:
            return cast(Recent[T], self._recent.setdefault(make, Recent(most)))

    def close(self) -> None:
        """End all work and let go of the archive."""
        self.jobs.close()
        with self.lock:
            for archive in self._idle:
                archive.close()
            self._idle.clear()


def open_page(at_hand: PageAtHand) -> Page:
    """Return a page for reading, its tree made anew."""
    return Page.from_bytes(at_hand.body, url=at_hand.url, content_type=at_hand.content_type)


def _find(archive: Archive, key: str) -> int:
    number = find_site(archive, key)
    if number is None:
        raise BadInput(f"there is no site {key!r:.80} in the archive")
    return number


def _is_same(page: PageAtHand, loaded: LoadedPage) -> bool:
    return page.url == loaded.url if loaded.url else page.url is None and page.name == loaded.name
