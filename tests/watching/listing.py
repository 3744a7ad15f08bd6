"""Watched pages for tests of what follows a visit: short ways to say that a page was visited and what was new there."""

from dataclasses import replace
from datetime import datetime

from tests.archive.visiting import HOST, NOW, SITE, done, later, region

from scythe.archive.archive import Archive
from scythe.archive.frontier import next_tasks
from scythe.archive.outcomes import store_outcomes
from scythe.archive.results import StoredRecord
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import add_watch
from scythe.crawl_model import WATCHED, Extracted, FoundUrl, Looked
from scythe.url import Url
from scythe.watch_model import Observation, VisitPlan

FIRST = later(0)


def watch(archive: Archive, path: str = "news") -> int:
    """Have a page watched; return its number."""
    site = add_site(archive, HOST, SITE)
    return add_watch(archive, site, FoundUrl(Url(f"{SITE}{path}"), HOST, "start", "list"), "{}", now=NOW)


def visit(archive: Archive, number: int, *names: str, at: datetime = FIRST) -> list[int]:
    """Store a visit that shows records by these names, newest first; return the numbers of those that were new."""
    site = add_site(archive, HOST, SITE)
    task = next(
        task for task in next_tasks(archive, site, HOST, 1_000, now=later(1e9), kinds=WATCHED) if task.id == number
    )
    shown = region(*((name, f"Title of {name}", "2026-05-01") for name in names), columns=("title", "date"))
    seen = Observation(at.timestamp(), len(names), len(names))
    looked = Looked(1, seen, VisitPlan(3_600.0), "list 1", columns=shown.columns)
    outcome = done(task, at=at, extracted=Extracted(lists=(shown,)), looked=(looked,), retry_at=at)
    (receipt,) = store_outcomes(archive, [replace(outcome, state="retry")])
    return list(receipt.fresh)


def record(number: int = 1, site: str = HOST, page: str = f"{SITE}news", **more: object) -> StoredRecord:
    """Return a record as an archive has it."""
    fields = more.pop("fields", {"title": f"Title {number}"})
    assert isinstance(fields, dict)
    known: dict[str, object] = {
        "links": (Url(f"{SITE}story/{number}"),),
        "images": (),
        "first_seen": later(number),
        "last_seen": later(number),
        "kind": "list",
    } | more
    return StoredRecord(number, site, Url(page), columns=tuple(fields), fields=tuple(fields.values()), **known)  # type: ignore[arg-type]
