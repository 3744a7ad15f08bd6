"""The health of a site: its rules, pages and servers, and what changed, summed up in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import Meta

from scythe.archive.results import HostRow, StoredRobots
from scythe.archive.site_health import (
    FAILED,
    FailedVisit,
    FieldShare,
    Reason,
    SiteHealth,
    Version,
    read_health,
)
from scythe.archive.stored_sites import find_site, site_rows, stored_profile
from scythe.archive.stored_sites import newest_version as stored_version
from scythe.crawl_model import ArchiveCounts
from scythe.errors import BadInput
from scythe.fetch.robots import parse_robots
from scythe.site.describe_rules import describe_rules
from scythe.site.drift import Change, Drift, DriftEvent, Health
from scythe.site.profile import Saved, load_profile, open_profile
from scythe.site.rules import FieldRules, Layout, Profile
from scythe.web.operations import SiteKey, WebArea
from scythe.web.state import PROFILE, NotThere, State, fill, there

AREA = WebArea("health", __doc__, menu="home")

_KEPT = 16  # versions


def newest_version(state: State, key: str) -> int:
    """Return the number of the newest version of what was learned of a site. Raises NotThere where there is none."""
    with state.archive() as archive:
        site = find_site(archive, key)
        version = stored_version(archive, site) if site is not None else 0
    return there(version or None, f"nothing was learned of {key!r:.80} yet")


def find_version(state: State, key: str, version: int) -> Profile:
    """Return a version, one looked at lately as it was parsed then: it never changes. Raises NotThere."""

    def load() -> Profile:
        with state.archive() as archive:
            site = find_site(archive, key)
            found = stored_profile(archive, site, version) if site is not None and version > 0 else None
        text = there(found, f"there is no version {version} of what was learned of {key!r:.80}")
        return load_profile(text, name=f"version {version}").profile

    return state.recent(find_version, _KEPT).get((key, version), None, load)


_SHOWN = 60  # characters of a tag


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """One thing that is different in a newer version."""

    kind: str  # added, dropped, changed, tuned
    layout: str  # "" for the site as a whole
    says: str


def compare_profiles(old: Profile, new: Profile) -> list[ProfileChange]:
    """Return what changed from one version to another; nothing where only counts of pages did."""
    before = {layout.name: layout for layout in old.layouts}
    after = {layout.name: layout for layout in new.layouts}
    changes = [*_compare_sites(old, new)]
    for name, layout in after.items():
        if name not in before:
            changes.append(ProfileChange("added", name, f"learned from {_tell(layout)}"))
    for name, layout in before.items():
        if name not in after:
            changes.append(ProfileChange("dropped", name, f"had been learned from {_tell(layout)}"))
    for name, layout in after.items():
        if name in before and before[name] != layout:
            changes += _compare_layouts(before[name], layout)
    return changes


def summarise(changes: Sequence[ProfileChange]) -> str:
    """Say in one line what changed."""
    if not changes:
        return "nothing but how the site has fared"
    said = []
    for kind in ("added", "dropped"):
        names = [change.layout for change in changes if change.kind == kind and change.layout]
        if names:
            said.append(f"{', '.join(names[:4])}{' and others' if len(names) > 4 else ''} {kind}")
    touched = sorted({change.layout or "the site" for change in changes if change.kind == "changed"})
    if touched:
        said.append(f"{', '.join(touched[:4])}{' and others' if len(touched) > 4 else ''} changed")
    return "; ".join(said) or "where searches begin"


def _compare_sites(old: Profile, new: Profile) -> Iterator[ProfileChange]:
    more, less = _names(new.fields, old.fields), _names(old.fields, new.fields)
    if more:
        yield ProfileChange("added", "", f"{more} is looked for")
    if less:
        yield ProfileChange("dropped", "", f"{less} is no longer looked for")
    if _names(new.named, old.named):
        yield ProfileChange("changed", "", f"{_names(new.named, old.named)} was shown by example")
    marked, before = len(new.images.labelled), len(old.images.labelled)
    if marked != before:
        yield ProfileChange("changed", "", f"images of {marked} pages are labelled, {before} before")
    if new.images.method != old.images.method:
        yield ProfileChange("changed", "", f"images are judged by {new.images.method}, by {old.images.method} before")


def _compare_layouts(old: Layout, new: Layout) -> Iterator[ProfileChange]:
    fields = {rules.name: rules for rules in old.fields}
    for rules in new.fields:
        if rules.name not in fields:
            yield ProfileChange("changed", new.name, f"{rules.name} is new: {_first_rule(rules)}")
        elif said := _compare_fields(fields.pop(rules.name), rules):
            yield ProfileChange("changed", new.name, f"{rules.name}: {said}")
    for name in fields:
        yield ProfileChange("changed", new.name, f"{name} has no rules any more")
    if (old.is_settled, old.is_empty) != (new.is_settled, new.is_empty):
        state = "has no text" if new.is_empty else "is settled" if new.is_settled else "is still learned"
        yield ProfileChange("changed", new.name, f"{state}, from {new.pages} pages")
    lists, before = len(new.records.lists), len(old.records.lists)
    if new.records.lists != old.records.lists:
        yield ProfileChange("changed", new.name, f"rules for {lists} lists of records, {before} before")


def _compare_fields(old: FieldRules, new: FieldRules) -> str:
    before, after = describe_rules(old), describe_rules(new)
    if before == after:
        return ""
    if before[:1] != after[:1]:
        return f"{_first_rule(new)} instead of {_first_rule(old)}"
    return f"{len(after)} rules, {len(before)} before" if len(before) != len(after) else "other rules behind the first"


def _tell(layout: Layout) -> str:
    fields = ", ".join(rules.name for rules in layout.fields) or "no fields"
    lists = f", {len(layout.records.lists)} lists of records" if layout.records.lists else ""
    return f"{layout.pages} pages: {fields}{lists}"


def _names(one: Sequence[str], other: Sequence[str]) -> str:
    return ", ".join(name for name in one if name not in other)


def _first_rule(rules: FieldRules) -> str:
    told = describe_rules(rules)
    text = f"{told[0].kind} {told[0].says}" if told else "nothing"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\u2026"


_TOLD = 3  # events that the sentence names
_MANY = 0.2  # share of the last fetches that failed, from which on it is worth a word
_SLOW = 1.5  # times slower than usual
_PAUSE_S = 60.0

# what stopped working, in words: as it is, since when it has been, and when it was
_WORDS = {
    "missing": ("{what} stopped matching", "{what} stopped matching on {day}", "{what} stopped matching on {day}"),
    "implausible": ("{what} looks wrong", "{what} has looked wrong since {day}", "{what} looked wrong on {day}"),
    "unknown": ("pages fit no layout", "pages have fitted no layout since {day}", "pages fitted no layout on {day}"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a site fares, in one sentence."""

    state: str  # good, bad, none (nothing was learned)
    says: str
    notes: tuple[str, ...] = ()  # what else is worth knowing


