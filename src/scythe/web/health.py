"""How a site fares: its rules, its pages, its servers, and what changed; one sentence says it all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import Meta

from scythe.archive.health import Failure, Reason, Share, SiteHealth, Version, read_health
from scythe.archive.rows import LaneRow, SiteRow, StoredRobots
from scythe.errors import BadInput
from scythe.fetch.robots import parse_robots
from scythe.learn.events import Event
from scythe.learn.health import IMAGES, RECORDS, Health
from scythe.profiles.profile import Saved, load_profile, open_profile
from scythe.rules import Profile
from scythe.teaching.relearn import Keeper
from scythe.visits import Counts
from scythe.web.health_verdict import Happening, Verdict, judge, tell_event, tell_log
from scythe.web.learned import choose_site
from scythe.web.operation import NotThere, Operation, View, Wanted
from scythe.web.profile_changes import ProfileChange, compare_profiles, summarise
from scythe.web.profile_versions import Versions
from scythe.web.room import PROFILE, Room

_SUMMARISED = 6  # versions whose changes are listed at once

SiteKey = Annotated[str, Meta(max_length=300, description="A key of GET /api/sites; empty: the first.")]
VersionNumber = Annotated[int, Meta(ge=0, le=10**9, description="Of a profile; 0: the newest, and the one before.")]


class HealthWanted(Wanted, frozen=True):
    """A site."""

    site: SiteKey = ""


class ChangesWanted(Wanted, frozen=True):
    """Two versions of what was learned of a site."""

    site: SiteKey = ""
    old: VersionNumber = 0
    new: VersionNumber = 0


@dataclass(frozen=True, slots=True)
class FieldWatched:
    """The last outcomes of one field, the newest last."""

    layout: str
    field: str
    recent: str  # a letter a page: c cut, t only by the tree, m missing, i implausible
    pages: int  # of its layout that were extracted
    tree: int  # of them, in all
    missing: int
    implausible: int


@dataclass(frozen=True, slots=True)
class RobotsSeen:
    """What the robots.txt of one origin says."""

    origin: str
    status: int | None
    fetched_at: datetime
    size: int
    is_closed: bool
    delay_s: float
    sitemaps: int
    says: str


@dataclass(frozen=True, slots=True)
class RulesHealth:
    """How the rules of a site have fared since they were learned."""

    learned: str
    layouts: int
    pages: int  # extracted since
    events: tuple[Event, ...]
    told: tuple[str, ...]  # the events in words
    log: tuple[Happening, ...]  # the newest first
    fields: tuple[FieldWatched, ...]


@dataclass(frozen=True, slots=True)
class ArchiveHealth:
    """What the archive knows of a site."""

    start: str
    added_at: datetime
    counts: Counts
    addresses: list[Reason]
    fetched: int
    fetched_since: datetime | None
    answered: list[Reason]
    failures: list[Failure]
    shares: list[Share]
    sampled: int
    versions: list[Version]
    robots: list[RobotsSeen]
    lanes: list[LaneRow]


@dataclass(frozen=True, slots=True)
class HealthSeen:
    """How a site fares."""

    site: str
    verdict: Verdict
    pages_at_hand: int
    rules: RulesHealth | None  # None: nothing was learned
    archive: ArchiveHealth | None  # None: it is not in an archive


def see_health(room: Room, wanted: HealthWanted) -> HealthSeen:
    """Return how a site fares: rules, pages, servers, and a verdict in one sentence."""
    key = choose_site(room, wanted.site)
    now = datetime.now(UTC)
    row, found = _read_archive(room, key, now) if key != PROFILE else (None, None)
    unreadable = ""
    try:
        saved = _newest(room, key)
        health = Keeper.load(saved.health, saved.profile).health if saved is not None else None
    except BadInput as error:  # damaged, or of a newer version: all else can still be told
        saved, health, unreadable = None, None, str(error)
    return HealthSeen(
        site=key,
        verdict=judge(health.drift if health is not None else None, found, now, unreadable),
        pages_at_hand=len(room.pages(key)),
        rules=_see_rules(saved.profile, health) if saved is not None and health is not None else None,
        archive=_see_archive(row, found) if row is not None and found is not None else None,
    )


def list_changes(room: Room, wanted: ChangesWanted) -> list[ProfileChange]:
    """Return in words what changed between two versions of what was learned of a site."""
    key = choose_site(room, wanted.site)
    if key == PROFILE:
        raise NotThere("a profile that is a file has no versions")
    profiles = room.part(Versions)
    newest = profiles.newest(key)
    new = wanted.new or newest
    old = wanted.old or new - 1
    return compare_profiles(profiles.get(key, old), profiles.get(key, new))


def show_health(room: Room, wanted: ChangesWanted) -> dict[str, Any]:
    """Return what the page of a site's health shows."""
    seen = see_health(room, HealthWanted(site=wanted.site))
    versions = [each.version for each in seen.archive.versions] if seen.archive is not None else []
    new = wanted.new or (versions[0] if versions else 0)
    old = wanted.old or new - 1
    changes, unreadable = None, ""
    if new > 1 or wanted.old:
        try:
            changes = list_changes(room, ChangesWanted(site=seen.site, old=old, new=new))
        except BadInput as error:
            unreadable = str(error)
    return {
        "seen": seen,
        "key": seen.site,
        "sites": room.site_keys(),
        "old": old,
        "new": new,
        "changes": changes,
        "unreadable": unreadable,
        "summaries": _summaries(room, seen.site, versions),
    }


