"""Visits for tests of archives: short ways to say what was found and what came of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from scythe.archive.archive import Archive
from scythe.archive.frontier import add_urls, next_tasks
from scythe.archive.schema import digest_text
from scythe.archive.stored_sites import add_site
from scythe.archive.watches import add_watch
from scythe.crawl_model import Extracted, FoundUrl, Looked, Outcome, Task
from scythe.model import Record, RecordList
from scythe.url import Url
from scythe.watch_model import Observation

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
SITE = Url("http://site.example/")
HOST = "site.example"


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def found(path: str, **more: Any) -> FoundUrl:
    return FoundUrl(Url(f"{SITE}{path}"), HOST, **more)


def begin(archive: Archive, *paths: str) -> tuple[int, list[Task]]:
    """Add a site with addresses; return its number and their tasks."""
    site = add_site(archive, HOST, SITE)
    add_urls(archive, site, [found(path) for path in paths])
    return site, next_tasks(archive, site, HOST, 1_000, now=NOW)


def prose(about: str, chars: int = 300) -> str:
    """Return a text of so many characters that says something of its own."""
    return (f"What is known about {about}. " * (chars // 10))[:chars]


def extracted(about: str, **more: Any) -> Extracted:
    return Extracted(title=about, text=more.pop("text", prose(about)), **more)


def done(task: Task, about: str = "", *, body: str = "", at: datetime = NOW, **more: Any) -> Outcome:
    """Return the outcome of a visit that brought a page about something, with a body of its own unless one is given."""
    about = about or task.url
    more.setdefault("extracted", extracted(about))
    return Outcome(task, "done", at, status=200, seconds=0.1, size=1_000, body_hash=digest_text(body or about), **more)


def region(*rows: tuple[str, ...], columns: tuple[str, ...] = ("title",), links: bool = True) -> RecordList:
    """Return a region of records; each row begins with what its link leads to, and goes on with its fields."""
    records = [
        Record(fields, (Url(f"{SITE}{link}"),) if links else ()) for link, *rest in rows for fields in [tuple(rest)]
    ]
    return RecordList(tuple(records), columns)


def watch(archive: Archive, path: str = "news", options: str = "{}") -> tuple[int, Task]:
    """Watch a list page of the site; return the site's number and the task of the first visit."""
    site = add_site(archive, HOST, SITE)
    number = add_watch(archive, site, found(path), options, now=NOW)
    return site, next(task for task in list_tasks(archive, site) if task.id == number)


def list_tasks(archive: Archive, site: int, at: datetime = NOW) -> list[Task]:
    return next_tasks(archive, site, HOST, 1_000, now=at, kinds=("list",))


def looked(number: int = 1, *, shown: int | None = 10, new: int = 0, **more: Any) -> Looked:
    """Return a region after a visit that showed so many records, or where it was not there."""
    seen = (
        None if shown is None else Observation(0.0, shown, new, more.pop("is_full", False), more.pop("since_s", None))
    )
    return Looked(number, seen, **more)


def listed(task: Task, *regions: RecordList, at: datetime = NOW, wait_s: float = 3_600, **more: Any) -> Outcome:
    """Return the outcome of a visit to a list that went well."""
    more.setdefault("looked", (looked(shown=sum(len(one.records) for one in regions)),))
    more.setdefault("extracted", Extracted(lists=regions))
    retry_at = at + timedelta(seconds=wait_s)
    return Outcome(task, "retry", at, status=200, seconds=0.1, size=500, retry_at=retry_at, **more)