@dataclass(frozen=True, slots=True)
class Happening:
    """A line of the log in words."""

    when: str  # ISO 8601
    what: str  # opened, closed, learned, dropped, failed
    says: str
    page: int  # extracted so many when it happened


def judge(drift: Drift | None, archive: SiteHealth | None, now: datetime, unreadable: str = "") -> Verdict:
    """Say how a site fares. `drift` is None where nothing was learned, `archive` where the site is in none.

    `unreadable` says why what was learned could not be read.
    """
    notes = _note_servers(archive, now) if archive is not None else ()
    if unreadable:
        return Verdict("bad", "What was learned of this site cannot be read.", (unreadable, *notes))
    if drift is None:
        return Verdict("none", "Nothing was learned of this site yet.", notes)
    if drift.events:
        said = _tell_events(drift.events, now)
        more = f"; and {len(said) - _TOLD} more" if len(said) > _TOLD else ""
        return Verdict("bad", _sentence("; ".join(said[:_TOLD]) + more), notes)
    before = _last_trouble(drift.log, now)
    if before:
        return Verdict("good", _sentence(f"all rules fit again: {before}"), notes)
    extracted = f" on all {drift.pages} pages extracted so far" if drift.pages else ""
    return Verdict("good", _sentence(f"all rules fit{extracted}"), notes)


def tell_log(log: Sequence[Change]) -> list[Happening]:
    """Put the log into words, the newest line first."""
    return [Happening(change.when, change.what, _say(change), change.page) for change in reversed(log)]


def day_of(when: str, now: datetime) -> str:
    """Write the day of a time in ISO 8601, with its year where that is another than now; what is none as it is."""
    try:
        at = datetime.fromisoformat(when).astimezone(UTC)
    except (ValueError, OverflowError):
        return when
    return f"{at.day} {at:%b}" + (f" {at.year}" if at.year != now.year else "")


