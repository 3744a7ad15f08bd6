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
from scythe.archive.stored_sites import learned_sites, site_rows
from scythe.crawl_model import ArchiveCounts
from scythe.crawling.sample_site import sample_site
from scythe.errors import BadInput
from scythe.fetch.inputs import Input, LoadedPage, load
from scythe.site.rules import Profile
from scythe.url import absolute
from scythe.version import version
from scythe.watching.plan_report import Planned, read_plan
from scythe.web.learned_sites import LearnedSites, SiteCounts
from scythe.web.operations import Address, Key, Number, RequestInput, WebArea
from scythe.web.state import PROFILE, BackgroundJob, JobView, State, fill, see, there

AREA = WebArea("home", __doc__)

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
class PageView:
    """A page at hand."""

    number: int
    site: str
    name: str
    url: str | None
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class SiteView:
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


@AREA.get("/api/about", "about")
def see_about(state: State) -> About:
    """Say what is being served."""
    options = state.options
    profile = None if options.profile is None else str(options.profile)
    return About(version(), state.where, profile, len(state.pages()))


@AREA.get("/api/sites", "sites")
def list_sites(state: State) -> list[SiteView]:
    """List the sites that are known."""
    found = []
    if PROFILE in state.site_keys():
        path = state.options.profile
        is_learned = path is not None and path.exists()
        found.append(SiteView(PROFILE, None, is_learned, len(state.pages(PROFILE)), None))
    if state.options.archive is not None:
        with state.archive() as archive:
            counts, learned = state.part(SiteCounts).of(archive), learned_sites(archive)
            for site in site_rows(archive):
                at_hand = len(state.pages(site.key))
                counted = counts.get(site.id, ArchiveCounts())
                found.append(SiteView(site.key, site.start, site.id in learned, at_hand, counted))
    return found


@AREA.get("/api/pages", "pages")
def list_pages(state: State) -> list[PageView]:
    """List the pages at hand."""
    return [fill(PageView, page, size=len(page.body)) for page in state.pages()]


@AREA.post("/api/pages", "fetch_pages")
def take_pages(state: State, wanted: SampleWanted) -> JobView:
    """Fetch some pages of a site, slowly, as its robots.txt allows, to look at and to learn from."""
    url = wanted.url.strip()
    address = absolute(url if "://" in url else f"https://{url}")
    if address is None:
        raise BadInput(f"{wanted.url!r:.80} is not an http or https address")
    state.site_key(wanted.site)
    return see(state.jobs.start("pages", f"Pages of {address}", lambda job: _take(state, wanted, str(address), job)))


def _take(state: State, wanted: SampleWanted, address: str, job: BackgroundJob) -> list[int]:
    """Take pages in one by one; return their numbers."""
    added: list[int] = []
    why = ""
    job.step(0, wanted.pages, address)
    for page in _load(state, wanted, address):
        why = page.complaint or why
        added += [each.number for each in state.add_pages(wanted.site, [page])]
        job.step(len(added), wanted.pages, page.name)
        if job.is_stopping.is_set():
            break
    if not added:
        raise BadInput(f"{address}: {why or 'no page came'}")
    return added


def _load(state: State, wanted: SampleWanted, address: str) -> Iterator[LoadedPage]:
    reach = state.options.reach
    if wanted.pages == 1:
        return load([Input(address, url=address)], None, reach)
    return islice(sample_site(address, wanted.pages, reach, delay_s=state.options.delay_s), 3 * wanted.pages)


@AREA.get("/api/jobs", "jobs")
def list_jobs(state: State) -> list[JobView]:
    """List work under way and done, the newest first."""
    return state.jobs.seen()


@AREA.get("/api/jobs/{number}", "job")
def see_job(state: State, number: Number) -> JobView:
    """Say how far a piece of work has come."""
    return see(_job(state, number))


@AREA.post("/api/jobs/{number}/stop", "stop_job")
def stop_job(state: State, number: Number) -> JobView:
    """Ask a piece of work to end soon."""
    job = _job(state, number)
    job.stop()
    return see(job)


def _job(state: State, number: int) -> BackgroundJob:
    return there(state.jobs.find(number), f"there is no work {number}")


@AREA.view("/", "home.html")
def show_home(state: State) -> dict[str, Any]:
    """Return what the overview shows."""
    soon: list[Planned] = []
    newest: list[StoredRecord] = []
    if state.options.archive is not None:
        with state.archive() as archive:
            soon = [planned for planned, _, _ in islice(read_plan(archive, (), datetime.now(UTC)), _SOON)]
            newest = newest_records(archive, _NEWEST, watches=None)
    return {
        "about": see_about(state),
        "sites": list_sites(state),
        "learned": _learned(state),
        "soon": soon,
        "newest": [(record, _heading(record)) for record in newest],
        "jobs": [job for job in state.jobs.seen() if job.state == "running"],
    }


def _heading(record: StoredRecord) -> str:
    """Return what a record is called: its title, or else what it says most of."""
    named = [text for column, text in zip(record.columns, record.fields, strict=True) if column.startswith("title")]
    return next(filter(None, named), "") or max((*record.fields, *record.links[:1]), key=len, default="a record")


def _learned(state: State) -> Profile | None:
    """Return what the profile file says; where it cannot be read its own pages tell why."""
    try:
        site = state.part(LearnedSites).peek(PROFILE)
    except (BadInput, OSError):
        return None
    return None if site is None else site.profile
