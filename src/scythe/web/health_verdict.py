"""Say in a sentence how a site fares: what was noticed of its rules and its servers comes in, plain words go out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from scythe.archive.health import FAILED, SiteHealth
from scythe.fetch.robots import parse_robots
from scythe.learn.events import Change, Drift, Event

_TOLD = 3  # events that the sentence names
_MANY = 0.2  # share of the last fetches that failed, from which on it is worth a word
_SLOW = 1.5  # times slower than usual
_PAUSE_S = 60.0

_STOPPED = {
    "missing": "{what} stopped matching on {day}",
    "implausible": "{what} has looked wrong since {day}",
    "tree": "{what} has been found only by the tree since {day}",
    "misfit": "pages have not fitted what was learned since {day}",
    "unknown": "pages have fitted no layout since {day}",
}
_BEFORE = {
    "missing": "{what} stopped matching on {day}",
    "implausible": "{what} looked wrong on {day}",
    "tree": "{what} was found only by the tree on {day}",
    "misfit": "pages no longer fitted on {day}",
    "unknown": "pages fitted no layout on {day}",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a site fares, in one sentence."""

    state: str  # good, warn, bad, none (nothing was learned)
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
        is_bad = any(event.what != "tree" for event in drift.events)
        return Verdict("bad" if is_bad else "warn", _sentence("; ".join(said[:_TOLD]) + more), notes)
    before = _last_trouble(drift.log, now)
    if before:
        return Verdict("good", _sentence(f"all rules fit again: {before}"), notes)
    extracted = f" on all {drift.pages} pages extracted so far" if drift.pages else ""
    return Verdict("good", _sentence(f"all rules fit{extracted}"), notes)


def tell_log(log: Sequence[Change]) -> list[Happening]:
    """Put the log into words, the newest line first."""
    return [Happening(change.when, change.what, _tell(change), change.page) for change in reversed(log)]


def tell_event(event: Event) -> str:
    """Say what stopped working, without since when."""
    return _OPENED[event.what].format(what=_name(event))


def day_of(when: str, now: datetime) -> str:
    """Write the day of a time in ISO 8601, with its year where that is another than now; what is none as it is."""
    try:
        at = datetime.fromisoformat(when).astimezone(UTC)
    except (ValueError, OverflowError):
        return when
    return f"{at.day} {at:%b}" + (f" {at.year}" if at.year != now.year else "")


def _tell_events(events: Sequence[Event], now: datetime) -> list[str]:
    """Say what stopped working, fields of one layout that did on the same day together."""
    together: dict[tuple[str, str, str], list[str]] = {}
    for event in events:
        together.setdefault((event.what, event.layout, day_of(event.since, now)), []).append(event.field)
    said = []
    for (what, layout, day), fields in together.items():
        names = f"{', '.join(fields[:-1])} and {fields[-1]}" if len(fields) > 1 else fields[0]
        words = _STOPPED[what] if len(fields) == 1 else _STOPPED[what].replace(" has ", " have ")
        said.append(words.format(what=f"{names} in {layout}" if layout else names, day=day))
    return said


def _last_trouble(log: Sequence[Change], now: datetime) -> str:
    """Say what was wrong last and how it ended."""
    ended = next((at for at in range(len(log) - 1, -1, -1) if _is_end(log[at])), None)
    if ended is None:
        return ""
    end = log[ended]
    began = next((one for one in reversed(log[:ended]) if one.what == "opened" and _same(one, end)), None)
    how = "learned again" if end.note.startswith("learned") else end.note
    what = _BEFORE.get(began.note, "{what} stopped matching on {day}") if began is not None else ""
    said = what.format(what=end.field or "pages", day=day_of(began.when, now)) if began is not None else ""
    day = day_of(end.when, now)
    when = "the same day" if began is not None and day_of(began.when, now) == day else f"on {day}"
    return f"{said}; {how} {when}" if said else f"{how} {when}"


def _is_end(change: Change) -> bool:
    return change.what == "closed" and change.note not in ("named more closely", "dropped")


def _same(one: Change, other: Change) -> bool:
    return (one.layout, one.field) == (other.layout, other.field)


def _tell(change: Change) -> str:
    where = f" in {change.layout}" if change.layout else ""
    what = f"{change.field}{where}" if change.field else f"pages{where}"
    if change.what == "opened" and change.note in _OPENED:
        return _OPENED[change.note].format(what=what)
    if change.what == "learned":
        return f"{what} was learned {change.note}" if change.field else f"{change.layout} was learned: {change.note}"
    if change.what == "dropped":
        return f"{change.layout} was dropped: {change.note}"
    return f"{what} could not be learned again: {change.note}" if change.what == "failed" else f"{what}: {change.note}"


_OPENED = {
    "missing": "{what} stopped matching",
    "implausible": "{what} looks wrong",
    "tree": "{what} is found only by the tree",
    "misfit": "pages no longer fit what was learned",
    "unknown": "pages fit no layout",
}


def _name(event: Event) -> str:
    return f"{event.field} in {event.layout}" if event.layout else event.field


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _note_servers(archive: SiteHealth, now: datetime) -> tuple[str, ...]:
    notes = []
    for robots in archive.robots:
        found = parse_robots(robots.status, robots.body)
        if found.is_closed:
            notes.append(f"{robots.origin}: {found.why}.")
    for lane in archive.lanes:
        if (lane.free_at - now).total_seconds() > _PAUSE_S:
            notes.append(f"{lane.name} is left alone until {lane.free_at:%Y-%m-%d %H:%M} UTC.")
        elif lane.slow >= _SLOW:
            notes.append(f"{lane.name} is asked {lane.slow:.1f} times slower than usual: its answers said so.")
    failed = sum(one.count for one in archive.answered if one.state in FAILED and one.why)
    if archive.fetched and failed / archive.fetched >= _MANY:
        notes.append(f"{failed} of the last {archive.fetched} fetches brought nothing.")
    return tuple(notes)