def _tell_events(events: Sequence[DriftEvent], now: datetime) -> list[str]:
    """Say what stopped working, fields of one layout that did on the same day together."""
    together: dict[tuple[str, str, str], list[str]] = {}
    for event in events:
        together.setdefault((event.what, event.layout, day_of(event.since, now)), []).append(event.field)
    said = []
    for (what, layout, day), fields in together.items():
        names = f"{', '.join(fields[:-1])} and {fields[-1]}" if len(fields) > 1 else fields[0]
        words = _WORDS[what][1] if len(fields) == 1 else _WORDS[what][1].replace(" has ", " have ")
        said.append(words.format(what=f"{names} in {layout}" if layout else names, day=day))
    return said


def _last_trouble(log: Sequence[Change], now: datetime) -> str:
    """Say what was wrong last and how it ended."""
    dull = ("named more closely", "dropped")
    ends = [at for at, change in enumerate(log) if change.what == "closed" and change.note not in dull]
    if not ends:
        return ""
    end = log[ends[-1]]
    same = [one for one in log[: ends[-1]] if (one.layout, one.field) == (end.layout, end.field)]
    began = next((one for one in reversed(same) if one.what == "opened"), None)
    how = "learned again" if end.note.startswith("learned") else end.note
    what = _WORDS.get(began.note, _WORDS["missing"])[2] if began is not None else ""
    said = what.format(what=end.field or "pages", day=day_of(began.when, now)) if began is not None else ""
    day = day_of(end.when, now)
    when = "the same day" if began is not None and day_of(began.when, now) == day else f"on {day}"
    return f"{said}; {how} {when}" if said else f"{how} {when}"


def _say(change: Change) -> str:
    where = f" in {change.layout}" if change.layout else ""
    what = f"{change.field}{where}" if change.field else f"pages{where}"
    if change.what == "opened" and change.note in _WORDS:
        return _WORDS[change.note][0].format(what=what)
    if change.what == "learned":
        return f"{what} was learned {change.note}" if change.field else f"{change.layout} was learned: {change.note}"
    if change.what == "dropped":
        return f"{change.layout} was dropped: {change.note}"
    return f"{what} could not be learned again: {change.note}" if change.what == "failed" else f"{what}: {change.note}"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _note_servers(archive: SiteHealth, now: datetime) -> tuple[str, ...]:
    notes = []
    for robots in archive.robots:
        found = parse_robots(robots.status, robots.body)
        if found.is_closed:
            notes.append(f"{robots.origin}: {found.why}.")
    for host in archive.hosts:
        if (host.free_at - now).total_seconds() > _PAUSE_S:
            notes.append(f"{host.name} is left alone until {host.free_at:%Y-%m-%d %H:%M} UTC.")
        elif host.slow >= _SLOW:
            notes.append(f"{host.name} is asked {host.slow:.1f} times slower than usual: its answers said so.")
    failed = sum(one.count for one in archive.answered if one.state in FAILED and one.why)
    if archive.fetched and failed / archive.fetched >= _MANY:
        notes.append(f"{failed} of the last {archive.fetched} fetches brought nothing.")
    return tuple(notes)


_SUMMARISED = 6  # versions whose changes are listed at once

VersionNumber = Annotated[int, Meta(ge=0, le=10**9, description="Of a profile; 0: the newest, and the one before.")]


@dataclass(frozen=True, slots=True)
class FieldWatched:
    """The last outcomes of one field, the newest last."""

    layout: str
    field: str
    recent: str  # a letter a page: c cut, m missing or read cold, i implausible
    pages: int  # of its layout that were extracted
    missing: int  # of them, in all
    implausible: int


@dataclass(frozen=True, slots=True)
class RobotsView:
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
    events: tuple[DriftEvent, ...]
    told: tuple[str, ...]  # the events in words
    log: tuple[Happening, ...]  # the newest first
    fields: tuple[FieldWatched, ...]


@dataclass(frozen=True, slots=True)
class ArchiveHealth:
    """What the archive knows of a site."""

    start: str
    added_at: datetime
    counts: ArchiveCounts
    addresses: list[Reason]
    fetched: int
    fetched_since: datetime | None
    answered: list[Reason]
    failures: list[FailedVisit]
    shares: list[FieldShare]
    sampled: int
    versions: list[Version]
    robots: list[RobotsView]
    hosts: list[HostRow]