def _summaries(room: Room, key: str, versions: list[int]) -> dict[int, str]:
    """Say in a line each what the newest versions changed."""
    profiles = room.part(Versions)
    said = {}
    for version in versions[:_SUMMARISED]:
        if version > 1:
            try:
                said[version] = summarise(compare_profiles(profiles.get(key, version - 1), profiles.get(key, version)))
            except BadInput:
                said[version] = "one of the two cannot be read"
    return said


def _read_archive(room: Room, key: str, now: datetime) -> tuple[SiteRow | None, SiteHealth | None]:
    with room.archive() as archive:
        row = next((site for site in archive.sites() if site.key == key), None)
        return row, read_health(archive.database, row.id, now=now) if row is not None else None


def _newest(room: Room, key: str) -> Saved | None:
    """Return what was learned of a site with how it has fared; None where nothing was."""
    if key == PROFILE:
        path = room.options.profile
        return open_profile(path) if path is not None and path.exists() else None
    with room.archive() as archive:
        site = archive.find_site(key)
        text = archive.profile(site) if site is not None else None
    return load_profile(text) if text is not None else None


def _see_rules(profile: Profile, health: Health) -> RulesHealth:
    drift = health.drift
    return RulesHealth(
        learned=profile.learned,
        layouts=len(profile.layouts),
        pages=drift.pages,
        events=drift.events,
        told=tuple(tell_event(event) for event in drift.events),
        log=tuple(tell_log(drift.log)),
        fields=tuple(_see_fields(health)),
    )


def _see_fields(health: Health) -> Iterator[FieldWatched]:
    for layout, watch in health.watches.items():
        tracks = {**watch.tracks, RECORDS: watch.lists, IMAGES: watch.images}
        for name, track in tracks.items():
            if track.recent:
                counts = (track.tree, track.missing, track.implausible)
                yield FieldWatched(layout, name, track.recent, watch.pages, *counts)


def _see_archive(row: SiteRow, found: SiteHealth) -> ArchiveHealth:
    return ArchiveHealth(
        start=row.start,
        added_at=row.added_at,
        counts=found.counts,
        addresses=found.addresses,
        fetched=found.fetched,
        fetched_since=found.fetched_since,
        answered=found.answered,
        failures=found.failures,
        shares=found.shares,
        sampled=found.sampled,
        versions=found.versions,
        robots=[_see_robots(each) for each in found.robots],
        lanes=found.lanes,
    )


def _see_robots(stored: StoredRobots) -> RobotsSeen:
    robots = parse_robots(stored.status, stored.body)
    says = robots.why or ("everything may be asked for" if not stored.body.strip() else "rules are heeded")
    return RobotsSeen(
        origin=stored.origin,
        status=stored.status,
        fetched_at=stored.fetched_at,
        size=len(stored.body),
        is_closed=robots.is_closed,
        delay_s=robots.delay_s,
        sitemaps=len(robots.sitemaps),
        says=says,
    )


OPERATIONS = (
    Operation("GET", "/api/health", see_health, HealthWanted, HealthSeen, "How a site fares.", "health"),
    Operation("GET", "/api/health/changes", list_changes, ChangesWanted, list[ProfileChange], "What was learned anew."),
)
VIEWS = (View("/sites", "health.html", show_health, ChangesWanted, area="home"),)
