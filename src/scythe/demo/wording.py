"""Describe the results of the demo in words, and check what it promises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from scythe.demo.crawl_results import Results, total
from scythe.demo.crawl_steps import ENOUGH, RedesignEffect
from scythe.demo.watched_list import Watched
from scythe.site.drift import Change
from scythe.watch_model import HOUR_S
from scythe.watching.events import VisitEvent

_WHYS = {  # what sets a visit, for those who see it the first time
    "cold start": "learning its pace",
    "forecast": "before records fall off",
    "cap": "no list waits longer",
    "floor": "as soon as it may",
}


def percent(share: float) -> str:
    """Write a share."""
    return f"{100 * share:.0f} %"


def pages(number: int) -> str:
    """Write how many pages."""
    return f"{number} page{'' if number == 1 else 's'}"


def describe_redesign(redesign: RedesignEffect) -> Iterator[str]:
    """Say in a few sentences what a redesign did, and then what the profile noted."""
    yield (
        f"After {pages(redesign.after)} the site got another design. Of the fields {percent(redesign.before)} had been "
        f"cut until then; on the next ten pages it was {percent(redesign.soon)}."
    )
    yield _say_healed(redesign)
    yield from (f"  {line}" for line in redesign.log[:4])


def _say_healed(redesign: RedesignEffect) -> str:
    if redesign.noticed is None:
        return f"The rules fitted all the same: {percent(redesign.later)}."
    began = f"Noticed on page {redesign.noticed}"
    if redesign.healed is None:
        few = f", but {pages(redesign.pages)} are too few to tell" if redesign.pages < ENOUGH else ""
        return f"{began}, not healed{few}: {percent(redesign.later)} were cut later."
    right = "" if redesign.f1 is None else f" F1 of the text on these: {redesign.f1:.3f}."
    return (
        f"{began}, healed after {pages(redesign.healed)}: in doubt the tree was asked.{right} Since then "
        f"{percent(redesign.later)} of the fields are cut again."
    )


def describe_change(change: Change) -> str:
    """Say what a profile notes of a site."""
    if change.what == "learned":
        what = f"{change.field} of {change.layout}" if change.field else change.layout
        return f"learned {what}, {change.note}" if change.field else f"learned {what}: {change.note}"
    if not change.field:
        return "noticed that pages fit nothing learned so far"
    is_missing = "is missing" if change.note == "missing" else "is found only by the tree"
    return f"noticed that {change.field} {is_missing} in {change.layout}"


def stamp(at: float | datetime) -> str:
    """Write what the clock of the list showed: Mon 14:05."""
    return f"{at if isinstance(at, datetime) else datetime.fromtimestamp(at, UTC):%a %H:%M}"


def span(seconds: float) -> str:
    """Write a length of time in hours and minutes."""
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"


def plan_words(visit: VisitEvent) -> str:
    """Say when a list is visited next, and why."""
    if visit.next_at is None:
        return "no next visit"
    return f"next {stamp(visit.next_at)}, about {visit.expected:.0f} ({why_words(visit)})"


def why_words(visit: VisitEvent) -> str:
    """Say what set the next visit."""
    return _WHYS.get(visit.why, visit.why)


def describe_watch(watched: Watched) -> Iterator[str]:
    """Say what a watch came to, and what a fixed pace would have taken."""
    seen = len(watched.seen)
    yield (
        f"{len(watched.published)} records were published until the last visit, {seen} of them seen: "
        f"{watched.lost or 'none'} lost, {watched.doubled or 'none'} twice"
        f"{f', {watched.strange} that never were' if watched.strange else ''}."
    )
    yield (
        f"{len(watched.visits)} visits took {watched.requests} requests. Once an hour would have been "
        f"{watched.visits_every(HOUR_S)}. A record waited {span(watched.delay_s)} on average; `--p95 1h` would see it "
        "sooner."
    )
    if watched.redesigned_at is not None:
        known = "was known again" if watched.is_known_again else "was taken for another list"
        yield f"On {stamp(watched.redesigned_at)} the list got another design and {known}."


LEAST_F1 = 0.9
_RACED = 60  # pages, before they say anything about speed: a small site is hardly learned


@dataclass(frozen=True, slots=True)
class Promise:
    """One thing that should be so, and what came of it."""

    says: str
    came: str
    is_kept: bool


def judge_promises(results: Results) -> tuple[Promise, ...]:
    """Return every promise that could be put to the test."""
    return tuple(_judge(results))


def _judge(results: Results) -> Iterator[Promise]:
    found = f"{results.found} of {results.pages}"
    yield Promise("every page of the site is found", found, results.found == results.pages)
    if results.f1 is not None:
        yield Promise(f"F1 of the text is at least {LEAST_F1}", f"{results.f1:.3f}", results.f1 >= LEAST_F1)
    if sum(lap.pages for lap in results.laps) >= _RACED:
        times = total(results.laps).times
        yield Promise("cutting is faster than reading by the tree", f"{times:.1f} times", times > 1)
    redesign = results.redesign
    if redesign is not None and (redesign.healed is not None or redesign.pages >= ENOUGH):
        healed = "nothing broke" if redesign.noticed is None else "not"
        healed = healed if redesign.healed is None else f"after {pages(redesign.healed)}"
        yield Promise("a redesign heals by itself", healed, redesign.is_over)
    watched = results.watched
    if watched is not None:
        seen = f"{len(watched.seen)} of {len(watched.published)}"
        is_kept = bool(watched.visits) and not (watched.lost or watched.strange)
        yield Promise("no record is lost", seen, is_kept)
        yield Promise("no record is reported twice", f"{watched.doubled or 'none'}", not watched.doubled)
        known = "yes" if watched.is_known_again else "taken for another one"
        yield Promise("a list is known again in another design", known, watched.is_known_again)
