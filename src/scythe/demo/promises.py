"""What the demo promises: results come in, what did not hold goes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scythe.demo.healing import ENOUGH
from scythe.demo.race import total
from scythe.demo.results import Results
from scythe.demo.wording import corner_ending, pages

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
    if results.corners:
        bad = [row for row in results.corners if not row.is_good]
        came = "; ".join(f"{row.says}: {corner_ending(row)}" for row in bad) or f"all {len(results.corners)}"
        yield Promise("odd corners end as they should", came, not bad)
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
        seen = f"{len(watched.sightings)} of {len(watched.published)}"
        is_kept = bool(watched.looks) and not (watched.lost or watched.strange)
        yield Promise("no record is lost", seen, is_kept)
        yield Promise("no record is told twice", f"{watched.doubled or 'none'}", not watched.doubled)
        known = "yes" if watched.is_known_again else "taken for another one"
        yield Promise("a list is known again in another design", known, watched.is_known_again)
