"""The overview: sites, loaded pages, background jobs and next visits; also load pages of a site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Annotated, Any

import msgspec

from scythe.archive.results import StoredRecord
from scythe.archive.retrieval import newest_records
from scythe.archive.sites import learned_sites, site_rows
from scythe.crawl_model import ArchiveCounts
from scythe.crawling.sample_site import sample_site
from scythe.errors import BadInput
from scythe.fetch.inputs import Input, LoadedPage, load
from scythe.site.rules import Profile
from scythe.url import absolute
from scythe.version import version
from scythe.watching.plan_report import Planned, read_plan
from scythe.web.learned_sites import LearnedSites, SiteCounts
from scythe.web.operations import Address, Key, Nothing, Number, Operation, RequestInput, View
from scythe.web.state import PROFILE, BackgroundJob, JobSeen, NotThere, PageAtHand, State, see

_SAMPLE = 24  # pages of a site that are looked at, unless said otherwise
_SOON = 8  # visits that the overview shows
_NEWEST = 6  # records


@dataclass(frozen=True, slots=True)
class About:
    """What is being served."""

    version: str
    archive: str | None
    profile: str | None
    pages: int


@dataclass(frozen=True, slots=True)
class PageSeen:
    """A page at hand."""

    number: int
    site: str
    name: str
    url: str | None
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class SiteSeen:
    """A site of the archive, or the profile that is a file."""

    key: str
    start: str | None
    is_learned: bool
    pages_at_hand: int
    counts: ArchiveCounts | None  # None: it is not in the archive


class SampleWanted(RequestInput, frozen=True):
    """Pages to take in."""

    url: Address  # of a site, or of one page
    pages: Annotated[int, msgspec.Meta(ge=1, le=200)] = _SAMPLE
    site: Key = PROFILE


class JobWanted(RequestInput, frozen=True):
    """A piece of work."""

    number: Number


def see_about(room: State, wanted: Nothing) -> About:
    """Say what is being served."""
    options = room.options
    profile = None if options.profile is None else str(options.profile)
    return About(version(), room.where, profile, len(room.pages()))


def list_sites(room: State, wanted: Nothing) -> list[SiteSeen]:
    """List the sites that are known."""
    found = []
    if PROFILE in room.site_keys():
        path = room.options.profile
        is_learned = path is not None and path.exists()
        found.append(SiteSeen(PROFILE, None, is_learned, len(room.pages(PROFILE)), None))
    if room.options.archive is not None:
        with room.archive() as archive:
            counts, learned = room.part(SiteCounts).of(archive), learned_sites(archive)
            for site in site_rows(archive):
                at_hand = len(room.pages(site.key))
                counted = counts.get(site.id, ArchiveCounts())
                found.append(SiteSeen(site.key, site.start, site.id in learned, at_hand, counted))
    return found


def list_pages(room: State, wanted: Nothing) -> list[PageSeen]:
    """List the pages at hand."""
    return [see_page(page) for page in room.pages()]


def see_page(page: PageAtHand) -> PageSeen:
    """Return what is shown of a page at hand."""
    return PageSeen(page.number, page.site, page.name, page.url, len(page.body))


def take_pages(room: State, wanted: SampleWanted) -> JobSeen:
    """Fetch some pages of a site, slowly, as its robots.txt allows, to look at and to learn from."""
    url = wanted.url.strip()
    address = absolute(url if "://" in url else f"https://{url}")
    if address is None:
        raise BadInput(f"{wanted.url!r:.80} is not an http or https address")
    if wanted.site not in (PROFILE, *room.site_keys()):
        raise NotThere(f"there is no site {wanted.site!r:.80}")
    return see(room.jobs.start("pages", f"Pages of {address}", lambda job: _take(room, wanted, str(address), job)))


def _take(room: State, wanted: SampleWanted, address: str, job: BackgroundJob) -> list[int]:
    """Take pages in one by one; return their numbers."""
    added: list[int] = []
    why = ""
    job.step(0, wanted.pages, address)
    for page in _load(room, wanted, address):
        why = page.complaint or why
        added += [each.number for each in room.add_pages(wanted.site, [page])]
        job.step(len(added), wanted.pages, page.name)
        if job.is_stopping.is_set():
            break
    if not added:
        raise BadInput(f"{address}: {why or 'no page came'}")
    return added


def _load(room: State, wanted: SampleWanted, address: str) -> Iterator[LoadedPage]:
    reach = room.options.reach
    if wanted.pages == 1:
        return load([Input(address, url=address)], None, reach)
    return islice(sample_site(address, wanted.pages, reach, delay_s=room.options.delay_s), 3 * wanted.pages)


def list_jobs(room: State, wanted: Nothing) -> list[JobSeen]:
    """List work under way and done, the newest first."""
    return room.jobs.seen()


def see_job(room: State, wanted: JobWanted) -> JobSeen:
    """Say how far a piece of work has come."""
    return see(_job(room, wanted.number))


def stop_job(room: State, wanted: JobWanted) -> JobSeen:
    """Ask a piece of work to end soon."""
    job = _job(room, wanted.number)
    job.stop()
    return see(job)


def _job(room: State, number: int) -> BackgroundJob:
    job = room.jobs.find(number)
    if job is None:
        raise NotThere(f"there is no work {number}")
    return job


def show_home(room: State, wanted: Nothing) -> dict[str, Any]:
    """Return what the overview shows."""
    soon: list[Planned] = []
    newest: list[StoredRecord] = []
    if room.options.archive is not None:
        with room.archive() as archive:
            soon = [planned for planned, _, _ in islice(read_plan(archive, (), datetime.now(UTC)), _SOON)]
            newest = newest_records(archive, _NEWEST, watches=None)
    return {
        "about": see_about(room, wanted),
        "sites": list_sites(room, wanted),
        "learned": _learned(room),
        "soon": soon,
        "newest": [(record, _heading(record)) for record in newest],
        "jobs": [job for job in room.jobs.seen() if job.state == "running"],
    }


def _heading(record: StoredRecord) -> str:
    """Return what a record is called: its title, or else what it says most of."""
    named = [text for column, text in zip(record.columns, record.fields, strict=True) if column.startswith("title")]
    return next(filter(None, named), "") or max((*record.fields, *record.links[:1]), key=len, default="a record")


def _learned(room: State) -> Profile | None:
    """Return what the profile file says; where it cannot be read its own pages tell why."""
    try:
        site = room.part(LearnedSites).peek(PROFILE)
    except (BadInput, OSError):
        return None
    return None if site is None else site.profile


OPERATIONS = (
    Operation("GET", "/api/about", see_about, Nothing, About, "What is being served.", "about"),
    Operation("GET", "/api/sites", list_sites, Nothing, list[SiteSeen], "The sites that are known.", "sites"),
    Operation("GET", "/api/pages", list_pages, Nothing, list[PageSeen], "The pages at hand.", "pages"),
    Operation(
        "POST", "/api/pages", take_pages, SampleWanted, JobSeen, "Fetch pages of a site to look at.", "fetch_pages"
    ),
    Operation("GET", "/api/jobs", list_jobs, Nothing, list[JobSeen], "Work under way and done.", "jobs"),
    Operation("GET", "/api/jobs/{number}", see_job, JobWanted, JobSeen, "How far a piece of work has come.", "job"),
    Operation(
        "POST", "/api/jobs/{number}/stop", stop_job, JobWanted, JobSeen, "Ask a piece of work to end soon.", "stop_job"
    ),
)
VIEWS = (View("/", "home.html", show_home, area="home"),)