@dataclass(frozen=True, slots=True)
class HealthView:
    """How a site fares."""

    site: str
    verdict: Verdict
    pages_at_hand: int
    rules: RulesHealth | None  # None: nothing was learned
    archive: ArchiveHealth | None  # None: it is not in an archive


@AREA.get("/api/health", "health")
def see_health(state: State, site: SiteKey = "") -> HealthView:
    """Return how a site fares: rules, pages, servers, and a verdict in one sentence."""
    key = state.site_key(site)
    now = datetime.now(UTC)
    row = found = None
    if key != PROFILE:
        with state.archive() as archive:
            row = next((site for site in site_rows(archive) if site.key == key), None)
            found = read_health(archive, row.id, now=now) if row is not None else None
    unreadable = ""
    try:
        saved = _newest(state, key)
        health = Health.load(saved.health, saved.profile.layouts) if saved is not None else None
    except BadInput as error:  # damaged, or of a newer version: all else can still be told
        saved, health, unreadable = None, None, str(error)
    return HealthView(
        site=key,
        verdict=judge(health.drift if health is not None else None, found, now, unreadable),
        pages_at_hand=len(state.pages(key)),
        rules=_see_rules(saved.profile, health) if saved is not None and health is not None else None,
        archive=fill(ArchiveHealth, found, row, robots=list(map(_see_robots, found.robots))) if found else None,
    )


@AREA.get("/api/health/changes")
def list_changes(
    state: State, site: SiteKey = "", old: VersionNumber = 0, new: VersionNumber = 0
) -> list[ProfileChange]:
    """Return in words what changed between two versions of what was learned of a site."""
    key = state.site_key(site)
    if key == PROFILE:
        raise NotThere("a profile that is a file has no versions")
    newest = newest_version(state, key)
    new = new or newest
    old = old or new - 1
    return compare_profiles(find_version(state, key, old), find_version(state, key, new))


@AREA.view("/sites", "health.html")
def show_health(state: State, site: SiteKey = "", old: VersionNumber = 0, new: VersionNumber = 0) -> dict[str, Any]:
    """Return what the page of a site's health shows."""
    seen = see_health(state, site)
    versions = [each.version for each in seen.archive.versions] if seen.archive is not None else []
    new = new or (versions[0] if versions else 0)
    is_asked, old = bool(old), old or new - 1
    changes, unreadable = None, ""
    if new > 1 or is_asked:
        try:
            changes = list_changes(state, site=seen.site, old=old, new=new)
        except BadInput as error:
            unreadable = str(error)
    return {
        "seen": seen,
        "key": seen.site,
        "sites": state.site_keys(),
        "old": old,
        "new": new,
        "changes": changes,
        "unreadable": unreadable,
        "summaries": _summaries(state, seen.site, versions),
    }


def _summaries(state: State, key: str, versions: list[int]) -> dict[int, str]:
    """Say in a line each what the newest versions changed."""
    said = {}
    for version in versions[:_SUMMARISED]:
        if version > 1:
            try:
                said[version] = summarise(
                    compare_profiles(*(find_version(state, key, each) for each in (version - 1, version)))
                )
            except BadInput:
                said[version] = "one of the two cannot be read"
    return said


def _newest(state: State, key: str) -> Saved | None:
    """Return what was learned of a site with how it has fared; None where nothing was."""
    if key == PROFILE:
        path = state.options.profile
        return open_profile(path) if path is not None and path.exists() else None
    with state.archive() as archive:
        site = find_site(archive, key)
        text = stored_profile(archive, site) if site is not None else None
    return load_profile(text) if text is not None else None


def _see_rules(profile: Profile, health: Health) -> RulesHealth:
    drift = health.drift
    return fill(
        RulesHealth,
        profile,
        drift,
        layouts=len(profile.layouts),
        told=tuple(
            _WORDS[event.what][0].format(what=f"{event.field} in {event.layout}" if event.layout else event.field)
            for event in drift.events
        ),
        log=tuple(tell_log(drift.log)),
        fields=tuple(
            FieldWatched(layout, name, track.recent, watch.pages, track.missing, track.implausible)
            for layout, watch in health.watches.items()
            for name, track in watch.tracks.items()
            if track.recent
        ),
    )


def _see_robots(stored: StoredRobots) -> RobotsView:
    robots = parse_robots(stored.status, stored.body)
    says = robots.why or ("everything may be asked for" if not stored.body.strip() else "its rules are obeyed")
    return fill(RobotsView, stored, robots, size=len(stored.body), sitemaps=len(robots.sitemaps), says=says)
